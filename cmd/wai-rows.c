/* wai-rows: makes rows, checks them and changes their form. One verb, one function; what a verb
 * does with the rows stands in the rooms row and ingest. */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/options.h"
#include "base/signals.h"
#include "ingest/bench.h"
#include "ingest/convert.h"
#include "ingest/defaults.h"
#include "ingest/split.h"
#include "row/check.h"
#include "row/computed.h"
#include "row/defaults.h"
#include "row/store.h"

/* What every verb is: parses its own words of the command line and runs. Returns the exit status.
 */
typedef int verb_run(const struct command *verb, int argc, char **argv);

/* The end of a verb: 0, or the failure is said and its exit status given. */
static int finish(int rc, const struct error *error)
{
    return rc < 0 ? log_fail(error) : 0;
}

/* What a pass over the rows leaves to say: nothing is dropped silently. */
static void note_counts(const struct row_counts *counts)
{
    if (counts->bad)
        log_warning("%llu bad line%s left out; the first: %s", (unsigned long long)counts->bad,
                    counts->bad == 1 ? " was" : "s were", counts->first_bad);
    if (counts->rows == 0)
        log_note("no row arrived");
}

static struct row_source source_of(const struct operands *operands, const struct row_options *rows)
{
    return (struct row_source){
        .paths = operands->items, .n_paths = operands->count, .options = *rows};
}

/* A writer for an option that names a file; NULL when the option is absent. */
static int open_writer(const char *path, struct row_writer **writer, struct error *error)
{
    *writer = path ? row_writer_open(path, error) : NULL;
    return path && !*writer ? ERROR_SYSTEM : 0;
}

/* Commits when all went well so far, leaves the old file alone otherwise. */
static int close_writer(int rc, struct row_writer *writer, struct error *error)
{
    if (!writer)
        return rc;
    if (rc == 0)
        return row_writer_close(writer, error);
    row_writer_abandon(writer);
    return rc;
}

static int print(struct buf *text, struct error *error)
{
    return file_write_all(STDOUT_FILENO, "standard output", buf_span(text), error);
}

/* ---- check --------------------------------------------------------------------------------- */

struct check_options {
    struct row_options rows;
    const char *kind, *good, *bad, *print_schema, *report;
    bool strict, json;
    int64_t examples;
};

static const struct option CHECK_OPTIONS[] = {
    {.kind = OPTION_CHOICE,
     .letter = 'k',
     .name = "kind",
     .offset = offsetof(struct check_options, kind),
     .arg = ROW_KIND_CHOICES,
     .choices = ROW_KIND_CHOICES,
     .help = "what the rows should be (row)"},
    {.kind = OPTION_FLAG,
     .name = "strict",
     .offset = offsetof(struct check_options, strict),
     .help = "look for what the format allows and a run regrets: rewards out of range, repeated "
             "rollouts, members named twice"},
    {.kind = OPTION_TEXT,
     .name = "good",
     .offset = offsetof(struct check_options, good),
     .arg = "FILE",
     .help = "write the rows without problems to FILE",
     .file = true},
    {.kind = OPTION_TEXT,
     .name = "bad",
     .offset = offsetof(struct check_options, bad),
     .arg = "FILE",
     .help = "write the rows with problems to FILE",
     .file = true},
    {.kind = OPTION_FLAG,
     .name = "json",
     .offset = offsetof(struct check_options, json),
     .help = "the report as one JSON object"},
    {.kind = OPTION_TEXT,
     .name = "report",
     .offset = offsetof(struct check_options, report),
     .arg = "FILE",
     .help = "the JSON report in FILE as well",
     .file = true},
    {.kind = OPTION_INT,
     .name = "examples",
     .offset = offsetof(struct check_options, examples),
     .arg = "N",
     .help = "bad rows named in the JSON report, at most (1000)",
     .max = 1e9},
    {.kind = OPTION_OPTIONAL,
     .name = "print-schema",
     .offset = offsetof(struct check_options, print_schema),
     .arg = ROW_KIND_CHOICES,
     .help = "print the JSON Schema of a kind of row (row) and do nothing else"},
    ROW_OPTIONS(struct check_options, rows),
    {0},
};

