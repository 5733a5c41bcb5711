/* exemplars.c: see exemplars.h. */
#include "scene/exemplars.h"

#include <stdlib.h>

#include "row/parse.h"
#include "scene/defaults.h"
#include "text/utf8.h"
#include "world/node.h"

static int by_key(const void *a, const void *b)
{
    return span_compare(*(const struct span *)a, *(const struct span *)b);
}

/* What makes two results alike: the keys of an object, the kind of an array's first item, the
 * length class of a text, or the type. */
static void shape_of(const struct node *v, int depth, struct buf *out)
{
    struct span *keys;
    size_t n = 0;
    switch ((enum json_type)v->type) {
    case JSON_VALUE_OBJECT:
        keys = mem_alloc((v->count + 1) * sizeof *keys);
        for (const struct node *m = v->first; m; m = m->next)
            keys[n++] = m->key;
        qsort(keys, n, sizeof *keys, by_key);
        buf_text(out, "dict:");
        for (size_t i = 0; i < n && i < SCENE_EXEMPLAR_SHAPE_KEYS; i++) {
            if (i)
                buf_byte(out, ',');
            buf_span_add(out, keys[i]);
        }
        free(keys);
        break;
    case JSON_VALUE_ARRAY:
        buf_text(out, "list:");
        if (v->first && depth < SCENE_EXEMPLAR_DEPTH)
            shape_of(v->first, depth + 1, out);
        else
            buf_text(out, "empty");
        break;
    case JSON_VALUE_STRING:
        n = utf8_length(v->text) / SCENE_EXEMPLAR_TEXT_CLASS;
        buf_format(out, "str:%zu", n < 4 ? n : (size_t)4);
        break;
    case JSON_VALUE_NUMBER: buf_text(out, v->integer ? "int" : "float"); break;
    default: buf_text(out, "bool"); break;
    }
}

static struct node *trimmed(struct arena *a, const struct node *v)
{
    struct node *out;
    size_t n = 0;
    struct buf text = {0};
    switch ((enum json_type)v->type) {
    case JSON_VALUE_STRING:
        if (utf8_length(v->text) <= SCENE_EXEMPLAR_TEXT)
            return node_text(a, v->text);
        buf_span_add(&text, utf8_head(v->text, SCENE_EXEMPLAR_TEXT - 3));
        buf_text(&text, "...");
        out = node_text(a, buf_span(&text));
        buf_free(&text);
        return out;
    case JSON_VALUE_ARRAY:
        out = node_array(a);
        for (const struct node *i = v->first; i && n < SCENE_EXEMPLAR_ITEMS; i = i->next, n++)
            node_append(out, trimmed(a, i));
        return out;
    case JSON_VALUE_OBJECT:
        out = node_object(a);
        for (const struct node *m = v->first; m && n < SCENE_EXEMPLAR_MEMBERS; m = m->next, n++)
            node_set(out, arena_span(a, m->key), trimmed(a, m));
        return out;
    default: return node_copy(a, v);
    }
}

/* An object that says no more than how it went. */
static bool says_nothing(const struct node *v)
{
    if (!node_is(v, JSON_VALUE_OBJECT))
        return false;
    for (const struct node *m = v->first; m; m = m->next)
        if (!span_is(m->key, "status") && !span_is(m->key, "ok"))
            return false;
    return true;
}

void exemplar_keep(struct traces *t, struct span tool, struct json_value result)
{
    struct node *list = node_get(t->exemplars, tool);
    struct buf text = {0};
    struct json_value value = result;
    bool fresh = false;
    if (list && list->count >= SCENE_EXEMPLARS)
        return;
    if (result.type == JSON_VALUE_STRING)
        row_parse_text(&t->arena, result, &value);
    if (!json_truthy(value))
        return;
    struct node *v = node_parse(&t->arena, value);
    buf_span_add(&text, tool);
    buf_byte(&text, '\0');
    shape_of(v, 0, &text);
    if (!says_nothing(v) && map_find(&t->shapes_seen, buf_span(&text)) == MAP_NONE) {
        struct buf json = {0};
        struct node *small = trimmed(&t->arena, v);
        node_pyjson(small, false, &json);
        if (utf8_length(buf_span(&json)) <= SCENE_EXEMPLAR_CHARACTERS) {
            map_add(&t->shapes_seen, buf_span(&text), &fresh);
            if (!list)
                node_set(t->exemplars, arena_span(&t->arena, tool), list = node_array(&t->arena));
            node_append(list, small);
        }
        buf_free(&json);
    }
    buf_free(&text);
}

struct node *traces_result_shapes(struct traces *t)
{
    struct arena *a = &t->arena;
    struct node *shapes = node_object(a);
    for (const struct node *list = t->exemplars->first; list; list = list->next) {
        struct node *shape = NULL;
        for (const struct node *v = list->first; v && !shape; v = v->next)
            if (v->type == JSON_VALUE_OBJECT) {
                shape = node_copy(a, v);
            } else if (v->type == JSON_VALUE_ARRAY && node_is(v->first, JSON_VALUE_OBJECT)) {
                struct node *one = node_array(a);
                node_append(one, node_copy(a, v->first));
                shape = node_object(a);
                node_add(shape, "results", one);
            }
        if (shape)
            node_set(shapes, list->key, shape);
    }
    return shapes;
}
