/* bad_lines.c: --on-bad: a bad line stops the tool, is counted, or is moved to a file. */
#include <string.h>
#include <sys/stat.h>

#include "row/line_scan.h"
#include "row/writer.h"

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

int bad_lines_open(struct bad_lines *bad, const struct row_source *source, struct error *error)
{
    const char *policy = source->options.on_bad;
    *bad = (struct bad_lines){.mode = BAD_STOP};
    if (!policy || strcmp(policy, "stop") == 0)
        return 0;
    if (strcmp(policy, "skip") == 0) {
        bad->mode = BAD_SKIP;
        return 0;
    }
    for (size_t i = 0; i < source->n_paths; i++) {
        if (same_file(policy, source->paths[i]))
            return error_set(error, ERROR_USAGE,
                             "--on-bad %s is an input too and would be lost; name another file",
                             policy);
    }
    bad->mode = BAD_FILE;
    bad->writer = row_writer_open(policy, error);
    return bad->writer ? 0 : ERROR_SYSTEM;
}

/* "FILE:LINE: what" up to the mend, which is of use only to who is stopped; control characters
 * escaped. */
static void keep_first(struct bad_lines *bad, const char *file, uint64_t number, struct span what)
{
    struct error text;
    const char *mend = what.len ? memrchr(what.ptr, ';', what.len) : NULL;
    size_t len = mend ? (size_t)(mend - what.ptr) : what.len;
    error_set(&text, ERROR_INPUT, "%s:%llu: %.*s", file, (unsigned long long)number, (int)len,
              what.ptr);
    struct span cut = span_text(text.text);
    if (cut.len >= sizeof bad->first) {
        cut.len = sizeof bad->first - 1;
        while (cut.len && ((unsigned char)cut.ptr[cut.len] & 0xc0) == 0x80)
            cut.len--; /* at a character's edge */
    }
    memcpy(bad->first, cut.ptr, cut.len);
}

int bad_lines_take(struct bad_lines *bad, struct span raw, const char *file, uint64_t number,
                   struct span what, struct error *error)
{
    if (bad->mode == BAD_STOP)
        return error_set(error, ERROR_INPUT, "%s:%llu: %.*s", file, (unsigned long long)number,
                         (int)what.len, what.ptr);
    if (bad->count++ == 0)
        keep_first(bad, file, number, what);
    return bad->mode == BAD_FILE ? row_writer_lines(bad->writer, raw, error) : 0;
}

int bad_lines_piece(struct bad_lines *bad, const struct row_source *source,
                    const struct line_block *block, uint64_t number, struct error *error)
{
    struct span raw = span_slice(buf_span(&block->bytes), block->start, block->bytes.len);
    if (!block->long_begin)
        return bad->mode == BAD_FILE ? row_writer_lines(bad->writer, raw, error) : 0;
    struct buf what = {0};
    line_too_long(source, &what);
    int rc = bad_lines_take(bad, raw, block->file, number, buf_span(&what), error);
    buf_free(&what);
    return rc;
}

int bad_lines_close(struct bad_lines *bad, struct error *error)
{
    struct row_writer *writer = bad->writer;
    bad->writer = NULL;
    return writer ? row_writer_close(writer, error) : 0;
}
