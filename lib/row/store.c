/* store.c: see store.h. One growing run of bytes: its head in a file once it is too long for
 * memory, its tail in a buffer; a line is an offset into the whole. */
#include "row/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

struct row_store {
    uint64_t *ends; /* ends[i]: offset behind line i */
    size_t count, cap;
    struct buf tail;
    uint64_t spilled; /* bytes in the file; the tail begins there */
    size_t memory;
    int fd; /* -1: no file yet */
};

struct row_store *row_store_new(size_t memory)
{
    struct row_store *s = mem_zero(1, sizeof *s);
    s->memory = memory;
    s->fd = -1;
    return s;
}

static int open_spill(struct row_store *s, struct error *error)
{
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder)
        folder = "/tmp";
    s->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (s->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        struct buf path = {0};
        buf_format(&path, "%s/wai-rows.XXXXXX", folder);
        s->fd = mkostemp((char *)buf_cstr(&path), O_CLOEXEC);
        if (s->fd >= 0)
            unlink(path.data);
        buf_free(&path);
    }
    if (s->fd < 0)
        return error_errno(error, ERROR_SYSTEM,
                           "%s: no temporary file for the rows; set TMPDIR to a folder with room",
                           folder);
    return 0;
}

static int spill(struct row_store *s, struct error *error)
{
    if (s->fd < 0 && open_spill(s, error))
        return ERROR_SYSTEM;
    if (file_write_all(s->fd, "temporary file for the rows", buf_span(&s->tail), error))
        return ERROR_SYSTEM;
    s->spilled += s->tail.len;
    buf_clear(&s->tail);
    return 0;
}

int row_store_add(struct row_store *s, struct span line, size_t *number, struct error *error)
{
    if (s->tail.len && s->tail.len + line.len > s->memory && spill(s, error))
        return ERROR_SYSTEM;
    if (!s->tail
             .cap) { /* room for all at once: it is no memory until it is filled, and never moves */
        buf_reserve(&s->tail, s->memory);
        mem_large(s->tail.data, s->tail.cap);
    }
    buf_span_add(&s->tail, line);
    s->ends = mem_grow(s->ends, &s->cap, s->count + 1, sizeof *s->ends);
    s->ends[s->count] = s->spilled + s->tail.len;
    *number = s->count++;
    return 0;
}

int row_store_get(struct row_store *s, size_t number, struct buf *scratch, struct span *line,
                  struct error *error)
{
    uint64_t start = number ? s->ends[number - 1] : 0;
    size_t len = (size_t)(s->ends[number] - start);
    if (start >= s->spilled) {
        *line = span_make(s->tail.data + (start - s->spilled), len);
        return 0;
    }
    buf_clear(scratch);
    buf_reserve(scratch, len);
    while (scratch->len < len) {
        ssize_t got = pread(s->fd, scratch->data + scratch->len, len - scratch->len,
                            (off_t)(start + scratch->len));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return error_errno(error, ERROR_SYSTEM,
                               "the temporary file of rows cannot be read back");
        scratch->len += (size_t)got;
    }
    *line = buf_span(scratch);
    return 0;
}

size_t row_store_count(const struct row_store *s)
{
    return s->count;
}

void row_store_free(struct row_store *s)
{
    if (!s)
        return;
    if (s->fd >= 0)
        close(s->fd);
    free(s->ends);
    buf_free(&s->tail);
    free(s);
}
