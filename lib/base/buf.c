/* buf.c: see buf.h. */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>

void buf_free(struct buf *b)
{
    free(b->data);
    *b = (struct buf){0};
}

void buf_text(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void buf_vformat(struct buf *b, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    if (len > 0) {
        buf_reserve(b, (size_t)len + 1);
        vsnprintf(b->data + b->len, (size_t)len + 1, format, again);
        b->len += (size_t)len;
    }
    va_end(again);
}

void buf_format(struct buf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_vformat(b, format, args);
    va_end(args);
}

const char *buf_cstr(struct buf *b)
{
    *buf_reserve(b, 1) = '\0';
    return b->data;
}

char *buf_take(struct buf *b)
{
    buf_cstr(b);
    char *text = b->data;
    *b = (struct buf){0};
    return text;
}
