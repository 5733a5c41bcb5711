/* turns.h: how long a conversation lasts and who speaks next: draws of the hash kind, so that a row
 * depends on its prompt alone (world 8.1, 8.2, 8.4, 9.4). */
#ifndef WAI_AGENT_TURNS_H
#define WAI_AGENT_TURNS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "json/scan.h"

/* What stands between two messages of one prompt (world 8.1). */
#define USER_TURN_MARK "\n<USER_TURN>\n"

/* The user's turns that a prompt scripts, parted by a line <USER_TURN>: trimmed, blank ones left
 * out; the whole prompt when nothing is left. The array is the arena's, the spans the prompt's. */
size_t turn_scripted(struct span prompt, struct arena *arena, struct span **turns);

/* Utterances of a thread, 1 or an even number of 2 to cap. mean: of the finished rows, NaN: none. */
int64_t turn_budget(struct span prompt, int64_t cap, double avg_turns, double mean);

/* Most agent turns for a window and a number of tools (world 8.4). */
int64_t turn_cap(int64_t context_tokens, int64_t n_tools);

/* The agent greets first (world 8.1). */
bool turn_agent_opens(struct span prompt, double rate);

/* Chance to leave at the second question, and at every later one. */
struct patience {
    double second, later;
};
/* normal, short, endless, or P,Q (each 0 to 1). ERROR_USAGE. */
int patience_read(const char *text, struct patience *patience, struct error *error);
static inline bool patience_may_end(struct patience p)
{
    return p.second > 0 || p.later > 0;
}

/* Where a thread stands when the agent has spoken without a call. */
struct turn_state {
    struct span prompt;
    int64_t turn, user_turns, budget;
    struct span agent_text;
    int64_t questions; /* earlier texts of the agent with a question mark */
    struct patience patience;
};
bool turn_walks_away(const struct turn_state *state);
bool turn_wants_followup(const struct turn_state *state);

/* A reply that announces work and does none of it yet, or says nothing (world 8.5, step 6). */
bool turn_looks_unfinished(struct span spoken);

/* The end of a thread (world 8.5): how many of the steps (an array) stay, and its last words. The
 * words borrow steps, carried or scratch. */
struct span turn_finish(struct json_value steps, struct span carried, size_t *keep,
                        struct buf *scratch);

#endif
