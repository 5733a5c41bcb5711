/* agent.c: the table of agents and the calls that go through it. */
#include "agent/agent.h"

#include <stdlib.h>
#include <string.h>

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
    buf_clear(&r->steps);
    buf_clear(&r->final_text);
    buf_clear(&r->seeded);
    buf_clear(&r->error);
}

void rollout_free(struct rollout *r)
{
    buf_free(&r->steps);
    buf_free(&r->final_text);
    buf_free(&r->seeded);
    buf_free(&r->error);
}
