/* test_number.c: floats to text and back as Python 3.11 does; millions more in tests/interop/text_rng.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rng/rng.h"
#include "text/number.h"

static void writes_like_repr(void **state)
{
    (void)state;
    static const struct {
        double x;
        const char *want;
    } TABLE[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1.0, "1.0"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e15, "1000000000000000.0"},
        {1e16, "1e+16"},
        {9999999999999998.0, "9999999999999998.0"},
        {123456789012345680.0, "1.2345678901234568e+17"},
        {1e-4, "0.0001"},
        {9.999999999999999e-05, "9.999999999999999e-05"},
        {1e-7, "1e-07"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        {1e100, "1e+100"},
        {5e-324, "5e-324"},                                  /* the smallest subnormal */
        {2.2250738585072009e-308, "2.225073858507201e-308"}, /* the largest */
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {0x1p-44, "5.684341886080802e-14"}, /* powers of two: the gap below is half as wide */
        {0x1p-1022, "2.2250738585072014e-308"},
        {0x1p89, "6.189700196426902e+26"},
        {9007199254740993.0, "9007199254740992.0"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
    };
    char text[NUMBER_TEXT_MAX];
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++) {
        size_t n = number_text(TABLE[i].x, text);
        assert_string_equal(text, TABLE[i].want);
        assert_int_equal(n, strlen(text));
    }
    struct buf out = {0};
    buf_text(&out, "x=");
    number_add(&out, 0.25);
    assert_string_equal(buf_cstr(&out), "x=0.25");
    buf_free(&out);
}

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Reads back the same, and one digit less never does. */
static void shortest_that_reads_back(void **state)
{
    (void)state;
    struct rng r;
    rng_seed(&r, 7);
    for (int i = 0; i < 100000; i++) {
        double x = of_bits(i % 4 ? rng_bits(&r, 64) : rng_bits(&r, 64) & 0x7ff0000000000000u);
        if (!isfinite(x) || x == 0)
            continue;
        char text[NUMBER_TEXT_MAX], less[NUMBER_TEXT_MAX + 8];
        size_t n = number_text(x, text);
        assert_true(strtod(text, NULL) == x);
        assert_true(number_of_json(span_make(text, n)) == x);
        int digits = 0;
        for (const char *p = text; *p && *p != 'e'; p++)
            digits += *p >= '0' && *p <= '9';
        if (strchr(text, 'e') && digits > 1) {
            snprintf(less, sizeof less, "%.*e", digits - 2, x);
            assert_false(strtod(less, NULL) == x);
        }
    }
}

static void rounds_like_python(void **state)
{
    (void)state;
    static const struct {
        double x;
        int digits;
        double want;
    } TABLE[] = {
        {2.675, 2, 2.67}, /* the double is below the tie */
        {0.5, 0, 0.0},           {1.5, 0, 2.0},      {2.5, 0, 2.0},      {-2.5, 0, -2.0},
        {0.125, 2, 0.12},        {0.375, 2, 0.38},   {0.285, 2, 0.28},   {1.005, 2, 1.0},
        {0.1234567, 4, 0.1235},  {1e300, 5, 1e300},  {1e-300, 5, 0.0},   {5e-324, 323, 0.0},
        {5e-324, 324, 5e-324},   {1234.5, -2, 1200}, {1250.0, -2, 1200}, {1350.0, -2, 1400},
        {1250.000001, -2, 1300}, {50, -2, 0},        {150, -2, 200},     {51, -2, 100},
        {99999, -1, 100000},     {9.5, -1, 10},      {1e22, -22, 1e22},  {1.7e308, -309, 0},
        {1.2e308, -308, 1e308},  {4e307, -308, 0},
    };
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
        assert_true(bits_of(number_round(TABLE[i].x, TABLE[i].digits)) == bits_of(TABLE[i].want));
    assert_true(signbit(number_round(-0.001, 2)));
    assert_true(signbit(number_round(-4.0, -1)));
    assert_true(isinf(number_round(INFINITY, 2)));
    assert_true(isnan(number_round(NAN, 2)));
    assert_true(number_round_even(0.5) == 0 && number_round_even(1.5) == 2);
    assert_true(number_round_even(-2.5) == -2 && number_round_even(1e300) == 1e300);
    assert_false(signbit(number_round_even(-0.4)));
}

