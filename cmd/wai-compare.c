/* wai-compare: did a change move the behaviour, and did anything else slip. Two sets of graded rows
 * go into one report, to standard output and to the files that are asked for; what is red turns the
 * exit status. Room measure does the work. */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/signals.h"
#include "measure/compare.h"
#include "measure/pairs.h"
#include "measure/sweep.h"

struct options {
    struct compare_request asked;
    struct sweep_request sweep; /* its keys, draws, seed and rows are those of asked */
    struct ci_options ci;
    const char *report;
    bool json, exit_zero;
    bool elsewhere; /* an option of the comparison of prompts, which another tool makes */
    const char *prompt_before, *prompt_after;
};

#define AT(field)   .offset = offsetof(struct options, field)
#define SEEN(field) .seen = offsetof(struct options, field)

/* clang-format off */
static const struct option OPTIONS[] = {
    /* what to compare */
    {.kind = OPTION_TEXT, .name = "metric", AT(asked.metric), .arg = "METRIC",
     .help = "compare this one number (pass_at_1 or a marker) instead of making the report"},
    {.kind = OPTION_TEXT, .name = "target", AT(asked.target), .arg = "METRIC",
     .help = "the metric that the change was meant to move"},
    {.kind = OPTION_LIST, .name = "must-not-regress", AT(asked.guards), .arg = "METRIC,METRIC",
     .help = "red when one of these moves the bad way; repeatable"},
    {.kind = OPTION_LIST, .name = "lower-is-better", AT(asked.lower), .arg = "METRIC[=true|false]",
     .help = "a drop of this metric is the gain; repeatable"},
    {.kind = OPTION_LIST, .name = "markers", AT(asked.markers), .arg = "NAME,NAME",
     .help = "compare these markers (all that both sides carry)"},
    {.kind = OPTION_TEXT, .name = "proxy", AT(asked.proxy), .arg = "METRIC",
     .help = "the metric that was trained on; red when it moved and the target did not"},
    {.kind = OPTION_TEXT, .name = "by", AT(asked.by), .arg = "KEY",
     .help = "split the target by a row key or marker (category or slice, when rows carry one)"},
    {.kind = OPTION_FLAG, .name = "no-by", AT(asked.no_by), .help = "no split"},
    {.kind = OPTION_FLAG, .name = "balance-rollouts", AT(asked.balance),
     .help = "leave out rows, so that each task has as many on both sides"},
    {.kind = OPTION_FLAG, .name = "per-task", AT(asked.per_task),
     .help = "each task of both sides before and after: which of them moved"},
    KEY_OPTIONS(struct options, asked.keys),
    /* noise */
    {.kind = OPTION_LIST, .name = "run-std", AT(asked.run_std), .arg = "X|METRIC=X|@FILE",
     .help = "spread of the eval's mean from run to run, or a report of wai-plan eval-variance; repeatable"},
    {.kind = OPTION_INT, .name = "run-std-runs", AT(asked.run_std_runs), .arg = "N", .min = 2, .max = 1e9,
     SEEN(asked.run_std_runs_given), .help = "runs that --run-std was taken from"},
    {.kind = OPTION_LIST, .name = "train-run-before", AT(asked.trained[BEFORE]), .arg = "FILE", .file = true,
     .help = "rows of one training seed of the arm before; repeatable"},
    {.kind = OPTION_LIST, .name = "train-run-after", AT(asked.trained[AFTER]), .arg = "FILE", .file = true,
     .help = "rows of one training seed of the arm after; repeatable"},
    /* draws and thresholds */
    {.kind = OPTION_INT, .name = "n-boot", AT(asked.draws), .arg = "N", .min = 1, .max = MEASURE_DRAWS_MAX,
     .help = "replicates behind an interval (2000)"},
    {.kind = OPTION_TEXT, .name = "seed", AT(asked.seed), .arg = "N", .help = "seed of the draws (0)"},
    {.kind = OPTION_FLAG, .name = "seed-by-name", AT(asked.seed_by_name),
     .help = "draws of a metric depend on its name, not on which metrics stand before it"},
    {.kind = OPTION_REAL, .name = "alpha", AT(asked.alpha), .arg = "X", .max = 1, SEEN(asked.alpha_given),
     .help = "chance of a false alarm per metric; intervals are at 1 less that (0.05)"},
    {.kind = OPTION_REAL, .name = "level", AT(asked.level), .arg = "X", .max = 1, SEEN(asked.level_given),
     .help = "with --metric: coverage of the interval (0.95)"},
    {.kind = OPTION_CHOICE, .name = "scheme", AT(asked.scheme), .choices = "auto|exact|hist",
     .help = "how replicates are drawn: the package's draws (exact), or counts of distinct values (auto)"},
    {.kind = OPTION_CHOICE, .name = "interval", AT(asked.interval), .choices = "percentile|t|bca",
     .help = "how intervals of paired tasks are made (percentile)"},
    {.kind = OPTION_INT, .name = "min-paired", AT(asked.min_paired), .arg = "N", .min = 1, .max = 1e15,
     .help = "shared tasks from which a comparison is paired (5)"},
    {.kind = OPTION_REAL, .name = "power", AT(asked.power), .arg = "X", .max = 1,
     .help = "chance to see a gain, for the sizing lines (0.8)"},
    {.kind = OPTION_REAL, .name = "ceiling-pass-rate", AT(asked.ceiling), .arg = "X", .max = 1,
     .help = "pass rate before from which there is no room (0.9)"},
    {.kind = OPTION_REAL, .name = "answered-gap-points", AT(asked.answered_gap), .arg = "X", .max = 1,
     .help = "difference of the answered shares that bars comparing (0.10)"},
    {.kind = OPTION_REAL, .name = "answered-alpha", AT(asked.answered_alpha), .arg = "X", .max = 1,
     .help = "p under which that difference is no chance (0.01)"},
    {.kind = OPTION_CHOICE, .name = "adjust", AT(asked.adjust), .choices = "none|holm",
     .help = "correct the p of each metric for their number (none)"},
    /* gates */
    {.kind = OPTION_LIST, .name = "fail-on", AT(asked.fail_on), .arg = "LIST",
     .help = "further reds: wrong-way, no-gain, unreplicated, within-noise, insufficient, unresolved, "
             "slipped, group-down, weak-slice, ceiling, degenerate-guard, prompt-hash"},
    GATE_OPTIONS(struct options, asked.gates),
    {.kind = OPTION_FLAG, .name = "exit-zero", AT(exit_zero), .help = "exit 0 whatever is red"},
    CI_OPTIONS(struct options, ci),
    /* many arms */
    {.kind = OPTION_LIST, .name = "arm", AT(sweep.arms), .arg = "LABEL=FILE",
     .help = "rank this variant with the others, instead of BEFORE AFTER; repeatable"},
    {.kind = OPTION_LIST, .name = "rerun", AT(sweep.reruns), .arg = "FILE", .file = true,
     .help = "rows of the first arm, run again: the noise floor; repeatable"},
    {.kind = OPTION_INT, .letter = 'k', .name = "k", AT(sweep.k), .arg = "N", .min = 1, .max = 1e9,
     .help = "tries per ask of a sweep (4)"},
    {.kind = OPTION_TEXT, .name = "behavior", AT(sweep.behavior), .arg = "NAME",
     .help = "name of a sweep's headline score (policy)"},
    {.kind = OPTION_TEXT, .name = "test-version", AT(sweep.test_version), .arg = "TEXT",
     .help = "version of a sweep's asks (a digest of the prompts)"},
    {.kind = OPTION_TEXT, .name = "judge-agreement", AT(sweep.judge), .arg = "SHARE,N",
     .help = "how far the sweep's judge agrees with people, and on how many labels"},
    {.kind = OPTION_INT, .name = "min-asks", AT(sweep.min_asks), .arg = "N", .max = 1e15,
     .help = "asks under which a sweep says that it is small (50)"},
    /* asked of the wrong tool */
    {.kind = OPTION_TEXT, .name = "before", AT(prompt_before), SEEN(elsewhere), .arg = "PROMPT",
     .help = "not here: wai-harness compare runs two prompts"},
    {.kind = OPTION_TEXT, .name = "after", AT(prompt_after), SEEN(elsewhere), .arg = "PROMPT",
     .help = "not here: wai-harness compare runs two prompts"},
    {.kind = OPTION_FLAG, .name = "demo", AT(elsewhere), .help = "not here: wai-harness compare has a demo"},
    /* in parts */
    {.kind = OPTION_FLAG, .name = "partial", AT(asked.partial),
     .help = "print a mergeable summary of pairs of results instead of the report"},
    {.kind = OPTION_FLAG, .name = "merge", AT(asked.merge),
     .help = "operands are such summaries, of parts that share no task"},
    {.kind = OPTION_INT, .name = "shard", AT(asked.shard), .arg = "N", .max = 1e15,
     SEEN(asked.shard_given), .help = "number of this worker's part of the rows (0)"},
    {.kind = OPTION_FLAG, .name = "allow-repeat-shards", AT(asked.repeat_shards),
     .help = "two summaries may have the same shard number"},
    /* output */
    {.kind = OPTION_FLAG, .name = "json", AT(json), .help = "the report as one JSON object"},
    {.kind = OPTION_TEXT, .name = "report", AT(report), .arg = "FILE", .file = true,
     .help = "that object in FILE too"},
    ROW_OPTIONS(struct options, asked.rows),
    {0},
};
/* clang-format on */