static int print_schema(const char *kind, struct error *error)
{
    struct buf text = {0};
    if (*kind && strcmp(kind, row_kind_name(row_kind_of(kind))) != 0)
        return error_set(error, ERROR_USAGE,
                         "--print-schema=%s: no such kind; one of " ROW_KIND_CHOICES, kind);
    row_schema(row_kind_of(kind), &text);
    int rc = print(&text, error);
    buf_free(&text);
    return rc;
}

static int write_report(const char *path, struct buf *json, struct error *error)
{
    struct file *file = path ? file_create(path, error) : NULL;
    if (!path)
        return 0;
    if (!file)
        return ERROR_SYSTEM;
    int rc = file_write(file, buf_span(json), error);
    if (rc == 0)
        return file_commit(file, error);
    file_abandon(file);
    return rc;
}

/* What verbs that write rows have in common. */
struct output_options {
    const char *output, *report;
};

/* clang-format off */
#define OUTPUT_OPTIONS(type, field)                                                              \
    {.kind = OPTION_TEXT, .letter = 'o', .name = "output", .offset = offsetof(type, field.output), \
     .arg = "FILE", .help = "write the rows to FILE instead of standard output", .file = true},  \
    {.kind = OPTION_TEXT, .name = "report", .offset = offsetof(type, field.report), .arg = "FILE", \
     .help = "what was done, as one JSON object in FILE", .file = true}
/* clang-format on */

/* The report of such a verb: lines on standard error, an object in --report's file. */
static int tell(const struct output_options *o, struct buf *text, struct buf *json, int rc,
                struct error *error)
{
    for (size_t at = 0; rc == 0 && at < text->len;) {
        size_t end = span_find(buf_span(text), SPAN("\n"), at);
        log_note("%.*s", (int)(end - at), text->data + at);
        at = end + 1;
    }
    if (rc == 0)
        rc = write_report(o->report, json, error);
    buf_free(text);
    buf_free(json);
    return rc;
}

static int check_report(const struct check_options *o, const struct row_check_report *report,
                        struct error *error)
{
    struct buf json = {0}, text = {0};
    row_check_json(report, &json);
    row_check_text(report, &text);
    int rc = write_report(o->report, &json, error);
    if (rc == 0)
        rc = print(o->json ? &json : &text, error);
    buf_free(&json);
    buf_free(&text);
    return rc;
}

static int run_check(const struct command *verb, int argc, char **argv)
{
    struct check_options o = {
        .rows = ROW_OPTIONS_DEFAULT, .kind = "row", .examples = ROW_CHECK_EXAMPLES};
    struct operands operands = {0};
    struct row_check_report report = {0};
    struct error error;
    int rc = options_parse(verb, argc, argv, &o, &operands, &error);
    if (rc != OPTIONS_RUN)
        return rc == OPTIONS_DONE ? 0 : log_fail(&error);
    log_quiet(o.rows.quiet);
    if (o.print_schema)
        return finish(print_schema(o.print_schema, &error), &error);

    struct row_check check = {
        .source = source_of(&operands, &o.rows),
        .kind = row_kind_of(o.kind),
        .strict = o.strict,
        .examples = (size_t)o.examples,
    };
    if ((rc = open_writer(o.good, &check.good, &error)) == 0 &&
        (rc = open_writer(o.bad, &check.bad, &error)) == 0)
        rc = row_check_run(&check, &report, &error);
    rc = close_writer(rc, check.good, &error);
    rc = close_writer(rc, check.bad, &error);
    if (rc == 0) {
        note_counts(&report.read);
        rc = check_report(&o, &report, &error);
    }
    bool red = report.bad_rows > 0;
    row_check_free(&report);
    operands_free(&operands);
    return rc < 0 ? log_fail(&error) : red ? 1 : 0;
}

/* ---- bench --------------------------------------------------------------------------------- */

struct bench_options {
    struct row_options rows;
    struct output_options out;
    struct bench bench;
    const char *format;
};

