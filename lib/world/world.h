/* world.h: a mock world that answers tool calls: deterministic, in the words of the tool's own
 * domain, with a memory and a schedule of faults (world 3-6). Every draw is a hash of the seed, the
 * tool and the arguments, so the same call in the same world gives the same bytes.
 *
 *     struct world *w = world_new(tools, options);
 *     world_start(w, seed, plan, WORLD_STATE_NONE);
 *     const struct node *result = world_call(w, SPAN("get_order"), arguments);
 *     world_free(w);
 *
 * Tools and options are shared by any number of worlds and threads; a world belongs to one thread.
 */
#ifndef WAI_WORLD_WORLD_H
#define WAI_WORLD_WORLD_H

#include "base/error.h"
#include "row/tools.h"
#include "world/node.h"

/* ---- options (--world) ----------------------------------------------------------------------- */

struct world_options;

struct world_options *world_options_new(void); /* the defaults of world 6 */
/* Lays the keys of a JSON object over o. `name` is for messages. ERROR_USAGE names the key and its
 * rule. */
int world_options_read(struct world_options *o, struct span json, const char *name,
                       struct error *error);
void world_options_write(const struct world_options *o, struct buf *out); /* all of them, as JSON */
void world_options_free(struct world_options *o);

/* Fault mode of a situation's tool_condition; empty: that condition is no fault (world 5). */
struct span world_mode_of(const struct world_options *o, struct span condition);
bool world_mode_known(struct span mode);
/* "timeout, malformed, …": for messages. */
const char *world_mode_names(void);

/* ---- tools ----------------------------------------------------------------------------------- */

struct world_tools;

/* What a world needs to know of a list of tools; borrows the list. shapes: an object tool → example
 * result (world 4.8), borrowed, or NULL. */
struct world_tools *world_tools_new(const struct row_tools *list,
                                    const struct world_options *options, const struct node *shapes);
void world_tools_free(struct world_tools *tools);

/* ---- faults ---------------------------------------------------------------------------------- */

/* A plan is a value tree: tool or "*" → {"mode", "rate"}; members that are no objects are no
 * faults. 0, or ERROR_INPUT with a clause when a mode or a rate has the wrong type. */
int world_plan_check(const struct node *plan, struct error *error);

/* ---- a world --------------------------------------------------------------------------------- */

enum world_state { WORLD_STATE_NONE, WORLD_STATE_EXISTS, WORLD_STATE_MISSING, WORLD_STATE_DONE };
enum world_state world_state_of(struct span words); /* world 3.1 */

struct world;

struct world *world_new(const struct world_tools *tools, const struct world_options *options);

/* A new life: nothing remembered, nothing deleted. plan is borrowed until the next start; NULL:
 * none. Its scalar member `world_state`, if any, is used when state is WORLD_STATE_NONE. */
void world_start(struct world *w, int64_t seed, const struct node *plan, enum world_state state);

/* Answers one call. arguments: an object (NULL counts as {}), any other value is rejected. The
 * result is borrowed until the next call or start. */
const struct node *world_call(struct world *w, struct span tool, const struct node *arguments);
/* The same call where another world answers: the mock one has the first word when the tool is not
 * declared, the arguments are no object, or a scheduled fault fires. NULL: it has nothing to say. */
const struct node *world_call_refused(struct world *w, struct span tool,
                                      const struct node *arguments);
void world_free(struct world *w);

/* Keys and texts of a result that others read. */
struct span world_status(const struct node *result); /* its status when a text, else empty */

#endif
