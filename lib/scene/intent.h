/* intent.h: a tool's purpose in plain words, from its name: `refund_order` is "refund an order",
 * `escalate_to_human` "escalate to a human" (situations 17.2). Inside the room. */
#ifndef WAI_SCENE_INTENT_H
#define WAI_SCENE_INTENT_H

#include "scene/grid.h"

/* The wish, appended to out. reference: what the object is called, empty: "an order". variant:
 * which of the verb's wordings. */
void intent_write(const struct tool_fact *fact, struct span description, struct span reference,
                  uint32_t variant, struct buf *out);

#endif
