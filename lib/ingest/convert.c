/* convert.c: see convert.h. Workers convert row by row; tasks are told apart in the order of the
 * rows. */
#include "ingest/convert.h"

#include <stdlib.h>

#include "row/computed.h"
#include "row/filter.h"
#include "row/forms.h"
#include "row/key.h"
#include "row/validate.h"
#include "row/wire.h"

/* What work tells done. The note is the task key, then the names of problems, a line each. */
enum { TALLY_SHAPE, TALLY_KEY_BYTES, TALLY_REPAIRS /* ROW_REPAIR_COUNT of them */ };

/* A row that work made: its text and its members. */
struct made {
    struct buf text;
    struct json_members members;
    struct row row;
};

struct convert_worker {
    struct row_converter *converter;
    struct made objects, stripped, converted, added;
    struct json_edit edit;
    struct buf scratch;
    struct row_problems problems;
};

struct convert_run {
    const struct convert *convert;
    struct convert_report *report;
    struct convert_worker *workers;
};

enum convert_form convert_form_of(const char *name)
{
    static const char *const NAMES[] = {"v1",      "wire",        "keep",    "tasks",
                                        "objects", "corrections", "messages"};
    enum convert_form form = CONVERT_V1;
    while (strcmp(NAMES[form], name) != 0)
        form++;
    return form;
}

/* Scans a text that was just made; it came from scanned parts. */
static const struct row *take(struct made *made, const struct row *from)
{
    struct json_fault fault;
    row_of_text(buf_span(&made->text), &made->row, &made->members, &fault);
    made->row.file = from->file;
    made->row.line_number = from->line_number;
    made->row.index = from->index;
    return &made->row;
}

static const struct row *apply(struct convert_worker *w, struct made *made, const struct row *row)
{
    if (!w->edit.count)
        return row;
    buf_clear(&made->text);
    json_edit_apply(&w->edit, row->value.text, &row->members, &made->text);
    return take(made, row);
}

/* Adds the computed keys; before the stamp when that stands last, where converting again would put
 * them. */
static const struct row *add_computed(struct convert_worker *w, unsigned set, bool stamped,
                                      const struct row *row)
{
    json_edit_clear(&w->edit);
    row_computed(row, set, &w->edit);
    if (!w->edit.count)
        return row;
    if (!stamped || row->members.count < 2)
        return apply(w, &w->added, row);
    /* The row without its last member, the changes, then that member again. */
    const struct json_member *before = &row->members.items[row->members.count - 2];
    const char *cut = before->value.text.ptr + before->value.text.len;
    struct span stamp = span_make(cut, (size_t)(row->value.text.ptr + row->value.text.len - cut));
    struct made bare = {0};
    buf_add(&bare.text, row->value.text.ptr, (size_t)(cut - row->value.text.ptr));
    buf_byte(&bare.text, '}');
    take(&bare, row);
    apply(w, &w->added, &bare.row);
    w->added.text.len--; /* its brace */
    buf_span_add(&w->added.text, stamp);
    buf_free(&bare.text);
    json_members_free(&bare.members);
    return take(&w->added, row);
}

static int bad(struct row_result *result, const char *what)
{
    result->fate = ROW_BAD;
    buf_clear(&result->out);
    buf_text(&result->out, what);
    return 0;
}

static bool has_problems(struct convert_worker *w, const struct row *row, struct row_result *result)
{
    row_validate(row, ROW_KIND_ROW, false, &w->problems);
    if (!w->problems.count)
        return false;
    bad(result, "its wire form has problems: ");
    row_problems_list(&w->problems, &result->out);
    buf_text(&result->out, "; mend the row, or convert it to v1 first");
    return true;
}

static void finish_line(struct row_result *result)
{
    buf_byte(&result->out, '\n');
    result->fate = ROW_CHANGED;
}

static void write_form(const struct convert *convert, const struct row *row,
                       struct row_result *result)
{
    switch (convert->form) {
    case CONVERT_TASKS: row_form_task(row, convert->hide_privileged, &result->out); break;
    case CONVERT_OBJECTS: row_form_objects(row, convert->hide_privileged, &result->out); break;
    case CONVERT_CORRECTIONS:
        if (!row_form_correction(row, convert->all, &result->out))
            return; /* ROW_DROP */
        break;
    case CONVERT_MESSAGES: row_form_messages(row, &result->out); break;
    default: buf_span_add(&result->out, row->value.text);
    }
    finish_line(result);
}

/* The row as it comes to the conversion: back from objects, without thoughts. */
static const struct row *prepare(const struct convert *convert, struct convert_worker *w,
                                 const struct row *row, const char **what)
{
    if (convert->from_objects) {
        buf_clear(&w->objects.text);
        if (row_from_objects(row, &w->objects.text, what))
            return NULL;
        row = take(&w->objects, row);
    }
    if (convert->strip_reasoning) {
        json_edit_clear(&w->edit);
        row_strip_reasoning(row, &w->edit);
        row = apply(w, &w->stripped, row);
    }
    return row;
}

