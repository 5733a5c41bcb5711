/* reply.c: replies of every provider read into one form, and written as the normalised message
 * (world 10.2-10.5). What a server may do otherwise than its documentation says is taken as long as
 * it can be understood: arguments as an object, no ids, content in parts. */
#include <math.h>

#include "model/defaults.h"
#include "model/wire.h"
#include "text/fold.h"
#include "text/number.h"
#include "json/pyjson.h"

enum { LOGPROB_DIGITS = 6 };

static struct span keep_buf(struct chat_reply *reply, struct buf *b)
{
    struct span kept = arena_span(&reply->arena, buf_span(b));
    buf_free(b);
    return kept;
}

static struct span keep_text(struct chat_reply *reply, struct json_value string)
{
    struct buf b = {0};
    if (string.type == JSON_VALUE_STRING)
        json_text_add(string, &b);
    return keep_buf(reply, &b);
}

static struct json_value member(struct json_value object, const char *key)
{
    struct json_value value = {0};
    json_get(object, span_text(key), &value);
    return value;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Arguments as text: a string is itself, anything else its PYJSON, nothing is {}. */
static struct span arguments_of(struct chat_reply *reply, struct json_value value)
{
    struct buf b = {0};
    if (value.type == JSON_VALUE_STRING)
        json_text_add(value, &b);
    else if (json_value_null(value))
        buf_text(&b, "{}");
    else
        json_pyjson(value, &b);
    return keep_buf(reply, &b);
}

static void add_call(struct chat_reply *reply, struct chat_choice *choice, struct json_value id,
                     struct json_value name, struct json_value arguments)
{
    struct chat_call *call = &choice->calls[choice->n_calls];
    struct buf made = {0};
    call->id = keep_text(reply, id);
    if (call->id.len == 0) {
        buf_format(&made, "call_%zu", choice->n_calls);
        call->id = keep_buf(reply, &made);
    }
    call->name = keep_text(reply, name);
    call->arguments = arguments_of(reply, arguments);
    choice->n_calls++;
}

static void room_for_calls(struct chat_reply *reply, struct chat_choice *choice, size_t count)
{
    if (count > CHAT_CALLS_MAX)
        count = CHAT_CALLS_MAX;
    choice->calls = count ? arena_zero(&reply->arena, count * sizeof *choice->calls) : NULL;
}

static void openai_calls(struct chat_reply *reply, struct chat_choice *choice,
                         struct json_value message)
{
    struct json_value list = member(message, "tool_calls"), item;
    struct json_value old = member(message, "function_call");
    struct json_cursor c = json_enter(list);
    room_for_calls(reply, choice, json_count(list) + 1);
    if (list.type == JSON_VALUE_ARRAY) {
        while (json_next_item(&c, &item) && choice->n_calls < CHAT_CALLS_MAX) {
            struct json_value function = member(item, "function");
            if (item.type != JSON_VALUE_OBJECT)
                continue;
            if (function.type != JSON_VALUE_OBJECT)
                function = item;
            add_call(reply, choice, member(item, "id"), member(function, "name"),
                     member(function, "arguments"));
        }
    }
    if (!choice->n_calls && old.type == JSON_VALUE_OBJECT)
        add_call(reply, choice, (struct json_value){0}, member(old, "name"),
                 member(old, "arguments"));
}

/* ---- log-probabilities ----------------------------------------------------------------------- */

static void read_logprobs(struct chat_reply *reply, struct chat_choice *choice,
                          struct json_value logprobs, enum chat_logprobs wanted)
{
    struct json_value list = member(logprobs, "content"), item;
    struct json_cursor c = json_enter(list);
    if (wanted == CHAT_LOGPROBS_NONE || list.type != JSON_VALUE_ARRAY)
        return;
    double *tokens = arena_alloc(&reply->arena, (json_count(list) + 1) * sizeof *tokens);
    double sum = 0;
    size_t n = 0;
    while (json_next_item(&c, &item)) {
        struct json_value p = member(item, "logprob");
        double x = p.type == JSON_VALUE_NUMBER ? json_number(p) : NAN;
        if (!isfinite(x))
            continue;
        sum += x;
        tokens[n++] = number_round(x, LOGPROB_DIGITS);
    }
    choice->has_logprobs = n > 0;
    choice->logprob_sum = number_round(sum, LOGPROB_DIGITS);
    choice->n_logprobs = n;
    choice->logprobs = wanted == CHAT_LOGPROBS_TOKENS ? tokens : NULL;
}

/* ---- OpenAI's form --------------------------------------------------------------------------- */

static struct span finish_word(struct span word)
{
    if (span_is(word, "eos_token") || span_is(word, "eos") || span_is(word, "stop_sequence"))
        return SPAN("stop");
    if (span_is(word, "function_call"))
        return SPAN("tool_calls");
    return word;
}

static bool openai_choice(struct chat_reply *reply, struct chat_choice *choice,
                          struct json_value item, bool invoke, enum chat_logprobs logprobs)
{
    struct json_value message = member(item, "message"), finish = member(item, "finish_reason");
    struct json_value content = member(message, "content");
    if (message.type != JSON_VALUE_OBJECT)
        return false;
    if (content.type == JSON_VALUE_STRING || content.type == JSON_VALUE_ARRAY) {
        struct buf text = {0};
        wire_text(content, &text);
        choice->content = keep_buf(reply, &text);
        if (invoke && choice->content.len == 0)
            choice->content.ptr = NULL;
    }
    openai_calls(reply, choice, message);
    if (finish.type == JSON_VALUE_STRING)
        choice->finish = finish_word(keep_text(reply, finish));
    read_logprobs(reply, choice, member(item, "logprobs"), logprobs);
    return true;
}

static void read_usage(struct chat_reply *reply, struct json_value usage, const char *in,
                       const char *out)
{
    int64_t n;
    reply->input_tokens = json_int64(member(usage, in), &n) && n >= 0 ? n : -1;
    reply->output_tokens = json_int64(member(usage, out), &n) && n >= 0 ? n : -1;
    reply->has_usage = reply->input_tokens >= 0 || reply->output_tokens >= 0;
}

static bool read_openai(struct json_value body, bool invoke, enum chat_logprobs logprobs,
                        struct chat_reply *reply, const char **fault)
{
    struct json_value list = member(body, "choices"), item;
    struct json_cursor c = json_enter(list);
    size_t count = list.type == JSON_VALUE_ARRAY ? json_count(list) : 0;
    *fault = "it has no choices";
    if (count == 0)
        return false;
    reply->choices = arena_zero(&reply->arena, count * sizeof *reply->choices);
    *fault = "its choices hold no message";
    while (json_next_item(&c, &item)) {
        if (!openai_choice(reply, &reply->choices[reply->n_choices], item, invoke, logprobs))
            return false;
        reply->n_choices++;
    }
    read_usage(reply, member(body, "usage"), "prompt_tokens", "completion_tokens");
    return true;
}

/* ---- blocks: Anthropic and Converse ---------------------------------------------------------- */

static struct span stop_word(struct chat_reply *reply, struct json_value reason, bool converse)
{
    static const struct {
        const char *from, *to;
        bool converse;
    } WORDS[] = {
        {"tool_use", "tool_calls", false},
        {"max_tokens", "length", false},
        {"end_turn", "stop", false},
        {"stop_sequence", "stop", false},
        {"pause_turn", "stop", false},
        {"model_context_window_exceeded", "length", true},
        {"malformed_model_output", "stop", true},
        {"malformed_tool_use", "stop", true},
        {"guardrail_intervened", "content_filter", true},
        {"content_filtered", "content_filter", true},
    };
    struct span word = keep_text(reply, reason);
    if (reason.type != JSON_VALUE_STRING)
        return (struct span){0};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if ((converse || !WORDS[i].converse) && span_is(word, WORDS[i].from))
            return span_text(WORDS[i].to);
    return word;
}

static void add_words(struct buf *text, struct json_value string, bool converse)
{
    struct buf scratch = {0};
    struct span words = json_text(string, &scratch);
    if (!converse || !text_blank(words)) {
        if (text->len)
            buf_text(text, "\n\n");
        buf_span_add(text, words);
    }
    buf_free(&scratch);
}

static bool read_blocks(struct json_value list, bool converse, struct json_value stop,
                        struct chat_reply *reply)
{
    struct json_cursor c = json_enter(list);
    struct json_value block;
    struct buf text = {0};
    if (list.type != JSON_VALUE_ARRAY)
        return false;
    struct chat_choice *choice = reply->choices = arena_zero(&reply->arena, sizeof *reply->choices);
    reply->n_choices = 1;
    room_for_calls(reply, choice, json_count(list));
    while (json_next_item(&c, &block)) {
        struct json_value type = member(block, "type"), words = member(block, "text");
        struct json_value use = converse ? member(block, "toolUse") : block;
        bool is_call =
            converse ? use.type == JSON_VALUE_OBJECT : span_is(type.text, "\"tool_use\"");
        if (is_call && choice->n_calls < CHAT_CALLS_MAX)
            add_call(reply, choice, member(use, converse ? "toolUseId" : "id"), member(use, "name"),
                     member(use, "input"));
        else if (words.type == JSON_VALUE_STRING && (converse || span_is(type.text, "\"text\"")))
            add_words(&text, words, converse);
    }
    if (text.len)
        choice->content = keep_buf(reply, &text);
    buf_free(&text);
    choice->finish = stop_word(reply, stop, converse);
    return true;
}

bool wire_read(enum wire_form form, struct span body, enum chat_logprobs logprobs,
               struct chat_reply *reply, const char **fault)
{
    struct json_value value;
    struct json_fault broken;
    *fault = "it is not JSON";
    if (json_scan(body, &value, NULL, &broken) < 0)
        return false;
    reply->input_tokens = reply->output_tokens = -1;
    switch (form) {
    case WIRE_OPENAI: return read_openai(value, false, logprobs, reply, fault);
    case WIRE_INVOKE: return read_openai(value, true, logprobs, reply, fault);
    case WIRE_ANTHROPIC:
        *fault = "it has no content";
        read_usage(reply, member(value, "usage"), "input_tokens", "output_tokens");
        return read_blocks(member(value, "content"), false, member(value, "stop_reason"), reply);
    case WIRE_CONVERSE:
        *fault = "it has no output.message.content";
        read_usage(reply, member(value, "usage"), "inputTokens", "outputTokens");
        return read_blocks(member(member(member(value, "output"), "message"), "content"), true,
                           member(value, "stopReason"), reply);
    }
    return false;
}

/* ---- written --------------------------------------------------------------------------------- */

static void write_message(const struct chat_choice *choice, const struct span *content,
                          struct json_writer *w)
{
    struct span words = content ? *content : choice->content;
    json_write_key(w, "role");
    json_write_text(w, "assistant");
    json_write_key(w, "content");
    if (words.ptr)
        json_write_span(w, words);
    else
        json_write_null(w);
    if (!choice->n_calls)
        return;
    json_write_key(w, "tool_calls");
    json_write_array(w);
    for (size_t i = 0; i < choice->n_calls; i++) {
        const struct chat_call *call = &choice->calls[i];
        json_write_object(w);
        json_write_key(w, "id");
        json_write_span(w, call->id);
        json_write_key(w, "type");
        json_write_text(w, "function");
        json_write_key(w, "function");
        json_write_object(w);
        json_write_key(w, "name");
        json_write_span(w, call->name);
        json_write_key(w, "arguments");
        json_write_span(w, call->arguments);
        json_write_end_object(w);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

void chat_message_write(const struct chat_choice *choice, const struct span *content,
                        struct json_writer *w)
{
    json_write_object(w);
    write_message(choice, content, w);
    json_write_end_object(w);
}

static void write_count(struct json_writer *w, const char *key, int64_t count)
{
    json_write_key(w, key);
    if (count >= 0)
        json_write_int(w, count);
    else
        json_write_null(w);
}

static void write_logprobs(const struct chat_choice *choice, struct json_writer *w)
{
    json_write_key(w, "_logprobs");
    json_write_object(w);
    json_write_key(w, "sum");
    json_write_real(w, choice->logprob_sum);
    json_write_key(w, "n");
    json_write_int(w, (int64_t)choice->n_logprobs);
    if (choice->logprobs) {
        json_write_key(w, "tokens");
        json_write_array(w);
        for (size_t i = 0; i < choice->n_logprobs; i++)
            json_write_real(w, choice->logprobs[i]);
        json_write_end_array(w);
    }
    json_write_end_object(w);
}

static void write_choice(const struct chat_choice *choice, struct json_writer *w)
{
    write_message(choice, NULL, w);
    if (choice->finish.ptr) {
        json_write_key(w, "_finish_reason");
        json_write_span(w, choice->finish);
    }
    if (choice->has_logprobs)
        write_logprobs(choice, w);
}

static void write_cut(const struct chat_cut *cut, struct json_writer *w)
{
    json_write_key(w, "_prompt_truncated");
    json_write_object(w);
    write_count(w, "context_tokens", cut->context_tokens);
    write_count(w, "prompt_chars", cut->prompt_chars);
    write_count(w, "prompt_chars_sent", cut->prompt_chars_sent);
    write_count(w, "max_tokens_asked", cut->max_tokens_asked);
    write_count(w, "max_tokens_sent", cut->max_tokens_sent);
    json_write_end_object(w);
}

void chat_reply_write(const struct chat_reply *reply, struct json_writer *w)
{
    json_write_object(w);
    write_choice(&reply->choices[0], w);
    if (reply->has_usage) {
        json_write_key(w, "_usage");
        json_write_object(w);
        write_count(w, "input_tokens", reply->input_tokens);
        write_count(w, "output_tokens", reply->output_tokens);
        json_write_end_object(w);
    }
    if (reply->n_choices > 1) {
        json_write_key(w, "_all");
        json_write_array(w);
        for (size_t i = 0; i < reply->n_choices; i++) {
            json_write_object(w);
            write_choice(&reply->choices[i], w);
            json_write_end_object(w);
        }
        json_write_end_array(w);
    }
    if (reply->cut)
        write_cut(&reply->what_cut, w);
    json_write_end_object(w);
}

void chat_reply_free(struct chat_reply *reply)
{
    arena_free(&reply->arena);
    *reply = (struct chat_reply){0};
}

const char *chat_failure_name(enum chat_failure failure)
{
    static const char *const NAMES[] = {"ok",        "auth",        "quota",        "dead_host",
                                        "too_long",  "bad_request", "transient",    "timed_out",
                                        "bad_reply", "no_budget",   "not_recorded", "interrupted",
                                        "usage"};
    return NAMES[failure];
}
