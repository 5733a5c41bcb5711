/* py_write.c: writes a validated value in one pass over its text. The members of an object are
 * written as they come; only where a name stands twice or the order must change are they put right
 * afterwards. */
#include "json/py_write.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "text/number.h"
#include "json/decode.h"
#include "json/scan_path.h"

enum { FEW_MEMBERS = 16 }; /* so many are compared in pairs before sorting is worth it */

struct member {
    struct span key; /* decoded */
    size_t order;    /* place in the text */
    size_t from, to; /* what was written for it */
};

struct writer {
    const struct py_style *style;
    const char *at, *end;
    struct buf *out;
    struct member *members; /* of all open objects, the innermost last */
    size_t count, cap;
    struct buf scratch;
    struct arena names; /* decoded names with escapes */
};

static void skip_space(struct writer *w)
{
    while (w->at < w->end && scan_space(*w->at))
        w->at++;
}

static int by_key(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int order = span_compare(x->key, y->key);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static int by_order(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

static bool ascending(const struct member *m, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (span_compare(m[i - 1].key, m[i].key) >= 0)
            return false;
    return true;
}

static bool distinct_pairs(const struct member *m, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (span_equal(m[i].key, m[j].key))
                return false;
    return true;
}

/* Sorted members: of those with one name the first place and the last value stay. */
static size_t drop_duplicates(struct member *m, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept && span_equal(m[kept - 1].key, m[i].key)) {
            m[kept - 1].from = m[i].from;
            m[kept - 1].to = m[i].to;
        } else {
            m[kept++] = m[i];
        }
    }
    return kept;
}

/* Writes the members again, in the order they now have, over what was written from `from` on. */
static void rewrite(struct writer *w, const struct member *m, size_t n, size_t from)
{
    struct buf again = {0};
    for (size_t i = 0; i < n; i++) {
        if (i)
            buf_add(&again, ", ", 2);
        buf_add(&again, w->out->data + m[i].from, m[i].to - m[i].from);
    }
    w->out->len = from;
    buf_span_add(w->out, buf_span(&again));
    buf_free(&again);
}

/* Puts n members into the order that the style wants. from: where the first begins in out. */
static void settle(struct writer *w, struct member *m, size_t n, size_t from)
{
    if (n < 2 || ascending(m, n))
        return;
    if (!w->style->sorted && n <= FEW_MEMBERS && distinct_pairs(m, n))
        return;
    qsort(m, n, sizeof *m, by_key);
    size_t kept = drop_duplicates(m, n);
    if (!w->style->sorted) {
        if (kept == n)
            return;
        qsort(m, kept, sizeof *m, by_order);
    }
    rewrite(w, m, kept, from);
}

static struct span read_text(struct writer *w, bool keep)
{
    uint8_t flags;
    const char *start = w->at;
    w->at = string_skip(start, w->end, &flags);
    struct span raw = span_make(start + 1, (size_t)(w->at - start - 2));
    if (!(flags & JSON_FLAG_ESCAPED))
        return raw;
    buf_clear(&w->scratch);
    decode_add(raw, &w->scratch);
    return keep ? arena_span(&w->names, buf_span(&w->scratch)) : buf_span(&w->scratch);
}

static void write_number(struct writer *w, struct span token, uint8_t flags)
{
    if (flags & JSON_FLAG_INTEGER) {
        buf_span_add(w->out, span_is(token, "-0") ? SPAN("0") : token);
        return;
    }
    double x = json_number((struct json_value){token, JSON_VALUE_NUMBER, flags});
    if (isnan(x))
        buf_span_add(w->out, w->style->nan);
    else if (isinf(x))
        buf_span_add(w->out, x > 0 ? w->style->infinity : w->style->minus_infinity);
    else
        number_add(w->out, x);
}

static void write_value(struct writer *w);

static void write_array(struct writer *w)
{
    buf_byte(w->out, '[');
    w->at++;
    for (bool first = true;; first = false) {
        skip_space(w);
        if (*w->at == ']')
            break;
        if (!first) {
            w->at++; /* the comma */
            buf_add(w->out, ", ", 2);
        }
        write_value(w);
    }
    w->at++;
    buf_byte(w->out, ']');
}

static void write_member(struct writer *w, size_t order)
{
    if (w->count == w->cap)
        w->members = mem_grow(w->members, &w->cap, w->count + 1, sizeof *w->members);
    size_t self = w->count++;
    size_t from = w->out->len;
    skip_space(w);
    struct span key = read_text(w, true);
    w->style->text(key, w->out);
    buf_add(w->out, ": ", 2);
    skip_space(w);
    w->at++; /* the colon */
    write_value(w);
    w->members[self] = (struct member){key, order, from, w->out->len};
}

static void write_object(struct writer *w)
{
    buf_byte(w->out, '{');
    w->at++;
    size_t base = w->count, from = w->out->len;
    for (size_t n = 0;; n++) {
        skip_space(w);
        if (*w->at == '}')
            break;
        if (n) {
            w->at++; /* the comma */
            buf_add(w->out, ", ", 2);
        }
        write_member(w, n);
    }
    w->at++;
    if (w->count > base)
        settle(w, &w->members[base], w->count - base, from);
    w->count = base;
    buf_byte(w->out, '}');
}

/* Recursion is bounded by the depth that the scanner accepts. */
static void write_value(struct writer *w)
{
    skip_space(w);
    switch (*w->at) {
    case '{': write_object(w); return;
    case '[': write_array(w); return;
    case '"': w->style->text(read_text(w, false), w->out); return;
    }
    uint8_t flags;
    const char *start = w->at;
    w->at = value_skip(start, w->end, &flags);
    switch (*start) {
    case 't': buf_span_add(w->out, w->style->truth); return;
    case 'f': buf_span_add(w->out, w->style->lie); return;
    case 'n': buf_span_add(w->out, w->style->null); return;
    default: write_number(w, span_make(start, (size_t)(w->at - start)), flags); return;
    }
}

void py_write(struct json_value value, const struct py_style *style, struct buf *out)
{
    if (!value.text.ptr) { /* a value that is not there */
        buf_span_add(out, style->null);
        return;
    }
    struct writer w = {
        .style = style, .at = value.text.ptr, .end = value.text.ptr + value.text.len, .out = out};
    write_value(&w);
    free(w.members);
    buf_free(&w.scratch);
    arena_free(&w.names);
}
