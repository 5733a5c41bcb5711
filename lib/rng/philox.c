/* philox.c: see philox.h. */
#include "rng/philox.h"

#include <math.h>
#include <stdbool.h>

enum { ROUNDS = 10, TAILS = 10 };

#define MULTIPLIER_0 0xD2511F53u
#define MULTIPLIER_1 0xCD9E8D57u
#define WEYL_0       0x9E3779B9u /* golden ratio */
#define WEYL_1       0xBB67AE85u /* sqrt(3) - 1 */
#define INVERSION    10.0        /* expectation from which rejection is faster */

void philox_block(const uint32_t counter[4], uint64_t key, uint32_t out[4])
{
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3];
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t x = (uint64_t)MULTIPLIER_0 * a, y = (uint64_t)MULTIPLIER_1 * c;
        a = (uint32_t)(y >> 32) ^ b ^ k0;
        b = (uint32_t)y;
        c = (uint32_t)(x >> 32) ^ d ^ k1;
        d = (uint32_t)x;
        k0 += WEYL_0;
        k1 += WEYL_1;
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

void philox_start(struct philox *p, uint64_t key, uint32_t cell, uint32_t replicate,
                  uint32_t stream)
{
    *p = (struct philox){.key = key, .counter = {0, cell, replicate, stream}, .at = 4};
}

uint32_t philox_word(struct philox *p)
{
    if (p->at == 4) {
        philox_block(p->counter, p->key, p->words);
        p->counter[0]++;
        p->at = 0;
    }
    return p->words[p->at++];
}

double philox_random(struct philox *p)
{
    uint64_t high = philox_word(p) >> 6, low = philox_word(p) >> 6;
    return ((double)(high << 26 | low) + 0.5) / 4503599627370496.0; /* 2^52 */
}

/* Sequential search from 0; chance <= 1/2 and n * chance < 10, so the first term is above 1e-7. */
static uint64_t by_inversion(struct philox *p, uint64_t n, double chance)
{
    double odds = chance / (1.0 - chance), term = exp((double)n * log1p(-chance));
    double left = philox_random(p);
    uint64_t k = 0;
    while (left > term && k < n) {
        left -= term;
        term *= odds * (double)(n - k) / (double)(k + 1);
        k++;
        if (term <= 0.0)
            break; /* rounding ate the tail */
    }
    return k;
}

/* log k! less Stirling's formula for it. */
static double stirling_tail(double k)
{
    static const double TAIL[TAILS] = {
        0.0810614667953272,  0.0413406959554092,  0.0276779256849983, 0.0207906721037650,
        0.0166446911898211,  0.0138761288230707,  0.0118967099458917, 0.0104112652619720,
        0.00925546218271273, 0.00833056343336287,
    };
    if (k < TAILS)
        return TAIL[(int)k];
    double square = (k + 1.0) * (k + 1.0);
    return (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / (k + 1.0);
}

/* The constants of Hormann's paper, for n * chance >= 10 and chance <= 1/2. */
static uint64_t by_rejection(struct philox *p, uint64_t trials, double chance)
{
    double n = (double)trials, odds = chance / (1.0 - chance);
    double spread = sqrt(n * chance * (1.0 - chance));
    double b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * chance;
    double centre = n * chance + 0.5, squeeze = 0.92 - 4.2 / b;
    double alpha = (2.83 + 5.1 / b) * spread, mode = floor((n + 1.0) * chance);
    for (;;) {
        double u = philox_random(p) - 0.5, v = philox_random(p);
        double room = 0.5 - fabs(u), k = floor((2.0 * a / room + b) * u + centre);
        if (room >= 0.07 && v <= squeeze)
            return (uint64_t)k;
        if (k < 0.0 || k > n)
            continue;
        double bound = (mode + 0.5) * log((mode + 1.0) / (odds * (n - mode + 1.0))) +
                       (n + 1.0) * log((n - mode + 1.0) / (n - k + 1.0)) +
                       (k + 0.5) * log(odds * (n - k + 1.0) / (k + 1.0)) + stirling_tail(mode) +
                       stirling_tail(n - mode) - stirling_tail(k) - stirling_tail(n - k);
        if (log(v * alpha / (a / (room * room) + b)) <= bound)
            return (uint64_t)k;
    }
}

uint64_t philox_binomial(struct philox *p, uint64_t n, double chance)
{
    if (n == 0 || chance <= 0.0)
        return 0;
    if (chance >= 1.0)
        return n;
    bool more = chance > 0.5;
    double smaller = more ? 1.0 - chance : chance;
    uint64_t k =
        (double)n * smaller < INVERSION ? by_inversion(p, n, smaller) : by_rejection(p, n, smaller);
    return more ? n - k : k;
}
