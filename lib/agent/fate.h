/* fate.h: what a failed call to a model makes of the rollout (world 12). Inside the room. */
#ifndef WAI_AGENT_FATE_H
#define WAI_AGENT_FATE_H

#include "agent/agent.h"

/* The rollout has failed, or is dropped when the run is over anyway. */
void rollout_call_failed(struct rollout *out, enum chat_failure failure, const struct error *error);

/* A failure that ends more than one attempt at a line: the key, the money, the recording, the run. */
bool chat_failure_is_final(enum chat_failure failure);

/* Counts a call, answered or not. */
void rollout_count_call(struct rollout_usage *usage, const struct chat_reply *reply);

#endif
