/* http.h: the one HTTP client (world 12, platform B.2). A client has one thread that drives all of
 * its transfers (libcurl's multi interface over epoll): connections are kept and reused, HTTP/2 is
 * taken where it is offered, and thousands of calls may be in flight. Callers are any number of
 * threads that wait for their own call, or one loop that is told by `done`.
 *
 * A call is one request and its retries: connection failures and the passing statuses (408, 429,
 * 500, 502, 503, 504, 529) are tried again HTTP_RETRIES times, waiting 0.4 s and twice as long each
 * time, with jitter; Retry-After and retry-after-ms win, up to 30 s. A kept connection that turns
 * out to be closed is replaced at once and counts as no retry. The time limit is that of the call:
 * waits and retries included, waiting for a turn at a busy host excluded. After a 429 the host
 * gets half as many requests at a time, and one more for every 20 that succeed.
 *
 * Secrets: a header marked secret goes to the origin of the URL, and on a redirect only to that
 * origin again (or where `secret_goes` allows). Its value is cut out of replies and errors, should
 * a server send it back. It is in no message. TLS is always verified.
 *
 * HTTPS_PROXY, NO_PROXY, ALL_PROXY, http_proxy as usual (libcurl's rules); loopback addresses are
 * asked directly. SSL_CERT_FILE and SSL_CERT_DIR name other certificates. */
#ifndef WAI_NET_HTTP_H
#define WAI_NET_HTTP_H

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "net/url.h"

struct http_client;
struct http_call; /* in flight */

/* For --trace: one line per attempt. status 0: no reply. Called on the client's thread. */
typedef void http_trace(void *data, const char *method, struct span url_without_query, int status,
                        size_t bytes, double ms);

struct http_settings {
    int per_host;  /* most requests in flight to one host; 0: HTTP_PER_HOST */
    uint64_t seed; /* of the jitter */
    http_trace *trace;
    void *trace_data;
};

/* Raises the process's soft limit of open files as far as per_host needs. NULL: ERROR_SYSTEM. */
struct http_client *http_open(const struct http_settings *settings, struct error *error);

/* Calls in flight end as HTTP_CANCELLED. */
void http_close(struct http_client *client);

struct http_header {
    const char *name;
    struct span value;
    bool secret;
};

enum http_retry {
    HTTP_RETRY_ANY = 0, /* the request may be repeated */
    HTTP_RETRY_UNSENT,  /* only when the connection was never made */
    HTTP_RETRY_NEVER,
};

enum http_redirect {
    HTTP_REDIRECT_NEVER = 0, /* a 3xx is the reply */
    HTTP_REDIRECT_ORIGIN,    /* followed within the same origin */
    HTTP_REDIRECT_GET,       /* followed by GET, anywhere but from https to http, or from elsewhere
                                to this machine */
};

/* What a reply's own words say about trying again. */
enum http_again { HTTP_AGAIN_BY_STATUS, HTTP_AGAIN_NO, HTTP_AGAIN_SLOWLY };

/* Everything is borrowed until the call has ended. Zero fields are the defaults. */
struct http_request {
    const char *method; /* NULL: GET, or POST when there is a body */
    struct span url;
    const struct http_header *headers;
    size_t n_headers;
    bool has_body;
    struct span body;
    double timeout_s;    /* 0: HTTP_TIMEOUT_S */
    size_t response_max; /* bytes; 0: HTTP_RESPONSE_MAX */
    enum http_retry retry;
    int retries; /* 0: HTTP_RETRIES; negative: none */
    enum http_redirect redirect;
    bool (*secret_goes)(const struct url *to); /* further places a redirect may take secrets to */
    enum http_again (*again)(int status, struct span body); /* asked for replies outside 2xx */
    /* Bytes of a 2xx reply as they come, with the number of the attempt (a later one starts over);
     * on the client's thread. */
    void (*on_data)(void *data, int attempt, struct span piece);
    void *data;
    bool keep_headers; /* the reply's headers are wanted */
};

enum http_failure {
    HTTP_OK = 0,      /* a reply came, of whatever status */
    HTTP_UNREACHABLE, /* no connection: name, refusal, network */
    HTTP_UNTRUSTED,   /* TLS: the certificate, or no TLS at all */
    HTTP_DROPPED,     /* the connection broke off before the reply was whole */
    HTTP_TIMED_OUT,
    HTTP_TOO_LARGE, /* more than response_max bytes, or headers without end */
    HTTP_REFUSED,   /* by us: the address, a header, a redirect */
    HTTP_CANCELLED, /* http_cancel, http_close, or a caught signal */
};

/* `struct http_reply r = {0}` is empty; reuse it. */
struct http_reply {
    enum http_failure failure;
    int status;         /* of the last reply, 0 when none came */
    struct buf body;    /* of the last reply */
    struct buf type;    /* its Content-Type */
    struct buf headers; /* its header lines, when the request keeps them */
    int attempts;       /* requests sent, redirects apart */
    int retries;        /* of those, the ones that count against `retries` */
    double ms;          /* from the first attempt to the end */
    double first_ms;    /* to the first byte of the reply that counted */
    char http[8];       /* "1.1", "2" */
    struct error error; /* when failure is not HTTP_OK: host and what, no secret */
};
void http_reply_free(struct http_reply *reply);

/* The value of the last header of that name, any case. false: there is none, or they were not kept. */
bool http_reply_header(const struct http_reply *reply, const char *name, struct span *value);

/* Starts a call. done, when given, is called on the client's thread when it has ended: it may wake
 * somebody, and may not wait. Every call must be waited for. */
struct http_call *http_start(struct http_client *client, const struct http_request *request,
                             void (*done)(void *data, struct http_call *call), void *data);

/* Waits for the end, moves the outcome into *reply and frees the call. 0 when a reply came (of any
 * status); else reply->failure, and ERROR_REMOTE (ERROR_USAGE for HTTP_REFUSED, ERROR_INTERRUPTED
 * after a signal) with error filled. */
int http_wait(struct http_call *call, struct http_reply *reply, struct error *error);

void http_cancel(struct http_call *call); /* it ends soon; still to be waited for */

/* Both. */
int http_send(struct http_client *client, const struct http_request *request,
              struct http_reply *reply, struct error *error);

const char *http_failure_name(enum http_failure failure); /* "timed_out", … */
bool http_status_passing(int status);                     /* worth a retry */

#endif
