/* test_scheme.c: the schemes for large inputs give the intervals of the exact one up to the error of
 * the draws, whatever the order, the shards and the threads (measure 13, 18). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "rng/philox.h"
#include "stat/stat.h"

enum { INPUTS = 50, DRAWS = 2000 };

#define MONTE_CARLO 5.0 /* standard errors */

struct input {
    size_t n;
    double *values;
    uint64_t *hashes;
};

/* Rates of a few tries, or real values, of 100 to 1000 tasks. */
static struct input input_make(struct rng *rng, int number)
{
    struct input in = {.n = 100 + rng_below(rng, 900)};
    in.values = mem_zero(in.n, sizeof *in.values);
    in.hashes = mem_zero(in.n, sizeof *in.hashes);
    double tries = (double)(1 + rng_below(rng, 8));
    for (size_t i = 0; i < in.n; i++) {
        in.values[i] = number % 3 == 2 ? rng_gauss(rng, 40.0, 9.0)
                                       : floor(rng_random(rng) * (tries + 1.0)) / tries;
        in.hashes[i] = rng_bits(rng, 64);
    }
    return in;
}

static void input_free(struct input *in)
{
    free(in->values);
    free(in->hashes);
}

static struct interval by(const struct input *in, enum boot_scheme scheme, enum interval_kind kind,
                          int jobs)
{
    struct rng start;
    rng_seed(&start, 11);
    struct boot_options o = {&start, DRAWS, STAT_LEVEL, kind, scheme, jobs};
    const double *lists[] = {in->values};
    struct boot_sample sample = {.lists = lists, .n_lists = 1, .n = in->n, .hashes = in->hashes};
    struct interval out;
    boot_sample_intervals(&sample, &o, &out);
    return out;
}

/* How far two ends of DRAWS replicates each lie apart by chance: a quantile's standard error is
 * sqrt(p(1-p)/draws) over the density there, here the normal one. */
static double end_error(const struct input *in)
{
    double tail = (1.0 - STAT_LEVEL) / 2.0, se = stat_sd(in->values, in->n) / sqrt((double)in->n);
    double density = exp(-STAT_Z95 * STAT_Z95 / 2.0) / sqrt(2.0 * acos(-1.0));
    return sqrt(2.0) * se * sqrt(tail * (1.0 - tail) / DRAWS) / density;
}

static void near_exact(enum boot_scheme scheme, enum interval_kind kind)
{
    struct rng rng;
    rng_seed(&rng, 5);
    for (int i = 0; i < INPUTS; i++) {
        struct input in = input_make(&rng, i);
        struct interval exact = by(&in, BOOT_EXACT, kind, 0), other = by(&in, scheme, kind, 0);
        double error = MONTE_CARLO * end_error(&in);
        assert_true(fabs(exact.low - other.low) <= error);
        assert_true(fabs(exact.high - other.high) <= error);
        assert_true(exact.low != other.low || exact.high != other.high || i % 3 != 2);
        input_free(&in);
    }
}

static void hist_is_near_exact(void **state)
{
    (void)state;
    near_exact(BOOT_HIST, INTERVAL_PERCENTILE);
    near_exact(BOOT_HIST, INTERVAL_BCA);
}

static void poisson_is_near_exact(void **state)
{
    (void)state;
    near_exact(BOOT_POISSON, INTERVAL_PERCENTILE);
    near_exact(BOOT_POISSON, INTERVAL_BCA);
}

static void t_draws_nothing(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 6);
    struct input in = input_make(&rng, 0);
    struct interval a = by(&in, BOOT_EXACT, INTERVAL_T, 0), b = by(&in, BOOT_HIST, INTERVAL_T, 0);
    assert_true(a.low == b.low && a.high == b.high);
    input_free(&in);
}

