/* plan_holdout.c: how many paired tasks prove a gain (measure 9.1): the two-sided power calculation
 * with the spread of one task's paired difference, which is measured, given, or modelled. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/plan.h"
#include "measure/plan_write.h"
#include "text/number.h"

/* ---- the calculation ----------------------------------------------------------------------------
 */

static double quantiles(const struct sizing_options *o)
{
    return stat_normal_inverse(1.0 - o->alpha / 2.0) + stat_normal_inverse(o->power);
}

static double tasks_for(const struct sizing_options *o, double spread)
{
    if (!(spread > 0.0))
        return MEASURE_MIN_HOLDOUT;
    double n = ceil(stat_pow2(quantiles(o) * spread / o->effect));
    return n > MEASURE_MIN_HOLDOUT ? n : MEASURE_MIN_HOLDOUT;
}

static bool open_unit(double x)
{
    return x > 0.0 && x < 1.0;
}

static int check(const struct sizing_options *o, const struct sizing_rows *rows,
                 struct error *error)
{
    if (!open_unit(o->effect))
        return error_set(error, ERROR_USAGE,
                         "--effect %g: the gain lies between 0 and 1, both left out, as in 0.05",
                         o->effect);
    if (!open_unit(o->power) || !open_unit(o->alpha) || 1.0 - o->alpha / 2.0 == 1.0)
        return error_set(error, ERROR_USAGE,
                         "--power %g, --alpha %g: each lies between 0 and 1, both left out",
                         o->power, o->alpha);
    if (rows->has_after && !rows->has_before)
        return error_set(error, ERROR_USAGE,
                         "--after needs --before, whose tasks it is paired with");
    if (!isnan(o->task_std) && !(o->task_std > 0.0))
        return error_set(error, ERROR_USAGE, "--task-std %g: a spread is above 0", o->task_std);
    if (!isfinite(stat_pow2(quantiles(o) / o->effect)))
        return error_set(error, ERROR_USAGE,
                         "--effect %g is too small a gain to count the tasks for", o->effect);
    return 0;
}

/* ---- what the rows say --------------------------------------------------------------------------
 */

/* The rates that the report stands on, and those that are resampled for its range. */
struct pilot {
    double *rates; /* before */
    size_t n_rates;
    double *base; /* before, of shared tasks */
    double *differences;
    size_t n_paired;
};

static double smallest(const struct task_rate *tasks, size_t n)
{
    uint64_t least = n ? tasks[0].n : 0;
    for (size_t i = 1; i < n; i++)
        least = tasks[i].n < least ? tasks[i].n : least;
    return (double)least;
}

static int by_key(const void *left, const void *right)
{
    const struct task_rate *a = left, *b = right;
    return span_compare(a->key, b->key);
}

static struct task_rate *sorted(const struct task_rate *tasks, size_t n)
{
    struct task_rate *copy = mem_zero(n, sizeof *copy);
    if (n)
        memcpy(copy, tasks, n * sizeof *copy);
    qsort(copy, n, sizeof *copy, by_key);
    return copy;
}

static void pair_up(const struct sizing_rows *rows, struct pilot *pilot, double *k)
{
    struct task_rate *a = sorted(rows->before, rows->n_before);
    struct task_rate *b = sorted(rows->after, rows->n_after);
    uint64_t least = UINT64_MAX;
    pilot->base = mem_zero(rows->n_before, sizeof(double));
    pilot->differences = mem_zero(rows->n_before, sizeof(double));
    for (size_t i = 0, j = 0; i < rows->n_before && j < rows->n_after;) {
        int order = span_compare(a[i].key, b[j].key);
        if (order == 0) {
            pilot->base[pilot->n_paired] = a[i].mean;
            pilot->differences[pilot->n_paired++] = b[j].mean - a[i].mean;
            least = a[i].n < least ? a[i].n : least;
            least = b[j].n < least ? b[j].n : least;
        }
        i += order <= 0;
        j += order >= 0;
    }
    *k = (double)least;
    free(a);
    free(b);
}

