/* test_anytime.c: the confidence sequence keeps its level over all looks, a gate on it may be stopped
 * at when it has decided, and the error of clustered tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stat/stat.h"

enum { RUNS = 1000, TASKS = 300, TRIES = 4, FIRST_LOOK = 10 };

/* Pass rates of tasks of a population whose mean is `mean`. */
static void play(struct rng *rng, double mean, double spread, double *rates, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double p = rng_uniform(rng, mean - spread, mean + spread), passes = 0.0;
        for (int t = 0; t < TRIES; t++)
            passes += rng_random(rng) < p;
        rates[i] = passes / TRIES;
    }
}

static bool holds(struct interval i, double truth)
{
    return i.low <= truth && truth <= i.high;
}

/* The sequence after the last task is where all looks meet: it holds the mean when every look did.
 * Beside it, what looking again and again does to the interval of one look. */
static void every_look_keeps_the_level(void **state)
{
    (void)state;
    static const struct {
        double mean, spread;
    } WORLDS[] = {{0.5, 0.4}, {0.5, 0.0}, {0.9, 0.1}, {0.05, 0.05}};
    double rates[TASKS];
    struct rng rng;
    rng_seed_text(&rng, SPAN("every look"));
    for (size_t w = 0; w < sizeof WORLDS / sizeof *WORLDS; w++) {
        int left_out = 0, plain = 0;
        for (int run = 0; run < RUNS; run++) {
            play(&rng, WORLDS[w].mean, WORLDS[w].spread, rates, TASKS);
            left_out += !holds(anytime_interval(rates, TASKS, 0.95), WORLDS[w].mean);
            bool once = false;
            double sum = 0.0, squares = 0.0;
            for (size_t i = 0; i < TASKS; i++) {
                double n = (double)(i + 1);
                sum += rates[i];
                squares += rates[i] * rates[i];
                double se = sqrt(fmax(0.0, squares / n - sum / n * (sum / n)) / n);
                once |= i >= FIRST_LOOK && fabs(sum / n - WORLDS[w].mean) > STAT_Z95 * se;
            }
            plain += once;
        }
        if (left_out > RUNS / 20 || plain < RUNS / 5)
            print_error("mean %g: left out in %d of %d runs, by one-look intervals in %d\n",
                        WORLDS[w].mean, left_out, RUNS, plain);
        assert_true(left_out <= RUNS / 20);
        assert_true(plain >= RUNS / 5);
    }
}

/* Stopped at the first look that decides a limit beside the mean: wrong in at most alpha of the runs,
 * and decided long before the end when the mean is far from it. */
static void a_decided_run_may_stop(void **state)
{
    (void)state;
    static const struct {
        double mean, limit;
        double decided; /* share of the runs, at least */
    } WORLDS[] = {{0.5, 0.5, 0.0}, {0.7, 0.5, 0.99}, {0.3, 0.5, 0.99}, {0.6, 0.5, 0.5}};
    double rates[TASKS];
    struct rng rng;
    rng_seed_text(&rng, SPAN("stop"));
    for (size_t w = 0; w < sizeof WORLDS / sizeof *WORLDS; w++) {
        int wrong = 0, decided = 0;
        for (int run = 0; run < RUNS; run++) {
            struct anytime_test test;
            anytime_test_start(&test, WORLDS[w].limit, 0.95);
            play(&rng, WORLDS[w].mean, 0.3, rates, TASKS);
            for (size_t i = 0; i < TASKS && !test.above && !test.below; i++)
                anytime_test_add(&test, rates[i]);
            decided += test.above || test.below;
            wrong += (test.above && WORLDS[w].mean <= WORLDS[w].limit) ||
                     (test.below && WORLDS[w].mean >= WORLDS[w].limit);
        }
        if (wrong > RUNS / 20 || decided < WORLDS[w].decided * RUNS)
            print_error("mean %g, limit %g: %d decided, %d of them wrong\n", WORLDS[w].mean,
                        WORLDS[w].limit, decided, wrong);
        assert_true(wrong <= RUNS / 20);
        assert_true(decided >= WORLDS[w].decided * RUNS);
    }
}

static void the_test_is_the_interval(void **state)
{
    (void)state;
    double rates[TASKS];
    struct rng rng;
    rng_seed(&rng, 3);
    play(&rng, 0.6, 0.3, rates, TASKS);
    struct interval last = {0.0, 1.0};
    for (size_t n = 1; n <= TASKS; n += 13) {
        struct interval now = anytime_interval(rates, n, 0.9);
        assert_true(now.low >= last.low && now.high <= last.high); /* it never widens */
        last = now;
        for (double m = 0.05; m < 1.0; m += 0.1) {
            struct anytime_test test;
            anytime_test_start(&test, m, 0.9);
            for (size_t i = 0; i < n; i++)
                anytime_test_add(&test, rates[i]);
            assert_int_equal(test.above, m <= now.low);
            assert_int_equal(test.below, m >= now.high);
        }
    }
}

