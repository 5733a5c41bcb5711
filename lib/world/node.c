/* node.c: the tree of node.h: building, reading, and its three texts. */
#include "world/node.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "text/number.h"
#include "json/pyjson.h"
#include "json/pytext.h"
#include "json/write.h"

/* From this many members on, names are looked up in a map while an object is read. */
enum { MEMBERS_BY_MAP = 16 };

/* Largest file that an option may name (bytes). */
enum { NODE_FILE_MAX = 64 << 20 };

static struct node *node_new(struct arena *a, enum json_type type)
{
    struct node *v = arena_zero(a, sizeof *v);
    v->type = (uint8_t)type;
    return v;
}

struct node *node_null(struct arena *a)
{
    return node_new(a, JSON_VALUE_NULL);
}

struct node *node_bool(struct arena *a, bool truth)
{
    return node_new(a, truth ? JSON_VALUE_TRUE : JSON_VALUE_FALSE);
}

struct node *node_integer_text(struct arena *a, struct span digits)
{
    struct node *v = node_new(a, JSON_VALUE_NUMBER);
    v->integer = true;
    v->text = arena_span(a, digits);
    return v;
}

struct node *node_int(struct arena *a, int64_t n)
{
    char text[24];
    int len = snprintf(text, sizeof text, "%lld", (long long)n);
    return node_integer_text(a, span_make(text, (size_t)len));
}

struct node *node_real(struct arena *a, double x)
{
    char text[NUMBER_TEXT_MAX] = "";
    struct node *v = node_new(a, JSON_VALUE_NUMBER);
    v->text = arena_span(a, span_make(text, number_text(x, text)));
    return v;
}

struct node *node_borrow(struct arena *a, struct span utf8)
{
    struct node *v = node_new(a, JSON_VALUE_STRING);
    v->text = utf8;
    return v;
}

struct node *node_text(struct arena *a, struct span utf8)
{
    return node_borrow(a, arena_span(a, utf8));
}

struct node *node_array(struct arena *a)
{
    return node_new(a, JSON_VALUE_ARRAY);
}

struct node *node_object(struct arena *a)
{
    return node_new(a, JSON_VALUE_OBJECT);
}

void node_append(struct node *array, struct node *item)
{
    item->next = NULL;
    if (array->last)
        array->last->next = item;
    else
        array->first = item;
    array->last = item;
    array->count++;
}

/* Puts item in the place of old, which is a member of object. */
static void replace_member(struct node *object, struct node *old, struct node *item)
{
    struct node **link = &object->first;
    while (*link != old)
        link = &(*link)->next;
    item->next = old->next;
    *link = item;
    if (object->last == old)
        object->last = item;
}

void node_set(struct node *object, struct span key, struct node *item)
{
    struct node *old = node_get(object, key);
    item->key = key;
    if (old)
        replace_member(object, old, item);
    else
        node_append(object, item);
}

void node_add(struct node *object, const char *key, struct node *item)
{
    item->key = span_text(key);
    node_append(object, item);
}

struct node *node_get(const struct node *object, struct span key)
{
    if (!object || object->type != JSON_VALUE_OBJECT)
        return NULL;
    for (struct node *v = object->first; v; v = v->next)
        if (span_equal(v->key, key))
            return v;
    return NULL;
}

struct node *node_find(const struct node *object, const char *key)
{
    return node_get(object, span_text(key));
}

struct node *node_copy(struct arena *a, const struct node *v)
{
    struct node *copy = node_new(a, v->type);
    copy->integer = v->integer;
    if (v->text.len)
        copy->text = arena_span(a, v->text);
    for (const struct node *item = v->first; item; item = item->next) {
        struct node *sub = node_copy(a, item);
        if (v->type == JSON_VALUE_OBJECT)
            sub->key = arena_span(a, item->key);
        node_append(copy, sub);
    }
    return copy;
}

/* ---- reading --------------------------------------------------------------------------------- */

static struct span key_text(struct arena *a, const struct json_member *member)
{
    if (!member->key_escaped)
        return arena_span(a, member->key);
    struct buf scratch = {0};
    struct span text = arena_span(a, json_key(member, &scratch));
    buf_free(&scratch);
    return text;
}

static struct node *parse_string(struct arena *a, struct json_value json)
{
    struct buf scratch = {0};
    struct node *v = node_text(a, json_text(json, &scratch));
    buf_free(&scratch);
    return v;
}

