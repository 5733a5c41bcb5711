/* plan_variance.c: how far an eval moves when nothing changed (measure 9.4): the spread of the
 * means of its runs, and where that spread comes from. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/options.h"
#include "measure/passat.h"
#include "measure/plan.h"
#include "measure/plan_write.h"
#include "text/number.h"
#include "text/term.h"

/* A run's tasks by one metric. */
struct tasks {
    struct task_rate *items;
    size_t count;
};

static struct tasks *tasks_of_runs(const struct eval_runs *runs, struct span metric)
{
    struct tasks *tasks = mem_zero(runs->count, sizeof *tasks);
    for (size_t i = 0; i < runs->count; i++)
        tasks[i].items = passat_tasks(runs->items[i].rows, metric, &tasks[i].count);
    return tasks;
}

static void free_tasks(struct tasks *tasks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(tasks[i].items);
    free(tasks);
}

static double *rates_of(const struct tasks *tasks)
{
    double *rates = mem_zero(tasks->count, sizeof *rates);
    for (size_t i = 0; i < tasks->count; i++)
        rates[i] = tasks->items[i].mean;
    return rates;
}

/* The means of the runs that have one. */
static size_t run_means(const struct tasks *tasks, size_t n_runs, double *means)
{
    size_t n = 0;
    for (size_t i = 0; i < n_runs; i++) {
        double *rates = rates_of(&tasks[i]);
        if (tasks[i].count)
            means[n++] = stat_mean(rates, tasks[i].count);
        free(rates);
    }
    return n;
}

/* ---- a floor per metric -------------------------------------------------------------------------
 */

static int by_text(const void *left, const void *right)
{
    const struct metric_floor *a = left, *b = right;
    return span_compare(buf_span(&a->metric), buf_span(&b->metric));
}

static void add_floor(const struct eval_runs *runs, struct span metric,
                      struct variance_report *report)
{
    struct tasks *tasks = tasks_of_runs(runs, metric);
    double *means = mem_zero(runs->count, sizeof *means);
    size_t n = run_means(tasks, runs->count, means);
    struct metric_floor *floor = &report->floors[report->n_floors++];
    buf_span_add(&floor->metric, metric);
    floor->run_std = stat_sd_pow(means, n);
    free(means);
    free_tasks(tasks, runs->count);
}

static bool on_every_run(const struct eval_runs *runs, struct span marker)
{
    for (size_t i = 0; i < runs->count; i++)
        if (map_find(&runs->items[i].rows->marker_names, marker) == MAP_NONE)
            return false;
    return true;
}

/* pass_at_1, the markers of every run by name, and the metric itself. */
static void add_floors(const struct eval_runs *runs, struct variance_report *report)
{
    const struct map *names = runs->count ? &runs->items[0].rows->marker_names : NULL;
    size_t most = names ? names->count : 0;
    report->floors = mem_zero(most + 2, sizeof *report->floors);
    add_floor(runs, SPAN("pass_at_1"), report);
    struct buf metric = {0};
    for (size_t i = 0; i < most; i++) {
        if (!on_every_run(runs, names->keys[i]))
            continue;
        buf_clear(&metric);
        buf_text(&metric, "marker:");
        buf_span_add(&metric, names->keys[i]);
        add_floor(runs, buf_span(&metric), report);
    }
    qsort(report->floors + 1, report->n_floors - 1, sizeof *report->floors, by_text);
    bool there = false;
    for (size_t i = 0; i < report->n_floors; i++)
        there |= span_is(buf_span(&report->floors[i].metric), report->metric);
    if (!there)
        add_floor(runs, span_text(report->metric), report);
    buf_free(&metric);
}

/* ---- tasks of every run -------------------------------------------------------------------------
 */

/* The tasks that all runs have, with a cell for each run. */
struct layout {
    struct map tasks; /* of any run */
    size_t n_everywhere;
    const struct task_rate **cells; /* [task * n_runs + run] of the n_everywhere tasks */
};