/* Its price: at 300 tasks less than twice the width of an interval for one look. */
static void narrow_enough(void **state)
{
    (void)state;
    double rates[TASKS];
    struct rng rng;
    rng_seed(&rng, 4);
    play(&rng, 0.6, 0.3, rates, TASKS);
    struct interval i = anytime_interval(rates, TASKS, 0.95);
    double one_look = 2.0 * STAT_Z95 * stat_sd(rates, TASKS) / sqrt(TASKS);
    assert_true(i.high - i.low < 2.0 * one_look);
    assert_true(i.high - i.low > one_look);
}

static void edges(void **state)
{
    (void)state;
    double ones[400], zeros[400];
    for (size_t i = 0; i < 400; i++) {
        ones[i] = 1.0;
        zeros[i] = 0.0;
    }
    assert_false(interval_known(anytime_interval(ones, 0, 0.95)));
    struct interval one = anytime_interval(ones, 1, 0.95);
    assert_true(one.low == 0.0 && one.high == 1.0);
    struct interval high = anytime_interval(ones, 400, 0.95);
    struct interval low = anytime_interval(zeros, 400, 0.95);
    assert_true(high.high == 1.0 && high.low > 0.97 && high.low < 1.0);
    assert_true(low.low == 0.0 && fabs(low.high - (1.0 - high.low)) < 1e-12);
}

static void clusters_of_one_are_the_plain_error(void **state)
{
    (void)state;
    double rates[TASKS];
    size_t own[TASKS], pairs[TASKS];
    struct rng rng;
    rng_seed(&rng, 5);
    play(&rng, 0.6, 0.3, rates, TASKS);
    for (size_t i = 0; i < TASKS; i++) {
        own[i] = i;
        pairs[i] = i / 2;
        if (i % 2)
            rates[i] = rates[i - 1]; /* the same task twice says nothing new */
    }
    double plain = stat_sd(rates, TASKS) / sqrt(TASKS);
    struct clustered a = stat_clustered(rates, own, TASKS, TASKS, 0.95);
    assert_true(fabs(a.se - plain) < 1e-15);
    struct clustered b = stat_clustered(rates, pairs, TASKS, TASKS / 2, 0.95);
    double halves[TASKS / 2];
    for (size_t i = 0; i < TASKS / 2; i++)
        halves[i] = rates[2 * i];
    assert_true(fabs(b.se - stat_sd(halves, TASKS / 2) / sqrt(TASKS / 2)) < 1e-15);
    double half = stat_t_quantile(TASKS / 2 - 1, 0.95) * b.se;
    assert_true(fabs(b.ci95.high - b.ci95.low - 2.0 * half) < 1e-12);
    assert_true(isnan(stat_clustered(rates, own, 5, 1, 0.95).se));
    size_t two[] = {0, 1};
    struct clustered c = stat_clustered(rates, two, 2, 2, 0.95);
    assert_true(c.se >= 0.0 && !interval_known(c.ci95));
}

/* Tasks of one source that share their difficulty: the clustered interval covers, the plain one does
 * not. */
static void clustered_intervals_cover(void **state)
{
    (void)state;
    enum { SOURCES = 30, EACH = 10 };
    double rates[SOURCES * EACH];
    size_t clusters[SOURCES * EACH];
    int clustered = 0, plain = 0;
    struct rng rng;
    rng_seed_text(&rng, SPAN("clusters"));
    for (int run = 0; run < RUNS; run++) {
        for (size_t s = 0; s < SOURCES; s++) {
            play(&rng, rng_uniform(&rng, 0.2, 0.8), 0.0, rates + s * EACH, EACH);
            for (size_t i = 0; i < EACH; i++)
                clusters[s * EACH + i] = s;
        }
        struct clustered c = stat_clustered(rates, clusters, SOURCES * EACH, SOURCES, 0.95);
        clustered += holds(c.ci95, 0.5);
        plain += holds(stat_normal_check(rates, NULL, SOURCES * EACH, 0.95).ci95, 0.5);
    }
    if (clustered < 0.93 * RUNS || plain > 0.85 * RUNS)
        print_error("of %d: %d clustered, %d plain\n", RUNS, clustered, plain);
    assert_true(clustered >= 0.93 * RUNS && clustered <= 0.97 * RUNS);
    assert_true(plain < 0.85 * RUNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_look_keeps_the_level),
        cmocka_unit_test(a_decided_run_may_stop),
        cmocka_unit_test(the_test_is_the_interval),
        cmocka_unit_test(narrow_enough),
        cmocka_unit_test(edges),
        cmocka_unit_test(clusters_of_one_are_the_plain_error),
        cmocka_unit_test(clustered_intervals_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
