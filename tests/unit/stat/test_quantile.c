/* test_quantile.c: distributions, bands and spreads: properties beside the table of reference
 * values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stat/stat.h"

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}

/* The compiler must not fold pow(x, 2.0) into x * x: they differ here in the last bit. */
static void squares_are_the_librarys(void **state)
{
    (void)state;
    assert_true(stat_pow2(0.8048780487804879) == 0.6478286734086854);
    assert_true(stat_root(0.0707070707070707) == 0.2659080117391552);
    double x = 0.8048780487804879;
    double product = x * x;
    assert_false(stat_pow2(x) == product);
}

static void normal_and_back(void **state)
{
    (void)state;
    for (double p = 0.0005; p < 1.0; p += 0.0005) {
        assert_near(stat_normal_cdf(stat_normal_inverse(p)), p, 1e-14);
        assert_near(stat_normal_inverse(p), -stat_normal_inverse(1.0 - p), 1e-11);
    }
    assert_true(stat_z(0.95) == 1.96);
    assert_near(stat_z(0.9), 1.6448536269514722, 1e-14);
    assert_true(stat_normal_inverse(0.5) == 0.0);
}

static void student(void **state)
{
    (void)state;
    assert_true(stat_t_quantile(1, STAT_LEVEL) == 12.706);
    assert_true(stat_t_quantile(30.9, STAT_LEVEL) == 2.042);
    assert_true(stat_t_quantile(-4, STAT_LEVEL) == 12.706);
    assert_near(stat_t_quantile(31, STAT_LEVEL), 2.0395, 5e-4);
    assert_near(stat_t_inverted(1, 0.5), 1.0, 1e-9); /* Cauchy: tan(pi/4) */
    assert_near(stat_t_inverted(2, 0.95), 4.302652729911275, 1e-9);
    for (double df = 2; df < 400; df = df * 1.7 + 1)
        assert_true(stat_t_inverted(df, 0.9) > stat_z(0.9));
    assert_near(stat_t_inverted(1e7, 0.9), stat_z(0.9), 1e-6);
}

static void wilson_stays_inside(void **state)
{
    (void)state;
    for (double n = 1; n < 300; n += 7)
        for (double s = 0; s <= n; s++) {
            struct interval w = stat_wilson(s, n, 1.96);
            assert_true(0.0 <= w.low && w.low <= s / n + 1e-15 && s / n <= w.high + 1e-15 &&
                        w.high <= 1.0);
        }
    assert_false(interval_known(stat_wilson(0, 0, 1.96)));
    assert_true(stat_wilson(10, 10, 1.96).high == 1.0 && stat_wilson(0, 10, 1.96).low == 0.0);
}

static void spreads(void **state)
{
    (void)state;
    double two[] = {0.0, 1.0}, sure[] = {0.0, 1.0, 1.0, 0.0}, even[] = {0.5, 0.5, 0.5, 0.5};
    assert_true(isnan(stat_sd(two, 1)) && isnan(stat_mean(two, 0)));
    assert_near(stat_sd(two, 2), sqrt(0.5), 1e-16);
    assert_near(stat_sd_pow(two, 2), sqrt(0.5), 1e-15);
    assert_true(isnan(stat_spread_ratio(sure, 4)));
    assert_true(stat_spread_ratio(even, 4) == 1.0);
    assert_true(isnan(stat_spread_ratio(two, 1)));
    double x[] = {1, 2, 3, 4}, y[] = {2, 4, 6, 8}, flat[] = {1, 1, 1, 1};
    assert_near(stat_pearson(x, y, 4), 1.0, 1e-15);
    assert_true(isnan(stat_pearson(x, flat, 4)) && isnan(stat_pearson(x, y, 2)));
}

static void bands(void **state)
{
    (void)state;
    assert_near(stat_noise_band(0.02, 1, 1, NAN, STAT_LEVEL), 1.96 * 0.02 * sqrt(2.0), 1e-17);
    assert_near(stat_noise_band(0.02, 2, 4, 2, STAT_LEVEL), 4.303 * 0.02 * sqrt(0.75), 1e-17);
    assert_true(isnan(stat_two_proportion_p(0, 0, 1, 2)));
    assert_true(isnan(stat_two_proportion_p(5, 5, 5, 5)));
    assert_true(stat_two_proportion_p(30, 48, 30, 48) == 1.0);
    assert_int_equal(stat_slice_min_tasks(0.05), 6);
    assert_int_equal(stat_slice_min_tasks(0.9), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_are_the_librarys),
        cmocka_unit_test(normal_and_back),
        cmocka_unit_test(student),
        cmocka_unit_test(wilson_stays_inside),
        cmocka_unit_test(spreads),
        cmocka_unit_test(bands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
