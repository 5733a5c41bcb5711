/* calls.c: the tool calls of a row or a message (grade 2.5). */
#include "row/calls.h"

#include <stdlib.h>

#include "row/value.h"

static struct span keep_text(struct arena *arena, struct json_value value)
{
    struct buf scratch = {0};
    struct span text = value_text(value, &scratch);
    if (text.ptr == scratch.data)
        text = arena_span(arena, text);
    buf_free(&scratch);
    return text;
}

static struct row_call *add_call(struct row_calls *calls)
{
    calls->items = mem_grow(calls->items, &calls->cap, calls->count + 1, sizeof *calls->items);
    struct row_call *call = &calls->items[calls->count++];
    *call = (struct row_call){.name = SPAN(""), .id = SPAN("")};
    return call;
}

static void set_text(struct row_calls *calls, struct json_value object, struct span key,
                     struct span *out)
{
    struct json_value value;
    if (json_get(object, key, &value) && !json_value_null(value))
        *out = keep_text(&calls->arena, value);
}

static void set_arguments(struct row_calls *calls, struct row_call *call, struct json_value value)
{
    struct json_value object;
    if (row_parse_object(&calls->arena, value, &object))
        call->arguments = object;
}

void row_calls_add_message(struct row_calls *calls, struct json_value message)
{
    struct json_value list, item, value;
    if (!json_get(message, SPAN("tool_calls"), &list) || list.type != JSON_VALUE_ARRAY)
        return;
    struct json_cursor c = json_enter(list);
    while (json_next_item(&c, &item)) {
        if (item.type != JSON_VALUE_OBJECT)
            continue;
        struct json_value function = item;
        if (json_get(item, SPAN("function"), &value) && value.type == JSON_VALUE_OBJECT)
            function = value;
        struct row_call *call = add_call(calls);
        set_text(calls, function, SPAN("name"), &call->name);
        set_text(calls, item, SPAN("id"), &call->id);
        if (json_get(function, SPAN("arguments"), &value))
            set_arguments(calls, call, value);
    }
}

static bool is_assistant(struct json_value message)
{
    struct json_value role;
    struct buf scratch = {0};
    bool yes = json_get(message, SPAN("role"), &role) && role.type == JSON_VALUE_STRING &&
               span_is(json_text(role, &scratch), "assistant");
    buf_free(&scratch);
    return yes;
}

static void add_steps(struct row_calls *calls, struct json_value steps)
{
    struct json_cursor c = json_enter(steps);
    struct json_value step, value;
    while (json_next_item(&c, &step)) {
        if (!json_get(step, SPAN("tool"), &value) || !json_truthy(value))
            continue;
        struct row_call *call = add_call(calls);
        call->name = keep_text(&calls->arena, value);
        if ((json_get(step, SPAN("arguments"), &value) && !json_value_null(value)) ||
            json_get(step, SPAN("input"), &value))
            set_arguments(calls, call, value);
    }
}

void row_calls_read(struct row_calls *calls, const struct row *row)
{
    row_calls_clear(calls);
    const struct json_value *messages = row_get(row, SPAN("messages"));
    if (messages && messages->type == JSON_VALUE_ARRAY) {
        struct json_cursor c = json_enter(*messages);
        struct json_value message;
        while (json_next_item(&c, &message))
            if (is_assistant(message))
                row_calls_add_message(calls, message);
    }
    if (calls->count)
        return;
    const struct json_value *steps = row_get(row, SPAN("steps"));
    if (!steps || !json_truthy(*steps))
        steps = row_get(row, SPAN("tool_trace"));
    if (steps && steps->type == JSON_VALUE_ARRAY)
        add_steps(calls, *steps);
}

void row_calls_clear(struct row_calls *calls)
{
    calls->count = 0;
    arena_clear(&calls->arena);
}

void row_calls_free(struct row_calls *calls)
{
    free(calls->items);
    arena_free(&calls->arena);
    *calls = (struct row_calls){0};
}
