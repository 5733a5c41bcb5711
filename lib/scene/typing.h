/* typing.h: how a person types, laid over a message that was written without regard to it (situations
 * 17.4, 18.4). Identifiers keep their letters. Inside the room. */
#ifndef WAI_SCENE_TYPING_H
#define WAI_SCENE_TYPING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* lowercase, no_punctuation, typo, standard; any other way of typing is the writer's own affair. False:
 * nothing came of it (no word is long enough for a slip of the fingers). */
bool message_type(const char *texture, struct buf *text);

/* A third of the messages are typed untidily. draw: of the message. */
const char *message_texture(uint32_t draw);

#endif
