/* canonical.c: see canonical.h. Recursion is bounded by the scanner's depth. */
#include "grade/canonical.h"

#include <stdlib.h>

#include "grade/numeric.h"
#include "json/write.h"

static void add_number(struct buf *out, struct span token)
{
    struct numeric n;
    numeric_open(&n);
    if (numeric_decimal(&n, token) && n.exact) {
        char *text = mpq_get_str(NULL, 10, n.q);
        buf_text(out, text);
        void (*release)(void *, size_t);
        mp_get_memory_functions(NULL, NULL, &release);
        release(text, strlen(text) + 1);
    } else {
        buf_span_add(out, token);
    }
    numeric_close(&n);
}

struct member {
    struct buf scratch;
    struct span key;
    size_t place;
    struct json_value value;
};

static int by_key(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int order = span_compare(x->key, y->key);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static void add_object(struct buf *out, struct json_value object)
{
    struct json_cursor c = json_enter(object);
    struct json_member m;
    struct member *members = NULL;
    size_t n = 0, cap = 0, written = 0;
    for (; json_next_member(&c, &m); n++) {
        members = mem_grow(members, &cap, n + 1, sizeof *members);
        members[n] = (struct member){.place = n, .value = m.value};
        members[n].key = json_key(&m, &members[n].scratch);
    }
    if (n)
        qsort(members, n, sizeof *members, by_key);
    buf_byte(out, '{');
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && span_equal(members[i].key, members[i + 1].key))
            continue; /* a later one of that name counts */
        if (written++)
            buf_byte(out, ',');
        json_quote(out, members[i].key);
        buf_byte(out, ':');
        canonical_add(out, members[i].value);
    }
    buf_byte(out, '}');
    for (size_t i = 0; i < n; i++)
        buf_free(&members[i].scratch);
    free(members);
}

void canonical_add(struct buf *out, struct json_value value)
{
    struct json_cursor c = json_enter(value);
    struct json_value item;
    struct buf scratch = {0};
    switch (value.type) {
    case JSON_VALUE_NUMBER: add_number(out, value.text); break;
    case JSON_VALUE_STRING: json_quote(out, json_text(value, &scratch)); break;
    case JSON_VALUE_OBJECT: add_object(out, value); break;
    case JSON_VALUE_ARRAY:
        buf_byte(out, '[');
        for (bool first = true; json_next_item(&c, &item); first = false) {
            if (!first)
                buf_byte(out, ',');
            canonical_add(out, item);
        }
        buf_byte(out, ']');
        break;
    default: buf_span_add(out, value.text); break;
    }
    buf_free(&scratch);
}

bool canonical_equal(struct json_value a, struct json_value b)
{
    struct buf x = {0}, y = {0};
    bool same = a.type == b.type;
    if (same) {
        canonical_add(&x, a);
        canonical_add(&y, b);
        same = span_equal(buf_span(&x), buf_span(&y));
    }
    buf_free(&x);
    buf_free(&y);
    return same;
}
