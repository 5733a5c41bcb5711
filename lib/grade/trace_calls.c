/* trace_calls.c: see trace_calls.h. */
#include "grade/trace_calls.h"

#include <stdlib.h>

#include "base/options.h"
#include "grade/tool_name.h"
#include "row/calls.h"
#include "row/value.h"
#include "text/fold.h"
#include "json/tree.h"

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

static bool set(struct json_value value)
{
    return value.text.ptr && !json_value_null(value);
}

static bool truthy(struct json_value value)
{
    return value.text.ptr && json_truthy(value);
}

static void read_steps(struct trace_calls *calls, struct json_value steps)
{
    enum { TOOL, ARGUMENTS, INPUT, RESULT, OUTPUT, FAILED, ERROR, KEYS };
    static const struct span NAMES[KEYS] = {{"tool", 4},   {"arguments", 9}, {"input", 5},
                                            {"result", 6}, {"output", 6},    {"failed", 6},
                                            {"error", 5}};
    struct json_cursor c = json_enter(steps);
    struct json_value step, v[KEYS];
    while (json_next_item(&c, &step)) {
        json_get_many(step, NAMES, KEYS, v);
        if (!truthy(v[TOOL]))
            continue;
        struct trace_call *call = add(calls, keep(calls, v[TOOL]));
        struct json_value arguments = set(v[ARGUMENTS]) ? v[ARGUMENTS] : v[INPUT];
        if (set(arguments))
            row_parse_object(&calls->arena, arguments, &call->arguments);
        struct json_value result = set(v[RESULT]) ? v[RESULT] : v[OUTPUT];
        if (set(result))
            call->result = result_of(calls, result);
        call->marked_failed =
            (v[FAILED].text.ptr && v[FAILED].type == JSON_VALUE_TRUE) || truthy(v[ERROR]);
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

/* The arguments that tell what a call does. */
static const struct span ARGUMENT_KEYS[] = {
    {"command", 7},  {"cmd", 3},       {"script", 6},       {"shell", 5}, /* a command */
    {"path", 4},     {"file_path", 9}, {"filepath", 8},     {"file", 4},
    {"filename", 8}, {"target", 6},    {"target_file", 11}, /* a path */
    {"content", 7},  {"contents", 8},  {"new_string", 10},  {"new_str", 7},
    {"text", 4},     {"data", 4},      {"body", 4},         {"code", 4}, /* content */
};
enum {
    COMMAND_KEYS = 0,
    PATH_KEYS = 4,
    CONTENT_KEYS = 11,
    KEYS_END = sizeof ARGUMENT_KEYS / sizeof *ARGUMENT_KEYS
};

/* The first of the values from..to that is a text and not blank. */
static struct span argument(struct trace_calls *calls, const struct json_value *values, size_t from,
                            size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (!values[i].text.ptr || values[i].type != JSON_VALUE_STRING)
            continue;
        struct span text = keep(calls, values[i]);
        if (!text_blank(text))
            return text;
    }
    return (struct span){0};
}

static void classify(struct trace_calls *calls, struct trace_call *call)
{
    enum call_kind name = name_kind(call->tool);
    size_t told = calls->kinds ? map_find(&calls->kinds->names, call->tool) : MAP_NONE;
    if (call->arguments.text.ptr) {
        struct json_value values[KEYS_END];
        json_get_many(call->arguments, ARGUMENT_KEYS, KEYS_END, values);
        call->command = argument(calls, values, COMMAND_KEYS, PATH_KEYS);
        call->path = argument(calls, values, PATH_KEYS, CONTENT_KEYS);
        call->content = argument(calls, values, CONTENT_KEYS, KEYS_END);
    }
    if (told != MAP_NONE)
        call->kind = calls->kinds->kinds[told];
    else if (call->command.ptr && (name == CALL_NONE || name == CALL_COMMAND))
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

/* ---- kinds by name ------------------------------------------------------------------------------
 */

static int add_kind(struct trace_kinds *k, struct span tool, struct span kind, const char *where,
                    int code, struct error *error)
{
    static const char *const NAMES[] = {[CALL_NONE] = "none",
                                        [CALL_DELETE] = "delete",
                                        [CALL_COMMAND] = "command",
                                        [CALL_WRITE] = "write",
                                        [CALL_READ] = "read"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES && tool.len; i++) {
        if (!span_is(kind, NAMES[i]))
            continue;
        size_t at = map_add(&k->names, tool, NULL);
        k->kinds = mem_grow(k->kinds, &k->cap, at + 1, sizeof *k->kinds);
        k->kinds[at] = (enum call_kind)i;
        return 0;
    }
    return error_set(error, code,
                     "%s: %.*s is \"%.*s\"; a tool's kind is write, read, delete, command or none",
                     where, (int)tool.len, tool.ptr, (int)kind.len, kind.ptr);
}

static int kinds_file(struct trace_kinds *k, const char *path, struct error *error)
{
    json_t *tree = json_tree_file(path, error), *value;
    const char *tool;
    int rc = tree ? 0 : error->code;
    if (tree && !json_is_object(tree))
        rc = error_set(error, ERROR_INPUT, "%s: no object; write {\"TOOL\": \"write\"}", path);
    json_object_foreach(tree, tool, value)
    {
        struct span kind = json_is_string(value)
                               ? span_make(json_string_value(value), json_string_length(value))
                               : SPAN("");
        if (!rc)
            rc = add_kind(k, span_text(tool), kind, path, ERROR_INPUT, error);
    }
    json_decref(tree);
    return rc;
}

int trace_kinds_read(struct trace_kinds *k, const char *text_or_file, struct error *error)
{
    const char *at = text_or_file;
    struct span piece;
    int rc = 0;
    if (!strchr(text_or_file, '='))
        return kinds_file(k, text_or_file, error);
    while (!rc && option_next_piece(&at, &piece)) {
        size_t equals = span_find(piece, SPAN("="), 0);
        bool pair = equals != (size_t)-1;
        rc = add_kind(k, span_slice(piece, 0, pair ? equals : piece.len),
                      pair ? span_slice(piece, equals + 1, piece.len) : SPAN(""), "--kinds",
                      ERROR_USAGE, error);
    }
    return rc;
}

void trace_kinds_free(struct trace_kinds *k)
{
    map_free(&k->names);
    free(k->kinds);
    *k = (struct trace_kinds){0};
}

/* ---- did it fail --------------------------------------------------------------------------------
 */

static bool result_object_failed(struct json_value result)
{
    static const char *const BAD[] = {
        "error",  "failed",    "failure",  "timeout",      "permission_denied",
        "denied", "not_found", "rejected", "unknown_tool", NULL};
    enum { STATUS, ERROR, CODES, KEYS = CODES + 3 };
    static const struct span NAMES[KEYS] = {
        {"status", 6}, {"error", 5}, {"exit_code", 9}, {"returncode", 10}, {"code", 4}};
    struct json_value v[KEYS];
    bool failed = false;
    json_get_many(result, NAMES, KEYS, v);
    if (v[STATUS].text.ptr && v[STATUS].type == JSON_VALUE_STRING) {
        struct buf scratch = {0}, lower = {0};
        text_lower(json_text(v[STATUS], &scratch), &lower);
        failed = name_word_in(buf_cstr(&lower), BAD);
        buf_free(&scratch);
        buf_free(&lower);
    }
    if (failed || truthy(v[ERROR]))
        return true;
    for (size_t i = CODES; i < KEYS; i++)
        if (v[i].text.ptr)
            return v[i].type == JSON_VALUE_NUMBER && (v[i].flags & JSON_FLAG_INTEGER) &&
                   json_truthy(v[i]);
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
