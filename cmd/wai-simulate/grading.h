/* grading.h: the graders of a run of wai-simulate: the one beside the loop, and the conduct rules for
 * rows that nobody graded. */
#ifndef WAI_SIMULATE_GRADING_H
#define WAI_SIMULATE_GRADING_H

#include "grade/beside.h"
#include "model/model_options.h"
#include "scene/setup.h"

struct grading {
    struct grade_beside *beside; /* NULL: none */
    struct grade_beside *after;  /* --grade conduct; NULL: none */
    struct buf rubric;           /* --grade rubric: the scorer that it stands for */
    struct buf line;
};

/* --grade rubric becomes a --grader. Before the models are opened. */
int grading_choose(struct grading *g, struct simulate_options *s, struct error *error);

/* models: what judges may ask, or NULL. */
int grading_open(struct grading *g, struct simulate_setup *in, struct model_access *models,
                 struct error *error);

/* The row as it leaves; borrows it, or a buffer of g. */
int grading_row(struct grading *g, struct span *line, struct error *error);
void grading_close(struct grading *g);

#endif
