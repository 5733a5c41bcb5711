/* search.h: which cell the next prompt is written for (situations 7.1): the one that adds most
 * pairs, weighted; when all are met, a weighted draw without replacement, pass after pass over the
 * grid. Inside the room. */
#ifndef WAI_SCENE_SEARCH_H
#define WAI_SCENE_SEARCH_H

#include "scene/grid.h"

struct search;

/* situations: how many cells are used, with `phrasings` prompts each; 0: all, again and again. More
 * than there are cells: that many prompts, over all cells. unique: a cell is used once. */
struct search *search_open(const struct grid *grid, int64_t seed, bool unique, int64_t situations,
                           int64_t phrasings);
void search_close(struct search *s);

/* The next cell and its number of earlier prompts; NULL: there is none. */
const struct cell *search_next(struct search *s, uint32_t **variant);
bool search_can_open(const struct search *s);

/* No new text can be found for the cell that search_next gave last: it is not offered again. */
void search_dry(struct search *s, const struct cell *cell);
bool search_reached(
    const struct search *s); /* all the prompts that situations ask for are written */
size_t search_situations(const struct search *s); /* cells used */

/* Lifts the cap on situations: more cells may be used. */
void search_lift(struct search *s);

#endif
