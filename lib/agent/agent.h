/* agent.h: who plays. An agent gets a task (a prompt, a world to act in) and returns one rollout:
 * its steps and its last words. Every kind is a small table of functions; `--agent SPEC` names one.
 *
 * play runs on any thread, each with its own worker; what an agent returns depends only on the
 * task, so that the number of threads never changes a row. An agent that `waits` (for a model, a
 * process, a host) is played by as many threads as --jobs says, the others by one for each CPU. */
#ifndef WAI_AGENT_AGENT_H
#define WAI_AGENT_AGENT_H

#include <stdatomic.h>

#include "agent/turns.h"
#include "base/buf.h"
#include "base/crew.h"
#include "base/error.h"
#include "base/options.h"
#include "model/chat.h"
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
    struct span scenario_id;
    const struct node *dimensions; /* the situation's tags (stance, tone, texture …), or NULL */
    const struct node *manner;     /* texture and tone of the message, or NULL */
    int64_t run_seed;
    int64_t eval_run;        /* with --runs */
    int64_t ordinal;         /* of the rollout in the run's schedule, from 0 */
    double mean_utterances;  /* of the rows of earlier rounds; NaN: none yet */
    const atomic_bool *stop; /* the run is over: give up soon; NULL: never */
};

enum rollout_fate {
    ROLLOUT_DONE,
    ROLLOUT_ERROR,   /* the agent failed: error says how, failure what it means */
    ROLLOUT_DROPPED, /* given up because the run is over: neither a row nor lost */
};

/* What a failure means for the run (world 12). */
enum rollout_failure {
    ROLLOUT_AGENT,     /* this rollout is lost */
    ROLLOUT_TIMED_OUT, /* so it is, and counted apart */
    ROLLOUT_STRIKE,    /* nothing at the host: three of them without a row between end the run */
    ROLLOUT_AUTH,      /* these end the run at once: the key is missing or refused, */
    ROLLOUT_QUOTA,     /* spent, */
    ROLLOUT_COST,      /* --max-cost is reached, */
    ROLLOUT_REPLAY,    /* --replay has no such request, */
    ROLLOUT_DEAD,      /* the agent cannot be started at all */
};

/* Calls of models in one role. */
struct rollout_usage {
    int64_t calls, retries, without; /* without: replies that told no usage */
    int64_t input, output;           /* tokens */
};

/* What happened on the way, added up over the run, lost rollouts too. */
struct rollout_counts {
    int64_t user_turns;       /* replies of the simulated person */
    int64_t stripped;         /* of them, with thoughts that were taken out */
    int64_t unclosed;         /* of them, with a thought that had no end */
    int64_t followup_misses;  /* follow-ups that were wanted and gave no usable line */
    int64_t many_calls;       /* replies with more tool calls than any sane one */
    int64_t long_results;     /* results over a mebibyte */
    int64_t logprobs_dropped; /* replies that came without the ones asked for */
    int64_t execute_failed;   /* calls that --execute's command did not answer */
    int64_t steps_ignored;    /* done lines with steps beside those that were recorded */
    struct rollout_usage agent, user;
};

void rollout_counts_add(struct rollout_counts *to, const struct rollout_counts *more);

/* What a rollout brings. `struct rollout r = {0}` is empty; reuse it. Turn facts stand on the steps
 * (world 8.7); the row's sums are taken from there. */
struct rollout {
    enum rollout_fate fate;
    enum rollout_failure failure;
    struct buf steps;      /* a JSON array */
    struct buf final_text; /* the agent's last words */
    struct buf
        seeded; /* JSON array of the faults it committed on purpose; empty: not such an agent */
    struct buf error;         /* one sentence */
    struct buf opener;        /* what the agent said before the person did; empty: nothing */
    struct buf ended_by;      /* "user_left", or what the agent says; empty: nothing to tell */
    struct buf sampling;      /* JSON object, as sent; empty: --sampling, else null */
    struct buf finish_reason; /* told by the agent: stop, length, tool or error; empty: not told */
    struct buf usage;   /* JSON object told by the agent itself; empty: summed over the steps */
    struct buf members; /* the agent's own row members, `"key":value,…` without the commas outside;
                           never a key that the row has anyway */
    bool turns_played;  /* the later user turns of the prompt are among the steps */
    int64_t world_seed; /* seed of the world that answered */
    struct rollout_counts counts;
};