static const struct command COMMAND = {
    .name = "wai-compare",
    .synopsis = "[OPTIONS] BEFORE AFTER | --merge PAIRS... | --arm LABEL=FILE ...",
    .purpose = "two sets of graded rows: what moved, whether it is real, and what slipped",
    .options = OPTIONS,
    .examples = "wai-compare before.jsonl after.jsonl\n"
                "wai-compare --target pass_at_1 --must-not-regress grounded before.jsonl "
                "after.jsonl\n"
                "wai-compare --metric pass_at_1 before.jsonl after.jsonl\n",
    .exit_status = "1    not ok: a guard regressed, the target moved the wrong way or was not\n"
                   "     measured, the sides cannot be compared, or a gate is red\n",
};

/* ---- the pipe -----------------------------------------------------------------------------------
 */

static int print(const struct options *o, const struct buf *json, const struct buf *text,
                 struct error *error)
{
    int code =
        file_write_all(STDOUT_FILENO, "standard output", buf_span(o->json ? json : text), error);
    return code == 0 && o->report ? file_save(o->report, buf_span(json), error) : code;
}

/* pairs: NULL when the report is of rows. */
static int write_reports(const struct options *o, const struct arm_pairs *pairs,
                         const struct compare_report *report, struct error *error)
{
    struct buf json = {0}, text = {0};
    struct json_writer writer;
    bool one = o->asked.metric != NULL;
    json_write_start(&writer, &json, JSON_STYLE_COMPACT);
    if (one)
        compare_one_json(report, &writer);
    else if (pairs)
        arm_pairs_json(pairs, report, &writer);
    else
        compare_json(report, &writer);
    buf_byte(&json, '\n');
    if (one)
        compare_one_text(report, &text);
    else if (pairs)
        arm_pairs_text(report, &text);
    else
        compare_text(report, &text);
    int code = print(o, &json, &text, error);
    if (code == 0)
        code = compare_ci_write(report, &o->ci, error);
    buf_free(&json);
    buf_free(&text);
    return code;
}

