/* progress.h: how far a run is (situations 20.2): a line for people, an object for programs. */
#ifndef WAI_SCENE_PROGRESS_H
#define WAI_SCENE_PROGRESS_H

#include <stdio.h>

#include "scene/engine.h"

void progress_line(const struct engine_progress *p, struct buf *out);
void progress_object(const struct engine_progress *p, struct buf *out); /* without a newline */

/* The objects, a line each, as they come. path NULL: nowhere; "-": standard error. ERROR_SYSTEM. */
struct progress_file {
    FILE *stream;
    const char *path;
};
int progress_open(struct progress_file *f, const char *path, struct error *error);
void progress_add(struct progress_file *f, const struct engine_progress *p);
int progress_close(struct progress_file *f, struct error *error); /* not all could be written */

/* The lost rollouts by reason, as members of an object. */
struct json_writer;
void lost_write(struct json_writer *w, const int64_t counts[LOST_COUNT]);

#endif
