/* wire.c: what the providers' forms have in common: addresses, tools, texts, the window. */
#include "model/wire.h"

#include "model/defaults.h"
#include "net/url.h"
#include "row/tools.h"
#include "text/fold.h"
#include "text/utf8.h"
#include "json/edit.h"

/* ---- addresses ------------------------------------------------------------------------------- */

void wire_openai_path(const struct model_spec *spec, const char *last, struct buf *out)
{
    static const struct span CHAT = {"/chat/completions", 17};
    struct buf base = {0};
    struct url url;
    model_spec_base(spec, &base);
    struct span text = buf_span(&base), query = {0};
    if (url_parse(text, &url, NULL) == 0)
        query = url.query;
    size_t hash = span_find(text, SPAN("#"), 0);
    text.len = query.len ? (size_t)(query.ptr - text.ptr) : hash == (size_t)-1 ? text.len : hash;
    while (text.len && text.ptr[text.len - 1] == '/')
        text.len--;
    if (span_ends(text, CHAT))
        text.len -= CHAT.len;
    else if (!span_ends(text, SPAN("/v1")))
        last = strcmp(last, CHAT.ptr) == 0 ? "/v1/chat/completions" : last;
    bool needs_v1 = !span_ends(text, SPAN("/v1")) && strcmp(last, "/models") == 0 &&
                    !span_has(buf_span(&base), CHAT);
    buf_span_add(out, text);
    buf_text(out, needs_v1 ? "/v1" : "");
    buf_text(out, last);
    buf_span_add(out, query);
    buf_free(&base);
}

static void base_and(const struct model_spec *spec, struct buf *out)
{
    model_spec_base(spec, out);
    while (out->len && out->data[out->len - 1] == '/')
        out->len--;
}

void wire_url(const struct model_spec *spec, struct buf *out)
{
    switch (wire_form_of(spec)) {
    case WIRE_ANTHROPIC:
        base_and(spec, out);
        buf_text(out, "/messages");
        break;
    case WIRE_CONVERSE:
    case WIRE_INVOKE:
        base_and(spec, out);
        buf_text(out, "/model/");
        url_escape_add(buf_span(&spec->model), out);
        buf_text(out, spec->provider == MODEL_BEDROCK ? "/converse" : "/invoke");
        break;
    case WIRE_OPENAI: wire_openai_path(spec, "/chat/completions", out); break;
    }
}

enum wire_form wire_form_of(const struct model_spec *spec)
{
    switch (spec->provider) {
    case MODEL_ANTHROPIC: return WIRE_ANTHROPIC;
    case MODEL_BEDROCK: return WIRE_CONVERSE;
    case MODEL_BEDROCK_INVOKE: return WIRE_INVOKE;
    default: return WIRE_OPENAI;
    }
}

bool wire_streams(const struct model_spec *spec)
{
    enum wire_form form = wire_form_of(spec);
    return form == WIRE_OPENAI || form == WIRE_ANTHROPIC;
}

const char *wire_budget_key(const struct model_spec *spec, const struct wire_shape *shape)
{
    if (shape->completion_tokens)
        return "max_completion_tokens";
    return spec->provider == MODEL_BEDROCK ? "maxTokens" : "max_tokens";
}

void wire_body(const struct model_spec *spec, const struct chat_request *request,
               const struct wire_shape *shape, struct buf *out)
{
    switch (wire_form_of(spec)) {
    case WIRE_ANTHROPIC: wire_anthropic_body(spec, request, shape, out); break;
    case WIRE_CONVERSE: wire_converse_body(request, shape, out); break;
    case WIRE_INVOKE: wire_invoke_body(request, shape, out); break;
    case WIRE_OPENAI: wire_openai_body(spec, request, shape, out); break;
    }
}

/* ---- texts ----------------------------------------------------------------------------------- */

void wire_text(struct json_value content, struct buf *out)
{
    struct json_cursor c = json_enter(content);
    struct json_value part, text;
    switch (content.type) {
    case JSON_VALUE_NULL: break;
    case JSON_VALUE_STRING: json_text_add(content, out); break;
    case JSON_VALUE_ARRAY:
        while (json_next_item(&c, &part)) {
            if (part.type == JSON_VALUE_STRING)
                json_text_add(part, out);
            else if (json_get(part, SPAN("text"), &text) && text.type == JSON_VALUE_STRING)
                json_text_add(text, out);
        }
        break;
    default: buf_span_add(out, content.text);
    }
}

