/* clauses.c: the cutting of clauses.h: blocks, items, sentences, pieces at semicolons, each
 * cleaned. White space and digits are Unicode's, as in the reference's regular expressions. */
#include "scene/clauses.h"

#include <stdlib.h>
#include <strings.h>

#include "base/buf.h"
#include "base/map.h"
#include "scene/defaults.h"
#include "text/fold.h"
#include "text/unicode.h"
#include "text/utf8.h"

struct cutting {
    struct arena *arena;
    struct clauses *out;
    size_t max_items;
    struct map seen; /* lower-cased */
    struct buf clean, lower;
};

#define BULLET "\xe2\x80\xa2" /* U+2022 */

static bool space_at(struct span s, size_t at)
{
    return at < s.len && unicode_space(utf8_next(s, &at));
}

static size_t skip_spaces(struct span s, size_t at)
{
    while (at < s.len) {
        size_t next = at;
        if (!unicode_space(utf8_next(s, &next)))
            break;
        at = next;
    }
    return at;
}

/* Behind one of the list markers at `at` (#, N., N), -, *, a bullet) that has white space behind
 * it; 0: none. The white space is not passed. */
static size_t marker_end(struct span s, size_t at)
{
    size_t end = at;
    while (end < s.len && end - at < 7 && s.ptr[end] == '#')
        end++;
    if (end > at && end - at <= 6 && space_at(s, end))
        return end;
    end = at;
    for (size_t next = end; next < s.len && unicode_digit(utf8_next(s, &next)); end = next)
        ;
    if (end > at && end < s.len && (s.ptr[end] == '.' || s.ptr[end] == ')') && space_at(s, end + 1))
        return end + 1;
    struct span rest = span_slice(s, at, s.len);
    end = at + (span_starts(rest, SPAN(BULLET))                          ? 3
                : rest.len && (rest.ptr[0] == '-' || rest.ptr[0] == '*') ? 1
                                                                         : 0);
    return end > at && space_at(s, end) ? end : 0;
}

/* [A-Z][^:\n]{1,40}:\s */
static bool heading_at(struct span s, size_t at)
{
    if (at >= s.len || s.ptr[at] < 'A' || s.ptr[at] > 'Z')
        return false;
    size_t length = 0;
    for (at++; at < s.len && length <= SCENE_HEADING_MAX; length++) {
        if (s.ptr[at] == '\n')
            return false;
        if (s.ptr[at] == ':')
            return length >= 1 && space_at(s, at + 1);
        utf8_next(s, &at);
    }
    return false;
}

/* ^(?:you are|you're|your role(?: is)?|you act as|act as)\b, any case. */
static bool role_start(struct span s)
{
    static const char *const starts[] = {"you are", "you're", "your role", "you act as", "act as"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t n = strlen(starts[i]);
        if (s.len < n || strncasecmp(s.ptr, starts[i], n) != 0)
            continue;
        size_t at = n;
        if (at == s.len || !unicode_word(utf8_next(s, &at)))
            return true;
    }
    return false;
}

/* The first run of white space at or after `from` behind one of the characters of `ends`; false:
 * none. */
static bool next_break(struct span s, size_t from, const char *ends, size_t *begin, size_t *end)
{
    for (size_t at = from; at < s.len; at++)
        if (strchr(ends, s.ptr[at]) && s.ptr[at] && space_at(s, at + 1)) {
            *begin = at + 1;
            *end = skip_spaces(s, at + 1);
            return true;
        }
    return false;
}

static void add_clause(struct cutting *c, struct span s)
{
    bool fresh;
    buf_clear(&c->lower);
    text_lower(s, &c->lower);
    map_add(&c->seen, buf_span(&c->lower), &fresh);
    if (!fresh)
        return;
    if (c->out->total++ >= c->max_items)
        return;
    struct clauses *o = c->out;
    if (o->count == o->cap) {
        size_t cap = o->cap ? 2 * o->cap : 16;
        struct span *grown = arena_alloc(c->arena, cap * sizeof *grown);
        if (o->count)
            memcpy(grown, o->items, o->count * sizeof *grown);
        o->items = grown;
        o->cap = cap;
    }
    o->items[o->count++] = arena_span(c->arena, s);
}

static struct span strip_bytes(struct span s, const char *bytes)
{
    while (s.len && strchr(bytes, s.ptr[0]) && s.ptr[0])
        s = span_slice(s, 1, s.len);
    while (s.len && strchr(bytes, s.ptr[s.len - 1]) && s.ptr[s.len - 1])
        s.len--;
    return s;
}

