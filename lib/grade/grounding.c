/* grounding.c: see grounding.h. The context of a call is one text that grows along the row; parts
 * are folded and joined by spaces. */
#include "grade/grounding.h"

#include "grade/defaults.h"
#include "row/calls.h"
#include "row/value.h"
#include "text/fold.h"
#include "text/utf8.h"

struct ground {
    const struct grounding_options *options;
    struct buf context;  /* folded */
    struct buf squashed; /* the first `n_squashed` bytes of it without blanks, _ and - */
    size_t n_squashed;
    struct buf text, folded, bare;
    struct arena arena;
    bool calls; /* one was seen */
};

static void add_text(struct ground *g, struct span text)
{
    buf_clear(&g->folded);
    text_fold(text, &g->folded);
    if (!g->folded.len)
        return;
    if (g->context.len)
        buf_byte(&g->context, ' ');
    buf_span_add(&g->context, buf_span(&g->folded));
}

static void add_value(struct ground *g, struct json_value value)
{
    if (value.text.ptr && !json_value_null(value))
        add_text(g, value_text(value, &g->text));
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
    if (utf8_length(needle) < GROUNDING_MIN || span_has(buf_span(&g->context), needle) ||
        allowed(g, needle))
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

static bool get_set(struct json_value object, const char *key, struct json_value *value)
{
    return json_get(object, span_text(key), value) && !json_value_null(*value);
}

static bool steps_grounded(struct ground *g, struct json_value steps)
{
    struct json_cursor cursor = json_enter(steps);
    struct json_value step, value, object;
    while (json_next_item(&cursor, &step)) {
        if (step.type != JSON_VALUE_OBJECT)
            continue;
        if (get_set(step, "tool", &value) && json_truthy(value)) {
            bool has = get_set(step, "arguments", &value) || get_set(step, "input", &value);
            bool is = has && row_parse_object(&g->arena, value, &object);
            if (!call_grounded(g, is ? object : (struct json_value){0}))
                return false;
        }
        if (get_set(step, "result", &value) || get_set(step, "output", &value))
            add_value(g, value);
        if (get_set(step, "user", &value))
            add_value(g, value);
    }
    return true;
}

static bool role_is(struct json_value message, const char *role)
{
    struct json_value value;
    struct buf scratch = {0};
    bool is = json_get(message, SPAN("role"), &value) && value.type == JSON_VALUE_STRING &&
              span_is(json_text(value, &scratch), role);
    buf_free(&scratch);
    return is;
}

static struct span keep_content(struct ground *g, struct json_value message)
{
    struct json_value content;
    if (!get_set(message, "content", &content))
        return SPAN("");
    return arena_span(&g->arena, value_text(content, &g->text));
}

static bool messages_grounded(struct ground *g, struct json_value messages)
{
    struct row_calls named = {0};
    struct json_cursor cursor = json_enter(messages);
    struct json_value message;
    bool good = true;
    while (good && json_next_item(&cursor, &message)) {
        if (role_is(message, "user") || role_is(message, "system") || role_is(message, "tool")) {
            add_text(g, keep_content(g, message));
        } else if (role_is(message, "assistant")) {
            row_calls_clear(&named);
            row_calls_add_message(&named, message);
            for (size_t i = 0; i < named.count && good; i++)
                good = call_grounded(g, named.items[i].arguments);
            good = good && blocks_grounded(g, keep_content(g, message));
        }
    }
    row_calls_free(&named);
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
            add_value(g, *told);
    }
    const struct json_value *steps = row_get(row, SPAN("steps"));
    if (!steps || !json_truthy(*steps))
        steps = row_get(row, SPAN("tool_trace"));
    size_t start = g->context.len;
    if (steps && steps->type == JSON_VALUE_ARRAY && !steps_grounded(g, *steps))
        return false;
    if (g->calls)
        return true;
    const struct json_value *messages = row_get(row, SPAN("messages"));
    g->context.len = start;
    if (messages && messages->type == JSON_VALUE_ARRAY && !messages_grounded(g, *messages))
        return false;
    return g->calls || final_grounded(g, row);
}

bool arguments_grounded(const struct row *row, const struct grounding_options *options)
{
    struct ground g = {.options = options};
    bool good = row_grounded(&g, row);
    buf_free(&g.context);
    buf_free(&g.squashed);
    buf_free(&g.text);
    buf_free(&g.folded);
    buf_free(&g.bare);
    arena_free(&g.arena);
    return good;
}
