/* wording.h: the sentences a template message is put together from. `%a` is the wish ("refund order
 * A1001"), `%b` a second one, `%r` a reference, `%w` a word of the rule. Inside the room. */
#ifndef WAI_SCENE_WORDING_H
#define WAI_SCENE_WORDING_H

#include <stddef.h>

#include "base/span.h"

struct wording {
    const char *const *items;
    size_t count;
};

enum slot {
    SLOT_OPENING,
    SLOT_ASK,
    SLOT_UNRELATED,
    SLOT_MULTI,
    SLOT_REFERENCE,
    SLOT_RULE,
    SLOT_RULE_HARD, /* the person pushes against the rule */
    SLOT_CLOSING,
    SLOT_COUNT,
};
struct wording wording_slot(enum slot slot);

/* Sentences for a value of an axis; none: count 0. fresh: nothing may speak of an earlier attempt.
 */
struct wording wording_world(struct span world_state);
struct wording wording_stance(struct span stance, bool fresh);
struct wording wording_history(struct span history);
struct wording wording_condition(struct span tool_condition);

#endif
