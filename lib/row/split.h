/* split.h: the hash split of tasks (rows 16, platform C.2): stable across runs and machines. */
#ifndef WAI_ROW_SPLIT_H
#define WAI_ROW_SPLIT_H

#include "base/span.h"

/* First 8 hex digits of SHA-256 of the task key as a number in [0, 1]. */
double row_split_unit(struct span task_key);

/* The task is held out of a share: unit < share. */
bool row_split_held(struct span task_key, double share);

#endif
