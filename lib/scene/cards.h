/* cards.h: what a model is told of the message it is to write: one card for each cell of the grid
 * (situations 18.2): what the person wants, how they are, how they type. Everything is drawn by
 * hashes of seed, wave and cell, so the same run deals the same cards. Inside the room. */
#ifndef WAI_SCENE_CARDS_H
#define WAI_SCENE_CARDS_H

#include "scene/grid.h"

struct card_setting {
    const struct grid *grid;
    const struct row_tools *tools;
    int64_t seed;
    double texture; /* share of cards with a way of typing of their own */
};

/* Tags are words of the row's conversation keys (rows 1.2); NULL: not drawn. */
struct card {
    const struct cell *cell; /* NULL: off the grid */
    struct span key;         /* the cell's id, else "off-WAVE"; what the reply names it by */
    const char *family;      /* tool, general, vague */
    const char *length;      /* short, medium, long */
    const char *texture, *tone, *ask, *vagueness, *pressure, *user;
    bool shows_stance, shows_condition;
    struct span instruction;
    struct span
        retried; /* the ask of a row that failed, which this card tries again; empty: none */
    int tries;   /* messages asked for before and refused */
};

/* Deals: draws the tags and writes the instruction into the arena. card->cell, key and tries are the
 * caller's. reference: what the person calls the record; empty: none is known. */
void card_deal(struct card *card, const struct card_setting *setting, int64_t wave,
               struct span reference, struct arena *a);

/* Does the text have what the card's tags say? Length, texture, tone, stance. */
bool card_kept(const struct card *card, struct span text);

/* Row members, `"key":value,…` without commas outside: what the message is about. Texture and tone are
 * not among them: whether the text has them is seen later. */
void card_members(const struct card *card, struct buf *out);

/* A share of 0..1: hash of seed:wave:key:salt. */
double card_draw(int64_t seed, int64_t wave, struct span key, const char *salt);

#endif
