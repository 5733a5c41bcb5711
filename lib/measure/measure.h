/* measure.h: how good the rows are: pass rates of a run, one metric before and after, sizing
 * (measure 4, 5, 9). Undefined numbers are NaN, undefined intervals INTERVAL_NONE (stat/stat.h). */
#ifndef WAI_MEASURE_MEASURE_H
#define WAI_MEASURE_MEASURE_H

#include "base/error.h"
#include "measure/defaults.h"
#include "measure/facts.h"
#include "measure/notes.h"
#include "stat/stat.h"

/* ---- pass rates: what is kept of the rows (4.1, 4.2, 4.4)
 * ------------------------------------------ */

/* Counts per task, per marker, and how the rows were made. Memory grows with the tasks (times
 * markers), not with the rows. */
struct passat;

struct passat_options {
    bool markers;                    /* keep marker values */
    const char *const *marker_names; /* only these, without `marker:`; NULL: all that rows carry */
    size_t n_marker_names;
    uint64_t shard; /* number of the shard that the rows are */
};

struct passat *passat_new(const struct passat_options *options); /* options are copied */
void passat_free(struct passat *p);

void passat_add(struct passat *p, const struct row_facts *facts);
void passat_add_bad(struct passat *p, uint64_t lines); /* lines that were skipped or moved */

/* Adds what `from` counted, with the position of every row, so that the report is that of one pass
 * over the shards in shard order. `into` takes no rows from then on. ERROR_INPUT when both hold the
 * same shard (double counting), unless repeat_shards, or when one kept other markers. One that took
 * no row has no shard. */
int passat_merge(struct passat *into, const struct passat *from, bool repeat_shards,
                 struct error *error);

uint64_t passat_rows(const struct passat *p); /* rows taken */

/* ---- mergeable summaries (12) -------------------------------------------------------------------
 */

/* Which keys the counts were read from; two summaries only join when these agree. */
struct passat_keys {
    struct facts_keys reward, task;
    bool bool_rewards;
    bool hashed;     /* tasks go by the hash of their keys */
    bool histograms; /* reading: summaries by hist, which have no tasks, are taken too */
};

/* Keeps only how many tasks have each pair of tries and passes, and sketches of the markers drawn by
 * boot: a few kB whatever the tasks. Joining such summaries is right when no task has rows in two of
 * them. ERROR_INPUT when a marker's value does not fit a sketch. */
int passat_to_hist(struct passat *p, const struct boot_options *boot, struct error *error);
bool passat_by_hist(const struct passat *p);

/* ERROR_INPUT when a sketch in it was drawn otherwise than boot says. */
int passat_check_sketches(const struct passat *p, const struct boot_options *boot,
                          struct error *error);
uint64_t passat_next_shard(const struct passat *p); /* above all in it */

/* One JSON line (without its newline); the keys of its objects are sorted by code point. */
void passat_partial_write(const struct passat *p, const struct passat_keys *keys, struct buf *out);

bool passat_partial_is(struct json_value value); /* an object that has `wai_partial` */

/* Reads one. ERROR_INPUT: a clause that says what is wrong with it. */
struct passat *passat_partial_read(struct json_value value, const struct passat_keys *keys,
                                   struct error *error);

/* ---- the report of pass rates
 * ----------------------------------------------------------------------- */

struct passat_settings {
    int64_t k;                /* tries drawn; 0: the smallest group of two or more */
    int64_t min_k;            /* under it the k-way numbers are withheld */
    bool unanimous_short;     /* a unanimous group shorter than k stays unanimous */
    struct boot_options boot; /* with the scheme asked for */
    bool signal;
    double band_low, band_high;
    bool anytime;        /* a confidence sequence of pass_at_1 too; gates on an end take it */
    const char *cluster; /* the key that facts read clusters by, or NULL */
};

/* The confidence sequence of pass_at_1 over tasks in first-seen order. */
struct anytime_report {
    struct interval interval;
    int decided; /* have all limits on pass_at_1 been ruled out: 1, 0, or -1 without a limit */
    size_t decided_at; /* tasks after which they were */
};

/* The error of pass_at_1 when tasks of one source go together. */
struct cluster_report {
    size_t n_clusters;
    size_t n_alone;  /* tasks without a cluster: each is one of its own */
    uint64_t n_rows; /* that name another cluster than the first row of their task */
    struct clustered error;
};

/* The three rates, and how they came about. */
struct pass_rates {
    int64_t k;
    double pass_at_1, pass_pow_k, pass_at_k, headroom;
    size_t n_groups, n_groups_at_k, n_groups_imputed;
    struct interval ci95, pass_pow_k_ci95, pass_at_k_ci95;
    struct normal_check normal; /* of pass_at_1, with intervals */
};

struct task_rate {
    struct span key; /* borrows the passat */
    uint64_t n;      /* verdicts */
    double sum;      /* passes, or the sum of a marker */
    double mean;
    uint64_t times; /* tasks that it stands for: 1, except the cells of a histogram */
};

struct setting_report {
    struct span json; /* the one value, or empty: none or several; borrows the passat */
    bool mixed;
};

struct marker_report {
    struct span name; /* without `marker:`; borrows the passat */
    size_t n_tasks;
    uint64_t n_rows, n_rows_at_1, n_rows_at_0, n_nonfinite;
    size_t n_split; /* tasks whose rows several shards held */
    double mean;
    struct interval ci95;
    enum boot_scheme scheme; /* that drew it */
    bool degenerate;
    struct notes notes;
};

