/* compare.h: did a change move the behaviour, and did anything else slip (measure 5, 6): two sets
 * of graded rows, before and after, on pass@1 and every marker of both. A request is what the
 * options table fills; compare_read takes the rows, compare_report_make does the arithmetic in the
 * order of measure 6.1, and the report is then judged (gates) and written. Undefined numbers are
 * NaN. */
#ifndef WAI_MEASURE_COMPARE_H
#define WAI_MEASURE_COMPARE_H

#include "base/map.h"
#include "measure/ci.h"
#include "measure/gate.h"
#include "measure/keys.h"
#include "measure/runs.h"

enum { BEFORE, AFTER, SIDES };
extern const char *const SIDE_NAMES[SIDES];

/* ---- what is asked ------------------------------------------------------------------------------
 */

struct compare_request {
    const char *before, *after; /* operands */
    const char *target, *proxy, *metric, *by, *seed;
    const char *adjust;   /* "none", "holm"; NULL: none. So the next two: their defaults */
    const char *interval; /* a name of enum interval_kind */
    const char *scheme;   /* of enum boot_scheme */
    struct option_list guards, lower, markers, run_std, trained[SIDES], fail_on;
    bool no_by, balance, per_task, run_std_runs_given, level_given, alpha_given, seed_by_name;
    bool partial, merge, repeat_shards, shard_given; /* pairs.h */
    int64_t shard;
    int64_t run_std_runs, draws, min_paired;
    double alpha, level, power, ceiling, answered_gap, answered_alpha;
    struct gate_options gates;
    struct key_options keys;
    struct row_options rows;
};

/* A metric's direction or floor as options give it. */
struct named_value {
    struct span metric; /* as reports spell it */
    double value;       /* NaN: null */
};

/* The same, checked and spelt out. Borrows the request. */
struct compare_options {
    const struct compare_request *asked;
    struct span target, proxy, only; /* ptr NULL: none */
    struct span *guards;
    size_t n_guards;
    struct named_value *lower; /* value 1: lower is better */
    size_t n_lower;
    struct span *markers; /* bare names, each once */
    size_t n_markers;
    bool markers_given;
    double run_std; /* one number for every metric; NaN: none */
    struct named_value *floors;
    size_t n_floors;
    bool floors_given, run_std_from_file;
    double run_std_runs; /* NaN: not known */
    double level;
    bool holm;
    enum boot_scheme scheme;
    enum interval_kind interval; /* of paired comparisons; unpaired ones are percentile */
    struct buf seed;
    unsigned fail_on; /* bits of enum fail_on */
    struct facts_options facts;
    struct key_lists key_lists;
    struct arena arena;
};

/* Free in any case. ERROR_USAGE, or what reading --run-std @FILE met. */
int compare_options_read(const struct compare_request *request, struct compare_options *options,
                         struct error *error);
void compare_options_free(struct compare_options *options);

/* The generator of metric number `offset`, or of its name under --seed-by-name. */
void compare_seed(const struct compare_options *options, uint64_t offset, struct span name,
                  struct rng *rng);

/* ---- rows ---------------------------------------------------------------------------------------
 */

/* Rows that share a text: a run, or a slice. */
struct row_groups {
    struct map names;
    struct passat **rows;
    size_t cap;
};

enum { SLICE_KEYS_MAX = 2 };

/* A side. A verdict is the first reward key's; what only a later key holds is in `fallback`. */
struct compare_side {
    struct passat *rows, *fallback;
    struct passat *joined; /* partial summaries among the operand's lines */
    uint64_t n_fallback, n_boolean;
    struct row_groups runs;                   /* by lineage.eval_run */
    struct row_groups floors;                 /* by eval_run, of the row or its lineage */
    struct row_groups slices[SLICE_KEYS_MAX]; /* by --by, or category and slice */
    struct passat **trained;                  /* a training seed each */
    size_t n_trained;
};

struct balancing {
    bool asked;
    uint64_t dropped[SIDES], trimmed; /* rows; tasks */
};

struct compare_rows {
    struct compare_side sides[SIDES];
    const char *slice_keys[SLICE_KEYS_MAX];
    size_t n_slice_keys;
    uint64_t n_bad;
    struct balancing balancing;
    struct arena arena;
};

/* Fills *rows (free it in any case). 0 or a negative code. */
int compare_read(const struct compare_options *options, struct compare_rows *rows,
                 struct error *error);
void compare_rows_free(struct compare_rows *rows);

/* Rows to leave out so that each task has as many on both sides (6.2). */
struct drops;
int drops_find(const struct compare_options *options, struct drops **out, struct balancing *counts,
               struct error *error); /* reads both operands; those that are pipes are kept */
const char *drops_path(const struct drops *drops, int side); /* where the rows are to be read now */
bool drops_row(struct drops *drops, int side, struct span task); /* each row, in order */
void drops_free(struct drops *drops);

/* ---- the report ---------------------------------------------------------------------------------
 */

enum compare_word {
    WORD_NONE,
    WORD_MOVED,
    WORD_WRONG_WAY,
    WORD_NO_CHANGE,
    WORD_INSUFFICIENT,
    WORD_WITHIN_NOISE,
    WORD_UNREPLICATED,
    WORD_NOT_MEASURED, /* target_not_measured */
    WORD_UNRESOLVED,
    WORD_PROXY_NOT_MEASURED,
    WORD_PROXY_IS_TARGET,
};
const char *compare_word_text(enum compare_word word); /* NULL for WORD_NONE */

