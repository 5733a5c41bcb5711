/* pytext.c: see pytext.h. */
#include "json/pytext.h"

#include <string.h>

#include "text/ascii.h"
#include "text/unicode.h"
#include "text/utf8.h"
#include "json/py_write.h"

static void add_escaped(struct buf *out, uint32_t c)
{
    switch (c) {
    case '\n': buf_add(out, "\\n", 2); return;
    case '\r': buf_add(out, "\\r", 2); return;
    case '\t': buf_add(out, "\\t", 2); return;
    }
    if (c < 0x100)
        buf_format(out, "\\x%02x", (unsigned)c);
    else if (c < 0x10000)
        buf_format(out, "\\u%04x", (unsigned)c);
    else
        buf_format(out, "\\U%08x", (unsigned)c);
}

void py_repr(struct span s, struct buf *out)
{
    bool single = s.len && memchr(s.ptr, '\'', s.len);
    char quote = single && !memchr(s.ptr, '"', s.len) ? '"' : '\'';
    buf_reserve(out, s.len + 2);
    buf_byte(out, quote);
    for (size_t at = 0; at < s.len;) {
        size_t start = at;
        at = ascii_plain_end(s, at, quote);
        buf_add(out, s.ptr + start, at - start);
        if (at == s.len)
            break;
        start = at;
        uint32_t c = utf8_next(s, &at);
        if (c == '\\' || c == (uint32_t)quote) {
            buf_byte(out, '\\');
            buf_byte(out, (char)c);
        } else if (c >= 0x80 && unicode_printable(c)) {
            buf_add(out, s.ptr + start, at - start);
        } else {
            add_escaped(out, c);
        }
    }
    buf_byte(out, quote);
}

void json_pyrepr(struct json_value value, struct buf *out)
{
    static const struct py_style style = {.null = SPAN("None"),
                                          .truth = SPAN("True"),
                                          .lie = SPAN("False"),
                                          .nan = SPAN("nan"),
                                          .infinity = SPAN("inf"),
                                          .minus_infinity = SPAN("-inf"),
                                          .text = py_repr};
    py_write(value, &style, out);
}

void json_pystr(struct json_value value, struct buf *out)
{
    if (value.type == JSON_VALUE_STRING)
        json_text_add(value, out);
    else
        json_pyrepr(value, out);
}
