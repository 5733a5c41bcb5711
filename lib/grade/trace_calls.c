/* trace_calls.c: see trace_calls.h. */
#include "grade/trace_calls.h"

#include <stdlib.h>

#include "grade/tool_name.h"
#include "row/calls.h"
#include "row/value.h"
#include "text/fold.h"

static struct span keep(struct trace_calls *calls, struct json_value value)
{
    struct buf scratch = {0};
    struct span text = value_text(value, &scratch);
    if (text.ptr == scratch.data)
        text = arena_span(&calls->arena, text);
    buf_free(&scratch);
    return text;
}

static bool get_set(struct json_value object, const char *key, struct json_value *value)
{
    return json_get(object, span_text(key), value) && !json_value_null(*value);
}

/* A result that is the JSON text of an object counts as the object. */
static struct json_value result_of(struct trace_calls *calls, struct json_value value)
{
    struct json_value object;
    return row_parse_object(&calls->arena, value, &object) ? object : value;
}

static struct trace_call *add(struct trace_calls *calls, struct span tool)
{
    calls->items = mem_grow(calls->items, &calls->cap, calls->count + 1, sizeof *calls->items);
    struct trace_call *call = &calls->items[calls->count++];
    *call = (struct trace_call){.tool = tool};
    return call;
}

static void read_steps(struct trace_calls *calls, struct json_value steps)
{
    struct json_cursor c = json_enter(steps);
    struct json_value step, value;
    while (json_next_item(&c, &step)) {
        if (!json_get(step, SPAN("tool"), &value) || !json_truthy(value))
            continue;
        struct trace_call *call = add(calls, keep(calls, value));
        if (get_set(step, "arguments", &value) || get_set(step, "input", &value))
            row_parse_object(&calls->arena, value, &call->arguments);
        if (get_set(step, "result", &value) || get_set(step, "output", &value))
            call->result = result_of(calls, value);
        call->marked_failed =
            (json_get(step, SPAN("failed"), &value) && value.type == JSON_VALUE_TRUE) ||
            (json_get(step, SPAN("error"), &value) && json_truthy(value));
    }
}

static bool text_is(struct json_value object, const char *key, const char *text)
{
    struct json_value value;
    struct buf scratch = {0};
    bool is = json_get(object, span_text(key), &value) && value.type == JSON_VALUE_STRING &&
              span_is(json_text(value, &scratch), text);
    buf_free(&scratch);
    return is;
}

/* The result a tool message brings belongs to the call with its id. */
static void read_result(struct trace_calls *calls, const struct span *ids,
                        struct json_value message)
{
    struct json_value id, content;
    if (!get_set(message, "tool_call_id", &id) || !get_set(message, "content", &content))
        return;
    struct span name = keep(calls, id);
    for (size_t i = 0; i < calls->count; i++)
        if (ids[i].len && span_equal(ids[i], name))
            calls->items[i].result = result_of(calls, content);
}

static void read_messages(struct trace_calls *calls, struct json_value messages)
{
    struct row_calls named = {0};
    struct span *ids = NULL;
    size_t cap = 0;
    struct json_cursor c = json_enter(messages);
    struct json_value message;
    while (json_next_item(&c, &message)) {
        if (text_is(message, "role", "tool"))
            read_result(calls, ids, message);
        if (!text_is(message, "role", "assistant"))
            continue;
        row_calls_clear(&named);
        row_calls_add_message(&named, message);
        for (size_t i = 0; i < named.count; i++) {
            ids = mem_grow(ids, &cap, calls->count + 1, sizeof *ids);
            ids[calls->count] = arena_span(&calls->arena, named.items[i].id);
            struct trace_call *call = add(calls, arena_span(&calls->arena, named.items[i].name));
            struct json_value arguments = named.items[i].arguments;
            if (arguments.text.ptr) /* may live in `named` */
                row_parse_span(&calls->arena, arguments.text, &call->arguments);
        }
    }
    free(ids);
    row_calls_free(&named);
}

/* <tool_call>{"name": …, "arguments": {…}}</tool_call> blocks; what does not parse is passed over.
 */
static void read_blocks(struct trace_calls *calls, struct span text)
{
    struct span open = SPAN("<tool_call>"), close = SPAN("</tool_call>");
    for (size_t at = 0;;) {
        size_t start = span_find(text, open, at);
        if (start == (size_t)-1)
            return;
        start += open.len;
        size_t end = span_find(text, close, start);
        if (end == (size_t)-1)
            return;
        at = end + close.len;
        struct json_value object, value;
        if (!row_parse_span(&calls->arena, text_strip(span_slice(text, start, end)), &object) ||
            !get_set(object, "name", &value))
            continue;
        struct trace_call *call = add(calls, keep(calls, value));
        if (get_set(object, "arguments", &value))
            row_parse_object(&calls->arena, value, &call->arguments);
    }
}

/* ---- what kind of call --------------------------------------------------------------------------
 */

static const struct kind_words {
    enum call_kind kind;
    const char *const *anywhere, *const *first; /* first: only as the name's first word */
} KIND_WORDS[] = {
    {CALL_DELETE, (const char *const[]){"delete", "remove", "rm", "unlink", "drop", NULL},
     (const char *const[]){NULL}},
    {CALL_COMMAND,
     (const char *const[]){"run", "exec", "shell", "bash", "command", "terminal", "subprocess",
                           "sh", "zsh", NULL},
     (const char *const[]){NULL}},
    {CALL_WRITE,
     (const char *const[]){"write", "edit", "create", "save", "put", "patch", "replace", "append",
                           "insert", NULL},
     (const char *const[]){"update", "set", "add", "cancel", "refund", "pay", "send", "transfer",
                           "book", "post", "merge", "close", "approve", "submit", NULL}},
    {CALL_READ, (const char *const[]){"read", "cat", "open", "view", "show", "load", "list", NULL},
     (const char *const[]){"get", NULL}},
};