static int convert_v1(const struct convert *convert, struct convert_worker *w,
                      const struct row *row, struct row_result *result)
{
    const char *what = NULL;
    struct row_repairs repairs = {0};
    bool plain = convert->form == CONVERT_V1 && !convert->add;
    struct buf *out = plain ? &result->out : &w->converted.text;
    const struct row *normal = row_normalise(w->converter, row, &repairs, &what);
    if (!plain)
        buf_clear(out);
    if (!normal || row_convert_v1(w->converter, normal, convert->task_key, out, &repairs, &what))
        return bad(result, what);
    buf_span_add(&result->note, row_converter_task(w->converter));
    for (int i = 0; i < ROW_REPAIR_COUNT; i++)
        result->tally[TALLY_REPAIRS + i] = repairs.count[i];
    if (plain) {
        finish_line(result);
        return 0;
    }
    const struct row *made = take(&w->converted, row);
    if (convert->add)
        made = add_computed(w, convert->add, true, made);
    write_form(convert, made, result);
    return 0;
}

static int convert_other(const struct convert *convert, struct convert_worker *w,
                         const struct row *row, struct row_result *result)
{
    if (convert->form == CONVERT_WIRE) {
        buf_clear(&w->converted.text);
        row_wire(row, &w->converted.text);
        row = take(&w->converted, row);
        if (has_problems(w, row, result))
            return 0;
    }
    if (convert->add)
        row = add_computed(w, convert->add, false, row);
    buf_span_add(&result->note, row_task_key(row, &w->scratch));
    write_form(convert, row, result);
    return 0;
}

static int work(void *context, int worker, const struct row *row, struct row_result *result,
                struct error *error)
{
    struct convert_run *run = context;
    struct convert_worker *w = &run->workers[worker];
    const struct convert *convert = run->convert;
    const char *what = NULL;
    (void)error;
    result->tally[TALLY_SHAPE] = row_shape(row);
    row = prepare(convert, w, row, &what);
    if (!row)
        return bad(result, what);
    return convert->form == CONVERT_WIRE || convert->form == CONVERT_KEEP
               ? convert_other(convert, w, row, result)
               : convert_v1(convert, w, row, result);
}

static int done(void *context, const struct row *row, struct row_result *result,
                struct error *error)
{
    struct convert_run *run = context;
    struct convert_report *report = run->report;
    bool tasks = run->convert->form == CONVERT_TASKS, fresh;
    struct span key = buf_span(&result->note);
    /* Only `tasks` depends on what is equal; a count can do with 64 bits of the key. */
    uint64_t hash = map_hash(key);
    (void)row;
    (void)error;
    report->rows++;
    name_counts_add(&report->shapes,
                    span_text(row_shape_name((enum row_shape)result->tally[TALLY_SHAPE])));
    for (int i = 0; i < ROW_REPAIR_COUNT; i++)
        if (result->tally[TALLY_REPAIRS + i])
            name_counts_add_many(&report->problems, span_text(row_repair_name((enum row_repair)i)),
                                 (uint64_t)result->tally[TALLY_REPAIRS + i]);
    map_add(&report->tasks, tasks ? key : span_make((const char *)&hash, sizeof hash), &fresh);
    if (tasks && !fresh)
        result->fate = ROW_DROP;
    report->rows_out += result->fate != ROW_DROP;
    return 0;
}

int convert_run(const struct convert *convert, struct convert_report *report, struct error *error)
{
    struct convert_run run = {.convert = convert, .report = report};
    int jobs = convert->source.options.jobs > 1 ? (int)convert->source.options.jobs : 1;
    struct row_filter filter = {
        .source = convert->source,
        .writer = convert->writer,
        .jobs = jobs,
        .work = work,
        .done = done,
        .context = &run,
    };
    run.workers = mem_zero((size_t)jobs, sizeof *run.workers);
    for (int i = 0; i < jobs; i++)
        run.workers[i].converter = row_converter_new();
    int rc = row_filter_run(&filter, &report->read, error);
    for (int i = 0; i < jobs; i++) {
        struct convert_worker *w = &run.workers[i];
        struct made *made[] = {&w->objects, &w->stripped, &w->converted, &w->added};
        row_converter_free(w->converter);
        for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
            buf_free(&made[k]->text);
            json_members_free(&made[k]->members);
        }
        json_edit_free(&w->edit);
        buf_free(&w->scratch);
        row_problems_free(&w->problems);
    }
    free(run.workers);
    return rc;
}

/* ---- report -------------------------------------------------------------------------------- */

void convert_report_json(const struct convert_report *report, struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "wai_report");
    json_write_text(&w, "wai-rows convert");
    json_write_count(&w, "rows", report->rows);
    json_write_count(&w, "rows_out", report->rows_out);
    json_write_count(&w, "bad_lines", report->read.bad);
    json_write_count(&w, "tasks", report->tasks.count);
    name_counts_write(&w, "shapes", &report->shapes);
    name_counts_write(&w, "problems", &report->problems);
    json_write_end_object(&w);
    buf_byte(out, '\n');
}

void convert_report_text(const struct convert_report *report, struct buf *out)
{
    buf_format(out, "%-10s%llu in, %llu out\n", "rows", (unsigned long long)report->rows,
               (unsigned long long)report->rows_out);
    buf_format(out, "%-10s%zu\n", "tasks", report->tasks.count);
    name_counts_text("shapes", &report->shapes, out);
    name_counts_text("problems", &report->problems, out);
}

void convert_report_free(struct convert_report *report)
{
    name_counts_free(&report->shapes);
    name_counts_free(&report->problems);
    map_free(&report->tasks);
}
