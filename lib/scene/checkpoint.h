/* checkpoint.h: rows on file as they land, so that a run that was cut can go on (situations 20.3).
 * What a run plans depends on its rows alone; so a resumed run plans as the first did and takes each
 * rollout that is on file instead of playing it. */
#ifndef WAI_SCENE_CHECKPOINT_H
#define WAI_SCENE_CHECKPOINT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

struct checkpoint;

/* Opens or creates. A last line that was cut is taken off, *torn says so. NULL: ERROR_INPUT (a bad
 * line elsewhere), ERROR_SYSTEM (it cannot be written, or another run is writing it). */
struct checkpoint *checkpoint_open(const char *path, bool *torn, struct error *error);

/* Appends the row of this rollout to line, marked as resumed. False: it is not on file, or was
 * taken. Negative code: *error. */
int checkpoint_take(struct checkpoint *c, int64_t eval_run, struct span prompt, int64_t index,
                    struct buf *line, bool *found, struct error *error);

int checkpoint_add(struct checkpoint *c, struct span line, struct error *error);

size_t checkpoint_left(const struct checkpoint *c); /* rows on file that nobody took */
const char *checkpoint_path(const struct checkpoint *c);
void checkpoint_close(struct checkpoint *c);

#endif
