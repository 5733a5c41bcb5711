/* outcome.h: what a task's dimensions say a good rollout does, in one sentence, and the teacher's
 * block made of it (grade 11.3, world 15.3). For judges and teachers; an agent never sees it. */
#ifndef WAI_SCENE_OUTCOME_H
#define WAI_SCENE_OUTCOME_H

#include "world/node.h"

/* The expected outcome, appended to out; nothing when the dimensions ask for none. dimensions: an
 * object or NULL. */
void expected_outcome(const struct node *dimensions, struct buf *out);

/* What the world hides: an object in the arena, NULL when there is nothing. faults: the
 * object-valued entries of a plan, or NULL. */
struct node *hidden_state(struct arena *a, const struct node *dimensions,
                          const struct node *faults);

#endif