struct signal_report {
    size_t n_groups, n_single, n_mixed, n_all_zero, n_all_one, n_in_band;
    double mixed_rate;
    struct pass_rates rates;
};

struct passat_report {
    struct pass_rates rates;
    uint64_t n_rows; /* with a verdict; n_fallback of them from a later reward key */
    uint64_t n_fallback, n_partial, n_boolean, n_unjudged, n_input, n_bad;
    struct interval ci95_rule; /* Wilson on tasks, when ci95 has no width */
    struct setting_report settings[SETTINGS];
    double truncated_share, answered_share, unclosed_think_share, graded_share;
    enum boot_scheme scheme; /* of the rates' intervals */
    struct anytime_report anytime;
    struct cluster_report cluster;
    bool has_anytime, has_cluster;
    bool checked; /* tasks enough for the normal approximation to be worth a line */
    struct task_rate
        *tasks; /* in first-seen order; none of a histogram, whose tasks have no keys */
    size_t n_tasks;
    struct marker_report *markers; /* sorted by name */
    size_t n_markers;
    bool has_markers, has_signal;
    struct signal_report signal;
    struct notes notes, warnings;
};

/* Call passat_report_free. The passat must outlive the report. */
void passat_report_make(const struct passat *p, const struct passat_settings *settings,
                        struct passat_report *report);
void passat_report_free(struct passat_report *report);

void signal_write(const struct signal_report *signal, struct json_writer *w); /* one object */

/* A metric's name as reports spell it: pass_at_1, pass_pow_k, …, marker:NAME. */
struct metric_value {
    double value;             /* NaN: not measured */
    struct interval interval; /* INTERVAL_NONE when it has none */
    bool resampled; /* it is a mean over tasks: without an interval it is not known how well */
    size_t n_tasks;
    bool judged; /* rows with verdicts (or the marker) stand behind it */
};

/* false: no metric has that name. */
bool passat_metric(const struct passat_report *report, struct span name, struct metric_value *out);
extern const char *const PASSAT_METRICS[]; /* ends with NULL; markers come besides */

struct passat_slice {
    struct span name;
    struct passat_report report;
};

struct metric_change;

/* What a whole run of wai-passat says. */
struct passat_view {
    const struct passat_report *report;
    const struct passat_settings *settings;
    const char *seed; /* decimal */
    bool markers;     /* print them */
    bool per_task;
    const struct passat_slice *slices; /* sorted by name; NULL: not asked */
    size_t n_slices;
    bool sliced;
    const struct metric_change *change; /* against a baseline; NULL: none */
    const struct gates *gates;          /* gate.h */
};

/* Whether a gate may name it: a metric, or (sliced) SLICE/METRIC. ERROR_USAGE lists the names. */
int passat_metric_check(struct span name, bool sliced, struct error *error);
struct span passat_metric_marker(struct span name); /* the marker that it reads; ptr NULL: none */
void passat_view_metric(void *view, struct span name, struct metric_value *out); /* a gate_lookup */

void passat_headline(const struct passat_report *report,
                     struct buf *out);                                   /* one line, no newline */
void passat_json(const struct passat_view *view, struct json_writer *w); /* one object */
void passat_text(const struct passat_view *view, struct buf *out);       /* lines */

/* ---- one metric, before and after (5) -----------------------------------------------------------
 */

enum change_verdict {
    CHANGE_INSUFFICIENT, /* insufficient_data */
    CHANGE_B_BETTER,     /* b_better */
    CHANGE_A_BETTER,     /* a_better */
    CHANGE_NONE,         /* no_difference_detected */
};
const char *change_verdict_text(enum change_verdict verdict);

struct change_options {
    struct boot_options boot;
    int64_t min_paired; /* tasks on both sides from which the comparison is paired */
    bool rates;         /* few distinct values: boot.scheme may be hist; else it is exact */
};

struct metric_change {
    bool paired;
    size_t n_a, n_b, n_paired, n_only_a, n_only_b, n_used;
    double paired_share;
    double mean_a, mean_b;               /* over all tasks of the side */
    double mean_a_paired, mean_b_paired; /* over the tasks of both */
    double delta, level, p_value;
    struct interval ci95;
    enum boot_scheme scheme; /* that drew the interval and the flips */
    enum change_verdict verdict;
    int sign_agree; /* does p say what the interval says: 1, 0, or -1 without a p */
    struct notes notes;
};

/* a, b: the sides' tasks in first-seen order (only key and mean are read). Free the notes. */
void compare_metric(const struct task_rate *a, size_t n_a, const struct task_rate *b, size_t n_b,
                    const struct change_options *options, struct metric_change *out);

/* How the rows of a side were made (4.2), as "config" has it: an object. n_tasks, k: of its label
 * groups. */
void config_write(const struct passat_report *report, size_t n_tasks, int64_t k,
                  struct json_writer *w);

/* Section 5's keys into an open object. */
void metric_change_write(const struct metric_change *change, struct span metric,
                         struct json_writer *w);

/* ---- sizing (9.2) -------------------------------------------------------------------------------
 */

/* Smallest paired gain that n_tasks tasks of k tries each can show with that power, from a pass
 * rate of base, rounded to 4 decimals; NaN under 2 tasks. */
double detectable_effect(double n_tasks, double base, double k, double power, double alpha);

/* An interval as a report writes it: [low, high] or null. */
void interval_write(struct interval interval, struct json_writer *w);

#endif
