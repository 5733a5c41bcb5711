/* plan_run.h: from what was asked of wai-plan to its report: reads the rows, measures, writes the
 * report both ways. A request is what a verb's options table fills; every function returns 0, 1 (a
 * check that was asked for is red) or a negative code. Operands are files of rows, none means
 * standard input; verbs that read none ignore them. */
#ifndef WAI_MEASURE_PLAN_RUN_H
#define WAI_MEASURE_PLAN_RUN_H

#include "measure/keys.h"
#include "measure/plan.h"

/* A report as one JSON object and as lines for people. {0} is empty; free both. */
struct plan_report {
    struct buf json, text;
};
void plan_report_free(struct plan_report *report);

/* How rows are read. */
struct plan_rows {
    struct key_options keys;
    struct row_options reader;
};

struct holdout_request {
    struct sizing_options sizing; /* k, task_std: from below */
    int64_t k;
    double task_std;
    bool effect_given, task_std_given;
    const char *before, *after;
    struct plan_rows rows;
};
int plan_holdout(const struct holdout_request *request, const struct operands *operands,
                 struct plan_report *report, struct error *error);

struct effect_request {
    double base, power, alpha;
    int64_t n_tasks, k;
    bool n_tasks_given;
};
int plan_effect(const struct effect_request *request, const struct operands *operands,
                struct plan_report *report, struct error *error);

struct power_request {
    struct power_options power; /* its band: from below, when given */
    const char *band, *fail_unless;
    struct plan_rows rows;
};
int plan_power(const struct power_request *request, const struct operands *operands,
               struct plan_report *report, struct error *error);

/* Two operands or more: a run each, unless --by names the key that splits all of them. */
struct variance_request {
    const char *metric, *by, *forecast;
    struct plan_rows rows;
};
int plan_variance(const struct variance_request *request, const struct operands *operands,
                  struct plan_report *report, struct error *error);

struct band_request {
    double run_std, level;
    int64_t n_a, n_b, df;
    bool run_std_given, df_given, points;
};
int plan_band(const struct band_request *request, const struct operands *operands,
              struct plan_report *report, struct error *error);

/* How means are resampled. */
struct plan_boot {
    int64_t draws;
    const char *seed, *kind;
};

/* successes of n, or the numbers of the operands. */
struct interval_request {
    double successes, level;
    int64_t n;
    bool successes_given, n_given;
    struct plan_boot boot;
    struct row_options reader;
};
int plan_interval(const struct interval_request *request, const struct operands *operands,
                  struct plan_report *report, struct error *error);

struct check_request {
    bool full, trials_given;
    int64_t trials, jobs;
    double alpha, flag_at;
    struct plan_boot boot;
};
int plan_check(const struct check_request *request, const struct operands *operands,
               struct plan_report *report, struct error *error);

#endif
