/* judge_model.c: see judge_model.h. */
#include "grade/judge_model.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "grade/defaults.h"
#include "text/digest.h"
#include "text/utf8.h"

struct judge_model {
    struct model *chat;
    struct decision *decision; /* instead */
    double timeout_s;
    int retries;
    pthread_mutex_t lock;
    struct judge_warm_up warm_up;
    int strikes; /* calls in a row to a host that is not there */
    bool dead;   /* no more calls are made: why says the reason */
    struct buf why;
    int64_t next_item; /* of a script */
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- opening ----------------------------------------------------------------------------------- */

static bool is_decision(const char *spec)
{
    return span_starts(span_text(spec), SPAN("typesafe:"));
}

struct judge_model *judge_model_open(const struct judge_model_options *options, struct error *error)
{
    struct judge_model *j = mem_zero(1, sizeof *j);
    struct model_settings settings = model_access_settings(options->models);
    settings.key_env = options->key_env;
    settings.model = options->model;
    j->timeout_s = options->timeout_s;
    j->retries = options->retries;
    pthread_mutex_init(&j->lock, NULL);
    if (is_decision(options->spec))
        j->decision = decision_open(options->spec, &settings, error);
    else
        j->chat = model_open(options->spec, &settings, error);
    if (!j->chat && !j->decision) {
        judge_model_close(j);
        return NULL;
    }
    return j;
}

void judge_model_close(struct judge_model *j)
{
    if (!j)
        return;
    model_close(j->chat);
    decision_close(j->decision);
    buf_free(&j->why);
    pthread_mutex_destroy(&j->lock);
    free(j);
}

const char *judge_model_name(const struct judge_model *j)
{
    return j->chat ? model_name(j->chat) : decision_name(j->decision);
}

bool judge_model_decides(const struct judge_model *j)
{
    return j->decision != NULL;
}

double judge_model_timeout(const struct judge_model *j)
{
    return j->timeout_s;
}

static enum model_provider provider(const struct judge_model *j)
{
    return j->chat ? model_spec_of(j->chat)->provider : MODEL_TYPESAFE;
}

int judge_model_threads(const struct judge_model *j, int jobs)
{
    if (provider(j) == MODEL_REPLAY)
        return 1;
    return jobs <= 0 ? JUDGE_JOBS : jobs < JUDGE_JOBS_MAX ? jobs : JUDGE_JOBS_MAX;
}

void judge_digest(struct span text, char out[JUDGE_DIGEST + 1])
{
    uint8_t digest[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    digest_sha256(text, digest);
    digest_hex(digest, sizeof digest, hex);
    memcpy(out, hex, JUDGE_DIGEST);
    out[JUDGE_DIGEST] = '\0';
}

void judge_model_version(const struct judge_model *j, struct span prompt, const char *rubric,
                         struct span questions, struct buf *out)
{
    struct buf text = {0};
    char digest[JUDGE_DIGEST + 1];
    buf_span_add(&text, prompt);
    if (*rubric)
        buf_format(&text, "|rubric:%s", rubric);
    if (questions.len) {
        buf_byte(&text, '|');
        buf_span_add(&text, questions);
    }
    judge_digest(buf_span(&text), digest);
    buf_format(out, "%s@%s", judge_model_name(j), digest);
    buf_free(&text);
}

/* ---- is anybody there -------------------------------------------------------------------------- */

static void write_messages(struct buf *out, const struct judge_question *q, struct span earlier)
{
    struct json_writer w;
    const struct {
        const char *role;
        struct span text;
    } parts[] = {{"system", q->system},
                 {"user", q->user},
                 {"assistant", earlier},
                 {"user", span_text(prompt_again(q->kind))}};
    buf_clear(out);
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_array(&w);
    for (size_t i = 0; i < (earlier.ptr ? 4 : 2); i++) {
        if (i == 0 && !q->system.len)
            continue;
        json_write_object(&w);
        json_write_key(&w, "role");
        json_write_text(&w, parts[i].role);
        json_write_key(&w, "content");
        json_write_span(&w, parts[i].text);
        json_write_end_object(&w);
    }
    json_write_end_array(&w);
}

static int chat(struct judge_model *j, struct buf *messages, const struct judge_question *q,
                const struct judge_sitting *s, double timeout_s, struct chat_reply *reply,
                struct error *error)
{
    struct json_fault fault;
    struct chat_request request = {.temperature = q->temperature,
                                   .max_tokens = q->max_tokens,
                                   .timeout_s = timeout_s,
                                   .scope = s ? s->scope : "warm-up",
                                   .item = s ? s->item : -1,
                                   .call = s ? s->calls : 0};
    json_scan(buf_span(messages), &request.messages, NULL, &fault);
    return model_chat(j->chat, &request, reply, error);
}

static bool warm_up_call(struct judge_model *j)
{
    struct error error;
    struct buf messages = {0};
    struct chat_reply reply = {0};
    if (j->decision)
        return decision_warm_up(j->decision, JUDGE_WARM_UP_S, &error) == 0;
    const struct judge_question q = {.user = SPAN("Say: ready"),
                                     .max_tokens = JUDGE_WARM_UP_TOKENS};
    write_messages(&messages, &q, (struct span){0});
    int code = chat(j, &messages, &q, NULL, JUDGE_WARM_UP_S, &reply, &error);
    chat_reply_free(&reply);
    buf_free(&messages);
    return code == 0;
}

/* The first to come asks; the others wait until the model is there. */
static void warm_up(struct judge_model *j)
{
    pthread_mutex_lock(&j->lock);
    bool local = provider(j) == MODEL_REPLAY || provider(j) == MODEL_EXEC;
    if (!j->warm_up.tried && !local) {
        double start = now_s();
        j->warm_up.ok = warm_up_call(j);
        j->warm_up.seconds = now_s() - start;
        j->warm_up.tried = true;
    }
    pthread_mutex_unlock(&j->lock);
}

struct judge_warm_up judge_model_warm_up(struct judge_model *j)
{
    pthread_mutex_lock(&j->lock);
    struct judge_warm_up w = j->warm_up;
    pthread_mutex_unlock(&j->lock);
    return w;
}

/* What a failure says about the calls to come. */
static void note_outcome(struct judge_model *j, enum chat_failure failure, const char *why)
{
    pthread_mutex_lock(&j->lock);
    j->strikes = failure == CHAT_DEAD_HOST ? j->strikes + 1 : 0;
    if (!j->dead &&
        (failure == CHAT_AUTH || failure == CHAT_QUOTA || j->strikes >= JUDGE_STRIKES)) {
        j->dead = true;
        buf_text(&j->why, why);
    }
    pthread_mutex_unlock(&j->lock);
}

static bool is_dead(struct judge_model *j, struct buf *why)
{
    pthread_mutex_lock(&j->lock);
    bool dead = j->dead;
    if (dead)
        buf_span_add(why, buf_span(&j->why));
    pthread_mutex_unlock(&j->lock);
    return dead;
}

/* ---- a sitting --------------------------------------------------------------------------------- */

void judge_sitting_begin(struct judge_sitting *s, struct judge_model *j, const char *kind,
                         uint64_t index)
{
    s->judge = j;
    s->calls = 0;
    s->item = -1;
    if (provider(j) == MODEL_REPLAY) { /* one thread: rows are judged in their order */
        pthread_mutex_lock(&j->lock);
        s->item = j->next_item++;
        pthread_mutex_unlock(&j->lock);
    }
    snprintf(s->scope, sizeof s->scope, "%s-%llu", kind, (unsigned long long)index);
    s->said = (struct span){0};
    s->trouble = JUDGE_TROUBLE_NONE;
    buf_clear(&s->why);
    buf_clear(&s->log);
}

void judge_sitting_free(struct judge_sitting *s)
{
    buf_free(&s->why);
    buf_free(&s->log);
    buf_free(&s->messages);
    chat_reply_free(&s->reply);
    decision_reply_free(&s->decision);
    *s = (struct judge_sitting){0};
}

/* Takes note of a failed call. 0, or ERROR_INTERRUPTED. */
static int settle(struct judge_sitting *s, int code, enum chat_failure failure,
                  const struct error *error)
{
    note_outcome(s->judge, code < 0 ? failure : CHAT_OK, code < 0 ? error->text : "");
    if (code == 0)
        return 0;
    if (failure == CHAT_INTERRUPTED || code == ERROR_INTERRUPTED)
        return ERROR_INTERRUPTED;
    s->trouble = failure == CHAT_TIMED_OUT ? JUDGE_TROUBLE_LATE : JUDGE_TROUBLE_FAILED;
    buf_clear(&s->why);
    buf_text(&s->why, error->text);
    return 0;
}

/* Before a call: the model is there, or s->trouble says that no more calls are made. */
static bool ready(struct judge_sitting *s)
{
    s->trouble = JUDGE_TROUBLE_NONE;
    buf_clear(&s->why);
    if (is_dead(s->judge, &s->why)) {
        s->trouble = JUDGE_TROUBLE_FAILED;
        return false;
    }
    warm_up(s->judge);
    return true;
}

/* One call: s->said, or s->trouble. */
static int call(struct judge_sitting *s, const struct judge_question *q, struct span earlier,
                struct error *error)
{
    if (!ready(s))
        return 0;
    write_messages(&s->messages, q, earlier);
    int code = chat(s->judge, &s->messages, q, s, s->judge->timeout_s, &s->reply, error);
    s->calls++;
    int rc = settle(s, code, s->reply.failure, error);
    if (rc < 0 || s->trouble)
        return rc;
    struct span content = s->reply.choices[0].content;
    s->said = content.ptr ? content : SPAN("");
    if (s->log.len)
        buf_byte(&s->log, ',');
    json_quote(&s->log, s->said);
    return 0;
}

int judge_sitting_ask(struct judge_sitting *s, const struct judge_question *q,
                      bool (*read)(void *data, struct span reply), void *data, bool *accepted,
                      struct error *error)
{
    struct buf earlier = {0};
    int code = 0;
    *accepted = false;
    for (int i = 0; i <= s->judge->retries && !code; i++) {
        code = call(s, q, i ? buf_span(&earlier) : (struct span){0}, error);
        if (code < 0 || s->trouble)
            break;
        *accepted = read(data, s->said);
        if (*accepted)
            break;
        buf_clear(&earlier);
        buf_byte(&earlier, ' '); /* an empty turn is refused by some services */
        buf_span_add(&earlier, utf8_head(s->said, JUDGE_AGAIN_CHARS));
    }
    buf_free(&earlier);
    return code;
}

int judge_sitting_decide(struct judge_sitting *s, struct span state, struct span questions,
                         struct error *error)
{
    struct json_fault fault;
    struct decision_request request = {.timeout_s = s->judge->timeout_s, .scope = s->scope};
    if (!ready(s))
        return 0;
    json_scan(state, &request.state, NULL, &fault);
    json_scan(questions, &request.questions, NULL, &fault);
    int code = decision_ask(s->judge->decision, &request, &s->decision, error);
    s->calls++;
    return settle(s, code, s->decision.chat.failure, error);
}

void judge_sitting_entry(const struct judge_sitting *s, struct buf *out)
{
    if (s->trouble) {
        buf_text(out, "{\"error\": ");
        json_quote(out, s->trouble == JUDGE_TROUBLE_LATE ? SPAN("timeout") : buf_span(&s->why));
        buf_byte(out, '}');
        return;
    }
    buf_text(out, "{\"replies\": [");
    buf_span_add(out, buf_span(&s->log));
    buf_text(out, "]}");
}
