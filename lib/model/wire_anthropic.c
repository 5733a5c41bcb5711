/* wire_anthropic.c: bodies of Anthropic's Messages and of Bedrock's Converse, which share the
 * turns: blocks of text, tool uses and tool results, the system text apart (world 10.3, 10.4). */
#include "model/wire.h"

#include <math.h>

#include "base/map.h"
#include "model/defaults.h"
#include "row/calls.h"
#include "row/parse.h"
#include "row/tools.h"
#include "text/fold.h"
#include "json/pyjson.h"

/* A conversation as it is written, message by message. */
struct turns {
    struct json_writer *w;
    bool converse;    /* Bedrock's spelling */
    const char *open; /* role of the message being written; NULL: none */
    bool results;     /* it holds tool results */
    bool any;         /* a message has been written */
};

static void turn_close(struct turns *t)
{
    if (!t->open)
        return;
    json_write_end_array(t->w);
    json_write_end_object(t->w);
    t->open = NULL;
    t->results = false;
}

static void turn_begin(struct turns *t, const char *role)
{
    turn_close(t);
    json_write_object(t->w);
    json_write_key(t->w, "role");
    json_write_text(t->w, role);
    json_write_key(t->w, "content");
    json_write_array(t->w);
    t->open = role;
}

static void write_text_block(struct turns *t, struct span text)
{
    json_write_object(t->w);
    if (!t->converse) {
        json_write_key(t->w, "type");
        json_write_text(t->w, "text");
    }
    json_write_key(t->w, "text");
    json_write_span(t->w, text);
    json_write_end_object(t->w);
}

/* Opens a message of the role when none is open yet for this one. */
static void turn_open(struct turns *t, const char *role, bool *fresh)
{
    if (!*fresh)
        return;
    *fresh = false;
    if (!t->any && strcmp(role, "assistant") == 0) { /* the first word must be the user's */
        turn_begin(t, "user");
        write_text_block(t, SPAN("(hi)"));
    }
    /* Converse wants the roles to take turns; Anthropic joins them itself. */
    if (!t->converse || !t->open || strcmp(t->open, role) != 0)
        turn_begin(t, role);
    t->results = false;
    t->any = true;
}

static void text_block(struct turns *t, const char *role, bool *fresh, struct json_value text)
{
    struct buf scratch = {0};
    struct span words = json_text(text, &scratch);
    if (!text_blank(words)) {
        turn_open(t, role, fresh);
        write_text_block(t, words);
    }
    buf_free(&scratch);
}

static void content_blocks(struct turns *t, const char *role, bool *fresh,
                           struct json_value content)
{
    struct json_cursor c = json_enter(content);
    struct json_value part, text;
    if (content.type == JSON_VALUE_STRING) {
        text_block(t, role, fresh, content);
        return;
    }
    if (content.type != JSON_VALUE_ARRAY)
        return;
    while (json_next_item(&c, &part)) {
        if (part.type == JSON_VALUE_STRING)
            text_block(t, role, fresh, part);
        else if (json_get(part, SPAN("text"), &text) && text.type == JSON_VALUE_STRING)
            text_block(t, role, fresh, text);
    }
}

static void call_blocks(struct turns *t, bool *fresh, struct json_value message)
{
    struct row_calls calls = {0};
    row_calls_add_message(&calls, message);
    for (size_t i = 0; i < calls.count; i++) {
        const struct row_call *call = &calls.items[i];
        struct span input = call->arguments.text.ptr ? call->arguments.text : SPAN("{}");
        turn_open(t, "assistant", fresh);
        json_write_object(t->w);
        if (t->converse) {
            json_write_key(t->w, "toolUse");
            json_write_object(t->w);
        } else {
            json_write_key(t->w, "type");
            json_write_text(t->w, "tool_use");
        }
        json_write_key(t->w, t->converse ? "toolUseId" : "id");
        json_write_span(t->w, call->id);
        json_write_key(t->w, "name");
        json_write_span(t->w, call->name);
        json_write_key(t->w, "input");
        json_write_raw(t->w, input);
        json_write_end_object(t->w);
        if (t->converse)
            json_write_end_object(t->w);
    }
    row_calls_free(&calls);
}

