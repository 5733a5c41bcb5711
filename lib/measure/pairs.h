/* pairs.h: a comparison as a mergeable summary (measure 12): of each metric how many tasks have each
 * pair of results before and after, for engines that keep both sides' rows of a task together. A few
 * kB whatever the tasks. Rates only: pass_at_1 and markers whose values are all 0 or 1. */
#ifndef WAI_MEASURE_PAIRS_H
#define WAI_MEASURE_PAIRS_H

#include "measure/compare.h"

/* Tasks with na tries before, ca of them passes, and nb, cb after; 0 tries: not on that side. */
struct pair_cell {
    uint64_t na, ca, nb, cb, tasks;
};

struct pair_metric {
    struct pair_cell *cells; /* by na, ca, nb, cb; each once */
    size_t count, cap;
    bool real; /* a value is neither 0 nor 1: it has no cells */
};

struct arm_pairs {
    struct facts_reader *facts;
    struct passat_keys keys;     /* which the sides were counted with; of facts */
    struct passat *sides[SIDES]; /* how the rows were made, as histograms; without markers */
    uint64_t n_bad, n_fallback[SIDES];
    struct map names; /* of the metrics, as reports spell them */
    struct pair_metric *metrics;
    size_t cap;
    struct compare_rows nothing; /* of which a report on pairs is: no rows */
};

/* ERROR_USAGE: what is asked cannot be told from pairs, or belongs to the other step. */
int arm_pairs_check(const struct compare_options *options, struct error *error);

struct arm_pairs *arm_pairs_new(const struct compare_options *options);
void arm_pairs_free(struct arm_pairs *pairs);

/* Both sides' rows, which become histograms. */
int arm_pairs_of_rows(const struct compare_options *options, struct compare_rows *rows,
                      struct arm_pairs *pairs, struct error *error);

/* The summaries of all operands (none: standard input), added up. */
int arm_pairs_read(const struct compare_options *options, const char *const *paths, size_t n_paths,
                   struct arm_pairs *pairs, struct error *error);

/* One summary. ERROR_INPUT: what is wrong with it. */
int arm_pairs_add(struct arm_pairs *pairs, struct json_value object, bool repeat_shards,
                  struct error *error);

void arm_pairs_write(struct arm_pairs *pairs,
                     struct buf *out); /* one JSON line, with its newline */

/* Fills *report, which borrows options and pairs: all metrics, or with --metric that one. */
int arm_pairs_report_make(const struct compare_options *options, struct arm_pairs *pairs,
                          struct compare_report *report, struct error *error);
void arm_pairs_json(const struct arm_pairs *pairs, const struct compare_report *report,
                    struct json_writer *w);
void arm_pairs_text(const struct compare_report *report, struct buf *out);

/* Inside: the cells of a metric, new when fresh. */
struct pair_metric *arm_pairs_metric(struct arm_pairs *pairs, struct span name, bool *fresh);
void pair_metric_add(struct pair_metric *metric, struct pair_cell cell);
bool pair_metric_settle(
    struct pair_metric *metric); /* in order, each once; false: more than 2^53 tasks */
size_t *arm_pairs_order(
    const struct arm_pairs *pairs); /* numbers of the metrics in the order of names */

#endif
