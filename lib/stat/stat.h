/* stat.h: the primitives of measurement (measure 3). Digits agree with the reference package on
 * CPython 3.11: sums run left to right from 0.0, squares and roots written stat_pow2 and stat_root
 * are the C library's pow, draws come from the Mersenne twister as random.Random makes them.
 *
 * A number that is undefined (the mean of nothing, pass@4 of three tries) is NaN; reports print
 * null. An interval that is undefined has two NaNs. */
#ifndef WAI_STAT_STAT_H
#define WAI_STAT_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rng/rng.h"
#include "stat/defaults.h"

struct interval {
    double low, high; /* both NaN: none */
};

extern const struct interval INTERVAL_NONE;

static inline bool interval_known(struct interval i)
{
    return i.low == i.low && i.high == i.high;
}

/* ---- means and spreads (3.1) --------------------------------------------------------------------
 */

double stat_pow2(
    double x); /* pow(x, 2.0): differs from x*x in the last bit of about one in a thousand */
double stat_root(double x); /* pow(x, 0.5): not sqrt */

double stat_sum(const double *values, size_t n);
double stat_mean(const double *values, size_t n);   /* NaN when n is 0 */
double stat_sd(const double *values, size_t n);     /* sqrt of the sample variance; NaN under 2 */
double stat_sd_pow(const double *values, size_t n); /* the same by pow, as eval-variance takes it */
double stat_pearson(const double *x, const double *y,
                    size_t n); /* NaN under 3 points or without variance */

/* ---- resampling (3.2, 3.3, 13.5) ----------------------------------------------------------------
 */

enum interval_kind {
    INTERVAL_PERCENTILE, /* Efron & Tibshirani 1993; what the reference package prints */
    INTERVAL_T,          /* mean +- t * sd / sqrt(n); no draws */
    INTERVAL_BCA,        /* bias-corrected and accelerated, Efron 1987; jackknife acceleration */
};

const char *interval_kind_name(enum interval_kind kind);

/* How replicates are drawn (measure 13). Each has the bootstrap's distribution; only the first has
 * the reference package's draws. */
enum boot_scheme {
    BOOT_EXACT,   /* index by index from the Mersenne twister */
    BOOT_HIST,    /* how often each distinct value comes, by conditional binomials: few values */
    BOOT_POISSON, /* a weight of Poisson(1) per value and replicate, from the hash of its key:
                     whatever the order and the shard */
    BOOT_AUTO,    /* exact while values * draws <= STAT_EXACT_WORK */
};

const char *boot_scheme_name(enum boot_scheme scheme);
enum boot_scheme boot_scheme_named(const char *name); /* of one of the names */

/* What is meant on n values: rates are few distinct values, markers are not. */
enum boot_scheme boot_scheme_of(enum boot_scheme asked, size_t n, int64_t draws, bool rates);

struct boot_options {
    const struct rng
        *start;    /* the seeded generator; copied, so that every statistic sees the same draws */
    int64_t draws; /* replicates, at least 1 */
    double level;  /* 0 < level < 1 */
    enum interval_kind kind;
    enum boot_scheme scheme; /* of boot_sample_intervals; the others are exact */
    int jobs;                /* threads of the Poisson scheme; 0: one */
};

/* The interval of the mean of values by resampling them. Fewer than 3 values: none. O(draws * n)
 * time, O(n + draws) memory. */
struct interval boot_interval(const double *values, size_t n, const struct boot_options *options);

/* The same for several statistics of one length, on one stream of indices: out[i] is what
 * boot_interval(lists[i], …) gives, in less time. */
void boot_intervals(const double *const *lists, size_t n_lists, size_t n,
                    const struct boot_options *options, struct interval *out);

/* Statistics of one length, with what the schemes for large inputs need. */
struct boot_sample {
    const double *const *lists;
    size_t n_lists, n;
    const uint64_t *times; /* tasks that an entry stands for (then the scheme is hist); NULL: one */
    const uint64_t *hashes; /* of the entries' keys, for the Poisson scheme */
};

/* As boot_intervals, by options->scheme (not BOOT_AUTO). hist: O(draws * distinct values). Poisson:
 * O(draws * n); none when a value is 2^40 or more in size. Draws of hist and Poisson come from
 * Philox under the first 64 bits of options->start. */
void boot_sample_intervals(const struct boot_sample *sample, const struct boot_options *options,
                           struct interval *out);

/* The Poisson scheme as a mergeable summary: per replicate the sum of weights, and of weights times
 * values as integers of 2^-40, so that adding up is exact in any order (measure 13.3). */
struct boot_sketch {
    int64_t draws;
    uint64_t key;      /* 64 bits that the seed gives */
    uint64_t n;        /* values */
    __int128 total;    /* their sum */
    uint64_t *weights; /* per replicate */
    __int128 *sums;
};

enum { BOOT_SKETCH_BITS = 40 };               /* fractional bits of a value */
#define BOOT_SKETCH_COUNT (UINT64_C(1) << 40) /* values, and weights, that a sketch may hold */

void boot_sketch_start(struct boot_sketch *sketch, int64_t draws, uint64_t key); /* empty */
void boot_sketch_open(struct boot_sketch *sketch, const struct boot_options *options);
void boot_sketch_free(struct boot_sketch *sketch);
/* Adds n values; false, and nothing is added, when one is 2^40 or more in size. */
bool boot_sketch_add(struct boot_sketch *sketch, const double *values, const uint64_t *hashes,
                     size_t n, int jobs);
