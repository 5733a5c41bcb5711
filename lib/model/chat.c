/* chat.c: one chat call over the network: the request shaped, signed and sent, mended when it is
 * refused, its reply read or its failure classed. See chat.h. */
#include <math.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#include "base/signals.h"
#include "model/defaults.h"
#include "model/inside.h"
#include "net/defaults.h"
#include "net/sse.h"
#include "text/fold.h"

int chat_fail(struct chat_reply *reply, struct error *error, enum chat_failure failure,
              const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    int code = failure == CHAT_INTERRUPTED ? ERROR_INTERRUPTED
               : failure == CHAT_USAGE     ? ERROR_USAGE
                                           : ERROR_REMOTE;
    reply->failure = failure;
    va_start(args, format);
    buf_vformat(&text, format, args);
    va_end(args);
    error_set(error, code, "%s", buf_cstr(&text));
    buf_free(&text);
    return code;
}

/* ---- headers --------------------------------------------------------------------------------- */

enum { HEADERS_MAX = 6 };

struct headers {
    struct http_header items[HEADERS_MAX];
    size_t count;
    struct buf authorization, token;
    char time[17];
    struct aws_credentials aws;
};

static void add(struct headers *h, const char *name, struct span value, bool secret)
{
    h->items[h->count++] = (struct http_header){name, value, secret};
}

static int sign(struct model *m, const struct exchange *what, struct headers *h,
                struct error *error)
{
    int code = aws_chain_get(m->aws, &h->aws, error);
    if (code < 0)
        return code;
    struct sigv4_request r = {.method = what->method,
                              .type = SPAN("application/json"),
                              .body = what->body,
                              .region = buf_span(&m->spec.region),
                              .service = SPAN("bedrock"),
                              .access_key = buf_span(&h->aws.access_key),
                              .secret_key = buf_span(&h->aws.secret_key),
                              .session_token = buf_span(&h->aws.session_token)};
    url_parse(what->url, &r.url, NULL);
    sigv4_time(r.time);
    memcpy(h->time, r.time, sizeof h->time);
    sigv4_sign(&r, &h->authorization, NULL);
    add(h, "x-amz-date", span_text(h->time), false);
    if (h->aws.session_token.len)
        add(h, "x-amz-security-token", buf_span(&h->aws.session_token), true);
    add(h, "Authorization", buf_span(&h->authorization), true);
    return 0;
}

static int headers_make(struct model *m, const struct exchange *what, struct headers *h,
                        struct error *error)
{
    if (what->body.ptr)
        add(h, "Content-Type", SPAN("application/json"), false);
    if (m->spec.provider == MODEL_ANTHROPIC)
        add(h, "anthropic-version", SPAN("2023-06-01"), false);
    switch (m->key.kind) {
    case KEY_NONE: break;
    case KEY_BEARER:
        buf_text(&h->authorization, "Bearer ");
        buf_span_add(&h->authorization, buf_span(&m->key.value));
        add(h, "Authorization", buf_span(&h->authorization), true);
        break;
    case KEY_ANTHROPIC: add(h, "x-api-key", buf_span(&m->key.value), true); break;
    case KEY_AWS: return sign(m, what, h, error);
    }
    return 0;
}

static void headers_free(struct headers *h)
{
    if (h->authorization.data)
        explicit_bzero(h->authorization.data, h->authorization.cap);
    buf_free(&h->authorization);
    aws_credentials_free(&h->aws);
}

/* ---- an exchange ----------------------------------------------------------------------------- */

/* Words that mean that no waiting helps, or that a long one does (world 12, 10.5). */
static bool quota_spent(int status, struct span body)
{
    struct buf lower = {0};
    text_lower(body, &lower);
    bool spent = status == 402 ||
                 (status == 429 && (span_has(buf_span(&lower), SPAN("quota exceeded")) ||
                                    span_has(buf_span(&lower), SPAN("insufficient_quota"))));
    buf_free(&lower);
    return spent;
}

static enum http_again again(int status, struct span body)
{
    if (quota_spent(status, body))
        return HTTP_AGAIN_NO;
    if (status != 200 && span_has(body, SPAN("ModelNotReadyException")))
        return HTTP_AGAIN_SLOWLY;
    return HTTP_AGAIN_BY_STATUS;
}

