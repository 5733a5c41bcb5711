/* philox.h: Philox4x32-10, a generator that is a function of a counter: what is drawn for a replicate
 * and a cell does not depend on what was drawn before, so neither threads nor shards change it
 * (measure 13.2). Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3",
 * SC'11. */
#ifndef WAI_RNG_PHILOX_H
#define WAI_RNG_PHILOX_H

#include <stdint.h>

/* Four words of a counter of four words. */
void philox_block(const uint32_t counter[4], uint64_t key, uint32_t out[4]);

/* A stream of words under one (cell, replicate, stream). */
struct philox {
    uint64_t key;
    uint32_t counter[4]; /* draw, cell, replicate, stream */
    uint32_t words[4];
    int at;
};

void philox_start(struct philox *p, uint64_t key, uint32_t cell, uint32_t replicate,
                  uint32_t stream);
uint32_t philox_word(struct philox *p);
double philox_random(struct philox *p); /* 0 < x < 1: the middles of 2^52 steps */

/* Successes among n trials of chance p, 0 <= p <= 1, n <= 2^53: by inversion while the smaller
 * expectation is under 10, else by transformed rejection (Hormann 1993, "The generation of binomial
 * random variates", J. Statist. Comput. Simul. 46, algorithm BTRS). */
uint64_t philox_binomial(struct philox *p, uint64_t n, double chance);

#endif
