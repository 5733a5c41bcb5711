/* turns.c: see turns.h. */
#include "export/turns.h"

#include <stdio.h>
#include <stdlib.h>

#include "export/defaults.h"
#include "row/parse.h"
#include "row/value.h"
#include "text/fold.h"
#include "text/unicode.h"
#include "text/utf8.h"
#include "json/edit.h"
#include "json/tree.h"

static const char FAULT_PART[] =
    "a message holds a part that is no text, which no trainer file can hold; "
    "drop such parts with --drop-parts or the row";
static const char FAULT_EMPTY[] = "it has no messages and nothing to make them of (prompt, steps, "
                                  "final_text); drop the row";

void export_turns_free(struct export_turns *t)
{
    free(t->items);
    free(t->calls);
    free(t->waiting);
    row_conversation_free(&t->conversation);
    arena_free(&t->arena);
    buf_free(&t->scratch);
    buf_free(&t->steps);
    json_members_free(&t->members);
    *t = (struct export_turns){0};
}

static bool truthy(struct json_value object, struct span key, struct json_value *value)
{
    return json_get(object, key, value) && json_truthy(*value);
}

static struct span text_kept(struct export_turns *t, struct json_value value)
{
    return arena_span(&t->arena, value_text(value, &t->scratch));
}

/* ---- texts --------------------------------------------------------------------------------------
 */

static bool letters_at(struct span s, size_t at, const char *lower)
{
    for (size_t i = 0; lower[i]; i++) {
        if (at + i >= s.len)
            return false;
        char c = s.ptr[at + i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != lower[i])
            return false;
    }
    return true;
}

static size_t find_letters(struct span s, size_t from, const char *lower)
{
    for (size_t at = from; at < s.len; at++)
        if (s.ptr[at] == '<' && letters_at(s, at, lower))
            return at;
    return SIZE_MAX;
}

/* Without <think>…</think> and the white space behind each, then trimmed. */
static struct span without_thoughts(struct export_turns *t, struct span text)
{
    static const char OPEN[] = "<think>", CLOSE[] = "</think>";
    size_t at = 0, open = find_letters(text, 0, OPEN);
    if (open == SIZE_MAX)
        return text_strip(text);
    buf_clear(&t->scratch);
    while (open != SIZE_MAX) {
        size_t close = find_letters(text, open + sizeof OPEN - 1, CLOSE);
        if (close == SIZE_MAX)
            break;
        buf_add(&t->scratch, text.ptr + at, open - at);
        at = close + sizeof CLOSE - 1;
        for (size_t next = at; next < text.len; at = next)
            if (!unicode_space(utf8_next(text, &next)))
                break;
        open = find_letters(text, at, OPEN);
    }
    buf_add(&t->scratch, text.ptr + at, text.len - at);
    return arena_span(&t->arena, text_strip(buf_span(&t->scratch)));
}

/* The first `limit` characters and how many are gone. The wording is what trainers of the
 * reference's files have seen. */
static struct span cut_output(struct export_turns *t, struct span text, int64_t limit)
{
    if (limit < 0 || text.len <= (size_t)limit)
        return text;
    size_t length = utf8_length(text);
    if (length <= (size_t)limit)
        return text;
    struct span head = utf8_head(text, (size_t)limit);
    buf_clear(&t->scratch);
    buf_span_add(&t->scratch, head);
    buf_format(&t->scratch, "\n[... %zu chars of tool output truncated]", length - (size_t)limit);
    t->cut++;
    t->cut_chars += (int64_t)(length - (size_t)limit);
    return arena_span(&t->arena, buf_span(&t->scratch));
}

/* Whether the parts of a list are all text; others are counted. */
static bool parts_are_text(struct export_turns *t, struct json_value content)
{
    struct json_cursor cursor = json_enter(content);
    struct json_value part, value;
    bool all = true;
    while (json_next_item(&cursor, &part)) {
        bool text = part.type == JSON_VALUE_OBJECT && json_get(part, SPAN("text"), &value) &&
                    value.type == JSON_VALUE_STRING;
        if (text && json_get(part, SPAN("type"), &value))
            text =
                value.type == JSON_VALUE_STRING && span_is(json_text(value, &t->scratch), "text");
        if (!text) {
            all = false;
            t->parts_dropped++;
        }
    }
    return all;
}

/* ---- calls --------------------------------------------------------------------------------------
 */

struct json_value export_finite(struct arena *arena, struct json_value value)
{
    if (!span_has(value.text, SPAN("NaN")) && !span_has(value.text, SPAN("Infinity")))
        return value;
    struct json_value clean = value;
    struct buf text = {0};
    json_t *tree = json_tree(value);
    json_tree_write(tree, &text);
    json_decref(tree);
    if (value.flags & JSON_FLAG_NONFINITE)
        clean.type = JSON_VALUE_NULL;
    clean.text = arena_span(arena, buf_span(&text));
    buf_free(&text);
    return clean;
}

