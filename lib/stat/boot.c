/* boot.c: intervals of a mean by resampling (measure 3.2, 13.1, 13.5), with the digits of the plain
 * loop in less time:
 *   - the indices of a replicate are drawn once for all statistics of one length;
 *   - few distinct tuples of values (the rule for rates): a byte per task names its tuple, so that
 * what is looked up at random stays in the first-level cache;
 *   - values that are multiples of 2^-20 or coarser: their sums are exact in any order, so they are
 * added as integers, several statistics in one word;
 *   - other values: four replicates are summed side by side, each in its own order. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stat/boot_inside.h"
#include "stat/draw.h"

enum {
    LANES = 4,         /* replicates in flight */
    CODES = 256,       /* distinct tuples that a byte names */
    CODE_SLOTS = 1024, /* hash slots for them */
    DYADIC_BITS = 20,  /* fractional bits up to which sums are taken as integers */
    LISTS_AT_ONCE = 8, /* statistics on one stream; more are taken in groups */
};

#define EXACT_INTEGER 9007199254740992.0 /* 2^53 */

/* The statistics of one call, and how their values are held. */
struct sample {
    const double *const *lists;
    size_t n_lists, n;
    int bits;                    /* integers: values are multiples of 2^-bits */
    int field;                   /* integers: bits of a word that one statistic has */
    double least[LISTS_AT_ONCE]; /* integers: taken off before packing */
    uint64_t *packed;            /* integers: a word per task (or per code), or NULL */
    uint8_t *codes;              /* number of the task's tuple, or NULL */
    bool direct;                 /* one statistic of small integers: codes are the packed values */
    size_t n_codes;
    size_t example[CODES]; /* a task that has the tuple */
};

/* ---- how values are held ------------------------------------------------------------------------
 */

/* Smallest b such that every value is a multiple of 2^-b and |value| * 2^b is an exact integer, or
 * -1. */
static int dyadic_bits(const double *values, size_t n)
{
    int bits = 0;
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        double x = values[i];
        if (!isfinite(x))
            return -1;
        while (ldexp(x, bits) != trunc(ldexp(x, bits)))
            if (++bits > DYADIC_BITS)
                return -1;
        largest = fmax(largest, fabs(x));
    }
    return ldexp(largest, bits) * (double)n < EXACT_INTEGER ? bits : -1;
}

