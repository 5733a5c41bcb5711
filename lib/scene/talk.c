/* talk.c: see talk.h. */
#include "scene/talk.h"

#include <math.h>
#include <string.h>

#include "agent/defaults.h"
#include "base/file.h"
#include "scene/defaults.h"
#include "scene/simulator.h"
#include "scene/traces.h"
#include "text/fold.h"

enum { SCAFFOLD_MAX = 64 << 20 }; /* bytes */

static int read_opening(struct talk_setup *t, const char *text, const struct traces *traces,
                        struct error *error)
{
    double *rate = &t->talk.opening;
    *rate = 0;
    if (!text || strcmp(text, "user") == 0)
        return 0;
    if (strcmp(text, "agent") == 0) {
        *rate = 1;
    } else if (strcmp(text, "auto") == 0) {
        if (!traces)
            return error_set(error, ERROR_USAGE,
                             "--opening auto takes the share of --traces; name them");
        *rate = traces->count ? (double)traces->opened / (double)traces->count : 0;
    } else if (option_read_real(text, rate) || !(*rate >= 0 && *rate <= 1)) {
        return error_set(error, ERROR_USAGE,
                         "--opening %.60s: write user, agent, auto, or a share of 0 to 1", text);
    }
    return 0;
}

static int read_extra(struct talk_setup *t, const char *text, struct error *error)
{
    struct json_value value;
    struct json_fault fault;
    if (!text)
        return 0;
    if (json_scan(span_text(text), &value, NULL, &fault) != 0 || value.type != JSON_VALUE_OBJECT)
        return error_set(error, ERROR_USAGE, "--extra is no JSON object; write {\"key\": value}");
    t->talk.access.extra = span_text(text);
    return 0;
}

static int read_scaffold(struct talk_setup *t, const char *text, struct error *error)
{
    struct buf content = {0};
    int code = 0;
    if (text && *text == '@')
        code = file_read(text + 1, SCAFFOLD_MAX, &content, error);
    else if (text)
        buf_text(&content, text);
    t->scaffold = arena_span(&t->arena, text_strip(buf_span(&content)));
    buf_free(&content);
    return code;
}

static int read_talk(struct talk_setup *t, const struct simulate_options *s,
                     const struct traces *traces, struct error *error)
{
    const struct talk_options *o = &s->talk;
    t->talk = (struct agent_talk){
        .temperature = o->temperature_given ? o->temperature : NAN,
        .user_temperature = o->user_temperature_given ? o->user_temperature : NAN,
        .reply_tokens = o->reply_tokens,
        .max_turns = o->max_turns,
        .min_user_turns = o->min_user_turns,
        .avg_turns = o->avg_turns,
        .timeout_s = o->timeout,
        .logprobs = !o->logprobs || o->logprobs[0] == 'n' ? CHAT_LOGPROBS_NONE
                    : o->logprobs[0] == 's'               ? CHAT_LOGPROBS_SUM
                                                          : CHAT_LOGPROBS_TOKENS,
        .stream = o->stream,
    };
    int code = patience_read(o->patience, &t->talk.patience, error);
    if (!code)
        code = read_opening(t, o->opening, traces, error);
    if (!code)
        code = read_extra(t, o->extra, error);
    return code ? code : read_scaffold(t, o->scaffold, error);
}

static void tell_role(enum model_role_source source, const char *role, const char *spec,
                      struct buf *notes)
{
    if (source == ROLE_FROM_FILE)
        buf_format(notes, "wai.yaml: the %s is %s\n", role, spec);
}

/* Is a client needed for the agent, for the person, or by what the options say? */
/* A grader that a model is behind: a model spec, a rubric (grade 4.3). */
static bool grader_asks_model(const char *grader)
{
    return grader && (model_spec_known(grader) || strcmp(grader, "default") == 0 ||
                      span_starts(span_text(grader), SPAN("rubric:")));
}

static bool needs_access(const struct talk_setup *t, const struct simulate_options *s)
{
    const struct model_options *m = &s->talk.models;
    return grader_asks_model(s->grader) || agent_asks_models(t->agent) || t->talk.user_model ||
           simulator_is_model(t->writer) || m->record || m->replay || m->replay_miss || m->price ||
           m->max_cost_given;
}

static int open_access(struct talk_setup *t, const struct simulate_options *s, struct error *error)
{
    const struct talk_options *o = &s->talk;
    int64_t jobs = s->rows.jobs ? s->rows.jobs : SCENE_JOBS;
    struct span extra = t->talk.access.extra;
    if (!needs_access(t, s))
        return 0;
    t->open = true;
    int code = model_access_open(&t->access, &o->models, (int)jobs, error);
    if (code < 0)
        return code;
    t->talk.access = model_access_settings(&t->access);
    t->talk.access.extra = extra;
    t->talk.access.key_env = o->key_env;
    t->talk.access.model = o->agent_model;
    t->talk.access.context_tokens = o->context_tokens;
    if (o->thinking)
        t->talk.access.thinking = strcmp(o->thinking, "on") == 0    ? CHAT_THINKING_ON
                                  : strcmp(o->thinking, "off") == 0 ? CHAT_THINKING_OFF
                                                                    : CHAT_THINKING_DEFAULT;
    return 0;
}

int talk_setup_open(struct talk_setup *t, const struct simulate_options *s,
                    const struct traces *traces, struct buf *notes, struct error *error)
{
    enum model_role_source source;
    int code = model_roles_read(&t->roles, error);
    if (code < 0)
        return code;
    t->agent = model_role(&t->roles, ROLE_AGENT, s->agent, &source);
    tell_role(source, "agent", t->agent, notes);
    if (!t->agent) {
        t->agent = "seeded";
        buf_text(notes, "no --agent: the seeded agent stands in, and no model is tested; name one "
                        "as --agent openai:MODEL or --agent vllm:MODEL@URL\n");
    }
    t->writer = model_role(&t->roles, ROLE_WRITER,
                           s->simulators.count ? s->simulators.items[0] : NULL, &source);
    tell_role(source, "writer", t->writer, notes);
    if ((code = read_talk(t, s, traces, error)) < 0)
        return code;
    if (agent_talks(t->agent)) {
        t->talk.user_model = model_role(&t->roles, ROLE_USER, s->talk.user_model, &source);
        tell_role(source, "user", t->talk.user_model, notes);
    }
    return open_access(t, s, error);
}

int talk_setup_close(struct talk_setup *t, struct error *error)
{
    int code = t->open ? model_access_close(&t->access, error) : 0;
    model_roles_free(&t->roles);
    arena_free(&t->arena);
    *t = (struct talk_setup){0};
    return code;
}
