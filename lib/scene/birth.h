/* birth.h: the row that a rollout becomes (world 15): its own keys, the task's, and what is derived
 * from both. Inside the room. */
#ifndef WAI_SCENE_BIRTH_H
#define WAI_SCENE_BIRTH_H

#include "agent/agent.h"
#include "row/conversation.h"
#include "row/signature.h"
#include "row/usable.h"
#include "scene/shapes.h"
#include "scene/task.h"

/* What all rows of one run share. */
struct birth_setting {
    struct span policy; /* as the agent was given it: stripped, with the scaffold */
    const char *model_version;
    const char *user_model; /* who plays the person; NULL: nobody */
    struct span sampling;   /* JSON object of agents that do not tell; empty: null */
    int64_t seed;
    bool scrub;          /* leave out the teacher's block */
    bool replayed;       /* the tasks came from --tasks or an earlier run */
    bool uses_world;     /* rows name the seed of the world that answered */
    int64_t eval_run;    /* with --runs; -1: not written */
    bool replayed_first; /* of a later run whose set the first one drew */
};

/* What rows call a policy by (rows 9.6). */
enum { POLICY_HASH_HEX = 16 };
void policy_hash(struct span policy, char out[POLICY_HASH_HEX + 1]);

struct birth_run; /* the shared members as text */
struct birth_run *birth_run_new(const struct birth_setting *setting);
void birth_run_free(struct birth_run *run);

/* Scratch of one thread. `struct birth b = {0}`. */
struct birth {
    struct row_conversation conversation;
    struct json_members members;
    struct buf begun, scratch, fault;
    const struct shapes *shapes; /* NULL: no action shapes are wanted */
    const struct row_tools *tools;
    struct buf cell;  /* of the row made or read last: its dimensions, */
    struct buf shape; /* its calls as an action shape writes them; empty: none */
};
void birth_free(struct birth *b);

struct born {
    enum row_unusable unusable; /* ROW_USABLE: line holds the row */
    bool truncated;
    bool worthy;        /* a fault was planned or met: worth another rollout */
    bool asked;         /* the agent's last words are a question */
    bool user_left;     /* the person walked away */
    int64_t utterances; /* of both sides (world 8.2) */
    int64_t user_turns; /* of the person, the ask among them */
    int64_t cut_chars;  /* the most that was left out of a prompt; -1: nothing was */
    char signature[ROW_SIGNATURE_LENGTH + 1];
};

/* Counts of one tool (world 16.6). */
struct tool_count {
    int64_t n, faults, injected;
};
/* Called for each answered call: the tool's name, whether it failed, whether the row's plan names
 * it. */
typedef void birth_call(void *data, struct span tool, bool fault, bool injected);

/* Writes the row into line (cleared), without a newline. */
void birth_row(struct birth *b, const struct birth_run *run, const struct scene_task *task,
               const struct rollout *rollout, int64_t rollout_index, struct buf *line,
               struct born *born, birth_call *call, void *data);

/* What is derived from a row that is there already: born, and its calls. */
void birth_read(struct birth *b, const struct scene_task *task, const struct row *row,
                struct born *born, birth_call *call, void *data);

#endif
