/* pyjson.c: see pyjson.h. */
#include "json/pyjson.h"

#include "text/ascii.h"
#include "text/utf8.h"
#include "json/py_write.h"

static void add_unit(struct buf *out, uint32_t unit)
{
    static const char digits[] = "0123456789abcdef";
    char text[6] = {'\\',
                    'u',
                    digits[unit >> 12 & 15],
                    digits[unit >> 8 & 15],
                    digits[unit >> 4 & 15],
                    digits[unit & 15]};
    buf_add(out, text, sizeof text);
}

static void add_escaped(struct buf *out, uint32_t c)
{
    switch (c) {
    case '"': buf_add(out, "\\\"", 2); return;
    case '\\': buf_add(out, "\\\\", 2); return;
    case '\n': buf_add(out, "\\n", 2); return;
    case '\r': buf_add(out, "\\r", 2); return;
    case '\t': buf_add(out, "\\t", 2); return;
    case '\b': buf_add(out, "\\b", 2); return;
    case '\f': buf_add(out, "\\f", 2); return;
    }
    if (c >= 0x10000) {
        add_unit(out, 0xD800 + ((c - 0x10000) >> 10));
        c = 0xDC00 + ((c - 0x10000) & 0x3FF);
    }
    add_unit(out, c);
}

void py_json_quote(struct span s, struct buf *out)
{
    buf_reserve(out, s.len + 2);
    buf_byte(out, '"');
    for (size_t at = 0; at < s.len;) {
        size_t run = ascii_plain_end(s, at, '"');
        buf_add(out, s.ptr + at, run - at);
        at = run;
        if (at < s.len)
            add_escaped(out, utf8_next(s, &at));
    }
    buf_byte(out, '"');
}

#define PYJSON_WORDS                                                                       \
    .null = SPAN("null"), .truth = SPAN("true"), .lie = SPAN("false"), .nan = SPAN("NaN"), \
    .infinity = SPAN("Infinity"), .minus_infinity = SPAN("-Infinity"), .text = py_json_quote

void json_pyjson(struct json_value value, struct buf *out)
{
    py_write(value, &(struct py_style){PYJSON_WORDS}, out);
}

void json_pyjson_sorted(struct json_value value, struct buf *out)
{
    py_write(value, &(struct py_style){PYJSON_WORDS, .sorted = true}, out);
}