static void say_red(const struct options *o, const struct compare_report *report)
{
    for (size_t i = 0; o->json && !o->ci.github && i < report->gates.count; i++)
        if (report->gates.items[i].red) /* a log that does not show the JSON says why it is red */
            log_warning("red: %s", report->gates.items[i].text);
}

/* 0, 1 when something is red, or a negative code. */
static int judge(const struct options *o, const struct arm_pairs *pairs,
                 struct compare_report *report, struct error *error)
{
    compare_judge(report);
    int code = write_reports(o, pairs, report, error);
    if (code < 0)
        return code;
    say_red(o, report);
    return !o->exit_zero && (!report->ok || gates_red(&report->gates) > 0);
}

/* The same of rows. */
static int compare(const struct options *o, const struct compare_options *options,
                   const struct compare_rows *rows, struct error *error)
{
    struct compare_report report = {.ok = false};
    int code = 0;
    if (o->asked.metric)
        compare_one_make(options, rows, &report);
    else
        code = compare_report_make(options, rows, &report, error);
    if (code == 0)
        code = judge(o, NULL, &report, error);
    compare_report_free(&report);
    return code;
}

/* Summaries of pairs: one of two sides' rows, or several added up; then another, or the report. */
static int compare_pairs(const struct options *o, const struct compare_options *options,
                         const struct operands *operands, struct error *error)
{
    struct compare_rows rows = {0};
    struct compare_report report = {.ok = false};
    struct buf line = {0};
    struct arm_pairs *pairs = arm_pairs_new(options);
    int code;
    if (o->asked.merge) {
        code = arm_pairs_read(options, (const char *const *)operands->items, operands->count, pairs,
                              error);
    } else {
        code = compare_read(options, &rows, error);
        if (code == 0)
            code = arm_pairs_of_rows(options, &rows, pairs, error);
    }
    if (code == 0 && o->asked.partial) {
        arm_pairs_write(pairs, &line);
        code = file_write_all(STDOUT_FILENO, "standard output", buf_span(&line), error);
    } else if (code == 0) {
        code = arm_pairs_report_make(options, pairs, &report, error);
        if (code == 0)
            code = judge(o, pairs, &report, error);
    }
    compare_report_free(&report);
    compare_rows_free(&rows);
    arm_pairs_free(pairs);
    buf_free(&line);
    return code;
}