struct json_value wire_content(const struct wire_shape *shape, size_t at, struct json_value message,
                               struct buf *scratch)
{
    struct json_value content = {0};
    struct json_fault fault;
    json_get(message, SPAN("content"), &content);
    if (at != shape->last_user_at)
        return content;
    buf_clear(scratch);
    json_quote(scratch, buf_span(&shape->last_user));
    json_scan(buf_span(scratch), &content, NULL, &fault);
    return content;
}

void wire_merge(struct buf *body, struct json_value extra)
{
    struct json_edit edit = {0};
    struct json_cursor c = json_enter(extra);
    struct json_member member;
    struct json_members members = {0};
    struct json_value value;
    struct json_fault fault;
    struct buf scratch = {0}, merged = {0};
    if (json_count(extra) == 0 || extra.type != JSON_VALUE_OBJECT ||
        json_scan(buf_span(body), &value, &members, &fault) < 0) {
        json_members_free(&members);
        return;
    }
    while (json_next_member(&c, &member))
        json_edit_set(&edit, json_key(&member, &scratch), member.value.text);
    json_edit_apply(&edit, value.text, &members, &merged);
    buf_free(body);
    *body = merged;
    json_edit_free(&edit);
    json_members_free(&members);
    buf_free(&scratch);
}

/* ---- tools ----------------------------------------------------------------------------------- */

void wire_schema(struct json_value schema, struct json_writer *w)
{
    if (schema.text.ptr && schema.type == JSON_VALUE_OBJECT && json_count(schema) > 0) {
        json_write_raw(w, schema.text);
        return;
    }
    json_write_raw(w, SPAN("{\"type\":\"object\",\"properties\":{}}"));
}

/* Keys of a tool that never leave (world 8.1). */
static bool is_local(const struct json_member *m)
{
    static const char *const LOCAL[] = {"kind", "drafted", "returns", "mock", "command"};
    for (size_t i = 0; i < sizeof LOCAL / sizeof *LOCAL; i++)
        if (json_key_is(m, span_text(LOCAL[i])))
            return true;
    return false;
}

static void write_without_local(struct json_value object, struct json_writer *w)
{
    struct json_cursor c = json_enter(object);
    struct json_member m;
    json_write_object(w);
    while (json_next_member(&c, &m))
        if (!is_local(&m))
            json_write_member(w, &m);
    json_write_end_object(w);
}

static void write_envelope(const struct row_tool *tool, struct json_writer *w)
{
    struct json_cursor c = json_enter(tool->entry);
    struct json_member m;
    json_write_object(w);
    while (json_next_member(&c, &m)) {
        if (json_key_is(&m, SPAN("function"))) {
            json_write_key(w, "function");
            write_without_local(tool->function, w);
        } else if (!is_local(&m)) {
            json_write_member(w, &m);
        }
    }
    json_write_end_object(w);
}

static void write_function(const struct row_tool *tool, bool bare, struct json_writer *w)
{
    json_write_object(w);
    json_write_key(w, "type");
    json_write_text(w, "function");
    json_write_key(w, "function");
    json_write_object(w);
    json_write_key(w, "name");
    json_write_span(w, tool->name);
    if (!bare || tool->description.len) {
        json_write_key(w, "description");
        json_write_span(w, tool->description);
    }
    json_write_key(w, "parameters");
    if (bare)
        wire_schema(tool->parameters, w);
    else
        json_write_raw(w, tool->parameters.text.ptr ? tool->parameters.text : SPAN("{}"));
    json_write_end_object(w);
    json_write_end_object(w);
}

void wire_openai_tools(struct json_value tools, bool bare, struct json_writer *w)
{
    struct row_tools list = {0};
    if (tools.text.ptr)
        row_tools_of(&list, tools);
    if (list.count) {
        json_write_key(w, "tools");
        json_write_array(w);
        for (size_t i = 0; i < list.count; i++) {
            if (list.items[i].envelope && !bare)
                write_envelope(&list.items[i], w);
            else
                write_function(&list.items[i], bare, w);
        }
        json_write_end_array(w);
    }
    row_tools_free(&list);
}

