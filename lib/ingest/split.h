/* split.h: rows into a training and a held-out side, by task and never by row (rows 16): what
 * `wai-rows split` does with its input. */
#ifndef WAI_INGEST_SPLIT_H
#define WAI_INGEST_SPLIT_H

#include "base/map.h"
#include "row/reader.h"
#include "row/writer.h"

enum split_by {
    SPLIT_HASH,       /* a hash of the task key: stable, one pass */
    SPLIT_PRODUCTION, /* each distinct flaw first, then tasks in hash order; two passes */
    SPLIT_TASKS,      /* the tasks in `held` */
};

enum split_side { SPLIT_TRAIN, SPLIT_HELD, SPLIT_SIDES };

struct split {
    struct row_source source;
    enum split_by by;
    double share;    /* of the held side, 0 … 1 */
    int64_t seed;    /* production */
    uint64_t memory; /* production: bytes of rows kept before a temporary file is used */
    struct row_writer *side[SPLIT_SIDES]; /* borrow; where each side goes; NULL: nowhere */
    struct row_writer *also[SPLIT_SIDES]; /* a second place; NULL: none */
    struct row_writer *tasks;             /* held task keys, a line each; NULL: nowhere */
    const struct map *held;               /* SPLIT_TASKS: the keys */
};

struct split_report {
    struct row_counts read;
    enum split_by by;
    double share;
    int64_t seed;
    uint64_t rows[SPLIT_SIDES], tasks[SPLIT_SIDES];
    uint64_t flaw_signatures; /* production: distinct flaws */
    uint64_t unseen;          /* keys of `held` that no row had */
    double advised_tasks;     /* a holdout that shows a small gain (measure 9.1) */
};

/* Fills *report (zero on entry). 0 or a negative code: ERROR_INPUT when hash or tasks leave no row
 * to train on. */
int split_run(const struct split *split, struct split_report *report, struct error *error);
void split_report_json(const struct split_report *report, struct buf *out);
void split_report_text(const struct split_report *report, struct buf *out);

/* Reads a list of task keys: one a line, those with line ends or quotes as JSON strings, as
 * split_run writes them. */
int split_read_tasks(const char *path, struct map *keys, struct error *error);

#endif
