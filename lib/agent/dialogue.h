/* dialogue.h: one rollout as a talk: its turns and their budget, the steps as they are recorded, who
 * speaks next, and how it ends (world 8.2, 8.5). For every agent that talks with the simulated
 * person, whatever plays the agent.
 *
 *     dialogue_start(&d, &setting, task, out);
 *     while (dialogue_turn(&d)) {
 *         …the agent's turn…
 *         for each call:  dialogue_call(&d, …);
 *         after calls:    dialogue_called(&d);
 *         when it spoke without a call:
 *             next = dialogue_said(&d, spoken, facts);
 *             DIALOGUE_USER: d.line is the person's; DIALOGUE_END, DIALOGUE_FAILED: break
 *     }
 *     dialogue_finish(&d);
 */
#ifndef WAI_AGENT_DIALOGUE_H
#define WAI_AGENT_DIALOGUE_H

#include "agent/simuser.h"

struct dialogue_setting {
    int64_t max_turns; /* of the agent */
    int64_t min_user_turns;
    double avg_turns;
    struct patience patience;
    const struct simuser *person; /* NULL: only the turns that the prompt scripts */
    bool
        speaks_up; /* it says when it speaks: an announcement or nothing is a line like any other */
    bool all_turns; /* max_turns of them, whatever the length that is drawn; none is added */
};

/* `struct dialogue d = {0}`; reuse it from rollout to rollout. */
struct dialogue {
    const struct dialogue_setting *setting;
    const struct agent_task *task;
    struct rollout *out;
    struct arena arena;
    struct span *turns; /* that the prompt scripts; the first is the opening line */
    size_t n_turns, next_turn;
    int64_t budget, remaining, turn, user_turns, min_users, questions;
    bool bonus, has_call;
    struct buf final, last_text, line, transcript, scope;
    struct span *said; /* lines of the person */
    size_t n_said, said_cap;
    size_t *ends; /* of each step, in out->steps */
    size_t n_steps, ends_cap;
    int64_t replies; /* asked for, of the model that plays both, or of the person's */
    struct chat_reply reply;
};

void dialogue_free(struct dialogue *d);

void dialogue_start(struct dialogue *d, const struct dialogue_setting *setting,
                    const struct agent_task *task, struct rollout *out);

bool dialogue_turn(struct dialogue *d); /* the agent's turn begins; false: none is left */
void dialogue_heard(struct dialogue *d, struct span spoken); /* the agent's words of this turn */

/* A step with a call. arguments, result: JSON. text: said beside it, empty: nothing. facts: members
 * of the step, `"key":value,…`, or empty. */
struct dialogue_step {
    struct span tool, arguments, result, text, facts;
};
void dialogue_call(struct dialogue *d, const struct dialogue_step *step);
void dialogue_record(struct dialogue *d, struct json_value step); /* one that the agent made */
void dialogue_called(struct dialogue *d); /* all calls of the turn are answered */

enum dialogue_next {
    DIALOGUE_AGAIN, /* the agent's turn once more */
    DIALOGUE_USER,  /* the person says d->line */
    DIALOGUE_END,
    DIALOGUE_FAILED, /* the rollout's fate says how */
};
/* The agent has spoken without a call. */
enum dialogue_next dialogue_said(struct dialogue *d, struct span spoken, struct span facts);

/* Is the tool a person (declared with kind "human"), and is there one? */
bool dialogue_is_human(const struct dialogue *d, const struct row_tools *tools, struct span tool);

/* Asks the person that the tool stands for, with the call's question or summary; the result of the
 * call. NULL: the rollout has failed. */
const struct node *dialogue_ask(struct dialogue *d, const struct node *arguments,
                                struct arena *arena);

/* The rollout's steps and last words. */
void dialogue_finish(struct dialogue *d);

/* The steps as they are: the agent tells its last words itself. */
void dialogue_close(struct dialogue *d);

#endif
