/* quote.c: a text as a JSON string. */
#include "json/write.h"

#include "text/ascii.h"
#include "text/utf8.h"

static void add_control(struct buf *out, unsigned char c)
{
    switch (c) {
    case '"': buf_add(out, "\\\"", 2); break;
    case '\\': buf_add(out, "\\\\", 2); break;
    case '\b': buf_add(out, "\\b", 2); break;
    case '\f': buf_add(out, "\\f", 2); break;
    case '\n': buf_add(out, "\\n", 2); break;
    case '\r': buf_add(out, "\\r", 2); break;
    case '\t': buf_add(out, "\\t", 2); break;
    case 0x7f: buf_byte(out, 0x7f); break; /* JSON has no need to escape it */
    default: buf_format(out, "\\u%04x", c); break;
    }
}

/* The character at *at, which is not ASCII. */
static void add_character(struct buf *out, struct span s, size_t *at)
{
    size_t start = *at;
    uint32_t c = utf8_next(s, at);
    if (c < 0xD800 || c > 0xDFFF)
        buf_add(out, s.ptr + start, *at - start);
    else if (*at - start == 3)
        buf_format(out, "\\u%04x", (unsigned)c);
    else
        buf_add(out, "\\ufffd", 6); /* a byte that is not UTF-8 */
}

void json_quote(struct buf *out, struct span s)
{
    buf_reserve(out, s.len + 2);
    buf_byte(out, '"');
    for (size_t at = 0; at < s.len;) {
        size_t run = ascii_plain_end(s, at, '"');
        buf_add(out, s.ptr + at, run - at);
        at = run;
        if (at == s.len)
            break;
        if ((unsigned char)s.ptr[at] < 0x80)
            add_control(out, (unsigned char)s.ptr[at++]);
        else
            add_character(out, s, &at);
    }
    buf_byte(out, '"');
}
