/* fold.c: see fold.h. Runs of ASCII take a short way; other characters go by the tables. */
#include "text/fold.h"

#include "text/ascii.h"
#include "text/unicode.h"
#include "text/unicode_tables.h"
#include "text/utf8.h"

enum { CAPITAL_SIGMA = 0x3a3, SMALL_SIGMA = 0x3c3, FINAL_SIGMA = 0x3c2 };

/* ---- white space ---------------------------------------------------------------------------------- */

static bool ascii_space(unsigned char c)
{
    return c == ' ' || (unsigned char)(c - 0x09) < 5 || (unsigned char)(c - 0x1c) < 4;
}

/* Is the character at *at (< s.len) white space? Moves past it. */
static inline bool next_is_space(struct span s, size_t *at)
{
    unsigned char c = (unsigned char)s.ptr[*at];
    if (c < 0x80) {
        ++*at;
        return c <= ' ' && ascii_space(c);
    }
    return unicode_space(utf8_next(s, at));
}

static size_t skip_space(struct span s, size_t at)
{
    for (size_t next = at; at < s.len && next_is_space(s, &next);)
        at = next;
    return at;
}

struct span text_strip_right(struct span s)
{
    while (s.len) {
        size_t start = s.len - 1;
        /* Every white space character beyond ASCII has two or three bytes. */
        while (start > 0 && s.len - start < 3 && ((unsigned char)s.ptr[start] & 0xc0) == 0x80)
            start--;
        size_t end = start;
        if (!next_is_space(s, &end) || end != s.len)
            break;
        s.len = start;
    }
    return s;
}

struct span text_strip(struct span s)
{
    size_t start = skip_space(s, 0);
    return start ? text_strip_right(span_slice(s, start, s.len)) : text_strip_right(s);
}

bool text_blank(struct span s)
{
    return skip_space(s, 0) == s.len;
}

bool text_next_word(struct span s, size_t *at, struct span *word)
{
    size_t start = skip_space(s, *at), end = start;
    if (start == s.len) {
        *at = start;
        return false;
    }
    for (size_t next = end; next < s.len && !next_is_space(s, &next);)
        end = next;
    *word = span_slice(s, start, end);
    *at = end;
    return true;
}

size_t text_word_count(struct span s)
{
    size_t at = 0, count = 0;
    struct span word;
    while (text_next_word(s, &at, &word))
        count++;
    return count;
}

/* ---- lines ------------------------------------------------------------------------------------------ */

