/* specfile.h: an agent's specification in a file or folder: tools, policy, opening asks
 * (situations 2.1). Inside the room. */
#ifndef WAI_SCENE_SPECFILE_H
#define WAI_SCENE_SPECFILE_H

#include "scene/spec.h"

/* Reads what `text` names and adds it: tools, policy lines (to `policy`), asks. A text that is no
 * path is a line of policy. ERROR_INPUT: nothing is there, or it does not parse. */
int spec_file_read(struct scene_spec *spec, const char *text, struct buf *policy,
                   struct error *error);

#endif
