/* check.c: see check.h. Workers find each row's problems; the counts are kept in the order of the
 * rows. */
#include "row/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "row/defaults.h"
#include "row/filter.h"
#include "row/key.h"
#include "row/look.h"
#include "row/value.h"
#include "text/term.h"
#include "json/write.h"

/* What work tells done, in tally and note: the note is the task key, the version, then each
 * problem's name as a JSON string and a line feed. */
enum { TALLY_SHAPE, TALLY_IS_OBJECT, TALLY_KEY_BYTES, TALLY_VERSION_BYTES, TALLY_PROBLEMS };

struct check_worker {
    struct row_problems problems;
    struct buf scratch;
};

struct check_run {
    const struct row_check *check;
    struct row_check_report *report;
    struct check_worker *workers;
};

static int work(void *context, int worker, const struct row *row, struct row_result *result,
                struct error *error)
{
    struct check_run *run = context;
    struct check_worker *w = &run->workers[worker];
    struct row_look look;
    bool object = row->value.type == JSON_VALUE_OBJECT;
    (void)error;
    row_look(row, &look);
    look_validate(row, &look, run->check->kind, run->check->strict, &w->problems);
    result->tally[TALLY_SHAPE] = object ? (int64_t)look_shape(&look) : (int64_t)ROW_SHAPE_LOOSE;
    result->tally[TALLY_IS_OBJECT] = object;
    if (object) {
        buf_span_add(&result->note, row_task_key(row, &w->scratch));
        result->tally[TALLY_KEY_BYTES] = (int64_t)result->note.len;
        struct span version = row_version(row, &w->scratch);
        buf_span_add(&result->note, version);
        result->tally[TALLY_VERSION_BYTES] = (int64_t)version.len;
    }
    for (size_t i = 0; i < w->problems.count; i++) {
        json_quote(&result->note, row_problem(&w->problems, i));
        buf_byte(&result->note, '\n');
    }
    result->tally[TALLY_PROBLEMS] = (int64_t)w->problems.count;
    result->fate = ROW_KEEP;
    return 0;
}

/* Same task and rollout_index as a row before? */
static bool repeated_rollout(struct row_check_report *report, const struct row *row, size_t task)
{
    const struct json_value *index = row_get_set(row, SPAN("rollout_index"));
    char key[64];
    bool fresh = true;
    double x;
    if (index && value_num(*index, &x)) { /* 1 and 1.0 are the same */
        int len = snprintf(key, sizeof key, "%zu %.17g", task, x);
        map_add(&report->rollouts, span_make(key, (size_t)len), &fresh);
    }
    return !fresh;
}

/* Names a bad row in the report. problems: JSON strings, each with a line feed. */
static void name_bad_row(struct check_run *run, const struct row *row, struct span problems)
{
    struct row_check_report *report = run->report;
    bool json = report->named < run->check->examples;
    bool text = report->shown < ROW_CHECK_SHOWN;
    struct json_writer w;
    struct buf name = {0};
    if (json) {
        buf_text(&report->bad, report->named++ ? "," : "");
        json_write_start(&w, &report->bad, JSON_STYLE_COMPACT);
        json_write_object(&w);
        json_write_key(&w, "row");
        json_write_int(&w, (int64_t)row->index);
        json_write_key(&w, "file");
        json_write_text(&w, row->file);
        json_write_key(&w, "line");
        json_write_int(&w, (int64_t)row->line_number);
        json_write_key(&w, "problems");
        json_write_array(&w);
    }
    if (text) {
        term_add(&report->first, span_text(row->file));
        buf_format(&report->first, ":%llu: ", (unsigned long long)row->line_number);
    }
    for (size_t at = 0; at < problems.len;) {
        size_t end = span_find(problems, SPAN("\n"), at);
        struct json_value quoted = {span_slice(problems, at, end), JSON_VALUE_STRING,
                                    JSON_FLAG_ESCAPED};
        struct span decoded = json_text(quoted, &name);
        name_counts_add(&report->problems, decoded);
        if (json)
            json_write_raw(&w, quoted.text);
        if (text) {
            buf_text(&report->first, at ? "," : "");
            term_add(&report->first, decoded);
        }
        at = end + 1;
    }
    if (json) {
        json_write_end_array(&w);
        json_write_end_object(&w);
    }
    if (text) {
        buf_byte(&report->first, '\n');
        report->shown++;
    }
    buf_free(&name);
}

