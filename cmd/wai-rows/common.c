/* common.c: what the verbs of wai-rows share. */
#include "base/log.h"
#include "cmd/wai-rows/verbs.h"

void note_counts(const struct row_counts *counts)
{
    if (counts->bad)
        log_warning("%llu bad line%s left out; the first: %s", (unsigned long long)counts->bad,
                    counts->bad == 1 ? " was" : "s were", counts->first_bad);
    if (counts->rows == 0)
        log_note("no row arrived");
}

struct row_source source_of(const struct operands *operands, const struct row_options *rows)
{
    return (struct row_source){
        .paths = operands->items, .n_paths = operands->count, .options = *rows};
}

int open_writer(const char *path, struct row_writer **writer, struct error *error)
{
    *writer = path ? row_writer_open(path, error) : NULL;
    return path && !*writer ? ERROR_SYSTEM : 0;
}

int close_writer(int rc, struct row_writer *writer, struct error *error)
{
    if (!writer)
        return rc;
    if (rc == 0)
        return row_writer_close(writer, error);
    row_writer_abandon(writer);
    return rc;
}

int tell(const struct output_options *o, struct buf *text, struct buf *json, int rc,
         struct error *error)
{
    for (size_t at = 0; rc == 0 && at < text->len;) {
        size_t end = span_find(buf_span(text), SPAN("\n"), at);
        log_note("%.*s", (int)(end - at), text->data + at);
        at = end + 1;
    }
    if (rc == 0)
        rc = program_report((struct span){0}, o->report, buf_span(json), error);
    buf_free(text);
    buf_free(json);
    return rc;
}