struct compared {
    struct span name; /* as reports spell it */
    struct task_rate *tasks[SIDES];
    size_t n[SIDES];
    struct metric_change change;
    bool lower; /* a drop is the gain */
    enum change_verdict gain;
    double run_std, noise_band;
    bool within_noise, no_floor, guarded;
    double p_adjusted; /* --adjust holm */
    double p_exact;    /* over all flips of signs; NaN: too many tasks, or not paired */
};

enum floor_source { FLOOR_NONE, FLOOR_GIVEN, FLOOR_EVAL_RUN };

struct training {
    bool asked, is_short;
    size_t count[SIDES]; /* files */
    double std[SIDES], mean[SIDES];
    double df, delta;
    struct interval ci95;
};

struct run_rates {
    struct span label; /* ptr NULL: the whole side */
    struct task_rate *tasks;
    size_t n;
    double mean;
};

struct repeats {
    struct run_rates *runs[SIDES];
    size_t n_runs[SIDES];
    struct interval range[SIDES];
    const char *pairing; /* NULL: one run a side */
    double *deltas;
    const char **tags;
    size_t *shared; /* tasks that the pair shares */
    size_t n_pairs;
    const char *pooled_tag;
    size_t agree;
};

struct compared_slice {
    struct span name;
    struct metric_change change;
    uint64_t rows[SIDES];
    bool lower, low_n, weak, weak_low, weak_no_gain;
    enum change_verdict gain;
};

/* A task of both sides, by the headline's metric. */
struct task_change {
    struct span key; /* borrows the rows */
    double before, after;
};

enum { CAUSES_MAX = 8 };

struct compare_report {
    const struct compare_options *options;
    const struct compare_rows *rows;
    struct compared *metrics;
    size_t n_metrics;
    const struct compared *headline, *target, *proxy; /* target, proxy NULL: not measured */
    struct passat_report config[SIDES];
    int64_t k[SIDES]; /* 4.1's */
    size_t n_tasks[SIDES];
    bool ok;
    const char *causes[CAUSES_MAX]; /* not comparable, in order */
    size_t n_causes;
    enum compare_word target_word, headline_verdict, gate_word, proxy_word;
    const char *headline_word; /* of measure 6.7 */
    enum floor_source floor_source;
    double run_std_df;
    size_t eval_runs[SIDES];
    bool replicated;
    struct training training;
    struct repeats repeats;
    const char *by; /* NULL: no split */
    bool by_given;
    struct compared_slice *slices; /* sorted by name */
    size_t *slice_order;           /* as printed */
    size_t n_slices;
    int64_t slice_min_tasks;
    bool ceiling, ceiling_rate, over_optimized;
    size_t n_shared, n_with_room;
    double detectable, detectable_solved, tasks_needed, tasks_needed_target;
    const char *tasks_needed_source;
    double graded_bias, answered_p;
    struct task_change *tasks;         /* --per-task: of both sides, what fell the most first */
    size_t n_per_task, n_fell, n_rose; /* those that fell stand first, those that rose last */
    struct span *degenerate;
    size_t n_degenerate;
    struct span *unmeasured;
    size_t n_unmeasured;
    struct notes notes, warnings; /* notes: what the rows hold that was not measured */
    struct gates gates;
    struct arena arena;
};

/* ERROR_USAGE: a name in --lower-is-better that is not measured. Free the report in any case; the
 * options and rows must outlive it. */
int compare_report_make(const struct compare_options *options, const struct compare_rows *rows,
                        struct compare_report *report, struct error *error);
void compare_report_free(struct compare_report *report);

void compare_json(const struct compare_report *report, struct json_writer *w);
void compare_text(const struct compare_report *report, struct buf *out);
void compare_headline(const struct compare_report *report, struct buf *out); /* one line */
int compare_ci_write(const struct compare_report *report, const struct ci_options *options,
                     struct error *error);

/* ---- gates (6.14) -------------------------------------------------------------------------------
 */

enum fail_on {
    FAIL_WRONG_WAY,
    FAIL_NO_GAIN,
    FAIL_UNREPLICATED,
    FAIL_WITHIN_NOISE,
    FAIL_INSUFFICIENT,
    FAIL_UNRESOLVED,
    FAIL_SLIPPED,
    FAIL_GROUP_DOWN,
    FAIL_WEAK_SLICE,
    FAIL_CEILING,
    FAIL_DEGENERATE_GUARD,
    FAIL_PROMPT_HASH,
    FAIL_ONS,
};
extern const char *const FAIL_ON_NAMES[FAIL_ONS];

/* What the report was asked to judge, as gates: the target, the guards, comparability, --fail-on,
 * limits on the side after. */
void compare_judge(struct compare_report *report);

/* ---- one metric (5) -----------------------------------------------------------------------------
 */

/* Compares options->only; of the report only metrics[0], notes and gates are there. */
void compare_one_make(const struct compare_options *options, const struct compare_rows *rows,
                      struct compare_report *report);
void compare_one_json(const struct compare_report *report, struct json_writer *w);
void compare_one_text(const struct compare_report *report, struct buf *out);

#endif
