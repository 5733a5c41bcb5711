/* hub_inside.h: what hub*.c share. Not for other rooms. */
#ifndef WAI_EXPORT_HUB_INSIDE_H
#define WAI_EXPORT_HUB_INSIDE_H

#include "base/arena.h"
#include "export/hub.h"
#include "net/http.h"
#include "text/digest.h"
#include "json/write.h"

struct hub {
    struct http_client *http;
    struct buf endpoint; /* without a slash at the end */
    struct url place;    /* its pieces */
    struct buf bearer;   /* "Bearer …", secret; empty: no token */
};

enum { HUB_DIGEST_HEX = 2 * SHA256_BYTES };

/* One file of a repository. */
struct hub_file {
    struct span path;   /* in the repository */
    const char *source; /* on this machine */
    uint64_t size;
    char blob[2 * SHA1_BYTES + 1];   /* its name as a git object */
    char sha256[HUB_DIGEST_HEX + 1]; /* of its bytes */
    bool large;                      /* goes to the storage, the repository keeps a pointer */
    bool ignored;                    /* the Hub does not want it */
    bool unchanged;                  /* the repository has it */
};

struct hub_files {
    struct arena arena;
    struct hub_file *items;
    size_t count, cap;
    struct buf scratch; /* folder with rows from standard input, removed in the end */
    bool model;
};

/* The files of the sources, by path; their digests are not known yet. */
int hub_files_list(const struct hub_push *push, struct hub_files *files, struct error *error);
void hub_files_free(struct hub_files *files);

/* The bytes of a file, mapped while they are needed. */
struct hub_content {
    struct span bytes;
    void *map;
};
int hub_content_open(const struct hub_file *file, struct hub_content *content, struct error *error);
void hub_content_close(struct hub_content *content);

/* The name by which the Hub knows these bytes: sha256 of a large file, blob of another. */
void hub_digest(struct hub_file *file, struct span bytes);

/* A path that the Hub takes and a terminal shows: UTF-8, no control, no backslash, not empty. */
bool hub_readable(struct span path);
int hub_by_path(const void *left, const void *right); /* of hub_files, for qsort */

/* ---- asking ---------------------------------------------------------------------------------- */

struct hub_ask {
    const char *method;  /* NULL: GET, or POST with a body */
    struct span url;     /* whole */
    struct span body;    /* ptr NULL: none */
    const char *type;    /* of the body; NULL: application/json */
    const char *range;   /* "bytes=0-99"; NULL: all of it */
    bool anonymous;      /* without the token */
    bool once;           /* not repeated once it may have been acted on */
    bool keep_headers;   /* of the reply */
    bool redirect;       /* followed */
    size_t response_max; /* bytes; 0: as usual */
};

/* A request on its way; it must not move until http_wait(sent->call, …). */
struct hub_sent {
    struct http_header headers[4];
    struct http_call *call;
};
void hub_start(struct hub *hub, const struct hub_ask *ask, struct hub_sent *sent);

/* A reply of any status: 0. No reply: ERROR_REMOTE and the like. */
int hub_send(struct hub *hub, const struct hub_ask *ask, struct http_reply *reply,
             struct error *error);

/* 0 for a status of 2xx; else ERROR_REMOTE with what the Hub says and the mend. what: "the commit". */
int hub_check(struct hub *hub, const struct http_reply *reply, const char *what,
              struct error *error);

/* Both, and the reply as JSON. */
int hub_ask(struct hub *hub, const struct hub_ask *ask, const char *what, struct http_reply *reply,
            struct json_value *value, struct error *error);

/* Puts ENDPOINT and the path together, in a buffer that is cleared. */
struct span hub_url(const struct hub *hub, struct buf *url, const char *path);
void hub_escape_path(struct span path, struct buf *url); /* every segment */

/* A member that must be there. "" when it is no string. */
struct span hub_text(struct json_value object, const char *key, struct arena *arena);

/* Waits that long; false when a signal came. */
bool hub_wait(double seconds);

void hub_say(const struct hub_events *events, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sends the large files among them to the Hub's storage. type: "datasets/" or "". */
int hub_store(struct hub *hub, const struct hub_push *push, const char *type,
              struct hub_files *files, struct error *error);

#endif
