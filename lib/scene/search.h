/* search.h: which cell the next prompt is written for (situations 7.1-7.3): of the side of the tiers
 * that is behind its share, the one that adds most pairs, weighted; when all are met, a weighted draw
 * without replacement. When the cells of a side are used up, a run of unique situations grows the
 * grid; another one goes over its cells again. Inside the room. */
#ifndef WAI_SCENE_SEARCH_H
#define WAI_SCENE_SEARCH_H

#include "scene/grid.h"

struct search;

struct search_setting {
    const struct grid *grid;
    int64_t seed;
    bool unique; /* a cell is used once, as long as there are others */
    /* How many cells are used, with `phrasings` prompts each; 0: all, again and again. More than
     * there are cells, in a run that is not unique: that many prompts, over all cells. */
    int64_t situations, phrasings;
    double hard_share; /* of the prompts */
};

struct search *search_open(const struct search_setting *setting);
void search_close(struct search *s);

/* The next cell and its number of earlier prompts; NULL: there is none. opened: prompts of each tier
 * so far, wherever they came from. The cell lives as long as the search. */
const struct cell *search_next(struct search *s, const int64_t opened[TIER_COUNT],
                               uint32_t **variant);
bool search_can_open(const struct search *s);

/* No new text can be found for the cell that search_next gave last: it is not offered again. */
void search_dry(struct search *s, const struct cell *cell);
bool search_reached(
    const struct search *s); /* all the prompts that situations ask for are written */
size_t search_situations(const struct search *s); /* cells used */
size_t search_grown(const struct search *s);      /* of them, beyond the grid */
size_t search_reused(const struct search *s);     /* prompts of cells that had one */

/* Lifts the cap on situations: more cells may be used. */
void search_lift(struct search *s);

#endif
