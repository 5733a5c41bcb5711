/* http_inside.h: what the files of the HTTP client share: http.c is what callers see, http_loop.c
 * the thread with its queues and waits, http_transfer.c one attempt by libcurl. Private to this
 * room. */
#ifndef WAI_NET_HTTP_INSIDE_H
#define WAI_NET_HTTP_INSIDE_H

#include <pthread.h>

#include "base/map.h"
#include "net/curl_late.h"
#include "net/defaults.h"
#include "net/http.h"
#include "rng/rng.h"

enum http_place { PLACE_NEW, PLACE_QUEUED, PLACE_RUNNING, PLACE_WAITING, PLACE_ENDED };

/* Owned by the client's thread from http_start on, but for `finished`. */
struct http_call {
    struct http_client *client;
    struct http_request request;
    void (*done)(void *data, struct http_call *call);
    void *data;

    struct buf url_text; /* where the next attempt goes */
    struct url url;      /* its pieces */
    struct buf origin_text;
    struct url origin; /* of the request: where its secrets belong */
    bool by_get;       /* a redirect has made it a GET without a body */
    int hops, retries_left, slow_left;

    CURL *easy;
    struct curl_slist *headers;
    char curl_says[CURL_ERROR_SIZE];
    size_t header_bytes;
    double asked_wait; /* seconds the server asks for; negative: none */
    bool too_large;

    struct http_host *host;
    enum http_place place;
    int64_t began, attempt_began, queued, deadline,
        due; /* microseconds, monotonic; began 0: not yet */
    size_t heap_at;
    struct http_call *next;           /* in the incoming list or a host's queue */
    struct http_call *before, *after; /* in the list of all */
    struct http_call *next_cancel;    /* under the lock */
    bool in_cancels;
    bool cancelled; /* before it was taken in */

    struct http_reply reply;
    bool finished; /* under the lock */
    pthread_cond_t ended;
};

struct http_host {
    struct http_call *first, *last; /* waiting for their turn */
    int in_flight, limit, successes;
    int64_t halved; /* when the limit was halved; requests that began earlier do not halve it */
};

struct http_client {
    struct http_settings settings;
    int per_host;
    pthread_t thread;
    pthread_mutex_t lock;
    struct http_call *incoming, *incoming_last, *cancels; /* under the lock */
    bool stop;                                            /* under the lock */
    int wake, epoll;                                      /* descriptors */

    /* of the thread alone */
    CURLM *multi;
    int64_t curl_due; /* microseconds; -1: no timer */
    struct map host_names;
    struct http_host **hosts;
    size_t hosts_cap;
    struct http_call **heap; /* waits, the earliest first */
    size_t heap_count, heap_cap;
    struct http_call *all;
    bool interrupted;
    struct rng rng;
    const char *ca_file, *ca_folder;
};

int64_t http_now(void); /* microseconds, monotonic */
void *http_loop(void *client);

/* 0, or REFUSED in the reply. Sets the call's easy handle up for an attempt at call->url. */
int http_transfer_begin(struct http_call *call);

/* What the attempt gave: fills status, failure and error of the reply. */
void http_transfer_end(struct http_call *call, CURLcode code);
void http_transfer_free(struct http_call *call);

/* Follows a redirect as the request allows: 1 when another attempt should be made at once, 0 when
 * the reply stands or a refusal is in it. */
int http_redirected(struct http_call *call);

/* Cuts the request's secrets out of bytes. */
void http_redact(const struct http_request *request, struct buf *bytes);

/* A failure with its sentence, host in front. */
void http_fail(struct http_call *call, enum http_failure failure, const char *what);

#endif
