/* words.c: the twister's words in bulk, four at a time in vectors of the compiler (SSE2, NEON). */
#include <string.h>

#include "rng/rng.h"

enum { STATE = 624, SHIFT = 397, LANES = 4 };

typedef uint32_t lanes __attribute__((vector_size(16)));

static inline lanes load(const uint32_t *at)
{
    lanes v;
    memcpy(&v, at, sizeof v);
    return v;
}

static inline void store(uint32_t *at, lanes v)
{
    memcpy(at, &v, sizeof v);
}

static inline lanes twist_lanes(lanes high, lanes low)
{
    lanes y = (high & 0x80000000u) | (low & 0x7fffffffu);
    return y >> 1 ^ (-(y & 1u) & 0x9908b0dfu);
}

static inline uint32_t twist(uint32_t high, uint32_t low)
{
    uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
    return y >> 1 ^ (-(y & 1u) & 0x9908b0dfu);
}

void rng_refill(struct rng *r)
{
    uint32_t *s = r->state;
    int i = 0;
    for (; i + LANES <= STATE - SHIFT; i += LANES)
        store(s + i, load(s + i + SHIFT) ^ twist_lanes(load(s + i), load(s + i + 1)));
    for (; i < STATE - SHIFT; i++)
        s[i] = s[i + SHIFT] ^ twist(s[i], s[i + 1]);
    for (; i + LANES < STATE; i += LANES)
        store(s + i, load(s + i + SHIFT - STATE) ^ twist_lanes(load(s + i), load(s + i + 1)));
    for (; i < STATE - 1; i++)
        s[i] = s[i + SHIFT - STATE] ^ twist(s[i], s[i + 1]);
    s[STATE - 1] = s[SHIFT - 1] ^ twist(s[STATE - 1], s[0]);
    r->index = 0;
}

static inline lanes temper_lanes(lanes y)
{
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ y >> 18;
}

void rng_words(struct rng *r, uint32_t *out, size_t count)
{
    while (count) {
        if (r->index >= STATE)
            rng_refill(r);
        size_t take = (size_t)(STATE - r->index);
        if (take > count)
            take = count;
        count -= take;
        for (; take >= LANES; take -= LANES, out += LANES, r->index += LANES)
            store(out, temper_lanes(load(r->state + r->index)));
        for (; take; take--)
            *out++ = rng_word(r);
    }
}
