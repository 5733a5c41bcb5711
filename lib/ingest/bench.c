/* bench.c: see bench.h. A worker writes the rows of an item but for their index, which counts
 * within a task and is filled in in the order of the items. */
#include "ingest/bench.h"

#include <stdlib.h>

#include "base/signals.h"
#include "ingest/bench_item.h"
#include "row/filter.h"

/* What work tells done: out holds a head and a tail of each row, a line each; the note is the task,
 * then the mapping of the first item. */
enum { TALLY_ROWS, TALLY_UNJUDGED, TALLY_WITHOUT_MARK, TALLY_PROMPT_HASH, TALLY_TASK_BYTES };

struct bench_task {
    int64_t next;         /* rollout_index of its next row */
    uint64_t prompt_hash; /* of the whole prompt of its first item */
};

struct bench_run {
    const struct bench *bench;
    struct bench_report *report;
    struct bench_work *workers;
    const char *completions_path; /* the reader keeps its address */
    struct row_reader *completions;
    struct bench_task *tasks;
    size_t cap_tasks;
};

/* The line of the file of completions that belongs to this item. */
static int next_completions(struct bench_run *run, const struct row *item, struct row *line,
                            struct error *error)
{
    int got = row_reader_next(run->completions, line, error);
    if (got < 0)
        return got;
    if (got == 0)
        return error_set(
            error, ERROR_INPUT, "%s:%llu: no line in %s for this item; give as many lines as items",
            item->file, (unsigned long long)item->line_number, run->bench->completions);
    return 0;
}

static int work(void *context, int worker, const struct row *row, struct row_result *result,
                struct error *error)
{
    struct bench_run *run = context;
    struct bench_item item = {.bench = run->bench, .work = &run->workers[worker], .row = row};
    struct row line;
    if (run->completions) {
        int rc = next_completions(run, row, &line, error);
        if (rc < 0)
            return rc;
        item.completions = line.value;
    }
    int rc = bench_item_write(&item, &result->out, error);
    if (rc < 0)
        return rc;
    if (rc > 0) { /* out says what is wrong */
        result->fate = ROW_BAD;
        return 0;
    }
    result->tally[TALLY_ROWS] = (int64_t)item.rows;
    result->tally[TALLY_UNJUDGED] = (int64_t)item.unjudged;
    result->tally[TALLY_WITHOUT_MARK] = item.without_mark;
    result->tally[TALLY_PROMPT_HASH] = (int64_t)map_hash(item.prompt.text);
    buf_span_add(&result->note, buf_span(&item.work->task));
    result->tally[TALLY_TASK_BYTES] = (int64_t)result->note.len;
    if (row->index == 0)
        bench_item_mapping(&item, &result->note);
    result->fate = ROW_CHANGED;
    return 0;
}

static struct bench_task *task_of(struct bench_run *run, struct span key, uint64_t prompt_hash)
{
    bool fresh;
    size_t at = map_add(&run->report->tasks, key, &fresh);
    run->tasks = mem_grow(run->tasks, &run->cap_tasks, at + 1, sizeof *run->tasks);
    if (fresh)
        run->tasks[at] = (struct bench_task){.prompt_hash = prompt_hash};
    else
        run->report->same_ask += run->tasks[at].prompt_hash != prompt_hash;
    return &run->tasks[at];
}

/* Puts the index between the halves of each row. */
static void number_rows(struct bench_task *task, struct buf *out)
{
    struct buf numbered = {0};
    struct span text = buf_span(out);
    for (size_t at = 0; at < text.len;) {
        size_t head = span_find(text, SPAN("\n"), at);
        size_t tail = span_find(text, SPAN("\n"), head + 1);
        buf_span_add(&numbered, span_slice(text, at, head));
        buf_format(&numbered, "%lld", (long long)task->next++);
        buf_span_add(&numbered, span_slice(text, head + 1, tail + 1));
        at = tail + 1;
    }
    buf_free(out);
    *out = numbered;
}

