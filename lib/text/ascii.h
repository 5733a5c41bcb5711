/* ascii.h: runs of ASCII, eight bytes at a time. Texts are mostly that, and everything that copies one
 * character by character goes faster by what it need not look at. */
#ifndef WAI_TEXT_ASCII_H
#define WAI_TEXT_ASCII_H

#include <stdint.h>

#include "base/span.h"

#define ASCII_ONES UINT64_C(0x0101010101010101)
#define ASCII_TOPS UINT64_C(0x8080808080808080)

/* The top bit of each byte that is 0; bits above the lowest one may be wrong. */
static inline uint64_t ascii_zeros(uint64_t word)
{
    return (word - ASCII_ONES) & ~word & ASCII_TOPS;
}

/* The same, right in every byte. */
static inline uint64_t ascii_all_zeros(uint64_t word)
{
    return ~(((word & ~ASCII_TOPS) + ~ASCII_TOPS) | word) & ASCII_TOPS;
}

/* Not 0: a byte of the word is below `limit`, which is at most 0x80. */
static inline uint64_t ascii_below(uint64_t word, unsigned char limit)
{
    return (word - ASCII_ONES * limit) & ~word & ASCII_TOPS;
}

/* The end of the run from `at` on of visible ASCII and spaces (0x20 to 0x7E) that holds neither a
 * backslash nor that quote: what stands for itself in a JSON or Python string. */
static inline size_t ascii_plain_end(struct span s, size_t at, char quote)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (uint64_t w; s.len - at >= sizeof w; at += sizeof w) {
        memcpy(&w, s.ptr + at, sizeof w);
        uint64_t other = (w & ASCII_TOPS) | ascii_below(w, 0x20) |
                         ascii_zeros(w ^ ASCII_ONES * (unsigned char)quote) |
                         ascii_zeros(w ^ ASCII_ONES * '\\') | ascii_zeros(w ^ ASCII_ONES * 0x7f);
        if (other)
            return at + (size_t)__builtin_ctzll(other) / 8;
    }
#endif
    while (at < s.len && s.ptr[at] >= 0x20 && s.ptr[at] < 0x7f && s.ptr[at] != quote &&
           s.ptr[at] != '\\')
        at++;
    return at;
}

#endif