int model_exchange(struct model *m, const struct exchange *what, struct http_reply *reply,
                   bool *missing, struct error *error)
{
    struct headers h = {0};
    *missing = false;
    int code = m->settings.http ? headers_make(m, what, &h, error) : 0;
    struct http_request request = {.method = what->method,
                                   .url = what->url,
                                   .headers = h.items,
                                   .n_headers = h.count,
                                   .has_body = what->body.ptr != NULL,
                                   .body = what->body,
                                   .timeout_s = what->timeout_s,
                                   .retries = what->retries,
                                   .redirect = HTTP_REDIRECT_GET,
                                   .secret_goes = m->spec.hosted ? url_platform : NULL,
                                   .again = again,
                                   .on_data = what->on_data,
                                   .data = what->data};
    struct cassette_request recorded = {.spec = m->called,
                                        .method = what->method,
                                        .scope = what->scope,
                                        .url = what->url,
                                        .body = what->body};
    if (code == 0 && m->settings.cassette) {
        code = cassette_send(m->settings.cassette, &recorded, m->settings.http, &request, reply,
                             missing, error);
    } else if (code == 0 && m->settings.http) {
        code = http_send(m->settings.http, &request, reply, error);
    } else if (code == 0) {
        *missing = true;
        code = error_set(error, ERROR_REMOTE, "%s: nothing may be sent", m->at);
    }
    headers_free(&h);
    return code;
}

/* ---- failures -------------------------------------------------------------------------------- */

static int transport_failed(struct model *m, const struct http_reply *http,
                            struct chat_reply *reply, struct error *error)
{
    static const enum chat_failure BY_FAILURE[] = {
        [HTTP_OK] = CHAT_OK,
        [HTTP_UNREACHABLE] = CHAT_TRANSIENT,
        [HTTP_UNTRUSTED] = CHAT_DEAD_HOST,
        [HTTP_DROPPED] = CHAT_TRANSIENT,
        [HTTP_TIMED_OUT] = CHAT_TIMED_OUT,
        [HTTP_TOO_LARGE] = CHAT_BAD_REPLY,
        [HTTP_REFUSED] = CHAT_DEAD_HOST,
        [HTTP_CANCELLED] = CHAT_INTERRUPTED,
    };
    (void)m;
    enum chat_failure failure = BY_FAILURE[http->failure];
    struct buf text = {0};
    buf_text(&text, http->error.text);
    if (failure == CHAT_TRANSIENT && http->attempts > 1)
        buf_format(&text, ", %d times in a row", http->attempts);
    chat_fail(reply, error, failure, "%s", buf_cstr(&text));
    buf_free(&text);
    return error->code;
}

static int refused_key(struct model *m, struct chat_reply *reply, const char *words,
                       struct error *error)
{
    const char *variable = m->key.variable ? m->key.variable : "--agent-key-env";
    /* Over plain http a variable that was not named is not sent, be it set or not. */
    bool secure = m->url.len > 6 && strncasecmp(m->url.data, "https:", 6) == 0;
    if (m->key.kind == KEY_NONE)
        return chat_fail(
            reply, error, CHAT_AUTH, "%s asks for a key (%d: %s); %s %s", m->at, reply->status,
            words,
            secure ? "set" : "over plain http it is sent when --agent-key-env names it:", variable);
    return chat_fail(reply, error, CHAT_AUTH, "%s refuses the key (%d: %s); check %s", m->at,
                     reply->status, words,
                     m->key.kind == KEY_AWS ? "the AWS credentials" : variable);
}

static bool dead_host(int status, struct span body)
{
    return status == 404 || status == 405 || status == 410 || status == 501 ||
           span_has(body, SPAN("modal-http: invalid function call"));
}

static bool about_length(struct span body)
{
    struct buf lower = {0};
    struct span head = body.len > CHAT_ERROR_READ ? span_slice(body, 0, CHAT_ERROR_READ) : body;
    text_lower(head, &lower);
    struct span s = buf_span(&lower);
    bool yes = span_has(s, SPAN("context")) || span_has(s, SPAN("input tokens")) ||
               span_has(s, SPAN("too long")) || span_has(s, SPAN("prompt length"));
    buf_free(&lower);
    return yes;
}

