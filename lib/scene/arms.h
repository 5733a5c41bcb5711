/* arms.h: how the prompts of a run are split among the ways to come by one (situations 6): five arms,
 * each with a weight that follows what its rows brought. */
#ifndef WAI_SCENE_ARMS_H
#define WAI_SCENE_ARMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum arm {
    ARM_STRUCTURED, /* a cell of the grid, told by the template writer */
    ARM_GUIDED,     /* a cell of the grid, told by a model */
    ARM_OPEN,       /* off the grid: probes, seeds */
    ARM_TARGETED,   /* an action shape that no row has shown */
    ARM_MUTATION,   /* the ask of a row that failed, changed */
    ARM_COUNT
};
const char *arm_name(enum arm arm);
enum arm arm_of_name(struct span name); /* ARM_COUNT: none of them */

extern const double ARM_START[ARM_COUNT];

/* Reads `--arm-weights NAME=X,NAME=X`; arms that are not named get 0, the sum becomes 1.
 * ERROR_USAGE: an unknown name, a number below 0, a sum of 0. */
int arms_read(const char *text, double weights[ARM_COUNT], struct error *error);

/* After a round. yields: what each arm's rows brought per row (new signatures and first rows of a
 * cell), NaN for an arm without rows, which takes the mean of the others. */
void arms_update(double weights[ARM_COUNT], const double yields[ARM_COUNT]);

/* Whose turn it is: the arm that is furthest behind its share, the earliest on a tie. guided: a model
 * writes; without one its share is the structured arm's. */
enum arm arms_next(const double weights[ARM_COUNT], const int64_t opened[ARM_COUNT], bool guided);

#endif