static void layout_make(const struct tasks *tasks, size_t n_runs, struct layout *out)
{
    *out = (struct layout){0};
    for (size_t run = 0; run < n_runs; run++)
        for (size_t i = 0; i < tasks[run].count; i++)
            map_add(&out->tasks, tasks[run].items[i].key, NULL);
    out->cells = mem_zero(out->tasks.count * n_runs, sizeof *out->cells);
    for (size_t run = 0; run < n_runs; run++)
        for (size_t i = 0; i < tasks[run].count; i++) {
            size_t task = map_find(&out->tasks, tasks[run].items[i].key);
            out->cells[task * n_runs + run] = &tasks[run].items[i];
        }
    for (size_t task = 0; task < out->tasks.count; task++) {
        bool full = true;
        for (size_t run = 0; run < n_runs; run++)
            full &= out->cells[task * n_runs + run] != NULL;
        if (full)
            memmove(out->cells + out->n_everywhere++ * n_runs, out->cells + task * n_runs,
                    n_runs * sizeof *out->cells);
    }
}

static void layout_free(struct layout *layout)
{
    map_free(&layout->tasks);
    free(layout->cells);
}

/* ---- components ---------------------------------------------------------------------------------
 */

static double variance(const double *values, size_t n)
{
    double mean = stat_mean(values, n), sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sum / (double)(n - 1);
}

/* What is left of a cell's mean once its run and its task are taken off: squares per degree of
 * freedom. */
static double residual(const struct layout *l, size_t n_runs, const double *by_run,
                       const double *by_task)
{
    double mean = stat_mean(by_run, n_runs), sum = 0.0;
    for (size_t task = 0; task < l->n_everywhere; task++)
        for (size_t run = 0; run < n_runs; run++) {
            double left = l->cells[task * n_runs + run]->mean - by_run[run] - by_task[task] + mean;
            sum += left * left;
        }
    return sum / ((double)(n_runs - 1) * (double)(l->n_everywhere - 1));
}

/* Within cells of two tries or more, for values of 0 and 1. */
static void tries(const struct layout *l, size_t n_runs, struct variance_components *c)
{
    double of_mean = 0.0, of_try = 0.0;
    size_t cells = 0;
    for (size_t i = 0; i < l->n_everywhere * n_runs; i++) {
        double n = (double)l->cells[i]->n, y = l->cells[i]->mean;
        if (n < 2.0)
            continue;
        of_mean += y * (1.0 - y) / (n - 1.0);
        of_try += n * y * (1.0 - y) / (n - 1.0);
        cells++;
    }
    c->tries = cells ? of_mean / (double)cells : NAN;
    c->one_try = cells ? of_try / (double)cells : NAN;
}

/* Every value of the metric is 0 or 1. */
static bool binary(const struct eval_runs *runs, const char *metric)
{
    if (strcmp(metric, "pass_at_1") == 0)
        return true;
    for (size_t i = 0; i < runs->count; i++) {
        const struct passat *p = runs->items[i].rows;
        size_t number = map_find(&p->marker_names, span_text(metric + strlen("marker:")));
        if (number != MAP_NONE &&
            p->markers[number].n_at_0 + p->markers[number].n_at_1 != p->markers[number].n_rows)
            return false;
    }
    return true;
}

static double above_zero(double x)
{
    return x > 0.0 ? x : 0.0;
}

static void components_make(const struct eval_runs *runs, const struct layout *l,
                            struct variance_report *report)
{
    size_t n_runs = runs->count, n_tasks = l->n_everywhere;
    struct variance_components *c = &report->components;
    *c = (struct variance_components){
        .n_runs = n_runs, .n_tasks = n_tasks, .tries = NAN, .one_try = NAN};
    c->known = n_runs >= 2 && n_tasks >= 2;
    if (!c->known)
        return;
    double *by_run = mem_zero(n_runs, sizeof *by_run),
           *by_task = mem_zero(n_tasks, sizeof *by_task);
    for (size_t task = 0; task < n_tasks; task++)
        for (size_t run = 0; run < n_runs; run++) {
            by_run[run] += l->cells[task * n_runs + run]->mean;
            by_task[task] += l->cells[task * n_runs + run]->mean;
        }
    for (size_t run = 0; run < n_runs; run++)
        by_run[run] /= (double)n_tasks;
    for (size_t task = 0; task < n_tasks; task++)
        by_task[task] /= (double)n_runs;
    double square = residual(l, n_runs, by_run, by_task);
    c->run = above_zero(variance(by_run, n_runs) - square / (double)n_tasks);
    c->task = above_zero(variance(by_task, n_tasks) - square / (double)n_runs);
    if (binary(runs, report->metric))
        tries(l, n_runs, c);
    c->task_run = isnan(c->tries) ? square : above_zero(square - c->tries);
    free(by_run);
    free(by_task);
}

