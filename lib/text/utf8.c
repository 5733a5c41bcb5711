/* utf8.c: see utf8.h. */
#include "text/utf8.h"

/* Stands for a byte that starts no sequence, as Python's surrogateescape has it. */
enum { BAD_BYTE = 0xdc00 };

static bool continues(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

uint32_t utf8_next(struct span s, size_t *at)
{
    const unsigned char *p = (const unsigned char *)s.ptr + *at;
    size_t left = s.len - *at;
    if (p[0] < 0x80) {
        *at += 1;
        return p[0];
    }
    if (p[0] >= 0xc2 && p[0] < 0xe0 && left >= 2 && continues(p[1])) {
        *at += 2;
        return (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
    }
    if (p[0] >= 0xe0 && p[0] < 0xf0 && left >= 3 && continues(p[1]) && continues(p[2])) {
        uint32_t c = (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
        if (c >= 0x800) {
            *at += 3;
            return c;
        }
    }
    if (p[0] >= 0xf0 && p[0] < 0xf5 && left >= 4 && continues(p[1]) && continues(p[2]) &&
        continues(p[3])) {
        uint32_t c = (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12 |
                     (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3f);
        if (c >= 0x10000 && c <= 0x10ffff) {
            *at += 4;
            return c;
        }
    }
    *at += 1;
    return BAD_BYTE + p[0];
}

void utf8_add(struct buf *out, uint32_t c)
{
    char *p = buf_reserve(out, 4);
    if (c < 0x80) {
        p[0] = (char)c;
        out->len += 1;
    } else if (c < 0x800) {
        p[0] = (char)(0xc0 | c >> 6);
        p[1] = (char)(0x80 | (c & 0x3f));
        out->len += 2;
    } else if (c < 0x10000) {
        p[0] = (char)(0xe0 | c >> 12);
        p[1] = (char)(0x80 | (c >> 6 & 0x3f));
        p[2] = (char)(0x80 | (c & 0x3f));
        out->len += 3;
    } else {
        p[0] = (char)(0xf0 | (c >> 18 & 0x07));
        p[1] = (char)(0x80 | (c >> 12 & 0x3f));
        p[2] = (char)(0x80 | (c >> 6 & 0x3f));
        p[3] = (char)(0x80 | (c & 0x3f));
        out->len += 4;
    }
}

/* Bytes from `at` on that are ASCII, eight at a time. */
static size_t ascii_run(struct span s, size_t at)
{
    size_t start = at;
    while (s.len - at >= 8) {
        uint64_t word;
        memcpy(&word, s.ptr + at, 8);
        if (word & 0x8080808080808080u)
            break;
        at += 8;
    }
    while (at < s.len && (unsigned char)s.ptr[at] < 0x80)
        at++;
    return at - start;
}

size_t utf8_length(struct span s)
{
    size_t count = 0;
    for (size_t at = 0; at < s.len;) {
        size_t run = ascii_run(s, at);
        count += run;
        at += run;
        if (at < s.len) {
            utf8_next(s, &at);
            count++;
        }
    }
    return count;
}

size_t utf8_offset(struct span s, size_t n)
{
    size_t at = 0;
    while (n > 0 && at < s.len) {
        size_t run = ascii_run(s, at);
        if (run >= n)
            return at + n;
        n -= run;
        at += run;
        if (at < s.len) {
            utf8_next(s, &at);
            n--;
        }
    }
    return at;
}

struct span utf8_head(struct span s, size_t n)
{
    return span_slice(s, 0, utf8_offset(s, n));
}

bool utf8_valid(struct span s)
{
    for (size_t at = 0; at < s.len;) {
        at += ascii_run(s, at);
        if (at >= s.len)
            break;
        size_t before = at;
        uint32_t c = utf8_next(s, &at);
        if (at - before == 1 || (c >= 0xd800 && c <= 0xdfff))
            return false;
    }
    return true;
}