static void result_block(struct turns *t, struct json_value message, struct json_value content)
{
    struct json_value id = {0};
    struct buf text = {0}, scratch = {0};
    wire_text(content, &text);
    json_get(message, SPAN("tool_call_id"), &id);
    if (!t->open || !t->results)
        turn_begin(t, "user");
    t->results = t->any = true;
    json_write_object(t->w);
    if (t->converse) {
        json_write_key(t->w, "toolResult");
        json_write_object(t->w);
    } else {
        json_write_key(t->w, "type");
        json_write_text(t->w, "tool_result");
    }
    json_write_key(t->w, t->converse ? "toolUseId" : "tool_use_id");
    json_write_span(t->w, json_text(id, &scratch));
    json_write_key(t->w, "content");
    if (t->converse) {
        json_write_array(t->w);
        write_text_block(t, text_blank(buf_span(&text)) ? SPAN("(empty)") : buf_span(&text));
        json_write_end_array(t->w);
        json_write_end_object(t->w);
    } else {
        json_write_span(t->w, buf_span(&text));
    }
    json_write_end_object(t->w);
    buf_free(&text);
    buf_free(&scratch);
}

static bool role_is(struct json_value message, const char *name)
{
    struct json_value role = {0};
    struct buf scratch = {0};
    bool is = json_get(message, SPAN("role"), &role) && role.type == JSON_VALUE_STRING &&
              span_is(json_text(role, &scratch), name);
    buf_free(&scratch);
    return is;
}

static bool is_system(struct json_value message)
{
    return role_is(message, "system") || role_is(message, "developer");
}

static void write_turns(const struct chat_request *request, const struct wire_shape *shape,
                        bool converse, struct json_writer *w)
{
    struct turns t = {.w = w, .converse = converse};
    struct json_cursor c = json_enter(request->messages);
    struct json_value message;
    struct buf scratch = {0};
    json_write_key(w, "messages");
    json_write_array(w);
    for (size_t at = 0; json_next_item(&c, &message); at++) {
        struct json_value content = wire_content(shape, at, message, &scratch);
        bool fresh = true;
        if (is_system(message)) {
            turn_close(&t);
        } else if (role_is(message, "tool")) {
            result_block(&t, message, content);
        } else if (role_is(message, "assistant")) {
            content_blocks(&t, "assistant", &fresh, content);
            call_blocks(&t, &fresh, message);
        } else {
            content_blocks(&t, "user", &fresh, content);
        }
    }
    turn_close(&t);
    json_write_end_array(w);
    buf_free(&scratch);
}

/* The system messages' texts, a blank line between two. */
static void system_text(const struct chat_request *request, struct buf *out)
{
    struct json_cursor c = json_enter(request->messages);
    struct json_value message, content;
    struct buf one = {0};
    while (json_next_item(&c, &message)) {
        if (!is_system(message) || !json_get(message, SPAN("content"), &content))
            continue;
        buf_clear(&one);
        wire_text(content, &one);
        if (text_blank(buf_span(&one)))
            continue;
        if (out->len)
            buf_text(out, "\n\n");
        buf_span_add(out, buf_span(&one));
    }
    buf_free(&one);
}

static double clamped(double temperature)
{
    return temperature < 0 ? 0 : temperature > 1 ? 1 : temperature;
}

/* The request's and the model's extras that a provider takes, by name; the request's win. */
static bool extra_of(const struct chat_request *request, const struct wire_shape *shape,
                     const char *key, struct json_value *value)
{
    struct json_value of_model;
    struct json_fault fault;
    if (request->extra.text.ptr && json_get(request->extra, span_text(key), value))
        return true;
    return shape->extra.len && json_scan(shape->extra, &of_model, NULL, &fault) == 0 &&
           json_get(of_model, span_text(key), value);
}

/* ---- Anthropic ------------------------------------------------------------------------------- */

static void anthropic_tools(struct json_value tools, struct json_writer *w)
{
    struct row_tools list = {0};
    if (tools.text.ptr)
        row_tools_of(&list, tools);
    if (list.count) {
        json_write_key(w, "tools");
        json_write_array(w);
    }
    for (size_t i = 0; i < list.count; i++) {
        json_write_object(w);
        json_write_key(w, "name");
        json_write_span(w, list.items[i].name);
        json_write_key(w, "input_schema");
        wire_schema(list.items[i].parameters, w);
        if (list.items[i].description.len) {
            json_write_key(w, "description");
            json_write_span(w, list.items[i].description);
        }
        json_write_end_object(w);
    }
    if (list.count)
        json_write_end_array(w);
    row_tools_free(&list);
}

