/* swarm_ask.c: one attempt of a swarm: what the model is told, its reply, the command's number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/pool.h"
#include "scene/defaults.h"
#include "scene/swarm_inside.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/reasoning.h"
#include "text/utf8.h"
#include "json/write.h"

static const char INSTRUCTION[] = "Solve the problem you are given. Answer with the whole "
                                  "solution, from beginning to end, so that "
                                  "it can be checked as it stands.";

static const char IMPROVE[] =
    "Write a better attempt: the whole answer again, not only what changes. Keep what works, mend "
    "what the notes find wrong, and take from the other attempt what is better there.";

/* ---- the message ----------------------------------------------------------------------------- */

static void add_attempt(const struct attempt *a, const char *whose, struct buf *out)
{
    buf_format(out, "\n\n%s (fitness %.2f):\n", whose, a->fitness);
    buf_span_add(out, buf_span(&a->text));
    if (a->feedback.len) {
        buf_text(out, "\nNotes on it: ");
        buf_span_add(out, utf8_head(buf_span(&a->feedback), SWARM_FEEDBACK_SHOWN));
    }
}

struct span swarm_message(const struct swarm *swarm, struct problem *p, int64_t particle,
                          const struct attempt *teammate)
{
    struct buf out = {0};
    (void)swarm;
    buf_span_add(&out, p->task->prompt);
    if (p->best[particle])
        add_attempt(p->best[particle], "Your best attempt so far", &out);
    if (teammate)
        add_attempt(teammate, "A teammate's best attempt", &out);
    if (p->best[particle] || teammate) {
        buf_text(&out, "\n\n");
        buf_text(&out, IMPROVE);
    }
    struct span message = arena_span(&p->arena, buf_span(&out));
    buf_free(&out);
    return message;
}

/* ---- the model ------------------------------------------------------------------------------- */

static void write_messages(const struct swarm *swarm, const struct attempt *a, struct buf *out)
{
    struct span instruction = swarm->setting->instruction;
    buf_text(out, "[{\"role\":\"system\",\"content\":");
    json_quote(out, instruction.len ? instruction : span_text(INSTRUCTION));
    buf_text(out, "},{\"role\":\"user\",\"content\":");
    json_quote(out, a->message);
    buf_text(out, "}]");
}

/* The run is over. The first reason counts. */
static void end_run(struct swarm *swarm, const struct error *error)
{
    struct swarm_end *end = &swarm->end;
    pthread_mutex_lock(&end->lock);
    if (!end->caught)
        end->error = *error;
    end->caught = true;
    atomic_store(&end->stop, true);
    pthread_mutex_unlock(&end->lock);
}

/* World 12: does this failure end the run? */
static bool ends_run(struct swarm *swarm, enum chat_failure failure)
{
    switch (failure) {
    case CHAT_AUTH:
    case CHAT_QUOTA:
    case CHAT_NO_BUDGET:
    case CHAT_NOT_RECORDED:
    case CHAT_INTERRUPTED:
    case CHAT_USAGE: return true;
    default: break;
    }
    pthread_mutex_lock(&swarm->end.lock);
    int64_t strikes = swarm->end.strikes = failure == CHAT_DEAD_HOST
                                               ? swarm->end.strikes + 1
                                               : (failure == CHAT_OK ? 0 : swarm->end.strikes);
    pthread_mutex_unlock(&swarm->end.lock);
    return strikes >= SCENE_DEAD_HOST_STRIKES;
}

static int64_t attempt_number(const struct swarm *swarm, const struct attempt *a)
{
    return a->round * swarm->setting->particles + a->particle;
}

static bool ask_model(struct swarm *swarm, struct attempt *a)
{
    const struct swarm_setting *s = swarm->setting;
    struct buf messages = {0}, extra = {0}, scratch = {0};
    struct chat_reply reply = {0};
    struct error error = {0};
    char scope[64];
    int64_t number = attempt_number(swarm, a);
    int64_t seed = SWARM_SEED_STRIDE * s->seed + number;
    write_messages(swarm, a, &messages);
    buf_format(&extra, "{\"seed\":%lld}", (long long)seed);
    snprintf(scope, sizeof scope, "swarm:%zu:%lld", a->problem->number, (long long)number);
    struct chat_request request = {
        .messages = {.type = JSON_VALUE_ARRAY, .text = buf_span(&messages)},
        .temperature = s->temperature,
        .max_tokens = s->reply_tokens,
        .extra = {.type = JSON_VALUE_OBJECT, .text = buf_span(&extra)},
        .timeout_s = s->timeout_s,
        .has_seed = true,
        .seed = seed,
        .scope = scope,
        .item = (int64_t)a->problem->number,
        .call = number,
    };
    int code = model_chat(s->model, &request, &reply, &error);
    if (ends_run(swarm, code ? reply.failure : CHAT_OK))
        end_run(swarm, &error);
    if (code)
        buf_text(&a->why, error.text);
    else if (reply.choices[0].content.ptr)
        buf_span_add(&a->text,
                     text_strip(text_split_reasoning(reply.choices[0].content, &scratch).spoken));
    if (!code && !a->text.len)
        buf_text(&a->why, "the model's reply is empty");
    chat_reply_free(&reply);
    buf_free(&messages);
    buf_free(&extra);
    buf_free(&scratch);
    return a->text.len > 0;
}

/* ---- the fitness command --------------------------------------------------------------------- */

void scorers_open(struct scorers *s, const char *command, double seconds, int64_t jobs)
{
    int cpus = pool_cpu_count();
    *s = (struct scorers){.command = command, .seconds = seconds};
    s->most = (size_t)(jobs < cpus ? jobs : cpus);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->freed, NULL);
}

