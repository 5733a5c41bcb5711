/* skip_blocks.h: passing over an array or object of a validated text, for a file that has defined, for
 * its processor, TARGET and prefix_xor() as scan_blocks.h wants them and
 *
 *     struct brackets   bitmaps of a block: quote, backslash, open, close
 *     brackets_at()     those of the bytes from p on; what lies at or behind end is no such byte
 *
 * Only quotes, backslashes and brackets count: the bytes in between have been checked before. */
#include "json/scan_path.h"

/* Bytes that a backslash escapes. *first: 1 when the first byte is escaped from before. */
TARGET static inline uint64_t bytes_escaped(uint64_t backslash, uint64_t *first)
{
    uint64_t escaped = *first;
    *first = 0;
    for (backslash &= ~escaped; backslash;) {
        uint64_t slash = backslash & -backslash;
        *first = slash >> (BLOCK - 1);
        escaped |= slash << 1;
        backslash &= ~(slash | slash << 1);
    }
    return escaped;
}

/* The place of the bracket that closes the outermost level, or BLOCK. */
TARGET static inline int closing_place(uint64_t open, uint64_t close, size_t depth)
{
    for (; close; close &= close - 1) {
        uint64_t bit = close & -close;
        if (depth + (size_t)__builtin_popcountll(open & (bit - 1)) == 1)
            return __builtin_ctzll(bit);
        depth--;
    }
    return BLOCK;
}

TARGET static inline const char *skip_blocks(const char *p, const char *end)
{
    uint64_t first_escaped = 0, in_string = 0;
    size_t depth = 0;
    for (; p < end; p += BLOCK) {
        struct brackets b = brackets_at(p, end);
        uint64_t quote = b.quote;
        if (b.backslash | first_escaped)
            quote &= ~bytes_escaped(b.backslash, &first_escaped);
        uint64_t inside = prefix_xor(quote) ^ in_string;
        in_string = (uint64_t)((int64_t)inside >> 63);
        uint64_t open = b.open & ~inside, close = b.close & ~inside;
        size_t opened = (size_t)__builtin_popcountll(open),
               closed = (size_t)__builtin_popcountll(close);
        if (closed >= depth) { /* it may end here */
            int place = closing_place(open, close, depth);
            if (place < BLOCK)
                return p + place + 1;
        }
        depth += opened - closed;
    }
    return end;
}
