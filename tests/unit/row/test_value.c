/* test_value.c: every way a number is read from a row. */
#include "rows.h"

#include <math.h>

#include "row/value.h"

struct reading {
    const char *row;
    enum row_label label, binary;
    double graded; /* NAN: none */
    bool partial;
};

static void rewards(void **state)
{
    (void)state;
    static const struct reading CASES[] = {
        {"{'reward':1}", 1, 1, 1, false},
        {"{'reward':0}", 0, 0, 0, false},
        {"{'reward':-0.0}", 0, 0, 0, false},
        {"{'reward':'1e0'}", 1, 1, 1, false},
        {"{'reward':' 0 '}", 0, 0, 0, false},
        {"{'reward':1.0}", 1, 1, 1, false},
        {"{'reward':0.5}", -1, -1, 0.5, true},
        {"{'reward':-3}", -1, -1, -3, true},
        {"{'reward':true}", -1, -1, NAN, false}, /* a boolean is no reward */
        {"{'reward':true,'qwen_reward':0}", 0, -1, 0, false},
        {"{'reward':null,'qwen_reward':1}", 1, -1, 1, false},
        {"{'reward':0.5,'qwen_reward':1}", 1, -1, 0.5, false},
        {"{'reward':'high'}", -1, -1, NAN, false},
        {"{'reward':1e400}", -1, -1, NAN, true},
        {"{'reward':NaN}", -1, -1, NAN, true},
        {"{'reward':'inf','qwen_reward':0.25}", -1, -1, 0.25, true},
        {"{'reward':[1]}", -1, -1, NAN, false},
        {"{}", -1, -1, NAN, false},
    };
    struct test_row t = {0};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct reading *c = &CASES[i];
        const struct row *row = test_row(&t, c->row);
        double x = NAN;
        assert_int_equal(row_label(row), c->label);
        assert_int_equal(row_binary(row), c->binary);
        assert_int_equal(row_partial(row), c->partial);
        assert_int_equal(row_graded(row, &x), !isnan(c->graded));
        if (!isnan(c->graded))
            assert_true(x == c->graded);
    }
    test_row_free(&t);
}

static void markers(void **state)
{
    (void)state;
    struct test_row t = {0};
    double x;
    const struct row *row =
        test_row(&t, "{'markers':{'a':1,'b':true,'c':'0.5','d':null,'e':'long','f':1e400}}");
    assert_true(row_marker(row, SPAN("a"), &x) && x == 1);
    assert_true(row_marker(row, SPAN("b"), &x) && x == 1);
    assert_true(row_marker(row, SPAN("c"), &x) && x == 0.5);
    assert_true(row_marker(row, SPAN("f"), &x) && isinf(x));
    assert_false(row_marker(row, SPAN("d"), &x));
    assert_false(row_marker(row, SPAN("e"), &x));
    assert_false(row_marker(row, SPAN("g"), &x));
    assert_false(row_marker(test_row(&t, "{'markers':[1]}"), SPAN("a"), &x));
    test_row_free(&t);
}

struct lenient {
    const char *value;
    double num; /* NAN: fails */
    const char *num_text;
    int64_t whole;
    int binary;
};

static void lenient_readers(void **state)
{
    (void)state;
    static const struct lenient CASES[] = {
        {"true", 1, "1", 1, 1},
        {"false", 0, "0", 0, 0},
        {"null", NAN, NULL, 0, -1},
        {"1.50", 1.5, "1.50", 1, -1},
        {"-0.0", 0, "-0.0", 0, 0},
        {"'-0.0'", 0, "0", 0, 0},
        {"' 1 '", 1, "1", 1, 1},
        {"'2.9'", 2.9, "2.9", 2, -1},
        {"-2.9", -2.9, "-2.9", -2, -1},
        {"'1e3'", 1000, "1000", 1000, -1},
        {"'1_0'", 10, "10", 10, -1},
        {"'1e22'", 1e22, "10000000000000000000000", INT64_MAX, -1},
        {"1e400", NAN, NULL, 0, -1},
        {"'nan'", NAN, NULL, 0, -1},
        {"'inf'", NAN, NULL, 0, -1},
        {"NaN", NAN, NULL, 0, -1},
        {"9223372036854775807", 9223372036854775807.0, "9223372036854775807", INT64_MAX, -1},
        {"99999999999999999999", 1e20, "99999999999999999999", INT64_MAX, -1},
        {"-1e30", -1e30, "-1e30", INT64_MIN, -1},
        {"[1]", NAN, NULL, 0, -1},
        {"''", NAN, NULL, 0, -1},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct lenient *c = &CASES[i];
        char *text = quoted(c->value);
        struct json_value value;
        struct json_fault fault;
        struct buf out = {0};
        double x;
        assert_int_equal(json_scan(span_text(text), &value, NULL, &fault), 0);
        assert_int_equal(value_num(value, &x), !isnan(c->num));
        if (!isnan(c->num)) {
            assert_true(x == c->num);
            value_num_text(value, &out);
            assert_span(buf_span(&out), c->num_text);
        }
        assert_int_equal(value_int(value), c->whole);
        assert_int_equal(value_binary(value), c->binary);
        buf_free(&out);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rewards),
        cmocka_unit_test(markers),
        cmocka_unit_test(lenient_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
