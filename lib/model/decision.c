/* decision.c: see decision.h. */
#include "model/decision.h"

#include <math.h>
#include <stdlib.h>

#include "model/defaults.h"
#include "model/inside.h"

struct decision {
    struct model *model; /* address, key, cassette, budget and counts */
    struct buf models;   /* where its models are listed */
};

static struct json_value member(struct json_value object, struct span key)
{
    struct json_value value = {0};
    json_get(object, key, &value);
    return value;
}

/* ---- opening ----------------------------------------------------------------------------------- */

struct decision *decision_open(const char *spec, const struct model_settings *settings,
                               struct error *error)
{
    struct decision *d = mem_zero(1, sizeof *d);
    struct model *m = d->model = model_new(settings);
    int code = model_spec_parse(spec, &m->spec, error);
    if (code == 0 && m->spec.provider != MODEL_TYPESAFE)
        code = error_set(error, ERROR_USAGE, "%s: no decision service; write typesafe:", spec);
    if (code == 0) {
        model_spec_base(&m->spec, &m->url);
        buf_span_add(&d->models, buf_span(&m->url));
        buf_text(&m->url, "/v1/systemone");
        buf_text(&d->models, "/v1/models");
        code = model_reach(m, error);
    }
    if (code < 0) {
        decision_close(d);
        return NULL;
    }
    return d;
}

void decision_close(struct decision *d)
{
    if (!d)
        return;
    model_close(d->model);
    buf_free(&d->models);
    free(d);
}

const char *decision_name(const struct decision *d)
{
    return d->model->target;
}

/* ---- answers ----------------------------------------------------------------------------------- */

static bool probability(struct json_value value, double *p)
{
    *p = json_number(value);
    return value.type == JSON_VALUE_NUMBER && *p >= 0 && *p <= 1;
}

/* `probabilities`: an object of names or levels, or a list by level. */
static void read_options(struct json_value list, struct decision_answer *a, struct arena *arena)
{
    struct json_cursor c = json_enter(list);
    struct json_member m;
    struct json_value item;
    struct buf scratch = {0};
    size_t n = json_count(list);
    a->options = arena_zero(arena, (n + 1) * sizeof *a->options);
    if (list.type == JSON_VALUE_OBJECT) {
        while (json_next_member(&c, &m)) {
            struct decision_option *o = &a->options[a->n_options];
            o->name = arena_span(arena, json_key(&m, &scratch));
            a->n_options += probability(m.value, &o->probability);
        }
    } else if (list.type == JSON_VALUE_ARRAY) {
        for (size_t level = 0; json_next_item(&c, &item); level++) {
            struct decision_option *o = &a->options[a->n_options];
            buf_clear(&scratch);
            buf_format(&scratch, "%zu", level);
            o->name = arena_span(arena, buf_span(&scratch));
            a->n_options += probability(item, &o->probability);
        }
    }
    buf_free(&scratch);
}

static bool read_choice(struct json_value answer, struct decision_answer *a, struct arena *arena)
{
    struct json_value label = member(answer, SPAN("choice"));
    struct buf scratch = {0};
    size_t best = 0;
    for (size_t i = 1; i < a->n_options; i++)
        if (a->options[i].probability > a->options[best].probability)
            best = i;
    if (label.type == JSON_VALUE_STRING && label.text.len > 2)
        a->label = arena_span(arena, json_text(label, &scratch));
    else if (a->n_options)
        a->label = a->options[best].name;
    a->probability = NAN;
    probability(member(answer, SPAN("confidence")), &a->probability);
    for (size_t i = 0; i < a->n_options; i++)
        if (span_equal(a->options[i].name, a->label))
            a->probability = a->options[i].probability;
    buf_free(&scratch);
    return a->label.len > 0;
}

static bool read_score(struct json_value answer, struct decision_answer *a)
{
    struct json_value score = member(answer, SPAN("score"));
    a->value = json_number(score);
    if (score.type == JSON_VALUE_NUMBER && isfinite(a->value))
        return true;
    a->value = 0;
    for (size_t i = 0; i < a->n_options; i++) {
        struct buf level = {0};
        buf_span_add(&level, a->options[i].name);
        a->value += strtod(buf_cstr(&level), NULL) * a->options[i].probability;
        buf_free(&level);
    }
    return a->n_options > 0 && isfinite(a->value);
}

/* One answer, by its type, or by the key that it has. */
static bool read_answer(struct json_value answer, struct decision_answer *a, struct arena *arena)
{
    struct json_value type = member(answer, SPAN("type"));
    struct buf scratch = {0};
    struct span name = type.type == JSON_VALUE_STRING ? json_text(type, &scratch) : SPAN("");
    bool good = false;
    read_options(member(answer, SPAN("probabilities")), a, arena);
    if (span_is(name, "noul")) {
        a->type = DECISION_NOUL;
        good = probability(member(answer, SPAN("noul")), &a->probability);
    } else if (span_is(name, "choice")) {
        a->type = DECISION_CHOICE;
        good = read_choice(answer, a, arena);
    } else if (span_is(name, "score")) {
        a->type = DECISION_SCORE;
        good = read_score(answer, a);
    }
    buf_free(&scratch);
    return good;
}

