/* bench.c: wai-rows bench: items of a benchmark to rows. */
#include "ingest/bench.h"
#include "base/log.h"
#include "cmd/wai-rows/verbs.h"

struct bench_options {
    struct row_options rows;
    struct output_options out;
    struct bench bench;
    const char *format;
};

/* clang-format off */
const struct option BENCH_OPTIONS[] = {
    {.kind = OPTION_TEXT, .name = "prompt", .offset = offsetof(struct bench_options, bench.columns.prompt),
     .arg = "COL", .help = "column of the question (the one of prompt, question, problem, input)"},
    {.kind = OPTION_TEXT, .name = "completion", .offset = offsetof(struct bench_options, bench.columns.completion),
     .arg = "COL", .help = "column of the answer, or of a list of k answers (the one of completions, "
     "completion, final_text, responses, response, output)"},
    {.kind = OPTION_TEXT, .name = "completions", .offset = offsetof(struct bench_options, bench.completions),
     .arg = "FILE", .help = "the answers from FILE, its line i for item i", .file = true},
    {.kind = OPTION_TEXT, .name = "reference", .offset = offsetof(struct bench_options, bench.columns.reference),
     .arg = "COL", .help = "column of the gold, any JSON (the one of reference, gold, target, if any)"},
    {.kind = OPTION_TEXT, .name = "reference-after", .offset = offsetof(struct bench_options, bench.reference_after),
     .arg = "TEXT", .help = "the gold is what follows the last TEXT, commas taken out"},
    {.kind = OPTION_TEXT, .name = "reward", .offset = offsetof(struct bench_options, bench.columns.reward),
     .arg = "COL", .help = "column of rewards from 0 to 1, one for each answer (none)"},
    {.kind = OPTION_TEXT, .name = "markers", .offset = offsetof(struct bench_options, bench.columns.markers),
     .arg = "COL", .help = "column of objects of numbers, one for each answer (none)"},
    {.kind = OPTION_TEXT, .name = "task-id", .offset = offsetof(struct bench_options, bench.columns.task_id),
     .arg = "COL", .help = "column of the task's name (task_id, else a hash of the prompt)"},
    {.kind = OPTION_TEXT, .name = "model", .offset = offsetof(struct bench_options, bench.model),
     .arg = "NAME", .help = "model_version of the rows"},
    {.kind = OPTION_TEXT, .name = "columns", .offset = offsetof(struct bench_options, bench.ride),
     .arg = "all|none|LIST", .help = "other columns that ride along (all)"},
    {.kind = OPTION_CHOICE, .letter = 'f', .name = "format", .offset = offsetof(struct bench_options, format),
     .arg = "auto|csv|tsv", .choices = "auto|csv|tsv", .help = "what the items are written in; auto: "
     "JSON lines, or a table with a header when the name says so (auto)"},
    {.kind = OPTION_FLAG, .name = "long", .offset = offsetof(struct bench_options, bench.one_each),
     .help = "one answer a line; rollouts are counted per task in the order they come"},
    OUTPUT_OPTIONS(struct bench_options, out),
    ROW_OPTIONS(struct bench_options, rows),
    {0},
};
/* clang-format on */

int run_bench(const struct command *verb, int argc, char **argv, struct error *error)
{
    struct bench_options o = {.rows = ROW_OPTIONS_DEFAULT, .bench.ride = "all", .format = "auto"};
    struct operands operands = {0};
    struct bench_report report = {0};
    struct buf text = {0}, json = {0};
    int rc = options_parse(verb, argc, argv, &o, &operands, error);
    if (rc != OPTIONS_RUN)
        return rc == OPTIONS_DONE ? 0 : rc;
    log_quiet(o.rows.quiet);
    o.bench.source = source_of(&operands, &o.rows);
    o.bench.table = strcmp(o.format, "csv") == 0   ? CSV_COMMAS
                    : strcmp(o.format, "tsv") == 0 ? CSV_TABS
                                                   : CSV_NONE;
    o.bench.writer = row_writer_open(o.out.output, error);
    rc = o.bench.writer ? bench_run(&o.bench, &report, error) : error->code;
    rc = close_writer(rc, o.bench.writer, error);
    if (rc == 0) {
        note_counts(&report.read);
        log_note("%s", buf_cstr(&report.mapping));
        bench_report_text(&report, &text);
        bench_report_json(&report, &json);
    }
    rc = tell(&o.out, &text, &json, rc, error);
    bench_report_free(&report);
    operands_free(&operands);
    return rc;
}
