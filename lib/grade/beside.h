/* beside.h: a scorer as the grader beside wai-simulate's loop (situations 15). */
#ifndef WAI_GRADE_BESIDE_H
#define WAI_GRADE_BESIDE_H

#include "grade/scorer.h"
#include "scene/engine.h"

struct grade_beside;

/* spec: a scorer in one string (grade 4.3). run_id: written into lineage. NULL: *error. */
struct grade_beside *grade_beside_open(const char *spec, const struct scorer_setup *setup,
                                       const char *run_id, struct error *error);
const struct engine_judge *grade_beside_judge(const struct grade_beside *g);
bool grade_beside_model(const struct grade_beside *g); /* a model judges */

/* After the run: a whole row without a reward gets the scorer's, `label_source` its name. The changed
 * line is appended; nothing when the row stays as it is. One thread. */
int grade_beside_ungraded(struct grade_beside *g, struct span line, struct buf *out,
                          struct error *error);
void grade_beside_close(struct grade_beside *g);

#endif
