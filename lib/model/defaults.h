/* defaults.h: numbers and names of the model room, with unit and source. */
#ifndef WAI_MODEL_DEFAULTS_H
#define WAI_MODEL_DEFAULTS_H

#include <stddef.h>

/* Models asked when a spec names none (world 10.1). */
#define MODEL_OPENAI_DEFAULT    "gpt-4o-mini"
#define MODEL_ANTHROPIC_DEFAULT "claude-haiku-4-5"
#define MODEL_FIREWORKS_DEFAULT "accounts/fireworks/models/llama-v3p1-8b-instruct"
#define MODEL_BEDROCK_DEFAULT   "us.anthropic.claude-haiku-4-5-20251001-v1:0"
#define MODEL_OLLAMA_DEFAULT    "llama3.1:8b"
#define MODEL_TYPESAFE_DEFAULT  "jev-latest"

/* Where they live (world 10.1, 11.3). */
#define MODEL_OPENAI_URL     "https://api.openai.com/v1"
#define MODEL_ANTHROPIC_URL  "https://api.anthropic.com/v1"
#define MODEL_FIREWORKS_URL  "https://api.fireworks.ai/inference/v1"
#define MODEL_OPENROUTER_URL "https://openrouter.ai/api/v1"
#define MODEL_OLLAMA_URL     "http://localhost:11434/v1"
#define MODEL_TYPESAFE_URL   "https://api.typesafe.ai"
#define MODEL_SGLANG_URL     "http://localhost:30000/v1" /* the servers' own default ports */
#define MODEL_TGI_URL        "http://localhost:8080/v1"
#define MODEL_LMSTUDIO_URL   "http://localhost:1234/v1"
#define MODEL_LLAMACPP_URL   "http://localhost:8080/v1"
#define MODEL_BEDROCK_REGION "us-east-1"
#define MODEL_HOSTED_AGENT \
    "vllm:Qwen/Qwen3-4B@https://zeroproofai--whileai-serve-qwen3-4b.modal.run/v1"
#define MODEL_HOSTED_JUDGE \
    "vllm:Qwen/Qwen3-8B@https://zeroproofai--whileai-serve-qwen3-8b.modal.run/v1"

enum {
    CHAT_CONTEXT_DEFAULT = 4096, /* tokens; window of an endpoint nobody described (world 8.3) */
    CHAT_CONTEXT_LEAST = 2048,
    CHAT_CONTEXT_LARGE = 131072, /* of providers whose windows are known to be large (D14) */
    CHAT_CONTEXT_MARGIN = 64,    /* tokens kept free */
    CHAT_REPLY_LEAST = 256,      /* tokens; smaller budgets are raised to it (world 10.2) */
    CHAT_REPLY_DEFAULT = 768,    /* tokens (world 1.1) */
    CHAT_TOKEN_BYTES = 3,        /* bytes of JSON that count as a token (world 8.3) */
    CHAT_CUT_FROM = 800,         /* characters; a shorter user message is never cut */
    CHAT_CUT_LEAST = 400,        /* characters that stay */
    CHAT_CHOICES_MAX = 8,        /* largest n */
    CHAT_REPAIRS = 5,            /* repairs of a refused body (world 12) */
    CHAT_ERROR_SHOWN = 200,      /* characters of a service's own words in a message */
    CHAT_ERROR_READ = 400,       /* bytes of a 400 that repairs look at */
    DECISION_REPLY_TOKENS = 64,  /* tokens a decision is expected to cost beside its question */
    CHAT_CALLS_MAX = 4096,       /* tool calls taken from one reply */
};
#define CHAT_TIMEOUT_S         300.0 /* seconds, or a quarter second per token of the reply budget */
#define CHAT_SECONDS_PER_TOKEN 0.25
#define DECISION_TIMEOUT_S     30.0 /* seconds (world 10.7) */

/* Embedders (world 18.1). */
#define EMBED_OLLAMA_MODEL "nomic-embed-text"
#define EMBED_OPENAI_MODEL "text-embedding-3-small"
#define EMBED_TIMEOUT_S    30.0  /* seconds */
#define EMBED_PROBE_S      1.5   /* seconds the hosted one may take to show that it is there */
#define EMBED_BATCH        128   /* texts of a request */
#define EMBED_SHOWN        60    /* characters of a text in a message */
#define EMBED_LARGEST      1e150 /* a number of a vector; its square must stay a number */

#define REPLAY_MAX ((size_t)1 << 30) /* bytes of a replay: file */

#endif
