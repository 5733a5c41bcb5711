/* cassette.h: provider traffic to and from a file (world 14.4): any run becomes an offline test.
 *
 * A line per exchange: {"key", "scope"?, "spec", "request": BODY, "status", "response": BODY, "ms",
 * "failure"?}. key is the SHA-256 of method, URL and PYJSONS(body), '#', and how many times this
 * request had been asked before within its scope. A scope is a rollout: within one, requests follow
 * each other, so a recording made at --jobs 8 plays at any. No header is kept, and secrets have
 * been cut out of the bodies. */
#ifndef WAI_MODEL_CASSETTE_H
#define WAI_MODEL_CASSETTE_H

#include "base/buf.h"
#include "base/error.h"
#include "net/http.h"

struct cassette;

enum cassette_miss { CASSETTE_MISS_FAIL, CASSETTE_MISS_LIVE };

/* Either may be NULL. The recording is appended to. ERROR_INPUT, ERROR_SYSTEM. */
struct cassette *cassette_open(const char *record, const char *replay, enum cassette_miss miss,
                               struct error *error);

/* What was recorded reaches the file as it comes; this says whether all of it did. */
int cassette_close(struct cassette *cassette, struct error *error);

struct cassette_request {
    const char *spec, *method, *scope; /* scope may be NULL */
    struct span url, body;             /* body: JSON, or empty */
};

/* Asks the recording, else the network (as `send` says). Same result as http_send; a missing
 * recording is ERROR_REMOTE with *missing set. client may be NULL when nothing may be sent. */
int cassette_send(struct cassette *cassette, const struct cassette_request *what,
                  struct http_client *client, const struct http_request *send,
                  struct http_reply *reply, bool *missing, struct error *error);

#endif
