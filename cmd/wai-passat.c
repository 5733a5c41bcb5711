/* wai-passat: pass rates of graded rows, each with its interval, and gates on them. Rows (or
 * partial summaries) go into one struct passat, that into a report, the report to standard output
 * and to the files that are asked for; room measure does the work. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/signals.h"
#include "measure/baseline.h"
#include "measure/ci.h"
#include "measure/keys.h"
#include "measure/partial_options.h"
#include "measure/seed.h"

struct options {
    int64_t k, min_k, n_boot;
    bool unanimous_short, per_task, signal, anytime, json;
    struct partial_options parts;
    const char *seed, *interval, *markers, *band, *by, *report, *scheme, *cluster;
    struct key_options keys;
    double level;
    struct gate_options gates;
    const char *baseline, *baseline_rule, *save_baseline;
    double margin, run_std;
    int64_t run_std_runs;
    bool run_std_given, run_std_runs_given, baseline_option;
    struct ci_options ci;
    struct row_options rows;
};

#define AT(field)   .offset = offsetof(struct options, field)
#define SEEN(field) .seen = offsetof(struct options, field)

/* clang-format off */
static const struct option OPTIONS[] = {
    {.kind = OPTION_INT, .letter = 'k', .name = "k", AT(k), .arg = "N", .min = 1, .max = 1e9,
     .help = "tries drawn for pass^k and pass@k (the smallest group of two or more)"},
    {.kind = OPTION_INT, .name = "min-k", AT(min_k), .arg = "N", .max = 1e9,
     .help = "under this k, pass^k and pass@k are withheld (4)"},
    {.kind = OPTION_FLAG, .name = "unanimous-short", AT(unanimous_short),
     .help = "a task with fewer than k tries that all agree counts as staying so"},
    {.kind = OPTION_OPTIONAL, .name = "markers", AT(markers), .arg = "LIST",
     .help = "a summary per marker, or of those in the list NAME,NAME"},
    {.kind = OPTION_FLAG, .name = "per-task", AT(per_task), .help = "the pass rate of each task"},
    {.kind = OPTION_FLAG, .name = "signal", AT(signal),
     .help = "how many tasks are mixed, and so can teach"},
    {.kind = OPTION_TEXT, .name = "band", AT(band), .arg = "LO,HI",
     .help = "difficulty band of --signal (0.2,0.8)"},
    {.kind = OPTION_TEXT, .name = "by", AT(by), .arg = "KEY",
     .help = "the same report for each value of KEY of the rows"},
    {.kind = OPTION_TEXT, .name = "task-key", AT(keys.task), .arg = "KEY,KEY",
     .help = "keys that name a task, the first that says something (scenario_id,task_id,prompt)"},
    {.kind = OPTION_TEXT, .name = "reward-key", AT(keys.reward), .arg = "KEY,KEY",
     .help = "keys that hold the verdict, the first that is 0 or 1 (reward,qwen_reward)"},
    {.kind = OPTION_FLAG, .name = "bool-rewards", AT(keys.bool_rewards),
     .help = "count true and false as 1 and 0"},
    {.kind = OPTION_INT, .name = "n-boot", AT(n_boot), .arg = "N", .min = 1, .max = MEASURE_DRAWS_MAX,
     .help = "replicates behind an interval (2000)"},
    {.kind = OPTION_TEXT, .name = "seed", AT(seed), .arg = "N", .help = "seed of the draws (0)"},
    {.kind = OPTION_REAL, .name = "level", AT(level), .arg = "X", .max = 1,
     .help = "coverage of the intervals (0.95)"},
    {.kind = OPTION_CHOICE, .name = "interval", AT(interval), .choices = "percentile|t|bca",
     .help = "how intervals are made (percentile)"},
    {.kind = OPTION_CHOICE, .name = "scheme", AT(scheme), .choices = "auto|exact|hist|poisson",
     .help = "how replicates are drawn: exact up to 200,000 tasks (auto)"},
    {.kind = OPTION_FLAG, .name = "anytime", AT(anytime),
     .help = "an interval that holds at every look, so that a run may stop when its gate is decided"},
    {.kind = OPTION_TEXT, .name = "cluster", AT(cluster), .arg = "KEY",
     .help = "the error when tasks of one KEY go together"},
    GATE_OPTIONS(struct options, gates),
    {.kind = OPTION_TEXT, .name = "baseline", AT(baseline), .arg = "FILE", .file = true,
     .help = "compare with another run: rows, a partial summary, or a report with per_task"},
    {.kind = OPTION_CHOICE, .name = "baseline-rule", AT(baseline_rule), SEEN(baseline_option),
     .choices = "regress|noninferior|drop", .help = "when the comparison is red (regress)"},
    {.kind = OPTION_REAL, .name = "margin", AT(margin), .arg = "X", .max = 1, SEEN(baseline_option),
     .help = "loss that noninferior and drop put up with (0.05)"},
    {.kind = OPTION_REAL, .name = "run-std", AT(run_std), .arg = "X", .max = 1e9, SEEN(run_std_given),
     .help = "spread of this eval's mean from run to run; regress is not red inside its band"},
    {.kind = OPTION_INT, .name = "run-std-runs", AT(run_std_runs), .arg = "N", .min = 2, .max = 1e9,
     SEEN(run_std_runs_given), .help = "runs that --run-std was taken from"},
    {.kind = OPTION_TEXT, .name = "save-baseline", AT(save_baseline), .arg = "FILE", .file = true,
     .help = "write what --baseline reads"},
    CI_OPTIONS(struct options, ci),
    PARTIAL_OPTIONS(struct options, parts),
    {.kind = OPTION_FLAG, .name = "json", AT(json), .help = "the report as one JSON object"},
    {.kind = OPTION_TEXT, .name = "report", AT(report), .arg = "FILE", .file = true,
     .help = "that object in FILE too"},
    ROW_OPTIONS(struct options, rows),
    {0},
};
/* clang-format on */

