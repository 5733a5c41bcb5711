/* grow.h: more situations than the pairwise grid has: a greedy array at strength 3 over all six axes
 * (situations 7.3), a cell at a time, for one side of the tiers. Inside the room. */
#ifndef WAI_SCENE_GROW_H
#define WAI_SCENE_GROW_H

#include "scene/grid.h"

enum side { SIDE_ORDINARY, SIDE_HARD, SIDE_COUNT };
enum side side_of(enum tier tier);

struct grower;

struct grower *grower_open(const struct grid *grid);
void grower_close(struct grower *g);

/* A cell that neither the grid has nor was given before, in the grower's arena; NULL: every triple
 * of the side is met, or no stance of the axis is of that side. */
const struct cell *grower_next(struct grower *g, enum side side);

#endif
