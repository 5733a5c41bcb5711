/* check.c: wai-rows check: what is wrong with rows. */
#include "row/check.h"
#include "base/log.h"
#include "cmd/wai-rows/verbs.h"
#include "row/defaults.h"

struct check_options {
    struct row_options rows;
    const char *kind, *good, *bad, *print_schema, *report;
    bool strict, json;
    int64_t examples;
};

const struct option CHECK_OPTIONS[] = {
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
    int rc = program_report(buf_span(&text), NULL, SPAN(""), error);
    buf_free(&text);
    return rc;
}

static int check_report(const struct check_options *o, const struct row_check_report *report,
                        struct error *error)
{
    struct buf json = {0}, text = {0};
    row_check_json(report, &json);
    row_check_text(report, &text);
    int rc = program_report(buf_span(o->json ? &json : &text), o->report, buf_span(&json), error);
    buf_free(&json);
    buf_free(&text);
    return rc;
}

int run_check(const struct command *verb, int argc, char **argv, struct error *error)
{
    struct check_options o = {
        .rows = ROW_OPTIONS_DEFAULT, .kind = "row", .examples = ROW_CHECK_EXAMPLES};
    struct operands operands = {0};
    struct row_check_report report = {0};
    int rc = options_parse(verb, argc, argv, &o, &operands, error);
    if (rc != OPTIONS_RUN)
        return rc == OPTIONS_DONE ? 0 : rc;
    log_quiet(o.rows.quiet);
    if (o.print_schema)
        return print_schema(o.print_schema, error);

    struct row_check check = {
        .source = source_of(&operands, &o.rows),
        .kind = row_kind_of(o.kind),
        .strict = o.strict,
        .examples = (size_t)o.examples,
    };
    if ((rc = open_writer(o.good, &check.good, error)) == 0 &&
        (rc = open_writer(o.bad, &check.bad, error)) == 0)
        rc = row_check_run(&check, &report, error);
    rc = close_writer(rc, check.good, error);
    rc = close_writer(rc, check.bad, error);
    if (rc == 0) {
        note_counts(&report.read);
        rc = check_report(&o, &report, error);
    }
    bool red = report.bad_rows > 0;
    row_check_free(&report);
    operands_free(&operands);
    return rc < 0 ? rc : red;
}
