/* cells.h: sums per task: how many values a task has, what they add up to, and where it was first
 * seen. Inside room `measure`. */
#ifndef WAI_MEASURE_CELLS_H
#define WAI_MEASURE_CELLS_H

#include <stdint.h>

#include "base/span.h"

/* Where a row stood: partial summaries of several shards join in this order (measure 12). */
struct position {
    uint64_t shard, row;
};

static inline int position_compare(struct position a, struct position b)
{
    if (a.shard != b.shard)
        return a.shard < b.shard ? -1 : 1;
    return (a.row > b.row) - (a.row < b.row);
}

struct cell {
    size_t task; /* number of the task's key */
    uint64_t n;  /* values */
    double sum;  /* in row order */
    struct position first;
};

/* `struct cells c = {0}` is empty. Tasks come in first-seen order until pieces are joined. */
struct cells {
    struct cell *items;
    size_t count, cap;
    size_t *slot; /* by task: place in items, plus one; 0: none */
    size_t n_slots;
    bool joined; /* pieces of other shards are in it: a task may have several items, in any order */
};

void cells_add(struct cells *cells, size_t task, double value, struct position at);

/* Adds what another shard counted for a task. whole: sums are exact integers, so the pieces become
 * one at once; else they stay apart, to be added in the order of shards whatever the order of
 * joining. */
void cells_join(struct cells *cells, const struct cell *piece, bool whole);

/* One cell per task in first-seen order, the caller's to free. keys: the tasks' texts, by number,
 * to order what repeated shards leave tied. *n_split counts tasks of several pieces. */
struct cell *cells_groups(const struct cells *cells, const struct span *keys, size_t *count,
                          size_t *n_split);

/* All pieces, those of a task together and in the order of shards. The caller's to free. */
struct cell *cells_pieces(const struct cells *cells);

void cells_free(struct cells *cells);

#endif