static void reverse(struct input *in)
{
    for (size_t i = 0, j = in->n - 1; i < j; i++, j--) {
        double value = in->values[i];
        uint64_t hash = in->hashes[i];
        in->values[i] = in->values[j];
        in->hashes[i] = in->hashes[j];
        in->values[j] = value;
        in->hashes[j] = hash;
    }
}

static void order_and_threads_change_nothing(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 7);
    for (int i = 0; i < 6; i++) {
        struct input in = input_make(&rng, i);
        struct interval hist = by(&in, BOOT_HIST, INTERVAL_PERCENTILE, 1);
        struct interval poisson = by(&in, BOOT_POISSON, INTERVAL_PERCENTILE, 1);
        reverse(&in);
        struct interval hist_back = by(&in, BOOT_HIST, INTERVAL_PERCENTILE, 4);
        struct interval poisson_back = by(&in, BOOT_POISSON, INTERVAL_PERCENTILE, 4);
        assert_true(hist.low == hist_back.low && hist.high == hist_back.high);
        assert_true(poisson.low == poisson_back.low && poisson.high == poisson_back.high);
        input_free(&in);
    }
}

/* Threads only start on large inputs. */
static void threads_on_a_large_input(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 8);
    struct input in = {.n = 5000};
    in.values = mem_zero(in.n, sizeof *in.values);
    in.hashes = mem_zero(in.n, sizeof *in.hashes);
    for (size_t i = 0; i < in.n; i++) {
        in.values[i] = rng_gauss(&rng, -3.0, 1.0);
        in.hashes[i] = rng_bits(&rng, 64);
    }
    struct interval one = by(&in, BOOT_POISSON, INTERVAL_PERCENTILE, 1);
    struct interval four = by(&in, BOOT_POISSON, INTERVAL_PERCENTILE, 4);
    assert_true(one.low == four.low && one.high == four.high);
    input_free(&in);
}

static void counted_values_are_the_values(void **state)
{
    (void)state;
    static const double CELLS[] = {0.0, 0.25, 0.5, 1.0};
    static const uint64_t TIMES[] = {31, 7, 100, 62};
    struct input in = {.n = 200, .values = mem_zero(200, sizeof(double))};
    for (size_t c = 0, i = 0; c < 4; c++)
        for (uint64_t t = 0; t < TIMES[c]; t++)
            in.values[i++] = CELLS[c];
    struct rng start;
    rng_seed(&start, 11);
    const double *lists[] = {CELLS};
    struct boot_sample cells = {.lists = lists, .n_lists = 1, .n = 4, .times = TIMES};
    for (enum interval_kind kind = INTERVAL_PERCENTILE; kind <= INTERVAL_BCA; kind++) {
        struct boot_options o = {&start, DRAWS, STAT_LEVEL, kind, BOOT_EXACT, 0};
        struct interval few, all = by(&in, BOOT_HIST, kind, 0);
        boot_sample_intervals(&cells, &o, &few);
        assert_true(fabs(few.low - all.low) < 1e-12 && fabs(few.high - all.high) < 1e-12);
    }
    struct normal_check a = stat_normal_check(CELLS, TIMES, 4, STAT_LEVEL);
    struct normal_check b = stat_normal_check(in.values, NULL, in.n, STAT_LEVEL);
    assert_true(fabs(a.se - b.se) < 1e-14 && fabs(a.ci95.low - b.ci95.low) < 1e-12);
    free(in.values);
}