static const struct command COMMAND = {
    .name = "wai-passat",
    .synopsis = "[OPTIONS] [FILE...]",
    .purpose = "pass@1, pass^k and pass@k of graded rows, with intervals over tasks; a gate for CI",
    .options = OPTIONS,
    .examples = "wai-passat scored.jsonl\n"
                "wai-passat --fail-under 0.5 --gate-on lower --min-tasks 20 scored.jsonl\n"
                "wai-passat --baseline main.json --junit gates.xml scored.jsonl\n",
    .exit_status = "1    a gate is red: every gate is judged and printed\n",
};

/* What the options come to. */
struct plan {
    const struct options *o;
    struct passat_input input;
    struct passat_settings settings;
    struct baseline_options against;
    struct baseline baseline;
    struct rng rng;
    struct buf seed;
    struct key_lists keys;
    struct option_list markers;
    struct arena names;
};

/* ---- options ------------------------------------------------------------------------------------
 */

static void list_add(struct plan *plan, struct option_list *list, struct span item)
{
    list->items = mem_grow(list->items, &list->cap, list->count + 1, sizeof *list->items);
    list->items[list->count++] = arena_span(&plan->names, item).ptr;
}

/* NAME,NAME of --markers into the list. */
static int split_markers(struct plan *plan, const char *text, struct error *error)
{
    for (struct span item; option_next_piece(&text, &item);) {
        if (span_starts(item, SPAN("marker:")))
            item = span_slice(item, strlen("marker:"), item.len);
        if (item.len == 0)
            return error_set(error, ERROR_USAGE, "--markers has an empty name; write NAME,NAME");
        list_add(plan, &plan->markers, item);
    }
    return 0;
}

