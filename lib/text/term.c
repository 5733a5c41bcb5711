/* term.c: see term.h. */
#include "text/term.h"

#include "text/unicode.h"
#include "text/utf8.h"

static void add_escape(struct buf *out, uint32_t c)
{
    switch (c) {
    case '\n': buf_text(out, "\\n"); return;
    case '\r': buf_text(out, "\\r"); return;
    case '\t': buf_text(out, "\\t"); return;
    default: break;
    }
    if (c < 0x100)
        buf_format(out, "\\x%02x", (unsigned)c);
    else if (c < 0x10000)
        buf_format(out, "\\u%04x", (unsigned)c);
    else
        buf_format(out, "\\U%08x", (unsigned)c);
}

/* Spaces of other widths than U+0020 are no danger, although Python's isprintable has them out. */
static bool shown(uint32_t c)
{
    if (c == 0x2028 || c == 0x2029)
        return false;
    return unicode_printable(c) || (c >= 0xa0 && unicode_space(c));
}

/* The end of the run from `at` on that can be copied as it is: printable ASCII without backslash. */
static size_t plain_run(struct span s, size_t at)
{
    while (at < s.len && (unsigned char)(s.ptr[at] - 0x20) < 0x5f && s.ptr[at] != '\\')
        at++;
    return at;
}

static void add(struct buf *out, struct span s, bool lines)
{
    for (size_t at = 0; at < s.len;) {
        size_t start = at;
        at = plain_run(s, at);
        buf_add(out, s.ptr + start, at - start);
        if (at == s.len)
            return;
        start = at;
        uint32_t c = utf8_next(s, &at);
        bool stray = at - start == 1 && c >= 0xdc80;
        if (c == '\\')
            buf_text(out, lines ? "\\" : "\\\\");
        else if (lines && (c == '\n' || c == '\t'))
            buf_byte(out, (char)c);
        else if (lines && c == '\r' && at < s.len && s.ptr[at] == '\n')
            continue;
        else if (stray)
            buf_format(out, "\\x%02x", (unsigned)(c - 0xdc00));
        else if (shown(c))
            buf_add(out, s.ptr + start, at - start);
        else
            add_escape(out, c);
    }
}

void term_add(struct buf *out, struct span untrusted)
{
    add(out, untrusted, false);
}

void term_add_lines(struct buf *out, struct span untrusted)
{
    add(out, untrusted, true);
}

void term_add_head(struct buf *out, struct span untrusted, size_t limit)
{
    struct span head = utf8_head(untrusted, limit);
    add(out, head, false);
    if (head.len < untrusted.len)
        buf_text(out, "\xe2\x80\xa6");
}
