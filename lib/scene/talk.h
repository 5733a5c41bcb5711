/* talk.h: what the command line says of agents that talk with models, made into settings: which
 * models play the agent and the person, how they are asked, how they are reached (world 1.1, 11.5). */
#ifndef WAI_SCENE_TALK_H
#define WAI_SCENE_TALK_H

#include "agent/agent.h"
#include "scene/simulate_options.h"

/* `struct talk_setup t = {0}` is empty. */
struct talk_setup {
    const char *agent;  /* spec */
    const char *writer; /* spec of who writes the messages; NULL: the template writer */
    struct agent_talk talk;
    struct span scaffold; /* stripped */
    struct model_access access;
    struct model_roles roles;
    bool open; /* access is */
    struct arena arena;
};

/* Who plays: option, wai.yaml, variable, else the seeded agent. traces: NULL, or what --opening auto
 * goes by. notes: lines for people, appended. Clients are opened only for agents that need one.
 * ERROR_USAGE, ERROR_INPUT, ERROR_SYSTEM. */
struct traces;
int talk_setup_open(struct talk_setup *t, const struct simulate_options *s,
                    const struct traces *traces, struct buf *notes, struct error *error);

/* 0, or ERROR_SYSTEM: the recording is not whole. */
int talk_setup_close(struct talk_setup *t, struct error *error);

#endif