/* false, and into is unchanged: drawn otherwise (draws or key differ), or too many values. */
bool boot_sketch_merge(struct boot_sketch *into, const struct boot_sketch *from);
double boot_sketch_mean(const struct boot_sketch *sketch);
struct interval boot_sketch_interval(const struct boot_sketch *sketch,
                                     double level); /* percentile */

/* Mean of values and the normal approximation of its error, as a check on the draws (measure 13.4).
 * times as above. Under 2 values: NaN, none. */
struct normal_check {
    double se;
    struct interval ci95;
};
struct normal_check stat_normal_check(const double *values, const uint64_t *times, size_t n,
                                      double level);

/* ---- at every look, and in clusters -------------------------------------------------------------
 */

/* A confidence sequence of the mean of values in [0, 1] that come in random order: where the
 * intervals of all prefixes meet. The chance that any of them, at whatever look, leaves the mean out
 * is at most 1 - level (Waudby-Smith & Ramdas 2024, arXiv:2010.09686). None of no value. */
struct interval anytime_interval(const double *values, size_t n, double level);

/* The same against one limit m, value by value: above (below) turns true when the sequence lies above
 * (below) m, and stays so. */
struct anytime_test {
    double m, log_bar;
    double n, sum, squares, log_above, log_below;
    bool above, below;
};
void anytime_test_start(struct anytime_test *test, double m, double level);
void anytime_test_add(struct anytime_test *test, double x);

/* The error of a mean whose values come in clusters, numbered 0 ... n_clusters - 1, and the interval by
 * Student's t with n_clusters - 1 degrees of freedom (Miller 2024, arXiv:2411.00640). NaN under 2
 * clusters, no interval under 3. */
struct clustered {
    double se;
    struct interval ci95;
};
struct clustered stat_clustered(const double *values, const size_t *clusters, size_t n,
                                size_t n_clusters, double level);

/* The interval of mean(b) - mean(a), both sides resampled from one stream, a's draws first (measure
 * 5, step 4). None under 3 values on a side. Percentile only. */
struct interval boot_difference(const double *a, size_t n_a, const double *b, size_t n_b,
                                const struct boot_options *options);

/* Positions of a percentile interval among `draws` sorted replicates. */
void boot_positions(int64_t draws, double level, int64_t *low, int64_t *high);

/* Two-sided p of a mean of paired differences under random flips of their signs. n at least 1. */
double permutation_p(const double *differences, size_t n, const struct rng *start, int64_t draws);

/* The same by how many of each distinct size are flipped, from Philox: O(draws * distinct sizes)
 * (measure 13.2). */
double permutation_p_hist(const double *differences, size_t n, const struct rng *start,
                          int64_t draws);
/* The same where entry i stands for times[i] differences. */
double permutation_p_counted(const double *differences, const uint64_t *times, size_t n,
                             const struct rng *start, int64_t draws);

/* The same over every flip of signs: of at most STAT_EXACT_TASKS differences. NaN past that. O(2^n).
 */
double permutation_p_exact(const double *differences, size_t n);

/* ---- pass@k of one group (3.4) ------------------------------------------------------------------
 */

/* n tries, c of them passes: the chance that at least one of k tries drawn without replacement
 * passes (Chen et al. 2021, arXiv:2107.03374), and that all k do (tau-bench, arXiv:2406.12045). The
 * quotient of binomials is exact and correctly rounded whatever their size. NaN when n < k. */
double stat_pass_at_k(uint64_t n, uint64_t c, uint64_t k);
double stat_pass_pow_k(uint64_t n, uint64_t c, uint64_t k);

/* ---- distributions (3.5, 3.6) -------------------------------------------------------------------
 */

double stat_normal_cdf(double x);
double stat_normal_inverse(double p); /* 0 < p < 1; Wichura 1988, algorithm AS 241 (PPND16) */
double stat_z(double level);          /* two-sided normal quantile; 1.96 at exactly 0.95 */

/* Two-sided quantile of Student's t; df is cut to an integer, at least 1. At 0.95 the printed table
 * and, past it, an expansion; else, and always in _inverted, bisection of the distribution. */
double stat_t_quantile(double df, double level);
double stat_t_inverted(double df, double level);

/* ---- noise, rates, sizing (3.7-3.10, 6.9) -------------------------------------------------------
 */

/* How far a mean of n_a runs and a mean of n_b runs lie apart by chance when one run's spread is
 * run_std. df NaN: the spread is known exactly. n_a and n_b at least 1. */
double stat_noise_band(double run_std, double n_a, double n_b, double df, double level);

/* Score interval of a rate (Wilson 1927); s may be fractional. None when n <= 0. */
struct interval stat_wilson(double s, double n, double z);

/* Two-sided p of two proportions with a pooled rate; NaN when a side is empty or the pool has one
 * value. */
double stat_two_proportion_p(double x_a, double n_a, double x_b, double n_b);

/* Agreement of two 0/1 raters beyond chance (Cohen 1960), 4 decimals, from how often both said 1, the
 * first alone, the second alone, neither. NaN without rows; 1 or 0 when chance alone would agree. */
double stat_kappa(double both, double first, double second, double neither);

/* Spread of a task's paired difference: k tries a side, every task at rate base, after at base +
 * effect; and the same when the gain sits in a few tasks that go to 1. */
double stat_sd_uniform(double base, double effect, double k);
double stat_sd_concentrated(double base, double effect, double k);

/* How much wider per-task rates spread than tasks of one rate would: NaN when it has no answer. */
double stat_spread_ratio(const double *rates, size_t n);

/* Fewest tasks on which a sign test can reach alpha. */
int64_t stat_slice_min_tasks(double alpha);

#endif
