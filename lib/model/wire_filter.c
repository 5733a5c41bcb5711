/* wire_filter.c: see wire_filter.h. */
#include "model/wire_filter.h"

#include "model/chat.h"

int wire_filter(bool replies, const struct row_options *options, struct row_writer *writer,
                struct error *error)
{
    struct row_source source = {.options = *options};
    source.options.jobs = 1;
    struct row_reader *reader = row_reader_open(&source, error);
    if (!reader)
        return error->code;
    struct row row;
    struct buf out = {0};
    int got;
    while ((got = row_reader_next(reader, &row, error)) > 0) {
        struct json_writer w;
        struct error why = {0};
        buf_clear(&out);
        json_write_start(&w, &out, JSON_STYLE_COMPACT);
        got = replies ? chat_wire_reply(row.value, &w, &why) : chat_wire(row.value, &w, &why);
        got = got < 0 ? row_reader_reject(reader, &row, why.text, error)
                      : row_writer_line(writer, buf_span(&out), error);
        if (got < 0)
            break;
    }
    int closed = row_reader_close(reader, got < 0 ? NULL : error);
    buf_free(&out);
    return got < 0 ? got : closed;
}