static int read_before(const struct sizing_rows *rows, struct pilot *pilot,
                       struct holdout_report *r, struct error *error)
{
    if (!rows->has_before)
        return 0;
    if (rows->n_before == 0)
        return error_set(
            error, ERROR_INPUT,
            "the rows before carry no verdict of 0 or 1; grade them first (wai-grade), "
            "or give --base and --k");
    pilot->n_rates = rows->n_before;
    pilot->rates = mem_zero(rows->n_before, sizeof(double));
    for (size_t i = 0; i < rows->n_before; i++)
        pilot->rates[i] = rows->before[i].mean;
    r->base = stat_mean(pilot->rates, pilot->n_rates);
    r->k = smallest(rows->before, rows->n_before);
    r->base_spread = stat_sd(pilot->rates, pilot->n_rates);
    r->n_before = rows->n_before;
    return 0;
}

static int read_pairs(const struct sizing_rows *rows, struct pilot *pilot, struct holdout_report *r,
                      struct error *error)
{
    double k;
    pair_up(rows, pilot, &k);
    if (pilot->n_paired < MEASURE_MIN_PAIRED_SD)
        return error_set(error, ERROR_INPUT,
                         "%zu graded tasks are both before and after, and a paired spread needs "
                         "%d; run both sides on the same tasks, or give --task-std",
                         pilot->n_paired, MEASURE_MIN_PAIRED_SD);
    r->source = SPREAD_ROWS;
    r->task_std = stat_sd(pilot->differences, pilot->n_paired);
    r->base = stat_mean(pilot->base, pilot->n_paired);
    r->k = k;
    r->n_paired = (double)pilot->n_paired;
    r->n_before = pilot->n_paired;
    notes_add(&r->notes, "sd_measured",
              "the spread %.3f is that of the paired differences of %zu tasks: nothing is modelled",
              r->task_std, pilot->n_paired);
    return 0;
}

/* A pilot without room, or without spread, collapses the formula instead of answering it. */
static void set_saturated(struct holdout_report *r)
{
    const struct sizing_options *o = &r->options;
    r->saturated = true;
    if (r->base >= o->ceiling)
        notes_add(
            &r->warnings, "saturated_ceiling",
            "the rows pass at %.2f, at or above %.2f, and leave nothing to measure: the "
            "count is the model's at a rate of %.2f; take harder tasks (a rate in %.1f..%.1f) "
            "and size again",
            r->base, o->ceiling, MEASURE_BASE_RATE, MEASURE_BAND_LOW, MEASURE_BAND_HIGH);
    else
        notes_add(&r->warnings, "saturated_degenerate",
                  "every task moved by the same amount, which is no evidence of how tasks differ: "
                  "the count is the model's at a rate of %.2f; take more tasks and tries and size "
                  "again",
                  MEASURE_BASE_RATE);
    r->task_std = stat_sd_uniform(MEASURE_BASE_RATE, o->effect, r->k);
    r->source = SPREAD_MODEL;
    r->n_paired = NAN;
}

static void note_model(struct holdout_report *r, const struct pilot *pilot)
{
    const struct sizing_options *o = &r->options;
    double base = r->saturated ? MEASURE_BASE_RATE : r->base;
    r->n_tasks_concentrated = tasks_for(o, stat_sd_concentrated(base, o->effect, r->k));
    notes_add(&r->notes, "model_assumptions",
              "%.0f tasks are enough when the gain is spread evenly and the sides are independent; "
              "carried by as few tasks as can carry it, it needs %.0f; rows of an earlier eval "
              "(--before and --after) measure which",
              r->n_tasks, r->n_tasks_concentrated);
    if (!(r->base_spread > 0.0) || r->saturated)
        return;
    double ratio = stat_spread_ratio(pilot->rates, pilot->n_rates);
    if (isnan(ratio))
        notes_add(&r->notes, "spread_ratio",
                  "every task is a sure pass or a sure fail, so the model's independent sides say "
                  "little of pairs; add rows --after");
    else
        notes_add(&r->notes, "spread_ratio",
                  "the tasks' rates spread by %.3f: the model asks for %.2f times the tasks that "
                  "pairs need, unless a few tasks carry the gain; rows --after decide it",
                  r->base_spread, ratio);
}

