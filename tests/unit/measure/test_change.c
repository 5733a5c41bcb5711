/* test_change.c: one metric before and after, seeds, sizing: properties (measure 5, 18). */
#include <math.h>
#include <stdio.h>

#include "measure/seed.h"
#include "rows.h"

enum { N = 20 };

static char names[N][8];

static void make_side(struct rng *rng, struct task_rate *tasks, double shift)
{
    for (size_t i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "t%zu", i);
        tasks[i] = (struct task_rate){.key = span_text(names[i]),
                                      .mean = (double)rng_below(rng, 8) / 7.0 + shift};
    }
}

static void swap_scale_identity(void **state)
{
    (void)state;
    struct rng rng, start;
    rng_seed(&rng, 1);
    rng_seed(&start, 0);
    struct change_options options = {{.start = &start, .draws = 2000, .level = STAT_LEVEL}, 5};
    for (int round = 0; round < 20; round++) {
        struct task_rate a[N], b[N], a2[N], b2[N];
        make_side(&rng, a, 0.0);
        make_side(&rng, b, (round % 5) / 10.0);
        for (size_t i = 0; i < N; i++) {
            a2[i] = a[i];
            b2[i] = b[i];
            a2[i].mean *= 2.0;
            b2[i].mean *= 2.0;
        }
        struct metric_change there, back, twice, same;
        compare_metric(a, N, b, N, &options, &there);
        compare_metric(b, N, a, N, &options, &back);
        assert_true(there.delta == -back.delta && there.p_value == back.p_value);
        assert_true(there.ci95.low == -back.ci95.high && there.ci95.high == -back.ci95.low);
        assert_true((there.verdict == CHANGE_B_BETTER) == (back.verdict == CHANGE_A_BETTER));
        compare_metric(a2, N, b2, N, &options, &twice);
        assert_true(twice.delta == 2.0 * there.delta && twice.ci95.low == 2.0 * there.ci95.low);
        compare_metric(a, N, a, N, &options, &same);
        assert_true(same.delta == 0.0 && same.ci95.low == 0.0 && same.ci95.high == 0.0);
        assert_true(same.p_value == 1.0 && same.verdict == CHANGE_NONE && same.sign_agree == 1);
        assert_int_equal(same.notes.count, 0);
    }
}

static void thin_pairing(void **state)
{
    (void)state;
    struct rng rng, start;
    rng_seed(&rng, 2);
    rng_seed(&start, 0);
    struct task_rate a[N], b[N];
    struct metric_change change;
    make_side(&rng, a, 0.0);
    make_side(&rng, b, 0.0);
    struct change_options options = {{.start = &start, .draws = 100, .level = STAT_LEVEL}, 5};
    compare_metric(a, 14, b + 8, 12, &options, &change); /* six tasks of twenty are shared */
    assert_true(change.paired && change.n_paired == 6 && change.n_only_a == 8 &&
                change.n_only_b == 6);
    assert_int_equal(change.notes.count, 2);
    assert_string_equal(change.notes.items[0].code, "most_tasks_unpaired");
    assert_string_equal(change.notes.items[1].code, "unpaired_tasks_dropped");
    notes_free(&change.notes);
    compare_metric(a, 10, b + 8, 12, &options, &change);
    assert_false(change.paired);
    assert_string_equal(change.notes.items[0].code, "unpaired_fallback");
    assert_true(isnan(change.p_value) && change.sign_agree == -1 && change.n_used == 10);
    notes_free(&change.notes);
    compare_metric(a, 0, b, 3, &options, &change);
    assert_true(isnan(change.delta) && isnan(change.mean_a));
    assert_int_equal(change.verdict, CHANGE_INSUFFICIENT);
    notes_free(&change.notes);
    options.min_paired = 1;
    compare_metric(a, 2, b, 2, &options, &change);
    assert_true(change.paired && !interval_known(change.ci95) && !isnan(change.p_value));
    assert_int_equal(change.verdict, CHANGE_INSUFFICIENT);
    notes_free(&change.notes);
}

static void seeds_of_any_length(void **state)
{
    (void)state;
    struct buf out = {0};
    struct error error;
    assert_int_equal(seed_read("-0007", &out, &error), 0);
    assert_string_equal(buf_cstr(&out), "-7");
    buf_clear(&out);
    assert_int_equal(seed_read("-0", &out, &error), 0);
    assert_string_equal(buf_cstr(&out), "0");
    static const char *const bad[] = {"", "-", "1.5", "0x1", " 1", "1e3", "one", "--1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(seed_read(bad[i], &out, &error), ERROR_USAGE);
    static const struct {
        const char *seed, *sum;
        uint64_t offset;
    } sums[] = {
        {"0", "0", 0},
        {"0", "1000", 1000},
        {"999", "1000", 1},
        {"-5", "-2", 3},
        {"-5", "4", 9},
        {"-5", "0", 5},
        {"-1000", "-1", 999},
        {"99999999999999999999999", "100000000000000000000000", 1},
        {"-100000000000000000000000", "-99999999999999999999999", 1},
    };
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        struct rng a, b;
        seed_start(sums[i].seed, sums[i].offset, &a);
        rng_seed_decimal(&b, sums[i].sum);
        for (int j = 0; j < 5; j++)
            assert_int_equal(rng_word(&a), rng_word(&b));
    }
    buf_free(&out);
}

static void what_a_holdout_can_show(void **state)
{
    (void)state;
    assert_true(isnan(detectable_effect(1, 0.6, 4, STAT_POWER, STAT_ALPHA)));
    assert_true(detectable_effect(2, 0.05, 1, STAT_POWER, STAT_ALPHA) == 1.0);
    double before = 1.0;
    for (double n = 10; n < 5000; n *= 2) {
        double effect = detectable_effect(n, 0.6, 4, STAT_POWER, STAT_ALPHA);
        assert_true(effect <= before && effect > 0.0);
        before = effect;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swap_scale_identity),
        cmocka_unit_test(thin_pairing),
        cmocka_unit_test(seeds_of_any_length),
        cmocka_unit_test(what_a_holdout_can_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
