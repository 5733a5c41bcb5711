/* swarm_job.h: `wai-simulate --swarm` and `--swarm-calibrate`: from options to results. */
#ifndef WAI_SCENE_SWARM_JOB_H
#define WAI_SCENE_SWARM_JOB_H

#include "scene/simulate_options.h"

/* Options that do not go with a swarm, or with the lack of one: ERROR_USAGE. */
int swarm_check(const struct simulate_options *s, struct error *error);

/* Plays. Rows to --output or standard output; with --json a line for each problem on standard
 * output, and rows to --output alone. Lines for people are appended to notes. 0, or a negative code:
 * ERROR_REMOTE (nothing was answered, the command or the model gave up), ERROR_CHECK (--max-lost). */
int swarm_job(const struct simulate_options *s, bool (*interrupted)(void), struct buf *notes,
              struct error *error);

/* Reads attempts on standard input; the report goes to standard output. */
int swarm_calibrate_job(const struct simulate_options *s, struct error *error);

#endif