static void read_arguments(struct export_turns *t, struct json_value value,
                           struct export_call *call)
{
    call->text = (struct span){0};
    struct json_value inner;
    for (int i = 0; i < EXPORT_DECODES && value.type == JSON_VALUE_STRING; i++) {
        if (!row_parse_text(&t->arena, value, &inner))
            break;
        value = inner;
    }
    call->arguments = (struct json_value){0};
    if (value.type != JSON_VALUE_STRING) {
        if (value.text.ptr && json_truthy(value))
            call->arguments = export_finite(&t->arena, value);
        return;
    }
    struct span text = json_text(value, &t->scratch);
    if (!text_blank(text)) /* a call without arguments is written as "" by some services */
        call->text = arena_span(&t->arena, text);
}

static struct export_call *add_call(struct export_turns *t, struct export_turn *turn)
{
    t->calls = mem_grow(t->calls, &t->cap_calls, t->n_calls + 1, sizeof *t->calls);
    t->calls[t->n_calls] = (struct export_call){0};
    turn->n_calls++;
    return &t->calls[t->n_calls++];
}

/* Every call advances the counter that ids are made of. */
static void name_call(struct export_turns *t, struct export_call *call, struct json_value own_id)
{
    if (own_id.text.ptr) {
        call->id = text_kept(t, own_id);
    } else {
        char id[32];
        int len = snprintf(id, sizeof id, "call_%04zu", t->n_calls - 1);
        call->id = arena_span(&t->arena, span_make(id, (size_t)len));
    }
    t->waiting = mem_grow(t->waiting, &t->cap_waiting, t->n_waiting + 1, sizeof *t->waiting);
    t->waiting[t->n_waiting++] = call->id;
}

static void read_own_calls(struct export_turns *t, struct json_value message,
                           struct export_turn *turn)
{
    struct json_value calls, item, value;
    if (!truthy(message, SPAN("tool_calls"), &calls) || calls.type != JSON_VALUE_ARRAY)
        return;
    struct json_cursor cursor = json_enter(calls);
    while (json_next_item(&cursor, &item)) {
        if (item.type != JSON_VALUE_OBJECT)
            continue;
        struct json_value function = item, id = {0};
        if (json_get(item, SPAN("function"), &value) && value.type == JSON_VALUE_OBJECT)
            function = value;
        if (truthy(item, SPAN("id"), &value))
            id = value;
        struct export_call *call = add_call(t, turn);
        call->name = truthy(function, SPAN("name"), &value) ? text_kept(t, value) : SPAN("");
        if (json_get(function, SPAN("arguments"), &value))
            read_arguments(t, value, call);
        name_call(t, call, id);
    }
}

/* The id that a tool result answers: its own, else the oldest call that waits. */
static struct span answered(struct export_turns *t, const struct row_message *message)
{
    struct json_value own;
    size_t place = 0;
    struct span id = {0};
    if (message->own.text.ptr && truthy(message->own, SPAN("tool_call_id"), &own)) {
        id = text_kept(t, own);
        while (place < t->n_waiting && !span_equal(t->waiting[place], id))
            place++;
    } else if (t->n_waiting) {
        id = t->waiting[0];
    }
    if (place < t->n_waiting) {
        t->n_waiting--;
        memmove(t->waiting + place, t->waiting + place + 1,
                (t->n_waiting - place) * sizeof *t->waiting);
    }
    return id;
}

/* ---- turns --------------------------------------------------------------------------------------
 */

static struct export_turn *add_turn(struct export_turns *t, enum row_role role)
{
    t->items = mem_grow(t->items, &t->cap, t->count + 1, sizeof *t->items);
    struct export_turn *turn = &t->items[t->count++];
    *turn = (struct export_turn){.role = role, .first_call = t->n_calls};
    return turn;
}

/* The names that newer and older services use for two of the four roles. */
static enum row_role role_of(struct export_turns *t, const struct row_message *message)
{
    struct json_value role;
    if (message->role != ROW_ROLE_OTHER || !json_get(message->own, SPAN("role"), &role) ||
        role.type != JSON_VALUE_STRING)
        return message->role;
    struct span name = json_text(role, &t->scratch);
    return span_is(name, "developer")  ? ROW_ROLE_SYSTEM
           : span_is(name, "function") ? ROW_ROLE_TOOL
                                       : ROW_ROLE_OTHER;
}

