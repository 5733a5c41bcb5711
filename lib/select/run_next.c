/* run_next.c: wai-select --mode next-round: what was asked, chosen and told. */
#include <stdlib.h>

#include "select/job.h"
#include "select/next_round.h"

static bool take_row(void *data, const struct row *row)
{
    next_round_add(data, row);
    return false; /* what it needs is kept by itself */
}

static int read_tasks(struct select_job *job, struct next_round *r, struct error *error)
{
    const char *path = job->q->tasks;
    struct row_source source = {
        .paths = &path, .n_paths = 1, .options = job->q->rows, .any_value = true};
    struct row_reader *reader = path ? row_reader_open(&source, error) : NULL;
    struct row row;
    int got;
    if (!path)
        return 0;
    if (!reader)
        return error->code;
    r->limited = true;
    while ((got = row_reader_next(reader, &row, error)) > 0) {
        if (row.value.type == JSON_VALUE_OBJECT || row.value.type == JSON_VALUE_STRING)
            next_round_given(r, &row);
        else if ((got = row_reader_reject(reader, &row, "a task is a row or a prompt in quotes",
                                          error)) < 0)
            break;
    }
    int closed = row_reader_close(reader, got < 0 ? NULL : error);
    return got < 0 ? got : closed;
}

/* The lines that leave as the report's "tasks". */
static void write_tasks(struct span lines, struct json_writer *w)
{
    json_write_key(w, "tasks");
    json_write_array(w);
    for (size_t at = 0; at < lines.len;) {
        size_t end = span_find(lines, SPAN("\n"), at);
        json_write_raw(w, span_slice(lines, at, end));
        at = end + 1;
    }
    json_write_end_array(w);
}

int select_mode_next_round(struct select_job *job, struct error *error)
{
    struct next_round r = {0};
    struct round_counts counts = {0};
    struct buf lines = {0};
    struct json_writer w;
    double low, high;
    int code = job_band_read(job->q, true, &low, &high, error);
    if (!code)
        code = read_tasks(job, &r, error);
    if (!code)
        code = job_read(job, false, take_row, &r, error);
    if (!code) {
        job_open_report(job, &w);
        next_round_choose(&r, low, high, &lines, &w, &counts);
        if (job->q->json)
            write_tasks(buf_span(&lines), &w);
        json_write_end_object(&w);
        if (!job->q->json || job->q->output)
            code = job_write_lines(job, buf_span(&lines), error);
        buf_format(
            &job->out->notes,
            "%zu tasks kept, %zu unknown ones with them; dropped: %zu solved, %zu unsolved\n",
            counts.kept, counts.unknown, counts.solved, counts.unsolved);
        if (r.n_rows && !counts.measured)
            buf_text(&job->out->notes,
                     "note: no row carries a 0/1 label or a pass rate, so nothing is known of any "
                     "task; grade the rows first\n");
    }
    if (!code)
        code = job_fail_under(job, counts.kept + counts.unknown, "tasks", error);
    next_round_free(&r);
    buf_free(&lines);
    return code;
}
