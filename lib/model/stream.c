/* stream.c: a stream of events put together into the body that would have come without one, so that
 * one reader serves both. OpenAI: chunks with deltas, "[DONE]" at the end. Anthropic: message_start,
 * content blocks with deltas, message_delta, message_stop. */
#include <stdlib.h>

#include "model/defaults.h"
#include "model/wire.h"
#include "net/sse.h"

enum { SLOTS_MAX = 64 }; /* choices, or blocks, of one stream */

struct stream_call {
    struct buf id, name, arguments;
};

/* A choice, or one block of a message. */
struct slot {
    bool used, is_call;
    bool has_text;
    struct buf text, finish, logprobs;
    struct stream_call *calls;
    size_t n_calls, calls_cap;
};

struct stream {
    enum wire_form form;
    struct slot slots[SLOTS_MAX];
    size_t n_slots;
    struct buf usage, stop, error;
    int64_t input_tokens, output_tokens; /* Anthropic says them in two events */
    bool any, ended;
    const char *fault;
};

static struct json_value member(struct json_value object, const char *key)
{
    struct json_value value = {0};
    json_get(object, span_text(key), &value);
    return value;
}

static struct slot *slot_at(struct stream *s, struct json_value index)
{
    int64_t at = 0;
    if (!json_value_null(index) && (!json_int64(index, &at) || at < 0 || at >= SLOTS_MAX)) {
        s->fault = "its stream has an index out of range";
        return NULL;
    }
    if ((size_t)at >= s->n_slots)
        s->n_slots = (size_t)at + 1;
    s->slots[at].used = true;
    return &s->slots[at];
}

static void take_text(struct buf *out, struct json_value string)
{
    if (string.type == JSON_VALUE_STRING)
        json_text_add(string, out);
}

/* Whole where servers send it once, in pieces where they do not. */
static void take_once(struct buf *out, struct json_value string)
{
    if (string.type == JSON_VALUE_STRING && out->len == 0)
        json_text_add(string, out);
}

/* ---- OpenAI ---------------------------------------------------------------------------------- */

static struct stream_call *call_at(struct stream *s, struct slot *slot, struct json_value item)
{
    int64_t at = (int64_t)slot->n_calls;
    struct json_value index = member(item, "index");
    if (!json_value_null(index) && (!json_int64(index, &at) || at < 0 || at >= CHAT_CALLS_MAX)) {
        s->fault = "its stream has an index out of range";
        return NULL;
    }
    if ((size_t)at >= slot->n_calls) {
        slot->calls = mem_grow(slot->calls, &slot->calls_cap, (size_t)at + 1, sizeof *slot->calls);
        memset(slot->calls + slot->n_calls, 0,
               ((size_t)at + 1 - slot->n_calls) * sizeof *slot->calls);
        slot->n_calls = (size_t)at + 1;
    }
    return &slot->calls[at];
}

static void delta_calls(struct stream *s, struct slot *slot, struct json_value list)
{
    struct json_cursor c = json_enter(list);
    struct json_value item;
    while (list.type == JSON_VALUE_ARRAY && json_next_item(&c, &item)) {
        struct json_value function = member(item, "function");
        struct stream_call *call = item.type == JSON_VALUE_OBJECT ? call_at(s, slot, item) : NULL;
        if (!call)
            continue;
        struct json_value arguments = member(function, "arguments");
        take_once(&call->id, member(item, "id"));
        take_once(&call->name, member(function, "name"));
        if (arguments.type == JSON_VALUE_STRING)
            json_text_add(arguments, &call->arguments);
        else if (arguments.type == JSON_VALUE_OBJECT)
            buf_span_add(&call->arguments, arguments.text);
    }
}

static void add_logprobs(struct slot *slot, struct json_value list)
{
    struct json_cursor c = json_enter(list);
    struct json_value item;
    while (list.type == JSON_VALUE_ARRAY && json_next_item(&c, &item)) {
        if (slot->logprobs.len)
            buf_byte(&slot->logprobs, ',');
        buf_span_add(&slot->logprobs, item.text);
    }
}

static void openai_event(struct stream *s, struct json_value event)
{
    struct json_value choices = member(event, "choices"), item;
    struct json_value usage = member(event, "usage"), error = member(event, "error");
    struct json_cursor c = json_enter(choices);
    if (!json_value_null(error) && s->error.len == 0)
        buf_span_add(&s->error, error.text);
    if (usage.type == JSON_VALUE_OBJECT) {
        buf_clear(&s->usage);
        buf_span_add(&s->usage, usage.text);
    }
    while (choices.type == JSON_VALUE_ARRAY && json_next_item(&c, &item)) {
        struct slot *slot = slot_at(s, member(item, "index"));
        struct json_value delta = member(item, "delta"), content;
        if (!slot)
            return;
        content = member(delta, "content");
        slot->has_text |= content.type == JSON_VALUE_STRING;
        take_text(&slot->text, content);
        delta_calls(s, slot, member(delta, "tool_calls"));
        take_once(&slot->finish, member(item, "finish_reason"));
        add_logprobs(slot, member(member(item, "logprobs"), "content"));
        s->ended |= slot->finish.len > 0;
    }
}

