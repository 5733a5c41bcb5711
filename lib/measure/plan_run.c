/* plan_run.c: see plan_run.h. */
#include "measure/plan_run.h"

#include <math.h>
#include <stdlib.h>

#include "measure/seed.h"

void plan_report_free(struct plan_report *report)
{
    buf_free(&report->json);
    buf_free(&report->text);
}

static struct json_writer start(struct plan_report *report)
{
    struct json_writer writer;
    json_write_start(&writer, &report->json, JSON_STYLE_COMPACT);
    return writer;
}

static int required(const char *option, const char *example, struct error *error)
{
    return error_set(error, ERROR_USAGE, "--%s is required, as in --%s %s", option, option,
                     example);
}

static int check_level(double level, struct error *error)
{
    return level > 0.0 && level < 1.0
               ? 0
               : error_set(error, ERROR_USAGE, "--level must lie between 0 and 1, both left out");
}

static enum interval_kind kind_of(const struct plan_boot *boot)
{
    return *boot->kind == 't'   ? INTERVAL_T
           : *boot->kind == 'b' ? INTERVAL_BCA
                                : INTERVAL_PERCENTILE;
}

static int read_rows(const struct plan_rows *rows, const char *const *paths, size_t n_paths,
                     struct runs_input *input, struct eval_runs *runs, struct error *error)
{
    struct key_lists lists = {0};
    input->source =
        (struct row_source){.paths = paths, .n_paths = n_paths, .options = rows->reader};
    int code = key_lists_read(&rows->keys, &lists, &input->facts, error);
    if (code == 0)
        code = eval_runs_read(input, runs, error);
    key_lists_free(&lists);
    return code;
}

static struct task_rate *rates(const struct eval_runs *runs, size_t run, size_t *n)
{
    return passat_tasks(runs->items[run].rows, SPAN("pass_at_1"), n);
}

/* ---- sizes --------------------------------------------------------------------------------------
 */

static int size_holdout(const struct holdout_request *q, const struct eval_runs *runs,
                        struct plan_report *out, struct error *error)
{
    struct sizing_options sizing = q->sizing;
    sizing.k = (double)q->k;
    sizing.task_std = q->task_std_given ? q->task_std : NAN;
    struct sizing_rows rows = {.has_before = q->before != NULL, .has_after = q->after != NULL};
    struct task_rate *before = q->before ? rates(runs, 0, &rows.n_before) : NULL;
    struct task_rate *after = q->before && q->after ? rates(runs, 1, &rows.n_after) : NULL;
    rows.before = before;
    rows.after = after;
    struct holdout_report report;
    int code = holdout_size(&sizing, &rows, &report, error);
    if (code == 0) {
        struct json_writer w = start(out);
        eval_runs_warn(runs, &report.warnings);
        holdout_json(&report, &w);
        holdout_text(&report, &out->text);
    }
    holdout_free(&report);
    free(before);
    free(after);
    return code;
}

int plan_holdout(const struct holdout_request *q, const struct operands *operands,
                 struct plan_report *out, struct error *error)
{
    struct eval_runs runs = {0};
    const char *paths[] = {q->before, q->after};
    struct runs_input input = {.split = RUNS_BY_OPERAND};
    (void)operands;
    int code = q->effect_given ? 0 : required("effect", "0.05", error);
    if (code == 0 && q->before)
        code = read_rows(&q->rows, paths, q->after ? 2 : 1, &input, &runs, error);
    if (code == 0)
        code = size_holdout(q, &runs, out, error);
    eval_runs_free(&runs);
    return code;
}

