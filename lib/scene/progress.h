/* progress.h: how far a run is (situations 20.2): a line for people, an object for programs. */
#ifndef WAI_SCENE_PROGRESS_H
#define WAI_SCENE_PROGRESS_H

#include "scene/engine.h"

void progress_line(const struct engine_progress *p, struct buf *out);
void progress_object(const struct engine_progress *p, struct buf *out); /* without a newline */

/* The lost rollouts by reason, as members of an object. */
struct json_writer;
void lost_write(struct json_writer *w, const int64_t counts[LOST_COUNT]);

#endif
