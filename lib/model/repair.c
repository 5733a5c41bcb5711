/* repair.c: what a 400 says is mended in the request (world 12), in the order of its table. */
#include "model/defaults.h"
#include "model/inside.h"
#include "text/fold.h"
#include "text/utf8.h"

static bool says(struct span words, const char *what)
{
    return span_has(words, span_text(what));
}

static bool speaks_of_length(struct span words)
{
    return says(words, "context") || says(words, "input tokens") || says(words, "length") ||
           says(words, "too long");
}

static bool names_budget(const struct model_spec *spec, struct span words,
                         const struct wire_shape *shape)
{
    if (spec->provider == MODEL_BEDROCK)
        return says(words, "maxtokens") || says(words, "maximum tokens") ||
               says(words, "max_tokens");
    return says(words, wire_budget_key(spec, shape));
}

static bool halve_budget(struct wire_shape *shape)
{
    if (shape->max_tokens <= CHAT_REPLY_LEAST)
        return false;
    shape->max_tokens /= 2;
    if (shape->max_tokens < CHAT_REPLY_LEAST)
        shape->max_tokens = CHAT_REPLY_LEAST;
    return true;
}

static bool halve_prompt(struct model *model, const struct chat_request *request,
                         struct wire_shape *shape, struct chat_reply *reply)
{
    if (!wire_halve(request, shape))
        return false;
    if (!reply->what_cut.max_tokens_asked)
        reply->what_cut.max_tokens_asked = shape->max_tokens;
    wire_fit(request, model->context, shape, reply);
    return true;
}

bool chat_repair(struct model *model, const struct chat_request *request, struct span text,
                 struct wire_shape *shape, struct chat_reply *reply)
{
    struct buf lower = {0};
    text_lower(text, &lower);
    struct span words = buf_span(&lower);
    enum wire_form form = wire_form_of(&model->spec);
    bool openai = form == WIRE_OPENAI || form == WIRE_INVOKE, done = true;
    if (openai && !shape->completion_tokens && says(words, "max_completion_tokens"))
        shape->completion_tokens = true;
    else if (names_budget(&model->spec, words, shape) && halve_budget(shape))
        ;
    else if (speaks_of_length(words) && halve_prompt(model, request, shape, reply))
        ;
    else if (openai && request->n > 1 && !shape->no_n)
        shape->no_n = true;
    else if (request->logprobs != CHAT_LOGPROBS_NONE && !shape->no_logprobs &&
             says(words, "logprob"))
        shape->no_logprobs = reply->logprobs_dropped = true;
    else if (!shape->no_temperature && says(words, "temperature"))
        shape->no_temperature = true;
    else
        done = false;
    if (done && shape->no_temperature)
        atomic_store(&model->no_temperature, true);
    buf_free(&lower);
    return done;
}

/* ---- a service's words ----------------------------------------------------------------------- */

static bool add_string(struct json_value value, struct buf *out)
{
    if (value.type != JSON_VALUE_STRING || json_count(value) || value.text.len <= 2)
        return false;
    json_text_add(value, out);
    return true;
}

static bool add_member(struct json_value object, const char *key, struct buf *out)
{
    struct json_value value, inner;
    if (!json_get(object, span_text(key), &value))
        return false;
    if (add_string(value, out))
        return true;
    return json_get(value, SPAN("message"), &inner) && add_string(inner, out);
}

/* FastAPI's list of what is wrong where. */
static bool add_details(struct json_value object, struct buf *out)
{
    struct json_value list, item, message;
    if (!json_get(object, SPAN("detail"), &list) || list.type != JSON_VALUE_ARRAY)
        return false;
    struct json_cursor c = json_enter(list);
    while (json_next_item(&c, &item)) {
        if (json_get(item, SPAN("msg"), &message) && message.type == JSON_VALUE_STRING) {
            buf_text(out, out->len ? "; " : "");
            json_text_add(message, out);
        }
    }
    return out->len > 0;
}

void chat_error_words(struct span body, struct buf *out)
{
    struct json_value value, first;
    struct json_fault fault;
    struct buf words = {0};
    bool found = false;
    if (json_scan(body, &value, NULL, &fault) == 0) {
        struct json_cursor c = json_enter(value);
        if (value.type == JSON_VALUE_ARRAY && json_next_item(&c, &first))
            value = first;
        found = add_member(value, "error", &words) || add_member(value, "message", &words) ||
                add_member(value, "Message", &words) || add_member(value, "detail", &words) ||
                add_details(value, &words);
    }
    if (!found)
        buf_span_add(&words, body);
    size_t at = 0;
    struct span word;
    struct buf line = {0};
    while (line.len < 4 * CHAT_ERROR_SHOWN && text_next_word(buf_span(&words), &at, &word)) {
        if (line.len)
            buf_byte(&line, ' ');
        buf_span_add(&line, word);
    }
    struct span head = utf8_head(buf_span(&line), CHAT_ERROR_SHOWN);
    buf_span_add(out, head);
    if (head.len < line.len)
        buf_text(out, "…");
    if (out->len == 0)
        buf_text(out, "no words of its own");
    buf_free(&words);
    buf_free(&line);
}
