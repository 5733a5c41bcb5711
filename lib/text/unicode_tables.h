/* unicode_tables.h: the tables behind unicode.h and fold.h; internal to the room. */
#ifndef WAI_TEXT_UNICODE_TABLES_H
#define WAI_TEXT_UNICODE_TABLES_H

#include <stdint.h>

/* In the order of FLAGS in scripts/unicode-tables. */
enum unicode_flag {
    UNICODE_SPACE = 1 << 0,
    UNICODE_WORD = 1 << 1,
    UNICODE_ALPHA = 1 << 2,
    UNICODE_DIGIT = 1 << 3,
    UNICODE_PRINTABLE = 1 << 4,
    UNICODE_UPPER = 1 << 5,
    UNICODE_CASED = 1 << 6,     /* and not case-ignorable */
    UNICODE_IGNORABLE = 1 << 7, /* case-ignorable */
    UNICODE_LOWER_MANY = 1 << 8,
    UNICODE_FOLD_MANY = 1 << 9,
    UNICODE_FORMAT = 1 << 10, /* category Cf: soft hyphen, joiners, bidirectional controls */
    UNICODE_MARK = 1 << 11,   /* category M: accents, vowel signs */
};

struct unicode_record {
    uint16_t flags;
    int8_t digit; /* 0-9, or -1 */
    int32_t lower; /* to be added to the code point; with UNICODE_LOWER_MANY a row of UNICODE_MANY */
    int32_t fold;  /* the same for casefold */
};

enum { UNICODE_BLOCK_BITS = 7, UNICODE_BLOCK_MASK = (1 << UNICODE_BLOCK_BITS) - 1 };

extern const struct unicode_record UNICODE_RECORDS[];
extern const uint32_t UNICODE_MANY[][4]; /* count, then up to three code points */
extern const uint16_t UNICODE_BLOCKS[];
extern const uint16_t UNICODE_INDEX[][1 << UNICODE_BLOCK_BITS];

static inline const struct unicode_record *unicode_record(uint32_t c)
{
    if (c > 0x10ffff)
        c = 0x10ffff; /* unassigned, as everything above would be */
    return &UNICODE_RECORDS[UNICODE_INDEX[UNICODE_BLOCKS[c >> UNICODE_BLOCK_BITS]]
                                         [c & UNICODE_BLOCK_MASK]];
}

#endif
