/* draw.c: see draw.h. The twister's words are made in blocks; rejection is a store that the next
 * one overwrites, not a branch. */
#include "stat/draw.h"

void draw_start(struct draw *d, const struct rng *start)
{
    d->rng = *start;
    d->at = DRAW_BLOCK;
}

static void refill(struct draw *d)
{
    rng_words(&d->rng, d->words, DRAW_BLOCK);
    d->at = 0;
}

void draw_below(struct draw *d, uint32_t n, uint32_t *out, size_t count)
{
    int shift = __builtin_clz(n); /* 32 - bit length of n */
    size_t have = 0;
    while (have < count) {
        if (d->at == DRAW_BLOCK)
            refill(d);
        /* Each word yields at most one index: this many cannot run past the end of out. */
        size_t take = DRAW_BLOCK - d->at;
        if (take > count - have)
            take = count - have;
        const uint32_t *words = d->words + d->at;
        for (size_t i = 0; i < take; i++) {
            uint32_t index = words[i] >> shift;
            out[have] = index;
            have += index < n;
        }
        d->at += take;
    }
}

void draw_signs(struct draw *d, uint8_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (d->at == DRAW_BLOCK)
            refill(d);
        out[i] = (uint8_t)(d->words[d->at] >> 31); /* top bit of the first word of the pair */
        d->at++;
        if (d->at == DRAW_BLOCK)
            refill(d);
        d->at++; /* random() takes two words */
    }
}
