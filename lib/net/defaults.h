/* defaults.h: numbers of the net room, with unit and source. */
#ifndef WAI_NET_DEFAULTS_H
#define WAI_NET_DEFAULTS_H

#include <stddef.h>

/* Retries of a request that failed for a passing reason (world 12). */
#define HTTP_RETRIES          3    /* attempts after the first */
#define HTTP_RETRY_FIRST_S    0.4  /* seconds before the first retry; doubles each time */
#define HTTP_RETRY_JITTER     0.2  /* share by which a wait is made shorter or longer */
#define HTTP_RETRY_AFTER_CAP  30.0 /* seconds; longest wait that a server may ask for */
#define HTTP_SLOW_RETRIES     10   /* waits for a model that is being loaded (world 10.5) */
#define HTTP_SLOW_RETRY_S     15.0 /* seconds of each of them */
#define HTTP_REDIRECTS        8    /* hops (world 12) */
#define HTTP_REGAIN_SUCCESSES 20   /* successes that give a host back one request in flight */

#define HTTP_TIMEOUT_S 300.0 /* seconds of a whole call (world 1.1) */
#define HTTP_CONNECT_S 30.0  /* seconds to make a connection; the system's own limit is minutes */

/* Requests in flight to one host, and the files that are left for the rest of the process. The
 * callers' --jobs is the limit that counts; this one keeps the process below its open files. */
#define HTTP_PER_HOST    4096
#define HTTP_FILES_SPARE 64

/* A busy host keeps this many at a time: one that hangs must not hold up all the others. */
#define HTTP_PER_HOST_LEAST 4

#define HTTP_RESPONSE_MAX ((size_t)64 << 20)  /* bytes, decoded */
#define HTTP_HEADERS_MAX  ((size_t)256 << 10) /* bytes of a reply's headers; curl's tool: 300 kB */

#define CREDENTIALS_MAX ((size_t)1 << 20) /* bytes of credentials.json */

/* A secret shorter than this is no secret: replacing it in a reply would tear words apart. */
#define SECRET_MIN 8 /* bytes */

/* An event of a stream that is longer is refused. */
#define SSE_EVENT_MAX ((size_t)64 << 20) /* bytes */

#endif
