/* fuzz_plan.c: rows of any content as the runs of an eval, and what is planned on them. The first
 * byte chooses how they are split, the first line is the text of --forecast and --metric. Reports
 * are JSON, rates stay between 0 and 1, ranges hold their value, and every row is in a run or is
 * counted as without one. */
#include <math.h>
#include <stdint.h>

#include "measure/plan_run.h"
#include "rows_oracle.h"

enum { SPLITS = 4, BYTES_MAX = 32 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_json(struct buf *text)
{
    struct json_value value;
    struct json_fault fault;
    REQUIRE(json_scan(buf_span(text), &value, NULL, &fault) == 0);
    buf_free(text);
}

static struct json_writer writer_of(struct buf *out)
{
    struct json_writer writer;
    json_write_start(&writer, out, JSON_STYLE_COMPACT);
    return writer;
}

static void between(double x, double low, double high)
{
    REQUIRE(isnan(x) || (low <= x && x <= high));
}

static void check_variance(const struct eval_runs *runs, const char *text)
{
    struct forecast forecast;
    struct variance_report report;
    struct error error;
    struct buf metric = {0}, json = {0}, lines = {0};
    if (forecast_read(text, &forecast, &error) < 0)
        REQUIRE(forecast_read("runs=2", &forecast, &error) == 0);
    metric_name(text, &metric);
    for (int pass = 0; pass < 2; pass++) {
        const char *name = pass ? "pass_at_1" : buf_cstr(&metric);
        eval_variance(runs, name, &forecast, &report);
        struct json_writer w = writer_of(&json);
        variance_json(&report, &w);
        variance_text(&report, &lines);
        check_json(&json);
        REQUIRE(report.n_runs <= report.n_labels && report.n_labels == runs->count);
        for (size_t i = 0; i < report.n_labels; i++) {
            REQUIRE(report.runs[i].n_tasks >= report.n_tasks_everywhere);
            if (pass)
                between(report.runs[i].mean, 0.0, 1.0);
        }
        REQUIRE(isnan(report.run_std) == (report.n_runs < 2));
        REQUIRE(!pass || !(report.run_std > 1.0));
        variance_free(&report);
    }
    buf_free(&metric);
    buf_free(&lines);
}

static void check_sizes(const struct eval_runs *runs)
{
    struct sizing_options sizing = {0.1, 0.6, 4, STAT_POWER, STAT_ALPHA, NAN, MEASURE_CEILING};
    struct power_options asked = {0.1, STAT_POWER, STAT_ALPHA, 0.2, 0.8};
    struct sizing_rows rows = {.has_before = true, .has_after = runs->count > 1};
    struct task_rate *before = NULL, *after = NULL;
    if (runs->count > 0)
        before = passat_tasks(runs->items[0].rows, SPAN("pass_at_1"), &rows.n_before);
    if (runs->count > 1)
        after = passat_tasks(runs->items[1].rows, SPAN("pass_at_1"), &rows.n_after);
    rows.before = before;
    rows.after = after;
    struct holdout_report holdout;
    struct power_report power;
    struct error error;
    struct buf json = {0}, lines = {0};
    if (holdout_size(&sizing, &rows, &holdout, &error) == 0) {
        struct json_writer w = writer_of(&json);
        holdout_json(&holdout, &w);
        holdout_text(&holdout, &lines);
        check_json(&json);
        REQUIRE(holdout.n_tasks >= MEASURE_MIN_HOLDOUT);
        between(holdout.base, 0.0, 1.0);
        between(holdout.n_tasks_low, MEASURE_MIN_HOLDOUT, holdout.n_tasks);
        between(holdout.n_tasks, 0.0,
                isnan(holdout.n_tasks_high) ? HUGE_VAL : holdout.n_tasks_high);
    }
    holdout_free(&holdout);
    REQUIRE(eval_power(&asked, before, rows.n_before, &power, &error) == 0);
    struct json_writer w = writer_of(&json);
    power_json(&power, &w);
    power_text(&power, &lines);
    check_json(&json);
    REQUIRE(power.in_band + power.tied_pass + power.tied_fail <= power.n_tasks);
    power_free(&power);
    buf_free(&lines);
    free(before);
    free(after);
}

static void check(struct span rows, enum runs_split split, const char *text)
{
    char path[32];
    int fd = memory_file(rows.ptr, rows.len);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    const char *paths[] = {path, path, path};
    struct runs_input input = {.split = split, .markers = true, .by = "kind"};
    input.source = (struct row_source){.paths = paths,
                                       .n_paths = split == RUNS_BY_OPERAND ? 3 : 1,
                                       .options = ROW_OPTIONS_DEFAULT};
    input.source.options.on_bad = "skip";
    struct eval_runs runs;
    struct error error;
    if (eval_runs_read(&input, &runs, &error) == 0) {
        uint64_t in_runs = 0;
        for (size_t i = 0; i < runs.count; i++)
            in_runs += passat_rows(runs.items[i].rows);
        REQUIRE(in_runs + runs.n_without == runs.n_rows);
        check_variance(&runs, text);
        check_sizes(&runs);
    }
    eval_runs_free(&runs);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > BYTES_MAX)
        return 0;
    struct span text = span_make((const char *)data + 1, size - 1);
    size_t end = span_find(text, SPAN("\n"), 0);
    if (end == (size_t)-1)
        return 0;
    struct buf first = {0};
    buf_span_add(&first, span_slice(text, 0, end));
    check(span_slice(text, end + 1, text.len), (enum runs_split)(data[0] % SPLITS),
          buf_cstr(&first));
    buf_free(&first);
    return 0;
}
