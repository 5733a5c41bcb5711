/* drafts.c: see drafts.h. */
#include "scene/drafts.h"

#include <stdlib.h>

#include "text/fold.h"

static struct draft *draft_of(struct drafts *d, struct span tool)
{
    bool fresh;
    size_t n = map_add(&d->tools, tool, &fresh);
    d->items = mem_grow(d->items, &d->cap, n + 1, sizeof *d->items);
    if (fresh)
        d->items[n] = (struct draft){0};
    return &d->items[n];
}

static void add_argument(struct draft *t, struct span name, enum json_type type)
{
    bool fresh;
    size_t n = map_add(&t->names, name, &fresh);
    t->arguments = mem_grow(t->arguments, &t->cap, n + 1, sizeof *t->arguments);
    if (fresh)
        t->arguments[n] = (struct draft_argument){0};
    t->arguments[n].calls++;
    t->arguments[n].types |= 1u << type;
}

static void add_object(struct draft *t, struct json_value object)
{
    struct json_member member;
    struct buf scratch = {0};
    struct map seen = {0};
    bool fresh;
    for (struct json_cursor at = json_enter(object); json_next_member(&at, &member);) {
        struct span key = json_key(&member, &scratch);
        map_add(&seen, key, &fresh);
        if (fresh) /* a name that stands twice is one argument */
            add_argument(t, key, member.value.type);
    }
    map_free(&seen);
    buf_free(&scratch);
}

void drafts_add(struct drafts *d, struct span tool, const struct json_value *arguments)
{
    struct json_value object = {0};
    struct json_fault fault;
    struct buf text = {0};
    tool = text_strip(tool);
    if (!tool.len)
        return;
    struct draft *t = draft_of(d, tool);
    t->calls++;
    if (arguments && arguments->type == JSON_VALUE_STRING) {
        json_text_add(*arguments, &text);
        if (json_scan(buf_span(&text), &object, NULL, &fault))
            object = (struct json_value){0};
    } else if (arguments) {
        object = *arguments;
    }
    if (object.type == JSON_VALUE_OBJECT)
        add_object(t, object);
    buf_free(&text);
}

void drafts_free(struct drafts *d)
{
    for (size_t i = 0; i < d->tools.count; i++) {
        map_free(&d->items[i].names);
        free(d->items[i].arguments);
    }
    free(d->items);
    map_free(&d->tools);
    *d = (struct drafts){0};
}

/* ---- writing --------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return span_compare(*(const struct span *)a, *(const struct span *)b);
}

/* The map's keys, sorted; the caller frees. */
static struct span *sorted(const struct map *names)
{
    struct span *keys = mem_alloc((names->count + 1) * sizeof *keys);
    if (names->count) {
        memcpy(keys, names->keys, names->count * sizeof *keys);
        qsort(keys, names->count, sizeof *keys, by_text);
    }
    return keys;
}

static const char *type_of(unsigned types)
{
    switch (types) {
    case 1u << JSON_VALUE_TRUE:
    case 1u << JSON_VALUE_FALSE:
    case 1u << JSON_VALUE_TRUE | 1u << JSON_VALUE_FALSE: return "boolean";
    case 1u << JSON_VALUE_NUMBER: return "number";
    case 1u << JSON_VALUE_ARRAY: return "array";
    case 1u << JSON_VALUE_OBJECT: return "object";
    default: return "string";
    }
}

static void write_schema(const struct draft *t, bool loose, struct json_writer *w)
{
    struct span *names = sorted(&t->names);
    json_write_object(w);
    json_write_key(w, "type");
    json_write_text(w, "object");
    json_write_key(w, "properties");
    json_write_object(w);
    for (size_t i = 0; i < t->names.count; i++) {
        json_write_key_span(w, names[i]);
        json_write_object(w);
        json_write_key(w, "type");
        json_write_text(w, loose ? "string"
                                 : type_of(t->arguments[map_find(&t->names, names[i])].types));
        json_write_end_object(w);
    }
    json_write_end_object(w);
    if (!loose) {
        json_write_key(w, "required");
        json_write_array(w);
        for (size_t i = 0; i < t->names.count; i++)
            if (t->arguments[map_find(&t->names, names[i])].calls == t->calls)
                json_write_span(w, names[i]);
        json_write_end_array(w);
    }
    json_write_end_object(w);
    free(names);
}

void drafts_write(const struct drafts *d, bool loose, struct json_writer *w)
{
    struct span *names = sorted(&d->tools);
    json_write_array(w);
    for (size_t i = 0; i < d->tools.count; i++) {
        json_write_object(w);
        json_write_key(w, "type");
        json_write_text(w, "function");
        json_write_key(w, "function");
        json_write_object(w);
        json_write_key(w, "name");
        json_write_span(w, names[i]);
        if (loose) {
            json_write_key(w, "description");
            json_write_text(w, "Called in the traces; nothing more is known of it.");
        }
        json_write_key(w, "parameters");
        write_schema(&d->items[map_find(&d->tools, names[i])], loose, w);
        json_write_end_object(w);
        if (loose) {
            json_write_key(w, "drafted");
            json_write_bool(w, true);
        }
        json_write_end_object(w);
    }
    json_write_end_array(w);
    free(names);
}

void drafts_write_calls(const struct drafts *d, struct json_writer *w)
{
    struct span *names = sorted(&d->tools);
    json_write_object(w);
    for (size_t i = 0; i < d->tools.count; i++) {
        json_write_key_span(w, names[i]);
        json_write_int(w, d->items[map_find(&d->tools, names[i])].calls);
    }
    json_write_end_object(w);
    free(names);
}
