/* credentials.h: which key goes to which destination, and where keys come from: the environment or
 * the credentials file, never argv (world 11, platform B.1). A variable that is empty counts as
 * unset; white space around a key is dropped.
 *
 *     api.anthropic.com, ANTHROPIC_BASE_URL    WHILEAI_ANTHROPIC_API_KEY, ANTHROPIC_API_KEY
 *     bedrock-runtime.*.amazonaws.com          WHILEAI_AWS_BEARER_TOKEN_BEDROCK,
 *                                              AWS_BEARER_TOKEN_BEDROCK (else the AWS chain)
 *     api.fireworks.ai                         FIREWORKS_API_KEY
 *     openrouter.ai                            OPENROUTER_API_KEY
 *     api.typesafe.ai, TYPESAFE_BASE_URL       WHILEAI_TYPESAFE_API_KEY, TYPESAFE_API_KEY
 *     api.openai.com, OPENAI_BASE_URL          OPENAI_API_KEY
 *     the hosted endpoints                     WHILEAI_API_KEY, else the credentials file
 *     any other                                VLLM_API_KEY
 *
 * A variable named by the user (--agent-key-env) comes before all of these. A key is sent over
 * plain http to this machine only, unless its variable was named. */
#ifndef WAI_NET_CREDENTIALS_H
#define WAI_NET_CREDENTIALS_H

#include "base/buf.h"
#include "base/error.h"
#include "net/url.h"

/* ---- the service's places -------------------------------------------------------------------- */

bool url_account(const struct url *url);  /* a hosted model endpoint of the service */
bool url_platform(const struct url *url); /* any host of the service, those endpoints too */

/* $WHILEAI_HOME, else ~/.whileai; not made. ERROR_SYSTEM without a home folder. */
int config_folder(struct buf *path, struct error *error);

/* ---- the credentials file -------------------------------------------------------------------- */

/* `struct credentials c = {0}` is empty. json is the file's object; all else are its members. */
struct credentials {
    bool found;
    struct buf json;
    struct buf api_key, api_url;
};

/* A missing file is no error. ERROR_INPUT names the file and the mend. */
int credentials_read(struct credentials *c, struct error *error);
void credentials_free(struct credentials *c); /* wipes the key */

/* Writes `name` ("credentials.json", "pending-login.json") whole, mode 0600, in the configuration
 * folder, which is made 0700. */
int credentials_save(const char *name, struct span json, struct error *error);

/* Removes it; *was says whether it was there. */
int credentials_remove(const char *name, bool *was, struct error *error);

/* ---- keys ------------------------------------------------------------------------------------ */

enum key_kind {
    KEY_NONE,      /* none applies and none is needed */
    KEY_BEARER,    /* Authorization: Bearer */
    KEY_ANTHROPIC, /* x-api-key */
    KEY_AWS,       /* no bearer token: sign by the AWS chain */
};

struct key {
    enum key_kind kind;
    struct buf value;     /* secret */
    const char *variable; /* the one to set, for messages; borrows key_env or static */
};

/* base: the variable that names the URL, when one does ("ANTHROPIC_BASE_URL": one gateway may serve
 * several providers), or NULL. key_env: a variable named by the user, or NULL. 0, or ERROR_REMOTE
 * naming host and variable: a key is needed and missing, or may not be sent there. */
int key_for(const struct url *url, const char *base, const char *key_env, struct key *key,
            struct error *error);
void key_free(struct key *key); /* wipes it */

/* The account's key, and where it came from: "WHILEAI_API_KEY" or "file". false: there is none. */
int account_key(struct key *key, const char **source, struct error *error);

/* First 7 characters, "...", last 4 when it is longer than 12; else "***". */
void key_mask(struct span key, struct buf *out);

/* The variable's value without white space around it, or NULL when unset or blank. The span borrows
 * the environment. */
bool environment_value(const char *name, struct span *value);

#endif