/* ---- the range ----------------------------------------------------------------------------------
 */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The count again on tasks drawn with replacement from the pilot's. */
static void set_range(struct holdout_report *r, const double *pool, size_t n)
{
    struct rng rng;
    rng_seed(&rng, 0);
    size_t *index = mem_zero(n, sizeof *index);
    double *drawn = mem_zero(n, sizeof *drawn);
    double *counts = mem_zero(STAT_BOOT_DRAWS, sizeof *counts);
    bool paired = r->source == SPREAD_ROWS;
    for (int draw = 0; draw < STAT_BOOT_DRAWS; draw++) {
        rng_choices(&rng, n, n, index);
        for (size_t i = 0; i < n; i++)
            drawn[i] = pool[index[i]];
        double spread = paired ? stat_sd(drawn, n)
                               : stat_sd_uniform(stat_mean(drawn, n), r->options.effect, r->k);
        counts[draw] = tasks_for(&r->options, spread);
    }
    qsort(counts, STAT_BOOT_DRAWS, sizeof *counts, by_value);
    int64_t low, high;
    boot_positions(STAT_BOOT_DRAWS, STAT_LEVEL, &low, &high);
    r->n_tasks_low = fmin(r->n_tasks, counts[low]);
    r->n_tasks_high = fmax(r->n_tasks, counts[high]);
    r->range_source = paired ? "paired_sd" : "base_rate";
    free(index);
    free(drawn);
    free(counts);
}

