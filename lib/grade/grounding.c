/* grounding.c: see grounding.h. The context of a call is one text that grows along the row; parts
 * are folded and joined by spaces, when a string is first looked for in them. */
#include "grade/grounding.h"

#include <stdlib.h>

#include "grade/defaults.h"
#include "row/calls.h"
#include "row/value.h"
#include "text/fold.h"
#include "text/utf8.h"

struct ground {
    const struct grounding_options *options;
    struct json_value *parts; /* of the context so far, in their order */
    size_t n_parts, cap_parts;
    size_t n_folded;     /* parts that are in it */
    struct buf context;  /* folded */
    struct buf squashed; /* the first `n_squashed` bytes of it without blanks, _ and - */
    size_t n_squashed;
    struct buf text, folded, bare;
    struct arena arena;
    bool calls; /* one was seen */
};

static void add_part(struct ground *g, struct json_value value)
{
    if (!value.text.ptr || json_value_null(value))
        return;
    g->parts = mem_grow(g->parts, &g->cap_parts, g->n_parts + 1, sizeof *g->parts);
    g->parts[g->n_parts++] = value;
}

static struct span context(struct ground *g)
{
    for (; g->n_folded < g->n_parts; g->n_folded++) {
        size_t before = g->context.len;
        if (before)
            buf_byte(&g->context, ' ');
        size_t from = g->context.len;
        text_fold(value_text(g->parts[g->n_folded], &g->text), &g->context);
        if (g->context.len == from)
            g->context.len = before;
    }
    return buf_span(&g->context);
}

static void squash(struct span text, struct buf *out)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ' ' && text.ptr[i] != '_' && text.ptr[i] != '-')
            buf_byte(out, text.ptr[i]);
}

static bool listed(const struct option_list *list, struct span text)
{
    for (size_t i = 0; list && i < list->count; i++)
        if (text.len == strlen(list->items[i]) &&
            strncasecmp(text.ptr, list->items[i], text.len) == 0)
            return true;
    return false;
}

static bool allowed(struct ground *g, struct span folded)
{
    const struct option_list *list = g->options->allow;
    bool found = false;
    struct buf value = {0};
    for (size_t i = 0; list && i < list->count && !found; i++) {
        buf_clear(&value);
        text_fold(span_text(list->items[i]), &value);
        found = span_equal(buf_span(&value), folded);
    }
    buf_free(&value);
    return found;
}

static bool string_grounded(struct ground *g, struct json_value string)
{
    buf_clear(&g->folded);
    text_fold(json_text(string, &g->text), &g->folded);
    struct span needle = buf_span(&g->folded);
    if (utf8_length(needle) < GROUNDING_MIN || span_has(context(g), needle) || allowed(g, needle))
        return true;
    buf_clear(&g->bare);
    squash(needle, &g->bare);
    squash(span_slice(buf_span(&g->context), g->n_squashed, g->context.len), &g->squashed);
    g->n_squashed = g->context.len;
    return g->bare.len && span_has(buf_span(&g->squashed), buf_span(&g->bare));
}

/* Depth is the scanner's. */
static bool value_grounded(struct ground *g, struct json_value value)
{
    struct json_cursor cursor = json_enter(value);
    struct json_member member;
    struct json_value item;
    bool good = true;
    if (value.type == JSON_VALUE_STRING)
        return string_grounded(g, value);
    if (value.type == JSON_VALUE_ARRAY)
        while (good && json_next_item(&cursor, &item))
            good = value_grounded(g, item);
    if (value.type == JSON_VALUE_OBJECT)
        while (good && json_next_member(&cursor, &member))
            good = (member.value.type == JSON_VALUE_STRING &&
                    listed(g->options->ignore, json_key(&member, &g->text))) ||
                   value_grounded(g, member.value);
    return good;
}

static bool call_grounded(struct ground *g, struct json_value arguments)
{
    g->calls = true;
    return !arguments.text.ptr || value_grounded(g, arguments);
}

/* <tool_call>{"name": …, "arguments": {…}}</tool_call> blocks of a text. */
static bool blocks_grounded(struct ground *g, struct span text)
{
    struct span open = SPAN("<tool_call>"), close = SPAN("</tool_call>");
    for (size_t at = 0;;) {
        size_t start = span_find(text, open, at);
        size_t end = start == (size_t)-1 ? start : span_find(text, close, start + open.len);
        if (end == (size_t)-1)
            return true;
        struct span inside = text_strip(span_slice(text, start + open.len, end));
        struct json_value object, arguments = {0};
        at = end + close.len;
        if (!row_parse_span(&g->arena, inside, &object) || object.type != JSON_VALUE_OBJECT)
            continue;
        json_get(object, SPAN("arguments"), &arguments);
        if (arguments.type == JSON_VALUE_STRING)
            row_parse_object(&g->arena, arguments, &arguments);
        if (!call_grounded(g, arguments))
            return false;
    }
}

