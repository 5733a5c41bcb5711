/* scan_utf8.h: the tables by which the fast paths check UTF-8 (Keiser & Lemire 2021). Each pair of
 * neighbouring bytes is looked up by three half bytes; what all three tables name is wrong with the
 * pair. */
#ifndef WAI_JSON_SCAN_UTF8_H
#define WAI_JSON_SCAN_UTF8_H

enum {
    UTF8_TOO_SHORT = 1 << 0,         /* a first byte, or ASCII, where a continuation must stand */
    UTF8_TOO_LONG = 1 << 1,          /* a continuation behind ASCII */
    UTF8_OVERLONG_3 = 1 << 2,        /* E0 80..9F */
    UTF8_TOO_LARGE = 1 << 3,         /* F4 90..BF, F5..FF */
    UTF8_SURROGATE = 1 << 4,         /* ED A0..BF */
    UTF8_OVERLONG_2 = 1 << 5,        /* C0, C1 */
    UTF8_TOO_LARGE_1000 = 1 << 6,    /* F5..FF 80..8F */
    UTF8_OVERLONG_4 = 1 << 6,        /* F0 80..8F */
    UTF8_TWO_CONTINUATIONS = 1 << 7, /* right only as third or fourth byte */
    UTF8_CARRY = UTF8_TOO_SHORT | UTF8_TOO_LONG | UTF8_TWO_CONTINUATIONS,
    UTF8_LARGE = UTF8_CARRY | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000,
};

#define UTF8_BYTE(bits) ((char)(bits))
#define UTF8_4(bits)    UTF8_BYTE(bits), UTF8_BYTE(bits), UTF8_BYTE(bits), UTF8_BYTE(bits)

/* By the upper half of the first byte, 0 to F. */
#define UTF8_FIRST_HIGH                                                           \
    UTF8_4(UTF8_TOO_LONG), UTF8_4(UTF8_TOO_LONG), UTF8_4(UTF8_TWO_CONTINUATIONS), \
        UTF8_BYTE(UTF8_TOO_SHORT | UTF8_OVERLONG_2), UTF8_BYTE(UTF8_TOO_SHORT),   \
        UTF8_BYTE(UTF8_TOO_SHORT | UTF8_OVERLONG_3 | UTF8_SURROGATE),             \
        UTF8_BYTE(UTF8_TOO_SHORT | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000 | UTF8_OVERLONG_4)

/* By the lower half of the first byte. */
#define UTF8_FIRST_LOW                                                                         \
    UTF8_BYTE(UTF8_CARRY | UTF8_OVERLONG_3 | UTF8_OVERLONG_2 | UTF8_OVERLONG_4),               \
        UTF8_BYTE(UTF8_CARRY | UTF8_OVERLONG_2), UTF8_BYTE(UTF8_CARRY), UTF8_BYTE(UTF8_CARRY), \
        UTF8_BYTE(UTF8_CARRY | UTF8_TOO_LARGE), UTF8_BYTE(UTF8_LARGE), UTF8_BYTE(UTF8_LARGE),  \
        UTF8_BYTE(UTF8_LARGE), UTF8_4(UTF8_LARGE), UTF8_BYTE(UTF8_LARGE),                      \
        UTF8_BYTE(UTF8_LARGE | UTF8_SURROGATE), UTF8_BYTE(UTF8_LARGE), UTF8_BYTE(UTF8_LARGE)

/* By the upper half of the second byte. */
#define UTF8_CONTINUATION UTF8_TOO_LONG | UTF8_OVERLONG_2 | UTF8_TWO_CONTINUATIONS
#define UTF8_SECOND_HIGH                                                                        \
    UTF8_4(UTF8_TOO_SHORT), UTF8_4(UTF8_TOO_SHORT),                                             \
        UTF8_BYTE(UTF8_CONTINUATION | UTF8_OVERLONG_3 | UTF8_TOO_LARGE_1000 | UTF8_OVERLONG_4), \
        UTF8_BYTE(UTF8_CONTINUATION | UTF8_OVERLONG_3 | UTF8_TOO_LARGE),                        \
        UTF8_BYTE(UTF8_CONTINUATION | UTF8_SURROGATE | UTF8_TOO_LARGE),                         \
        UTF8_BYTE(UTF8_CONTINUATION | UTF8_SURROGATE | UTF8_TOO_LARGE), UTF8_4(UTF8_TOO_SHORT)

#endif
