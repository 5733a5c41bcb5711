/* scrub.c: finds the spellings of a gold in a text and blanks them (grade 2.4). */
#include "grade/scrub.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "grade/defaults.h"
#include "grade/numeric.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/unicode.h"
#include "text/utf8.h"
#include "json/pytext.h"
#include "json/write.h"

#define MARK SPAN("<reference>")

struct spellings {
    struct span *items;
    size_t count, cap;
    struct arena arena;
};

static void add(struct spellings *all, struct span text)
{
    text = text_strip(text);
    if (!text.len)
        return;
    for (size_t i = 0; i < all->count; i++)
        if (span_equal(all->items[i], text))
            return;
    all->items = mem_grow(all->items, &all->cap, all->count + 1, sizeof *all->items);
    all->items[all->count++] = arena_span(&all->arena, text);
}

static void add_float(struct spellings *all, struct span text)
{
    struct numeric n;
    char spelled[NUMBER_TEXT_MAX] = "";
    numeric_open(&n);
    if (numeric_find(&n, text)) {
        double x = numeric_double(&n);
        if (isfinite(x))
            add(all, span_make(spelled, number_text(x, spelled)));
    }
    numeric_close(&n);
}

static void add_leaf(struct spellings *all, struct span text)
{
    struct buf escaped = {0};
    struct span line;
    size_t lines = 0;
    add(all, text);
    json_quote(&escaped, text_strip(text));
    add(all, span_slice(buf_span(&escaped), 1, escaped.len - 1));
    buf_clear(&escaped);
    py_repr(text_strip(text), &escaped);
    add(all, span_slice(buf_span(&escaped), 1, escaped.len - 1));
    add_float(all, text);
    for (size_t at = 0; text_next_line(text, &at, &line);)
        lines++;
    for (size_t at = 0; lines > 1 && text_next_line(text, &at, &line);)
        if (utf8_length(text_strip(line)) >= SCRUB_LINE_CHARS)
            add(all, line);
    buf_free(&escaped);
}

/* Depth is bounded by the scanner. */
static void add_leaves(struct spellings *all, struct json_value value)
{
    struct json_cursor c = json_enter(value);
    struct buf scratch = {0};
    if (value.type == JSON_VALUE_STRING) {
        add_leaf(all, json_text(value, &scratch));
    } else if (value.type == JSON_VALUE_NUMBER) {
        add_leaf(all, value.text);
    } else if (value.type == JSON_VALUE_ARRAY) {
        struct json_value item;
        while (json_next_item(&c, &item))
            add_leaves(all, item);
    } else if (value.type == JSON_VALUE_OBJECT) {
        struct json_member member;
        while (json_next_member(&c, &member))
            add_leaves(all, member.value);
    }
    buf_free(&scratch);
}

static int longer_first(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->len != y->len ? (x->len < y->len) - (x->len > y->len) : span_compare(*x, *y);
}

static uint32_t char_before(struct span s, size_t at)
{
    size_t from = at;
    do
        from--;
    while (from > 0 && ((unsigned char)s.ptr[from] & 0xc0) == 0x80);
    return utf8_next(s, &from);
}

static uint32_t char_at(struct span s, size_t at)
{
    return utf8_next(s, &at);
}

/* Whether text[at, end) stands as a token of its own. */
static bool token(struct span text, size_t at, size_t end)
{
    if (at > 0) {
        uint32_t before = char_before(text, at), first = char_at(text, at);
        if (unicode_word(first) && unicode_word(before))
            return false;
        if (unicode_digit(first) && before == '.' && at > 1 &&
            unicode_digit(char_before(text, at - 1)))
            return false;
    }
    if (end < text.len) {
        uint32_t last = char_before(text, end), next = char_at(text, end);
        if (unicode_word(last) && unicode_word(next))
            return false;
        if (unicode_digit(last) && next == '.' && end + 1 < text.len &&
            unicode_digit(char_at(text, end + 1)))
            return false;
    }
    return true;
}

static void replace(struct buf *text, size_t at, size_t end)
{
    struct buf out = {0};
    buf_add(&out, text->data, at);
    buf_span_add(&out, MARK);
    buf_add(&out, text->data + end, text->len - end);
    buf_free(text);
    *text = out;
}