static int done(void *context, const struct row *row, struct row_result *result,
                struct error *error)
{
    struct check_run *run = context;
    struct row_check_report *report = run->report;
    struct span note = buf_span(&result->note);
    size_t key_end = (size_t)result->tally[TALLY_KEY_BYTES];
    size_t version_end = key_end + (size_t)result->tally[TALLY_VERSION_BYTES];
    report->rows++;
    name_counts_add(&report->shapes,
                    span_text(row_shape_name((enum row_shape)result->tally[TALLY_SHAPE])));
    if (result->tally[TALLY_IS_OBJECT]) {
        size_t task = map_add(&report->tasks, span_slice(note, 0, key_end), NULL);
        name_counts_add(&report->versions, span_slice(note, key_end, version_end));
        if (run->check->strict && repeated_rollout(report, row, task)) {
            buf_text(&result->note, "\"duplicate_rollout\"\n");
            note = buf_span(&result->note);
            result->tally[TALLY_PROBLEMS]++;
        }
    }
    bool bad = result->tally[TALLY_PROBLEMS] > 0;
    if (bad) {
        report->bad_rows++;
        name_bad_row(run, row, span_slice(note, version_end, note.len));
    }
    struct row_writer *writer = bad ? run->check->bad : run->check->good;
    return writer ? row_writer_line(writer, row->line, error) : 0;
}

/* A failure is not lost: the writer gives it again when it is used or closed. */
static void flush_writers(void *data)
{
    const struct row_check *check = data;
    if (check->good)
        row_writer_flush(check->good, NULL);
    if (check->bad)
        row_writer_flush(check->bad, NULL);
}

int row_check_run(const struct row_check *check, struct row_check_report *report,
                  struct error *error)
{
    struct check_run run = {.check = check, .report = report};
    int jobs = check->source.options.jobs > 1 ? (int)check->source.options.jobs : 1;
    struct row_filter filter = {
        .source = check->source, .jobs = jobs, .work = work, .done = done, .context = &run};
    filter.source.any_value = true;
    filter.source.before_wait = flush_writers;
    filter.source.before_wait_data = (void *)check;
    report->kind = check->kind;
    run.workers = mem_zero((size_t)jobs, sizeof *run.workers);
    int rc = row_filter_run(&filter, &report->read, error);
    for (int i = 0; i < jobs; i++) {
        row_problems_free(&run.workers[i].problems);
        buf_free(&run.workers[i].scratch);
    }
    free(run.workers);
    return rc;
}

void row_check_free(struct row_check_report *report)
{
    name_counts_free(&report->problems);
    name_counts_free(&report->shapes);
    name_counts_free(&report->versions);
    map_free(&report->tasks);
    map_free(&report->rollouts);
    buf_free(&report->bad);
    buf_free(&report->first);
}

void row_check_json(const struct row_check_report *report, struct buf *out)
{
    struct json_writer w;
    struct buf bad = {0};
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "wai_report");
    json_write_text(&w, "wai-rows check");
    json_write_key(&w, "kind");
    json_write_text(&w, row_kind_name(report->kind));
    json_write_count(&w, "rows", report->rows);
    json_write_count(&w, "bad_rows", report->bad_rows);
    if (report->read.bad) /* --on-bad skip or FILE: lines that are no JSON at all */
        json_write_count(&w, "skipped_lines", report->read.bad);
    name_counts_write(&w, "problems", &report->problems);
    name_counts_write(&w, "shapes", &report->shapes);
    name_counts_write(&w, "versions", &report->versions);
    json_write_count(&w, "tasks", report->tasks.count);
    json_write_key(&w, "bad");
    buf_byte(&bad, '[');
    buf_span_add(&bad, buf_span(&report->bad));
    buf_byte(&bad, ']');
    json_write_raw(&w, buf_span(&bad));
    json_write_end_object(&w);
    buf_byte(out, '\n');
    buf_free(&bad);
}

void row_check_text(const struct row_check_report *report, struct buf *out)
{
    const struct name_counts *problems = &report->problems;
    buf_format(out, "%-10s%llu (kind %s), %llu with problems\n", "rows",
               (unsigned long long)report->rows, row_kind_name(report->kind),
               (unsigned long long)report->bad_rows);
    buf_format(out, "%-10s%zu\n", "tasks", report->tasks.count);
    name_counts_text("shapes", &report->shapes, out);
    name_counts_text("versions", &report->versions, out);
    if (report->bad_rows == 0)
        return;
    buf_text(out, "\n     rows  problem\n");
    for (size_t i = 0; i < problems->names.count; i++) {
        buf_format(out, "%9llu  ", (unsigned long long)problems->counts[i]);
        term_add_head(out, problems->names.keys[i], ROW_CHECK_NAME);
        buf_byte(out, '\n');
    }
    buf_byte(out, '\n');
    buf_span_add(out, buf_span(&report->first));
    if (report->bad_rows > report->shown)
        buf_format(out, "and %llu more; --json names them, --bad FILE keeps them\n",
                   (unsigned long long)(report->bad_rows - report->shown));
}
