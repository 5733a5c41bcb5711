/* test_boot.c: resampling against the plain loops it replaces: every fast path gives the same
 * doubles (measure 3.2, 3.3, 5, 13.1, 13.5). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "stat/stat.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double draw_mean(struct rng *rng, const double *values, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += values[rng_below(rng, n)];
    return sum / (double)n;
}

static struct interval plain_boot(const double *values, size_t n, const struct boot_options *o)
{
    struct rng rng = *o->start;
    double *stats = mem_zero((size_t)o->draws, sizeof *stats);
    for (int64_t r = 0; r < o->draws; r++)
        stats[r] = draw_mean(&rng, values, n);
    qsort(stats, (size_t)o->draws, sizeof *stats, by_value);
    int64_t low, high;
    boot_positions(o->draws, o->level, &low, &high);
    struct interval out = {stats[low], stats[high]};
    free(stats);
    return out;
}

static void assert_same(struct interval a, struct interval b)
{
    assert_true(a.low == b.low);
    assert_true(a.high == b.high);
}

enum kind { RATES_OF_4, RATES_OF_7, REALS, INTEGERS, TINY, CONSTANT, HUGE_VALUES, KINDS };

static double value_of(enum kind kind, struct rng *rng)
{
    switch (kind) {
    case RATES_OF_4: return (double)rng_below(rng, 5) / 4.0;
    case RATES_OF_7: return (double)rng_below(rng, 8) / 7.0;
    case REALS: return rng_gauss(rng, 0.0, 3.0);
    case INTEGERS: return (double)rng_below(rng, 4000) - 2000.0;
    case TINY: return ldexp((double)rng_below(rng, 100), -21);
    case CONSTANT: return 0.25;
    default: return 1e300 * rng_random(rng);
    }
}

static void every_path_is_the_plain_loop(void **state)
{
    (void)state;
    static const size_t sizes[] = {3, 4, 7, 16, 33, 64, 100, 500, 1500};
    struct rng values_from, start;
    rng_seed(&values_from, 1);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (enum kind kind = 0; kind < KINDS; kind++) {
            size_t n = sizes[s];
            double *values = mem_zero(n, sizeof *values);
            for (size_t i = 0; i < n; i++)
                values[i] = value_of(kind, &values_from);
            rng_seed(&start, (int64_t)(s * 100 + kind));
            struct boot_options o = {.start = &start, .draws = (int64_t)(97 + s), .level = 0.9};
            assert_same(boot_interval(values, n, &o), plain_boot(values, n, &o));
            free(values);
        }
}

/* Statistics of one length share the indices; mixed kinds pack or do not. */
static void several_lists_are_each_alone(void **state)
{
    (void)state;
    enum { LISTS = 11, N = 40 };
    struct rng values_from, start;
    rng_seed(&values_from, 2);
    rng_seed(&start, 5);
    for (int round = 0; round < 30; round++) {
        double lists[LISTS][N];
        const double *pointers[LISTS];
        struct interval found[LISTS];
        size_t count = 1 + rng_below(&values_from, LISTS);
        bool plain = rng_below(&values_from, 2);
        for (size_t l = 0; l < count; l++) {
            enum kind kind = plain ? RATES_OF_4 : (enum kind)rng_below(&values_from, KINDS);
            for (size_t i = 0; i < N; i++)
                lists[l][i] = value_of(kind, &values_from);
            pointers[l] = lists[l];
        }
        struct boot_options o = {.start = &start, .draws = 50 + round, .level = STAT_LEVEL};
        boot_intervals(pointers, count, N, &o, found);
        for (size_t l = 0; l < count; l++)
            assert_same(found[l], plain_boot(lists[l], N, &o));
    }
}

static void too_few_values(void **state)
{
    (void)state;
    struct rng start;
    rng_seed(&start, 0);
    double values[] = {0.0, 1.0, 0.5};
    for (enum interval_kind kind = INTERVAL_PERCENTILE; kind <= INTERVAL_BCA; kind++) {
        struct boot_options o = {.start = &start, .draws = 100, .level = 0.95, .kind = kind};
        assert_false(interval_known(boot_interval(values, 0, &o)));
        assert_false(interval_known(boot_interval(values, 2, &o)));
        assert_true(interval_known(boot_interval(values, 3, &o)));
        assert_false(interval_known(boot_difference(values, 2, values, 3, &o)));
    }
}

static void positions(void **state)
{
    (void)state;
    int64_t low, high;
    boot_positions(2000, STAT_LEVEL, &low, &high);
    assert_int_equal(low, 50);
    assert_int_equal(high, 1949);
    boot_positions(1, 0.5, &low, &high);
    assert_int_equal(low, 0);
    assert_int_equal(high, 0);
    boot_positions(10, 0.999999, &low, &high);
    assert_int_equal(low, 0);
    assert_int_equal(high, 8);
}

