/* reasoning.c: takes <think> … </think> out of a text in one pass (rows 9.1). */
#include "text/reasoning.h"

#include "text/fold.h"
#include "text/unicode.h"
#include "text/utf8.h"

static const struct span OPEN = {"<think>", 7};
static const struct span CLOSE = {"</think>", 8};

static bool tag_at(const char *at, struct span tag)
{
    for (size_t i = 0; i < tag.len; i++) {
        char c = at[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != tag.ptr[i])
            return false;
    }
    return true;
}

/* First place of the tag at or after from, or s.len. */
static size_t find_tag(struct span s, struct span tag, size_t from)
{
    while (s.len - from >= tag.len) {
        const char *hit = memchr(s.ptr + from, '<', s.len - from - tag.len + 1);
        if (!hit)
            break;
        if (tag_at(hit, tag))
            return (size_t)(hit - s.ptr);
        from = (size_t)(hit - s.ptr) + 1;
    }
    return s.len;
}

static size_t skip_space(struct span s, size_t at)
{
    while (at < s.len) {
        size_t next = at;
        if (!unicode_space(utf8_next(s, &next)))
            break;
        at = next;
    }
    return at;
}

struct text_reasoning text_split_reasoning(struct span text, struct buf *scratch)
{
    struct text_reasoning r = {.spoken = text};
    buf_clear(scratch);
    size_t kept = 0; /* where the part begins that is kept and not yet copied */
    for (size_t at = 0;;) {
        size_t open = find_tag(text, OPEN, at);
        if (open == text.len)
            break;
        size_t inside = open + OPEN.len;
        size_t close = find_tag(text, CLOSE, inside);
        if (close == text.len)
            break;
        r.closed += !text_blank(span_slice(text, inside, close));
        buf_add(scratch, text.ptr + kept, open - kept);
        kept = at = skip_space(text, close + CLOSE.len);
    }
    struct span rest = span_slice(text, kept, text.len);
    if (scratch->len == 0) {
        r.spoken = rest;
    } else {
        buf_span_add(scratch, rest);
        r.spoken = buf_span(scratch);
    }
    /* What was cut out may have brought a tag's two halves together, so the joined text is
     * searched. */
    size_t open = find_tag(r.spoken, OPEN, 0);
    r.unclosed = open < r.spoken.len;
    r.spoken.len = open;
    return r;
}