static void write_openai(const struct stream *s, struct json_writer *w)
{
    json_write_key(w, "choices");
    json_write_array(w);
    for (size_t i = 0; i < s->n_slots; i++) {
        const struct slot *slot = &s->slots[i];
        if (!slot->used)
            continue;
        json_write_object(w);
        json_write_key(w, "message");
        json_write_object(w);
        json_write_key(w, "content");
        if (slot->text.len || (slot->has_text && !slot->n_calls))
            json_write_span(w, buf_span(&slot->text));
        else
            json_write_null(w);
        if (slot->n_calls) {
            json_write_key(w, "tool_calls");
            json_write_array(w);
        }
        for (size_t j = 0; j < slot->n_calls; j++) {
            json_write_object(w);
            json_write_key(w, "id");
            json_write_span(w, buf_span(&slot->calls[j].id));
            json_write_key(w, "function");
            json_write_object(w);
            json_write_key(w, "name");
            json_write_span(w, buf_span(&slot->calls[j].name));
            json_write_key(w, "arguments");
            json_write_span(w, slot->calls[j].arguments.len ? buf_span(&slot->calls[j].arguments)
                                                            : SPAN("{}"));
            json_write_end_object(w);
            json_write_end_object(w);
        }
        if (slot->n_calls)
            json_write_end_array(w);
        json_write_end_object(w);
        if (slot->finish.len) {
            json_write_key(w, "finish_reason");
            json_write_span(w, buf_span(&slot->finish));
        }
        if (slot->logprobs.len) {
            struct buf list = {0};
            buf_format(&list, "{\"content\":[");
            buf_span_add(&list, buf_span(&slot->logprobs));
            buf_text(&list, "]}");
            json_write_key(w, "logprobs");
            json_write_raw(w, buf_span(&list));
            buf_free(&list);
        }
        json_write_end_object(w);
    }
    json_write_end_array(w);
    if (s->usage.len) {
        json_write_key(w, "usage");
        json_write_raw(w, buf_span(&s->usage));
    }
}

/* ---- Anthropic ------------------------------------------------------------------------------- */

static void count_into(int64_t *tokens, struct json_value count)
{
    int64_t n;
    if (json_int64(count, &n) && n >= 0)
        *tokens = n;
}

static void block_start(struct stream *s, struct json_value event)
{
    struct slot *slot = slot_at(s, member(event, "index"));
    struct json_value block = member(event, "content_block");
    if (!slot)
        return;
    slot->is_call = span_is(member(block, "type").text, "\"tool_use\"");
    slot->has_text = span_is(member(block, "type").text, "\"text\"");
    take_text(&slot->text, member(block, "text"));
    if (slot->is_call && !slot->n_calls) {
        slot->calls = mem_zero(1, sizeof *slot->calls);
        slot->n_calls = slot->calls_cap = 1;
        take_once(&slot->calls[0].id, member(block, "id"));
        take_once(&slot->calls[0].name, member(block, "name"));
    }
}

static void block_delta(struct stream *s, struct json_value event)
{
    struct slot *slot = slot_at(s, member(event, "index"));
    struct json_value delta = member(event, "delta");
    if (!slot)
        return;
    take_text(&slot->text, member(delta, "text"));
    if (slot->is_call)
        take_text(&slot->calls[0].arguments, member(delta, "partial_json"));
}

static void anthropic_event(struct stream *s, struct json_value event)
{
    struct span type = member(event, "type").text;
    struct json_value usage = member(event, "usage");
    if (span_is(type, "\"message_start\"")) {
        struct json_value first = member(member(event, "message"), "usage");
        count_into(&s->input_tokens, member(first, "input_tokens"));
        count_into(&s->output_tokens, member(first, "output_tokens"));
    } else if (span_is(type, "\"content_block_start\"")) {
        block_start(s, event);
    } else if (span_is(type, "\"content_block_delta\"")) {
        block_delta(s, event);
    } else if (span_is(type, "\"message_delta\"")) {
        take_once(&s->stop, member(member(event, "delta"), "stop_reason"));
        count_into(&s->input_tokens, member(usage, "input_tokens"));
        count_into(&s->output_tokens, member(usage, "output_tokens"));
    } else if (span_is(type, "\"message_stop\"")) {
        s->ended = true;
    } else if (span_is(type, "\"error\"") && s->error.len == 0) {
        buf_span_add(&s->error, member(event, "error").text);
    }
}

