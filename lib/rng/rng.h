/* rng.h: MT19937 seeded and consumed exactly as CPython's random.Random does, so that draws agree
 * with the reference package to the bit (measure 2, rows 26.1, train A.1). Matsumoto & Nishimura
 * 1998, "Mersenne Twister", ACM TOMACS 8(1). */
#ifndef WAI_RNG_RNG_H
#define WAI_RNG_RNG_H

#include <stdint.h>

#include "base/span.h"

struct rng {
    uint32_t state[624];
    int index;
    double gauss_next; /* second value of the pair gauss draws */
    bool gauss_ready;
};

void rng_seed(struct rng *r, int64_t seed);               /* |seed|, as random.Random(int) */
void rng_seed_decimal(struct rng *r, const char *digits); /* decimal of any length, sign allowed */
void rng_seed_text(struct rng *r, struct span utf8);      /* as random.Random(str), version 2 */

void rng_seed_words(struct rng *r, const uint32_t *key,
                    size_t n); /* least significant first, n >= 1 */

void rng_refill(struct rng *r); /* twists; internal to the inline below */

/* The next `count` words, as so many calls of rng_word. */
void rng_words(struct rng *r, uint32_t *out, size_t count);

static inline uint32_t rng_word(struct rng *r)
{
    if (r->index >= 624)
        rng_refill(r);
    uint32_t y = r->state[r->index++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

/* k bits, 1 <= k <= 64 (over 32: words least significant first). rng_bits_big for more. */
uint64_t rng_bits(struct rng *r, int k);
void rng_bits_big(struct rng *r, int k,
                  uint32_t *words); /* ceil(k/32) words, least significant first */

uint64_t rng_below(struct rng *r, uint64_t n);              /* 0 … n-1, n >= 1: randrange(n) */
int64_t rng_range(struct rng *r, int64_t from, int64_t to); /* randrange(from, to) */

static inline double rng_random(struct rng *r)
{
    uint32_t a = rng_word(r) >> 5, b = rng_word(r) >> 6;
    return (a * 67108864.0 + b) / 9007199254740992.0;
}

double rng_uniform(struct rng *r, double low, double high);
double rng_gauss(struct rng *r, double mean, double sd);

/* choices(range(n), k=k) without weights: floor(random() * n). */
void rng_choices(struct rng *r, size_t n, size_t k, size_t *out);
/* choices(range(n), weights, k=k): bisect in the running sums. */
void rng_choices_weighted(struct rng *r, const double *weights, size_t n, size_t k, size_t *out);
/* sample(range(n), k), k <= n. */
void rng_sample(struct rng *r, size_t n, size_t k, size_t *out);
/* shuffle, on items of `size` bytes. */
void rng_shuffle(struct rng *r, void *items, size_t count, size_t size);

#endif
