/* shapes.c: see shapes.h. */
#include "scene/shapes.h"

#include <stdlib.h>

#include "row/parse.h"
#include "row/signature.h"
#include "scene/grid.h"
#include "scene/intent.h"
#include "text/fold.h"
#include "json/pyjson.h"

static int by_text(const void *a, const void *b)
{
    return span_compare(*(const struct span *)a, *(const struct span *)b);
}

/* Names of the members of an object, sorted. */
static size_t sorted_keys(struct arena *a, struct json_value object, struct span **keys)
{
    struct json_cursor at = json_enter(object);
    struct json_member member;
    struct buf scratch = {0};
    struct map seen = {0};
    while (object.type == JSON_VALUE_OBJECT && json_next_member(&at, &member))
        map_add(&seen, json_key(&member, &scratch), NULL);
    size_t n = seen.count;
    *keys = arena_alloc(a, (n + 1) * sizeof **keys);
    for (size_t i = 0; i < n; i++)
        (*keys)[i] = arena_span(a, seen.keys[i]);
    qsort(*keys, n, sizeof **keys, by_text);
    map_free(&seen);
    buf_free(&scratch);
    return n;
}

/* ---- what could be called -------------------------------------------------------------------- */

/* One way to call one tool. */
struct form {
    size_t tool;
    struct span text;
    bool absent;
};

static struct form form_of(struct shapes *s, const struct row_tool *tool, size_t number,
                           bool first_only)
{
    struct buf text = {0};
    struct form f = {.tool = number, .absent = first_only && s->n_keys[number] > 1};
    buf_span_add(&text, tool->name);
    buf_byte(&text, '(');
    for (size_t i = 0; i < s->n_keys[number]; i++)
        buf_format(&text, "%s%s", i ? "," : "", i && first_only ? "absent" : "user");
    buf_byte(&text, ')');
    f.text = arena_span(&s->arena, buf_span(&text));
    buf_free(&text);
    return f;
}

static void add_shape(struct shapes *s, const struct form *forms, const size_t *row, size_t n,
                      size_t most)
{
    struct buf text = {0};
    struct shape shape = {.n_calls = n};
    for (size_t i = 0; i < n; i++) {
        const struct form *f = &forms[row[i]];
        if (i)
            buf_byte(&text, ';');
        buf_span_add(&text, f->text);
        shape.tool[i] = f->tool;
        shape.absent = shape.absent || f->absent;
    }
    shape.calls = arena_span(&s->arena, buf_span(&text));
    for (int c = 0; c < 2 && s->count < most; c++) {
        shape.confirmed = c;
        s->items = mem_grow(s->items, &s->cap, s->count + 1, sizeof *s->items);
        s->items[s->count++] = shape;
    }
    buf_free(&text);
}

/* The next row of the product in order; false behind the last. */
static bool advance(size_t *row, size_t n, size_t n_forms)
{
    for (size_t i = n; i-- > 0;) {
        if (++row[i] < n_forms)
            return true;
        row[i] = 0;
    }
    return false;
}

void shapes_enumerate(struct shapes *s, const struct row_tools *tools, size_t longest, size_t most)
{
    *s = (struct shapes){0};
    struct form *forms = mem_alloc((2 * tools->count + 1) * sizeof *forms);
    size_t n_forms = 0;
    s->keys = arena_alloc(&s->arena, (tools->count + 1) * sizeof *s->keys);
    s->n_keys = arena_alloc(&s->arena, (tools->count + 1) * sizeof *s->n_keys);
    for (size_t i = 0; i < tools->count; i++) {
        struct json_value properties = {0};
        if (tools->items[i].parameters.text.ptr)
            json_get(tools->items[i].parameters, SPAN("properties"), &properties);
        s->n_keys[i] = sorted_keys(&s->arena, properties, &s->keys[i]);
        forms[n_forms++] = form_of(s, &tools->items[i], i, false);
        if (s->n_keys[i])
            forms[n_forms++] = form_of(s, &tools->items[i], i, true);
    }
    for (size_t n = 1; n <= longest && n <= SHAPE_CALLS_MAX && n_forms; n++) {
        size_t row[SHAPE_CALLS_MAX] = {0};
        do {
            add_shape(s, forms, row, n, most);
        } while (s->count < most && advance(row, n, n_forms));
    }
    free(forms);
}

void shapes_free(struct shapes *s)
{
    free(s->items);
    arena_free(&s->arena);
}

/* ---- what was called ------------------------------------------------------------------------- */

