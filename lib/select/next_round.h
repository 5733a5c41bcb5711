/* next_round.h: which tasks the next round should train on, from what the policy did in this one
 * (select 6.3). */
#ifndef WAI_SELECT_NEXT_ROUND_H
#define WAI_SELECT_NEXT_ROUND_H

#include "base/map.h"
#include "row/row.h"
#include "json/write.h"

struct round_task {
    size_t n, passes;          /* labels */
    double carried, carried_n; /* a rate that came along; NaN: none */
    struct span line;          /* its first row */
};

/* `struct next_round r = {0}` is empty. */
struct next_round {
    struct map keys;
    struct round_task *tasks; /* by number of the key */
    size_t cap_tasks, n_rows;
    struct map labelled, rated; /* keys in order of their first label, first carried rate */
    struct map policies;
    struct map given; /* candidates of --tasks, by key; NULL lines never */
    struct span *given_lines;
    size_t cap_given;
    bool limited; /* there are candidates */
    struct arena arena;
};

void next_round_add(struct next_round *r, const struct row *row); /* a graded row, or a rate row */
void next_round_given(struct next_round *r,
                      const struct row *row); /* a candidate; value: row or text */

/* A task's pass rate; NaN when nobody measured it. n: 0 when unknown. */
double next_round_rate(const struct next_round *r, size_t task, double *n);

struct round_counts {
    size_t kept, solved, unsolved, unknown, measured;
};

/* The rows that leave, a line each, appended to lines (NULL: only the report). The report's members
 * into an open object. */
void next_round_choose(struct next_round *r, double low, double high, struct buf *lines,
                       struct json_writer *w, struct round_counts *counts);
/* The same numbers as the object that RL selection reports of its prior. */
void next_round_summary(struct next_round *r, double low, double high, size_t rows_dropped,
                        struct buf *out);
void next_round_free(struct next_round *r);

#endif
