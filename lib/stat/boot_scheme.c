/* boot_scheme.c: which scheme resamples, and the one over distinct values (measure 13.2, 13.4). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "rng/philox.h"
#include "stat/boot_inside.h"

enum {
    STREAM_HIST = 1,
    STREAM_FLIPS = 3
}; /* last word of the counter: keeps the schemes' draws apart */

static const char *const NAMES[] = {"exact", "hist", "poisson", "auto"};

const char *boot_scheme_name(enum boot_scheme scheme)
{
    return NAMES[scheme];
}

enum boot_scheme boot_scheme_named(const char *name)
{
    enum boot_scheme scheme = BOOT_EXACT;
    while (scheme < BOOT_AUTO && strcmp(name, NAMES[scheme]) != 0)
        scheme++;
    return scheme;
}

enum boot_scheme boot_scheme_of(enum boot_scheme asked, size_t n, int64_t draws, bool rates)
{
    if (asked == BOOT_HIST && !rates)
        return BOOT_POISSON; /* a cell per value would cost more than the values */
    if (asked != BOOT_AUTO)
        return asked;
    if ((double)n * (double)draws <= (double)STAT_EXACT_WORK)
        return BOOT_EXACT;
    return rates ? BOOT_HIST : BOOT_POISSON;
}

/* ---- means and spreads of counted values --------------------------------------------------------
 */

static uint64_t count_of(const uint64_t *times, size_t n)
{
    uint64_t count = 0;
    for (size_t i = 0; times && i < n; i++)
        count += times[i];
    return times ? count : n;
}

static double mean_of(const double *values, const uint64_t *times, size_t n)
{
    double sum = 0.0;
    if (!times)
        return stat_mean(values, n);
    for (size_t i = 0; i < n; i++)
        sum += (double)times[i] * values[i];
    return sum / (double)count_of(times, n);
}

static double sd_of(const double *values, const uint64_t *times, size_t n)
{
    if (!times)
        return stat_sd(values, n);
    double mean = mean_of(values, times, n), squares = 0.0;
    for (size_t i = 0; i < n; i++)
        squares += (double)times[i] * stat_pow2(values[i] - mean);
    uint64_t count = count_of(times, n);
    return count < 2 ? NAN : sqrt(squares / (double)(count - 1));
}

struct normal_check stat_normal_check(const double *values, const uint64_t *times, size_t n,
                                      double level)
{
    double count = (double)count_of(times, n);
    double mean = mean_of(values, times, n), se = sd_of(values, times, n) / sqrt(count);
    double half = stat_z(level) * se;
    if (!(count >= 2.0))
        return (struct normal_check){NAN, INTERVAL_NONE};
    return (struct normal_check){se, {mean - half, mean + half}};
}

static struct interval interval_t(const double *values, const uint64_t *times, size_t n,
                                  double level)
{
    double count = (double)count_of(times, n), mean = mean_of(values, times, n);
    double half = stat_t_quantile(count - 1.0, level) * sd_of(values, times, n) / sqrt(count);
    return (struct interval){mean - half, mean + half};
}

/* ---- hist ---------------------------------------------------------------------------------------
 */

/* The distinct tuples of values of a sample, in the order of their values: the draws then do not
 * depend on the order of the tasks. */
struct tuples {
    size_t n_lists, count;
    double *values;  /* n_lists of each tuple */
    uint64_t *times; /* tasks that have it */
};

struct tuple {
    const double *values;
    size_t n_lists;
    uint64_t times;
};

static int by_tuple(const void *left, const void *right)
{
    const struct tuple *a = left, *b = right;
    for (size_t l = 0; l < a->n_lists; l++)
        if (a->values[l] != b->values[l])
            return a->values[l] < b->values[l] ? -1 : 1;
    return 0;
}

static void tuples_make(const struct boot_sample *s, struct tuples *out)
{
    struct map seen = {0};
    uint64_t *times = NULL;
    size_t cap = 0;
    double *tuple = mem_zero(s->n_lists, sizeof *tuple);
    for (size_t i = 0; i < s->n; i++) {
        bool fresh;
        for (size_t l = 0; l < s->n_lists; l++)
            tuple[l] = s->lists[l][i] + 0.0; /* no negative zero beside a zero */
        size_t number =
            map_add(&seen, span_make((const char *)tuple, s->n_lists * sizeof *tuple), &fresh);
        times = mem_grow(times, &cap, number + 1, sizeof *times);
        times[number] = (fresh ? 0 : times[number]) + (s->times ? s->times[i] : 1);
    }
    *out = (struct tuples){.n_lists = s->n_lists, .count = seen.count};
    out->values = mem_zero(seen.count * s->n_lists, sizeof *out->values);
    out->times = mem_zero(seen.count, sizeof *out->times);
    struct tuple *order = mem_zero(seen.count, sizeof *order);
    double *values = mem_zero(seen.count * s->n_lists, sizeof *values);
    for (size_t i = 0; i < seen.count; i++) { /* keys are bytes, not aligned */
        memcpy(values + i * s->n_lists, seen.keys[i].ptr, seen.keys[i].len);
        order[i] = (struct tuple){values + i * s->n_lists, s->n_lists, times[i]};
    }
    qsort(order, seen.count, sizeof *order, by_tuple);
    for (size_t i = 0; i < seen.count; i++) {
        memcpy(out->values + i * s->n_lists, order[i].values, s->n_lists * sizeof(double));
        out->times[i] = order[i].times;
    }
    free(order);
    free(values);
    free(tuple);
    free(times);
    map_free(&seen);
}