/* clang-format off */
static const struct option BENCH_OPTIONS[] = {
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

static int run_bench(const struct command *verb, int argc, char **argv)
{
    struct bench_options o = {.rows = ROW_OPTIONS_DEFAULT, .bench.ride = "all", .format = "auto"};
    struct operands operands = {0};
    struct bench_report report = {0};
    struct buf text = {0}, json = {0};
    struct error error;
    int rc = options_parse(verb, argc, argv, &o, &operands, &error);
    if (rc != OPTIONS_RUN)
        return rc == OPTIONS_DONE ? 0 : log_fail(&error);
    log_quiet(o.rows.quiet);
    o.bench.source = source_of(&operands, &o.rows);
    o.bench.table = strcmp(o.format, "csv") == 0   ? CSV_COMMAS
                    : strcmp(o.format, "tsv") == 0 ? CSV_TABS
                                                   : CSV_NONE;
    o.bench.writer = row_writer_open(o.out.output, &error);
    rc = o.bench.writer ? bench_run(&o.bench, &report, &error) : error.code;
    rc = close_writer(rc, o.bench.writer, &error);
    if (rc == 0) {
        note_counts(&report.read);
        log_note("%s", buf_cstr(&report.mapping));
        bench_report_text(&report, &text);
        bench_report_json(&report, &json);
    }
    rc = tell(&o.out, &text, &json, rc, &error);
    bench_report_free(&report);
    operands_free(&operands);
    return finish(rc, &error);
}

/* ---- convert ------------------------------------------------------------------------------- */

struct convert_options {
    struct row_options rows;
    struct output_options out;
    struct convert convert;
    const char *to, *from, *add;
};

/* clang-format off */
static const struct option CONVERT_OPTIONS[] = {
    {.kind = OPTION_CHOICE, .name = "to", .offset = offsetof(struct convert_options, to), .arg = CONVERT_FORMS,
     .choices = CONVERT_FORMS, .help = "the form that comes out (v1)"},
    {.kind = OPTION_CHOICE, .name = "from", .offset = offsetof(struct convert_options, from), .arg = "auto|objects",
     .choices = "auto|objects", .help = "the form that goes in; objects: what --to objects wrote (auto)"},
    {.kind = OPTION_TEXT, .letter = 'a', .name = "add", .offset = offsetof(struct convert_options, add),
     .arg = "LIST", .help = "computed keys to add: " ROW_COMPUTED_WORDS},
    {.kind = OPTION_FLAG, .name = "task-key", .offset = offsetof(struct convert_options, convert.task_key),
     .help = "with v1: write task_id too, the same as scenario_id"},
    {.kind = OPTION_FLAG, .name = "strip-reasoning",
     .offset = offsetof(struct convert_options, convert.strip_reasoning),
     .help = "take the thoughts out of the agent's texts and count them in reasoning"},
    {.kind = OPTION_FLAG, .name = "public", .offset = offsetof(struct convert_options, convert.hide_privileged),
     .help = "with tasks and objects: no privileged block"},
    {.kind = OPTION_FLAG, .name = "all", .offset = offsetof(struct convert_options, convert.all),
     .help = "with corrections: every row, not only those that failed"},
    OUTPUT_OPTIONS(struct convert_options, out),
    ROW_OPTIONS(struct convert_options, rows),
    {0},
};
/* clang-format on */

static int run_convert(const struct command *verb, int argc, char **argv)
{
    struct convert_options o = {.rows = ROW_OPTIONS_DEFAULT, .to = "v1", .from = "auto"};
    struct operands operands = {0};
    struct convert_report report = {0};
    struct buf text = {0}, json = {0};
    struct error error;
    int rc = options_parse(verb, argc, argv, &o, &operands, &error);
    if (rc != OPTIONS_RUN)
        return rc == OPTIONS_DONE ? 0 : log_fail(&error);
    log_quiet(o.rows.quiet);
    o.convert.source = source_of(&operands, &o.rows);
    o.convert.form = convert_form_of(o.to);
    o.convert.from_objects = strcmp(o.from, "objects") == 0;
    if (o.add && (rc = row_computed_parse(o.add, &o.convert.add, &error)) < 0)
        return log_fail(&error);
    o.convert.writer = row_writer_open(o.out.output, &error);
    rc = o.convert.writer ? convert_run(&o.convert, &report, &error) : error.code;
    rc = close_writer(rc, o.convert.writer, &error);
    if (rc == 0) {
        note_counts(&report.read);
        convert_report_text(&report, &text);
        convert_report_json(&report, &json);
    }
    rc = tell(&o.out, &text, &json, rc, &error);
    convert_report_free(&report);
    operands_free(&operands);
    return finish(rc, &error);
}

/* ---- split --------------------------------------------------------------------------------- */

struct split_options {
    struct row_options rows;
    struct output_options out;
    const char *by, *print, *held, *train, *held_tasks, *write_tasks;
    double holdout;
    int64_t seed;
    uint64_t memory;
};

/* clang-format off */
static const struct option SPLIT_OPTIONS[] = {
    {.kind = OPTION_CHOICE, .name = "by", .offset = offsetof(struct split_options, by), .arg = "hash|production",
     .choices = "hash|production", .help = "hash: stable across runs; production: each distinct flaw, then "
     "tasks in the order of a hash (hash)"},
    {.kind = OPTION_REAL, .name = "holdout", .offset = offsetof(struct split_options, holdout), .arg = "F",
     .help = "share that is held out (0.2)", .min = 0, .max = 1},
    {.kind = OPTION_INT, .letter = 's', .name = "seed", .offset = offsetof(struct split_options, seed),
     .arg = "N", .help = "seed of --by production (0)"},
    {.kind = OPTION_CHOICE, .letter = 'p', .name = "print", .offset = offsetof(struct split_options, print),
     .arg = "train|held|none", .choices = "train|held|none", .help = "side on standard output (train)"},
    {.kind = OPTION_TEXT, .name = "held", .offset = offsetof(struct split_options, held), .arg = "FILE",
     .help = "write the held side to FILE", .file = true},
    {.kind = OPTION_TEXT, .name = "train", .offset = offsetof(struct split_options, train), .arg = "FILE",
     .help = "write the training side to FILE", .file = true},
    {.kind = OPTION_TEXT, .name = "held-tasks", .offset = offsetof(struct split_options, held_tasks),
     .arg = "FILE", .help = "hold out the tasks named in FILE, a key a line", .file = true},
    {.kind = OPTION_TEXT, .name = "write-tasks", .offset = offsetof(struct split_options, write_tasks),
     .arg = "FILE", .help = "write the held tasks to FILE, so that the split can be frozen", .file = true},
    {.kind = OPTION_SIZE, .name = "mem", .offset = offsetof(struct split_options, memory), .arg = "SIZE",
     .help = "with production: rows kept in memory before a temporary file is used (64M)"},
    OUTPUT_OPTIONS(struct split_options, out),
    ROW_OPTIONS(struct split_options, rows),
    {0},
};
/* clang-format on */

static int check_split(const struct split_options *o, struct error *error)
{
    if (!o->held_tasks && strcmp(o->by, "hash") == 0 && (o->holdout <= 0 || o->holdout >= 1))
        return error_set(error, ERROR_USAGE,
                         "--holdout %g: a hash split holds out more than 0 and less than 1",
                         o->holdout);
    return 0;
}

/* Opens what each side goes to; on failure what was opened is left for close_split. */
static int open_split(const struct split_options *o, struct split *split, struct error *error)
{
    int rc = open_writer(o->held, &split->also[SPLIT_HELD], error);
    if (rc == 0)
        rc = open_writer(o->train, &split->also[SPLIT_TRAIN], error);
    if (rc == 0)
        rc = open_writer(o->write_tasks, &split->tasks, error);
    if (rc < 0 || strcmp(o->print, "none") == 0)
        return rc;
    enum split_side side = strcmp(o->print, "held") == 0 ? SPLIT_HELD : SPLIT_TRAIN;
    split->side[side] = row_writer_open(o->out.output, error);
    return split->side[side] ? 0 : error->code;
}

static int close_split(int rc, struct split *split, struct error *error)
{
    for (int side = 0; side < SPLIT_SIDES; side++) {
        rc = close_writer(rc, split->side[side], error);
        rc = close_writer(rc, split->also[side], error);
    }
    return close_writer(rc, split->tasks, error);
}

static void note_split(const struct split_report *report)
{
    uint64_t rows = report->rows[SPLIT_TRAIN] + report->rows[SPLIT_HELD];
    note_counts(&report->read);
    if (rows && !report->rows[SPLIT_HELD])
        log_warning("no row was held out; raise --holdout, or give more tasks");
    if (rows && !report->rows[SPLIT_TRAIN])
        log_warning("all rows were held out and none is left to train on");
}

static int run_split(const struct command *verb, int argc, char **argv)
{
    struct split_options o = {.rows = ROW_OPTIONS_DEFAULT,
                              .by = "hash",
                              .print = "train",
                              .holdout = SPLIT_HOLDOUT,
                              .memory = STORE_MEMORY};
    struct operands operands = {0};
    struct split_report report = {0};
    struct map held = {0};
    struct buf text = {0}, json = {0};
    struct error error;
    int rc = options_parse(verb, argc, argv, &o, &operands, &error);
    if (rc != OPTIONS_RUN)
        return rc == OPTIONS_DONE ? 0 : log_fail(&error);
    log_quiet(o.rows.quiet);
    struct split split = {
        .source = source_of(&operands, &o.rows),
        .by = o.held_tasks                ? SPLIT_TASKS
              : strcmp(o.by, "hash") == 0 ? SPLIT_HASH
                                          : SPLIT_PRODUCTION,
        .share = o.holdout,
        .seed = o.seed,
        .memory = o.memory,
        .held = &held,
    };
    rc = check_split(&o, &error);
    if (rc == 0 && o.held_tasks)
        rc = split_read_tasks(o.held_tasks, &held, &error);
    if (rc == 0)
        rc = open_split(&o, &split, &error);
    if (rc == 0)
        rc = split_run(&split, &report, &error);
    rc = close_split(rc, &split, &error);
    if (rc == 0) {
        note_split(&report);
        split_report_text(&report, &text);
        split_report_json(&report, &json);
    }
    rc = tell(&o.out, &text, &json, rc, &error);
    map_free(&held);
    operands_free(&operands);
    return finish(rc, &error);
}

/* ---- the table of verbs -------------------------------------------------------------------- */

static verb_run *const RUN_BENCH = run_bench;
static verb_run *const RUN_CONVERT = run_convert;
static verb_run *const RUN_CHECK = run_check;
static verb_run *const RUN_SPLIT = run_split;

static const struct command VERBS[] = {
    {.name = "bench",
     .synopsis = "[OPTIONS] [FILE...]",
     .purpose = "items of a benchmark to rows: prompts, answers, gold",
     .options = BENCH_OPTIONS,
     .examples = "wai-rows bench --prompt question --reference answer --reference-after '####' "
                 "items.jsonl |\n"
                 "    wai-grade -V math-equal | wai-passat\n",
     .data = &RUN_BENCH},
    {.name = "convert",
     .synopsis = "[OPTIONS] [FILE...]",
     .purpose = "rows of any known shape to another form, computed keys added",
     .options = CONVERT_OPTIONS,
     .examples = "wai-rows convert old.jsonl > rows.jsonl\n"
                 "wai-rows convert --to keep --add fault,usable rows.jsonl\n",
     .data = &RUN_CONVERT},
    {.name = "check",
     .synopsis = "[OPTIONS] [FILE...]",
     .purpose = "says what is wrong with rows; a gate before a run",
     .options = CHECK_OPTIONS,
     .examples = "wai-rows check scored.jsonl\n"
                 "wai-rows check --kind training --bad broken.jsonl train.jsonl\n",
     .exit_status = "1    a row has problems\n",
     .data = &RUN_CHECK},
    {.name = "split",
     .synopsis = "[OPTIONS] [FILE...]",
     .purpose = "rows to a training and a held-out side, by task and never by row",
     .options = SPLIT_OPTIONS,
     .examples = "wai-rows split --holdout 0.2 --held holdout.jsonl scored.jsonl > train.jsonl\n",
     .data = &RUN_SPLIT},
    {0},
};

static const struct command COMMAND = {
    .name = "wai-rows",
    .synopsis = "VERB [OPTIONS] [FILE...]",
    .purpose = "makes rows, checks them and changes their form",
    .verbs = VERBS,
};

int main(int argc, char **argv)
{
    const struct command *verb;
    struct error error;
    signals_open();
    log_open("wai-rows");
    int rc = options_verb(&COMMAND, &argc, &argv, &verb, &error);
    if (rc != OPTIONS_RUN)
        return rc == OPTIONS_DONE ? 0 : log_fail(&error);
    return (*(verb_run *const *)verb->data)(verb, argc, argv);
}
