/* trace_messages.c: steps out of messages (rows 11.3): calls in both spellings and as content
 * blocks, and each result bound to the call it answers. */
#include <stdlib.h>

#include "row/parse.h"
#include "row/trace_steps.h"
#include "row/value.h"
#include "json/edit.h"
#include "json/pyjson.h"

static struct json_value member(struct json_value object, struct span key)
{
    struct json_value value;
    return json_get(object, key, &value) ? value : (struct json_value){0};
}

static bool string_is(struct json_value value, const char *text)
{
    if (value.type != JSON_VALUE_STRING)
        return false;
    if (!(value.flags & JSON_FLAG_ESCAPED))
        return span_is(span_slice(value.text, 1, value.text.len - 1), text);
    struct buf scratch = {0};
    bool same = span_is(json_text(value, &scratch), text);
    buf_free(&scratch);
    return same;
}

static bool is_block(struct json_value item, const char *type)
{
    return item.type == JSON_VALUE_OBJECT && string_is(member(item, SPAN("type")), type);
}

/* ---- texts --------------------------------------------------------------------------------- */

static void add_blocks(struct json_value list, struct buf *out)
{
    struct buf scratch = {0};
    struct json_cursor c = json_enter(list);
    struct json_value block;
    bool first = true;
    while (json_next_item(&c, &block)) {
        struct json_value text = member(block, SPAN("text"));
        if (!is_block(block, "text") || !text.text.ptr || !json_truthy(text))
            continue;
        if (!first)
            buf_byte(out, '\n');
        first = false;
        buf_span_add(out, value_text(text, &scratch));
    }
    buf_free(&scratch);
}

struct span trace_content_text(struct json_value content, struct buf *scratch)
{
    buf_clear(scratch);
    if (json_value_null(content))
        return SPAN("");
    if (content.type != JSON_VALUE_ARRAY)
        return value_text(content, scratch);
    add_blocks(content, scratch);
    return buf_span(scratch);
}

bool trace_blocks_text(struct json_value value, struct buf *scratch)
{
    if (value.type != JSON_VALUE_ARRAY || !json_truthy(value))
        return false;
    struct json_cursor c = json_enter(value);
    struct json_value block;
    while (json_next_item(&c, &block))
        if (!is_block(block, "text"))
            return false;
    buf_clear(scratch);
    add_blocks(value, scratch);
    return true;
}

bool trace_first_user(struct json_value array, struct json_value *content)
{
    struct json_cursor c = json_enter(array);
    struct json_value message;
    while (json_next_item(&c, &message)) {
        if (message.type == JSON_VALUE_OBJECT && string_is(member(message, SPAN("role")), "user")) {
            *content = member(message, SPAN("content"));
            return true;
        }
    }
    return false;
}

static struct span keep_quoted(struct row_tracer *t, struct span text)
{
    struct buf quoted = {0};
    json_quote(&quoted, text);
    struct span kept = arena_span(&t->arena, buf_span(&quoted));
    buf_free(&quoted);
    return kept;
}

/* ---- steps --------------------------------------------------------------------------------- */

static struct trace_step *add_step(struct row_tracer *t)
{
    t->steps = mem_grow(t->steps, &t->cap_steps, t->n_steps + 1, sizeof *t->steps);
    struct trace_step *step = &t->steps[t->n_steps++];
    *step = (struct trace_step){.id = MAP_NONE, .next_same = MAP_NONE};
    return step;
}

static bool is_open(const struct row_tracer *t, size_t i)
{
    return t->steps[i].tool.ptr && !t->steps[i].result.ptr;
}

/* Puts a call at the end of the line of calls of its tool. The line's head moves as calls are
 * answered, so that finding the first unanswered one costs no search. */
static void enqueue(struct row_tracer *t, struct span name, size_t step)
{
    bool fresh;
    size_t n = map_add(&t->names, name, &fresh);
    if (fresh) {
        t->lines = mem_grow(t->lines, &t->cap_names, n + 1, sizeof *t->lines);
        t->lines[n] = (struct trace_line){step, step};
        return;
    }
    t->steps[t->lines[n].tail].next_same = step;
    t->lines[n].tail = step;
}

/* The last call with an id owns it. */
static void register_id(struct row_tracer *t, struct span id, size_t step)
{
    size_t n = map_add(&t->ids, id, NULL);
    t->step_of_id = mem_grow(t->step_of_id, &t->cap_ids, n + 1, sizeof *t->step_of_id);
    t->step_of_id[n] = step;
    t->steps[step].id = n;
}