static void sketches_join_in_any_order(void **state)
{
    (void)state;
    struct rng rng, start;
    rng_seed(&rng, 9);
    rng_seed(&start, 3);
    struct boot_options o = {.start = &start, .draws = 101, .level = 0.9};
    struct input in = input_make(&rng, 2);
    struct boot_sketch whole, head, tail;
    boot_sketch_open(&whole, &o);
    boot_sketch_open(&head, &o);
    boot_sketch_open(&tail, &o);
    assert_true(boot_sketch_add(&whole, in.values, in.hashes, in.n, 1));
    assert_true(boot_sketch_add(&head, in.values, in.hashes, 40, 1));
    assert_true(boot_sketch_add(&tail, in.values + 40, in.hashes + 40, in.n - 40, 1));
    assert_true(boot_sketch_merge(&tail, &head));
    assert_memory_equal(tail.weights, whole.weights, 101 * sizeof *whole.weights);
    assert_memory_equal(tail.sums, whole.sums, 101 * sizeof *whole.sums);
    assert_true(tail.n == whole.n && tail.total == whole.total);
    assert_true(fabs(boot_sketch_mean(&whole) - stat_mean(in.values, in.n)) < 1e-10);
    struct interval interval = boot_sketch_interval(&whole, 0.9);
    assert_true(interval.low < boot_sketch_mean(&whole) &&
                boot_sketch_mean(&whole) < interval.high);
    double large[] = {1.0, 1e13};
    assert_false(boot_sketch_add(&whole, large, in.hashes, 2, 1));
    assert_int_equal(whole.n, in.n);
    o.draws = 100;
    struct boot_sketch fewer;
    boot_sketch_open(&fewer, &o);
    assert_false(boot_sketch_merge(&whole, &fewer));
    boot_sketch_free(&fewer);
    boot_sketch_free(&whole);
    boot_sketch_free(&head);
    boot_sketch_free(&tail);
    input_free(&in);
}

static void weights_are_poisson(void **state)
{
    (void)state;
    enum { N = 400, REPLICATES = 500 };
    struct rng start, rng;
    rng_seed(&start, 4);
    rng_seed(&rng, 4);
    struct boot_options o = {.start = &start, .draws = REPLICATES, .level = 0.9};
    double seen[8] = {0.0}, expected = (double)N * REPLICATES * exp(-1.0), statistic = 0.0;
    for (size_t i = 0; i < N; i++) { /* one value a sketch: its weights can be read off */
        struct boot_sketch one;
        uint64_t hash = rng_bits(&rng, 64);
        double value = 1.0;
        boot_sketch_open(&one, &o);
        boot_sketch_add(&one, &value, &hash, 1, 1);
        for (size_t r = 0; r < REPLICATES; r++)
            seen[one.weights[r] < 7 ? one.weights[r] : 7]++;
        boot_sketch_free(&one);
    }
    for (int k = 0; k < 7; k++) {
        statistic += (seen[k] - expected) * (seen[k] - expected) / expected;
        expected /= k + 1;
    }
    assert_true(statistic < 24.3); /* chi square of 7 at 0.999 */
}

static void auto_goes_by_the_work(void **state)
{
    (void)state;
    assert_int_equal(boot_scheme_of(BOOT_AUTO, 200000, 2000, true), BOOT_EXACT);
    assert_int_equal(boot_scheme_of(BOOT_AUTO, 200001, 2000, true), BOOT_HIST);
    assert_int_equal(boot_scheme_of(BOOT_AUTO, 200001, 2000, false), BOOT_POISSON);
    assert_int_equal(boot_scheme_of(BOOT_AUTO, 200001, 100, false), BOOT_EXACT);
    assert_int_equal(boot_scheme_of(BOOT_HIST, 5, 100, true), BOOT_HIST);
    assert_int_equal(boot_scheme_of(BOOT_HIST, 5, 100, false), BOOT_POISSON);
    assert_int_equal(boot_scheme_of(BOOT_POISSON, 5, 100, true), BOOT_POISSON);
    assert_string_equal(boot_scheme_name(BOOT_HIST), "hist");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hist_is_near_exact),
        cmocka_unit_test(poisson_is_near_exact),
        cmocka_unit_test(t_draws_nothing),
        cmocka_unit_test(order_and_threads_change_nothing),
        cmocka_unit_test(threads_on_a_large_input),
        cmocka_unit_test(counted_values_are_the_values),
        cmocka_unit_test(sketches_join_in_any_order),
        cmocka_unit_test(weights_are_poisson),
        cmocka_unit_test(auto_goes_by_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