static int read_band(const char *text, double *low, double *high, struct error *error)
{
    int code = text ? band_read("band", text, low, high, error) : 0;
    if (code == 0 && !(*low >= 0 && *low <= *high && *high <= 1))
        return error_set(error, ERROR_USAGE, "--band %s: write LO,HI with 0 <= LO <= HI <= 1",
                         text);
    return code;
}

/* Gates name metrics; the markers among them have to be kept. */
static int check_gates(struct plan *plan, const struct option_list *list, struct error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        struct span metric;
        double limit;
        int code = gate_read(list->items[i], &metric, &limit, error);
        if (code == 0)
            code = passat_metric_check(metric, plan->o->by != NULL, error);
        if (code < 0)
            return code;
        struct span marker = passat_metric_marker(metric);
        if (marker.ptr)
            list_add(plan, &plan->markers, marker);
    }
    return 0;
}

static int plan_markers(struct plan *plan, struct error *error)
{
    const struct options *o = plan->o;
    struct passat_options *keep = &plan->input.keep;
    int code = 0;
    if (o->markers && *o->markers)
        code = split_markers(plan, o->markers, error);
    if (code == 0)
        code = check_gates(plan, &o->gates.fail_under, error);
    if (code == 0)
        code = check_gates(plan, &o->gates.fail_over, error);
    bool all = (o->markers && !*o->markers) || (o->parts.merge && plan->markers.count > 0);
    keep->markers = all || plan->markers.count > 0;
    keep->marker_names = all || plan->markers.count == 0 ? NULL : plan->markers.items;
    keep->n_marker_names = keep->marker_names ? plan->markers.count : 0;
    return code;
}

static bool gated(const struct options *o)
{
    return o->gates.fail_under.count || o->gates.fail_over.count || o->gates.min_tasks_given ||
           o->gates.min_graded_given || o->gates.strict || o->baseline;
}

/* The option that summaries without tasks cannot serve. */
static const char *needs_tasks(const struct options *o)
{
    return o->per_task         ? "--per-task"
           : o->ci.junit_tasks ? "--junit-tasks"
           : o->baseline       ? "--baseline"
           : o->save_baseline  ? "--save-baseline"
           : o->anytime        ? "--anytime"
                               : NULL;
}

static int check_together(const struct options *o, struct error *error)
{
    if (!(o->level > 0 && o->level < 1))
        return error_set(error, ERROR_USAGE, "--level must lie between 0 and 1, both left out");
    if (o->parts.partial && (gated(o) || o->by || o->ci.junit || o->ci.summary || o->save_baseline))
        return error_set(error, ERROR_USAGE,
                         "--partial prints a summary and no report: gates, slices "
                         "and CI outputs belong to the run with --merge");
    if ((o->parts.merge || o->parts.state) && o->by)
        return error_set(error, ERROR_USAGE, "--by needs rows: a partial summary has no slices");
    if (o->cluster && (o->parts.merge || o->parts.state || o->parts.partial))
        return error_set(error, ERROR_USAGE,
                         "--cluster needs rows: a partial summary does not keep clusters");
    if (o->parts.hash_keys && (o->per_task || o->ci.junit_tasks))
        return error_set(error, ERROR_USAGE,
                         "--hash-keys leaves no names of tasks for --per-task and --junit-tasks");
    if (o->parts.merge && o->markers && *o->markers)
        return error_set(error, ERROR_USAGE,
                         "--markers=LIST chooses when summaries are written; with "
                         "--merge give --markers alone");
    if (!o->baseline && (o->baseline_option || o->run_std_given || o->run_std_runs_given))
        return error_set(error, ERROR_USAGE,
                         "--baseline-rule, --margin and --run-std need --baseline FILE");
    if (o->run_std_runs_given && !o->run_std_given)
        return error_set(error, ERROR_USAGE, "--run-std-runs needs --run-std");
    return ci_check(&o->ci, error);
}