int plan_effect(const struct effect_request *q, const struct operands *operands,
                struct plan_report *out, struct error *error)
{
    struct detectable_options asked = {(double)q->n_tasks, q->base, (double)q->k, q->power,
                                       q->alpha};
    (void)operands;
    int code =
        q->n_tasks_given ? detectable_check(&asked, error) : required("n-tasks", "140", error);
    if (code < 0)
        return code;
    struct json_writer w = start(out);
    detectable_json(&asked, &w);
    detectable_text(&asked, &out->text);
    return 0;
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

static int judge_power(const struct power_options *asked, const char *fail_unless,
                       const struct eval_runs *runs, struct plan_report *out, struct error *error)
{
    struct power_report report;
    size_t n;
    struct task_rate *tasks = rates(runs, 0, &n);
    int code = eval_power(asked, tasks, n, &report, error);
    if (code == 0) {
        struct json_writer w = start(out);
        eval_runs_warn(runs, &report.warnings);
        power_json(&report, &w);
        power_text(&report, &out->text);
        code = fail_unless && strcmp(report.verdict, fail_unless) != 0;
    }
    power_free(&report);
    free(tasks);
    return code;
}

int plan_power(const struct power_request *q, const struct operands *operands,
               struct plan_report *out, struct error *error)
{
    struct eval_runs runs = {0};
    struct runs_input input = {.split = RUNS_TOGETHER};
    struct power_options asked = q->power;
    int code = q->band ? band_read("band", q->band, &asked.band_low, &asked.band_high, error) : 0;
    if (code == 0)
        code = read_rows(&q->rows, operands->items, operands->count, &input, &runs, error);
    if (code == 0)
        code = judge_power(&asked, q->fail_unless, &runs, out, error);
    eval_runs_free(&runs);
    return code;
}

static void report_variance(const struct variance_request *q, const struct forecast *forecast,
                            const struct eval_runs *runs, struct plan_report *out)
{
    struct buf metric = {0};
    struct variance_report report;
    struct json_writer w = start(out);
    metric_name(q->metric, &metric);
    eval_variance(runs, buf_cstr(&metric), forecast, &report);
    variance_json(&report, &w);
    variance_text(&report, &out->text);
    variance_free(&report);
    buf_free(&metric);
}

int plan_variance(const struct variance_request *q, const struct operands *operands,
                  struct plan_report *out, struct error *error)
{
    struct eval_runs runs = {0};
    struct forecast forecast;
    struct runs_input input = {.markers = true, .by = q->by};
    input.split = q->by ? RUNS_BY_KEY : operands->count >= 2 ? RUNS_BY_OPERAND : RUNS_BY_STAMP;
    int code = forecast_read(q->forecast, &forecast, error);
    if (code == 0)
        code = read_rows(&q->rows, operands->items, operands->count, &input, &runs, error);
    if (code == 0)
        report_variance(q, &forecast, &runs, out);
    eval_runs_free(&runs);
    return code;
}

/* ---- bands and intervals ------------------------------------------------------------------------
 */

int plan_band(const struct band_request *q, const struct operands *operands,
              struct plan_report *out, struct error *error)
{
    struct band_options band = {.run_std = q->run_std,
                                .n_a = (double)q->n_a,
                                .n_b = (double)q->n_b,
                                .df = q->df_given ? (double)q->df : NAN,
                                .level = q->level,
                                .points = q->points};
    (void)operands;
    int code =
        q->run_std_given ? check_level(q->level, error) : required("run-std", "0.0125", error);
    if (code < 0)
        return code;
    struct json_writer w = start(out);
    band_json(&band, &w);
    band_text(&band, &out->text);
    return 0;
}

static int check_interval(const struct interval_request *q, const struct operands *operands,
                          struct error *error)
{
    if (q->successes_given != q->n_given)
        return error_set(error, ERROR_USAGE, "--successes and --n go together");
    if (q->successes_given && operands->count)
        return error_set(error, ERROR_USAGE,
                         "the numbers in %s, or --successes and --n: one or the other",
                         operands->items[0]);
    if (q->successes_given && q->successes > (double)q->n)
        return error_set(error, ERROR_USAGE, "--successes %g of --n %lld: more passes than tries",
                         q->successes, (long long)q->n);
    return check_level(q->level, error);
}

static int measure(const struct interval_request *q, const struct operands *operands,
                   const char *seed, struct interval_report *report, struct error *error)
{
    struct rng rng;
    if (q->successes_given) {
        interval_of_rate(q->successes, (double)q->n, q->level, report);
        return 0;
    }
    seed_start(seed, 0, &rng);
    struct row_source source = {
        .paths = operands->items, .n_paths = operands->count, .options = q->reader};
    struct boot_options boot = {&rng, q->boot.draws, q->level, kind_of(&q->boot)};
    int code = interval_of_numbers(&source, &boot, report, error);
    report->seed = seed;
    return code;
}

int plan_interval(const struct interval_request *q, const struct operands *operands,
                  struct plan_report *out, struct error *error)
{
    struct buf seed = {0};
    struct interval_report report = {0};
    int code = check_interval(q, operands, error);
    if (code == 0)
        code = seed_read(q->boot.seed, &seed, error);
    if (code == 0)
        code = measure(q, operands, buf_cstr(&seed), &report, error);
    if (code == 0) {
        struct json_writer w = start(out);
        interval_json(&report, &w);
        interval_text(&report, &out->text);
    }
    interval_free(&report);
    buf_free(&seed);
    return code;
}

int plan_check(const struct check_request *q, const struct operands *operands,
               struct plan_report *out, struct error *error)
{
    struct buf seed = {0};
    struct self_check_report report;
    (void)operands;
    int code = seed_read(q->boot.seed, &seed, error);
    struct self_check_options asked = {
        .trials = q->full && !q->trials_given ? SELF_CHECK_TRIALS_FULL : q->trials,
        .seed = buf_cstr(&seed),
        .draws = q->boot.draws,
        .alpha = q->alpha,
        .flag_at = q->flag_at,
        .interval = kind_of(&q->boot),
        .jobs = (int)q->jobs};
    if (code == 0)
        code = self_check(&asked, &report, error);
    if (code == 0) {
        struct json_writer w = start(out);
        self_check_json(&report, &w);
        self_check_text(&report, &out->text);
        code = !report.ok;
    }
    buf_free(&seed);
    return code;
}
