/* pace.h: how a run spends the time it has: the split of mode adaptive (situations 9), the scale of
 * the action shapes it walks (10.2), and the end under a clock (8.5). Seconds, everywhere. */
#ifndef WAI_SCENE_PACE_H
#define WAI_SCENE_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shares of a round: new situations, new wordings of used ones, further rollouts. */
struct adaptive_plan {
    double explore, expand, verify;
    int64_t phrasings, repeats;
};

/* total: of the run, 0: no clock. left: what remains of it. */
struct adaptive_plan adaptive_plan(double total, double left, bool saturation);

struct adaptive_slots {
    int64_t explore, expand, verify;
};
struct adaptive_slots adaptive_slots(int64_t width, const struct adaptive_plan *plan);

struct shape_scale {
    size_t longest; /* calls of a shape */
    size_t most;    /* shapes enumerated */
    size_t listed;  /* uncovered ones that a report counts, at most */
};
struct shape_scale shape_scale(double total); /* 0: no clock */

/* How long rollouts took of late. `struct durations d = {0}`; durations_free. */
struct durations {
    double *items; /* a ring */
    size_t size, count, next;
};
void durations_add(struct durations *d, size_t window, double seconds);
/* The element in the middle of the sorted list, the later of two; 0 without any. */
double durations_median(const struct durations *d);
void durations_free(struct durations *d);

/* ---- saturation and forecast (situations 19, 20.4) --------------------------------------------- */

enum { SATURATION_ROWS = 5 /* of each cell */ };

/* planned: rows of each planned cell; counted: of each cell that has rows. */
bool run_saturated(const int64_t *planned, size_t n_planned, const int64_t *counted,
                   size_t n_counted);

/* Rows that are missing to SATURATION_ROWS of each; with none, those of one. */
int64_t copies_missing(const int64_t *counts, size_t n);

struct forecast {
    int64_t rows, remaining;
};
/* flat: rounds in a row that brought next to nothing; last: rows of the last round. */
struct forecast forecast_saturation(int64_t rows, int64_t budget, bool saturated, int64_t missing,
                                    int64_t flat, int64_t last);

#endif
