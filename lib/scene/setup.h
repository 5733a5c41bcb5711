/* setup.h: what a run is made of, read from the command line's options: the world, the traces, what
 * the agent is, its tasks or seeds, how many rollouts, the grid. */
#ifndef WAI_SCENE_SETUP_H
#define WAI_SCENE_SETUP_H

#include "scene/aim.h"
#include "scene/report.h"
#include "scene/simulate_options.h"
#include "scene/spec.h"
#include "scene/task.h"
#include "scene/topology.h"

/* `struct simulate_setup x = {.s = SIMULATE_DEFAULTS}`, then the options parsed into x.s. */
struct simulate_setup {
    struct simulate_options s;
    struct arena arena;
    struct scene_spec spec;
    struct world_options *world;
    const struct node *shapes, *plan; /* --result-shapes and real results; --faults */
    struct topology topology;
    struct grid grid; /* empty for a replay */
    struct aim aim;
    const struct aim *aimed; /* NULL: no traces */
    struct task_list tasks, seeds;
    int64_t budget;
    struct knobs knobs;
    double arm_weights[ARM_COUNT]; /* with --arm-weights */
    struct warnings warnings;      /* told at the end of a run */
    struct buf notes;              /* lines for people, now */
};

bool simulate_saturates(const struct simulate_options *s); /* --until saturation */

/* Options that do not go together: ERROR_USAGE. */
int simulate_check(const struct simulate_options *s, const struct operands *operands,
                   struct error *error);

/* Budget, world, traces, specification: all that --world-only needs. */
int simulate_setup_read(struct simulate_setup *x, struct error *error);

/* Tasks, seeds, counts, grid: what a run and a plan need besides. */
int simulate_setup_situations(struct simulate_setup *x, struct error *error);

void simulate_setup_free(struct simulate_setup *x);

#endif