void scorers_close(struct scorers *s)
{
    for (size_t i = 0; i < s->n_idle; i++)
        coproc_close(s->idle[i]);
    free(s->idle);
    pthread_cond_destroy(&s->freed);
    pthread_mutex_destroy(&s->lock);
}

static struct coproc *take_scorer(struct scorers *s)
{
    struct coproc *taken = NULL;
    size_t number = 0;
    pthread_mutex_lock(&s->lock);
    while (!s->n_idle && s->n_open == s->most)
        pthread_cond_wait(&s->freed, &s->lock);
    if (s->n_idle)
        taken = s->idle[--s->n_idle];
    else
        number = s->n_open++;
    pthread_mutex_unlock(&s->lock);
    if (taken)
        return taken;
    char worker[48];
    snprintf(worker, sizeof worker, "WAI_WORKER=%zu", number);
    const char *const environment[] = {"WAI_PROTOCOL=1", worker, NULL};
    return coproc_open(s->command, environment);
}

/* died: without a reply. true: too often in a row. */
static bool give_back(struct scorers *s, struct coproc *scorer, bool died)
{
    pthread_mutex_lock(&s->lock);
    s->idle = mem_grow(s->idle, &s->cap, s->n_idle + 1, sizeof *s->idle);
    s->idle[s->n_idle++] = scorer;
    s->deaths = died ? s->deaths + 1 : 0;
    bool hopeless = s->deaths >= SWARM_DEATHS_MAX;
    pthread_cond_signal(&s->freed);
    pthread_mutex_unlock(&s->lock);
    return hopeless;
}

/* A number, or an object with one. NULL, or what is wrong with the reply. */
static const char *read_fitness(struct span reply, struct attempt *a)
{
    struct json_value value, member, fitness;
    struct json_fault fault;
    struct buf scratch = {0};
    const char *wrong = NULL;
    if (json_scan(reply, &value, NULL, &fault))
        return "the fitness command's reply is no JSON";
    fitness = value;
    if (value.type == JSON_VALUE_OBJECT && !json_get(value, SPAN("fitness"), &fitness)) {
        if (json_get(value, SPAN("error"), &member) && member.type == JSON_VALUE_STRING)
            buf_span_add(&a->why, json_text(member, &scratch));
        wrong = "the fitness command's reply has no fitness";
    } else if (fitness.type != JSON_VALUE_NUMBER ||
               !isfinite(a->fitness = number_of_json(fitness.text)) || a->fitness < 0) {
        wrong = "the fitness command's reply is no number from 0 on";
    } else if (value.type == JSON_VALUE_OBJECT) {
        if (json_get(value, SPAN("correct"), &member) && member.type != JSON_VALUE_TRUE &&
            member.type != JSON_VALUE_FALSE && member.type != JSON_VALUE_NULL)
            wrong = "correct in the fitness command's reply is neither true nor false";
        a->correct = json_get(value, SPAN("correct"), &member) && member.type == JSON_VALUE_TRUE;
        if (json_get(value, SPAN("feedback"), &member) && member.type == JSON_VALUE_STRING)
            buf_span_add(&a->feedback, json_text(member, &scratch));
    }
    buf_free(&scratch);
    return wrong;
}

static void say_death(const struct child_exit *ended, struct buf *why)
{
    if (ended->signal)
        buf_format(why, "the fitness command was ended by signal %d before it replied",
                   ended->signal);
    else
        buf_format(why, "the fitness command ended with exit status %d before it replied",
                   ended->status);
}

static void ask_fitness(struct swarm *swarm, struct attempt *a)
{
    struct scorers *s = &swarm->scorers;
    struct buf line = {0};
    struct child_exit ended = {0};
    struct span reply;
    struct error error = {0};
    const char *wrong = NULL;
    buf_format(&line, "{\"id\":\"%zu-%lld-%lld\",\"text\":", a->problem->number,
               (long long)a->round, (long long)a->particle);
    json_quote(&line, buf_span(&a->text));
    buf_text(&line, ",\"prompt\":");
    json_quote(&line, a->problem->task->prompt);
    buf_byte(&line, '}');
    struct coproc *scorer = take_scorer(s);
    enum coproc_result result =
        coproc_ask(scorer, buf_span(&line), s->seconds, &reply, &ended, &error);
    switch (result) {
    case COPROC_OK: wrong = read_fitness(reply, a); break;
    case COPROC_DIED: say_death(&ended, &a->why); break;
    case COPROC_TIMEOUT:
        buf_format(&a->why, "the fitness command took longer than %g s", s->seconds);
        break;
    case COPROC_TOO_LONG: wrong = "the fitness command's reply is too long"; break;
    case COPROC_FAILED:
        buf_text(&a->why, error.text);
        end_run(swarm, &error);
        break;
    }
    a->done = result == COPROC_OK && !wrong;
    if (wrong && !a->why.len)
        buf_text(&a->why, wrong);
    if (give_back(s, scorer, result == COPROC_DIED)) {
        error_set(&error, ERROR_REMOTE, "--fitness cmd:%s: %.*s, %d times in a row", s->command,
                  (int)a->why.len, a->why.data, SWARM_DEATHS_MAX);
        end_run(swarm, &error);
    }
    buf_free(&line);
}

void swarm_attempt(struct swarm *swarm, struct attempt *a)
{
    if (atomic_load(&swarm->end.stop))
        return;
    if (ask_model(swarm, a) && !atomic_load(&swarm->end.stop))
        ask_fitness(swarm, a);
}
