/* draw.c: see draw.h. The twister's words are made in blocks; a rejected word is a store that the
 * next one overwrites, not a branch. With AVX2 eight words are sifted at once. */
#include "stat/draw.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

void draw_start(struct draw *d, const struct rng *start)
{
    d->rng = *start;
    d->at = DRAW_BLOCK;
    d->avx2 = false;
#ifdef __x86_64__
    d->avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
#endif
}

static void refill(struct draw *d)
{
    rng_words(&d->rng, d->words, DRAW_BLOCK);
    d->at = 0;
}

/* The words whose upper bits are below n, as indices; how many there were. */
static size_t sift(const uint32_t *words, size_t count, uint32_t n, int shift, uint32_t *out)
{
    size_t have = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t index = words[i] >> shift;
        out[have] = index;
        have += index < n;
    }
    return have;
}

#ifdef __x86_64__
enum { LANES = 8 };

/* ORDERS[mask]: the numbers of mask's bits, a byte each, side by side from the lowest. */
#define BIT(m, b) ((m) >> (b)&1)
#define UNDER_4(m, b)                                                                    \
    (((b) > 0 ? BIT(m, 0) : 0) + ((b) > 1 ? BIT(m, 1) : 0) + ((b) > 2 ? BIT(m, 2) : 0) + \
     ((b) > 3 ? BIT(m, 3) : 0))
#define UNDER(m, b)                                                          \
    (UNDER_4(m, b) + ((b) > 4 ? BIT(m, 4) : 0) + ((b) > 5 ? BIT(m, 5) : 0) + \
     ((b) > 6 ? BIT(m, 6) : 0))
#define PLACE(m, b) (BIT(m, b) ? (uint64_t)(b) << 8 * UNDER(m, b) : 0)
#define ORDER(m)                                                                         \
    (PLACE(m, 0) | PLACE(m, 1) | PLACE(m, 2) | PLACE(m, 3) | PLACE(m, 4) | PLACE(m, 5) | \
     PLACE(m, 6) | PLACE(m, 7))
#define ORDERS_4(m)  ORDER(m), ORDER((m) + 1), ORDER((m) + 2), ORDER((m) + 3)
#define ORDERS_16(m) ORDERS_4(m), ORDERS_4((m) + 4), ORDERS_4((m) + 8), ORDERS_4((m) + 12)
#define ORDERS_64(m) ORDERS_16(m), ORDERS_16((m) + 16), ORDERS_16((m) + 32), ORDERS_16((m) + 48)

static const uint64_t ORDERS[256] = {ORDERS_64(0), ORDERS_64(64), ORDERS_64(128), ORDERS_64(192)};

/* The same, n < 2^31. Whole vectors are stored, so out has room for `count` indices. */
__attribute__((target("avx2,popcnt"))) static size_t sift_avx2(const uint32_t *words, size_t count,
                                                               uint32_t n, int shift, uint32_t *out)
{
    const __m256i limit = _mm256_set1_epi32((int)n);
    const __m128i places = _mm_cvtsi32_si128(shift);
    size_t have = 0, i = 0;
    for (; i + LANES <= count; i += LANES) {
        __m256i index = _mm256_loadu_si256((const __m256i *)(const void *)(words + i));
        index = _mm256_srl_epi32(index, places);
        unsigned kept =
            (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(limit, index)));
        __m256i from = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)ORDERS[kept]));
        _mm256_storeu_si256((__m256i *)(void *)(out + have),
                            _mm256_permutevar8x32_epi32(index, from));
        have += (size_t)__builtin_popcount(kept);
    }
    return have + sift(words + i, count - i, n, shift, out + have);
}
#endif

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
#ifdef __x86_64__
        if (d->avx2 && n < UINT32_C(1) << 31)
            have += sift_avx2(words, take, n, shift, out + have);
        else
#endif
            have += sift(words, take, n, shift, out + have);
        d->at += take;
    }
}

void draw_signs(struct draw *d, uint8_t *out, size_t count)
{
    while (count) {
        if (d->at == DRAW_BLOCK)
            refill(d);
        size_t pairs = (DRAW_BLOCK - d->at) / 2; /* blocks are even: a pair never spans two */
        if (pairs > count)
            pairs = count;
        const uint32_t *words = d->words + d->at;
        for (size_t i = 0; i < pairs; i++)
            out[i] =
                (uint8_t)(words[2 * i] >> 31); /* random() takes two words; the first decides */
        d->at += 2 * pairs;
        out += pairs;
        count -= pairs;
    }
}
