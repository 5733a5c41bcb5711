/* hub.h: the Hugging Face Hub, both directions (select 18): a file, a folder or rows into a
 * repository of its own, and a repository's files or rows back.
 *
 * HF_ENDPOINT is where (the public Hub), HF_TOKEN who; without it the token that a login left in
 * HF_TOKEN_PATH, $HF_HOME/token or ~/.cache/huggingface/token. The token goes to the endpoint alone:
 * never to the storage that files are sent to or fetched from, never over plain http to another
 * machine, never into a message.
 *
 * Both directions go on where they were cut: a file that the repository has, byte for byte, is not
 * sent again; a file that was fetched in part is fetched from there on. What arrives is held against
 * the size and the digest that the Hub names. */
#ifndef WAI_EXPORT_HUB_H
#define WAI_EXPORT_HUB_H

#include "base/options.h"
#include "row/writer.h"

struct hub;

/* need_token: ERROR_REMOTE without one. NULL: ERROR_USAGE (an endpoint that is no address),
 * ERROR_REMOTE, ERROR_SYSTEM. */
struct hub *hub_open(bool need_token, struct error *error);
void hub_close(struct hub *hub);

/* Lines for people: what was done, what to know. warning: it may surprise. */
struct hub_events {
    void (*say)(void *data, bool warning, const char *line);
    void *data;
};

struct hub_push {
    const char *const *sources; /* files and folders; "-" alone: rows on standard input */
    size_t n_sources;
    const char *name; /* NS/NAME */
    bool is_public, dry_run;
    struct hub_events events;
};

/* Sends what the repository lacks and commits it as one change. A folder with config.json or
 * adapter_config.json becomes a model, all else a dataset. The report, a JSON object without a line
 * break, is appended: repo_id, repo_type, url, commit, files, private, uploaded, unchanged, ignored,
 * bytes, dry_run. hub may be NULL for a dry run. ERROR_USAGE, ERROR_INPUT, ERROR_REMOTE. */
int hub_push(struct hub *hub, const struct hub_push *push, struct buf *report, struct error *error);

/* ERROR_USAGE unless it is NS/NAME as the Hub takes them. */
int hub_check_name(const char *name, struct error *error);

struct hub_pull {
    const char *name; /* [hf:]NS/NAME[@REV]; REV: main */
    bool model;
    const char *const *patterns; /* of paths (fnmatch); none: all */
    size_t n_patterns;
    const char *folder;        /* files go here … */
    struct row_writer *writer; /* … or, when it is NULL, the rows of the JSONL files go here */
    bool dry_run;
    struct hub_events events;
};

/* The report: repo_id, repo_type, revision, commit, files, fetched, unchanged, bytes, rows. */
int hub_pull(struct hub *hub, const struct hub_pull *pull, struct buf *report, struct error *error);

#endif
