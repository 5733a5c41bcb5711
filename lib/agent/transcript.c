/* transcript.c: see transcript.h. Calls that are open wait in the order they began; those never
 * closed end the steps with an empty result. */
#include "agent/transcript.h"

#include <stdlib.h>

#include "agent/defaults.h"
#include "agent/protocol.h"
#include "base/map.h"
#include "text/utf8.h"
#include "world/node.h"
#include "json/write.h"

struct open_call {
    struct span tool;
    struct json_value arguments; /* text.ptr NULL: {} */
    bool open;
};

struct reading {
    struct arena arena; /* names; trees of results */
    struct map ids;     /* of calls: the number is that of the latest call with this id */
    size_t *call_of;
    size_t call_of_cap;
    struct open_call *calls;
    size_t n_calls, cap, n_open;
    struct buf *steps, *final_text, *failure;
    size_t n_steps;
    struct buf scratch, result;
};

static const struct json_value NOTHING = {0};

/* ---- reading values -------------------------------------------------------------------------- */

/* The first of the names (separated by blanks) whose value is not null. */
static struct json_value first_of(struct json_value object, const char *names)
{
    struct json_value value;
    while (*names) {
        size_t n = strcspn(names, " ");
        if (json_get(object, span_make(names, n), &value) && !json_value_null(value))
            return value;
        names += n + (names[n] == ' ');
    }
    return NOTHING;
}

static bool is_text(struct json_value v)
{
    return v.text.ptr && v.type == JSON_VALUE_STRING;
}

static bool type_is(struct json_value event, const char *type)
{
    struct buf scratch = {0};
    struct json_value value = first_of(event, "type");
    bool same = is_text(value) && span_is(json_text(value, &scratch), type);
    buf_free(&scratch);
    return same;
}

static struct span kept_text(struct reading *r, struct json_value v)
{
    return is_text(v) ? arena_span(&r->arena, json_text(v, &r->scratch)) : SPAN("");
}

/* Text blocks and strings of a list, joined with nothing between. */
static void add_blocks(struct json_value list, struct buf *out)
{
    struct json_cursor c = json_enter(list);
    struct json_value item;
    while (json_next_item(&c, &item)) {
        struct json_value text = is_text(item) ? item : first_of(item, "text");
        if (is_text(text))
            json_text_add(text, out);
    }
}

/* A string itself, nothing for null, any other value as JSON with blanks. */
static void add_value(struct json_value v, struct buf *out)
{
    if (!v.text.ptr || json_value_null(v))
        return;
    if (is_text(v)) {
        json_text_add(v, out);
        return;
    }
    struct arena tree = {0};
    node_json(node_parse(&tree, v), true, out);
    arena_free(&tree);
}

static void add_content(struct json_value v, struct buf *out)
{
    if (v.text.ptr && v.type == JSON_VALUE_ARRAY)
        add_blocks(v, out);
    else
        add_value(v, out);
}

/* ---- writing steps --------------------------------------------------------------------------- */

/* Facts of a step besides tool, arguments and result. */
struct facts {
    bool is_error, has_exit_code, no_arguments;
    struct span exit_code; /* JSON */
};

/* A step with r->result as its text. */
static void write_step(struct reading *r, struct span tool, struct json_value arguments,
                       const struct facts *facts)
{
    struct buf *b = r->steps;
    struct span result = buf_span(&r->result);
    size_t characters = utf8_length(result);
    buf_text(b, r->n_steps++ ? ",{\"tool\":" : "{\"tool\":");
    json_quote(b, tool);
    if (!facts->no_arguments) {
        buf_text(b, ",\"arguments\":");
        buf_span_add(b, arguments.text.ptr ? arguments.text : SPAN("{}"));
    }
    buf_text(b, ",\"result\":");
    json_quote(b, utf8_head(result, TRANSCRIPT_RESULT));
    if (characters > TRANSCRIPT_RESULT)
        buf_format(b, ",\"result_truncated\":true,\"result_chars\":%zu", characters);
    if (facts->has_exit_code) {
        buf_text(b, ",\"exit_code\":");
        buf_span_add(b, facts->exit_code);
    }
    if (facts->is_error)
        buf_text(b, ",\"is_error\":true");
    buf_byte(b, '}');
}

