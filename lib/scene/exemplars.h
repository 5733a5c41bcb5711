/* exemplars.h: real results of tools, trimmed, a few per tool and no two of one shape (rows 19.3).
 * Inside the room. */
#ifndef WAI_SCENE_EXEMPLARS_H
#define WAI_SCENE_EXEMPLARS_H

#include "scene/traces.h"

/* A result that did not fail; kept when the tool has room for it and it shows something new. */
void exemplar_keep(struct traces *t, struct span tool, struct json_value result);

#endif