/* Python's int() of a JSON integer token: only "-0" is written differently. */
static struct node *parse_number(struct arena *a, struct json_value json)
{
    if (json.flags & JSON_FLAG_INTEGER)
        return node_integer_text(a, span_is(json.text, "-0") ? SPAN("0") : json.text);
    return node_real(a, json_number(json));
}

static void parse_members(struct arena *a, struct json_value json, struct node *object)
{
    struct map names = {0};
    struct node **by_number = NULL;
    size_t cap = 0;
    struct json_cursor at = json_enter(json);
    struct json_member member;
    while (json_next_member(&at, &member)) {
        struct node *item = node_parse(a, member.value), *old = NULL;
        item->key = key_text(a, &member);
        if (object->count < MEMBERS_BY_MAP) {
            old = node_get(object, item->key);
        } else {
            bool fresh;
            for (struct node *v = names.count ? NULL : object->first; v; v = v->next) {
                size_t n = map_add(&names, v->key, NULL);
                by_number = mem_grow(by_number, &cap, n + 1, sizeof *by_number);
                by_number[n] = v;
            }
            size_t n = map_add(&names, item->key, &fresh);
            by_number = mem_grow(by_number, &cap, n + 1, sizeof *by_number);
            old = fresh ? NULL : by_number[n];
            by_number[n] = old ? old : item;
        }
        if (old) { /* the value moves into the old member, which keeps its place */
            struct node *next = old->next;
            *old = *item;
            old->next = next;
        } else {
            node_append(object, item);
        }
    }
    map_free(&names);
    free(by_number);
}

struct node *node_parse(struct arena *a, struct json_value json)
{
    struct node *v;
    struct json_cursor at;
    struct json_value item;
    switch (json.type) {
    case JSON_VALUE_NUMBER: return parse_number(a, json);
    case JSON_VALUE_STRING: return parse_string(a, json);
    case JSON_VALUE_ARRAY:
        v = node_array(a);
        at = json_enter(json);
        while (json_next_item(&at, &item))
            node_append(v, node_parse(a, item));
        return v;
    case JSON_VALUE_OBJECT:
        v = node_object(a);
        parse_members(a, json, v);
        return v;
    default: return node_new(a, json.type);
    }
}

struct node *node_of_option(struct arena *a, const char *option, const char *file_or_json,
                            struct error *error)
{
    struct buf text = {0};
    struct json_value value;
    struct json_fault fault;
    struct node *tree = NULL;
    bool itself = *file_or_json == '{' || *file_or_json == '[';
    const char *path = file_or_json + (*file_or_json == '@');
    if (itself)
        buf_text(&text, file_or_json);
    else if (file_read(path, NODE_FILE_MAX, &text, error))
        goto done;
    if (json_scan(buf_span(&text), &value, NULL, &fault)) {
        size_t line = 1;
        for (size_t i = 0; i < fault.offset && i < text.len; i++)
            line += text.data[i] == '\n';
        error_set(error, ERROR_INPUT, "%s:%zu: %s, so the value of %s is no JSON",
                  itself ? option : path, line, fault.what, option);
        goto done;
    }
    tree = node_parse(a, value);
done:
    buf_free(&text);
    return tree;
}

bool node_is(const struct node *v, enum json_type type)
{
    return v && v->type == (uint8_t)type;
}

double node_double(const struct node *v)
{
    double x;
    if (!node_is(v, JSON_VALUE_NUMBER) || !number_parse(v->text, &x))
        return NAN;
    return x;
}

bool node_int64(const struct node *v, int64_t *out)
{
    if (!node_is(v, JSON_VALUE_NUMBER) || !v->integer)
        return false;
    struct json_value json = {
        .text = v->text, .type = JSON_VALUE_NUMBER, .flags = JSON_FLAG_INTEGER};
    return json_int64(json, out);
}

bool node_truthy(const struct node *v)
{
    if (!v)
        return false;
    switch (v->type) {
    case JSON_VALUE_TRUE: return true;
    case JSON_VALUE_NUMBER: return v->integer ? !span_is(v->text, "0") : node_double(v) != 0;
    case JSON_VALUE_STRING: return v->text.len > 0;
    case JSON_VALUE_ARRAY:
    case JSON_VALUE_OBJECT: return v->count > 0;
    default: return false;
    }
}