static void read_usage(struct json_value body, struct chat_reply *reply)
{
    struct json_value usage = member(body, SPAN("usage"));
    static const char *const IN[] = {"input_tokens", "prompt_tokens"};
    static const char *const OUT[] = {"output_tokens", "completion_tokens"};
    reply->input_tokens = reply->output_tokens = -1;
    for (int i = 0; i < 2; i++) {
        int64_t n;
        if (reply->input_tokens < 0 && json_int64(member(usage, span_text(IN[i])), &n) && n >= 0)
            reply->input_tokens = n;
        if (reply->output_tokens < 0 && json_int64(member(usage, span_text(OUT[i])), &n) && n >= 0)
            reply->output_tokens = n;
    }
    reply->has_usage = reply->input_tokens >= 0 || reply->output_tokens >= 0;
}

bool decision_read(struct span body, struct decision_reply *reply)
{
    struct json_value value, answers;
    struct json_fault fault;
    struct json_member m;
    struct buf scratch = {0};
    reply->n_answers = 0;
    if (json_scan(body, &value, NULL, &fault) < 0)
        return false;
    answers = member(value, SPAN("answers"));
    if (answers.type != JSON_VALUE_OBJECT)
        return false;
    reply->answers =
        arena_zero(&reply->chat.arena, (json_count(answers) + 1) * sizeof *reply->answers);
    for (struct json_cursor c = json_enter(answers); json_next_member(&c, &m);) {
        struct decision_answer *a = &reply->answers[reply->n_answers];
        *a = (struct decision_answer){.name =
                                          arena_span(&reply->chat.arena, json_key(&m, &scratch))};
        reply->n_answers += read_answer(m.value, a, &reply->chat.arena);
    }
    read_usage(value, &reply->chat);
    buf_free(&scratch);
    return reply->n_answers > 0;
}

const struct decision_answer *decision_find(const struct decision_reply *reply, struct span name)
{
    for (size_t i = 0; i < reply->n_answers; i++)
        if (span_equal(reply->answers[i].name, name))
            return &reply->answers[i];
    return NULL;
}

void decision_reply_free(struct decision_reply *reply)
{
    chat_reply_free(&reply->chat);
    *reply = (struct decision_reply){0};
}

/* ---- asking ------------------------------------------------------------------------------------ */

static void write_body(struct decision *d, const struct decision_request *request, struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "state");
    json_write_raw(&w, request->state.text);
    json_write_key(&w, "model");
    json_write_text(&w, d->model->target);
    json_write_key(&w, "questions");
    json_write_raw(&w, request->questions.text);
    json_write_end_object(&w);
}

static int exchange(struct decision *d, const struct exchange *what, struct decision_reply *reply,
                    struct http_reply *http, struct error *error)
{
    bool missing;
    int code = model_exchange(d->model, what, http, &missing, error);
    reply->chat.status = http->status;
    reply->chat.requests += http->attempts;
    reply->chat.retries += http->retries;
    reply->chat.ms = http->ms;
    return chat_settle(d->model, code, missing, http, &reply->chat, error);
}

static int ask(struct decision *d, const struct exchange *what, struct decision_reply *reply,
               struct error *error)
{
    struct http_reply http = {0};
    struct budget *budget = d->model->settings.budget;
    int64_t input = (int64_t)what->body.len / CHAT_TOKEN_BYTES;
    if (budget && !budget_take(budget, input, DECISION_REPLY_TOKENS))
        return chat_fail(&reply->chat, error, CHAT_NO_BUDGET,
                         "%s: the budget of the run is spent; raise --max-cost to go on",
                         d->model->at);
    int code = exchange(d, what, reply, &http, error);
    if (code == 0 && !decision_read(buf_span(&http.body), reply))
        code = chat_fail(&reply->chat, error, CHAT_BAD_REPLY,
                         "%s: the reply holds no answer that can be read", d->model->at);
    bool answered = http.status >= 200 && http.status < 300, said = reply->chat.has_usage;
    if (budget)
        budget_settle(budget, input, DECISION_REPLY_TOKENS,
                      !answered ? 0
                      : said    ? reply->chat.input_tokens
                                : -1,
                      !answered ? 0
                      : said    ? reply->chat.output_tokens
                                : -1);
    http_reply_free(&http);
    return code;
}

int decision_ask(struct decision *d, const struct decision_request *request,
                 struct decision_reply *reply, struct error *error)
{
    struct buf body = {0};
    struct arena arena = reply->chat.arena;
    arena_clear(&arena);
    *reply = (struct decision_reply){.chat = {.arena = arena}};
    write_body(d, request, &body);
    const struct exchange what = {.method = "POST",
                                  .scope = request->scope,
                                  .url = buf_span(&d->model->url),
                                  .body = buf_span(&body),
                                  .timeout_s = request->timeout_s > 0 ? request->timeout_s
                                                                      : DECISION_TIMEOUT_S};
    int code = ask(d, &what, reply, error);
    chat_count(d->model, &reply->chat, code);
    buf_free(&body);
    return code;
}

int decision_warm_up(struct decision *d, double timeout_s, struct error *error)
{
    struct decision_reply reply = {0};
    struct http_reply http = {0};
    const struct exchange what = {
        .method = "GET", .scope = "warm-up", .url = buf_span(&d->models), .timeout_s = timeout_s};
    int code = exchange(d, &what, &reply, &http, error);
    http_reply_free(&http);
    decision_reply_free(&reply);
    return code;
}
