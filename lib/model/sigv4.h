/* sigv4.h: AWS Signature Version 4 of one request, and where its credentials come from (world 10.6;
 * AWS General Reference, "Signature Version 4"). */
#ifndef WAI_MODEL_SIGV4_H
#define WAI_MODEL_SIGV4_H

#include "base/buf.h"
#include "base/error.h"
#include "net/http.h"

struct sigv4_request {
    const char *method;
    struct url url;   /* path as it is sent: it is escaped once more in the canonical form */
    struct span type; /* Content-Type */
    struct span body;
    struct span region, service;
    struct span access_key, secret_key, session_token; /* token "": none */
    char time[17];                                     /* YYYYMMDDTHHMMSSZ */
};

void sigv4_time(char out[17]); /* now */

/* Appends the Authorization header's value; canonical_uri may be NULL. */
void sigv4_sign(const struct sigv4_request *request, struct buf *authorization,
                struct buf *canonical_uri);

/* ---- the chain ------------------------------------------------------------------------------- */

struct aws_chain;

/* AWS_ACCESS_KEY_ID and its neighbours; the shared credentials and config files for AWS_PROFILE
 * (credential_process too); container credentials; instance metadata. client: for the last two. */
struct aws_chain *aws_chain_open(struct http_client *client);
void aws_chain_close(struct aws_chain *chain); /* wipes */

/* The credentials in force now, asked for again before they expire. Texts are copies the caller
 * frees. ERROR_REMOTE names the ways. Thread-safe. */
struct aws_credentials {
    struct buf access_key, secret_key, session_token;
};
int aws_chain_get(struct aws_chain *chain, struct aws_credentials *out, struct error *error);
void aws_credentials_free(struct aws_credentials *credentials);

#endif
