/* decode.c: see decode.h. */
#include "json/decode.h"

#include <string.h>

static uint32_t hex4(const char *p)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t c = (unsigned char)p[i];
        value = value << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

static size_t encode(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

size_t decode_escape(const char **p, const char *end, char out[4])
{
    const char *at = *p;
    if (at[1] != 'u') {
        *p = at + 2;
        switch (at[1]) {
        case 'b': out[0] = '\b'; break;
        case 'f': out[0] = '\f'; break;
        case 'n': out[0] = '\n'; break;
        case 'r': out[0] = '\r'; break;
        case 't': out[0] = '\t'; break;
        default: out[0] = at[1]; break;
        }
        return 1;
    }
    uint32_t c = hex4(at + 2);
    *p = at + 6;
    if (c >= 0xD800 && c <= 0xDBFF && end - at >= 12 && at[6] == '\\' && at[7] == 'u') {
        uint32_t low = hex4(at + 8);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
            *p = at + 12;
        }
    }
    return encode(c, out);
}

void decode_add(struct span raw, struct buf *out)
{
    /* No escape is shorter than what it stands for. */
    char *to = buf_reserve(out, raw.len);
    const char *p = raw.ptr, *end = raw.ptr + raw.len;
    while (p < end) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        size_t plain = (size_t)((slash ? slash : end) - p);
        memcpy(to, p, plain);
        to += plain;
        p += plain;
        if (slash) {
            char bytes[4];
            size_t len = decode_escape(&p, end, bytes);
            memcpy(to, bytes, len);
            to += len;
        }
    }
    if (out->data)
        out->len = (size_t)(to - out->data);
}
