/* agent.h: who plays. An agent gets a task (a prompt, a world to act in) and returns one rollout:
 * its steps and its last words. Every kind is a small table of functions; `--agent SPEC` names one.
 *
 * play runs on any thread, each with its own worker; what an agent returns depends only on the
 * task, so that the number of threads never changes a row. */
#ifndef WAI_AGENT_AGENT_H
#define WAI_AGENT_AGENT_H

#include "base/buf.h"
#include "base/error.h"
#include "base/options.h"
#include "world/world.h"

/* What one rollout starts from. Borrowed from the caller while it is played. */
struct agent_task {
    struct span prompt;
    int64_t rollout_index;   /* within the prompt's group */
    const struct node *plan; /* faults and riders, or NULL */
    enum world_state state;
    int64_t world_seed;       /* seed of the world that answers */
    struct span reference;    /* the teacher's sentence; empty: none */
    struct span hidden_state; /* PYJSONS of the teacher's object; empty: none */
    bool privileged;          /* the task has a teacher's block */
};

enum rollout_fate {
    ROLLOUT_DONE,
    ROLLOUT_ERROR, /* the agent failed: error says how */
};

/* What a rollout brings. `struct rollout r = {0}` is empty; reuse it. */
struct rollout {
    enum rollout_fate fate;
    struct buf steps;      /* a JSON array */
    struct buf final_text; /* the agent's last words */
    struct buf
        seeded; /* JSON array of the faults it committed on purpose; empty: not such an agent */
    struct buf error;   /* one sentence */
    int64_t world_seed; /* seed of the world that answered */
};

void rollout_clear(struct rollout *r);
void rollout_free(struct rollout *r);

struct agent; /* one kind, opened */

struct agent_kind {
    const char *prefix; /* of the spec: "rows:"; a whole word when it has no colon */
    const char *help;   /* the spec as --help and messages show it */
    void *(*worker)(struct agent *agent); /* state of one thread, or NULL */
    void (*worker_free)(void *worker);
    void (*play)(struct agent *agent, void *worker, const struct agent_task *task,
                 struct rollout *out);
    void (*close)(struct agent *agent);
};

struct agent {
    const struct agent_kind *kind;
    const char *version; /* model_version of its rows */
    bool uses_world;     /* a mock world answers its calls; rows name its seed */
};

/* What an agent may need; borrowed for its life. */
struct agent_setting {
    const struct row_tools *tools;
    const struct world_tools *world_tools;
    const struct world_options *world_options;
    double seeded_rate; /* share of rollouts with a planted behaviour; cut to 0..1 */
    int64_t agent_seed;
    const char *behaviors; /* comma-separated, in the order to draw from; NULL: all */
};

/* Opens what SPEC names. NULL: ERROR_USAGE (no such spec, a bad setting) or ERROR_INPUT (its file).
 */
struct agent *agent_open(const char *spec, const struct agent_setting *setting,
                         struct error *error);

void *agent_worker(struct agent *agent);
void agent_worker_free(struct agent *agent, void *worker);
void agent_play(struct agent *agent, void *worker, const struct agent_task *task,
                struct rollout *out);
void agent_close(struct agent *agent);

/* ---- kinds: each file opens its own; agent.c lists them -------------------------------------- */

extern const struct agent_kind AGENT_SEEDED, AGENT_ROWS;
struct agent *agent_seeded_open(const struct agent_setting *setting, struct error *error);
struct agent *agent_rows_open(const char *path, struct error *error);

#endif