/* The input of a tool use as JSON; what does not parse goes on as the text it is. */
static void write_input(const struct buf *arguments, struct json_writer *w)
{
    struct json_value value;
    struct json_fault fault;
    if (arguments->len == 0)
        json_write_raw(w, SPAN("{}"));
    else if (json_scan(buf_span(arguments), &value, NULL, &fault) == 0)
        json_write_raw(w, value.text);
    else
        json_write_span(w, buf_span(arguments));
}

static void write_anthropic(const struct stream *s, struct json_writer *w)
{
    json_write_key(w, "content");
    json_write_array(w);
    for (size_t i = 0; i < s->n_slots; i++) {
        const struct slot *slot = &s->slots[i];
        if (!slot->is_call && !slot->has_text)
            continue;
        json_write_object(w);
        json_write_key(w, "type");
        json_write_text(w, slot->is_call ? "tool_use" : "text");
        if (slot->is_call) {
            json_write_key(w, "id");
            json_write_span(w, buf_span(&slot->calls[0].id));
            json_write_key(w, "name");
            json_write_span(w, buf_span(&slot->calls[0].name));
            json_write_key(w, "input");
            write_input(&slot->calls[0].arguments, w);
        } else {
            json_write_key(w, "text");
            json_write_span(w, buf_span(&slot->text));
        }
        json_write_end_object(w);
    }
    json_write_end_array(w);
    if (s->stop.len) {
        json_write_key(w, "stop_reason");
        json_write_span(w, buf_span(&s->stop));
    }
    json_write_key(w, "usage");
    json_write_object(w);
    json_write_key(w, "input_tokens");
    json_write_int(w, s->input_tokens);
    json_write_key(w, "output_tokens");
    json_write_int(w, s->output_tokens);
    json_write_end_object(w);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool take_event(void *context, struct span name, struct span data)
{
    struct stream *s = context;
    struct json_value event;
    struct json_fault fault;
    (void)name;
    if (span_is(data, "[DONE]")) {
        s->ended = true;
        return false;
    }
    if (json_scan(data, &event, NULL, &fault) < 0) {
        s->fault = "its stream holds an event that is not JSON";
        return false;
    }
    s->any = true;
    if (s->form == WIRE_ANTHROPIC)
        anthropic_event(s, event);
    else
        openai_event(s, event);
    return !s->fault;
}

static void stream_free(struct stream *s)
{
    for (size_t i = 0; i < s->n_slots; i++) {
        struct slot *slot = &s->slots[i];
        for (size_t j = 0; j < slot->n_calls; j++) {
            buf_free(&slot->calls[j].id);
            buf_free(&slot->calls[j].name);
            buf_free(&slot->calls[j].arguments);
        }
        free(slot->calls);
        buf_free(&slot->text);
        buf_free(&slot->finish);
        buf_free(&slot->logprobs);
    }
    buf_free(&s->usage);
    buf_free(&s->stop);
    buf_free(&s->error);
    free(s);
}

bool wire_unstream(enum wire_form form, struct span events, struct buf *body, const char **fault)
{
    struct stream *s = mem_zero(1, sizeof *s);
    struct sse sse = {0};
    struct json_writer w;
    s->form = form;
    s->input_tokens = s->output_tokens = -1;
    sse_feed(&sse, events, take_event, s);
    sse_free(&sse);
    if (!s->fault && !s->any)
        s->fault = "its stream holds no event";
    if (!s->fault && !s->ended && s->error.len == 0)
        s->fault = "its stream broke off";
    json_write_start(&w, body, JSON_STYLE_COMPACT);
    json_write_object(&w);
    if (s->error.len) {
        json_write_key(&w, "error");
        json_write_raw(&w, buf_span(&s->error));
    } else if (!s->fault) {
        (form == WIRE_ANTHROPIC ? write_anthropic : write_openai)(s, &w);
    }
    json_write_end_object(&w);
    *fault = s->fault;
    bool whole = !s->fault;
    stream_free(s);
    return whole;
}

void wire_event_text(enum wire_form form, struct span data, struct buf *out)
{
    struct json_value event, item;
    struct json_fault fault;
    if (json_scan(data, &event, NULL, &fault) < 0)
        return;
    if (form == WIRE_ANTHROPIC) {
        take_text(out, member(member(event, "delta"), "text"));
        return;
    }
    struct json_value choices = member(event, "choices");
    struct json_cursor c = json_enter(choices);
    if (choices.type == JSON_VALUE_ARRAY && json_next_item(&c, &item))
        take_text(out, member(member(item, "delta"), "content"));
}
