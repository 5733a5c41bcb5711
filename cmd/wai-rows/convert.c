/* convert.c: wai-rows convert: rows of any known shape to another form. */
#include "ingest/convert.h"
#include "base/log.h"
#include "cmd/wai-rows/verbs.h"
#include "row/computed.h"

struct convert_options {
    struct row_options rows;
    struct output_options out;
    struct convert convert;
    const char *to, *from, *add;
};

/* clang-format off */
const struct option CONVERT_OPTIONS[] = {
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

int run_convert(const struct command *verb, int argc, char **argv, struct error *error)
{
    struct convert_options o = {.rows = ROW_OPTIONS_DEFAULT, .to = "v1", .from = "auto"};
    struct operands operands = {0};
    struct convert_report report = {0};
    struct buf text = {0}, json = {0};
    int rc = options_parse(verb, argc, argv, &o, &operands, error);
    if (rc != OPTIONS_RUN)
        return rc == OPTIONS_DONE ? 0 : rc;
    log_quiet(o.rows.quiet);
    o.convert.source = source_of(&operands, &o.rows);
    o.convert.form = convert_form_of(o.to);
    o.convert.from_objects = strcmp(o.from, "objects") == 0;
    if (o.add && (rc = row_computed_parse(o.add, &o.convert.add, error)) < 0)
        return rc;
    o.convert.writer = row_writer_open(o.out.output, error);
    rc = o.convert.writer ? convert_run(&o.convert, &report, error) : error->code;
    rc = close_writer(rc, o.convert.writer, error);
    if (rc == 0) {
        note_counts(&report.read);
        convert_report_text(&report, &text);
        convert_report_json(&report, &json);
    }
    rc = tell(&o.out, &text, &json, rc, error);
    convert_report_free(&report);
    operands_free(&operands);
    return rc;
}
