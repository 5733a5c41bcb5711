/* program.h: agents that are programs of the user's own: cmd:COMMAND, a co-process (world 13);
 * run:COMMAND, one process for each rollout (14.3); post:URL, a web service (14.2). */
#ifndef WAI_AGENT_PROGRAM_H
#define WAI_AGENT_PROGRAM_H

#include "agent/agent.h"

extern const struct agent_kind AGENT_CMD, AGENT_RUN, AGENT_POST;
/* NULL: ERROR_USAGE. */
struct agent *agent_cmd_open(const char *command, const struct agent_setting *setting,
                             struct error *error);
struct agent *agent_run_open(const char *command, const struct agent_setting *setting,
                             struct error *error);
/* ERROR_REMOTE too: the key that --agent-key-env names is not there. */
struct agent *agent_post_open(const char *url, const struct agent_setting *setting,
                              struct error *error);

#endif
