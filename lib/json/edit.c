/* edit.c: see edit.h. Copies the object's bytes and puts the changes between them. */
#include "json/edit.h"

#include <stdlib.h>
#include <string.h>

#include "json/decode.h"
#include "json/scan_path.h"
#include "json/write.h"

enum {
    MEMBERS_ON_STACK = 64,
    QUOTED_MAX = 6,    /* bytes that a quoted byte takes, at most: \u0000 */
    ADDED_AROUND = 16, /* bytes around a member that is added, at most: , "key": */
};

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

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void json_edit_set(struct json_edit *e, struct span key, struct span json)
{
    /* White space around it is no part of a value. */
    while (json.len && blank(json.ptr[0]))
        json = span_slice(json, 1, json.len);
    while (json.len && blank(json.ptr[json.len - 1]))
        json.len--;
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

/* What becomes of a member: it stays, it goes, or the number of the change that replaces its value. */
enum { STAYS = -1, GOES = -2 };

struct apply {
    const struct json_edit *edit;
    const struct json_members *members;
    const int *fate;              /* by member */
    const char *from;             /* of the object: what is not in out yet begins here */
    struct buf *out;              /* has room for everything, so it does not move */
    struct json_members *written; /* NULL: nobody asks */
    bool any;                     /* a member was written */
};

static const char *member_start(const struct json_member *m)
{
    return m->key.ptr - 1;
}

static const char *value_end(const struct json_member *m)
{
    return m->value.text.ptr + m->value.text.len;
}

static void copy_to(struct apply *a, const char *to)
{
    buf_add(a->out, a->from, (size_t)(to - a->from));
    a->from = to;
}

/* The span that `text` of the object will be when what is before it has been copied. */
static struct span in_out(const struct apply *a, struct span text)
{
    return span_make(a->out->data + a->out->len + (text.ptr - a->from), text.len);
}

static struct json_value value_in(const char *start, size_t len)
{
    struct json_value value = {.text = span_make(start, len), .type = scan_type(*start)};
    value_skip(start, start + len, &value.flags);
    if (value.type < JSON_VALUE_NUMBER)
        value.flags = 0;
    return value;
}

/* Writes the new value of a member whose key has been copied. */
static void put_value(struct apply *a, struct span json, struct json_member *noted)
{
    const char *start = a->out->data + a->out->len;
    buf_span_add(a->out, json);
    if (noted)
        noted->value = value_in(start, json.len);
}

/* A member as it stands, or with its new value. What stands before a member belongs to it (a comma,
 * white space); the first one written takes what stood before the first one. */
static void apply_member(struct apply *a, size_t i)
{
    const struct json_member *m = &a->members->items[i];
    struct json_member *noted = a->written ? scan_member_add(a->written) : NULL;
    if (!a->any && i > 0) { /* all before it went */
        copy_to(a, member_start(&a->members->items[0]));
        a->from = member_start(m);
    }
    a->any = true;
    if (noted)
        *noted = (struct json_member){in_out(a, m->key), m->key_escaped, m->value};
    if (a->fate[i] == STAYS) {
        if (noted)
            noted->value.text = in_out(a, m->value.text);
        return;
    }
    copy_to(a, m->value.text.ptr);
    put_value(a, change_json(a->edit, &a->edit->items[a->fate[i]]), noted);
    a->from = value_end(m);
}

/* A member that goes, with what stands before it. */
static void pass_member(struct apply *a, size_t i)
{
    if (!a->any)
        return;
    copy_to(a, value_end(&a->members->items[i - 1]));
    a->from = value_end(&a->members->items[i]);
}

static void apply_new(struct apply *a, const struct json_change *change, bool spaced)
{
    struct span key = change_key(a->edit, change);
    struct json_member *noted = a->written ? scan_member_add(a->written) : NULL;
    if (a->any)
        buf_text(a->out, spaced ? ", " : ",");
    a->any = true;
    size_t start = a->out->len;
    json_quote(a->out, key);
    if (noted) {
        noted->key = span_make(a->out->data + start + 1, a->out->len - start - 2);
        noted->key_escaped = noted->key.len != key.len;
    }
    buf_text(a->out, spaced ? ": " : ":");
    put_value(a, change_json(a->edit, change), noted);
}

/* The fates of the members; the changes that find no member get target[c] = false. */
static void find_fates(const struct json_edit *e, const struct json_members *members, int *fate,
                       bool *found)
{
    for (size_t i = 0; i < members->count; i++)
        fate[i] = STAYS;
    for (size_t c = 0; c < e->count; c++) {
        struct span key = change_key(e, &e->items[c]);
        found[c] = e->items[c].remove;
        for (size_t i = members->count; i-- > 0;) {
            if (!json_key_is(&members->items[i], key))
                continue;
            fate[i] = e->items[c].remove ? GOES : (int)c;
            found[c] = true;
            if (!e->items[c].remove)
                break;
        }
    }
}

static size_t room_for(const struct json_edit *e, struct span object)
{
    size_t room = object.len + 1; /* one byte for who adds a newline */
    for (size_t c = 0; c < e->count; c++)
        room += e->items[c].key_len * QUOTED_MAX + e->items[c].json_len + ADDED_AROUND;
    return room;
}

void json_edit_apply_members(const struct json_edit *e, struct span object,
                             const struct json_members *members, struct buf *out,
                             struct json_members *written)
{
    int few_fates[MEMBERS_ON_STACK];
    bool few_found[MEMBERS_ON_STACK];
    bool few = members->count <= MEMBERS_ON_STACK && e->count <= MEMBERS_ON_STACK;
    int *fate = few ? few_fates : mem_zero(members->count + 1, sizeof *fate);
    bool *found = few ? few_found : mem_zero(e->count + 1, sizeof *found);
    find_fates(e, members, fate, found);
    struct apply a = {e, members, fate, object.ptr, out, written, false};
    buf_reserve(out, room_for(e, object));
    if (written)
        written->count = 0;
    for (size_t i = 0; i < members->count; i++) {
        if (fate[i] == GOES)
            pass_member(&a, i);
        else
            apply_member(&a, i);
    }
    const struct json_member *last = members->count ? &members->items[members->count - 1] : NULL;
    if (!a.any)
        copy_to(&a, (const char *)memchr(object.ptr, '{', object.len) + 1);
    else if (fate[members->count - 1] != GOES)
        copy_to(&a, value_end(last));
    for (size_t c = 0; c < e->count; c++)
        if (!found[c])
            apply_new(&a, &e->items[c], json_written_spaced(members));
    a.from = last ? value_end(last) : a.from;
    copy_to(&a, object.ptr + object.len);
    if (!few) {
        free(fate);
        free(found);
    }
}

void json_edit_apply(const struct json_edit *e, struct span object,
                     const struct json_members *members, struct buf *out)
{
    if (e->count == 0)
        buf_span_add(out, object);
    else
        json_edit_apply_members(e, object, members, out, NULL);
}