static bool line_break(uint32_t c)
{
    return c - 0x0a < 4 || c - 0x1c < 3 || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool text_next_line(struct span s, size_t *at, struct span *line)
{
    size_t start = *at, end = start, next = start;
    if (start >= s.len)
        return false;
    while (next < s.len) {
        if ((unsigned char)s.ptr[next] >= 0x20 && (unsigned char)s.ptr[next] < 0x80) {
            end = ++next; /* no line ends here */
            continue;
        }
        uint32_t c = utf8_next(s, &next);
        if (line_break(c)) {
            if (c == '\r' && next < s.len && s.ptr[next] == '\n')
                next++;
            break;
        }
        end = next;
    }
    *line = span_slice(s, start, end);
    *at = next;
    return true;
}

/* ---- case ------------------------------------------------------------------------------------------- */

/* Eight ASCII bytes in lower case. */
static uint64_t lower_word(uint64_t word)
{
    uint64_t from_a = word + ASCII_ONES * (0x80 - 'A'), behind_z = word + ASCII_ONES * (0x7f - 'Z');
    return word | (from_a & ~behind_z & ASCII_TOPS) >> 2;
}

/* Lower case of the ASCII bytes from `at` on; returns where they end. */
static size_t lower_ascii(struct span s, size_t at, struct buf *out)
{
    const unsigned char *from = (const unsigned char *)s.ptr;
    unsigned char *to = (unsigned char *)buf_reserve(out, s.len - at);
    size_t start = at;
    for (uint64_t word; s.len - at >= sizeof word; at += sizeof word) {
        memcpy(&word, from + at, sizeof word);
        if (word & ASCII_TOPS)
            break;
        word = lower_word(word);
        memcpy(to + (at - start), &word, sizeof word);
    }
    for (; at < s.len && from[at] < 0x80; at++)
        to[at - start] =
            (unsigned char)(from[at] + ((unsigned char)(from[at] - 'A') < 26 ? 0x20 : 0));
    out->len += at - start;
    return at;
}

/* The code point that stands right before byte `at`; at > 0. */
static uint32_t previous(struct span s, size_t *at)
{
    size_t start = *at - 1;
    while (start > 0 && *at - start < 4 && ((unsigned char)s.ptr[start] & 0xc0) == 0x80)
        start--;
    size_t next = start;
    uint32_t c = utf8_next(s, &next);
    if (next != *at) { /* stray bytes: the last of them alone */
        start = next = *at - 1;
        c = utf8_next(s, &next);
    }
    *at = start;
    return c;
}

/* Unicode's Final_Sigma: a cased character before the sigma and none after, case-ignorable ones skipped.
 * Sigma itself ends the skipping, so a text is read at most three times. */
static bool final_sigma(struct span s, size_t start, size_t end)
{
    unsigned flags = UNICODE_IGNORABLE;
    while (start > 0 && flags & UNICODE_IGNORABLE)
        flags = unicode_record(previous(s, &start))->flags;
    if (!(flags & UNICODE_CASED))
        return false;
    flags = UNICODE_IGNORABLE;
    while (end < s.len && flags & UNICODE_IGNORABLE)
        flags = unicode_record(utf8_next(s, &end))->flags;
    return !(flags & UNICODE_CASED);
}

static void add_many(struct buf *out, int32_t row)
{
    const uint32_t *many = UNICODE_MANY[row];
    for (uint32_t i = 1; i <= many[0]; i++)
        utf8_add(out, many[i]);
}

void text_lower(struct span s, struct buf *out)
{
    for (size_t at = 0; at < s.len;) {
        at = lower_ascii(s, at, out);
        if (at == s.len)
            return;
        size_t start = at;
        uint32_t c = utf8_next(s, &at);
        const struct unicode_record *record = unicode_record(c);
        if (c == CAPITAL_SIGMA)
            utf8_add(out, final_sigma(s, start, at) ? FINAL_SIGMA : SMALL_SIGMA);
        else if (record->flags & UNICODE_LOWER_MANY)
            add_many(out, record->lower);
        else if (record->lower)
            utf8_add(out, (uint32_t)((int32_t)c + record->lower));
        else
            buf_add(out, s.ptr + start, at - start); /* bytes that are no character stay */
    }
}

void text_casefold(struct span s, struct buf *out)
{
    for (size_t at = 0; at < s.len;) {
        at = lower_ascii(s, at, out);
        if (at == s.len)
            return;
        size_t start = at;
        uint32_t c = utf8_next(s, &at);
        const struct unicode_record *record = unicode_record(c);
        if (record->flags & UNICODE_FOLD_MANY)
            add_many(out, record->fold);
        else if (record->fold)
            utf8_add(out, (uint32_t)((int32_t)c + record->fold));
        else
            buf_add(out, s.ptr + start, at - start);
    }
}

/* Eight bytes at a time from `at` on, as long as they are ASCII and no white space but single spaces:
 * they stay as they are. Returns how many. */
static size_t plain_words(char *base, size_t at, size_t len, size_t *end, bool *space)
{
    size_t start = at;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (uint64_t w; len - at >= sizeof w; at += sizeof w) {
        memcpy(&w, base + at, sizeof w);
        uint64_t spaces = ascii_all_zeros(w ^ ASCII_ONES * ' ');
        bool first = spaces & 0x80, last = spaces >> 63;
        if (w & ASCII_TOPS || ascii_below(w, ' ') || spaces & spaces << 8 ||
            (first && (*space || !*end)))
            break;
        if (*space && *end)
            base[(*end)++] = ' ';
        memmove(base + *end, &w, sizeof w);
        *end += sizeof w - last;
        *space = last;
    }
#else
    (void)base, (void)len, (void)end, (void)space;
#endif
    return at - start;
}

/* Moves the words of base[0..len) left over the white space between them; returns where they end. */
static size_t close_words(char *base, size_t len)
{
    struct span text = span_make(base, len);
    size_t end = 0;
    bool space = false; /* stands before `at` and is not written yet */
    for (size_t at = 0; at < len;) {
        at += plain_words(base, at, len, &end, &space);
        for (size_t stop = at + sizeof(uint64_t); at < len && at < stop;) {
            size_t from = at;
            if (next_is_space(text, &at)) {
                space = true;
                continue;
            }
            if (space && end)
                base[end++] = ' ';
            space = false;
            while (from < at)
                base[end++] = base[from++];
        }
    }
    return end;
}

void text_fold(struct span s, struct buf *out)
{
    if (s.len == 0)
        return;
    size_t start = out->len;
    text_lower(s, out);
    out->len = start + close_words(out->data + start, out->len - start);
}
