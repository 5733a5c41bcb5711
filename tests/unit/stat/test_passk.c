/* test_passk.c: pass@k and pass^k of one group: exact quotients, correctly rounded (measure 3.4).
 * The constants are CPython's quotients of exact integers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stat/stat.h"

/* C(n, k), exact while it is below 2^53. */
static double choose(uint64_t n, uint64_t k)
{
    uint64_t value = 1;
    if (k > n)
        return 0.0;
    for (uint64_t i = 1; i <= k; i++)
        value = value * (n - k + i) / i;
    return (double)value;
}

static void small_groups_divide_exact_binomials(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 50; n++)
        for (uint64_t k = 1; k <= n; k++)
            for (uint64_t c = 0; c <= n; c++) {
                assert_true(stat_pass_at_k(n, c, k) == 1.0 - choose(n - c, k) / choose(n, k));
                assert_true(stat_pass_pow_k(n, c, k) == choose(c, k) / choose(n, k));
            }
}

static void large_groups_round_correctly(void **state)
{
    (void)state;
    static const struct {
        uint64_t n, c, k;
        double at, pow;
    } known[] = {
        {57, 36, 5, 0.9951400800457404, 0.09003641178417743},
        {57, 51, 28, 1.0, 0.013090186873702265},
        {57, 4, 25, 0.9089643300169616, 0.0},
        {64, 57, 32, 1.0, 0.005418171714365101},
        {64, 48, 31, 1.0, 2.3884109993507488e-06},
        {200, 24, 27, 0.9756715475861542, 0.0},
        {200, 110, 50, 1.0, 1.382762414794533e-16},
        {1000, 780, 312, 1.0, 2.813717161741371e-42},
        {1000, 2, 393, 0.6317897897897897, 0.0},
        {1000, 456, 357, 1.0, 6.842956582544701e-180},
        {1000, 545, 540, 1.0, 3.5712368240813974e-287},
        {5000, 1874, 1091, 1.0, 0.0},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_true(stat_pass_at_k(known[i].n, known[i].c, known[i].k) == known[i].at);
        assert_true(stat_pass_pow_k(known[i].n, known[i].c, known[i].k) == known[i].pow);
    }
}

/* The quotient has 54 bits and a power of two below: it lies midway between two doubles. */
static void exact_ties_go_to_even(void **state)
{
    (void)state;
    assert_true(stat_pass_pow_k(36028797018963968, 33770646155976567, 2) == 0.8785757616439451);
    assert_true(stat_pass_pow_k(36028797018963968, 35047308791432599, 2) == 0.9462585726415009);
    assert_true(stat_pass_pow_k(36028797018963968, 32789157928445199, 2) == 0.8282491598216537);
    assert_true(stat_pass_pow_k(72057594037927936, 47867874201322635, 2) == 0.4412947570182306);
    assert_true(stat_pass_pow_k(72057594037927936, 46836336680130150, 2) == 0.4224801650176664);
    assert_true(stat_pass_pow_k(72057594037927936, 57433041551490060, 2) == 0.6352784426093034);
}

static void smallest_doubles_and_below(void **state)
{
    (void)state;
    assert_true(stat_pass_pow_k(1078, 540, 540) == 1.5e-323);
    assert_true(stat_pass_pow_k(1079, 540, 540) == 5e-324);
    assert_true(stat_pass_pow_k(1080, 540, 540) == 5e-324);
    assert_true(stat_pass_pow_k(1081, 540, 540) == 0.0);
    assert_true(stat_pass_pow_k(1000000, 500000, 500000) == 0.0);
    assert_true(stat_pass_at_k(1000000, 500000, 499999) == 1.0);
}

static void bounds_and_order(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 7);
    for (int i = 0; i < 3000; i++) {
        uint64_t n = 1 + rng_below(&rng, 2000), k = 1 + rng_below(&rng, n),
                 c = rng_below(&rng, n + 1);
        double at = stat_pass_at_k(n, c, k), pow = stat_pass_pow_k(n, c, k);
        double one = (double)c / (double)n;
        /* 1 - (n-c)/n rounds twice: at k = 1 it may lie a last place under c/n. */
        assert_true(0.0 <= pow && pow <= one && one <= at + 0x1p-53 && at <= 1.0);
        assert_true(stat_pass_at_k(n, c, 1) - one < 1e-15 && one - stat_pass_at_k(n, c, 1) < 1e-15);
        assert_true(stat_pass_pow_k(n, c, 1) == one);
    }
    assert_true(isnan(stat_pass_at_k(3, 1, 5)) && isnan(stat_pass_pow_k(3, 1, 5)));
    assert_true(isnan(stat_pass_at_k(3, 4, 2)));
    assert_true(stat_pass_at_k(4, 0, 4) == 0.0 && stat_pass_pow_k(4, 4, 4) == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_groups_divide_exact_binomials),
        cmocka_unit_test(large_groups_round_correctly),
        cmocka_unit_test(exact_ties_go_to_even),
        cmocka_unit_test(smallest_doubles_and_below),
        cmocka_unit_test(bounds_and_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