void wire_anthropic_body(const struct model_spec *spec, const struct chat_request *request,
                         const struct wire_shape *shape, struct buf *out)
{
    static const char *const TAKEN[] = {"top_p",    "top_k",       "stop_sequences",
                                        "thinking", "tool_choice", "metadata"};
    struct json_writer w;
    struct json_value value;
    struct buf system = {0};
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "model");
    json_write_span(&w, buf_span(&spec->model));
    json_write_key(&w, "max_tokens");
    json_write_int(&w, shape->max_tokens);
    write_turns(request, shape, false, &w);
    if (!isnan(request->temperature) && !shape->no_temperature) {
        json_write_key(&w, "temperature");
        json_write_real(&w, clamped(request->temperature));
    }
    system_text(request, &system);
    if (system.len) {
        json_write_key(&w, "system");
        json_write_span(&w, buf_span(&system));
    }
    anthropic_tools(request->tools, &w);
    for (size_t i = 0; i < sizeof TAKEN / sizeof *TAKEN; i++) {
        if (extra_of(request, shape, TAKEN[i], &value)) {
            json_write_key(&w, TAKEN[i]);
            json_write_raw(&w, value.text);
        }
    }
    if (request->stream) {
        json_write_key(&w, "stream");
        json_write_bool(&w, true);
    }
    json_write_end_object(&w);
    buf_free(&system);
}

/* ---- Bedrock Converse ------------------------------------------------------------------------ */

static void converse_tools(struct json_value tools, struct json_writer *w)
{
    struct row_tools list = {0};
    if (tools.text.ptr)
        row_tools_of(&list, tools);
    if (list.count) {
        json_write_key(w, "toolConfig");
        json_write_object(w);
        json_write_key(w, "tools");
        json_write_array(w);
    }
    for (size_t i = 0; i < list.count; i++) {
        json_write_object(w);
        json_write_key(w, "toolSpec");
        json_write_object(w);
        json_write_key(w, "name");
        json_write_span(w, list.items[i].name);
        json_write_key(w, "inputSchema");
        json_write_object(w);
        json_write_key(w, "json");
        wire_schema(list.items[i].parameters, w);
        json_write_end_object(w);
        if (list.items[i].description.len) {
            json_write_key(w, "description");
            json_write_span(w, list.items[i].description);
        }
        json_write_end_object(w);
        json_write_end_object(w);
    }
    if (list.count) {
        json_write_end_array(w);
        json_write_end_object(w);
    }
    row_tools_free(&list);
}

static void converse_limits(const struct chat_request *request, const struct wire_shape *shape,
                            struct json_writer *w)
{
    struct json_value value;
    json_write_key(w, "inferenceConfig");
    json_write_object(w);
    json_write_key(w, "maxTokens");
    json_write_int(w, shape->max_tokens);
    if (!isnan(request->temperature) && !shape->no_temperature) {
        json_write_key(w, "temperature");
        json_write_real(w, clamped(request->temperature));
    }
    if (extra_of(request, shape, "top_p", &value)) {
        json_write_key(w, "topP");
        json_write_raw(w, value.text);
    }
    if (extra_of(request, shape, "stop_sequences", &value) ||
        extra_of(request, shape, "stop", &value)) {
        json_write_key(w, "stopSequences");
        if (value.type == JSON_VALUE_STRING)
            json_write_array(w);
        json_write_raw(w, value.text);
        if (value.type == JSON_VALUE_STRING)
            json_write_end_array(w);
    }
    json_write_end_object(w);
}

static void converse_more(const struct chat_request *request, const struct wire_shape *shape,
                          struct json_writer *w)
{
    static const char *const TAKEN[] = {"top_k", "thinking"};
    struct json_value value;
    bool any = false;
    for (size_t i = 0; i < sizeof TAKEN / sizeof *TAKEN; i++) {
        if (!extra_of(request, shape, TAKEN[i], &value))
            continue;
        if (!any) {
            json_write_key(w, "additionalModelRequestFields");
            json_write_object(w);
        }
        any = true;
        json_write_key(w, TAKEN[i]);
        json_write_raw(w, value.text);
    }
    if (any)
        json_write_end_object(w);
}

void wire_converse_body(const struct chat_request *request, const struct wire_shape *shape,
                        struct buf *out)
{
    struct json_writer w;
    struct buf system = {0};
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    write_turns(request, shape, true, &w);
    converse_limits(request, shape, &w);
    system_text(request, &system);
    if (system.len) {
        json_write_key(&w, "system");
        json_write_array(&w);
        json_write_object(&w);
        json_write_key(&w, "text");
        json_write_span(&w, buf_span(&system));
        json_write_end_object(&w);
        json_write_end_array(&w);
    }
    converse_tools(request->tools, &w);
    converse_more(request, shape, &w);
    json_write_end_object(&w);
    buf_free(&system);
}