/* ---- calls that open and close --------------------------------------------------------------- */

/* The latest call with an id; SIZE_MAX: none. */
static size_t call_with(const struct reading *r, struct span id)
{
    size_t n = map_find(&r->ids, id);
    return n == MAP_NONE ? SIZE_MAX : r->call_of[n];
}

static void open_call(struct reading *r, struct span id, struct span tool,
                      struct json_value arguments)
{
    bool fresh;
    size_t n = map_add(&r->ids, id, &fresh);
    r->call_of = mem_grow(r->call_of, &r->call_of_cap, n + 1, sizeof *r->call_of);
    r->call_of[n] = r->n_calls;
    r->calls = mem_grow(r->calls, &r->cap, r->n_calls + 1, sizeof *r->calls);
    r->calls[r->n_calls++] = (struct open_call){tool, arguments, true};
    r->n_open++;
}

/* Writes the call's step, with r->result. NULL: it was not open; `tool` names it then. */
static void close_call(struct reading *r, struct span id, struct span tool, struct facts facts)
{
    size_t n = call_with(r, id);
    if (n != SIZE_MAX && r->calls[n].open) {
        r->calls[n].open = false;
        r->n_open--;
        facts.no_arguments = false;
        write_step(r, r->calls[n].tool, r->calls[n].arguments, &facts);
    } else {
        write_step(r, tool, NOTHING, &facts);
    }
}

static void close_rest(struct reading *r)
{
    const struct facts none = {0};
    buf_clear(&r->result);
    for (size_t i = 0; i < r->n_calls; i++)
        if (r->calls[i].open)
            write_step(r, r->calls[i].tool, r->calls[i].arguments, &none);
}

static struct json_value object_or_none(struct json_value v)
{
    return v.text.ptr && (v.type == JSON_VALUE_NULL || !json_truthy(v)) ? NOTHING : v;
}

/* ---- claude ---------------------------------------------------------------------------------- */

static void claude_block(struct reading *r, struct json_value block, bool assistant)
{
    struct span id;
    if (assistant && type_is(block, "tool_use")) {
        id = kept_text(r, first_of(block, "id"));
        open_call(r, id, kept_text(r, first_of(block, "name")),
                  object_or_none(first_of(block, "input")));
    } else if (!assistant && type_is(block, "tool_result")) {
        id = kept_text(r, first_of(block, "tool_use_id"));
        buf_clear(&r->result);
        add_content(first_of(block, "content"), &r->result);
        close_call(r, id, SPAN(""), (struct facts){0});
    }
}

static void claude_event(struct reading *r, struct json_value event)
{
    bool assistant = type_is(event, "assistant");
    struct json_value block;
    if (type_is(event, "result")) {
        buf_clear(r->final_text);
        add_value(first_of(event, "result"), r->final_text);
    } else if (assistant || type_is(event, "user")) {
        struct json_value content = first_of(first_of(event, "message"), "content");
        struct json_cursor c = json_enter(content);
        while (content.text.ptr && content.type == JSON_VALUE_ARRAY && json_next_item(&c, &block))
            claude_block(r, block, assistant);
    }
}

/* ---- codex ----------------------------------------------------------------------------------- */

/* {"KEY": VALUE} as a step's arguments, in the arena. */
static struct json_value one_argument(struct reading *r, const char *key, struct json_value v,
                                      const char *absent)
{
    struct json_value object = {0};
    struct json_fault fault;
    struct buf text = {0};
    buf_format(&text, "{\"%s\":", key);
    if (v.text.ptr)
        buf_span_add(&text, v.text);
    else
        buf_text(&text, absent);
    buf_byte(&text, '}');
    json_scan(arena_span(&r->arena, buf_span(&text)), &object, NULL, &fault);
    buf_free(&text);
    return object;
}

