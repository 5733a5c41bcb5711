/* constitution.c: see constitution.h. */
#include "grade/constitution.h"

#include <stdlib.h>

#include "base/map.h"
#include "grade/judge_model.h"
#include "grade/rubric.h"
#include "row/value.h"
#include "text/fold.h"
#include "json/write.h"

/* Text of the first of the keys that is truthy; "" for none. */
static struct span first_text(struct constitution *c, struct json_value object,
                              const char *const *keys)
{
    struct json_value value;
    struct buf scratch = {0};
    struct span text = SPAN("");
    for (; *keys && !text.len; keys++)
        if (json_get(object, span_text(*keys), &value) && json_truthy(value))
            text = arena_span(&c->arena, text_strip(value_text(value, &scratch)));
    buf_free(&scratch);
    return text;
}

static struct span text_of(struct constitution *c, struct json_value object, const char *key)
{
    const char *const keys[] = {key, NULL};
    return first_text(c, object, keys);
}

static int read_authority(struct constitution *c, struct json_value value, const char *name,
                          size_t position, struct trait *t, struct error *error)
{
    struct span given = text_of(c, value, "authority");
    t->authority = given.len ? given : SPAN("should");
    if (span_is(t->authority, "must") || span_is(t->authority, "should") ||
        span_is(t->authority, "may"))
        return 0;
    return error_set(error, ERROR_INPUT,
                     "%s: trait %zu has the authority \"%.*s\"; there are must, should and may",
                     name, position, (int)given.len, given.ptr);
}

static int read_trait(struct constitution *c, struct json_value value, const char *name,
                      size_t position, struct trait *t, struct error *error)
{
    static const char *const PRINCIPLE[] = {"principle", "body", NULL};
    static const char *const ID[] = {"id", "name", NULL};
    struct buf scratch = {0};
    int rc = 0;
    *t = (struct trait){.authority = SPAN("should")};
    if (value.type == JSON_VALUE_STRING) {
        t->principle = arena_span(&c->arena, text_strip(json_text(value, &scratch)));
    } else if (value.type == JSON_VALUE_OBJECT) {
        t->principle = first_text(c, value, PRINCIPLE);
        t->id = first_text(c, value, ID);
        t->name = text_of(c, value, "name");
        rc = read_authority(c, value, name, position, t, error);
    }
    buf_free(&scratch);
    if (!rc && !t->principle.len)
        rc = error_set(error, ERROR_INPUT,
                       "%s: trait %zu has no principle; write a sentence, or {\"id\": …, "
                       "\"principle\": …}",
                       name, position);
    if (!rc && !t->id.len) {
        struct buf id = {0};
        buf_format(&id, "trait_%zu", position - 1);
        t->id = arena_span(&c->arena, buf_span(&id));
        buf_free(&id);
    }
    return rc;
}

static int read_traits(struct constitution *c, struct json_value list, const char *name,
                       struct error *error)
{
    struct map ids = {0};
    struct json_cursor at = json_enter(list);
    struct json_value item;
    bool fresh;
    int rc = 0;
    for (size_t i = 1; !rc && json_next_item(&at, &item); i++) {
        c->items = mem_grow(c->items, &c->cap, c->count + 1, sizeof *c->items);
        rc = read_trait(c, item, name, i, &c->items[c->count], error);
        if (rc)
            break;
        map_add(&ids, c->items[c->count].id, &fresh);
        if (!fresh)
            rc = error_set(error, ERROR_INPUT, "%s: two traits have the id %.*s; rename one", name,
                           (int)c->items[c->count].id.len, c->items[c->count].id.ptr);
        c->count++;
    }
    map_free(&ids);
    return rc;
}

static void member(struct json_writer *w, const char *key, struct span text)
{
    json_write_key(w, key);
    json_write_span(w, text);
}

/* A digest of id and traits: keys sorted, non-ASCII kept. */
static void set_version(struct constitution *c)
{
    struct buf text = {0};
    struct json_writer w;
    char digest[JUDGE_DIGEST + 1];
    json_write_start(&w, &text, JSON_STYLE_SPACED);
    json_write_object(&w);
    member(&w, "id", c->id);
    json_write_key(&w, "traits");
    json_write_array(&w);
    for (size_t i = 0; i < c->count; i++) {
        json_write_object(&w);
        member(&w, "authority", c->items[i].authority);
        member(&w, "id", c->items[i].id);
        member(&w, "name", c->items[i].name);
        member(&w, "principle", c->items[i].principle);
        json_write_end_object(&w);
    }
    json_write_end_array(&w);
    json_write_end_object(&w);
    judge_digest(buf_span(&text), digest);
    c->version = arena_span(&c->arena, span_text(digest));
    buf_free(&text);
}

int constitution_parse(struct constitution *c, struct span json, const char *name,
                       const char *spec_id, struct error *error)
{
    struct json_value value, list, source;
    struct json_fault fault;
    if (json_scan(json, &value, NULL, &fault) < 0)
        return error_set(error, ERROR_INPUT, "%s: %s at byte %zu; it is to be JSON", name,
                         fault.what, fault.offset);
    list = value;
    if (value.type == JSON_VALUE_OBJECT && !json_get(value, SPAN("traits"), &list))
        json_get(value, SPAN("principles"), &list);
    if (list.type != JSON_VALUE_ARRAY || json_count(list) == 0)
        return error_set(error, ERROR_INPUT,
                         "%s: no list of traits; write [\"…\"] or {\"traits\": […]}", name);
    int rc = read_traits(c, list, name, error);
    if (rc)
        return rc;
    c->id = spec_id ? arena_span(&c->arena, span_text(spec_id)) : text_of(c, value, "id");
    if (!c->id.len && json_get(value, SPAN("source"), &source))
        c->id = text_of(c, source, "file");
    if (!c->id.len)
        c->id = SPAN("spec");
    c->version = text_of(c, value, "version");
    if (!c->version.len)
        set_version(c);
    return 0;
}

int constitution_read(struct constitution *c, const char *path, const char *spec_id,
                      struct error *error)
{
    struct buf text = {0};
    int rc = rubric_file(path, &text, error);
    if (!rc)
        rc = constitution_parse(c, buf_span(&text), path, spec_id, error);
    buf_free(&text);
    return rc;
}

const struct trait *constitution_find(const struct constitution *c, const char *id)
{
    for (size_t i = 0; i < c->count; i++)
        if (span_is(c->items[i].id, id))
            return &c->items[i];
    return NULL;
}

void constitution_free(struct constitution *c)
{
    free(c->items);
    arena_free(&c->arena);
    *c = (struct constitution){0};
}