static int status_failed(struct model *m, const struct http_reply *http, struct chat_reply *reply,
                         struct error *error)
{
    struct buf said = {0};
    struct span body = buf_span(&http->body);
    int status = http->status;
    const char *host = m->at;
    chat_error_words(body, &said);
    const char *words = buf_cstr(&said);
    if (status == 401 || status == 403)
        refused_key(m, reply, words, error);
    else if (quota_spent(status, body))
        chat_fail(reply, error, CHAT_QUOTA,
                  "%s: the quota is spent (%d: %s); wait until it is renewed, name another model, "
                  "or write situations offline",
                  host, status, words);
    else if (dead_host(status, body))
        chat_fail(reply, error, CHAT_DEAD_HOST,
                  "%s: no such model or service there (%d: %s); check the address and the model's "
                  "name",
                  host, status, words);
    else if (status == 413 || (status == 400 && about_length(body)))
        chat_fail(reply, error, CHAT_TOO_LONG,
                  "%s: the prompt does not fit (%d: %s); shorten it, or say how large the window "
                  "is with --context-tokens",
                  host, status, words);
    else if (http_status_passing(status))
        chat_fail(reply, error, CHAT_TRANSIENT, "%s: still failing after %d tries (%d: %s)", host,
                  http->attempts, status, words);
    else
        chat_fail(reply, error, CHAT_BAD_REQUEST, "%s refuses the request (%d: %s)", host, status,
                  words);
    buf_free(&said);
    return error->code;
}

static int bad_reply(struct model *m, const struct http_reply *http, const char *fault,
                     struct chat_reply *reply, struct error *error)
{
    struct buf words = {0};
    chat_error_words(buf_span(&http->body), &words);
    chat_fail(reply, error, CHAT_BAD_REPLY, "%s: the reply cannot be used, %s: %s", m->at, fault,
              buf_cstr(&words));
    buf_free(&words);
    return error->code;
}

/* ---- a stream's text as it comes ------------------------------------------------------------- */

struct tap {
    const struct chat_request *request;
    enum wire_form form;
    struct sse sse;
    struct buf text;
    int attempt;
};

static bool tap_event(void *context, struct span name, struct span data)
{
    struct tap *tap = context;
    (void)name;
    buf_clear(&tap->text);
    wire_event_text(tap->form, data, &tap->text);
    if (tap->text.len)
        tap->request->on_text(tap->request->data, tap->attempt, buf_span(&tap->text));
    return true;
}

static void tap_bytes(void *data, int attempt, struct span piece)
{
    struct tap *tap = data;
    if (attempt != tap->attempt)
        sse_clear(&tap->sse);
    tap->attempt = attempt;
    sse_feed(&tap->sse, piece, tap_event, tap);
}

/* ---- one call -------------------------------------------------------------------------------- */

static int read_reply(struct model *m, const struct chat_request *request,
                      const struct http_reply *http, struct chat_reply *reply, struct error *error)
{
    enum wire_form form = wire_form_of(&m->spec);
    struct span body = buf_span(&http->body), text = text_strip(body);
    const char *fault = NULL;
    struct buf whole = {0};
    bool good = true;
    if (request->stream && wire_streams(&m->spec) && !(text.len && text.ptr[0] == '{')) {
        good = wire_unstream(form, body, &whole, &fault);
        body = buf_span(&whole);
    }
    good = good && wire_read(form, body, request->logprobs, reply, &fault);
    buf_free(&whole);
    if (!good)
        return bad_reply(m, http, fault, reply, error);
    reply->failure = CHAT_OK;
    return 0;
}