/* One replicate: how many of the n draws fall on each tuple, tuple by tuple among those that are
 * left. */
static void replicate(const struct tuples *t, uint64_t n, uint64_t key, int64_t number,
                      double *sums)
{
    uint64_t draws = n, others = n;
    memset(sums, 0, t->n_lists * sizeof *sums);
    for (size_t i = 0; i < t->count && draws; i++) {
        struct philox p;
        philox_start(&p, key, (uint32_t)i, (uint32_t)number, STREAM_HIST);
        uint64_t had = t->times[i] == others
                           ? draws
                           : philox_binomial(&p, draws, (double)t->times[i] / (double)others);
        for (size_t l = 0; l < t->n_lists; l++)
            sums[l] += (double)had * t->values[i * t->n_lists + l];
        draws -= had;
        others -= t->times[i];
    }
}

static void hist_intervals(const struct boot_sample *s, const struct boot_options *options,
                           struct interval *out)
{
    struct tuples t;
    struct rng start = *options->start;
    uint64_t key = rng_bits(&start, 64), n = count_of(s->times, s->n);
    size_t draws = (size_t)options->draws;
    double *stats = mem_zero(draws * s->n_lists, sizeof *stats);
    double *sums = mem_zero(s->n_lists, sizeof *sums);
    tuples_make(s, &t);
    for (size_t r = 0; r < draws; r++) {
        replicate(&t, n, key, (int64_t)r, sums);
        for (size_t l = 0; l < s->n_lists; l++)
            stats[l * draws + r] = sums[l] / (double)n;
    }
    for (size_t l = 0; l < s->n_lists; l++) {
        struct boot_values v = {s->lists[l], s->times, s->n, mean_of(s->lists[l], s->times, s->n)};
        out[l] = boot_interval_of(&v, stats + l * draws, options->draws, options);
    }
    free(t.values);
    free(t.times);
    free(stats);
    free(sums);
}

/* ---- flips of signs -----------------------------------------------------------------------------
 */

double permutation_p_hist(const double *differences, size_t n, const struct rng *start,
                          int64_t draws)
{
    return permutation_p_counted(differences, NULL, n, start, draws);
}

double permutation_p_counted(const double *differences, const uint64_t *times, size_t n,
                             const struct rng *start, int64_t draws)
{
    struct tuples t;
    struct rng seeded = *start;
    uint64_t key = rng_bits(&seeded, 64), count = count_of(times, n);
    double bar = fabs(mean_of(differences, times, n)) - STAT_PERMUTATION_SLACK;
    double *sizes = mem_zero(n, sizeof *sizes);
    for (size_t i = 0; i < n; i++)
        sizes[i] = fabs(differences[i]);
    const double *lists[] = {sizes};
    tuples_make(&(struct boot_sample){.lists = lists, .n_lists = 1, .n = n, .times = times}, &t);
    int64_t reached = 0;
    for (int64_t r = 0; r < draws; r++) {
        double sum = 0.0;
        for (size_t i = 0; i < t.count; i++) {
            struct philox p;
            philox_start(&p, key, (uint32_t)i, (uint32_t)r, STREAM_FLIPS);
            double kept = (double)philox_binomial(&p, t.times[i], 0.5); /* those not flipped */
            sum += t.values[i] * (2.0 * kept - (double)t.times[i]);
        }
        reached += fabs(sum / (double)count) >= bar;
    }
    free(t.values);
    free(t.times);
    free(sizes);
    return (double)(reached + 1) / (double)(draws + 1);
}

/* ---- by scheme ----------------------------------------------------------------------------------
 */

static struct interval poisson_interval(const double *values, const uint64_t *hashes, size_t n,
                                        const struct boot_options *options)
{
    struct boot_sketch sketch;
    struct boot_values v = {values, NULL, n, stat_mean(values, n)};
    boot_sketch_open(&sketch, options);
    struct interval out = INTERVAL_NONE;
    if (boot_sketch_add(&sketch, values, hashes, n, options->jobs)) {
        int64_t draws;
        double *stats = boot_sketch_means(&sketch, &draws);
        out = boot_interval_of(&v, stats, draws, options);
        free(stats);
    }
    boot_sketch_free(&sketch);
    return out;
}

void boot_sample_intervals(const struct boot_sample *s, const struct boot_options *options,
                           struct interval *out)
{
    enum boot_scheme scheme = s->times ? BOOT_HIST : options->scheme;
    bool few = count_of(s->times, s->n) < STAT_INTERVAL_VALUES;
    if (!few && options->kind != INTERVAL_T && scheme == BOOT_HIST) {
        hist_intervals(s, options, out);
        return;
    }
    if (scheme == BOOT_EXACT) {
        boot_intervals(s->lists, s->n_lists, s->n, options, out);
        return;
    }
    for (size_t l = 0; l < s->n_lists; l++)
        out[l] = few ? INTERVAL_NONE
                 : options->kind == INTERVAL_T
                     ? interval_t(s->lists[l], s->times, s->n, options->level)
                     : poisson_interval(s->lists[l], s->hashes, s->n, options);
}
