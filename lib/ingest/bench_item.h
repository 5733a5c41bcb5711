/* bench_item.h: one item of a benchmark as the halves of its rows. Internal to the room. */
#ifndef WAI_INGEST_BENCH_ITEM_H
#define WAI_INGEST_BENCH_ITEM_H

#include "ingest/bench.h"
#include "row/members.h"
#include "json/write.h"

/* Buffers of a worker, reused. */
struct bench_work {
    struct buf ask, task, text, gold, scratch;
    struct member_list rest;
};
void bench_work_free(struct bench_work *work);

struct bench_item {
    const struct bench *bench;
    struct bench_work *work;
    const struct row *row;
    struct json_value
        completions; /* in: from a file beside the items; text.ptr NULL: from a column */

    /* out */
    size_t rows, unjudged;
    bool without_mark;
    struct bench_columns columns; /* as they were found */
    struct json_value prompt, reference, rewards, markers, id;
    const char *row_completion; /* column of the completions, NULL: from the file */
};

/* Appends two lines per row, what stands before its rollout_index and what stands behind. 0; 1 when
 * the item does not fit, out is then a clause with the mend; ERROR_USAGE when a column must be
 * named. */
int bench_item_write(struct bench_item *item, struct buf *out, struct error *error);

/* "prompt: question, completion: completions" */
void bench_item_mapping(const struct bench_item *item, struct buf *out);

#endif
