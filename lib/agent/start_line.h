/* start_line.h: the line that begins a rollout for an agent that is a program or a web service (world
 * 13.2): {"id", "message", "turns", "system_prompt", "tools", "rollout_index", "seed",
 * "scenario_id"}. Faults, the world's state and the teacher's block are never in it. */
#ifndef WAI_AGENT_START_LINE_H
#define WAI_AGENT_START_LINE_H

#include "agent/agent.h"

/* What all rollouts of a run share: `"system_prompt":…,"tools":[…]`. */
struct start_line {
    struct buf shared;
};

void start_line_open(struct start_line *s, const struct agent_setting *setting);
void start_line_free(struct start_line *s);

/* Appends the line, without a newline. */
void start_line_write(const struct start_line *s, const struct agent_task *task, struct span id,
                      const struct span *turns, size_t n_turns, struct buf *out);

/* The turns joined by a blank line. Appends. */
void start_line_message(const struct span *turns, size_t n_turns, struct buf *out);

#endif
