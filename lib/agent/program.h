/* cmd.h: agents that are programs of the user's own: cmd:COMMAND, a co-process (world 13). */
#ifndef WAI_AGENT_CMD_H
#define WAI_AGENT_CMD_H

#include "agent/agent.h"

extern const struct agent_kind AGENT_CMD;
/* NULL: ERROR_USAGE. */
struct agent *agent_cmd_open(const char *command, const struct agent_setting *setting,
                             struct error *error);

#endif
