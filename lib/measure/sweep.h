/* sweep.h: many variants scored on the same asks: ranked, and a winner only when it clears every
 * other and the noise floor (measure 8). */
#ifndef WAI_MEASURE_SWEEP_H
#define WAI_MEASURE_SWEEP_H

#include "measure/keys.h"
#include "measure/runs.h"

struct sweep_request {
    struct option_list arms;   /* LABEL=FILE */
    struct option_list reruns; /* rows of the first arm, run again */
    const char *behavior, *test_version, *judge, *seed;
    int64_t k, min_asks, draws;
    struct key_options keys;
    struct row_options rows;
};

struct sweep_score {
    struct span name; /* borrows */
    double points, half_width;
    size_t n_tasks;
};

struct sweep_variant {
    struct span label; /* prompt@model */
    uint64_t graded_rows;
    struct sweep_score *scores; /* the headline first, then markers by name */
    size_t n_scores;
    struct metric_change against; /* the top arm against this one, paired; not of the top arm */
    double p_adjusted;
};

struct sweep_report {
    const struct sweep_request *asked;
    struct sweep_variant *variants; /* best first */
    size_t n_variants;
    size_t n_asks;
    struct buf test_version, seed;
    double noise_floor, run_std; /* points; pass rate */
    size_t noise_runs;
    double judge_agreement, judge_n; /* NaN: not given */
    bool has_best;
    const char *why;        /* why there is no winner; "" with one */
    struct sweep_arm *arms; /* what the variants borrow */
    size_t n_arms;
    struct arena arena;
};

/* ERROR_USAGE: labels, names. ERROR_INPUT: arms that were not graded on the same rows. Free it in
 * any case. */
int sweep_make(const struct sweep_request *request, struct sweep_report *report,
               struct error *error);
void sweep_free(struct sweep_report *report);
void sweep_json(const struct sweep_report *report, struct json_writer *w);
void sweep_text(const struct sweep_report *report, struct buf *out);

#endif