void rollout_clear(struct rollout *r);
void rollout_free(struct rollout *r);

struct agent;   /* one kind, opened */
struct answers; /* answer.h */

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
    const char *version;    /* model_version of its rows */
    const char *user_model; /* who plays the person; NULL: nobody does */
    bool uses_world;        /* a mock world answers its calls; rows name its seed */
    bool waits;             /* play mostly waits: --jobs threads, whatever the CPUs */
    int64_t most;           /* rollouts in flight that it can hold; 0: any number */
    bool scaffolded;        /* it is given the scaffold behind the policy */
    /* How it is asked, as resolved, for the report; 0: not asked so. */
    int64_t max_turns;
    double temperature, timeout_s;
    bool own_clock; /* timeout_s is of a rollout (--agent-timeout), not of a call to a model */
};

/* How an agent that talks with models is asked (world 1.1). Zero is the default of each, but for
 * the numbers that say NaN. */
struct agent_talk {
    struct model_settings access; /* client, recording, budget; http NULL: nothing may be sent */
    const char *user_model;       /* spec of who plays the person; NULL: the agent's own model */
    double temperature;           /* NaN: 0.8, or 0.3 for a deployed agent */
    double user_temperature;      /* NaN: 0.475 for a line, 0.9 for a human tool */
    int64_t reply_tokens;         /* of a turn; 0: by the window */
    int64_t max_turns;            /* of the agent; 0: by the window and the tools */
    int64_t min_user_turns;       /* 0: 1 */
    double avg_turns;             /* utterances of a thread, both sides together */
    struct patience patience;
    double opening;   /* share of threads that the agent opens */
    double timeout_s; /* of a call; 0: by the reply budget */
    enum chat_logprobs logprobs;
    bool stream;
};

/* How an agent that is a program of the user's own is run (world 1.1, 13, 14). */
struct agent_program {
    int64_t workers;    /* processes of cmd:; 0: one for each CPU, as far as there are jobs */
    double timeout_s;   /* of one rollout, the waits for the world aside; 0: AGENT_TIMEOUT_S */
    const char *format; /* what run: reads: json, text, claude, codex or pi; NULL: json */
    crew_heard *heard;  /* a line of a process's standard error; NULL: inherited */
    const void *heard_data;
};

/* What an agent may need; borrowed for its life. */
struct agent_setting {
    const struct row_tools *tools;
    const struct world_tools *world_tools;
    const struct world_options *world_options;
    double seeded_rate; /* share of rollouts with a planted behaviour; cut to 0..1 */
    int64_t agent_seed;
    const char *behaviors; /* comma-separated, in the order to draw from; NULL: all */
    struct span policy;    /* stripped */
    struct span scaffold;  /* what a model is told behind the policy; stripped */
    struct agent_talk talk;
    int64_t jobs;            /* rollouts in flight */
    struct answers *answers; /* who answers tool calls: answer.h */
    struct agent_program program;
};

/* Opens what SPEC names. NULL: ERROR_USAGE (no such spec, a bad setting) or ERROR_INPUT (its file).
 */
struct agent *agent_open(const char *spec, const struct agent_setting *setting,
                         struct error *error);

bool agent_asks_models(const char *spec); /* it needs the client of agent_talk.access */
bool agent_talks(const char *spec);       /* a simulated person may speak with it */
bool agent_is_service(const char *spec);  /* a bare address: a deployed agent */

/* How the agent is reached: "seeded", "recording", "coprocess", "subprocess", "http",
 * "backend_spec"; its name is appended. Nothing is opened. NULL: ERROR_USAGE. */
const char *agent_transport(const char *spec, struct buf *name, struct error *error);

void *agent_worker(struct agent *agent);
void agent_worker_free(struct agent *agent, void *worker);
void agent_play(struct agent *agent, void *worker, const struct agent_task *task,
                struct rollout *out);
void agent_close(struct agent *agent);

/* ---- kinds: each file opens its own; agent.c lists them -------------------------------------- */

extern const struct agent_kind AGENT_SEEDED, AGENT_ROWS, AGENT_MODEL;
struct agent *agent_seeded_open(const struct agent_setting *setting, struct error *error);
struct agent *agent_rows_open(const char *path, struct error *error);
struct agent *agent_model_open(const char *spec, const struct agent_setting *setting,
                               struct error *error);

#endif
