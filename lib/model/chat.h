/* chat.h: one reply from a model: messages and tools in, text and tool calls out, whoever serves it
 * (world 10, 12). Requests are made for the provider, sent with retries, repaired when the server
 * refuses their shape, and read back into one form. Thread-safe: many threads may use one model.
 *
 * Repairs of a 400, at most five, each sent at once: max_tokens renamed to max_completion_tokens;
 * the budget halved; half of a long user message left out (and marked); n, logprobs, temperature
 * dropped, when the server's words point there. */
#ifndef WAI_MODEL_CHAT_H
#define WAI_MODEL_CHAT_H

#include "base/arena.h"
#include "base/error.h"
#include "model/budget.h"
#include "model/cassette.h"
#include "model/spec.h"
#include "net/http.h"
#include "json/write.h"

enum chat_logprobs { CHAT_LOGPROBS_NONE, CHAT_LOGPROBS_SUM, CHAT_LOGPROBS_TOKENS };
enum chat_thinking { CHAT_THINKING_DEFAULT, CHAT_THINKING_ON, CHAT_THINKING_OFF };

/* Zero fields are the defaults; all is borrowed until model_close. */
struct model_settings {
    struct http_client *http;
    struct cassette *cassette; /* NULL: straight to the network */
    struct budget *budget;     /* NULL: none */
    const char *key_env;       /* --agent-key-env */
    const char *model;         /* --agent-model, for a bare URL */
    int64_t context_tokens;    /* 0: ZP_CONTEXT_TOKENS, else what the provider is known to have */
    enum chat_thinking thinking;
    struct span extra; /* a JSON object merged into every body; {0}: none */
};

struct model;

/* Parses the spec, finds the key, and for a bare URL asks for its models. NULL: ERROR_USAGE (the
 * spec), ERROR_REMOTE (no key, no answer). A judge-only spec (typesafe:) is refused. */
struct model *model_open(const char *spec, const struct model_settings *settings,
                         struct error *error);
void model_close(struct model *model);

const char *model_name(const struct model *model);
const struct model_spec *model_spec_of(const struct model *model);
int64_t model_context(const struct model *model, bool *known); /* tokens */

/* Counts over the model's life. */
struct model_counts {
    uint64_t calls, failed, requests, retries, repairs;
    uint64_t prompt_truncated, logprobs_dropped, without_usage;
    int64_t input_tokens, output_tokens;
};
struct model_counts model_counts(struct model *model);

struct chat_request {
    struct json_value messages; /* an array in the OpenAI form, written compactly */
    struct json_value tools; /* an array of tools in any of the shapes of world 20.1; {0}: none */
    double temperature;      /* NaN: left to the server */
    int64_t max_tokens;      /* 0: CHAT_REPLY_DEFAULT */
    int n;                   /* replies wanted; 0: 1 */
    enum chat_logprobs logprobs;
    struct json_value extra; /* an object merged into the body last; {0}: none */
    double timeout_s;        /* 0: CHAT_TIMEOUT_S, or longer for a large budget */
    bool has_seed;
    int64_t seed; /* sent by exec: only */
    bool stream;  /* ask for a stream where the provider has one; the reply is the same */
    void (*on_text)(void *data, int attempt, struct span piece); /* a stream's text as it comes, on
                                        the client's thread; a later attempt starts over */
    void *data;
    const char *scope; /* names the rollout for recordings, so that they do not depend on timing */
    int64_t item;      /* replay: which entry (-1: the next) … */
    int64_t call;      /* … and which reply of it */
};

struct chat_call {
    struct span id;        /* made up ("call_0") when the server gave none */
    struct span name;      /* may be "" */
    struct span arguments; /* JSON text as the model wrote it; need not parse */
};

struct chat_choice {
    struct span content; /* ptr NULL: null */
    struct chat_call *calls;
    size_t n_calls;
    struct span finish; /* ptr NULL: not said */
    bool has_logprobs;
    double logprob_sum; /* rounded to 6 */
    size_t n_logprobs;
    double *logprobs; /* rounded to 6; NULL unless CHAT_LOGPROBS_TOKENS */
};

/* World 12: what a failure means for the run. */
enum chat_failure {
    CHAT_OK = 0,
    CHAT_AUTH,        /* the key is missing or refused: the run stops */
    CHAT_QUOTA,       /* spent: the run stops */
    CHAT_DEAD_HOST,   /* nothing there: a strike */
    CHAT_TOO_LONG,    /* the prompt does not fit */
    CHAT_BAD_REQUEST, /* any other 4xx */
    CHAT_TRANSIENT,   /* still failing after the retries */
    CHAT_TIMED_OUT,
    CHAT_BAD_REPLY,    /* not JSON, no choices, broken off */
    CHAT_NO_BUDGET,    /* --max-cost would be passed */
    CHAT_NOT_RECORDED, /* --replay without this request */
    CHAT_INTERRUPTED,
    CHAT_USAGE, /* the request itself cannot be made */
};
const char *chat_failure_name(enum chat_failure failure); /* "auth", "quota", … */

struct chat_cut { /* what was left out so that the prompt fits (world 8.3) */
    int64_t context_tokens, prompt_chars, prompt_chars_sent, max_tokens_asked, max_tokens_sent;
};

/* `struct chat_reply r = {0}` is empty; reuse it. Texts live in the arena until the next call. */
struct chat_reply {
    struct chat_choice *choices;
    size_t n_choices; /* at least 1 on success */
    bool has_usage;
    int64_t input_tokens, output_tokens; /* -1: not said */
    bool cut;
    struct chat_cut what_cut;
    int64_t max_tokens_sent; /* D20: a record must be true */
    bool logprobs_dropped;
    enum chat_failure failure;
    int status;            /* of the last reply, 0: none */
    int requests, retries; /* sent; of those, transient retries */
    int repairs;
    double ms, first_ms; /* whole call; to the first byte */
    struct arena arena;
};
void chat_reply_free(struct chat_reply *reply);

/* 0, or reply->failure and ERROR_REMOTE (ERROR_INTERRUPTED, ERROR_USAGE, ERROR_INPUT for a
 * replay: file) with one sentence that names host and mend; no key is ever in it. */
int model_chat(struct model *model, const struct chat_request *request, struct chat_reply *reply,
               struct error *error);

/* The normalised reply: {role, content, tool_calls?, _finish_reason?, _usage?, _logprobs?, _all?,
 * _prompt_truncated?} (world 10.2). */
void chat_reply_write(const struct chat_reply *reply, struct json_writer *w);

/* {role, content, tool_calls?}: what goes back into the conversation. content NULL: the reply's own. */
void chat_message_write(const struct chat_choice *choice, const struct span *content,
                        struct json_writer *w);

/* ---- for --wire and --wire-reply (world 10.8): nothing is sent ------------------------------- */

/* {spec, messages, tools?, temperature?, max_tokens?, n?, logprobs?, extra?, stream?} to
 * {method, url, headers, body}; secrets as "***". */
int chat_wire(struct json_value line, struct json_writer *w, struct error *error);

/* {provider: openai|anthropic|bedrock|bedrock-invoke, body, logprobs?} to the normalised reply. */
int chat_wire_reply(struct json_value line, struct json_writer *w, struct error *error);

#endif
