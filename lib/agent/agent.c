/* agent.c: the table of agents and the calls that go through it. */
#include "agent/agent.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/answer.h"
#include "agent/program.h"

/* Every buffer of a rollout. */
#define ROLLOUT_BUFS(r)                                                                     \
    &(r)->steps, &(r)->final_text, &(r)->seeded, &(r)->error, &(r)->opener, &(r)->ended_by, \
        &(r)->sampling, &(r)->finish_reason, &(r)->usage, &(r)->members

static const struct agent_kind *const KINDS[] = {&AGENT_SEEDED, &AGENT_ROWS, &AGENT_CMD,
                                                 &AGENT_RUN,    &AGENT_POST, &AGENT_MODEL};
enum { N_KINDS = sizeof KINDS / sizeof *KINDS };

static int unknown_spec(const char *spec, struct error *error)
{
    struct buf known = {0};
    for (int i = 0; i < N_KINDS; i++)
        buf_format(&known, "%s%s", i ? ", " : "", KINDS[i]->help);
    struct model_spec parsed = {0};
    struct error why = {0};
    model_spec_parse(spec, &parsed, &why); /* says what to type instead */
    model_spec_free(&parsed);
    int code = error_set(error, ERROR_USAGE, "no agent \"%s\"; an agent is one of %s%s%s", spec,
                         buf_cstr(&known), why.code ? "; as a model, " : "", why.text);
    buf_free(&known);
    return code;
}

/* What stands behind the kind's prefix, or NULL. */
static const char *behind(const char *spec, const struct agent_kind *kind)
{
    size_t n = strlen(kind->prefix);
    return strncmp(spec, kind->prefix, n) == 0 ? spec + n : NULL;
}

struct agent *agent_open(const char *spec, const struct agent_setting *setting, struct error *error)
{
    const char *rest;
    if (setting && setting->program.format && !behind(spec, &AGENT_RUN)) {
        error_set(error, ERROR_USAGE, "--run-format is for --agent run:COMMAND, not for \"%s\"",
                  spec);
        return NULL;
    }
    if (strcmp(spec, AGENT_SEEDED.prefix) == 0)
        return agent_seeded_open(setting, error);
    if ((rest = behind(spec, &AGENT_ROWS)))
        return agent_rows_open(rest, error);
    if ((rest = behind(spec, &AGENT_CMD)))
        return agent_cmd_open(rest, setting, error);
    if ((rest = behind(spec, &AGENT_RUN)))
        return agent_run_open(rest, setting, error);
    if ((rest = behind(spec, &AGENT_POST)))
        return agent_post_open(rest, setting, error);
    if (model_spec_known(spec))
        return agent_model_open(spec, setting, error);
    unknown_spec(spec, error);
    return NULL;
}

bool agent_asks_models(const char *spec)
{
    return model_spec_known(spec) || behind(spec, &AGENT_POST);
}

bool agent_is_service(const char *spec)
{
    return strncasecmp(spec, "http://", 7) == 0 || strncasecmp(spec, "https://", 8) == 0;
}

bool agent_talks(const char *spec)
{
    return behind(spec, &AGENT_CMD) || (model_spec_known(spec) && !agent_is_service(spec));
}

static const char *command_transport(const char *command, const char *transport, struct buf *name)
{
    char *first = child_command_name(command);
    buf_text(name, first);
    free(first);
    return transport;
}

static const char *address_transport(const char *url, struct buf *name, struct error *error)
{
    struct url parsed;
    if (url_parse(span_text(url), &parsed, error))
        return NULL;
    url_host_add(&parsed, name);
    return "http";
}

static const char *model_transport(const char *spec, struct buf *name, struct error *error)
{
    struct model_spec parsed = {0};
    int code = model_spec_parse(spec, &parsed, error);
    if (!code)
        buf_text(name, model_spec_name(&parsed));
    model_spec_free(&parsed);
    return code ? NULL : "backend_spec";
}

const char *agent_transport(const char *spec, struct buf *name, struct error *error)
{
    const char *rest;
    if (strcmp(spec, AGENT_SEEDED.prefix) == 0) {
        buf_text(name, "seeded_agent");
        return "seeded";
    }
    if ((rest = behind(spec, &AGENT_ROWS))) {
        buf_text(name, rest);
        return "recording";
    }
    if ((rest = behind(spec, &AGENT_CMD)))
        return command_transport(rest, "coprocess", name);
    if ((rest = behind(spec, &AGENT_RUN)))
        return command_transport(rest, "subprocess", name);
    if ((rest = behind(spec, &AGENT_POST)) || agent_is_service(spec))
        return address_transport(rest ? rest : spec, name, error);
    if (model_spec_known(spec))
        return model_transport(spec, name, error);
    unknown_spec(spec, error);
    return NULL;
}

void *agent_worker(struct agent *agent)
{
    return agent->kind->worker ? agent->kind->worker(agent) : NULL;
}

void agent_worker_free(struct agent *agent, void *worker)
{
    if (worker && agent->kind->worker_free)
        agent->kind->worker_free(worker);
}

void agent_play(struct agent *agent, void *worker, const struct agent_task *task,
                struct rollout *out)
{
    rollout_clear(out);
    out->world_seed = task->world_seed;
    agent->kind->play(agent, worker, task, out);
}

void agent_close(struct agent *agent)
{
    if (agent)
        agent->kind->close(agent);
}

void rollout_clear(struct rollout *r)
{
    r->fate = ROLLOUT_DONE;
    r->failure = ROLLOUT_AGENT;
    r->turns_played = false;
    r->counts = (struct rollout_counts){0};
    struct buf *all[] = {ROLLOUT_BUFS(r)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
}

void rollout_free(struct rollout *r)
{
    struct buf *all[] = {ROLLOUT_BUFS(r)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_free(all[i]);
}

static void usage_add(struct rollout_usage *to, const struct rollout_usage *more)
{
    to->calls += more->calls;
    to->retries += more->retries;
    to->without += more->without;
    to->input += more->input;
    to->output += more->output;
}

void rollout_counts_add(struct rollout_counts *to, const struct rollout_counts *more)
{
    to->user_turns += more->user_turns;
    to->stripped += more->stripped;
    to->unclosed += more->unclosed;
    to->followup_misses += more->followup_misses;
    to->many_calls += more->many_calls;
    to->long_results += more->long_results;
    to->logprobs_dropped += more->logprobs_dropped;
    usage_add(&to->agent, &more->agent);
    usage_add(&to->user, &more->user);
    to->execute_failed += more->execute_failed;
    to->steps_ignored += more->steps_ignored;
}
