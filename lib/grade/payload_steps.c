/* payload_steps.c: see payload_steps.h. */
#include "grade/payload_steps.h"

#include <stdlib.h>

#include "row/calls.h"
#include "row/conversation.h"
#include "row/gold.h"
#include "row/value.h"
#include "text/fold.h"

static struct payload_step *add(struct payload_steps *s)
{
    s->items = mem_grow(s->items, &s->cap, s->count + 1, sizeof *s->items);
    s->items[s->count] = (struct payload_step){0};
    return &s->items[s->count++];
}

static struct span keep(struct payload_steps *s, struct json_value value)
{
    struct buf scratch = {0};
    struct span text = arena_span(&s->arena, row_content_text(value, &scratch));
    buf_free(&scratch);
    return text;
}

/* ---- from steps -------------------------------------------------------------------------------- */

static void read_step(struct payload_steps *s, struct json_value value)
{
    struct payload_step step = {0};
    struct json_value part;
    struct buf scratch = {0};
    if (json_get(value, SPAN("tool"), &part) && json_truthy(part)) {
        step.tool = arena_span(&s->arena, value_text(part, &scratch));
        if (!json_get(value, SPAN("arguments"), &step.arguments))
            json_get(value, SPAN("input"), &step.arguments);
        step.has_result = json_get(value, SPAN("result"), &step.result) ||
                          json_get(value, SPAN("output"), &step.result);
    }
    if (json_get(value, SPAN("text"), &part) && json_truthy(part))
        step.text = keep(s, part);
    if (json_get(value, SPAN("user"), &part) && json_truthy(part))
        step.user = keep(s, part);
    buf_free(&scratch);
    if (step.tool.len || step.text.ptr || step.user.ptr)
        *add(s) = step;
}

/* ---- from messages ----------------------------------------------------------------------------- */

static void read_calls(struct payload_steps *s, struct json_value message)
{
    struct row_calls calls = {0};
    row_calls_add_message(&calls, message);
    for (size_t i = 0; i < calls.count; i++) {
        struct payload_step *step = add(s);
        struct span text = calls.items[i].arguments.text;
        struct json_fault fault;
        step->tool = arena_span(&s->arena, calls.items[i].name);
        if (text.ptr)
            json_scan(arena_span(&s->arena, text), &step->arguments, NULL, &fault);
        /* Its id, until the result comes. */
        step->user = arena_span(&s->arena, calls.items[i].id);
    }
    row_calls_free(&calls);
}

/* The result of the call with that id, else of the oldest call without one. */
static void read_result(struct payload_steps *s, struct json_value message, size_t first)
{
    struct json_value id, content;
    struct buf scratch = {0};
    struct payload_step *open = NULL;
    struct span named =
        json_get(message, SPAN("tool_call_id"), &id) ? value_text(id, &scratch) : SPAN("");
    for (size_t i = first; i < s->count; i++) {
        struct payload_step *step = &s->items[i];
        if (!step->tool.len || step->has_result)
            continue;
        if (!open || (named.len && span_equal(step->user, named)))
            open = step;
        if (named.len && span_equal(step->user, named))
            break;
    }
    buf_free(&scratch);
    if (!open)
        return;
    open->has_result = true;
    if (json_get(message, SPAN("content"), &content))
        open->result = content;
}

static void read_messages(struct payload_steps *s, const struct row *row)
{
    struct row_conversation c = {0};
    size_t last = 0, first_call = s->count;
    bool opened = false;
    row_conversation_read(&c, row);
    for (size_t i = 0; i < c.count; i++)
        if (c.items[i].role == ROW_ROLE_ASSISTANT)
            last = i;
    for (size_t i = 0; i < c.count; i++) {
        struct row_message *m = &c.items[i];
        struct span said = arena_span(&s->arena, row_message_text(&c, m));
        if (m->role == ROW_ROLE_TOOL) {
            read_result(s, m->own, first_call);
            continue;
        }
        if (m->role == ROW_ROLE_USER && opened)
            add(s)->user = said;
        else if (m->role == ROW_ROLE_USER)
            s->opening = said;
        opened = opened || m->role == ROW_ROLE_USER;
        /* The last words are the record's final_text. */
        if (m->role == ROW_ROLE_ASSISTANT && i != last && !text_blank(said))
            add(s)->text = said;
        if (m->role == ROW_ROLE_ASSISTANT && m->own.text.ptr)
            read_calls(s, m->own);
    }
    for (size_t i = first_call; i < s->count; i++)
        if (s->items[i].tool.len)
            s->items[i].user = (struct span){0};
    row_conversation_free(&c);
}

void payload_steps_read(struct payload_steps *s, const struct row *row)
{
    const struct json_value *steps = row_get(row, SPAN("steps"));
    const struct json_value *messages = row_get(row, SPAN("messages"));
    struct json_value step;
    s->count = 0;
    s->opening = SPAN("");
    arena_clear(&s->arena);
    if (!steps || !json_truthy(*steps))
        steps = row_get(row, SPAN("tool_trace"));
    struct json_cursor c =
        json_enter(steps && steps->type == JSON_VALUE_ARRAY ? *steps : (struct json_value){0});
    while (json_next_item(&c, &step))
        read_step(s, step);
    if (!s->count && messages && messages->type == JSON_VALUE_ARRAY)
        read_messages(s, row);
}

void payload_steps_free(struct payload_steps *s)
{
    free(s->items);
    arena_free(&s->arena);
    *s = (struct payload_steps){0};
}
