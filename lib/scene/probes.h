/* probes.h: messages off the grid (situations 17.6): what people send that no cell describes. Eleven
 * families, in turn; each is put together from a frame and words of its own, so that thousands
 * differ. */
#ifndef WAI_SCENE_PROBES_H
#define WAI_SCENE_PROBES_H

#include "scene/grow.h"

enum { PROBE_FAMILIES = 11 };

/* Appends the message of this number to out; its family is the (seed + number)-th of those on the
 * side. reference: what the domain's records are called, empty: none. */
void probe_write(int64_t seed, uint64_t number, enum side side, struct span reference,
                 struct buf *out, enum tier *tier, const char **family);

#endif