/* ---- forecast -----------------------------------------------------------------------------------
 */

static double *forecast_field(struct forecast *f, struct span name)
{
    return span_is(name, "runs")    ? &f->runs
           : span_is(name, "tasks") ? &f->tasks
           : span_is(name, "tries") ? &f->tries
                                    : NULL;
}

/* One NAME=COUNT. */
static bool forecast_item(struct span item, struct forecast *f)
{
    size_t equals = span_find(item, SPAN("="), 0);
    if (equals == (size_t)-1)
        return false;
    double *field = forecast_field(f, span_slice(item, 0, equals));
    if (!field || !isnan(*field))
        return false;
    struct buf digits = {0};
    buf_span_add(&digits, span_slice(item, equals + 1, item.len));
    int64_t count;
    bool ok = option_read_int(buf_cstr(&digits), &count) == 0 &&
              count >= (field == &f->runs ? 2 : 1) && count <= MEASURE_FORECAST_MAX;
    *field = ok ? (double)count : NAN;
    buf_free(&digits);
    return ok;
}

int forecast_read(const char *text, struct forecast *f, struct error *error)
{
    *f = (struct forecast){.asked = text != NULL, .runs = NAN, .tasks = NAN, .tries = NAN};
    struct span rest = span_text(text);
    while (text) {
        size_t comma = span_find(rest, SPAN(","), 0);
        bool last = comma == (size_t)-1;
        if (!forecast_item(last ? rest : span_slice(rest, 0, comma), f))
            return error_set(error, ERROR_USAGE,
                             "--forecast %s: write runs=R,tasks=T,tries=N, those that change, with "
                             "at least 2 runs",
                             text);
        if (last)
            break;
        rest = span_slice(rest, comma + 1, rest.len);
    }
    return 0;
}

static void forecast_make(struct variance_report *report)
{
    struct forecast *f = &report->forecast;
    const struct variance_components *c = &report->components;
    f->run_std = f->noise_band = f->noise_band_runs = NAN;
    bool unknown_tries = !isnan(f->tries) && isnan(c->one_try);
    if (!c->known || unknown_tries) {
        notes_add(
            &report->warnings, "no_forecast",
            unknown_tries
                ? "no task has two tries that are 0 or 1, so what more tries would change is "
                  "not known"
                : "a forecast needs two runs with two tasks in both; run the same tasks again");
        return;
    }
    double n_tasks = isnan(f->tasks) ? (double)c->n_tasks : f->tasks;
    double n_runs = isnan(f->runs) ? (double)c->n_runs : f->runs;
    double within = isnan(c->tries) ? 0.0 : isnan(f->tries) ? c->tries : c->one_try / f->tries;
    f->run_std = sqrt(c->run + (c->task_run + within) / n_tasks);
    f->noise_band = stat_noise_band(f->run_std, 1.0, 1.0, n_runs - 1.0, STAT_LEVEL);
    f->noise_band_runs =
        stat_noise_band(f->run_std, n_runs, n_runs, 2.0 * (n_runs - 1.0), STAT_LEVEL);
}

/* ---- the report ---------------------------------------------------------------------------------
 */

static void notes_make(const struct eval_runs *runs, const struct tasks *tasks,
                       struct variance_report *report)
{
    if (runs->n_without)
        notes_add(
            &report->notes, "rows_without_run",
            "%llu rows name no run and are left out; give each run a file of its own, or name "
            "the key with --by",
            (unsigned long long)runs->n_without);
    if (report->n_runs < MEASURE_MIN_RERUNS)
        notes_add(&report->notes, "few_runs",
                  "%zu %s with a mean: two are a difference, and a spread worth reading needs %d; "
                  "run the eval again",
                  report->n_runs, report->n_runs == 1 ? "run" : "runs", MEASURE_MIN_RERUNS);
    bool same = true;
    for (size_t i = 0; i < runs->count; i++)
        same &= tasks[i].count == report->n_tasks_everywhere;
    if (!same)
        notes_add(&report->notes, "different_tasks",
                  "the runs do not hold the same tasks (%zu are in every run), so their means "
                  "differ by more than chance; run the same tasks",
                  report->n_tasks_everywhere);
}