static int make_plan(struct plan *plan, struct error *error)
{
    const struct options *o = plan->o;
    int code = check_together(o, error);
    if (code == 0)
        code = key_lists_read(&o->keys, &plan->keys, &plan->input.facts, error);
    if (code == 0)
        code = seed_read(o->seed, &plan->seed, error);
    if (code == 0)
        code = plan_markers(plan, error);
    struct passat_settings *settings = &plan->settings;
    *settings = (struct passat_settings){.k = o->k,
                                         .min_k = o->min_k,
                                         .unanimous_short = o->unanimous_short,
                                         .signal = o->signal,
                                         .band_low = MEASURE_BAND_LOW,
                                         .band_high = MEASURE_BAND_HIGH};
    if (code == 0)
        code = read_band(o->band, &settings->band_low, &settings->band_high, error);
    if (code < 0)
        return code;
    seed_start(buf_cstr(&plan->seed), 0, &plan->rng);
    settings->boot =
        (struct boot_options){.start = &plan->rng, .draws = o->n_boot, .level = o->level};
    settings->boot.kind = *o->interval == 't'   ? INTERVAL_T
                          : *o->interval == 'b' ? INTERVAL_BCA
                                                : INTERVAL_PERCENTILE;
    settings->boot.scheme = boot_scheme_named(o->scheme);
    settings->boot.jobs = (int)o->rows.jobs;
    plan->against = (struct baseline_options){
        .rule = *o->baseline_rule == 'n'   ? BASELINE_NONINFERIOR
                : *o->baseline_rule == 'd' ? BASELINE_DROP
                                           : BASELINE_REGRESS,
        .margin = o->margin,
        .run_std = o->run_std_given ? o->run_std : NAN,
        .run_std_runs = o->run_std_runs_given ? (double)o->run_std_runs : NAN};
    plan->input.facts.by = o->by;
    plan->input.facts.cluster = settings->cluster = o->cluster;
    settings->anytime = o->anytime;
    plan->input.all_tasks = o->ci.junit_tasks;
    return partial_options_read(&o->parts, needs_tasks(o), &settings->boot, &plan->input, error);
}

static void free_plan(struct plan *plan)
{
    baseline_free(&plan->baseline);
    buf_free(&plan->seed);
    key_lists_free(&plan->keys);
    option_list_free(&plan->markers);
    arena_free(&plan->names);
}

/* ---- the pipe -----------------------------------------------------------------------------------
 */

static int print(struct buf *text, struct error *error)
{
    return file_write_all(STDOUT_FILENO, "standard output", buf_span(text), error);
}

static void compare(const struct plan *plan, struct passat_report *report,
                    struct metric_change *change)
{
    struct change_options options = {plan->settings.boot, MEASURE_MIN_PAIRED, true};
    options.boot.kind = INTERVAL_PERCENTILE;
    compare_metric(plan->baseline.tasks, plan->baseline.n, report->tasks, report->n_tasks, &options,
                   change);
    baseline_warn(&plan->baseline, report, &report->warnings);
}

static void judge(const struct plan *plan, struct passat_view *view, struct gates *gates)
{
    gates_judge(&plan->o->gates, passat_view_metric, view, gates);
    if (view->change)
        gate_baseline(view->change, "pass_at_1", &plan->against, gates);
    if (plan->o->gates.strict)
        gates_strict(&view->report->warnings, view->report->rates.n_groups > 0, gates);
}

static int write_reports(const struct plan *plan, const struct passat_set *set,
                         const struct passat_view *view, struct error *error)
{
    struct buf json = {0}, text = {0};
    struct json_writer writer;
    json_write_start(&writer, &json, JSON_STYLE_COMPACT);
    passat_json(view, &writer);
    buf_byte(&json, '\n');
    if (!plan->o->json)
        passat_text(view, &text);
    int code = print(plan->o->json ? &json : &text, error);
    if (code == 0 && plan->o->report)
        code = file_save(plan->o->report, buf_span(&json), error);
    if (code == 0)
        code = passat_ci_write(set, view, &plan->o->ci, error);
    buf_free(&json);
    buf_free(&text);
    return code;
}

