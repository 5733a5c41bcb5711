/* edit.c: see edit.h. Copies the object's bytes and puts the changes between them. */
#include "json/edit.h"

#include <stdlib.h>
#include <string.h>

#include "json/scan_path.h"
#include "json/write.h"

enum { CHANGES_ON_STACK = 32 };

struct json_change {
    size_t key_at, key_len; /* in bytes */
    size_t json_at, json_len;
    bool remove;
};

static struct span change_key(const struct json_edit *e, const struct json_change *c)
{
    return span_make(e->bytes.data + c->key_at, c->key_len);
}

static struct span change_json(const struct json_edit *e, const struct json_change *c)
{
    return span_make(e->bytes.data + c->json_at, c->json_len);
}

/* The change of that key, made when there is none. */
static struct json_change *change_of(struct json_edit *e, struct span key)
{
    for (size_t i = 0; i < e->count; i++)
        if (span_equal(change_key(e, &e->items[i]), key))
            return &e->items[i];
    if (e->count == e->cap)
        e->items = mem_grow(e->items, &e->cap, e->count + 1, sizeof *e->items);
    struct json_change *c = &e->items[e->count++];
    *c = (struct json_change){.key_at = e->bytes.len, .key_len = key.len};
    buf_reserve(&e->bytes,
                key.len + 1); /* never NULL, so that an empty key is a span like others */
    buf_span_add(&e->bytes, key);
    return c;
}

void json_edit_set(struct json_edit *e, struct span key, struct span json)
{
    struct json_change *c = change_of(e, key);
    c->remove = false;
    c->json_at = e->bytes.len;
    buf_span_add(&e->bytes, json);
    c->json_len = e->bytes.len - c->json_at;
}

void json_edit_text(struct json_edit *e, struct span key, struct span utf8)
{
    struct json_change *c = change_of(e, key);
    c->remove = false;
    c->json_at = e->bytes.len;
    json_quote(&e->bytes, utf8);
    c->json_len = e->bytes.len - c->json_at;
}

void json_edit_remove(struct json_edit *e, struct span key)
{
    change_of(e, key)->remove = true;
}

void json_edit_clear(struct json_edit *e)
{
    e->count = 0;
    buf_clear(&e->bytes);
}

void json_edit_free(struct json_edit *e)
{
    free(e->items);
    buf_free(&e->bytes);
    *e = (struct json_edit){0};
}

/* ---- applying -------------------------------------------------------------------------------- */

bool json_written_spaced(const struct json_members *members)
{
    if (members->count == 0)
        return false;
    const struct json_member *first = &members->items[0];
    return scan_space(first->value.text.ptr[-1]);
}

struct apply {
    const struct json_edit *edit;
    const struct json_members *members;
    const size_t *target; /* by change: the member it replaces, or members->count */
    const char *brace;    /* '{' */
    struct buf *out;
    size_t written; /* members so far */
};

static const char *member_start(const struct json_member *m)
{
    return m->key.ptr - 1;
}

static const char *value_end(const struct json_member *m)
{
    return m->value.text.ptr + m->value.text.len;
}

static void add_between(struct buf *out, const char *from, const char *to)
{
    buf_add(out, from, (size_t)(to - from));
}

/* Writes member i as it stands, or with its new value, or not at all. */
static void apply_member(struct apply *a, size_t i)
{
    const struct json_member *m = &a->members->items[i];
    const struct json_change *replaced = NULL;
    for (size_t c = 0; c < a->edit->count; c++) {
        const struct json_change *change = &a->edit->items[c];
        if (change->remove && json_key_is(m, change_key(a->edit, change)))
            return;
        if (!change->remove && a->target[c] == i)
            replaced = change;
    }
    /* What stands before a member belongs to it (a comma, white space); the first one written takes
     * what stood before the first one. */
    const struct json_member *lead = a->written == 0 ? &a->members->items[0] : m;
    const char *before = lead == &a->members->items[0] ? a->brace + 1 : value_end(lead - 1);
    add_between(a->out, before, member_start(lead));
    if (replaced) {
        add_between(a->out, member_start(m), m->value.text.ptr);
        buf_span_add(a->out, change_json(a->edit, replaced));
    } else {
        add_between(a->out, member_start(m), value_end(m));
    }
    a->written++;
}

static void apply_new(struct apply *a)
{
    bool spaced = json_written_spaced(a->members);
    for (size_t c = 0; c < a->edit->count; c++) {
        const struct json_change *change = &a->edit->items[c];
        if (change->remove || a->target[c] < a->members->count)
            continue;
        if (a->written++)
            buf_text(a->out, spaced ? ", " : ",");
        json_quote(a->out, change_key(a->edit, change));
        buf_text(a->out, spaced ? ": " : ":");
        buf_span_add(a->out, change_json(a->edit, change));
    }
}

void json_edit_apply(const struct json_edit *e, struct span object,
                     const struct json_members *members, struct buf *out)
{
    if (e->count == 0) {
        buf_span_add(out, object);
        return;
    }
    size_t few[CHANGES_ON_STACK];
    size_t *target = e->count <= CHANGES_ON_STACK ? few : mem_zero(e->count, sizeof *target);
    for (size_t c = 0; c < e->count; c++) {
        const struct json_member *m = json_find(members, change_key(e, &e->items[c]));
        target[c] = m ? (size_t)(m - members->items) : members->count;
    }
    const char *brace = memchr(object.ptr, '{', object.len), *end = object.ptr + object.len;
    struct apply a = {e, members, target, brace, out, 0};
    add_between(out, object.ptr, brace + 1);
    for (size_t i = 0; i < members->count; i++)
        apply_member(&a, i);
    apply_new(&a);
    const struct json_member *last = members->count ? &members->items[members->count - 1] : NULL;
    add_between(out, last ? value_end(last) : brace + 1, end);
    if (target != few)
        free(target);
}