static void spread_make(struct variance_report *report, const double *means)
{
    report->mean = stat_mean(means, report->n_runs);
    report->run_std = stat_sd_pow(means, report->n_runs);
    if (isnan(report->run_std))
        return;
    report->df = (double)(report->n_runs - 1);
    report->noise_band = stat_noise_band(report->run_std, 1.0, 1.0, report->df, STAT_LEVEL);
    double points = 100.0 * report->run_std;
    report->stability = points < MEASURE_VERY_STABLE_POINTS ? "very_stable"
                        : points < MEASURE_STABLE_POINTS    ? "stable"
                                                            : "high_variance";
}

void eval_variance(const struct eval_runs *runs, const char *metric,
                   const struct forecast *forecast, struct variance_report *report)
{
    *report = (struct variance_report){.metric = mem_text(metric),
                                       .n_labels = runs->count,
                                       .noise_band = NAN,
                                       .df = NAN,
                                       .forecast = *forecast};
    struct tasks *tasks = tasks_of_runs(runs, span_text(metric));
    double *means = mem_zero(runs->count, sizeof *means);
    report->n_runs = run_means(tasks, runs->count, means);
    report->runs = mem_zero(runs->count, sizeof *report->runs);
    for (size_t i = 0; i < runs->count; i++) {
        double *rates = rates_of(&tasks[i]);
        report->runs[i] = (struct run_mean){runs->items[i].label, stat_mean(rates, tasks[i].count),
                                            plan_ci95(rates, tasks[i].count), tasks[i].count};
        free(rates);
    }
    spread_make(report, means);
    add_floors(runs, report);
    struct layout layout;
    layout_make(tasks, runs->count, &layout);
    report->n_tasks_everywhere = layout.n_everywhere;
    components_make(runs, &layout, report);
    notes_make(runs, tasks, report);
    eval_runs_warn(runs, &report->warnings);
    if (forecast->asked)
        forecast_make(report);
    layout_free(&layout);
    free(means);
    free_tasks(tasks, runs->count);
}

void variance_free(struct variance_report *report)
{
    for (size_t i = 0; i < report->n_floors; i++)
        buf_free(&report->floors[i].metric);
    free(report->floors);
    free(report->metric);
    free(report->runs);
    notes_free(&report->notes);
    notes_free(&report->warnings);
}

static double rounded(double x)
{
    return isnan(x) ? NAN : number_round(x, MEASURE_SHARE_DIGITS);
}

static void write_components(const struct variance_report *r, struct json_writer *w)
{
    const struct variance_components *c = &r->components;
    json_write_key(w, "components");
    if (!c->known) {
        json_write_null(w);
        return;
    }
    json_write_object(w);
    plan_write_whole(w, "n_runs", (double)c->n_runs);
    plan_write_whole(w, "n_tasks", (double)c->n_tasks);
    plan_write_real(w, "run", c->run);
    plan_write_real(w, "task", c->task);
    plan_write_real(w, "task_run", c->task_run);
    plan_write_real(w, "tries", c->tries);
    plan_write_real(w, "one_try", c->one_try);
    json_write_end_object(w);
}

static void write_forecast(const struct variance_report *r, struct json_writer *w)
{
    const struct forecast *f = &r->forecast;
    if (!f->asked)
        return;
    json_write_key(w, "forecast");
    json_write_object(w);
    plan_write_whole(w, "runs", f->runs);
    plan_write_whole(w, "tasks", f->tasks);
    plan_write_whole(w, "tries", f->tries);
    plan_write_rounded(w, "run_std", f->run_std, MEASURE_SHARE_DIGITS);
    plan_write_rounded(w, "noise_band", f->noise_band, MEASURE_SHARE_DIGITS);
    plan_write_rounded(w, "noise_band_runs", f->noise_band_runs, MEASURE_SHARE_DIGITS);
    json_write_end_object(w);
}

