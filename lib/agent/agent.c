/* agent.c: the table of agents and the calls that go through it. */
#include "agent/agent.h"

#include <stdlib.h>
#include <string.h>

/* Every buffer of a rollout. */
#define ROLLOUT_BUFS(r)                                                                     \
    &(r)->steps, &(r)->final_text, &(r)->seeded, &(r)->error, &(r)->opener, &(r)->ended_by, \
        &(r)->sampling, &(r)->finish_reason, &(r)->usage, &(r)->members

static const struct agent_kind *const KINDS[] = {&AGENT_SEEDED, &AGENT_ROWS};
enum { N_KINDS = sizeof KINDS / sizeof *KINDS };

static int unknown_spec(const char *spec, struct error *error)
{
    struct buf known = {0};
    for (int i = 0; i < N_KINDS; i++)
        buf_format(&known, "%s%s", i ? ", " : "", KINDS[i]->help);
    int code = error_set(error, ERROR_USAGE, "no agent \"%s\"; an agent is one of %s", spec,
                         buf_cstr(&known));
    buf_free(&known);
    return code;
}

struct agent *agent_open(const char *spec, const struct agent_setting *setting, struct error *error)
{
    if (strcmp(spec, AGENT_SEEDED.prefix) == 0)
        return agent_seeded_open(setting, error);
    size_t n = strlen(AGENT_ROWS.prefix);
    if (strncmp(spec, AGENT_ROWS.prefix, n) == 0)
        return agent_rows_open(spec + n, error);
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

void rollout_counts_add(struct rollout_counts *to, const struct rollout_counts *more)
{
    to->user_turns += more->user_turns;
    to->stripped += more->stripped;
    to->unclosed += more->unclosed;
    to->followup_misses += more->followup_misses;
    to->many_calls += more->many_calls;
    to->long_results += more->long_results;
    to->logprobs_dropped += more->logprobs_dropped;
}