/* Two sides, or many arms. */
static int sweep(struct options *o, const struct operands *operands, struct error *error)
{
    struct sweep_report report = {.n_arms = 0};
    struct buf json = {0}, text = {0};
    struct json_writer writer;
    if (operands->count)
        return error_set(error, ERROR_USAGE,
                         "%s is no option's: a sweep takes its rows from --arm and --rerun",
                         operands->items[0]);
    o->sweep.keys = o->asked.keys;
    o->sweep.rows = o->asked.rows;
    o->sweep.draws = o->asked.draws;
    o->sweep.seed = o->asked.seed;
    int code = sweep_make(&o->sweep, &report, error);
    if (code == 0) {
        json_write_start(&writer, &json, JSON_STYLE_COMPACT);
        sweep_json(&report, &writer);
        buf_byte(&json, '\n');
        sweep_text(&report, &text);
        code = print(o, &json, &text, error);
    }
    sweep_free(&report);
    buf_free(&json);
    buf_free(&text);
    return code;
}

static int run(struct options *o, const struct operands *operands, struct error *error)
{
    struct compare_options options = {0};
    struct compare_rows rows = {0};
    if (o->elsewhere)
        return error_set(error, ERROR_USAGE,
                         "--before, --after and --demo run prompts on a model: that is "
                         "wai-harness compare; here two files of graded rows are compared");
    if (o->sweep.arms.count)
        return sweep(o, operands, error);
    if (o->sweep.reruns.count)
        return error_set(error, ERROR_USAGE, "--rerun belongs to a sweep; give --arm too");
    bool summaries = o->asked.partial || o->asked.merge;
    if (!o->asked.merge && operands->count != SIDES)
        return error_set(error, ERROR_USAGE, "%zu operands; two are wanted, BEFORE and AFTER",
                         operands->count);
    if (!summaries && (o->asked.shard_given || o->asked.repeat_shards))
        return error_set(error, ERROR_USAGE,
                         "--shard needs --partial, and --allow-repeat-shards --merge");
    if (o->asked.partial && (o->report || o->json || o->ci.junit || o->ci.summary || o->ci.github))
        return error_set(error, ERROR_USAGE,
                         "--partial prints a summary and no report: --json, --report and CI "
                         "outputs belong to the run with --merge");
    if (!o->asked.merge) {
        o->asked.before = operands->items[BEFORE];
        o->asked.after = operands->items[AFTER];
    }
    int code = ci_check(&o->ci, error);
    if (code == 0)
        code = compare_options_read(&o->asked, &options, error);
    if (code == 0 && summaries)
        code = arm_pairs_check(&options, error);
    if (code == 0 && summaries)
        code = compare_pairs(o, &options, operands, error);
    else if (code == 0)
        code = compare_read(&options, &rows, error);
    if (code == 0 && !summaries)
        code = compare(o, &options, &rows, error);
    compare_rows_free(&rows);
    compare_options_free(&options);
    return code;
}

static void free_lists(struct compare_request *asked, struct sweep_request *many)
{
    struct option_list *lists[] = {&asked->guards,
                                   &asked->lower,
                                   &asked->markers,
                                   &asked->run_std,
                                   &asked->trained[BEFORE],
                                   &asked->trained[AFTER],
                                   &asked->fail_on,
                                   &asked->gates.fail_under,
                                   &asked->gates.fail_over,
                                   &many->arms,
                                   &many->reruns};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        option_list_free(lists[i]);
}

int main(int argc, char **argv)
{
    struct options o = {
        .asked = {.seed = "0",
                  .adjust = "none",
                  .interval = "percentile",
                  .scheme = "auto",
                  .draws = STAT_BOOT_DRAWS,
                  .min_paired = MEASURE_MIN_PAIRED,
                  .alpha = STAT_ALPHA,
                  .level = STAT_LEVEL,
                  .power = STAT_POWER,
                  .ceiling = MEASURE_CEILING,
                  .answered_gap = MEASURE_ANSWERED_GAP,
                  .answered_alpha = MEASURE_ANSWERED_ALPHA,
                  .gates = {.on = "point"},
                  .rows = ROW_OPTIONS_DEFAULT},
        .sweep = {.k = MEASURE_TRIES_PER_TASK, .behavior = "policy", .min_asks = SWEEP_MIN_ASKS},
        .ci = CI_OPTIONS_DEFAULT};
    struct operands operands = {0};
    struct error error;
    signals_open();
    log_open(COMMAND.name);
    int code = options_parse(&COMMAND, argc, argv, &o, &operands, &error);
    if (code != OPTIONS_RUN)
        return code == OPTIONS_DONE ? 0 : log_fail(&error);
    log_quiet(o.asked.rows.quiet);
    code = run(&o, &operands, &error);
    operands_free(&operands);
    free_lists(&o.asked, &o.sweep);
    return code < 0 ? log_fail(&error) : code;
}