void variance_json(const struct variance_report *r, struct json_writer *w)
{
    plan_write_report(w, "eval-variance");
    plan_write_text(w, "metric", r->metric);
    plan_write_whole(w, "n_runs", (double)r->n_runs);
    json_write_key(w, "means");
    json_write_object(w);
    for (size_t i = 0; i < r->n_labels; i++) {
        json_write_key_span(w, r->runs[i].label);
        json_write_real(w, rounded(r->runs[i].mean));
    }
    json_write_end_object(w);
    json_write_key(w, "means_ci95");
    json_write_object(w);
    for (size_t i = 0; i < r->n_labels; i++) {
        json_write_key_span(w, r->runs[i].label);
        interval_write(r->runs[i].ci95, w);
    }
    json_write_end_object(w);
    plan_write_rounded(w, "mean", r->mean, MEASURE_SHARE_DIGITS);
    plan_write_rounded(w, "run_std", r->run_std, MEASURE_SHARE_DIGITS);
    json_write_key(w, "run_std_by_metric");
    json_write_object(w);
    for (size_t i = 0; i < r->n_floors; i++) {
        json_write_key_span(w, buf_span(&r->floors[i].metric));
        json_write_real(w, rounded(r->floors[i].run_std));
    }
    json_write_end_object(w);
    plan_write_rounded(w, "run_std_points", 100.0 * r->run_std, MEASURE_POINT_DIGITS);
    plan_write_rounded(w, "noise_band", r->noise_band, MEASURE_SHARE_DIGITS);
    plan_write_whole(w, "noise_band_df", r->df);
    plan_write_text(w, "stability", r->stability);
    plan_write_whole(w, "tasks_in_every_run", (double)r->n_tasks_everywhere);
    write_components(r, w);
    write_forecast(r, w);
    plan_write_notes(w, &r->notes, &r->warnings);
    json_write_end_object(w);
}

static void component_lines(const struct variance_report *r, struct buf *out)
{
    const struct variance_components *c = &r->components;
    const struct forecast *f = &r->forecast;
    if (c->known) {
        buf_format(out, "spread (sd): runs %.4f, tasks %.4f, task by run %.4f", sqrt(c->run),
                   sqrt(c->task), sqrt(c->task_run));
        if (isnan(c->one_try))
            buf_text(out, " with tries in it\n");
        else
            buf_format(out, ", one try %.4f\n", sqrt(c->one_try));
    }
    if (f->asked && !isnan(f->run_std))
        buf_format(out,
                   "forecast: run_std %.4f; band %.4f one run a side, %.4f as many runs on each "
                   "side\n",
                   f->run_std, f->noise_band, f->noise_band_runs);
}

void variance_text(const struct variance_report *r, struct buf *out)
{
    term_add(out, span_text(r->metric));
    buf_byte(out, ' ');
    plan_rate(out, r->mean, INTERVAL_NONE);
    buf_format(out, " over %zu %s", r->n_runs, r->n_runs == 1 ? "run" : "runs");
    if (r->stability) {
        buf_format(out, ", run_std %.2f points: %s\n", 100.0 * r->run_std, r->stability);
        buf_format(out,
                   "a change of one run against one has to pass %.4f to be more than re-running "
                   "(%.0f%%, df %.0f)\n",
                   r->noise_band, 100.0 * STAT_LEVEL, r->df);
    } else {
        buf_text(out, ", no spread\n");
    }
    for (size_t i = 0; i < r->n_labels; i++) {
        buf_text(out, "run ");
        term_add(out, r->runs[i].label);
        buf_byte(out, ' ');
        plan_rate(out, r->runs[i].mean, r->runs[i].ci95);
        buf_format(out, "  %zu %s\n", r->runs[i].n_tasks,
                   r->runs[i].n_tasks == 1 ? "task" : "tasks");
    }
    for (size_t i = 0; i < r->n_floors; i++)
        if (!isnan(r->floors[i].run_std)) {
            buf_text(out, "run_std ");
            term_add(out, buf_span(&r->floors[i].metric));
            buf_format(out, " %.4f\n", r->floors[i].run_std);
        }
    component_lines(r, out);
    plan_note_lines(out, &r->notes, &r->warnings);
}
