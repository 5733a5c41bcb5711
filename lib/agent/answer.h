/* answer.h: who answers an agent's tool calls: the mock world, or the user's own behind --execute
 * (world 13.6). Faults come first either way, and a tool that is not declared, or arguments that
 * are no object, are refused without asking.
 *
 *     struct answerer *a = answerer_new(setting);          one for each thread
 *     answerer_start(a, task, id);
 *     struct answer said = answerer_call(a, tool, arguments, rollout);
 *     answerer_end(a); */
#ifndef WAI_AGENT_ANSWER_H
#define WAI_AGENT_ANSWER_H

#include "agent/agent.h"

struct answers_setting {
    const struct row_tools *tools;
    const char *execute; /* "cmd:COMMAND", "tools" (each by its own `command`), or NULL: the mock */
    int64_t workers;     /* processes of the command; 0: 1 */
    double timeout_s;    /* of one call; 0: EXECUTE_TIMEOUT_S */
    bool sessions;       /* begin and end lines */
    crew_heard *heard;
    const void *heard_data;
};

/* Shared by all threads. NULL: ERROR_USAGE. */
struct answers *answers_new(const struct answers_setting *setting, struct error *error);
void answers_free(struct answers *answers);

/* Rollouts that can be answered at once; 0: any number. */
int64_t answers_most(const struct answers *answers);

struct answerer; /* of one thread */

/* setting->answers NULL: the mock world alone. */
struct answerer *answerer_new(const struct agent_setting *setting);
void answerer_free(struct answerer *a);

/* A rollout begins: a new world. id names it to the command, {NULL}: the task's own
 * (agent_task_id). */
void answerer_start(struct answerer *a, const struct agent_task *task, struct span id);

/* Both borrowed until the next call or start. */
struct answer {
    const struct node *node;
    struct span json; /* what the row keeps: the command's own text where one answered */
};
/* arguments NULL: {}. */
struct answer answerer_call(struct answerer *a, struct span tool, const struct node *arguments,
                            struct rollout *out);

/* The rollout is over: its process is free for others. */
void answerer_end(struct answerer *a);

/* Names a rollout to programs: the same in every run of the same task, another for every task and
 * index. Appends. */
void agent_task_id(const struct agent_task *task, struct buf *out);

/* What a command's reply means (world 13.6): the JSON of the result, appended. False: it is no
 * JSON, or nested too deep. */
bool execute_reply_read(struct span line, struct buf *result);

#endif
