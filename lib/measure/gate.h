/* gate.h: checks on a report that turn the exit status (measure 11). A value meets a limit on
 * unrounded doubles with 1e-12 of slack; what was not measured is red. All gates are judged, all
 * are reported. */
#ifndef WAI_MEASURE_GATE_H
#define WAI_MEASURE_GATE_H

#include "base/options.h"
#include "measure/measure.h"

struct gate {
    char *metric;     /* owned */
    const char *rule; /* the option's name; of a baseline, its rule */
    double limit;     /* NaN: none */
    const char *on;   /* "point", "lower", "upper": which number was compared */
    double value;
    struct interval interval;
    size_t n_tasks;
    bool red;
    const char *reason; /* code: why it is red; "" when it is not */
    char *text;         /* one sentence, safe to show; owned */
};

/* `struct gates g = {0}` is empty. */
struct gates {
    struct gate *items;
    size_t count, cap;
};

void gates_free(struct gates *gates);
size_t gates_red(const struct gates *gates);
void gates_write(const struct gates *gates, struct json_writer *w); /* "gates": […] */

/* A green gate to fill in: no limit, no value, on the point. Its text is to be set (owned). */
struct gate *gates_add(struct gates *gates, struct span metric, const char *rule);

/* Looks a metric up; *out is filled in any case (a NaN when there is none). */
typedef void gate_lookup(void *context, struct span metric, struct metric_value *out);

struct gate_options {
    struct option_list fail_under, fail_over; /* [METRIC=]LIMIT */
    const char *on;
    int64_t min_tasks;
    double min_graded;
    bool min_tasks_given, min_graded_given, strict;
};

/* Rows of a tool's options table. */
/* clang-format off */
#define GATE_OPTIONS(type, field)                                                                     \
    {.kind = OPTION_LIST, .name = "fail-under", .offset = offsetof(type, field.fail_under),           \
     .arg = "[METRIC=]X", .help = "red when METRIC (pass_at_1) is under X; repeatable"},              \
    {.kind = OPTION_LIST, .name = "fail-over", .offset = offsetof(type, field.fail_over),             \
     .arg = "[METRIC=]X", .help = "red when METRIC is over X; repeatable"},                           \
    {.kind = OPTION_CHOICE, .name = "gate-on", .offset = offsetof(type, field.on),                    \
     .choices = "point|lower|upper", .help = "which number meets the limit: the value (point), or an end of its interval"}, \
    {.kind = OPTION_INT, .name = "min-tasks", .offset = offsetof(type, field.min_tasks), .arg = "N",  \
     .help = "red when fewer than N tasks carry a verdict", .seen = offsetof(type, field.min_tasks_given), .max = 1e15}, \
    {.kind = OPTION_REAL, .name = "min-graded", .offset = offsetof(type, field.min_graded), .arg = "X", \
     .help = "red when less than this share of the rows is graded", .seen = offsetof(type, field.min_graded_given), .max = 1}, \
    {.kind = OPTION_FLAG, .name = "strict", .offset = offsetof(type, field.strict),                   \
     .help = "red on any warning"}
/* clang-format on */

/* One of fail_under, fail_over, split: the metric's name and the limit. ERROR_USAGE when it reads
 * wrong. */
int gate_read(const char *text, struct span *metric, double *limit, struct error *error);

/* The gates that options name, on what the lookup finds. n_tasks: of the report. */
void gates_judge(const struct gate_options *options, gate_lookup *lookup, void *context,
                 struct gates *gates);

/* Whether, and after how many tasks, the confidence sequence has ruled out every limit that options set
 * on pass_at_1; into report->anytime. */
void gates_decide(const struct gate_options *options, double level, struct passat_report *report);

/* --strict: each warning is a red gate of its own; without one, a green gate says so. judged: some
 * row carries a verdict; when none does, that is red too. */
void gates_strict(const struct notes *warnings, bool judged, struct gates *gates);

/* ---- against a baseline -------------------------------------------------------------------------
 */

enum baseline_rule {
    BASELINE_REGRESS,     /* red: significantly worse, beyond the noise band */
    BASELINE_NONINFERIOR, /* red: a loss of `margin` is not excluded */
    BASELINE_DROP,        /* red: the point fell by more than `margin` */
};

struct baseline_options {
    enum baseline_rule rule;
    double margin;       /* pass rate */
    double run_std;      /* spread of one run's mean; NaN: not known */
    double run_std_runs; /* runs behind it; NaN: taken as exact */
};

void gate_baseline(const struct metric_change *change, const char *metric,
                   const struct baseline_options *options, struct gates *gates);

#endif
