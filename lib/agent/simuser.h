/* simuser.h: the simulated person: a model that is asked for the human's next line, or for the
 * answer to a tool that is a person (world 9). Shared by threads; what changes is in the ask. */
#ifndef WAI_AGENT_SIMUSER_H
#define WAI_AGENT_SIMUSER_H

#include "agent/agent.h"

/* What the person is, for the life of an agent. */
struct simuser {
    struct model *model; /* borrowed */
    struct patience patience;
    double temperature; /* NaN: SIMUSER_LINE_TEMPERATURE, SIMUSER_ANSWER_TEMPERATURE */
    double timeout_s;   /* of an agent's call */
    struct buf hints;   /* details that the tools ask for, told in the request */
    struct buf tools;   /* their names */
    bool about_code;    /* the tools are about code repositories */
};

/* The model that --user-model names; what describes the agent's endpoint says nothing of it. NULL:
 * as model_open. */
struct model *simuser_model(const struct agent_talk *talk, struct error *error);

void simuser_open(struct simuser *u, struct model *model, const struct agent_setting *setting,
                  double timeout_s);
void simuser_free(struct simuser *u);

/* Where a thread stands when the person is to speak. */
struct simuser_ask {
    const struct agent_task *task;
    struct span need;        /* the opening line */
    struct span prior;       /* the person's last line */
    struct span agent_text;  /* what the agent said last */
    struct span transcript;  /* dialogue.h */
    const struct span *said; /* all lines of the person */
    size_t n_said;
    bool forced; /* the person has to speak */
    const char *scope;
    int64_t *call; /* the next reply of a replay: file */
};

enum simuser_result {
    SIMUSER_LINE,
    SIMUSER_LEFT,    /* the person walked away */
    SIMUSER_NOTHING, /* no usable line */
    SIMUSER_FAILED,  /* the rollout's fate says how */
};

/* The person's next line, in line (cleared). Counts and failures go to out. */
enum simuser_result simuser_next(const struct simuser *u, const struct simuser_ask *ask,
                                 struct chat_reply *reply, struct buf *line, struct rollout *out);

/* The answer to a human tool, in answer (cleared); empty: none. false: the rollout has failed. */
bool simuser_answer(const struct simuser *u, const struct simuser_ask *ask, struct span question,
                    struct chat_reply *reply, struct buf *answer, struct rollout *out);

/* A tag of the situation: of its dimensions, else a scalar of the plan; empty: none. */
struct span simuser_tag(const struct agent_task *task, const char *name);

/* How the person types: the tag of the situation, else as the opening line is typed. */
struct span simuser_typing(const struct agent_task *task, struct span need);

/* The person's way of typing laid over a clean line, in place (world 9.3, step 2). */
void simuser_texture(struct span texture, struct buf *line);

/* Notes on who the person is, from the tags, else from the opening line (world 9.2). */
void simuser_notes(const struct agent_task *task, struct span need, struct buf *out);

#endif