static enum call_kind name_kind(struct span name)
{
    struct name_words words;
    name_words_split(name, &words);
    for (size_t k = 0; k < sizeof KIND_WORDS / sizeof *KIND_WORDS; k++)
        for (size_t i = 0; i < words.count; i++)
            if (name_word_in(words.items[i], KIND_WORDS[k].anywhere) ||
                (i == 0 && name_word_in(words.items[i], KIND_WORDS[k].first)))
                return KIND_WORDS[k].kind;
    return CALL_NONE;
}

/* The first of the keys whose value is a text that is not blank. */
static struct span argument(struct trace_calls *calls, const struct trace_call *call,
                            const char *const *keys)
{
    struct json_value value;
    for (; *keys; keys++) {
        if (!json_get(call->arguments, span_text(*keys), &value) || value.type != JSON_VALUE_STRING)
            continue;
        struct span text = keep(calls, value);
        if (!text_blank(text))
            return text;
    }
    return (struct span){0};
}

static void classify(struct trace_calls *calls, struct trace_call *call)
{
    static const char *const COMMAND[] = {"command", "cmd", "script", "shell", NULL};
    static const char *const PATH[] = {"path",     "file_path", "filepath",    "file",
                                       "filename", "target",    "target_file", NULL};
    static const char *const CONTENT[] = {"content", "contents", "new_string", "new_str", "text",
                                          "data",    "body",     "code",       NULL};
    enum call_kind name = name_kind(call->tool);
    if (call->arguments.text.ptr) {
        call->command = argument(calls, call, COMMAND);
        call->path = argument(calls, call, PATH);
        call->content = argument(calls, call, CONTENT);
    }
    if (call->command.ptr && (name == CALL_NONE || name == CALL_COMMAND))
        call->kind = CALL_COMMAND;
    else if (name == CALL_DELETE && call->path.ptr)
        call->kind = CALL_DELETE;
    else if (call->path.ptr && call->content.ptr)
        call->kind = CALL_WRITE;
    else if (name == CALL_WRITE || name == CALL_DELETE || name == CALL_COMMAND)
        call->kind = name;
    else
        call->kind = call->path.ptr ? CALL_READ : name;
}

void trace_calls_read(struct trace_calls *calls, const struct row *row)
{
    calls->count = 0;
    arena_clear(&calls->arena);
    const struct json_value *steps = row_get(row, SPAN("steps"));
    if (!steps || !json_truthy(*steps))
        steps = row_get(row, SPAN("tool_trace"));
    if (steps && steps->type == JSON_VALUE_ARRAY)
        read_steps(calls, *steps);
    const struct json_value *messages = row_get(row, SPAN("messages"));
    if (!calls->count && messages && messages->type == JSON_VALUE_ARRAY)
        read_messages(calls, *messages);
    const struct json_value *final = row_get(row, SPAN("final_text"));
    if (!calls->count && final && final->type == JSON_VALUE_STRING)
        read_blocks(calls, keep(calls, *final));
    for (size_t i = 0; i < calls->count; i++)
        classify(calls, &calls->items[i]);
}

/* ---- did it fail --------------------------------------------------------------------------------
 */

static bool result_object_failed(struct json_value result)
{
    static const char *const BAD[] = {
        "error",  "failed",    "failure",  "timeout",      "permission_denied",
        "denied", "not_found", "rejected", "unknown_tool", NULL};
    static const char *const CODES[] = {"exit_code", "returncode", "code", NULL};
    struct json_value value;
    bool failed = false;
    if (json_get(result, SPAN("status"), &value) && value.type == JSON_VALUE_STRING) {
        struct buf scratch = {0}, lower = {0};
        text_lower(json_text(value, &scratch), &lower);
        failed = name_word_in(buf_cstr(&lower), BAD);
        buf_free(&scratch);
        buf_free(&lower);
    }
    if (failed || (json_get(result, SPAN("error"), &value) && json_truthy(value)))
        return true;
    for (const char *const *code = CODES; *code; code++)
        if (json_get(result, span_text(*code), &value))
            return value.type == JSON_VALUE_NUMBER && (value.flags & JSON_FLAG_INTEGER) &&
                   json_truthy(value);
    return false;
}

static bool result_text_failed(struct span text)
{
    static const char *const STARTS[] = {"error",  "traceback", "failed",
                                         "denied", "timeout",   "exception"};
    text = text_strip(text);
    for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++) {
        size_t len = strlen(STARTS[i]);
        if (text.len < len || strncasecmp(text.ptr, STARTS[i], len))
            continue;
        unsigned char next = text.len > len ? (unsigned char)text.ptr[len] : ' ';
        return !((next | 32) >= 'a' && (next | 32) <= 'z') && !(next >= '0' && next <= '9') &&
               next != '_';
    }
    return false;
}

bool trace_call_failed(const struct trace_call *call)
{
    if (call->marked_failed)
        return true;
    if (!call->result.text.ptr)
        return false;
    if (call->result.type == JSON_VALUE_OBJECT)
        return result_object_failed(call->result);
    if (call->result.type != JSON_VALUE_STRING)
        return false;
    struct buf scratch = {0};
    bool failed = result_text_failed(json_text(call->result, &scratch));
    buf_free(&scratch);
    return failed;
}

void trace_calls_free(struct trace_calls *calls)
{
    free(calls->items);
    arena_free(&calls->arena);
    *calls = (struct trace_calls){0};
}
