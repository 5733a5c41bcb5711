/* wire_line.c: a provider's request shown, and a provider's reply read, without a network (world
 * 10.8). */
#include <math.h>

#include "model/defaults.h"
#include "model/inside.h"

static struct json_value member(struct json_value object, const char *key)
{
    struct json_value value = {0};
    json_get(object, span_text(key), &value);
    return value;
}

static enum chat_logprobs logprobs_of(struct json_value value)
{
    if (span_is(value.text, "\"tokens\""))
        return CHAT_LOGPROBS_TOKENS;
    if (span_is(value.text, "\"none\"") || !value.text.ptr || !json_truthy(value))
        return CHAT_LOGPROBS_NONE;
    return CHAT_LOGPROBS_SUM;
}

static int request_of(struct json_value line, struct chat_request *r, struct error *error)
{
    struct json_value temperature = member(line, "temperature"), tools = member(line, "tools");
    int64_t n = 1;
    r->messages = member(line, "messages");
    if (r->messages.type != JSON_VALUE_ARRAY)
        return error_set(error, ERROR_INPUT, "messages is no array");
    if (tools.type == JSON_VALUE_ARRAY)
        r->tools = tools;
    r->temperature = temperature.type == JSON_VALUE_NUMBER ? json_number(temperature) : NAN;
    json_int64(member(line, "max_tokens"), &r->max_tokens);
    json_int64(member(line, "n"), &n);
    r->n = n < 1 ? 1 : n > CHAT_CHOICES_MAX ? CHAT_CHOICES_MAX : (int)n;
    r->logprobs = logprobs_of(member(line, "logprobs"));
    r->stream = json_truthy(member(line, "stream"));
    if (member(line, "extra").type == JSON_VALUE_OBJECT)
        r->extra = member(line, "extra");
    return 0;
}

static void write_headers(const struct model_spec *spec, struct json_writer *w)
{
    json_write_key(w, "headers");
    json_write_object(w);
    json_write_key(w, "Content-Type");
    json_write_text(w, "application/json");
    if (spec->provider == MODEL_ANTHROPIC) {
        json_write_key(w, "anthropic-version");
        json_write_text(w, "2023-06-01");
        json_write_key(w, "x-api-key");
        json_write_text(w, "***");
    } else if (spec->provider != MODEL_OLLAMA) {
        json_write_key(w, "Authorization");
        json_write_text(w, "***");
    }
    json_write_end_object(w);
}

static void write_request(struct model_spec *spec, const struct chat_request *r,
                          struct json_writer *w)
{
    struct buf url = {0}, body = {0};
    int64_t budget = r->max_tokens > 0 ? r->max_tokens : CHAT_REPLY_DEFAULT;
    bool raised = wire_form_of(spec) == WIRE_OPENAI && budget < CHAT_REPLY_LEAST;
    struct wire_shape shape = {.max_tokens = raised ? CHAT_REPLY_LEAST : budget,
                               .last_user_at = (size_t)-1};
    wire_url(spec, &url);
    wire_body(spec, r, &shape, &body);
    if (wire_form_of(spec) == WIRE_OPENAI && r->extra.text.ptr)
        wire_merge(&body, r->extra);
    json_write_object(w);
    json_write_key(w, "method");
    json_write_text(w, "POST");
    json_write_key(w, "url");
    json_write_span(w, buf_span(&url));
    write_headers(spec, w);
    json_write_key(w, "body");
    json_write_raw(w, buf_span(&body));
    json_write_end_object(w);
    buf_free(&url);
    buf_free(&body);
}

int chat_wire(struct json_value line, struct json_writer *w, struct error *error)
{
    struct model_spec spec = {0};
    struct chat_request r = {0};
    struct buf text = {0};
    struct json_value named = member(line, "spec");
    if (named.type != JSON_VALUE_STRING)
        return error_set(error, ERROR_INPUT, "spec is no text; it names the model");
    json_text_add(named, &text);
    int code = model_spec_parse(buf_cstr(&text), &spec, error);
    if (code == 0 && (spec.provider >= MODEL_EXEC || spec.provider == MODEL_TYPESAFE))
        code =
            error_set(error, ERROR_USAGE, "%s: it is asked over no chat protocol", buf_cstr(&text));
    if (code == 0)
        code = request_of(line, &r, error);
    if (code == 0)
        write_request(&spec, &r, w);
    model_spec_free(&spec);
    buf_free(&text);
    return code;
}

int chat_wire_reply(struct json_value line, struct json_writer *w, struct error *error)
{
    static const struct {
        const char *name;
        enum wire_form form;
    } FORMS[] = {{"\"openai\"", WIRE_OPENAI},
                 {"\"anthropic\"", WIRE_ANTHROPIC},
                 {"\"bedrock\"", WIRE_CONVERSE},
                 {"\"bedrock-invoke\"", WIRE_INVOKE}};
    struct chat_reply reply = {0};
    struct json_value body = member(line, "body");
    const char *fault = NULL;
    int code = -1;
    for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS && code < 0; i++) {
        if (!span_is(member(line, "provider").text, FORMS[i].name))
            continue;
        code = 0;
        if (!body.text.ptr || !wire_read(FORMS[i].form, body.text,
                                         logprobs_of(member(line, "logprobs")), &reply, &fault))
            code = error_set(error, ERROR_INPUT, "the reply cannot be read: %s",
                             fault ? fault : "there is no body");
        else
            chat_reply_write(&reply, w);
        chat_reply_free(&reply);
        return code;
    }
    return error_set(error, ERROR_INPUT,
                     "provider is none of openai, anthropic, bedrock, bedrock-invoke");
}