struct observing {
    struct arena arena;
    struct buf prompt, prior, text, lowered, name;
};

/* Python takes 0, false and empty containers for no value here. */
static const char *origin(struct observing *o, struct json_value arguments, struct span key)
{
    struct json_value value;
    if (!json_get(arguments, key, &value) || !json_truthy(value))
        return "absent";
    return row_origin(value, buf_span(&o->prompt), buf_span(&o->prior), &o->text, &o->lowered);
}

static void add_call(struct observing *o, const struct shapes *s, const struct row_tools *tools,
                     struct json_value step, struct buf *out)
{
    struct json_value arguments = {0}, given;
    struct span *keys, name = buf_span(&o->name);
    size_t n;
    const struct row_tool *tool = row_tools_find(tools, name);
    if (json_get(step, SPAN("arguments"), &given))
        row_parse_object(&o->arena, given, &arguments);
    if (tool && s->n_keys[tool - tools->items]) {
        keys = s->keys[tool - tools->items];
        n = s->n_keys[tool - tools->items];
    } else {
        n = sorted_keys(&o->arena, arguments, &keys);
    }
    buf_span_add(out, name);
    buf_byte(out, '(');
    for (size_t i = 0; i < n; i++)
        buf_format(out, "%s%s", i ? "," : "", origin(o, arguments, keys[i]));
    buf_byte(out, ')');
}

static void add_prior(struct observing *o, struct json_value step)
{
    struct json_value result;
    buf_clear(&o->text);
    if (json_get(step, SPAN("result"), &result))
        json_pyjson(result, &o->text);
    else
        buf_text(&o->text, "null");
    text_lower(buf_span(&o->text), &o->prior);
}

void shape_of_row(const struct shapes *s, const struct row_tools *tools, const struct row *row,
                  struct buf *out)
{
    struct observing o = {0};
    const struct json_value *prompt = row_get(row, SPAN("prompt"));
    const struct json_value *steps = row_get(row, SPAN("steps"));
    struct json_value step, tool;
    if (prompt && prompt->type == JSON_VALUE_STRING)
        text_lower(json_text(*prompt, &o.text), &o.prompt);
    struct json_cursor at = {0};
    if (steps && steps->type == JSON_VALUE_ARRAY)
        at = json_enter(*steps);
    size_t before = out->len;
    while (json_next_item(&at, &step)) {
        if (!json_get(step, SPAN("tool"), &tool) || tool.type != JSON_VALUE_STRING ||
            !json_truthy(tool))
            continue;
        buf_clear(&o.name);
        json_text_add(tool, &o.name);
        if (out->len > before)
            buf_byte(out, ';');
        add_call(&o, s, tools, step, out);
        add_prior(&o, step);
    }
    arena_free(&o.arena);
    buf_free(&o.prompt);
    buf_free(&o.prior);
    buf_free(&o.text);
    buf_free(&o.lowered);
    buf_free(&o.name);
}

/* ---- asking for one -------------------------------------------------------------------------- */

void shape_request(const struct shape *shape, const struct row_tools *tools,
                   const struct tool_facts *facts, uint32_t variant, struct buf *out)
{
    static const char *const starts[] = {"Can you ", "Could you please ", "I need you to ",
                                         "Would you "};
    static const char *const joins[] = {", then ", " and after that ", ", and once that is done ",
                                        " and then "};
    static const char *const gaps[] = {" I do not have every detail at hand.",
                                       " Some of what you need I have yet to look up.",
                                       " I cannot give you all of the details right now.",
                                       " A few of the particulars are missing."};
    static const char *const goes[] = {" You have my go-ahead.", " Yes, I am sure, go ahead.",
                                       " I agree to it, no need to ask again.",
                                       " Consider it confirmed."};
    uint32_t v = variant % 4;
    bool question = v == 0 || v == 1 || v == 3;
    size_t n = shape->n_calls < 2 ? shape->n_calls : 2;
    buf_text(out, starts[v]);
    for (size_t i = 0; i < n; i++) {
        if (i)
            buf_text(out, joins[(variant / 4) % 4]);
        intent_write(&facts->items[shape->tool[i]], tools->items[shape->tool[i]].description,
                     SPAN(""), variant + (uint32_t)i, out);
    }
    buf_byte(out, question ? '?' : '.');
    if (shape->absent)
        buf_text(out, gaps[(variant / 2) % 4]);
    if (shape->confirmed)
        buf_text(out, goes[(variant / 3) % 4]);
}