static int done(void *context, const struct row *row, struct row_result *result,
                struct error *error)
{
    struct bench_run *run = context;
    struct bench_report *report = run->report;
    struct span note = buf_span(&result->note);
    size_t task_end = (size_t)result->tally[TALLY_TASK_BYTES];
    (void)error;
    if (row->index == 0)
        buf_span_add(&report->mapping, span_slice(note, task_end, note.len));
    report->items++;
    report->rows += (uint64_t)result->tally[TALLY_ROWS];
    report->without_completion += result->tally[TALLY_ROWS] == 0;
    report->unjudged += (uint64_t)result->tally[TALLY_UNJUDGED];
    report->without_mark += (uint64_t)result->tally[TALLY_WITHOUT_MARK];
    if (result->tally[TALLY_ROWS] == 0) {
        result->fate = ROW_DROP;
        return 0;
    }
    number_rows(
        task_of(run, span_slice(note, 0, task_end), (uint64_t)result->tally[TALLY_PROMPT_HASH]),
        &result->out);
    return 0;
}

static int open_completions(struct bench_run *run, struct error *error)
{
    if (strcmp(run->bench->source.options.on_bad, "stop") != 0)
        return error_set(
            error, ERROR_USAGE,
            "--completions pairs line with item, so no item may be left out; drop --on-bad");
    run->completions_path = run->bench->completions;
    struct row_source source = {.paths = &run->completions_path,
                                .n_paths = 1,
                                .options = run->bench->source.options,
                                .any_value = true};
    source.options.on_bad = "stop";
    source.options.jobs = 1;
    run->completions = row_reader_open(&source, error);
    return run->completions ? 0 : error->code;
}

/* Every line of the file has had its item. */
static int close_completions(struct bench_run *run, int rc, struct error *error)
{
    struct row line;
    struct error closing;
    if (rc == 0) {
        int more = row_reader_next(run->completions, &line, error);
        if (more > 0)
            rc = error_set(
                error, ERROR_INPUT,
                "%s:%llu: a line without an item; there are %llu items, give as many lines",
                run->bench->completions, (unsigned long long)line.line_number,
                (unsigned long long)run->report->items);
        else
            rc = more;
    }
    int closed = row_reader_close(run->completions, rc == 0 ? error : &closing);
    return rc == 0 ? closed : rc;
}

/* ---- tables of text ------------------------------------------------------------------------ */

static int bad_record(struct bench_run *run, const char *path, size_t line, struct span what,
                      struct error *error)
{
    if (strcmp(run->bench->source.options.on_bad, "skip") == 0) {
        run->report->read.bad++;
        return 0;
    }
    return error_set(error, ERROR_INPUT, "%s:%zu: %.*s", path, line, (int)what.len, what.ptr);
}

/* One record through the work and the end of a row. */
static int take_record(struct bench_run *run, struct row *row, struct row_result *result,
                       struct error *error)
{
    *result =
        (struct row_result){.out = result->out, .note = result->note, .written = result->written};
    buf_clear(&result->out);
    buf_clear(&result->note);
    row->index = run->report->read.rows;
    int rc = work(run, 0, row, result, error);
    if (rc < 0)
        return rc;
    if (result->fate == ROW_BAD)
        return bad_record(run, row->file, row->line_number, buf_span(&result->out), error);
    run->report->read.rows++;
    rc = done(run, row, result, error);
    if (rc < 0 || result->fate == ROW_DROP)
        return rc;
    return row_writer_lines(run->bench->writer, buf_span(&result->out), error);
}

static int take_table(struct bench_run *run, const char *path, enum csv_kind kind,
                      struct error *error)
{
    struct csv csv = {0};
    struct json_members members = {0};
    struct row_result result = {0};
    struct buf record = {0};
    size_t line;
    int got, rc = csv_open(&csv, path, kind, error);
    while (rc == 0 && (got = csv_next(&csv, &record, &line)) != 0) {
        struct row row;
        struct json_fault fault;
        if (signals_caught()) {
            rc = error_set(error, ERROR_INTERRUPTED, "interrupted");
        } else if (got < 0 || row_of_text(buf_span(&record), &row, &members, &fault)) {
            rc = bad_record(run, path, line, buf_span(&record), error);
        } else {
            row.file = path;
            row.line_number = line;
            rc = take_record(run, &row, &result, error);
        }
    }
    csv_free(&csv);
    json_members_free(&members);
    buf_free(&result.out);
    buf_free(&result.note);
    buf_free(&record);
    return rc;
}

static enum csv_kind kind_of(const struct bench *bench, size_t i)
{
    return bench->table ? bench->table : csv_kind_of(bench->source.paths[i]);
}

