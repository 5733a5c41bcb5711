/* draw.h: the draws of a resampling, many at a time. Inside room `stat` only. */
#ifndef WAI_STAT_DRAW_H
#define WAI_STAT_DRAW_H

#include "rng/rng.h"

enum { DRAW_BLOCK = 2496 }; /* words generated at once: four states of the twister */

/* Words of one generator, made in blocks. */
struct draw {
    struct rng rng;
    uint32_t words[DRAW_BLOCK];
    size_t at; /* next unused word */
    bool avx2; /* the processor has it; tests turn it off */
};

void draw_start(struct draw *d, const struct rng *start);

/* count times below(n), 1 <= n < 2^32, as rng_below draws them. */
void draw_below(struct draw *d, uint32_t n, uint32_t *out, size_t count);

/* count times random() < 0.5, as a sign: 0 keeps (true), 1 flips. */
void draw_signs(struct draw *d, uint8_t *out, size_t count);

#endif