static void add_call(struct row_tracer *t, struct json_value name, struct span arguments,
                     struct json_value id)
{
    size_t at = t->n_steps;
    struct trace_step *step = add_step(t);
    struct span text = name.text.ptr ? value_text(name, &t->scratch) : SPAN("");
    step->tool = keep_quoted(t, text);
    step->arguments = arguments;
    enqueue(t, text, at);
    if (id.text.ptr && json_truthy(id))
        register_id(t, value_text(id, &t->scratch), at);
}

static size_t find_by_id(struct row_tracer *t, struct json_value id)
{
    if (!id.text.ptr || !json_truthy(id))
        return MAP_NONE;
    size_t n = map_find(&t->ids, value_text(id, &t->scratch));
    if (n == MAP_NONE)
        return MAP_NONE;
    size_t step = t->step_of_id[n];
    t->step_of_id[n] = MAP_NONE;
    return step != MAP_NONE && is_open(t, step) ? step : MAP_NONE;
}

static size_t find_by_name(struct row_tracer *t, struct span name)
{
    size_t n = map_find(&t->names, name);
    if (!name.len || n == MAP_NONE)
        return MAP_NONE;
    size_t at = t->lines[n].head;
    while (!is_open(t, at) && t->steps[at].next_same != MAP_NONE)
        at = t->steps[at].next_same;
    t->lines[n].head = at;
    return is_open(t, at) ? at : MAP_NONE;
}

static size_t find_open(struct row_tracer *t)
{
    while (t->first_open < t->n_steps && !is_open(t, t->first_open))
        t->first_open++;
    return t->first_open < t->n_steps ? t->first_open : MAP_NONE;
}

/* Gives a result to the call it answers, or to a step of its own. */
static void bind(struct row_tracer *t, struct json_value name, struct json_value id,
                 struct span result)
{
    size_t at = find_by_id(t, id);
    if (at == MAP_NONE && name.text.ptr && json_truthy(name))
        at = find_by_name(t, value_text(name, &t->scratch));
    if (at == MAP_NONE)
        at = find_open(t);
    if (at == MAP_NONE) {
        struct span text =
            name.text.ptr && json_truthy(name) ? value_text(name, &t->scratch) : SPAN("");
        struct trace_step *step = add_step(t);
        step->tool = keep_quoted(t, text);
        step->arguments = SPAN("{}");
        step->result = result;
        t->orphan_results++;
        return;
    }
    t->steps[at].result = result;
    size_t own = t->steps[at].id;
    if (own != MAP_NONE && t->step_of_id[own] == at)
        t->step_of_id[own] = MAP_NONE;
}

/* ---- results ------------------------------------------------------------------------------- */

/* The value of a result's content: JSON text parsed, an object itself, other content as its text.
 */
static struct json_value coerce(struct row_tracer *t, struct json_value content)
{
    struct json_value value;
    if (content.type == JSON_VALUE_OBJECT)
        return content;
    if (content.type == JSON_VALUE_STRING && row_parse_text(&t->arena, content, &value))
        return value;
    struct buf scratch = {0};
    struct span text = trace_content_text(content, &scratch);
    if (!row_parse_span(&t->arena, text, &value)) {
        value = (struct json_value){.text = content.text, .type = JSON_VALUE_STRING};
        if (content.type != JSON_VALUE_STRING)
            value.text = keep_quoted(t, text);
        else
            value.flags = content.flags;
    }
    buf_free(&scratch);
    return value;
}

/* A result that its sender marked as an error. */
static struct span errored(struct row_tracer *t, struct json_value value)
{
    struct buf text = {0}, out = {0};
    struct json_edit edit = {0};
    struct json_members members = {0};
    struct json_value there;
    struct span object = SPAN("{}");
    if (value.type == JSON_VALUE_STRING)
        json_text_add(value, &text);
    else
        json_pyjson(value, &text);
    bool is_object = value.type == JSON_VALUE_OBJECT;
    if (is_object) {
        json_members_of(value, &members);
        object = value.text;
    }
    if (!is_object || !json_get(value, SPAN("error"), &there))
        json_edit_text(&edit, SPAN("error"), buf_span(&text));
    if (!is_object || !json_get(value, SPAN("status"), &there))
        json_edit_text(&edit, SPAN("status"), SPAN("error"));
    json_edit_apply(&edit, object, &members, &out);
    struct span kept = arena_span(&t->arena, buf_span(&out));
    json_edit_free(&edit);
    json_members_free(&members);
    buf_free(&text);
    buf_free(&out);
    return kept;
}

/* ---- messages ------------------------------------------------------------------------------ */