struct attempt {
    struct wire_shape shape;
    struct tap tap;
    struct buf body;
    double deadline; /* seconds, monotonic */
    int retries_left;
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void make_body(struct model *m, const struct chat_request *request, struct attempt *a)
{
    struct json_value extra;
    struct json_fault fault;
    buf_clear(&a->body);
    wire_body(&m->spec, request, &a->shape, &a->body);
    if (wire_form_of(&m->spec) != WIRE_OPENAI)
        return;
    if (m->settings.extra.len && json_scan(m->settings.extra, &extra, NULL, &fault) == 0)
        wire_merge(&a->body, extra);
    if (request->extra.text.ptr)
        wire_merge(&a->body, request->extra);
}

/* Sends the request as it is shaped now. */
static int send_once(struct model *m, const struct chat_request *request, struct attempt *a,
                     struct http_reply *http, bool *missing, struct chat_reply *reply,
                     struct error *error)
{
    double left = a->deadline - now_s();
    make_body(m, request, a);
    struct exchange what = {.method = "POST",
                            .scope = request->scope,
                            .url = buf_span(&m->url),
                            .body = buf_span(&a->body),
                            .timeout_s = left > 0.001 ? left : 0.001,
                            .retries = a->retries_left > 0 ? a->retries_left : -1};
    if (request->stream && request->on_text && wire_streams(&m->spec)) {
        what.on_data = tap_bytes;
        what.data = &a->tap;
    }
    int code = model_exchange(m, &what, http, missing, error);
    reply->status = http->status;
    reply->requests += http->attempts;
    reply->retries += http->retries;
    reply->first_ms = http->first_ms;
    a->retries_left -= http->retries;
    return code;
}

static void shape_begin(struct model *m, const struct chat_request *request, struct attempt *a,
                        struct chat_reply *reply)
{
    enum wire_form form = wire_form_of(&m->spec);
    int64_t budget = request->max_tokens > 0 ? request->max_tokens : CHAT_REPLY_DEFAULT;
    if (form == WIRE_OPENAI && budget < CHAT_REPLY_LEAST)
        budget = CHAT_REPLY_LEAST;
    double limit = request->timeout_s;
    if (limit <= 0)
        limit = fmax(CHAT_TIMEOUT_S, (double)budget * CHAT_SECONDS_PER_TOKEN);
    *a = (struct attempt){.deadline = now_s() + limit, .retries_left = HTTP_RETRIES};
    a->shape = (struct wire_shape){.max_tokens = budget,
                                   .last_user_at = (size_t)-1,
                                   .thinking = m->settings.thinking,
                                   .extra = m->settings.extra,
                                   .no_temperature = atomic_load(&m->no_temperature)};
    a->tap.request = request;
    a->tap.form = form;
    if (m->context_known)
        wire_fit(request, m->context, &a->shape, reply);
}

int chat_settle(struct model *m, int code, bool missing, const struct http_reply *http,
                struct chat_reply *reply, struct error *error)
{
    if (missing) {
        reply->failure = CHAT_NOT_RECORDED;
        return code;
    }
    if (code < 0 && http->failure == HTTP_OK) { /* no credentials to sign with */
        reply->failure = CHAT_AUTH;
        return code;
    }
    if (code < 0)
        return transport_failed(m, http, reply, error);
    if (http->status < 200 || http->status >= 300)
        return status_failed(m, http, reply, error);
    return 0;
}

/* Mends the shape after a 400 and says whether to send it again. */
static bool mended(struct model *m, const struct chat_request *request,
                   const struct http_reply *http, struct attempt *a, struct chat_reply *reply)
{
    struct span words = buf_span(&http->body);
    if (words.len > CHAT_ERROR_READ)
        words.len = CHAT_ERROR_READ;
    if (http->status != 400 || reply->repairs >= CHAT_REPAIRS ||
        !chat_repair(m, request, words, &a->shape, reply))
        return false;
    reply->repairs++;
    return true;
}

static int ask(struct model *m, const struct chat_request *request, struct attempt *a,
               struct chat_reply *reply, struct error *error)
{
    struct http_reply http = {0};
    bool missing;
    int code;
    do
        code = send_once(m, request, a, &http, &missing, reply, error);
    while (code == 0 && mended(m, request, &http, a, reply));
    code = chat_settle(m, code, missing, &http, reply, error);
    if (code == 0)
        code = read_reply(m, request, &http, reply, error);
    http_reply_free(&http);
    return code;
}

static int one_call(struct model *m, const struct chat_request *request, struct chat_reply *reply,
                    struct error *error)
{
    struct attempt a;
    shape_begin(m, request, &a, reply);
    int64_t input = wire_estimate(request, &a.shape);
    int64_t output = a.shape.max_tokens * (request->n > 1 ? request->n : 1);
    struct budget *budget = m->settings.budget;
    int code;
    if (budget && !budget_take(budget, input, output)) {
        code = chat_fail(reply, error, CHAT_NO_BUDGET,
                         "%s: the budget of the run is spent; raise --max-cost to go on", m->at);
    } else {
        code = ask(m, request, &a, reply, error);
        reply->max_tokens_sent = a.shape.max_tokens;
        reply->what_cut.max_tokens_sent = a.shape.max_tokens;
        bool answered = reply->status >= 200 && reply->status < 300;
        if (budget && answered)
            budget_settle(budget, input, output, reply->has_usage ? reply->input_tokens : -1,
                          reply->has_usage ? reply->output_tokens : -1);
        else if (budget)
            budget_settle(budget, input, output, 0, 0);
    }
    sse_free(&a.tap.sse);
    buf_free(&a.tap.text);
    buf_free(&a.body);
    wire_shape_free(&a.shape);
    return code;
}

/* Providers that give one reply at a time are asked again and again (world 10.3). */
static int many_calls(struct model *m, const struct chat_request *request, struct chat_reply *reply,
                      struct error *error)
{
    int n = request->n < CHAT_CHOICES_MAX ? request->n : CHAT_CHOICES_MAX, code = 0;
    struct chat_request single = *request;
    struct chat_choice all[CHAT_CHOICES_MAX] = {0};
    int64_t input = 0, output = 0;
    single.n = 1;
    for (int i = 0; i < n && code == 0; i++) {
        code = one_call(m, &single, reply, error);
        if (code == 0) {
            all[i] = reply->choices[0];
            input += reply->input_tokens > 0 ? reply->input_tokens : 0;
            output += reply->output_tokens > 0 ? reply->output_tokens : 0;
        }
    }
    if (code == 0) {
        reply->choices = arena_alloc(&reply->arena, (size_t)n * sizeof *all);
        memcpy(reply->choices, all, (size_t)n * sizeof *all);
        reply->n_choices = (size_t)n;
        reply->input_tokens = input;
        reply->output_tokens = output;
    }
    return code;
}

static int checked(const struct chat_request *request, struct chat_reply *reply,
                   struct error *error)
{
    struct json_cursor c = json_enter(request->messages);
    struct json_value message;
    if (request->messages.type != JSON_VALUE_ARRAY)
        return chat_fail(reply, error, CHAT_USAGE, "messages is no array");
    while (json_next_item(&c, &message))
        if (message.type != JSON_VALUE_OBJECT)
            return chat_fail(reply, error, CHAT_USAGE, "a message is no object");
    return 0;
}

void chat_count(struct model *m, const struct chat_reply *reply, int code)
{
    pthread_mutex_lock(&m->lock);
    struct model_counts *n = &m->counts;
    n->calls++;
    n->failed += code < 0;
    n->requests += (uint64_t)reply->requests;
    n->retries += (uint64_t)reply->retries;
    n->repairs += (uint64_t)reply->repairs;
    n->prompt_truncated += reply->cut;
    n->logprobs_dropped += reply->logprobs_dropped;
    n->without_usage += code == 0 && !reply->has_usage;
    if (code == 0 && reply->has_usage) {
        n->input_tokens += reply->input_tokens > 0 ? reply->input_tokens : 0;
        n->output_tokens += reply->output_tokens > 0 ? reply->output_tokens : 0;
    }
    pthread_mutex_unlock(&m->lock);
}

int model_chat(struct model *m, const struct chat_request *request, struct chat_reply *reply,
               struct error *error)
{
    struct error unused = {0};
    struct arena arena = reply->arena;
    double began = now_s();
    arena_clear(&arena);
    *reply = (struct chat_reply){.arena = arena, .input_tokens = -1, .output_tokens = -1};
    if (!error)
        error = &unused;
    int code = checked(request, reply, error);
    if (code == 0) {
        if (m->spec.provider == MODEL_EXEC)
            code = exec_chat(m, request, reply, error);
        else if (m->spec.provider == MODEL_REPLAY)
            code = replay_chat(m, request, reply, error);
        else if (request->n > 1 && wire_form_of(&m->spec) != WIRE_OPENAI)
            code = many_calls(m, request, reply, error);
        else
            code = one_call(m, request, reply, error);
    }
    reply->ms = (now_s() - began) * 1000;
    chat_count(m, reply, code);
    return code;
}
