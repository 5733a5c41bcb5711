/* inspect.h: what an agent is, before anything is played: its tools, what they can do by their names,
 * which details they ask of a person (world 20.3). */
#ifndef WAI_SCENE_INSPECT_H
#define WAI_SCENE_INSPECT_H

#include "base/error.h"
#include "row/tools.h"

struct inspect_wish {
    const struct row_tools *tools;
    struct span policy; /* stripped */
    const char *agent;  /* spec, as --agent has it; NULL: as the other sources say */
};

/* Appends {"tools", "policy", "capabilities", "constraints", "transport", "name"}. Nothing is asked
 * and nothing started. 0, ERROR_INPUT (wai.yaml) or ERROR_USAGE (the spec). */
int inspect_write(const struct inspect_wish *wish, struct buf *out, struct error *error);

#endif
