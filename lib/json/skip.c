/* skip.c: finds the ends of strings and values inside a validated text. Arrays and objects are
 * passed over by the path in use (skip_blocks.h); the one here needs no more than every x86-64
 * processor has, and goes byte by byte elsewhere. */
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "json/decode.h"
#include "json/scan_path.h"

/* ---- strings --------------------------------------------------------------------------------- */

/* The first quote or backslash from p on. */
static inline const char *special_find(const char *p, const char *end)
{
#ifdef __SSE2__
    for (; end - p >= 16; p += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)p);
        int found = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                                   _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
        if (found)
            return p + __builtin_ctz((unsigned)found);
    }
#else
    const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
    for (; end - p >= 8; p += 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        uint64_t quote = w ^ (ones * '"'), slash = w ^ (ones * '\\');
        if ((((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & tops)
            break;
    }
#endif
    while (p < end && *p != '"' && *p != '\\')
        p++;
    return p;
}

const char *string_skip(const char *p, const char *end, uint8_t *flags)
{
    *flags = 0;
    p = special_find(p + 1, end);
    while (p < end && *p == '\\') {
        *flags = JSON_FLAG_ESCAPED;
        p = special_find(p + 2, end);
    }
    return p < end ? p + 1 : end;
}

/* ---- arrays and objects ---------------------------------------------------------------------- */

#ifdef __SSE2__

#define TARGET
enum { BLOCK = 64 }; /* bytes */

struct brackets {
    uint64_t quote, backslash, open, close;
};

static inline uint64_t bitmap(const __m128i hits[4])
{
    return (uint64_t)(uint32_t)_mm_movemask_epi8(hits[0]) |
           (uint64_t)(uint32_t)_mm_movemask_epi8(hits[1]) << 16 |
           (uint64_t)(uint32_t)_mm_movemask_epi8(hits[2]) << 32 |
           (uint64_t)(uint32_t)_mm_movemask_epi8(hits[3]) << 48;
}

static inline struct brackets brackets_at(const char *p, const char *end)
{
    __m128i quote[4], backslash[4], open[4], close[4];
    char last[BLOCK];
    if (end - p < BLOCK) {
        memset(last, ' ', sizeof last);
        memcpy(last, p, (size_t)(end - p));
        p = last;
    }
    for (int i = 0; i < 4; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(p + 16 * i));
        __m128i curly = _mm_or_si128(bytes, _mm_set1_epi8(0x20)); /* [ ] become { } */
        quote[i] = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
        backslash[i] = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
        open[i] = _mm_cmpeq_epi8(curly, _mm_set1_epi8('{'));
        close[i] = _mm_cmpeq_epi8(curly, _mm_set1_epi8('}'));
    }
    return (struct brackets){bitmap(quote), bitmap(backslash), bitmap(open), bitmap(close)};
}

static inline uint64_t prefix_xor(uint64_t bits)
{
    for (int shift = 1; shift < BLOCK; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

#include "json/skip_blocks.h"

const char *skip_portable(const char *p, const char *end)
{
    return skip_blocks(p, end);
}

#else

const char *skip_portable(const char *p, const char *end)
{
    size_t depth = 0;
    uint8_t flags;
    while (p < end) {
        char c = *p;
        if (c == '"') {
            p = string_skip(p, end, &flags);
            continue;
        }
        p++;
        if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && --depth == 0)
            break;
    }
    return p;
}

#endif

/* ---- values ---------------------------------------------------------------------------------- */

static const char *scalar_skip(const char *p, const char *end, uint8_t *flags)
{
    char first = *p;
    *flags = 0;
    if (first == '-' || (first >= '0' && first <= '9'))
        *flags = JSON_FLAG_INTEGER;
    for (; p < end; p++) {
        char c = *p;
        if (c == ',' || c == ']' || c == '}' || scan_space(c))
            break;
        if (c == '.' || c == 'e' || c == 'E')
            *flags = 0;
        else if (c == 'N' || c == 'I')
            *flags = JSON_FLAG_NONFINITE;
    }
    return p;
}

const char *value_skip(const char *p, const char *end, uint8_t *flags)
{
    *flags = 0;
    switch (*p) {
    case '"': return string_skip(p, end, flags);
    case '{':
    case '[': return skip_fast(p, end);
    default: return scalar_skip(p, end, flags);
    }
}
