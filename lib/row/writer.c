/* writer.c: whole lines out. See writer.h. */
#include "row/writer.h"

#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "base/file.h"
#include "row/defaults.h"

struct row_writer {
    struct file *file; /* NULL: standard output */
    struct buf held;   /* whole lines, at most ROW_WRITE_BYTES unless one line is longer */
    ZSTD_CCtx *zstd;   /* NULL: plain */
    struct buf packed;
    uint64_t count;
    int failed; /* a write failed: so does everything after it */
    struct error failure;
};

struct row_writer *row_writer_open(const char *path, struct error *error)
{
    struct row_writer *w = mem_zero(1, sizeof *w);
    if (path) {
        w->file = file_create(path, error);
        if (!w->file) {
            free(w);
            return NULL;
        }
        if (span_ends(span_text(path), SPAN(".zst"))) {
            w->zstd = ZSTD_createCCtx();
            if (!w->zstd)
                mem_out_of_memory(ZSTD_CStreamOutSize());
            ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, ROW_ZSTD_LEVEL);
            ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
        }
    }
    return w;
}

/* A write(2) takes at most ROW_WRITE_BYTES, and begins and ends at a line's end where lines are
 * shorter than that. */
static int put(struct row_writer *w, struct span bytes, struct error *error)
{
    while (bytes.len) {
        size_t n = bytes.len < ROW_WRITE_BYTES ? bytes.len : ROW_WRITE_BYTES;
        struct span chunk = span_slice(bytes, 0, n);
        int rc = w->file ? file_write(w->file, chunk, error)
                         : file_write_all(STDOUT_FILENO, "standard output", chunk, error);
        if (rc < 0)
            return rc;
        bytes = span_slice(bytes, n, bytes.len);
    }
    return 0;
}

static int compress(struct row_writer *w, struct span bytes, bool end, struct error *error)
{
    ZSTD_inBuffer from = {bytes.ptr, bytes.len, 0};
    size_t left;
    do {
        buf_clear(&w->packed);
        ZSTD_outBuffer to = {buf_reserve(&w->packed, ZSTD_CStreamOutSize()), ZSTD_CStreamOutSize(),
                             0};
        left = ZSTD_compressStream2(w->zstd, &to, &from, end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return error_set(error, ERROR_SYSTEM, "zstd could not compress the output (%s)",
                             ZSTD_getErrorName(left));
        int rc = put(w, span_make(w->packed.data, to.pos), error);
        if (rc < 0)
            return rc;
    } while (end ? left > 0 : from.pos < from.size);
    return 0;
}

static int send(struct row_writer *w, struct span lines, struct error *error)
{
    return w->zstd ? compress(w, lines, false, error) : put(w, lines, error);
}

int row_writer_flush(struct row_writer *w, struct error *error)
{
    if (w->held.len && !w->failed)
        w->failed = send(w, buf_span(&w->held), &w->failure);
    buf_clear(&w->held);
    if (w->failed && error)
        *error = w->failure;
    return w->failed;
}

static int make_room(struct row_writer *w, size_t len, struct error *error)
{
    return w->held.len && w->held.len + len > ROW_WRITE_BYTES ? row_writer_flush(w, error) : 0;
}

int row_writer_line(struct row_writer *w, struct span line, struct error *error)
{
    int rc = make_room(w, line.len + 1, error);
    if (rc < 0)
        return rc;
    w->count++;
    buf_span_add(&w->held, line);
    buf_byte(&w->held, '\n');
    if (w->held.len <= ROW_WRITE_BYTES)
        return 0;
    rc = row_writer_flush(w, error); /* one long line: written now, its memory given back */
    buf_free(&w->held);
    return rc;
}

int row_writer_lines(struct row_writer *w, struct span lines, struct error *error)
{
    const char *end = lines.len ? lines.ptr + lines.len : lines.ptr; /* NULL + 0 is undefined */
    for (const char *at = lines.ptr; at < end;) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at)
            break;
        at++;
        w->count++;
    }
    if (lines.len <= ROW_WRITE_BYTES) {
        int rc = make_room(w, lines.len, error);
        if (rc == 0)
            buf_span_add(&w->held, lines);
        return rc;
    }
    while (lines.len) { /* cut at line ends */
        size_t n = lines.len;
        if (n > ROW_WRITE_BYTES) {
            const char *lf = memrchr(lines.ptr, '\n', ROW_WRITE_BYTES);
            n = lf ? (size_t)(lf - lines.ptr) + 1 : ROW_WRITE_BYTES;
        }
        int rc = make_room(w, n, error);
        if (rc < 0)
            return rc;
        buf_add(&w->held, lines.ptr, n);
        lines = span_slice(lines, n, lines.len);
    }
    return 0;
}

uint64_t row_writer_count(const struct row_writer *w)
{
    return w->count;
}

static void release(struct row_writer *w)
{
    ZSTD_freeCCtx(w->zstd);
    buf_free(&w->held);
    buf_free(&w->packed);
    free(w);
}

int row_writer_close(struct row_writer *w, struct error *error)
{
    int rc = row_writer_flush(w, error);
    if (rc == 0 && w->zstd)
        rc = compress(w, (struct span){0}, true, error);
    if (w->file && rc == 0)
        rc = file_commit(w->file, error);
    else if (w->file)
        file_abandon(w->file);
    release(w);
    return rc;
}

void row_writer_abandon(struct row_writer *w)
{
    if (!w)
        return;
    if (w->file)
        file_abandon(w->file);
    release(w);
}
