/* plan.h: the grid as `wai-simulate --plan` prints it (situations 3.10). */
#ifndef WAI_SCENE_PLAN_H
#define WAI_SCENE_PLAN_H

#include "row/reader.h"
#include "row/writer.h"
#include "scene/aim.h"
#include "scene/grid.h"
#include "scene/topology.h"

struct plan_view {
    const struct grid *grid;
    const struct topology *topology;
    int64_t budget;
    const struct pairs *planned;
    const struct pairs *covered; /* by the rows of --against; NULL: none given */
    const struct aim *aim;       /* NULL: no traces */
    bool clocked;                /* the run has a time budget */
};

/* Every pair that a cell of the grid holds. The caller frees the pairs. */
void plan_pairs(const struct grid *grid, struct pairs *planned);

void plan_write_cell(const struct cell *cell, struct buf *out); /* one line, without its newline */
void plan_write_report(const struct plan_view *view, struct buf *out);

/* Opens covered with the planned pairs that the rows of a file hold. */
int plan_cover(const struct grid *grid, const struct pairs *planned, const char *path,
               const struct row_options *options, struct pairs *covered, struct error *error);

/* The report as one line, or a line for each cell. */
int plan_print(const struct plan_view *view, bool report, struct row_writer *writer,
               struct error *error);

/* {"pairs_planned", "pairs_covered", "fraction"} (situations 3.9) */
struct json_writer;
void plan_write_pairwise(const struct pairs *planned, const struct pairs *covered,
                         struct json_writer *w);

#endif
