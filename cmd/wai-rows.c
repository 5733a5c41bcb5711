/* wai-rows: makes rows, checks them and changes their form. One verb, one function; what a verb
 * does with the rows stands in the rooms row and ingest. */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/options.h"
#include "base/signals.h"
#include "row/check.h"
#include "row/defaults.h"

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
        log_warning("%llu bad line%s left out", (unsigned long long)counts->bad,
                    counts->bad == 1 ? " was" : "s were");
    if (counts->rows == 0)
        log_note("no row arrived");
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

/* ---- check --------------------------------------------------------------------------------------
 */

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
        .source = {.paths = operands.items, .n_paths = operands.count, .options = o.rows},
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

/* ---- the table of verbs -------------------------------------------------------------------------
 */

static verb_run *const RUN_CHECK = run_check;

static const struct command VERBS[] = {
    {.name = "check",
     .synopsis = "[OPTIONS] [FILE...]",
     .purpose = "says what is wrong with rows; a gate before a run",
     .options = CHECK_OPTIONS,
     .examples = "wai-rows check scored.jsonl\n"
                 "wai-rows check --kind training --bad broken.jsonl train.jsonl\n",
     .exit_status = "1    a row has problems\n",
     .data = &RUN_CHECK},
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