/* Returns the number of red gates or a negative code. */
static int report_all(const struct plan *plan, const struct passat_set *set, struct error *error)
{
    struct passat_report report;
    struct gates gates = {0};
    passat_report_make(set->all, &plan->settings, &report);
    struct passat_view view = {.report = &report,
                               .settings = &plan->settings,
                               .seed = plan->seed.data,
                               .markers = plan->o->markers != NULL,
                               .per_task = plan->o->per_task,
                               .sliced = plan->o->by != NULL,
                               .gates = &gates};
    struct passat_slice *slices = passat_set_slices(set, &plan->settings, &view.n_slices);
    view.slices = slices;
    struct metric_change change = {0};
    if (plan->o->baseline) {
        compare(plan, &report, &change);
        view.change = &change;
    }
    if (report.has_anytime)
        gates_decide(&plan->o->gates, plan->settings.boot.level, &report);
    judge(plan, &view, &gates);
    int code = write_reports(plan, set, &view, error);
    if (code == 0 && plan->o->save_baseline && report.rates.n_groups == 0)
        code =
            error_set(error, ERROR_INPUT,
                      "no row carries a verdict, so there is no baseline to save in %s; grade the "
                      "rows first",
                      plan->o->save_baseline);
    else if (code == 0 && plan->o->save_baseline)
        code = passat_set_save(set, plan->o->save_baseline, error);
    if (code == 0 && plan->o->parts.state)
        code = passat_set_save(set, plan->o->parts.state, error);
    int red = gates_red(&gates) > 0;
    for (size_t i = 0; plan->o->json && !plan->o->ci.github && i < gates.count; i++)
        if (gates.items[i].red) /* a log that does not show the JSON says why the run is red */
            log_warning("red: %s", gates.items[i].text);
    passat_slices_free(slices, view.n_slices);
    passat_report_free(&report);
    notes_free(&change.notes);
    gates_free(&gates);
    return code < 0 ? code : red;
}

static int run(struct plan *plan, const struct operands *operands, struct error *error)
{
    const struct options *o = plan->o;
    struct passat_set set = {0};
    struct row_source source = {
        .paths = operands->items, .n_paths = operands->count, .options = o->rows};
    int code = make_plan(plan, error);
    if (code == 0 && o->baseline)
        code = baseline_read(o->baseline, &plan->input.facts, &o->rows, &plan->baseline, error);
    if (code == 0)
        code = passat_set_read(&set, &source, &plan->input, error);
    if (code == 0)
        code =
            o->parts.partial ? passat_set_save(&set, NULL, error) : report_all(plan, &set, error);
    passat_set_free(&set);
    return code;
}

int main(int argc, char **argv)
{
    struct options o = {.min_k = MEASURE_MIN_K,
                        .n_boot = STAT_BOOT_DRAWS,
                        .seed = "0",
                        .level = STAT_LEVEL,
                        .interval = "percentile",
                        .scheme = "auto",
                        .gates = {.on = "point"},
                        .parts = PARTIAL_OPTIONS_DEFAULT,
                        .baseline_rule = "regress",
                        .margin = MEASURE_MARGIN,
                        .ci = CI_OPTIONS_DEFAULT,
                        .rows = ROW_OPTIONS_DEFAULT};
    struct plan plan = {.o = &o};
    struct operands operands = {0};
    struct error error;
    signals_open();
    log_open(COMMAND.name);
    int code = options_parse(&COMMAND, argc, argv, &o, &operands, &error);
    if (code != OPTIONS_RUN)
        return code == OPTIONS_DONE ? 0 : log_fail(&error);
    log_quiet(o.rows.quiet);
    code = run(&plan, &operands, &error);
    free_plan(&plan);
    operands_free(&operands);
    option_list_free(&o.gates.fail_under);
    option_list_free(&o.gates.fail_over);
    return code < 0 ? log_fail(&error) : code;
}
