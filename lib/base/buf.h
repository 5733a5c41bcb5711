/* buf.h: a growing run of bytes that its holder owns. `struct buf b = {0}` is an empty one. */
#ifndef WAI_BASE_BUF_H
#define WAI_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/span.h"

struct buf {
    char *data; /* owned */
    size_t len; /* bytes in use */
    size_t cap; /* bytes allocated */
};

void buf_free(struct buf *b); /* leaves it empty and usable */

static inline void buf_clear(struct buf *b)
{
    b->len = 0;
}

static inline struct span buf_span(const struct buf *b)
{
    return (struct span){b->data, b->len};
}

/* Makes room for `more` further bytes and returns where they go; the caller adds to b->len. */
static inline char *buf_reserve(struct buf *b, size_t more)
{
    if (b->cap - b->len < more)
        b->data = (char *)mem_grow(b->data, &b->cap, b->len + more, 1);
    return b->data + b->len;
}

static inline void buf_add(struct buf *b, const void *bytes, size_t len)
{
    if (len) {
        memcpy(buf_reserve(b, len), bytes, len);
        b->len += len;
    }
}

static inline void buf_span_add(struct buf *b, struct span s)
{
    buf_add(b, s.ptr, s.len);
}

static inline void buf_byte(struct buf *b, char c)
{
    *buf_reserve(b, 1) = c;
    b->len++;
}

void buf_text(struct buf *b, const char *text);
void buf_format(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vformat(struct buf *b, const char *format, va_list args);

/* The bytes with a NUL behind them (not counted in len); borrow until the next change. */
const char *buf_cstr(struct buf *b);

/* Gives the bytes away, NUL-terminated, and leaves b empty. The caller frees. */
char *buf_take(struct buf *b);

#endif
