/* test_coverage.c: intervals of 95 % hold what they are of in 93 to 97 % of simulated evals: the
 * pass rate of tasks nobody measured, and the change between two agents, paired and not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

enum { TRIALS = 1500, DRAWS = 1000, TRIES = 4, LARGEST = 300 };

#define EASY 0.7
#define HARD 0.2
#define GAIN 0.1

/* An eval: tasks drawn from a population, each tried a few times by two agents of which the second
 * is better by GAIN on every task. */
struct eval {
    char keys[LARGEST][8];
    struct task_rate before[LARGEST], after[LARGEST];
    double rates[LARGEST];
    size_t n;
};

static struct task_rate try_task(struct rng *rng, const char *key, double p)
{
    double passes = 0.0;
    for (int i = 0; i < TRIES; i++)
        passes += rng_random(rng) < p;
    return (struct task_rate){span_text(key), TRIES, passes, passes / TRIES};
}

/* apart: the second agent meets tasks of its own. */
static void play(struct rng *rng, struct eval *e, size_t n, bool apart)
{
    e->n = n;
    for (size_t i = 0; i < n; i++) {
        double p = rng_uniform(rng, HARD, EASY), q = apart ? rng_uniform(rng, HARD, EASY) : p;
        snprintf(e->keys[i], sizeof e->keys[i], "%zu", i);
        e->before[i] = try_task(rng, e->keys[i], p);
        e->rates[i] = e->before[i].mean;
        e->after[i] = try_task(rng, apart ? "other" : e->keys[i], q + GAIN);
    }
}

static bool holds(struct interval interval, double truth)
{
    return interval.low <= truth && truth <= interval.high;
}

static void check(int hits, size_t n_tasks, const char *what)
{
    double share = (double)hits / TRIALS;
    if (!(share > 0.93 && share < 0.97))
        print_error("%s, %zu tasks: covered %.1f %%\n", what, n_tasks, 100.0 * share);
    assert_true(share > 0.93 && share < 0.97);
}

static void cover(size_t n, enum interval_kind kind)
{
    struct eval *e = malloc(sizeof *e);
    struct rng rng, draws;
    int rate = 0, paired = 0, unpaired = 0;
    rng_seed_text(&rng, SPAN("coverage"));
    for (int trial = 0; trial < TRIALS; trial++) {
        rng_seed(&draws, trial);
        struct change_options options = {{&draws, DRAWS, STAT_LEVEL, kind}, MEASURE_MIN_PAIRED};
        struct metric_change change;
        play(&rng, e, n, false);
        rate += holds(boot_interval(e->rates, n, &options.boot), (EASY + HARD) / 2.0);
        compare_metric(e->before, n, e->after, n, &options, &change);
        assert_true(change.paired);
        paired += holds(change.ci95, GAIN);
        notes_free(&change.notes);
        if (kind != INTERVAL_PERCENTILE)
            continue;
        play(&rng, e, n, true);
        options.min_paired = LARGEST + 1;
        compare_metric(e->before, n, e->after, n, &options, &change);
        assert_false(change.paired);
        unpaired += holds(change.ci95, GAIN);
        notes_free(&change.notes);
    }
    check(rate, n, "a pass rate");
    check(paired, n, "a paired change");
    if (kind == INTERVAL_PERCENTILE)
        check(unpaired, n, "an unpaired change");
    free(e);
}

static void percentile_intervals_of_30_tasks(void **state)
{
    (void)state;
    cover(30, INTERVAL_PERCENTILE);
}

static void percentile_intervals_of_300_tasks(void **state)
{
    (void)state;
    cover(300, INTERVAL_PERCENTILE);
}

static void t_intervals_of_30_tasks(void **state)
{
    (void)state;
    cover(30, INTERVAL_T);
}

static void bca_intervals_of_30_tasks(void **state)
{
    (void)state;
    cover(30, INTERVAL_BCA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentile_intervals_of_30_tasks),
        cmocka_unit_test(percentile_intervals_of_300_tasks),
        cmocka_unit_test(t_intervals_of_30_tasks),
        cmocka_unit_test(bca_intervals_of_30_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
