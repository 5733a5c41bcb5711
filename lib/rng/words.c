/* words.c: the twister's words in bulk, eight at a time in vectors of the compiler: as AVX2 where the
 * processor has it, else as the pairs of halves (SSE2, NEON) that the compiler makes of them. */
#include <string.h>

#include "rng/rng.h"

enum { STATE = 624, SHIFT = 397, LANES = 8 };

typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t twist(uint32_t high, uint32_t low)
{
    uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
    return y >> 1 ^ (-(y & 1u) & 0x9908b0dfu);
}

/* s[i] = s[from] ^ twist(s[i], s[i + 1]) on LANES words. */
INLINE void twist_lanes(uint32_t *s, int i, int from)
{
    lanes high, low, far;
    memcpy(&high, s + i, sizeof high);
    memcpy(&low, s + i + 1, sizeof low);
    memcpy(&far, s + from, sizeof far);
    lanes y = (high & 0x80000000u) | (low & 0x7fffffffu);
    y = far ^ y >> 1 ^ (-(y & 1u) & 0x9908b0dfu);
    memcpy(s + i, &y, sizeof y);
}

INLINE void refill(struct rng *r)
{
    uint32_t *s = r->state;
    int i = 0;
    for (; i + LANES <= STATE - SHIFT; i += LANES)
        twist_lanes(s, i, i + SHIFT);
    for (; i < STATE - SHIFT; i++)
        s[i] = s[i + SHIFT] ^ twist(s[i], s[i + 1]);
    for (; i + LANES < STATE; i += LANES)
        twist_lanes(s, i, i + SHIFT - STATE);
    for (; i < STATE - 1; i++)
        s[i] = s[i + SHIFT - STATE] ^ twist(s[i], s[i + 1]);
    s[STATE - 1] = s[SHIFT - 1] ^ twist(s[STATE - 1], s[0]);
    r->index = 0;
}

/* As rng_word, on LANES words. */
INLINE void temper_lanes(const uint32_t *from, uint32_t *to)
{
    lanes y;
    memcpy(&y, from, sizeof y);
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    y ^= y >> 18;
    memcpy(to, &y, sizeof y);
}

INLINE void words(struct rng *r, uint32_t *out, size_t count)
{
    while (count) {
        if (r->index >= STATE)
            refill(r);
        size_t take = (size_t)(STATE - r->index);
        if (take > count)
            take = count;
        count -= take;
        for (; take >= LANES; take -= LANES, out += LANES, r->index += LANES)
            temper_lanes(r->state + r->index, out);
        for (; take; take--)
            *out++ = rng_word(r);
    }
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void words_avx2(struct rng *r, uint32_t *out, size_t count)
{
    words(r, out, count);
}
#endif

void rng_refill(struct rng *r)
{
    refill(r);
}

void rng_words(struct rng *r, uint32_t *out, size_t count)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        words_avx2(r, out, count);
        return;
    }
#endif
    words(r, out, count);
}
