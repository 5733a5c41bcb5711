/* boot_poisson.c: resampling in a stream: every task has a Poisson(1) weight in every replicate,
 * drawn from the hash of its key, so that order, shards and threads change nothing (measure 13.3;
 * Hanley & MacGibbon 2006, "Creating non-parametric bootstrap samples using Poisson frequencies",
 * Comput. Methods Programs Biomed. 83). */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/pool.h"
#include "rng/philox.h"
#include "stat/boot_inside.h"

enum {
    STREAM_POISSON = 2, /* last word of the counter: keeps the schemes' draws apart */
    WORDS = 4,          /* weights of one block of Philox */
    CHUNK = 128,        /* replicates that a thread takes at once; a multiple of WORDS */
    THREADED = 1 << 22, /* values times draws from which threads pay */
};

#define VALUE_LIMIT 1099511627776.0 /* 2^40 */

void boot_sketch_start(struct boot_sketch *sketch, int64_t draws, uint64_t key)
{
    *sketch = (struct boot_sketch){.draws = draws, .key = key};
    sketch->weights = mem_zero((size_t)draws, sizeof *sketch->weights);
    sketch->sums = mem_zero((size_t)draws, sizeof *sketch->sums);
}

void boot_sketch_open(struct boot_sketch *sketch, const struct boot_options *options)
{
    struct rng start = *options->start;
    boot_sketch_start(sketch, options->draws, rng_bits(&start, 64));
}

void boot_sketch_free(struct boot_sketch *sketch)
{
    free(sketch->weights);
    free(sketch->sums);
    *sketch = (struct boot_sketch){0};
}

/* Poisson(1) by inversion of a word: thresholds are 2^32 times the distribution function. Chances
 * under 2^-32 (13 and more) are left out. */
static uint32_t weight_of(uint32_t word)
{
    static const uint32_t UNDER[] = {
        1580030169u, 3160060337u, 3950075422u, 4213413783u, 4279248374u, 4292415292u,
        4294609778u, 4294923276u, 4294962463u, 4294966817u, 4294967253u, 4294967292u,
    };
    uint32_t weight = (word >= UNDER[0]) + (word >= UNDER[1]) + (word >= UNDER[2]);
    if (word < UNDER[2])
        return weight;
    for (size_t i = 3; i < sizeof UNDER / sizeof *UNDER && word >= UNDER[i]; i++)
        weight++;
    return weight;
}

/* What one thread adds: all values into some replicates. */
struct adding {
    struct boot_sketch *sketch;
    const __int128 *values; /* scaled */
    const uint64_t *hashes;
    size_t n;
};

static void add_chunk(void *context, int worker, void *job)
{
    (void)worker;
    const struct adding *a = context;
    struct boot_sketch *s = a->sketch;
    size_t from = *(const size_t *)job, draws = (size_t)s->draws;
    size_t to = draws - from < CHUNK ? draws : from + CHUNK;
    for (size_t i = 0; i < a->n; i++) {
        uint32_t low = (uint32_t)a->hashes[i], high = (uint32_t)(a->hashes[i] >> 32);
        __int128 value = a->values[i];
        for (size_t r = from; r < to; r += WORDS) {
            uint32_t words[WORDS];
            size_t lanes = to - r < WORDS ? to - r : WORDS;
            philox_block((const uint32_t[4]){low, high, (uint32_t)(r / WORDS), STREAM_POISSON},
                         s->key, words);
            for (size_t lane = 0; lane < lanes; lane++) {
                uint32_t weight = weight_of(words[lane]);
                s->weights[r + lane] += weight;
                s->sums[r + lane] += value * (__int128)weight;
            }
        }
    }
}

bool boot_sketch_add(struct boot_sketch *sketch, const double *values, const uint64_t *hashes,
                     size_t n, int jobs)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(values[i]) < VALUE_LIMIT))
            return false;
    __int128 *scaled = mem_zero(n, sizeof *scaled);
    for (size_t i = 0; i < n; i++) {
        scaled[i] = (__int128)nearbyint(ldexp(values[i], BOOT_SKETCH_BITS));
        sketch->total += scaled[i];
    }
    sketch->n += n;
    struct adding adding = {sketch, scaled, hashes, n};
    size_t draws = (size_t)sketch->draws, chunks = (draws + CHUNK - 1) / CHUNK;
    size_t *from = mem_zero(chunks, sizeof *from);
    bool threaded = jobs > 1 && (double)n * (double)draws >= THREADED;
    struct pool *pool = pool_open(threaded ? jobs : 1, 0, add_chunk, &adding);
    for (size_t i = 0; i < chunks; i++) {
        from[i] = i * CHUNK;
        while (pool_full(pool))
            pool_take(pool, POOL_WAIT);
        pool_submit(pool, &from[i]);
    }
    while (pool_take(pool, POOL_WAIT))
        ;
    pool_close(pool);
    free(from);
    free(scaled);
    return true;
}

bool boot_sketch_merge(struct boot_sketch *into, const struct boot_sketch *from)
{
    if (into->draws != from->draws || into->key != from->key ||
        into->n + from->n > BOOT_SKETCH_COUNT)
        return false;
    for (int64_t r = 0; r < into->draws; r++)
        if (into->weights[r] + from->weights[r] > BOOT_SKETCH_COUNT)
            return false;
    into->n += from->n;
    into->total += from->total;
    for (int64_t r = 0; r < into->draws; r++) {
        into->weights[r] += from->weights[r];
        into->sums[r] += from->sums[r];
    }
    return true;
}

double boot_sketch_mean(const struct boot_sketch *sketch)
{
    return sketch->n ? ldexp((double)sketch->total, -BOOT_SKETCH_BITS) / (double)sketch->n : NAN;
}

double *boot_sketch_means(const struct boot_sketch *sketch, int64_t *count)
{
    double *means = mem_zero((size_t)sketch->draws, sizeof *means);
    *count = 0;
    for (int64_t r = 0; r < sketch->draws; r++)
        if (sketch->weights[r]) /* of few values a replicate may hold none: it has no mean */
            means[(*count)++] =
                ldexp((double)sketch->sums[r], -BOOT_SKETCH_BITS) / (double)sketch->weights[r];
    return means;
}

struct interval boot_sketch_interval(const struct boot_sketch *sketch, double level)
{
    if (sketch->n < STAT_INTERVAL_VALUES)
        return INTERVAL_NONE;
    struct boot_options options = {.level = level, .kind = INTERVAL_PERCENTILE};
    int64_t draws;
    double *means = boot_sketch_means(sketch, &draws);
    struct interval out = boot_interval_of(NULL, means, draws, &options);
    free(means);
    return out;
}