static void user_message(struct row_tracer *t, struct json_value content)
{
    bool results = false;
    if (content.type == JSON_VALUE_ARRAY) {
        struct json_cursor c = json_enter(content);
        struct json_value block;
        while (json_next_item(&c, &block)) {
            if (!is_block(block, "tool_result"))
                continue;
            results = true;
            struct json_value value = coerce(t, member(block, SPAN("content")));
            struct json_value error = member(block, SPAN("is_error"));
            bool failed = error.text.ptr && json_truthy(error);
            bind(t, member(block, SPAN("name")), member(block, SPAN("tool_use_id")),
                 failed ? errored(t, value) : value.text);
        }
    }
    if (content.type == JSON_VALUE_STRING) {
        add_step(t)->user = content.text;
        return;
    }
    struct span text = trace_content_text(content, &t->scratch);
    if (text.len || !results) {
        struct span quoted = keep_quoted(t, text);
        add_step(t)->user = quoted;
    }
}

/* {} for anything but an object or JSON text of one; other text is counted. */
static struct span call_arguments(struct row_tracer *t, struct json_value arguments)
{
    struct json_value object;
    if (arguments.text.ptr && row_parse_object(&t->arena, arguments, &object))
        return object.text;
    t->bad_arguments += arguments.type == JSON_VALUE_STRING;
    return SPAN("{}");
}

static bool assistant_message(struct row_tracer *t, struct json_value message, const char **what)
{
    struct json_value content = member(message, SPAN("content")), item;
    if (content.type == JSON_VALUE_ARRAY) {
        struct json_cursor c = json_enter(content);
        while (json_next_item(&c, &item)) {
            if (!is_block(item, "tool_use"))
                continue;
            struct json_value input = member(item, SPAN("input"));
            add_call(t, member(item, SPAN("name")),
                     input.type == JSON_VALUE_OBJECT ? input.text : SPAN("{}"),
                     member(item, SPAN("id")));
        }
    }
    struct json_value calls = member(message, SPAN("tool_calls"));
    struct json_cursor c = {0};
    if (calls.type == JSON_VALUE_ARRAY)
        c = json_enter(calls);
    while (json_next_item(&c, &item)) {
        if (item.type != JSON_VALUE_OBJECT) {
            *what = "a tool call is not an object; write it as {\"name\", \"arguments\"}";
            return false;
        }
        struct json_value function = member(item, SPAN("function"));
        if (function.type != JSON_VALUE_OBJECT)
            function = item;
        add_call(t, member(function, SPAN("name")),
                 call_arguments(t, member(function, SPAN("arguments"))), member(item, SPAN("id")));
    }
    struct span text = trace_content_text(content, &t->scratch);
    if (text.len) {
        struct span quoted =
            content.type == JSON_VALUE_STRING ? content.text : keep_quoted(t, text);
        add_step(t)->text = quoted;
    }
    return true;
}

static void tool_message(struct row_tracer *t, struct json_value message)
{
    struct json_value id = member(message, SPAN("tool_call_id"));
    if (!id.text.ptr || !json_truthy(id))
        id = member(message, SPAN("tool_use_id"));
    bind(t, member(message, SPAN("name")), id, coerce(t, member(message, SPAN("content"))).text);
}

bool trace_messages(struct row_tracer *t, struct json_value messages, const char **what)
{
    t->n_steps = t->first_open = 0;
    map_clear(&t->ids);
    map_clear(&t->names);
    struct json_cursor c = json_enter(messages);
    struct json_value message;
    while (json_next_item(&c, &message)) {
        if (message.type != JSON_VALUE_OBJECT)
            continue;
        struct json_value role = member(message, SPAN("role"));
        if (string_is(role, "user"))
            user_message(t, member(message, SPAN("content")));
        else if (string_is(role, "tool") || string_is(role, "function"))
            tool_message(t, message);
        else if (string_is(role, "assistant") && !assistant_message(t, message, what))
            return false;
    }
    return true;
}

void trace_write_steps(const struct row_tracer *t, struct json_writer *w)
{
    json_write_array(w);
    for (size_t i = 0; i < t->n_steps; i++) {
        const struct trace_step *step = &t->steps[i];
        json_write_object(w);
        if (step->user.ptr || step->text.ptr) {
            json_write_key(w, step->user.ptr ? "user" : "text");
            json_write_raw(w, step->user.ptr ? step->user : step->text);
        } else {
            json_write_key(w, "tool");
            json_write_raw(w, step->tool);
            json_write_key(w, "arguments");
            json_write_raw(w, step->arguments);
            if (step->result.ptr) {
                json_write_key(w, "result");
                json_write_raw(w, step->result);
            }
        }
        json_write_end_object(w);
    }
    json_write_end_array(w);
}