static void fill_assistant(struct export_turns *t, const struct row_message *message,
                           const struct export_build *build, struct export_turn *turn)
{
    if (!build->keep_think)
        turn->content = without_thoughts(t, turn->content);
    if (message->own.text.ptr) {
        read_own_calls(t, message->own, turn);
    } else if (message->tool.text.ptr) {
        struct export_call *call = add_call(t, turn);
        call->name = text_kept(t, message->tool);
        if (message->arguments.text.ptr)
            read_arguments(t, message->arguments, call);
        name_call(t, call, (struct json_value){0});
    }
}

static void fill_tool(struct export_turns *t, const struct row_message *message,
                      const struct export_build *build, struct export_turn *turn)
{
    struct json_value name = message->tool;
    turn->content = cut_output(t, turn->content, build->max_tool_output);
    if (!message->own.text.ptr || truthy(message->own, SPAN("name"), &name))
        turn->name = text_kept(t, name);
    turn->call_id = answered(t, message);
}

/* 0 or -1. */
static int add_message(struct export_turns *t, struct row_message *message,
                       const struct export_build *build, const char **fault)
{
    enum row_role role = role_of(t, message);
    if (role == ROW_ROLE_OTHER) {
        t->roles_dropped++;
        return 0;
    }
    if (message->own.text.ptr && message->content.type == JSON_VALUE_ARRAY &&
        !parts_are_text(t, message->content) && !build->drop_parts) {
        *fault = FAULT_PART;
        return -1;
    }
    struct span content = row_message_text(&t->conversation, message);
    if (role == ROW_ROLE_SYSTEM && build->system_prompt.len) {
        bool same = span_equal(content, build->system_prompt);
        if (same || build->replace_system)
            return 0; /* it has been said, or is not to be */
        t->systems_differ = true;
    }
    struct export_turn *turn = add_turn(t, role);
    turn->content = content;
    if (role == ROW_ROLE_ASSISTANT)
        fill_assistant(t, message, build, turn);
    else if (role == ROW_ROLE_TOOL)
        fill_tool(t, message, build, turn);
    return 0;
}

/* A row of another toolchain: no messages and no steps, but a tool_trace of {tool, input, output}.
 */
static bool has_only_trace(const struct row *row, struct json_value *trace)
{
    const struct json_value *messages = row_get(row, SPAN("messages"));
    const struct json_value *steps = row_get(row, SPAN("steps"));
    const struct json_value *found = row_get(row, SPAN("tool_trace"));
    if ((messages && json_truthy(*messages)) || (steps && json_truthy(*steps)) || !found ||
        found->type != JSON_VALUE_ARRAY)
        return false;
    *trace = *found;
    return true;
}

static void steps_of_trace(struct json_value trace, struct buf *out)
{
    struct json_writer w;
    struct json_cursor cursor = json_enter(trace);
    struct json_value item, value;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_array(&w);
    while (json_next_item(&cursor, &item)) {
        if (item.type != JSON_VALUE_OBJECT)
            continue;
        static const struct {
            struct span from;
            const char *to;
        } KEYS[] = {{{"tool", 4}, "tool"}, {{"input", 5}, "arguments"}, {{"output", 6}, "result"}};
        json_write_object(&w);
        for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
            if (json_get(item, KEYS[i].from, &value)) {
                json_write_key(&w, KEYS[i].to);
                json_write_raw(&w, value.text);
            }
        }
        json_write_end_object(&w);
    }
    json_write_end_array(&w);
}

static void read_conversation(struct export_turns *t, const struct row *row)
{
    struct json_value trace;
    if (!has_only_trace(row, &trace)) {
        row_conversation_read(&t->conversation, row);
        return;
    }
    struct json_edit edit = {0};
    struct row with_steps;
    struct json_fault fault;
    buf_clear(&t->scratch);
    steps_of_trace(trace, &t->scratch);
    json_edit_set(&edit, SPAN("steps"), buf_span(&t->scratch));
    buf_clear(&t->steps);
    json_edit_apply(&edit, row->value.text, &row->members, &t->steps);
    json_edit_free(&edit);
    row_of_text(buf_span(&t->steps), &with_steps, &t->members, &fault);
    row_conversation_read(&t->conversation, &with_steps);
}

int export_turns_read(struct export_turns *t, const struct row *row,
                      const struct export_build *build, const char **fault)
{
    arena_clear(&t->arena);
    t->count = t->n_calls = t->n_waiting = 0;
    t->cut = t->cut_chars = t->roles_dropped = t->parts_dropped = 0;
    t->systems_differ = false;
    read_conversation(t, row);
    if (build->system_prompt.len)
        add_turn(t, ROW_ROLE_SYSTEM)->content = build->system_prompt;
    for (size_t i = 0; i < t->conversation.count; i++)
        if (add_message(t, &t->conversation.items[i], build, fault) != 0)
            return -1;
    if (t->count > 0)
        return 0;
    *fault = FAULT_EMPTY;
    return -1;
}
