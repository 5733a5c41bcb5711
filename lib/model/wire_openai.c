/* wire_openai.c: bodies of OpenAI-compatible chat completions, and of Bedrock's imported models,
 * which read the same form (world 10.2, 10.5). */
#include "model/wire.h"

#include <math.h>

#include "model/defaults.h"

static void write_messages(const struct chat_request *request, const struct wire_shape *shape,
                           struct json_writer *w)
{
    struct json_cursor c = json_enter(request->messages);
    struct json_value message;
    struct json_member m;
    struct buf scratch = {0};
    json_write_key(w, "messages");
    json_write_array(w);
    for (size_t at = 0; json_next_item(&c, &message); at++) {
        if (at != shape->last_user_at) {
            json_write_raw(w, message.text);
            continue;
        }
        struct json_cursor members = json_enter(message);
        json_write_object(w);
        while (json_next_member(&members, &m)) {
            if (json_key_is(&m, SPAN("content"))) {
                json_write_key(w, "content");
                json_write_raw(w, wire_content(shape, at, message, &scratch).text);
            } else {
                json_write_member(w, &m);
            }
        }
        json_write_end_object(w);
    }
    json_write_end_array(w);
    buf_free(&scratch);
}

static void write_thinking(bool on, struct json_writer *w)
{
    json_write_key(w, "chat_template_kwargs");
    json_write_object(w);
    json_write_key(w, "enable_thinking");
    json_write_bool(w, on);
    json_write_end_object(w);
}

/* The hosted endpoint's small models think without end when they may (world 10.2). */
static bool never_thinks(const struct model_spec *spec)
{
    struct span model = buf_span(&spec->model);
    return spec->hosted && span_starts(model, SPAN("Qwen/Qwen3")) &&
           !span_has(model, SPAN("Instruct"));
}

void wire_openai_body(const struct model_spec *spec, const struct chat_request *request,
                      const struct wire_shape *shape, struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "model");
    json_write_span(&w, buf_span(&spec->model));
    write_messages(request, shape, &w);
    if (!isnan(request->temperature) && !shape->no_temperature) {
        json_write_key(&w, "temperature");
        json_write_real(&w, request->temperature);
    }
    json_write_key(&w, wire_budget_key(spec, shape));
    json_write_int(&w, shape->max_tokens);
    if (request->n > 1 && !shape->no_n) {
        json_write_key(&w, "n");
        json_write_int(&w, request->n < CHAT_CHOICES_MAX ? request->n : CHAT_CHOICES_MAX);
    }
    if (request->logprobs != CHAT_LOGPROBS_NONE && !shape->no_logprobs) {
        json_write_key(&w, "logprobs");
        json_write_bool(&w, true);
    }
    wire_openai_tools(request->tools, false, &w);
    if (request->stream) {
        json_write_key(&w, "stream");
        json_write_bool(&w, true);
        json_write_key(&w, "stream_options");
        json_write_raw(&w, SPAN("{\"include_usage\":true}"));
    }
    if (never_thinks(spec) || shape->thinking != CHAT_THINKING_DEFAULT)
        write_thinking(!never_thinks(spec) && shape->thinking == CHAT_THINKING_ON, &w);
    json_write_end_object(&w);
}

/* ---- Bedrock's imported models --------------------------------------------------------------- */

static void write_reduced(const struct chat_request *request, const struct wire_shape *shape,
                          struct json_writer *w)
{
    static const char *const KEPT[] = {"role", "content", "tool_calls", "tool_call_id", "name"};
    struct json_cursor c = json_enter(request->messages);
    struct json_value message, value;
    struct buf scratch = {0};
    json_write_key(w, "messages");
    json_write_array(w);
    for (size_t at = 0; json_next_item(&c, &message); at++) {
        json_write_object(w);
        for (size_t i = 0; i < sizeof KEPT / sizeof *KEPT; i++) {
            if (!json_get(message, span_text(KEPT[i]), &value))
                continue;
            json_write_key(w, KEPT[i]);
            json_write_raw(w,
                           i == 1 ? wire_content(shape, at, message, &scratch).text : value.text);
        }
        json_write_end_object(w);
    }
    json_write_end_array(w);
    buf_free(&scratch);
}

/* A member of the request's extras, else of the model's. */
static bool extra_get(const struct chat_request *request, const struct wire_shape *shape,
                      const char *key, struct json_value *value)
{
    struct json_value of_model;
    struct json_fault fault;
    if (request->extra.text.ptr && json_get(request->extra, span_text(key), value))
        return true;
    return shape->extra.len && json_scan(shape->extra, &of_model, NULL, &fault) == 0 &&
           json_get(of_model, span_text(key), value);
}

void wire_invoke_body(const struct chat_request *request, const struct wire_shape *shape,
                      struct buf *out)
{
    static const char *const TAKEN[] = {"top_p", "stop"};
    struct json_writer w;
    struct json_value value;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    write_reduced(request, shape, &w);
    json_write_key(&w, "max_tokens");
    json_write_int(&w, shape->max_tokens);
    if (!isnan(request->temperature) && !shape->no_temperature) {
        json_write_key(&w, "temperature");
        json_write_real(&w, request->temperature < 0 ? 0 : request->temperature);
    }
    wire_openai_tools(request->tools, true, &w);
    for (size_t i = 0; i < sizeof TAKEN / sizeof *TAKEN; i++) {
        if (extra_get(request, shape, TAKEN[i], &value)) {
            json_write_key(&w, TAKEN[i]);
            json_write_raw(&w, value.text);
        }
    }
    json_write_end_object(&w);
}