static bool set(struct json_value value)
{
    return value.text.ptr && !json_value_null(value);
}

static bool steps_grounded(struct ground *g, struct json_value steps)
{
    enum { TOOL, ARGUMENTS, INPUT, RESULT, OUTPUT, USER, KEYS };
    static const struct span NAMES[KEYS] = {{"tool", 4},   {"arguments", 9}, {"input", 5},
                                            {"result", 6}, {"output", 6},    {"user", 4}};
    struct json_cursor cursor = json_enter(steps);
    struct json_value step, object, v[KEYS];
    while (json_next_item(&cursor, &step)) {
        json_get_many(step, NAMES, KEYS, v);
        if (v[TOOL].text.ptr && json_truthy(v[TOOL])) {
            struct json_value arguments = set(v[ARGUMENTS]) ? v[ARGUMENTS] : v[INPUT];
            bool is = set(arguments) && row_parse_object(&g->arena, arguments, &object);
            if (!call_grounded(g, is ? object : (struct json_value){0}))
                return false;
        }
        add_part(g, set(v[RESULT]) ? v[RESULT] : v[OUTPUT]);
        add_part(g, v[USER]);
    }
    return true;
}

static bool message_grounded(struct ground *g, struct row_calls *named, struct json_value message,
                             struct json_value content)
{
    row_calls_clear(named);
    row_calls_add_message(named, message);
    for (size_t i = 0; i < named->count; i++)
        if (!call_grounded(g, named->items[i].arguments))
            return false;
    return !set(content) ||
           blocks_grounded(g, arena_span(&g->arena, value_text(content, &g->text)));
}

static bool messages_grounded(struct ground *g, struct json_value messages)
{
    static const struct span NAMES[] = {{"role", 4}, {"content", 7}};
    struct row_calls named = {0};
    struct buf scratch = {0};
    struct json_cursor cursor = json_enter(messages);
    struct json_value message, v[2];
    bool good = true;
    while (good && json_next_item(&cursor, &message)) {
        json_get_many(message, NAMES, 2, v);
        if (!v[0].text.ptr || v[0].type != JSON_VALUE_STRING)
            continue;
        struct span role = json_text(v[0], &scratch);
        if (span_is(role, "user") || span_is(role, "system") || span_is(role, "tool"))
            add_part(g, v[1]);
        else if (span_is(role, "assistant"))
            good = message_grounded(g, &named, message, v[1]);
    }
    row_calls_free(&named);
    buf_free(&scratch);
    return good;
}

/* The final text is read when nothing else holds a call; all that was said to the agent counts. */
static bool final_grounded(struct ground *g, const struct row *row)
{
    const struct json_value *final = row_get_set(row, SPAN("final_text"));
    return !final || blocks_grounded(g, arena_span(&g->arena, value_text(*final, &g->text)));
}

static bool row_grounded(struct ground *g, const struct row *row)
{
    static const char *const TOLD[] = {"prompt", "system_prompt"};
    for (size_t i = 0; i < 2; i++) {
        const struct json_value *told = row_get_set(row, span_text(TOLD[i]));
        if (told)
            add_part(g, *told);
    }
    const struct json_value *steps = row_get(row, SPAN("steps"));
    if (!steps || !json_truthy(*steps))
        steps = row_get(row, SPAN("tool_trace"));
    size_t told = g->n_parts;
    if (steps && steps->type == JSON_VALUE_ARRAY && !steps_grounded(g, *steps))
        return false;
    if (g->calls)
        return true;
    const struct json_value *messages = row_get(row, SPAN("messages"));
    g->n_parts = told; /* no call was seen, so nothing has been folded */
    if (messages && messages->type == JSON_VALUE_ARRAY && !messages_grounded(g, *messages))
        return false;
    return g->calls || final_grounded(g, row);
}

bool arguments_grounded(const struct row *row, const struct grounding_options *options)
{
    struct ground g = {.options = options};
    bool good = row_grounded(&g, row);
    free(g.parts);
    buf_free(&g.context);
    buf_free(&g.squashed);
    buf_free(&g.text);
    buf_free(&g.folded);
    buf_free(&g.bare);
    arena_free(&g.arena);
    return good;
}