static uint64_t tuple_hash(const struct sample *s, size_t task)
{
    uint64_t hash = 0;
    for (size_t l = 0; l < s->n_lists; l++) {
        uint64_t word;
        memcpy(&word, &s->lists[l][task], sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static bool tuple_equal(const struct sample *s, size_t a, size_t b)
{
    for (size_t l = 0; l < s->n_lists; l++)
        if (memcmp(&s->lists[l][a], &s->lists[l][b], sizeof(double)) != 0)
            return false;
    return true;
}

/* Names the tuples by bytes when there are few. */
static void code_tuples(struct sample *s)
{
    uint16_t slots[CODE_SLOTS] = {0}; /* code + 1 */
    s->codes = mem_alloc(s->n);
    for (size_t task = 0; task < s->n; task++) {
        size_t slot = tuple_hash(s, task) % CODE_SLOTS;
        while (slots[slot] && !tuple_equal(s, s->example[slots[slot] - 1], task))
            slot = (slot + 1) % CODE_SLOTS;
        if (!slots[slot]) {
            if (s->n_codes == CODES) {
                free(s->codes);
                s->codes = NULL;
                return;
            }
            s->example[s->n_codes++] = task;
            slots[slot] = (uint16_t)s->n_codes;
        }
        s->codes[task] = (uint8_t)(slots[slot] - 1);
    }
}

/* Packs the statistics into one word per task (or code) when all their sums fit side by side. */
static void pack_integers(struct sample *s)
{
    s->bits = 0;
    for (size_t l = 0; l < s->n_lists; l++) {
        int bits = dyadic_bits(s->lists[l], s->n);
        if (bits < 0)
            return;
        s->bits = bits > s->bits ? bits : s->bits;
    }
    s->field = 64 / (int)s->n_lists;
    for (size_t l = 0; l < s->n_lists; l++) {
        double least = s->lists[l][0], most = least;
        for (size_t i = 1; i < s->n; i++) {
            least = fmin(least, s->lists[l][i]);
            most = fmax(most, s->lists[l][i]);
        }
        double widest = ldexp(fmax(fabs(least), fabs(most)), s->bits) * (double)s->n;
        double sum = ldexp(most - least, s->bits) * (double)s->n;
        if (widest >= EXACT_INTEGER || sum >= fmin(ldexp(1.0, s->field), EXACT_INTEGER))
            return;
        s->least[l] = least;
    }
    size_t words = s->codes ? s->n_codes : s->n;
    s->packed = mem_zero(words, sizeof *s->packed);
    for (size_t i = 0; i < words; i++) {
        size_t task = s->codes ? s->example[i] : i;
        for (size_t l = 0; l < s->n_lists; l++) {
            double above = s->lists[l][task] - s->least[l];
            s->packed[i] |= (uint64_t)ldexp(above, s->bits) << (s->field * (int)l);
        }
    }
}

/* A single statistic whose packed values fit a byte needs no table. */
static void code_directly(struct sample *s)
{
    s->direct = s->packed && s->codes && s->n_lists == 1;
    for (size_t i = 0; s->direct && i < s->n_codes; i++)
        s->direct = s->packed[i] < CODES;
    for (size_t task = 0; s->direct && task < s->n; task++)
        s->codes[task] = (uint8_t)s->packed[s->codes[task]];
}

/* ---- sums over one replicate, or four -----------------------------------------------------------
 */

static uint64_t sum_packed(const struct sample *s, const uint32_t *index)
{
    uint64_t sum = 0;
    if (s->direct)
        for (size_t i = 0; i < s->n; i++)
            sum += s->codes[index[i]];
    else if (s->codes)
        for (size_t i = 0; i < s->n; i++)
            sum += s->packed[s->codes[index[i]]];
    else
        for (size_t i = 0; i < s->n; i++)
            sum += s->packed[index[i]];
    return sum;
}

/* Unpacks the sum of statistic l and divides: the same doubles as adding the values one by one. */
static double packed_mean(const struct sample *s, uint64_t sum, size_t l)
{
    uint64_t mask = s->field == 64 ? ~UINT64_C(0) : (UINT64_C(1) << s->field) - 1;
    double above = (double)(sum >> (s->field * (int)l) & mask);
    double total = ldexp(above, -s->bits) + s->least[l] * (double)s->n;
    return total / (double)s->n;
}

/* means[lane] of one list over LANES replicates whose indices lie one behind the other. */
static void sum_lanes(const double *values, const uint8_t *codes, const uint32_t *index, size_t n,
                      double means[LANES])
{
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    const uint32_t *ia = index, *ib = index + n, *ic = index + 2 * n, *id = index + 3 * n;
    if (codes) {
        for (size_t i = 0; i < n; i++) {
            a += values[codes[ia[i]]];
            b += values[codes[ib[i]]];
            c += values[codes[ic[i]]];
            d += values[codes[id[i]]];
        }
    } else {
        for (size_t i = 0; i < n; i++) {
            a += values[ia[i]];
            b += values[ib[i]];
            c += values[ic[i]];
            d += values[id[i]];
        }
    }
    means[0] = a / (double)n;
    means[1] = b / (double)n;
    means[2] = c / (double)n;
    means[3] = d / (double)n;
}

static void replicates_packed(const struct sample *s, struct draw *draw, int64_t draws,
                              double *const *stats)
{
    uint32_t *index = mem_alloc(s->n * sizeof *index);
    for (int64_t r = 0; r < draws; r++) {
        draw_below(draw, (uint32_t)s->n, index, s->n);
        uint64_t sum = sum_packed(s, index);
        for (size_t l = 0; l < s->n_lists; l++)
            stats[l][r] = packed_mean(s, sum, l);
    }
    free(index);
}

static void replicates_plain(const struct sample *s, struct draw *draw, int64_t draws,
                             double *const *stats)
{
    uint32_t *index = mem_zero(s->n * LANES, sizeof *index);
    double table[LISTS_AT_ONCE][CODES];
    for (size_t l = 0; s->codes && l < s->n_lists; l++)
        for (size_t code = 0; code < s->n_codes; code++)
            table[l][code] = s->lists[l][s->example[code]];
    for (int64_t r = 0; r < draws; r += LANES) {
        size_t lanes = draws - r < LANES ? (size_t)(draws - r) : LANES;
        draw_below(draw, (uint32_t)s->n, index, s->n * lanes);
        for (size_t l = 0; l < s->n_lists; l++) {
            double means[LANES];
            sum_lanes(s->codes ? table[l] : s->lists[l], s->codes, index, s->n, means);
            memcpy(stats[l] + r, means, lanes * sizeof *means);
        }
    }
    free(index);
}

/* ---- from replicates to an interval -------------------------------------------------------------
 */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void boot_positions(int64_t draws, double level, int64_t *low, int64_t *high)
{
    double count = (double)draws;
    int64_t from = (int64_t)((1.0 - level) / 2.0 * count);
    int64_t to = (int64_t)((1.0 + level) / 2.0 * count) - 1;
    *low = from > 0 ? from : 0;
    *high = to < 0 || to > draws - 1 ? draws - 1 : to;
}

/* Where the share of the replicates below the mean, and the skew of the values, move the two ends.
 */
static void bca_positions(const struct boot_values *v, const double *stats, int64_t draws,
                          double level, int64_t *low, int64_t *high)
{
    double below = 0.0;
    for (int64_t i = 0; i < draws; i++)
        below += stats[i] < v->mean ? 1.0 : stats[i] == v->mean ? 0.5 : 0.0;
    double squares = 0.0,
           cubes = 0.0; /* jackknife: leaving x out moves the mean by (mean - x)/(n - 1) */
    for (size_t i = 0; i < v->n; i++) {
        double moved = v->values[i] - v->mean, times = v->times ? (double)v->times[i] : 1.0;
        squares += times * (moved * moved);
        cubes += times * (moved * moved * moved);
    }
    boot_positions(draws, level, low, high);
    if (below <= 0.0 || below >= (double)draws || squares <= 0.0)
        return; /* no correction exists: the percentile interval */
    double bias = stat_normal_inverse(below / (double)draws);
    double acceleration = cubes / (6.0 * squares * sqrt(squares));
    if (!isfinite(acceleration))
        return; /* values whose cubes overflow */
    double tail = stat_normal_inverse((1.0 + level) / 2.0);
    double from = bias - tail, to = bias + tail;
    from = stat_normal_cdf(bias + from / (1.0 - acceleration * from));
    to = stat_normal_cdf(bias + to / (1.0 - acceleration * to));
    int64_t last = draws - 1;
    *low = (int64_t)(from * (double)draws);
    *high = (int64_t)(to * (double)draws) - 1;
    *low = *low > last ? last : *low;
    *high = *high < *low ? *low : *high > last ? last : *high;
}

struct interval boot_interval_of(const struct boot_values *v, double *stats, int64_t draws,
                                 const struct boot_options *options)
{
    if (draws < 1)
        return INTERVAL_NONE;
    qsort(stats, (size_t)draws, sizeof *stats, by_value);
    int64_t low, high;
    if (v && options->kind == INTERVAL_BCA)
        bca_positions(v, stats, draws, options->level, &low, &high);
    else
        boot_positions(draws, options->level, &low, &high);
    return (struct interval){stats[low], stats[high]};
}

const char *interval_kind_name(enum interval_kind kind)
{
    return kind == INTERVAL_T ? "t" : kind == INTERVAL_BCA ? "bca" : "percentile";
}

static struct interval interval_t(const double *values, size_t n, double level)
{
    double mean = stat_mean(values, n);
    double half = stat_t_quantile((double)(n - 1), level) * stat_sd(values, n) / sqrt((double)n);
    return (struct interval){mean - half, mean + half};
}

static void boot_group(const double *const *lists, size_t n_lists, size_t n,
                       const struct boot_options *options, struct interval *out)
{
    struct sample s = {.lists = lists, .n_lists = n_lists, .n = n};
    code_tuples(&s);
    pack_integers(&s);
    code_directly(&s);
    double *stats[LISTS_AT_ONCE];
    for (size_t l = 0; l < n_lists; l++)
        stats[l] = mem_zero((size_t)options->draws, sizeof **stats);
    struct draw *draw = mem_alloc(sizeof *draw);
    draw_start(draw, options->start);
    if (s.packed)
        replicates_packed(&s, draw, options->draws, stats);
    else
        replicates_plain(&s, draw, options->draws, stats);
    for (size_t l = 0; l < n_lists; l++) {
        struct boot_values v = {lists[l], NULL, n, stat_mean(lists[l], n)};
        out[l] = boot_interval_of(&v, stats[l], options->draws, options);
        free(stats[l]);
    }
    free(draw);
    free(s.packed);
    free(s.codes);
}

void boot_intervals(const double *const *lists, size_t n_lists, size_t n,
                    const struct boot_options *options, struct interval *out)
{
    for (size_t l = 0; l < n_lists; l++)
        out[l] = n < STAT_INTERVAL_VALUES      ? INTERVAL_NONE
                 : options->kind == INTERVAL_T ? interval_t(lists[l], n, options->level)
                                               : out[l];
    if (n < STAT_INTERVAL_VALUES || options->kind == INTERVAL_T)
        return;
    for (size_t from = 0; from < n_lists; from += LISTS_AT_ONCE) {
        size_t count = n_lists - from < LISTS_AT_ONCE ? n_lists - from : LISTS_AT_ONCE;
        boot_group(lists + from, count, n, options, out + from);
    }
}

struct interval boot_interval(const double *values, size_t n, const struct boot_options *options)
{
    struct interval out = INTERVAL_NONE;
    boot_intervals(&values, 1, n, options, &out);
    return out;
}

struct interval boot_difference(const double *a, size_t n_a, const double *b, size_t n_b,
                                const struct boot_options *options)
{
    if (n_a < STAT_INTERVAL_VALUES || n_b < STAT_INTERVAL_VALUES)
        return INTERVAL_NONE;
    size_t most = n_a > n_b ? n_a : n_b;
    uint32_t *index = mem_zero(most, sizeof *index);
    double *stats = mem_zero((size_t)options->draws, sizeof *stats);
    struct draw *draw = mem_alloc(sizeof *draw);
    draw_start(draw, options->start);
    for (int64_t r = 0; r < options->draws; r++) {
        double sum_a = 0.0, sum_b = 0.0;
        draw_below(draw, (uint32_t)n_a, index, n_a);
        for (size_t i = 0; i < n_a; i++)
            sum_a += a[index[i]];
        draw_below(draw, (uint32_t)n_b, index, n_b);
        for (size_t i = 0; i < n_b; i++)
            sum_b += b[index[i]];
        stats[r] = sum_b / (double)n_b - sum_a / (double)n_a;
    }
    qsort(stats, (size_t)options->draws, sizeof *stats, by_value);
    int64_t low, high;
    boot_positions(options->draws, options->level, &low, &high);
    struct interval out = {stats[low], stats[high]};
    free(draw);
    free(index);
    free(stats);
    return out;
}

double permutation_p(const double *differences, size_t n, const struct rng *start, int64_t draws)
{
    double bar = fabs(stat_mean(differences, n)) - STAT_PERMUTATION_SLACK;
    uint8_t *flip = mem_zero(n, LANES);
    struct draw *draw = mem_alloc(sizeof *draw);
    draw_start(draw, start);
    int64_t reached = 0;
    for (int64_t r = 0; r < draws; r += LANES) {
        size_t lanes = draws - r < LANES ? (size_t)(draws - r) : LANES;
        draw_signs(draw, flip, n * lanes);
        double sum[LANES] = {0.0};
        for (size_t i = 0; i < n; i++) {
            double either[2] = {differences[i], -differences[i]};
            for (size_t lane = 0; lane < LANES; lane++)
                sum[lane] += either[flip[lane * n + i]];
        }
        for (size_t lane = 0; lane < lanes; lane++)
            reached += fabs(sum[lane] / (double)n) >= bar;
    }
    free(draw);
    free(flip);
    return (double)(reached + 1) / (double)(draws + 1);
}

/* How many of the flips of differences[i..n) bring the sum, which holds those before, to the bar. */
static uint64_t flips_reaching(const double *differences, size_t i, size_t n, double sum,
                               double bar)
{
    if (i == n)
        return fabs(sum / (double)n) >= bar;
    return flips_reaching(differences, i + 1, n, sum + differences[i], bar) +
           flips_reaching(differences, i + 1, n, sum - differences[i], bar);
}

double permutation_p_exact(const double *differences, size_t n)
{
    if (n == 0 || n > STAT_EXACT_TASKS)
        return NAN;
    double bar = fabs(stat_mean(differences, n)) - STAT_PERMUTATION_SLACK;
    return (double)flips_reaching(differences, 0, n, 0.0, bar) / (double)(UINT64_C(1) << n);
}
