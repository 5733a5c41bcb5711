/* aim.h: a run that traces aim (situations 14): what they say, how far the grid follows it, and which
 * prompts are too close to a trace's to be played. */
#ifndef WAI_SCENE_AIM_H
#define WAI_SCENE_AIM_H

#include "model/embed.h"
#include "scene/knobs.h"
#include "scene/traces.h"

enum strategy {
    STRATEGY_BROAD,    /* the axes stay; cells like failed rows weigh more */
    STRATEGY_TRACE,    /* the axes follow what was seen */
    STRATEGY_TARGETED, /* and what was never seen is left out */
};
const char *strategy_name(enum strategy strategy);

struct aim {
    struct traces traces;
    struct regions regions;
    enum strategy strategy;
    const struct span *asks; /* of failed rows */
    size_t n_asks;
    struct map sources; /* distinct prompts of the traces, folded */
    struct embedding *vectors;
    size_t n_vectors;
};

struct aim_wish {
    const char *path;     /* --traces */
    const char *strategy; /* NULL: auto */
    const char *targeted; /* names with commas, or NULL */
    const struct knobs *knobs;
};

/* 0, ERROR_USAGE (the strategy) or ERROR_INPUT. */
int aim_open(struct aim *aim, const struct aim_wish *wish, const struct row_options *options,
             struct error *error);
void aim_free(struct aim *aim);

/* Is the prompt a trace's own, or as good as? *similarity: to the nearest one, at most 1. */
bool aim_leaks(const struct aim *aim, struct span prompt, double *similarity);

/* Axes of a grid, and weights of its cells. boosted: cells that weigh more. */
void aim_axes(const struct aim *aim, struct axis_values axes[AXIS_COUNT], struct arena *a);
void aim_weights(const struct aim *aim, struct cell *cells, size_t count);
size_t aim_boosted(const struct aim *aim, const struct grid *grid);

#endif