static void codex_mcp(struct reading *r, struct json_value item)
{
    struct span server = kept_text(r, first_of(item, "server"));
    struct json_value named = first_of(item, "tool name");
    struct buf tool = {0};
    if (server.len) {
        buf_span_add(&tool, server);
        buf_byte(&tool, '.');
    }
    buf_span_add(&tool, is_text(named) ? kept_text(r, named) : SPAN("mcp_tool"));
    add_value(first_of(item, "result error"), &r->result);
    write_step(r, buf_span(&tool), object_or_none(first_of(item, "arguments")), &(struct facts){0});
    buf_free(&tool);
}

static void codex_item(struct reading *r, struct json_value item)
{
    struct facts facts = {0};
    buf_clear(&r->result);
    if (type_is(item, "command_execution")) {
        struct json_value code = first_of(item, "exit_code");
        facts.has_exit_code = code.text.ptr != NULL;
        facts.exit_code = code.text;
        add_value(first_of(item, "aggregated_output"), &r->result);
        write_step(r, SPAN("shell"), one_argument(r, "command", first_of(item, "command"), "\"\""),
                   &facts);
    } else if (type_is(item, "file_change")) {
        add_value(first_of(item, "status"), &r->result);
        if (!r->result.len)
            buf_text(&r->result, "completed");
        write_step(r, SPAN("apply_patch"),
                   one_argument(r, "changes", first_of(item, "changes"), "[]"), &facts);
    } else if (type_is(item, "mcp_tool_call")) {
        codex_mcp(r, item);
    } else if (type_is(item, "web_search")) {
        write_step(r, SPAN("web_search"), one_argument(r, "query", first_of(item, "query"), "\"\""),
                   &facts);
    } else if (type_is(item, "agent_message")) {
        buf_clear(r->final_text);
        add_value(first_of(item, "text"), r->final_text);
    }
}

static void codex_event(struct reading *r, struct json_value event)
{
    if (type_is(event, "item.completed")) {
        codex_item(r, first_of(event, "item"));
    } else if (type_is(event, "error") && !r->failure->len) {
        add_value(first_of(event, "message error"), r->failure);
        if (!r->failure->len)
            buf_text(r->failure, "an error without a message");
    }
}

/* ---- pi -------------------------------------------------------------------------------------- */

/* toolCallId, id, else how many calls are open. */
static struct span pi_id(struct reading *r, struct json_value event)
{
    struct json_value id = first_of(event, "toolCallId id");
    struct buf text = {0};
    if (id.text.ptr)
        add_value(id, &text);
    else
        buf_format(&text, "%zu", r->n_open);
    struct span kept = arena_span(&r->arena, buf_span(&text));
    buf_free(&text);
    return kept;
}

static void pi_start(struct reading *r, struct json_value event)
{
    struct span id = pi_id(r, event), tool = kept_text(r, first_of(event, "toolName name"));
    size_t n = call_with(r, id);
    if (n != SIZE_MAX && r->calls[n].open) {
        if (tool.len)
            r->calls[n].tool = tool;
        return;
    }
    open_call(r, id, tool, object_or_none(first_of(event, "args arguments input")));
}

/* The text of a result and whether it is an error; `beside`: the event's own word on that. */
static bool pi_result(struct reading *r, struct json_value result, bool beside, bool entry)
{
    struct json_value inner, flag;
    buf_clear(&r->result);
    if (!result.text.ptr || result.type != JSON_VALUE_OBJECT) {
        add_content(result, &r->result);
        return beside;
    }
    inner = first_of(result, "content output text");
    flag = first_of(result, "isError");
    if (inner.text.ptr)
        add_content(inner, &r->result);
    else if (!entry)
        add_value(result, &r->result);
    return flag.text.ptr && json_truthy(flag);
}

