/* search.h: which cell the next prompt is written for (situations 7.1-7.3): of the side of the tiers
 * that is behind its share, the one that adds most pairs, weighted; when all are met, a weighted draw
 * without replacement. When the cells of a side are used up, a run of unique situations grows the
 * grid; another one goes over its cells again. Inside the room. */
#ifndef WAI_SCENE_SEARCH_H
#define WAI_SCENE_SEARCH_H

#include "scene/grid.h"
#include "scene/traces.h"

struct search;

struct search_setting {
    const struct grid *grid;
    int64_t seed;
    bool unique; /* a cell is used once, as long as there are others */
    /* How many cells are used, with `phrasings` prompts each; 0: all, again and again. More than
     * there are cells, in a run that is not unique: that many prompts, over all cells. */
    int64_t situations, phrasings;
    int64_t wordings;  /* prompts of a cell, when used ones are asked for */
    double hard_share; /* of the prompts */
    bool even;         /* no cell beyond the grid: its cells again, until each has enough rows */
    /* Behaviours that failed in traces: their cells get the shares of the budget that they are due.
     * NULL: none. */
    const struct regions *regions;
    double steering; /* share of the picks that are to be in front on every axis; 0: off */
};

/* Which cells are asked for. */
enum search_want { SEARCH_ANY, SEARCH_FRESH, SEARCH_USED };

struct search_pick {
    const struct cell *cell; /* lives as long as the search */
    uint32_t *variant;       /* where its wordings go on */
    bool fresh;              /* its first prompt */
    bool steered;            /* in front on every axis, because of the steering */
};

/* Is this slot of a round to be taken from the front (situations 14.5)? */
bool search_steers(int64_t seed, int64_t round, int64_t slot, double weight);

struct search *search_open(const struct search_setting *setting);
void search_close(struct search *s);

/* False: there is no such cell. opened: prompts of each tier so far, wherever they came from. */
bool search_next(struct search *s, const int64_t opened[TIER_COUNT], enum search_want want,
                 struct search_pick *pick);

/* The side of the tiers that the next prompt is to be of; the other one when the grid has no stance
 * of it. */
enum side search_side(const struct search *s, const int64_t opened[TIER_COUNT]);

/* Are there more cells of the side left that meet new pairs than of the other, for the prompts it
 * gets? Then no prompt off the grid is to take one of its places. */
bool search_scarce(const struct search *s, enum side side);

/* A prompt off the grid takes the place of a situation; a further wording of a cell in use takes the
 * place of one. False: the number of situations leaves no room. */
bool search_take_outside(struct search *s);
bool search_take_again(struct search *s, const struct cell *cell);

/* A round begins: which slot is steered is drawn by its number. */
void search_round(struct search *s, int64_t round);
void search_weigh(struct search *s, size_t cell, double weight); /* cell: number in the grid */

bool search_can_open(const struct search *s);

/* Where the wordings of a cell that search_next gave go on; until the next cell is asked for. */
uint32_t *search_variant(struct search *s, const struct cell *cell);

/* The cell was given and nothing was written for it: it may be given again. */
void search_put_back(struct search *s, const struct cell *cell);

/* No new text can be found for a cell that search_next gave: it is not offered again. */
void search_dry(struct search *s, const struct cell *cell);
bool search_reached(
    const struct search *s); /* all the prompts that situations ask for are written */
size_t search_situations(const struct search *s); /* cells used */
size_t search_grown(const struct search *s);      /* of them, beyond the grid */
size_t search_reused(const struct search *s);     /* prompts of cells that had one */

/* Lifts the cap on situations: more cells may be used. */
void search_lift(struct search *s);

#endif
