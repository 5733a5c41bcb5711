/* filter.c: the loop of every filter that works row by row. See filter.h. */
#include "row/filter.h"

static void clear(struct row_result *result)
{
    result->fate = ROW_DROP;
    buf_clear(&result->out);
    buf_clear(&result->note);
    memset(result->tally, 0, sizeof result->tally);
}

static int settle(const struct row_filter *filter, struct row_reader *reader, const struct row *row,
                  struct row_result *result, struct error *error)
{
    if (result->fate == ROW_BAD)
        return row_reader_reject(reader, row, buf_cstr(&result->out), error);
    int rc = filter->done ? filter->done(filter->context, row, result, error) : 0;
    if (rc < 0 || !filter->writer || result->fate == ROW_DROP)
        return rc;
    return result->fate == ROW_KEEP ? row_writer_line(filter->writer, row->line, error)
                                    : row_writer_lines(filter->writer, buf_span(&result->out), error);
}

int row_filter_run(const struct row_filter *filter, struct row_counts *counts, struct error *error)
{
    struct row_reader *reader = row_reader_open(&filter->source, error);
    if (!reader)
        return error ? error->code : ERROR_INPUT;
    struct row_result result = {0};
    struct row row;
    int rc;
    while ((rc = row_reader_next(reader, &row, error)) > 0) {
        clear(&result);
        if ((rc = filter->work(filter->context, 0, &row, &result, error)) < 0 ||
            (rc = settle(filter, reader, &row, &result, error)) < 0)
            break;
    }
    if (counts)
        *counts = row_reader_counts(reader);
    struct error later;
    int end = row_reader_close(reader, rc < 0 ? &later : error);
    buf_free(&result.out);
    buf_free(&result.note);
    return rc < 0 ? rc : end;
}