static void clean_clause(struct cutting *c, struct span piece)
{
    struct span word;
    buf_clear(&c->clean);
    for (size_t at = 0; text_next_word(piece, &at, &word);) {
        if (c->clean.len)
            buf_byte(&c->clean, ' ');
        buf_span_add(&c->clean, word);
    }
    struct span s = buf_span(&c->clean);
    size_t marker = marker_end(s, 0);
    if (marker)
        s = text_strip(span_slice(s, marker, s.len));
    if (role_start(s) || utf8_length(s) < SCENE_CLAUSE_MIN)
        return;
    if (utf8_length(s) > SCENE_CLAUSE_MAX) {
        s = utf8_head(s, SCENE_CLAUSE_MAX);
        for (size_t i = s.len; i > 0; i--)
            if (s.ptr[i - 1] == ' ') {
                s.len = i - 1;
                break;
            }
        s = strip_bytes(s, " ,;:");
        if (utf8_length(s) < SCENE_CLAUSE_MIN)
            return;
    }
    add_clause(c, s);
}

/* Blanks, tabs, hyphens and bullets off both ends. */
static struct span strip_marks(struct span s)
{
    for (size_t before = s.len + 1; s.len < before;) {
        before = s.len;
        s = strip_bytes(s, " \t-");
        if (span_starts(s, SPAN(BULLET)))
            s = span_slice(s, 3, s.len);
        if (span_ends(s, SPAN(BULLET)))
            s.len -= 3;
    }
    return s;
}

/* Calls each for the pieces of s between breaks behind one of `ends` (kept, or dropped with
 * drop_end). Returns their number; short: some piece is under the least length. */
static size_t count_sentences(struct span s, bool *too_short)
{
    size_t count = 1, from = 0, begin, end;
    *too_short = false;
    for (; next_break(s, from, ".!?", &begin, &end); from = end, count++)
        *too_short = *too_short || utf8_length(span_slice(s, from, begin)) < SCENE_CLAUSE_MIN;
    *too_short = *too_short || utf8_length(span_slice(s, from, s.len)) < SCENE_CLAUSE_MIN;
    return count;
}

/* The next piece of s at `;` and white space; *from is SIZE_MAX behind the last. */
static bool next_piece(struct span s, size_t *from, struct span *piece)
{
    size_t begin, end;
    if (*from == (size_t)-1)
        return false;
    if (next_break(s, *from, ";", &begin, &end)) {
        *piece = span_slice(s, *from, begin - 1);
        *from = end;
    } else {
        *piece = span_slice(s, *from, s.len);
        *from = (size_t)-1;
    }
    return true;
}

static void cut_chunk(struct cutting *c, struct span chunk)
{
    size_t count = 0, from = 0;
    bool too_short = false;
    struct span piece;
    while (next_piece(chunk, &from, &piece))
        if (!text_blank(piece)) {
            count++;
            too_short = too_short || utf8_length(strip_marks(piece)) < SCENE_CLAUSE_MIN;
        }
    if (count < 2 || too_short) {
        clean_clause(c, chunk);
        return;
    }
    from = 0;
    while (next_piece(chunk, &from, &piece))
        if (!text_blank(piece))
            clean_clause(c, strip_marks(piece));
}

static void cut_part(struct cutting *c, struct span part)
{
    size_t begin, end;
    part = text_strip(part);
    if (!part.len)
        return;
    if (role_start(part)) {
        if (!next_break(part, 0, ".!;", &begin, &end))
            return;
        part = span_slice(part, end, part.len);
    }
    bool too_short;
    if (count_sentences(part, &too_short) < 2 || too_short) {
        cut_chunk(c, part);
        return;
    }
    size_t from = 0;
    for (; next_break(part, from, ".!?", &begin, &end); from = end)
        cut_chunk(c, span_slice(part, from, begin));
    cut_chunk(c, span_slice(part, from, part.len));
}

/* A block's parts: a new one begins with every line that opens an item. */
static void cut_block(struct cutting *c, struct span block)
{
    size_t from = 0;
    if (text_blank(block))
        return;
    for (size_t at = 0; at < block.len; at++) {
        if (block.ptr[at] != '\n')
            continue;
        size_t first = skip_spaces(block, at + 1);
        if (marker_end(block, first) || heading_at(block, first)) {
            cut_part(c, span_slice(block, from, at));
            from = at + 1;
        }
    }
    cut_part(c, span_slice(block, from, block.len));
}

void clauses_cut(struct span policy, size_t max_items, struct arena *arena, struct clauses *out)
{
    struct cutting c = {.arena = arena, .out = out, .max_items = max_items};
    struct span s = text_strip(policy);
    size_t from = 0;
    *out = (struct clauses){0};
    for (size_t at = 0; at < s.len;) {
        if (s.ptr[at] != '\n') {
            at++;
            continue;
        }
        size_t run = skip_spaces(s, at + 1), last = 0;
        for (size_t i = at + 1; i < run; i++)
            if (s.ptr[i] == '\n')
                last = i;
        if (last) { /* an empty line: the block ends */
            cut_block(&c, span_slice(s, from, at));
            from = last + 1;
        }
        at = run;
    }
    if (s.len)
        cut_block(&c, span_slice(s, from, s.len));
    map_free(&c.seen);
    buf_free(&c.clean);
    buf_free(&c.lower);
}
