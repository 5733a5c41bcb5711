/* error.c: see error.h. */
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"

/* Copies text into e, control characters shown as \xNN, cut before a character that would not fit.
 * C1 controls (0xC2 0x80..0x9F in UTF-8) are escaped too: a terminal may obey them. */
static void put(struct error *e, struct span text)
{
    size_t out = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool c1 = c == 0xc2 && i + 1 < text.len && (unsigned char)text.ptr[i + 1] < 0xa0;
        char piece[8];
        int len;
        if (c1)
            len = snprintf(piece, sizeof piece, "\\x%02x", (unsigned char)text.ptr[++i]);
        else if (c < 0x20 || c == 0x7f)
            len = snprintf(piece, sizeof piece,
                           c == '\n'   ? "\\n"
                           : c == '\t' ? "\\t"
                                       : "\\x%02x",
                           c);
        else
            len = snprintf(piece, sizeof piece, "%c", c);
        if (out + (size_t)len + 4 > sizeof e->text)
            break;
        memcpy(e->text + out, piece, (size_t)len);
        out += (size_t)len;
    }
    /* Never end inside a UTF-8 sequence. */
    size_t tail = out;
    while (tail > 0 && ((unsigned char)e->text[tail - 1] & 0xc0) == 0x80)
        tail--;
    if (tail > 0 && (unsigned char)e->text[tail - 1] >= 0xc0) {
        unsigned char lead = (unsigned char)e->text[tail - 1];
        size_t want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
        if (out - (tail - 1) < want)
            out = tail - 1;
    }
    e->text[out] = '\0';
}

static int fill(struct error *e, int code, const char *format, va_list args, const char *suffix)
{
    if (!e)
        return code;
    struct buf text = {0};
    buf_vformat(&text, format, args);
    if (suffix)
        buf_format(&text, ": %s", suffix);
    e->code = code;
    put(e, buf_span(&text));
    buf_free(&text);
    return code;
}

int error_set(struct error *e, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(e, code, format, args, NULL);
    va_end(args);
    return code;
}

int error_errno(struct error *e, int code, const char *format, ...)
{
    const char *reason = strerror(errno);
    va_list args;
    va_start(args, format);
    fill(e, code, format, args, reason);
    va_end(args);
    return code;
}

int error_prefix(struct error *e, const char *format, ...)
{
    if (!e)
        return ERROR_NONE;
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_vformat(&text, format, args);
    va_end(args);
    buf_format(&text, ": %s", e->text);
    put(e, buf_span(&text));
    buf_free(&text);
    return e->code;
}