static void parses_like_float(void **state)
{
    (void)state;
    static const struct {
        struct span text;
        double want; /* NAN: refused */
    } TABLE[] = {
        {SPAN("1"), 1},
        {SPAN(" \t+1.5e0\n"), 1.5},
        {SPAN(".5"), 0.5},
        {SPAN("1."), 1},
        {SPAN("-1_0.0_1e1_0"), -10.01e10},
        {SPAN("iNf"), INFINITY},
        {SPAN("-Infinity"), -INFINITY},
        {SPAN("1e400"), INFINITY},
        {SPAN("-1e-400"), -0.0},
        {SPAN("\xe3\x80\x80"
              "12\xc2\x85"),
         12},
        {SPAN("\xd9\xa1\xd9\xa2.\xd9\xa5"), 12.5},
        {SPAN("0000000000000000000000000000000000000000000000000000000000000000001"), 1},
        {SPAN(""), NAN},
        {SPAN("."), NAN},
        {SPAN("e5"), NAN},
        {SPAN("1e"), NAN},
        {SPAN("1e+"), NAN},
        {SPAN("0x10"), NAN},
        {SPAN("1 2"), NAN},
        {SPAN("1__0"), NAN},
        {SPAN("_1"), NAN},
        {SPAN("1_"), NAN},
        {SPAN("1_.0"), NAN},
        {SPAN("1._0"), NAN},
        {SPAN("1e_5"), NAN},
        {SPAN("--1"), NAN},
        {SPAN("1\0"), NAN},
        {SPAN("\x1c"
              "1"),
         NAN},
        {SPAN("\xc2\xb2"), NAN},
        {SPAN("i_nf"), NAN},
        {SPAN("infinit"), NAN},
        {SPAN("1d"), NAN},
        {SPAN("\xff"), NAN},
        {SPAN("\n"), NAN},
    };
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++) {
        double got = 77;
        bool good = number_parse(TABLE[i].text, &got);
        assert_int_equal(good, !isnan(TABLE[i].want));
        if (good)
            assert_true(bits_of(got) == bits_of(TABLE[i].want));
    }
    double got = 0;
    assert_true(number_parse(SPAN(" -NaN "), &got) && isnan(got));
}

static void reads_json_numbers(void **state)
{
    (void)state;
    static const struct {
        struct span text;
        double want;
    } TABLE[] = {
        {SPAN("0"), 0.0},
        {SPAN("-0"), -0.0},
        {SPAN("-0.0"), -0.0},
        {SPAN("17"), 17},
        {SPAN("0.1"), 0.1},
        {SPAN("1e5"), 1e5},
        {SPAN("1E+22"), 1e22},
        {SPAN("1e23"), 1e23},
        {SPAN("123e-25"), 123e-25},
        {SPAN("9007199254740993"), 9007199254740992.0},
        {SPAN("9007199254740993.0000000000000000000000000000000001"), 9007199254740994.0},
        {SPAN("123456789012345678901234567890"), 123456789012345678901234567890.0},
        {SPAN("1e400"), INFINITY},
        {SPAN("-1e400"), -INFINITY},
        {SPAN("1e-400"), 0.0},
        {SPAN("1e99999999999999999999"), INFINITY},
        {SPAN("0e99999999999999999999"), 0.0},
        {SPAN("2.2250738585072011e-308"), 2.2250738585072011e-308},
        {SPAN("Infinity"), INFINITY},
        {SPAN("-Infinity"), -INFINITY},
    };
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
        assert_true(bits_of(number_of_json(TABLE[i].text)) == bits_of(TABLE[i].want));
    assert_true(isnan(number_of_json(SPAN("NaN"))));
    /* What stands behind the token is not read. */
    assert_true(number_of_json(span_make("12345", 2)) == 12);
    struct buf big = {0};
    for (int i = 0; i < 100000; i++)
        buf_byte(&big, '7');
    assert_true(isinf(number_of_json(buf_span(&big))));
    buf_free(&big);
}

static void heeds_no_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip();
    double x = 0;
    char text[NUMBER_TEXT_MAX];
    number_text(1.5, text);
    assert_string_equal(text, "1.5");
    assert_true(number_parse(SPAN("1.5"), &x) && x == 1.5);
    assert_true(number_of_json(SPAN("1.23456789012345678")) == 1.23456789012345678);
    assert_true(number_round(1.00500000000000001, 3) == 1.005);
    assert_true(number_round(0.125, 2) == 0.12);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_like_repr),   cmocka_unit_test(shortest_that_reads_back),
        cmocka_unit_test(rounds_like_python), cmocka_unit_test(parses_like_float),
        cmocka_unit_test(reads_json_numbers), cmocka_unit_test(heeds_no_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