static void scrub_whole(struct buf *text, struct span spelling)
{
    for (size_t at = 0; (at = span_find(buf_span(text), spelling, at)) != SIZE_MAX;) {
        if (token(buf_span(text), at, at + spelling.len)) {
            replace(text, at, at + spelling.len);
            at += MARK.len;
        } else {
            at++;
        }
    }
}

/* The longest prefix of 16 or more characters that is quoted at a place where the gold is cut off.
 */
static void scrub_prefix(struct buf *text, struct span spelling)
{
    if (utf8_length(spelling) < SCRUB_PREFIX_CHARS)
        return;
    struct span head = utf8_head(spelling, SCRUB_PREFIX_CHARS);
    for (size_t at = 0; (at = span_find(buf_span(text), head, at)) != SIZE_MAX;) {
        size_t n = head.len;
        while (n < spelling.len && at + n < text->len && text->data[at + n] == spelling.ptr[n])
            n++;
        while (n > head.len && n < spelling.len && ((unsigned char)spelling.ptr[n] & 0xc0) == 0x80)
            n--;
        replace(text, at, at + n);
        at += MARK.len;
    }
}

static void gather(struct json_value gold, struct spellings *all)
{
    add_leaves(all, gold);
    if (all->count)
        qsort(all->items, all->count, sizeof *all->items, longer_first);
}

static void scrub_with(const struct spellings *all, struct buf *text)
{
    for (size_t i = 0; i < all->count; i++)
        scrub_whole(text, all->items[i]);
    for (size_t i = 0; i < all->count; i++)
        scrub_prefix(text, all->items[i]);
}

static void release(struct spellings *all)
{
    free(all->items);
    arena_free(&all->arena);
}

void scrub_text(struct json_value gold, struct buf *text)
{
    struct spellings all = {0};
    gather(gold, &all);
    scrub_with(&all, text);
    release(&all);
}

/* A copy of value in out with every text scrubbed. Depth is bounded by the scanner. */
static void scrub_json(const struct spellings *all, struct json_value value, struct buf *out)
{
    struct json_cursor c = json_enter(value);
    struct buf text = {0};
    bool first = true;
    if (value.type == JSON_VALUE_STRING) {
        json_text_add(value, &text);
        scrub_with(all, &text);
        json_quote(out, buf_span(&text));
    } else if (value.type == JSON_VALUE_ARRAY) {
        struct json_value item;
        for (buf_byte(out, '['); json_next_item(&c, &item); first = false) {
            if (!first)
                buf_byte(out, ',');
            scrub_json(all, item, out);
        }
        buf_byte(out, ']');
    } else if (value.type == JSON_VALUE_OBJECT) {
        struct json_member member;
        for (buf_byte(out, '{'); json_next_member(&c, &member); first = false) {
            if (!first)
                buf_byte(out, ',');
            buf_byte(out, '"');
            buf_span_add(out, member.key);
            buf_text(out, "\":");
            scrub_json(all, member.value, out);
        }
        buf_byte(out, '}');
    } else {
        buf_span_add(out, value.text);
    }
    buf_free(&text);
}

void scrub_verdict(struct verdict *v, const struct row_gold *gold)
{
    if (!gold->value.text.ptr || !gold->privileged || (!v->reason.len && !v->n_meta))
        return;
    struct spellings all = {0};
    struct buf json = {0};
    struct json_value value;
    struct json_fault fault;
    gather(gold->value, &all);
    scrub_with(&all, &v->reason);
    for (size_t i = 0; i < v->n_meta; i++) {
        struct span key = v->meta[i].key, old = v->meta[i].json;
        if (span_is(key, "verifier") || span_is(key, "scorer_kind") ||
            json_scan(old, &value, NULL, &fault))
            continue;
        buf_clear(&json);
        scrub_json(&all, value, &json);
        if (!span_equal(buf_span(&json), old))
            verdict_meta(v, key, buf_span(&json));
    }
    release(&all);
    buf_free(&json);
}