bool node_given(const struct node *v)
{
    return v && v->type != JSON_VALUE_NULL && !(v->type == JSON_VALUE_STRING && v->text.len == 0);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Python writes non-finite floats as NaN, Infinity, -Infinity in JSON; JSON itself has none of
 * them. */
static void number_json(const struct node *v, bool python, struct buf *out)
{
    if (v->integer || (v->text.len && strchr("0123456789", v->text.ptr[v->text.len - 1])))
        buf_span_add(out, v->text);
    else if (!python)
        buf_text(out, "null");
    else
        buf_text(out, span_is(v->text, "nan") ? "NaN"
                      : v->text.ptr[0] == '-' ? "-Infinity"
                                              : "Infinity");
}

static int by_key(const void *a, const void *b)
{
    return span_compare((*(const struct node *const *)a)->key,
                        (*(const struct node *const *)b)->key);
}

static void sorted_members(const struct node *object, struct buf *out)
{
    const struct node *small[32];
    const struct node **members =
        object->count <= 32 ? small : mem_alloc(object->count * sizeof *members);
    size_t n = 0;
    for (const struct node *v = object->first; v; v = v->next)
        members[n++] = v;
    qsort(members, n, sizeof *members, by_key);
    for (size_t i = 0; i < n; i++) {
        if (i)
            buf_add(out, ", ", 2);
        py_json_quote(members[i]->key, out);
        buf_add(out, ": ", 2);
        node_pyjson(members[i], true, out);
    }
    if (members != small)
        free(members);
}

void node_pyjson(const struct node *v, bool sorted, struct buf *out)
{
    switch (v->type) {
    case JSON_VALUE_NULL: buf_add(out, "null", 4); break;
    case JSON_VALUE_FALSE: buf_add(out, "false", 5); break;
    case JSON_VALUE_TRUE: buf_add(out, "true", 4); break;
    case JSON_VALUE_NUMBER: number_json(v, true, out); break;
    case JSON_VALUE_STRING: py_json_quote(v->text, out); break;
    case JSON_VALUE_ARRAY:
        buf_byte(out, '[');
        for (const struct node *item = v->first; item; item = item->next) {
            if (item != v->first)
                buf_add(out, ", ", 2);
            node_pyjson(item, sorted, out);
        }
        buf_byte(out, ']');
        break;
    default:
        buf_byte(out, '{');
        if (sorted) {
            sorted_members(v, out);
        } else {
            for (const struct node *item = v->first; item; item = item->next) {
                if (item != v->first)
                    buf_add(out, ", ", 2);
                py_json_quote(item->key, out);
                buf_add(out, ": ", 2);
                node_pyjson(item, false, out);
            }
        }
        buf_byte(out, '}');
    }
}

void node_json(const struct node *v, bool spaced, struct buf *out)
{
    switch (v->type) {
    case JSON_VALUE_NULL: buf_add(out, "null", 4); break;
    case JSON_VALUE_FALSE: buf_add(out, "false", 5); break;
    case JSON_VALUE_TRUE: buf_add(out, "true", 4); break;
    case JSON_VALUE_NUMBER: number_json(v, false, out); break;
    case JSON_VALUE_STRING: json_quote(out, v->text); break;
    default: {
        bool object = v->type == JSON_VALUE_OBJECT;
        buf_byte(out, object ? '{' : '[');
        for (const struct node *item = v->first; item; item = item->next) {
            if (item != v->first)
                buf_add(out, ", ", spaced ? 2 : 1);
            if (object) {
                json_quote(out, item->key);
                buf_add(out, ": ", spaced ? 2 : 1);
            }
            node_json(item, spaced, out);
        }
        buf_byte(out, object ? '}' : ']');
    }
    }
}

static void container_pystr(const struct node *v, struct buf *out);

static void item_pyrepr(const struct node *v, struct buf *out)
{
    if (v->type == JSON_VALUE_STRING)
        py_repr(v->text, out);
    else
        node_pystr(v, out);
}

static void container_pystr(const struct node *v, struct buf *out)
{
    bool object = v->type == JSON_VALUE_OBJECT;
    buf_byte(out, object ? '{' : '[');
    for (const struct node *item = v->first; item; item = item->next) {
        if (item != v->first)
            buf_add(out, ", ", 2);
        if (object) {
            py_repr(item->key, out);
            buf_add(out, ": ", 2);
        }
        item_pyrepr(item, out);
    }
    buf_byte(out, object ? '}' : ']');
}

void node_pystr(const struct node *v, struct buf *out)
{
    switch (v->type) {
    case JSON_VALUE_NULL: buf_text(out, "None"); break;
    case JSON_VALUE_FALSE: buf_text(out, "False"); break;
    case JSON_VALUE_TRUE: buf_text(out, "True"); break;
    case JSON_VALUE_NUMBER:
    case JSON_VALUE_STRING: buf_span_add(out, v->text); break;
    default: container_pystr(v, out);
    }
}