static void resample(struct holdout_report *r, const struct pilot *pilot)
{
    bool paired = r->source == SPREAD_ROWS;
    const double *pool = paired ? pilot->differences : pilot->rates;
    size_t n = paired ? pilot->n_paired : pilot->n_rates;
    if (n < STAT_INTERVAL_VALUES || r->options.no_range)
        return;
    if (!r->saturated && r->source != SPREAD_GIVEN)
        set_range(r, pool, n);
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

static int size_up(const struct sizing_rows *rows, struct pilot *pilot, struct holdout_report *r,
                   struct error *error)
{
    const struct sizing_options *o = &r->options;
    int code = read_before(rows, pilot, r, error);
    if (code < 0)
        return code;
    if (rows->has_after) {
        if ((code = read_pairs(rows, pilot, r, error)) < 0)
            return code;
    } else if (!isnan(o->task_std)) {
        r->source = SPREAD_GIVEN;
        r->task_std = o->task_std;
        notes_add(&r->notes, "sd_given", "the spread %.3f was given: nothing is modelled",
                  r->task_std);
    } else {
        r->task_std = stat_sd_uniform(r->base, o->effect, r->k);
    }
    if (rows->has_before && r->source != SPREAD_GIVEN &&
        (r->base >= o->ceiling || r->task_std <= 0.0))
        set_saturated(r);
    r->n_tasks = tasks_for(o, r->task_std);
    resample(r, pilot);
    if (r->source == SPREAD_MODEL)
        note_model(r, pilot);
    r->half_width =
        number_round(stat_normal_inverse(1.0 - o->alpha / 2.0) * r->task_std / sqrt(r->n_tasks),
                     MEASURE_SHARE_DIGITS);
    if (rows->has_before)
        r->base_ci95 = rows->has_after ? plan_ci95(pilot->base, pilot->n_paired)
                                       : plan_ci95(pilot->rates, pilot->n_rates);
    return 0;
}

int holdout_size(const struct sizing_options *options, const struct sizing_rows *rows,
                 struct holdout_report *report, struct error *error)
{
    *report = (struct holdout_report){.options = *options,
                                      .base = options->base,
                                      .k = options->k,
                                      .base_ci95 = INTERVAL_NONE,
                                      .n_tasks_concentrated = NAN,
                                      .base_spread = NAN,
                                      .n_paired = NAN,
                                      .n_tasks_low = NAN,
                                      .n_tasks_high = NAN};
    struct pilot pilot = {0};
    int code = check(options, rows, error);
    if (code == 0)
        code = size_up(rows, &pilot, report, error);
    free(pilot.rates);
    free(pilot.base);
    free(pilot.differences);
    return code;
}

void holdout_free(struct holdout_report *report)
{
    notes_free(&report->notes);
    notes_free(&report->warnings);
}

/* ---- the report ---------------------------------------------------------------------------------
 */

static const char *source_name(enum spread_source source)
{
    return source == SPREAD_ROWS ? "rows" : source == SPREAD_GIVEN ? "given" : "model";
}

static void range_method(const struct holdout_report *r, struct buf *out)
{
    buf_format(out, "%s of %zu tasks, drawn again %d times, %.0f%%",
               r->source == SPREAD_ROWS ? "the paired differences" : "the pass rates", r->n_before,
               STAT_BOOT_DRAWS, 100.0 * STAT_LEVEL);
}

void holdout_json(const struct holdout_report *r, struct json_writer *w)
{
    plan_write_report(w, "holdout-size");
    plan_write_whole(w, "n_tasks", r->n_tasks);
    plan_write_real(w, "effect", r->options.effect);
    plan_write_real(w, "base", r->base);
    plan_write_interval(w, "base_ci95", r->base_ci95);
    plan_write_whole(w, "k", r->k);
    plan_write_real(w, "power", r->options.power);
    plan_write_real(w, "alpha", r->options.alpha);
    plan_write_rounded(w, "task_std", r->task_std, MEASURE_SHARE_DIGITS);
    plan_write_text(w, "sd_source", source_name(r->source));
    plan_write_real(w, "half_width", r->half_width);
    plan_write_whole(w, "n_tasks_concentrated", r->n_tasks_concentrated);
    plan_write_rounded(w, "base_spread", r->base_spread, MEASURE_SHARE_DIGITS);
    plan_write_whole(w, "n_paired", r->n_paired);
    plan_write_bool(w, "saturated", r->saturated);
    plan_write_whole(w, "n_tasks_low", r->n_tasks_low);
    plan_write_whole(w, "n_tasks_high", r->n_tasks_high);
    struct buf method = {0};
    range_method(r, &method);
    plan_write_text(w, "n_tasks_range_method", r->range_source ? buf_cstr(&method) : NULL);
    plan_write_text(w, "n_tasks_range_source", r->range_source);
    plan_write_notes(w, &r->notes, &r->warnings);
    json_write_end_object(w);
    buf_free(&method);
}

void holdout_text(const struct holdout_report *r, struct buf *out)
{
    const struct sizing_options *o = &r->options;
    buf_format(out, "%.0f tasks", r->n_tasks);
    if (r->range_source) {
        buf_format(out, " [%.0f..%.0f]  (", r->n_tasks_low, r->n_tasks_high);
        range_method(r, out);
        buf_byte(out, ')');
    }
    buf_format(out, "\nprove a gain of %g at %.0f tries per task, power %g, alpha %g\n", o->effect,
               r->k, o->power, o->alpha);
    buf_text(out, "base rate ");
    plan_rate(out, r->base, r->base_ci95);
    if (r->n_before)
        buf_format(out, "  %zu %s", r->n_before, r->n_before == 1 ? "task" : "tasks");
    buf_format(out,
               "\nspread of a task's paired difference %.4f (%s); the change is known to +-%.4f at "
               "that size\n",
               r->task_std, source_name(r->source), r->half_width);
    plan_note_lines(out, &r->notes, &r->warnings);
}