static void pi_end(struct reading *r, struct json_value event)
{
    struct json_value beside = first_of(event, "isError");
    struct facts facts = {.no_arguments = true};
    struct span id = pi_id(r, event);
    facts.is_error = pi_result(r, first_of(event, "result output content"),
                               beside.text.ptr && json_truthy(beside), false);
    close_call(r, id, kept_text(r, first_of(event, "toolName name")), facts);
}

static void pi_message(struct reading *r, struct json_value message)
{
    static const char *const CALLS[] = {"toolCall", "tool_call", "toolUse", "tool_use"};
    struct json_value role = first_of(message, "role"), block,
                      content = first_of(message, "content");
    if (role.text.ptr && !(is_text(role) && span_is(json_text(role, &r->scratch), "assistant")))
        return;
    buf_clear(&r->result);
    add_content(content, &r->result);
    if (r->result.len) {
        buf_clear(r->final_text);
        buf_span_add(r->final_text, buf_span(&r->result));
    }
    struct json_cursor c = json_enter(content);
    while (content.text.ptr && content.type == JSON_VALUE_ARRAY && json_next_item(&c, &block))
        for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++)
            if (type_is(block, CALLS[i]) && call_with(r, pi_id(r, block)) == SIZE_MAX)
                pi_start(r, block);
}

static void pi_turn(struct reading *r, struct json_value results)
{
    struct json_value entry;
    struct json_cursor c = json_enter(results);
    while (results.text.ptr && results.type == JSON_VALUE_ARRAY && json_next_item(&c, &entry)) {
        struct span id = pi_id(r, entry);
        size_t n = call_with(r, id);
        if (n != SIZE_MAX && !r->calls[n].open)
            continue; /* closed already */
        struct facts facts = {.no_arguments = true};
        facts.is_error = pi_result(r, entry, false, true);
        close_call(r, id, kept_text(r, first_of(entry, "toolName name")), facts);
    }
}

static void pi_event(struct reading *r, struct json_value event)
{
    if (type_is(event, "tool_execution_start"))
        pi_start(r, event);
    else if (type_is(event, "tool_execution_end"))
        pi_end(r, event);
    else if (type_is(event, "message_end"))
        pi_message(r, first_of(event, "message"));
    else if (type_is(event, "turn_end"))
        pi_turn(r, first_of(event, "toolResults"));
}

/* ---- all of them ----------------------------------------------------------------------------- */

int transcript_format_of(const char *name)
{
    static const char *const NAMES[] = {"claude", "codex", "pi"};
    for (int i = 0; i < 3; i++)
        if (strcmp(name, NAMES[i]) == 0)
            return i;
    return -1;
}

void transcript_read(enum transcript_format format, struct span text, struct buf *steps,
                     struct buf *final_text, struct buf *failure)
{
    static void (*const EVENT[])(struct reading *, struct json_value) = {claude_event, codex_event,
                                                                         pi_event};
    struct reading r = {.steps = steps, .final_text = final_text, .failure = failure};
    struct json_value event;
    struct json_fault fault;
    buf_clear(failure);
    buf_byte(steps, '[');
    while (text.len) {
        const char *newline = memchr(text.ptr, '\n', text.len);
        size_t n = newline ? (size_t)(newline - text.ptr) : text.len;
        struct span line = span_slice(text, 0, n);
        if (json_scan(line, &event, NULL, &fault) == 0 && event.type == JSON_VALUE_OBJECT &&
            !agent_json_deep(line))
            EVENT[format](&r, event);
        text = span_slice(text, n + (newline != NULL), text.len);
    }
    close_rest(&r);
    buf_byte(steps, ']');
    if (r.n_steps || final_text->len)
        buf_clear(failure);
    map_free(&r.ids);
    free(r.call_of);
    free(r.calls);
    arena_free(&r.arena);
    buf_free(&r.scratch);
    buf_free(&r.result);
}