/* ---- the window ------------------------------------------------------------------------------ */

/* The last message of the user, and its text when it is one. SIZE_MAX: there is none. */
static size_t last_user(struct json_value messages, struct json_value *content)
{
    struct json_cursor c = json_enter(messages);
    struct json_value message, role;
    size_t found = (size_t)-1;
    for (size_t at = 0; json_next_item(&c, &message); at++) {
        if (json_get(message, SPAN("role"), &role) && span_is(role.text, "\"user\"")) {
            found = at;
            *content = (struct json_value){0};
            json_get(message, SPAN("content"), content);
        }
    }
    return found;
}

/* The last user message as it stands. false: there is no text to cut. */
static bool user_text(const struct chat_request *request, const struct wire_shape *shape,
                      size_t *at, struct buf *text)
{
    struct json_value content = {0};
    *at = last_user(request->messages, &content);
    buf_clear(text);
    if (*at == (size_t)-1 || content.type != JSON_VALUE_STRING)
        return false;
    if (*at == shape->last_user_at)
        buf_span_add(text, buf_span(&shape->last_user));
    else
        json_text_add(content, text);
    return true;
}

bool wire_halve(const struct chat_request *request, struct wire_shape *shape)
{
    struct buf text = {0};
    size_t at;
    bool done = false;
    if (user_text(request, shape, &at, &text)) {
        size_t length = utf8_length(buf_span(&text));
        if (length >= CHAT_CUT_FROM) {
            size_t keep = length / 2 > CHAT_CUT_LEAST ? length / 2 : CHAT_CUT_LEAST;
            struct span head = utf8_head(buf_span(&text), keep);
            buf_clear(&shape->last_user);
            buf_span_add(&shape->last_user, head);
            shape->last_user_at = at;
            done = true;
        }
    }
    buf_free(&text);
    return done;
}

int64_t wire_estimate(const struct chat_request *request, const struct wire_shape *shape)
{
    size_t bytes = request->messages.text.len + request->tools.text.len;
    if (shape->last_user_at != (size_t)-1) {
        struct json_value content = {0};
        last_user(request->messages, &content);
        bytes -= content.text.len;
        bytes += shape->last_user.len;
    }
    int64_t tokens = (int64_t)((bytes + CHAT_TOKEN_BYTES - 1) / CHAT_TOKEN_BYTES);
    return tokens < 1 ? 1 : tokens;
}

static int64_t room_of(const struct chat_request *request, int64_t context,
                       const struct wire_shape *shape)
{
    return context - wire_estimate(request, shape) - CHAT_CONTEXT_MARGIN;
}

void wire_fit(const struct chat_request *request, int64_t context, struct wire_shape *shape,
              struct chat_reply *reply)
{
    struct buf text = {0};
    size_t at;
    int64_t asked = shape->max_tokens;
    while (room_of(request, context, shape) < CHAT_REPLY_LEAST && wire_halve(request, shape))
        continue;
    int64_t room = room_of(request, context, shape);
    if (room < CHAT_REPLY_LEAST)
        room = CHAT_REPLY_LEAST;
    if (shape->max_tokens > room)
        shape->max_tokens = room;
    if (shape->last_user_at != (size_t)-1 || shape->max_tokens < asked) {
        struct json_value content = {0};
        struct buf whole = {0};
        reply->cut = true;
        reply->what_cut.context_tokens = context;
        if (!reply->what_cut.max_tokens_asked)
            reply->what_cut.max_tokens_asked = asked;
        last_user(request->messages, &content);
        wire_text(content, &whole);
        reply->what_cut.prompt_chars = (int64_t)utf8_length(buf_span(&whole));
        reply->what_cut.prompt_chars_sent = reply->what_cut.prompt_chars;
        if (user_text(request, shape, &at, &text))
            reply->what_cut.prompt_chars_sent = (int64_t)utf8_length(buf_span(&text));
        buf_free(&whole);
    }
    buf_free(&text);
}

void wire_shape_free(struct wire_shape *shape)
{
    buf_free(&shape->last_user);
}
