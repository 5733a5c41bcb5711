/* style_own.c: see style_own.h. */
#include "grade/style_own.h"

#include <stdlib.h>

#include "grade/rubric.h"
#include "grade/style.h"
#include "text/fold.h"
#include "text/phrases.h"

struct style_own {
    struct map names;
    struct phrases *phrases; /* a set is a marker */
};

struct reading {
    struct style_own *own;
    struct phrase *items;
    size_t count, cap;
    struct arena arena;
};

static void add(struct reading *r, const char *text, size_t set)
{
    r->items = mem_grow(r->items, &r->cap, r->count + 1, sizeof *r->items);
    r->items[r->count++] = (struct phrase){text, (unsigned)set};
}

/* In lower case, with straight apostrophes and with curly ones. */
static void add_phrase(struct reading *r, struct span phrase, size_t set)
{
    struct buf lower = {0};
    text_lower(text_strip(phrase), &lower);
    const char *kept = arena_span(&r->arena, buf_span(&lower)).ptr;
    add(r, kept, set);
    if (strchr(kept, '\''))
        add(r, style_curly(&r->arena, kept), set);
    buf_free(&lower);
}

static int read_marker(struct reading *r, const struct json_member *member, const char *path,
                       struct error *error)
{
    struct buf name = {0}, scratch = {0};
    struct json_cursor c = json_enter(member->value);
    struct json_value item;
    size_t n = 0;
    int rc = 0;
    buf_span_add(&name, json_key(member, &scratch));
    size_t set = map_add(&r->own->names, buf_span(&name), NULL);
    if (set >= PHRASES_SETS)
        rc = error_set(error, ERROR_INPUT, "%s: more than %d markers; take two files", path,
                       PHRASES_SETS);
    while (!rc && member->value.type == JSON_VALUE_ARRAY && json_next_item(&c, &item)) {
        struct span text =
            item.type == JSON_VALUE_STRING ? text_strip(json_text(item, &scratch)) : SPAN("");
        if (!text.len)
            rc = error_set(error, ERROR_INPUT,
                           "%s: marker %s has a phrase that is blank or no text; drop it", path,
                           buf_cstr(&name));
        else
            add_phrase(r, text, set);
        n++;
    }
    if (!rc && !n)
        rc = error_set(error, ERROR_INPUT, "%s: marker %s has no list of phrases; write [\"…\"]",
                       path, buf_cstr(&name));
    buf_free(&name);
    buf_free(&scratch);
    return rc;
}

struct style_own *style_own_read(const char *path, struct error *error)
{
    struct reading r = {.own = mem_zero(1, sizeof *r.own)};
    struct buf text = {0};
    struct json_value value;
    struct json_fault fault;
    struct json_member member;
    int rc = rubric_file(path, &text, error);
    if (!rc && (json_scan(buf_span(&text), &value, NULL, &fault) < 0 ||
                value.type != JSON_VALUE_OBJECT || json_count(value) == 0))
        rc = error_set(error, ERROR_INPUT,
                       "%s: no object of phrase lists; write {\"no_filler\": [\"basically\"]}",
                       path);
    struct json_cursor c = json_enter(rc ? (struct json_value){0} : value);
    while (!rc && json_next_member(&c, &member))
        rc = read_marker(&r, &member, path, error);
    if (!rc)
        r.own->phrases = phrases_new(r.items, r.count, PHRASES_EXACT);
    free(r.items);
    arena_free(&r.arena);
    buf_free(&text);
    if (rc) {
        style_own_free(r.own);
        return NULL;
    }
    return r.own;
}

void style_own_free(struct style_own *own)
{
    if (!own)
        return;
    if (own->phrases)
        phrases_free(own->phrases);
    map_free(&own->names);
    free(own);
}

const struct map *style_own_names(const struct style_own *own)
{
    return &own->names;
}

uint64_t style_own_found(const struct style_own *own, struct span text)
{
    return phrases_find(own->phrases, text);
}
