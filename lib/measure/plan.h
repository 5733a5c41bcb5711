/* plan.h: how much to run, and how far to trust what was run (measure 9): sizing of a holdout, what
 * a set of tasks can show, how far an eval moves by itself. Undefined numbers are NaN. Reports are
 * made, written as one JSON object or as lines for people, and freed. */
#ifndef WAI_MEASURE_PLAN_H
#define WAI_MEASURE_PLAN_H

#include "measure/runs.h"

/* ---- holdout-size (9.1) -------------------------------------------------------------------------
 */

struct sizing_options {
    double effect;       /* gain to prove, in (0, 1) */
    double base, k;      /* pass rate and tries per task, when no rows tell */
    double power, alpha; /* in (0, 1) */
    double task_std;     /* spread of one task's paired difference; NaN: not given */
    double ceiling;      /* pass rate from which a pilot has no room left */
    bool no_range;       /* leave out the range of n_tasks, whose draws take most of the time */
};

/* Tasks in first-seen order; after without before is bad usage. */
struct sizing_rows {
    bool has_before, has_after;
    const struct task_rate *before, *after;
    size_t n_before, n_after;
};

enum spread_source {
    SPREAD_MODEL, /* binomial: every task at the base rate, arms independent */
    SPREAD_GIVEN,
    SPREAD_ROWS, /* measured on paired tasks */
};

struct holdout_report {
    struct sizing_options options;
    double n_tasks; /* a whole number, perhaps beyond 64 bits */
    double base, k, task_std;
    struct interval base_ci95; /* of the before rows' rate; INTERVAL_NONE without rows */
    size_t n_before;
    enum spread_source source;
    double half_width, n_tasks_concentrated, base_spread;
    double n_paired; /* NaN: not measured on pairs */
    bool saturated;
    double n_tasks_low, n_tasks_high;
    const char *range_source; /* "paired_sd", "base_rate" or NULL */
    struct notes notes, warnings;
};

/* ERROR_USAGE: a number out of its range. ERROR_INPUT: no graded rows, too few shared tasks. O(2000
 * tasks) with rows and a range. Free the report in any case. */
int holdout_size(const struct sizing_options *options, const struct sizing_rows *rows,
                 struct holdout_report *report, struct error *error);
void holdout_free(struct holdout_report *report);
void holdout_json(const struct holdout_report *report, struct json_writer *w);
void holdout_text(const struct holdout_report *report, struct buf *out);

/* ---- detectable-effect (9.2) --------------------------------------------------------------------
 */

struct detectable_options {
    double n_tasks, base, k, power, alpha;
};

/* The equation that detectable_effect iterates, solved: right where 12 steps have not settled. NaN
 * under 2 tasks, and when no rate is left for the gain. */
double detectable_effect_solved(const struct detectable_options *options);

int detectable_check(const struct detectable_options *options, struct error *error);
void detectable_json(const struct detectable_options *options, struct json_writer *w);
void detectable_text(const struct detectable_options *options, struct buf *out);

/* ---- eval-power (9.3) ---------------------------------------------------------------------------
 */

struct power_options {
    double effect, power, alpha;
    double band_low, band_high; /* 0 <= low < high <= 1 */
};

struct power_report {
    struct power_options options;
    size_t n_tasks;
    uint64_t n_rollouts;
    double k, base, task_spread, task_std, resolvable, n_needed;
    struct interval base_ci95;
    size_t in_band, tied_pass, tied_fail, single_rollout;
    const char *verdict; /* "empty", "floored", "saturated", "underpowered", "usable" */
    struct buf reason;
    struct notes notes, warnings;
};

int eval_power(const struct power_options *options, const struct task_rate *tasks, size_t n,
               struct power_report *report, struct error *error);
void power_free(struct power_report *report);
void power_json(const struct power_report *report, struct json_writer *w);
void power_text(const struct power_report *report, struct buf *out);

/* ---- eval-variance (9.4) ------------------------------------------------------------------------
 */

struct run_mean {
    struct span label; /* borrows the runs */
    double mean;       /* over tasks; NaN: the run has none */
    struct interval ci95;
    size_t n_tasks;
};

