/* spec.h: which model, in one string (world 10.1, 11.3).
 *
 *     openai:[MODEL]  anthropic:[MODEL]  fireworks:[MODEL]  bedrock:[MODEL][@REGION]
 *     vllm:MODEL@URL  ollama:[MODEL]  openrouter:MODEL
 *     sglang: tgi: lmstudio: llamacpp: [MODEL][@URL]     vllm: with that server's own address
 *     typesafe:[MODEL]                                  decision judge (grade 14.10)
 *     exec:COMMAND  replay:FILE                         no network
 *     hosted                                            the service's own endpoint
 *     http(s)://BASE, endpoint:BASE                     first model of GET BASE/models */
#ifndef WAI_MODEL_SPEC_H
#define WAI_MODEL_SPEC_H

#include "base/buf.h"
#include "base/error.h"

enum model_provider {
    MODEL_OPENAI,     /* api.openai.com or OPENAI_BASE_URL */
    MODEL_COMPATIBLE, /* anybody's OpenAI-compatible server */
    MODEL_ANTHROPIC,
    MODEL_BEDROCK,
    MODEL_BEDROCK_INVOKE, /* an imported model: OpenAI bodies behind Bedrock's door */
    MODEL_FIREWORKS,
    MODEL_OLLAMA,
    MODEL_TYPESAFE,
    MODEL_ENDPOINT, /* a bare URL: its first model */
    MODEL_EXEC,
    MODEL_REPLAY,
};

/* `struct model_spec s = {0}` is empty. */
struct model_spec {
    enum model_provider provider;
    struct buf text;   /* as given ("hosted" is resolved first) */
    struct buf url;    /* base; as written, so it may lack a scheme: https is meant */
    struct buf model;  /* name; of exec: the command, of replay: the file; "" when not known yet */
    struct buf region; /* of Bedrock */
    bool hosted;       /* the account's endpoint */
};

/* 0, or ERROR_USAGE naming the string to type. */
int model_spec_parse(const char *text, struct model_spec *spec, struct error *error);
void model_spec_free(struct model_spec *spec);

/* Whether the text begins with a known provider's name and ':' (or is an http(s) URL, "hosted"):
 * what tells a model spec from the agent's other forms. */
bool model_spec_known(const char *text);

/* The spec's name for people and for --model-version: the model, or the command's first word. */
const char *model_spec_name(struct model_spec *spec);

/* The base with https:// in front when it has no scheme. */
void model_spec_base(const struct model_spec *spec, struct buf *out);

/* ---- roles (world 11.5): option, wai.yaml of the working folder, variable, built-in ----------- */

enum model_role { ROLE_AGENT, ROLE_JUDGE, ROLE_USER, ROLE_WRITER, ROLE_EMBEDDER };
enum model_role_source { ROLE_FROM_NONE, ROLE_FROM_OPTION, ROLE_FROM_FILE, ROLE_FROM_VARIABLE };

/* `struct model_roles r = {0}` knows nothing. */
struct model_roles {
    struct buf specs[ROLE_EMBEDDER + 1]; /* of wai.yaml; "" when not there */
};

/* Reads wai.yaml in the working folder; none is no error. ERROR_INPUT: an unknown key, another type. */
int model_roles_read(struct model_roles *roles, struct error *error);
void model_roles_free(struct model_roles *roles);

/* The spec of a role, or NULL: the built-in. Borrows roles, the option or the environment. */
const char *model_role(struct model_roles *roles, enum model_role role, const char *option,
                       enum model_role_source *source);

#endif
