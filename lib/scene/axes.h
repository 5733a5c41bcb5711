/* axes.h: fills the axes of a grid. Inside the room. */
#ifndef WAI_SCENE_AXES_H
#define WAI_SCENE_AXES_H

#include "scene/grid.h"

/* grid->facts is read already. */
int axes_build(struct grid *grid, const struct grid_setting *setting, struct buf *notes,
               struct error *error);

#endif