static void mirror_and_scale(void **state)
{
    (void)state;
    enum { N = 25 };
    struct rng rng, start;
    rng_seed(&rng, 3);
    rng_seed(&start, 0);
    double values[N], mirrored[N], doubled[N];
    for (size_t i = 0; i < N; i++) {
        values[i] = rng_gauss(&rng, 0.1, 1.0);
        mirrored[i] = -values[i];
        doubled[i] = 2.0 * values[i];
    }
    struct boot_options o = {.start = &start, .draws = 2000, .level = STAT_LEVEL};
    struct interval a = boot_interval(values, N, &o), b = boot_interval(mirrored, N, &o);
    assert_true(b.low == -a.high && b.high == -a.low);
    assert_true(permutation_p(values, N, &start, 2000) == permutation_p(mirrored, N, &start, 2000));
    struct interval c = boot_interval(doubled, N, &o);
    assert_true(c.low == 2.0 * a.low && c.high == 2.0 * a.high);
}

static void difference_is_the_plain_loop(void **state)
{
    (void)state;
    double a[] = {0.25, 0.5, 1.0 / 3.0, 0.0, 1.0}, b[] = {1.0, 0.75, 0.6};
    struct rng start, rng;
    rng_seed(&start, 9);
    rng = start;
    double stats[200];
    for (size_t r = 0; r < 200; r++) {
        double mean_a = draw_mean(&rng, a, 5);
        stats[r] = draw_mean(&rng, b, 3) - mean_a;
    }
    qsort(stats, 200, sizeof *stats, by_value);
    struct boot_options o = {.start = &start, .draws = 200, .level = 0.9};
    int64_t low, high;
    boot_positions(200, 0.9, &low, &high);
    assert_same(boot_difference(a, 5, b, 3, &o), (struct interval){stats[low], stats[high]});
}

static void flips_are_the_plain_loop(void **state)
{
    (void)state;
    struct rng values_from, start;
    rng_seed(&values_from, 4);
    for (size_t n = 1; n < 60; n += 3)
        for (int64_t draws = 1; draws < 9; draws++) {
            double d[60], sum;
            for (size_t i = 0; i < n; i++)
                d[i] = (double)rng_below(&values_from, 9) / 4.0 - 1.0;
            rng_seed(&start, (int64_t)n);
            struct rng rng = start;
            double bar = fabs(stat_mean(d, n)) - 1e-12;
            int reached = 0;
            for (int64_t r = 0; r < draws; r++) {
                sum = 0.0;
                for (size_t i = 0; i < n; i++)
                    sum += rng_random(&rng) < 0.5 ? d[i] : -d[i];
                reached += fabs(sum / (double)n) >= bar;
            }
            assert_true(permutation_p(d, n, &start, draws) ==
                        (double)(reached + 1) / (double)(draws + 1));
        }
    double none[] = {0.0, 0.0, 0.0};
    assert_true(permutation_p(none, 3, &start, 100) == 1.0);
}

static void other_intervals(void **state)
{
    (void)state;
    enum { N = 30 };
    struct rng rng, start;
    rng_seed(&rng, 5);
    rng_seed(&start, 0);
    double skewed[N], flat[N];
    for (size_t i = 0; i < N; i++) {
        double x = rng_random(&rng);
        skewed[i] = x * x * x * x; /* a long tail to the right */
        flat[i] = 0.5;
    }
    struct boot_options o = {.start = &start, .draws = 2000, .level = STAT_LEVEL};
    struct interval percentile = boot_interval(skewed, N, &o);
    o.kind = INTERVAL_BCA;
    struct interval bca = boot_interval(skewed, N, &o);
    assert_true(bca.low >= percentile.low && bca.high > percentile.high);
    assert_true(bca.low < stat_mean(skewed, N) && stat_mean(skewed, N) < bca.high);
    assert_same(boot_interval(flat, N, &o), (struct interval){0.5, 0.5});
    for (size_t i = 0; i < N; i++)
        flat[i] = 1e200 * skewed[i]; /* cubes overflow: the percentile interval */
    struct boot_options plain = {.start = &start, .draws = 2000, .level = STAT_LEVEL};
    assert_same(boot_interval(flat, N, &o), boot_interval(flat, N, &plain));
    o.kind = INTERVAL_T;
    struct interval t = boot_interval(skewed, N, &o);
    double mean = stat_mean(skewed, N), half = 2.045 * stat_sd(skewed, N) / sqrt(30.0);
    assert_true(fabs(t.low - (mean - half)) < 1e-15 && fabs(t.high - (mean + half)) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path_is_the_plain_loop),
        cmocka_unit_test(several_lists_are_each_alone),
        cmocka_unit_test(too_few_values),
        cmocka_unit_test(positions),
        cmocka_unit_test(mirror_and_scale),
        cmocka_unit_test(difference_is_the_plain_loop),
        cmocka_unit_test(flips_are_the_plain_loop),
        cmocka_unit_test(other_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