struct metric_floor {
    struct buf metric; /* a marker's name may hold anything */
    double run_std;    /* over the runs that have a mean; NaN under 2 */
};

/* Where the spread comes from: a two-way layout with random effects over the tasks of every run
 * (Searle, Casella & McCulloch 1992, chapter 4). Variances of a pass rate. */
struct variance_components {
    bool known; /* two runs and two tasks in all of them */
    size_t n_runs, n_tasks;
    double run, task;
    double task_run; /* of a task and a run together, tries apart; with them when tries is NaN */
    double tries;    /* of the mean of a cell's tries; NaN: no cell has two, or not 0 and 1 */
    double one_try;  /* of a single try */
};

struct forecast {
    bool asked;
    double runs, tasks, tries; /* NaN: as they are */
    double run_std;            /* of one run then */
    double noise_band;         /* one run a side, the spread known from that many re-runs */
    double noise_band_runs;    /* that many runs on each side */
};

struct variance_report {
    char *metric; /* owned */
    struct run_mean *runs;
    size_t n_labels, n_runs; /* runs, and those that have a mean */
    double mean, run_std, noise_band, df;
    const char *stability; /* "very_stable", "stable", "high_variance" or NULL */
    size_t n_tasks_everywhere;
    struct metric_floor *floors;
    size_t n_floors;
    struct variance_components components;
    struct forecast forecast;
    struct notes notes, warnings;
};

/* "runs=R,tasks=T,tries=N", each once at most, in any order. ERROR_USAGE. */
int forecast_read(const char *text, struct forecast *forecast, struct error *error);

/* metric: as metric_name spells it. Runs are read with their markers. */
void eval_variance(const struct eval_runs *runs, const char *metric,
                   const struct forecast *forecast, struct variance_report *report);
void variance_free(struct variance_report *report);
void variance_json(const struct variance_report *report, struct json_writer *w);
void variance_text(const struct variance_report *report, struct buf *out);

/* ---- noise-band (9.5), interval (9.6) -----------------------------------------------------------
 */

struct band_options {
    double run_std, n_a, n_b, df, level; /* df NaN: the spread is known exactly */
    bool points;                         /* hundredths, rounded to 2 decimals */
};
void band_json(const struct band_options *options, struct json_writer *w);
void band_text(const struct band_options *options, struct buf *out);

struct interval_report {
    const char *method; /* "wilson", or how the mean of numbers was resampled */
    double value, n, level;
    struct interval interval;
    int64_t draws;    /* 0: none */
    const char *seed; /* decimal; borrow */
    struct notes notes;
};

/* A rate of `successes` in n (Wilson 1927). */
void interval_of_rate(double successes, double n, double level, struct interval_report *report);
/* The mean of numbers, JSON lines: ERROR_INPUT at a line that is no finite number. */
int interval_of_numbers(const struct row_source *source, const struct boot_options *boot,
                        struct interval_report *report, struct error *error);
void interval_free(struct interval_report *report);
void interval_json(const struct interval_report *report, struct json_writer *w);
void interval_text(const struct interval_report *report, struct buf *out);

/* ---- self-check (9.7) ---------------------------------------------------------------------------
 */

enum { SELF_CHECKS = 8 };

struct self_check_options {
    int64_t trials;
    const char *seed; /* decimal */
    int64_t draws;
    double alpha, flag_at; /* alpha in (0, 1); standard errors */
    enum interval_kind interval;
    int jobs;
};

struct self_check_result {
    const char *check, *label, *bad_side;
    int64_t hits;
    double measured, target, mc_error, errors_off;
    bool ok;
};

struct self_check_report {
    struct self_check_options options;
    struct self_check_result checks[SELF_CHECKS];
    bool ok;
};

/* The first trial of each check also goes through rows and the whole report of wai-compare.
 * ERROR_USAGE; ERROR_SYSTEM when the two do not agree to the last digit. */
int self_check(const struct self_check_options *options, struct self_check_report *report,
               struct error *error);
void self_check_json(const struct self_check_report *report, struct json_writer *w);
void self_check_text(const struct self_check_report *report, struct buf *out);

#endif