/* 1: the operands are tables; 0: lines; ERROR_USAGE: some of each. */
static int are_tables(const struct bench *bench, struct error *error)
{
    const struct row_source *source = &bench->source;
    size_t tables = 0;
    for (size_t i = 0; i < source->n_paths; i++)
        tables += kind_of(bench, i) != CSV_NONE;
    if (tables && tables < source->n_paths)
        return error_set(
            error, ERROR_USAGE,
            "some operands are tables and some are JSON lines; give them one after the other");
    return source->n_paths ? tables > 0 : bench->table != CSV_NONE;
}

static int take_tables(struct bench_run *run, struct error *error)
{
    const struct row_source *source = &run->bench->source;
    const char *on_bad = source->options.on_bad;
    int rc = 0;
    if (strcmp(on_bad, "stop") != 0 && strcmp(on_bad, "skip") != 0)
        return error_set(
            error, ERROR_USAGE,
            "--on-bad %s: a record of a table is no line to be moved; use skip or stop", on_bad);
    if (!source->n_paths)
        rc = take_table(run, "-", run->bench->table, error);
    for (size_t i = 0; i < source->n_paths && rc == 0; i++)
        rc = take_table(run, source->paths[i], kind_of(run->bench, i), error);
    if (rc < 0) { /* the rows before it are whole */
        struct error flushing;
        row_writer_flush(run->bench->writer, &flushing);
    }
    return rc;
}

/* ---- all ----------------------------------------------------------------------------------- */

int bench_run(const struct bench *bench, struct bench_report *report, struct error *error)
{
    struct bench_run run = {.bench = bench, .report = report};
    struct row_filter filter = {
        .source = bench->source,
        .writer = bench->writer,
        .jobs = bench->source.options.jobs > 1 ? (int)bench->source.options.jobs : 1,
        .work = work,
        .done = done,
        .context = &run,
    };
    int tables = are_tables(bench, error), rc = 0;
    if (tables < 0)
        return tables;
    if (bench->completions) {
        filter.jobs = 1; /* its lines are taken in the order of the items */
        rc = open_completions(&run, error);
        if (rc < 0)
            return rc;
    }
    run.workers = mem_zero((size_t)filter.jobs, sizeof *run.workers);
    rc = tables ? take_tables(&run, error) : row_filter_run(&filter, &report->read, error);
    if (run.completions)
        rc = close_completions(&run, rc, error);
    if (rc == 0 && report->items == 0)
        rc = error_set(error, ERROR_INPUT,
                       "no item arrived; give a file of items, one JSON object a line");
    for (int i = 0; i < filter.jobs; i++)
        bench_work_free(&run.workers[i]);
    free(run.workers);
    free(run.tasks);
    return rc;
}

/* ---- report -------------------------------------------------------------------------------- */

void bench_report_json(const struct bench_report *report, struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "wai_report");
    json_write_text(&w, "wai-rows bench");
    json_write_count(&w, "items", report->items);
    json_write_count(&w, "rows", report->rows);
    json_write_count(&w, "tasks", report->tasks.count);
    json_write_count(&w, "items_without_completion", report->without_completion);
    json_write_count(&w, "unjudged", report->unjudged);
    json_write_count(&w, "references_without_mark", report->without_mark);
    json_write_count(&w, "same_ask_other_context", report->same_ask);
    json_write_count(&w, "bad_lines", report->read.bad);
    json_write_key(&w, "mapping");
    json_write_span(&w, buf_span(&report->mapping));
    json_write_end_object(&w);
    buf_byte(out, '\n');
}

static void text_note(struct buf *out, uint64_t count, const char *what)
{
    if (count)
        buf_format(out, "%-10s%llu %s\n", "note", (unsigned long long)count, what);
}

void bench_report_text(const struct bench_report *report, struct buf *out)
{
    buf_format(out, "%-10s%llu items, %llu rows, %zu tasks\n", "bench",
               (unsigned long long)report->items, (unsigned long long)report->rows,
               report->tasks.count);
    text_note(out, report->without_completion, "items have no completion and gave no row");
    text_note(out, report->unjudged, "given rewards are null: their rows are unjudged");
    text_note(out, report->without_mark,
              "references lack the text of --reference-after and were taken whole");
    text_note(out, report->same_ask,
              "items share a task by their last ask, though what came before differs; name their "
              "tasks with --task-id");
}

void bench_report_free(struct bench_report *report)
{
    map_free(&report->tasks);
    buf_free(&report->mapping);
}
