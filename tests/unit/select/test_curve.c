/* test_curve.c: learning curves whose answer is known (the digits are compared with the package in
 * tests/interop/trim.py), and files that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "select/curve.h"

static struct curve_options defaults(void)
{
    return (struct curve_options){.min_gain = 0.01, .draws = 50, .seed = "0", .base = NAN};
}

static int measure(const char *text, const struct curve_options *o, struct curve_report *report,
                   struct error *error)
{
    char path[] = "/tmp/test-curve-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(file_write_all(fd, path, span_text(text), error), 0);
    close(fd);
    int code = curve_measure(path, o, report, error);
    unlink(path);
    return code;
}

/* Scores of a - b n^-c at sizes 32, 64, …, one a size. */
static void write_power(double a, double b, double c, int sizes, struct buf *out)
{
    buf_byte(out, '{');
    for (int i = 0; i < sizes; i++) {
        double n = 32 << i;
        buf_format(out, "%s\"%.0f\":%.17g", i ? "," : "", n, a - b * pow(n, -c));
    }
    buf_byte(out, '}');
}

static void a_power_law_is_found(void **state)
{
    (void)state;
    struct buf text = {0};
    struct curve_report r;
    struct error error;
    struct curve_options o = defaults();
    const double c = 0.05 * pow(60, 30.0 / 59); /* on the grid */
    write_power(0.9, 2.0, c, 7, &text);
    assert_int_equal(measure(buf_cstr(&text), &o, &r, &error), 0);
    assert_int_equal(r.form, CURVE_POWER);
    assert_true(fabs(r.params[0] - 0.9) < 1e-9);
    assert_true(fabs(r.params[1] - 2.0) < 1e-7);
    assert_true(r.params[2] == c);
    /* Doubling n gains b n^-c (1 - 2^-c): under min_gain from there on, and not before. */
    double edge = pow(2.0 * (1 - pow(2, -c)) / 0.01, 1 / c);
    assert_true(r.n_star >= edge && r.n_star <= edge * pow(10, 1.0 / 300) + 1);
    assert_true(isnan(r.share) && isnan(r.low)); /* one score a size */
    curve_free(&r);
    buf_free(&text);
}

static void a_flat_curve_is_saturated(void **state)
{
    (void)state;
    struct curve_report r;
    struct error error;
    struct curve_options o = defaults();
    assert_int_equal(
        measure("{\"10\":[0.2,0.21],\"20\":[0.5,0.5],\"40\":[0.6,0.61],\"80\":[0.61,0.6],"
                "\"160\":[0.605,0.605],\"320\":[0.606,0.605]}",
                &o, &r, &error),
        0);
    assert_string_equal(r.verdict, "saturated");
    assert_false(r.keep_all);
    assert_in_range(r.n_star, 10, 320);
    assert_true(r.low <= r.n_star * 2 && r.low <= r.high);
    assert_true(r.share >= 0.9 && r.share <= 1);
    assert_true(r.gain_low <= r.last_gain && r.last_gain <= r.gain_high);
    curve_free(&r);
}

static void a_falling_curve_fits_nothing(void **state)
{
    (void)state;
    struct curve_report r;
    struct error error;
    struct curve_options o = defaults();
    o.base = 0.9;
    assert_int_equal(
        measure("{\"10\":0.8,\"20\":0.7,\"40\":0.6,\"80\":0.5,\"160\":0.4}", &o, &r, &error), 0);
    assert_string_equal(r.verdict, "flat");
    assert_int_equal(r.form, CURVE_POWER);
    assert_true(r.n_star == 10);
    curve_free(&r);
}

static void draws_are_the_seed_s(void **state)
{
    (void)state;
    static const char ITEMS[] = "{\"10\":[[0,1,0,0]],\"20\":[[0,1,0,1]],\"40\":[[1,1,0,1]],\"80\":["
                                "[1,1,0,1]],\"160\":[[1,1,1,1]]}";
    struct curve_report a, b;
    struct error error;
    struct curve_options o = defaults();
    assert_int_equal(measure(ITEMS, &o, &a, &error), 0);
    assert_int_equal(measure(ITEMS, &o, &b, &error), 0);
    assert_true(a.gain_low == b.gain_low && a.gain_high == b.gain_high);
    assert_true(a.share == b.share || (isnan(a.share) && isnan(b.share)));
    assert_int_equal(a.n_sizes, 5);
    assert_true(a.scores[0] == 0.25 && a.scores[4] == 1);
    curve_free(&a);
    curve_free(&b);
}

static void what_is_no_curve(void **state)
{
    (void)state;
    static const char *const WRONG[] = {
        "",
        "[]",
        "{}",
        "{\"10\":1}",
        "{\"a\":1,\"20\":1,\"40\":1,\"80\":1,\"160\":1}",
        "{\"0.5\":1,\"20\":1,\"40\":1,\"80\":1,\"160\":1}",
        "{\"10\":\"x\",\"20\":1,\"40\":1,\"80\":1,\"160\":1}",
        "{\"10\":[],\"20\":1,\"40\":1,\"80\":1,\"160\":1}",
        "{\"10\":[[]],\"20\":1,\"40\":1,\"80\":1,\"160\":1}",
        "{\"base\":\"x\",\"curve\":{\"10\":1,\"20\":1,\"40\":1,\"80\":1,\"160\":1}}",
        "{\"1e999\":1,\"20\":1,\"40\":1,\"80\":1,\"160\":1}",
    };
    struct curve_options o = defaults();
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        struct curve_report r;
        struct error error = {0};
        assert_int_equal(measure(WRONG[i], &o, &r, &error), ERROR_INPUT);
        assert_true(error.text[0]);
        curve_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(a_power_law_is_found),
        cmocka_unit_test(a_flat_curve_is_saturated),
        cmocka_unit_test(a_falling_curve_fits_nothing),
        cmocka_unit_test(draws_are_the_seed_s),
        cmocka_unit_test(what_is_no_curve),
    };
    return cmocka_run_group_tests(list, NULL, NULL);
}
