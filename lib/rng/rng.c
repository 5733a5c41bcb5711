/* rng.c: see rng.h. The generator and its seeding by array are Matsumoto and Nishimura's; what the
 * draws consume is CPython's. */
#include "rng/rng.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

enum { STATE = 624 };

static void seed_word(struct rng *r, uint32_t word)
{
    r->state[0] = word;
    for (uint32_t i = 1; i < STATE; i++)
        r->state[i] = 1812433253u * (r->state[i - 1] ^ r->state[i - 1] >> 30) + i;
}

void rng_seed_words(struct rng *r, const uint32_t *key, size_t n)
{
    uint32_t *s = r->state;
    seed_word(r, 19650218u);
    size_t i = 1, j = 0;
    for (size_t left = n > STATE ? n : STATE; left; left--) {
        s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * 1664525u) + key[j] + (uint32_t)j;
        if (++i >= STATE) {
            s[0] = s[STATE - 1];
            i = 1;
        }
        if (++j >= n)
            j = 0;
    }
    for (size_t left = STATE - 1; left; left--) {
        s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * 1566083941u) - (uint32_t)i;
        if (++i >= STATE) {
            s[0] = s[STATE - 1];
            i = 1;
        }
    }
    s[0] = 0x80000000u;
    r->index = STATE;
    r->gauss_next = 0;
    r->gauss_ready = false;
}

void rng_seed(struct rng *r, int64_t seed)
{
    uint64_t size = seed < 0 ? -(uint64_t)seed : (uint64_t)seed;
    uint32_t key[2] = {(uint32_t)size, (uint32_t)(size >> 32)};
    rng_seed_words(r, key, key[1] ? 2 : 1);
}

void rng_seed_decimal(struct rng *r, const char *digits)
{
    if (*digits == '-' || *digits == '+')
        digits++;
    size_t len = strlen(digits);
    size_t cap = len / 9 + 1; /* nine digits fit a word */
    uint32_t *key = mem_zero(cap, sizeof *key);
    size_t n = 1;
    for (size_t i = 0; i < len;) {
        uint32_t piece = 0, scale = 1;
        for (size_t end = i + 9 < len ? i + 9 : len; i < end; i++) {
            piece = piece * 10 + (uint32_t)(digits[i] - '0');
            scale *= 10;
        }
        uint64_t carry = piece;
        for (size_t w = 0; w < n; w++) {
            carry += (uint64_t)key[w] * scale;
            key[w] = (uint32_t)carry;
            carry >>= 32;
        }
        if (carry)
            key[n++] = (uint32_t)carry;
    }
    rng_seed_words(r, key, n);
    free(key);
}

uint64_t rng_bits(struct rng *r, int k)
{
    if (k <= 32)
        return rng_word(r) >> (32 - k);
    uint64_t low = rng_word(r);
    return low | (uint64_t)(rng_word(r) >> (64 - k)) << 32;
}

void rng_bits_big(struct rng *r, int k, uint32_t *words)
{
    for (; k > 0; k -= 32)
        *words++ = k >= 32 ? rng_word(r) : rng_word(r) >> (32 - k);
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
    if (n == 0)
        return 0;
    int k = 64 - __builtin_clzll(n); /* the length of n itself: a power of two rejects half */
    uint64_t draw;
    do {
        draw = rng_bits(r, k);
    } while (draw >= n);
    return draw;
}

int64_t rng_range(struct rng *r, int64_t from, int64_t to)
{
    return (int64_t)((uint64_t)from + rng_below(r, (uint64_t)to - (uint64_t)from));
}

double rng_uniform(struct rng *r, double low, double high)
{
    return low + (high - low) * rng_random(r);
}

/* Box and Muller 1958: two draws give two values, the second is kept for the next call. */
double rng_gauss(struct rng *r, double mean, double sd)
{
    double z = r->gauss_next;
    if (r->gauss_ready) {
        r->gauss_ready = false;
    } else {
        double angle = rng_random(r) * 6.283185307179586; /* 2 pi */
        double radius = sqrt(-2.0 * log(1.0 - rng_random(r)));
        z = cos(angle) * radius;
        r->gauss_next = sin(angle) * radius;
        r->gauss_ready = true;
    }
    return mean + z * sd;
}

void rng_choices(struct rng *r, size_t n, size_t k, size_t *out)
{
    double size = (double)n;
    for (size_t i = 0; i < k; i++)
        out[i] = (size_t)(rng_random(r) * size);
}

/* The first place whose running sum is above x, within 0 … n-1. */
static size_t bisect(const double *sums, size_t n, double x)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (x < sums[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void rng_choices_weighted(struct rng *r, const double *weights, size_t n, size_t k, size_t *out)
{
    if (n == 0)
        return;
    double *sums = mem_zero(n, sizeof *sums);
    double sum = weights[0];
    sums[0] = sum;
    for (size_t i = 1; i < n; i++)
        sums[i] = sum += weights[i];
    for (size_t i = 0; i < k; i++)
        out[i] = bisect(sums, n, rng_random(r) * sum);
    free(sums);
}

/* Most places for which drawing by moving items in a copy beats remembering what was drawn. */
static size_t sample_copies_up_to(size_t k)
{
    size_t power = 1;
    if (k <= 5)
        return 21;
    while (power / 3 < k && power < SIZE_MAX / 8) /* 4^ceil(log4(3k)); 3k is never a power of 4 */
        power *= 4;
    return 21 + power;
}

static void sample_by_copy(struct rng *r, size_t n, size_t k, size_t *out)
{
    size_t *pool = mem_zero(n, sizeof *pool);
    for (size_t i = 0; i < n; i++)
        pool[i] = i;
    for (size_t i = 0; i < k; i++) {
        size_t j = (size_t)rng_below(r, n - i);
        out[i] = pool[j];
        pool[j] = pool[n - i - 1];
    }
    free(pool);
}

/* Adds to an open-addressed set of place + 1; false when it is in. */
static bool set_add(size_t *set, size_t mask, size_t place)
{
    size_t at = (size_t)((uint64_t)place * 0x9e3779b97f4a7c15u >> 20) & mask;
    for (; set[at]; at = (at + 1) & mask)
        if (set[at] == place + 1)
            return false;
    set[at] = place + 1;
    return true;
}

static void sample_by_set(struct rng *r, size_t n, size_t k, size_t *out)
{
    size_t size = 16;
    while (size < 2 * k)
        size *= 2;
    size_t *set = mem_zero(size, sizeof *set);
    for (size_t i = 0; i < k; i++) {
        do {
            out[i] = (size_t)rng_below(r, n);
        } while (!set_add(set, size - 1, out[i]));
    }
    free(set);
}

void rng_sample(struct rng *r, size_t n, size_t k, size_t *out)
{
    if (n <= sample_copies_up_to(k))
        sample_by_copy(r, n, k, out);
    else
        sample_by_set(r, n, k, out);
}

static void swap(char *a, char *b, size_t size)
{
    char held[64];
    for (size_t done = 0; done < size;) {
        size_t piece = size - done < sizeof held ? size - done : sizeof held;
        memcpy(held, a + done, piece);
        memcpy(a + done, b + done, piece);
        memcpy(b + done, held, piece);
        done += piece;
    }
}

void rng_shuffle(struct rng *r, void *items, size_t count, size_t size)
{
    char *base = items;
    for (size_t i = count; i-- > 1;) {
        size_t j = (size_t)rng_below(r, i + 1);
        if (j != i)
            swap(base + i * size, base + j * size, size);
    }
}
