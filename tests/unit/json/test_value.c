/* test_value.c: readers of validated values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "help.h"

static void test_walk(void **state)
{
    (void)state;
    struct json_value v = parsed(" [ 1 , \"a]\\\"\" ,[ 2,[3] ], {\"x\":[ ]} ,null, -1.5e3 ] ");
    static const char *const want[] = {"1",           "\"a]\\\"\"", "[ 2,[3] ]",
                                       "{\"x\":[ ]}", "null",       "-1.5e3"};
    static const uint8_t flags[] = {JSON_FLAG_INTEGER, JSON_FLAG_ESCAPED, 0, 0, 0, 0};
    struct json_cursor c = json_enter(v);
    struct json_value item;
    size_t n = 0;
    for (; json_next_item(&c, &item); n++) {
        assert_true(n < 6);
        assert_span(item.text, want[n]);
        assert_int_equal(item.flags, flags[n]);
    }
    assert_int_equal(n, 6);
    assert_int_equal(json_count(v), 6);
    assert_false(json_next_item(&c, &item));
}

static void test_walk_members(void **state)
{
    (void)state;
    struct json_value v = parsed("{ \"a\" : 1 ,\"b\\\"\":{\"c\":2},\"\":\"\"}");
    struct json_cursor c = json_enter(v);
    struct json_member m;
    assert_true(json_next_member(&c, &m));
    assert_span(m.key, "a");
    assert_span(m.value.text, "1");
    assert_true(json_next_member(&c, &m));
    assert_span(m.key, "b\\\"");
    assert_true(m.key_escaped);
    assert_span(m.value.text, "{\"c\":2}");
    assert_true(json_next_member(&c, &m));
    assert_int_equal(m.key.len, 0);
    assert_int_equal(m.value.type, JSON_VALUE_STRING);
    assert_false(json_next_member(&c, &m));
    struct json_members members = {0};
    json_members_of(v, &members);
    assert_int_equal(members.count, 3);
    json_members_of(parsed("[1]"), &members);
    assert_int_equal(members.count, 0);
    json_members_free(&members);
}

static void test_nothing_to_walk(void **state)
{
    (void)state;
    static const char *const others[] = {"[]", "{}",      "[ \n ]", "{ }",
                                         "1",  "\"[1]\"", "null",   "true"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct json_value v = parsed(others[i]), item;
        struct json_member member;
        struct json_cursor c = json_enter(v);
        assert_false(json_next_item(&c, &item));
        assert_false(json_next_member(&c, &member));
        assert_int_equal(json_count(v), 0);
    }
    struct json_value absent = {0};
    assert_true(json_value_null(absent));
    assert_int_equal(json_count(absent), 0);
    assert_false(json_truthy(absent));
    struct buf scratch = {0};
    assert_int_equal(json_text(absent, &scratch).len, 0);
    assert_int_equal(json_text(parsed("12"), &scratch).len, 0);
    buf_free(&scratch);
}

static void test_get(void **state)
{
    (void)state;
    struct json_value v = parsed("{\"a\":1,\"b\":2,\"\\u0061\":3,\"n\":null}"), got;
    assert_true(json_get(v, SPAN("a"), &got));
    assert_span(got.text, "3"); /* the last of two */
    assert_true(json_get(v, SPAN("n"), &got));
    assert_true(json_value_null(got));
    assert_false(json_get(v, SPAN("c"), &got));
    assert_false(json_get(v, SPAN(""), &got));
    assert_false(json_get(parsed("[1]"), SPAN("a"), &got));
    struct json_members members = {0};
    json_members_of(v, &members);
    assert_ptr_equal(json_find(&members, SPAN("a")), &members.items[2]);
    assert_null(json_find(&members, SPAN("\\u0061")));
    assert_null(json_find(&members, SPAN("aa")));
    json_members_free(&members);
}

static void test_decode(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct span want;
    } cases[] = {
        {"\"\"", SPAN("")},
        {"\"plain \xc3\xa9\"", SPAN("plain \xc3\xa9")},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", SPAN("\"\\/\b\f\n\r\t")},
        {"\"a\\u0000b\"", SPAN("a\0b")},
        {"\"\\u007f\\u0080\\u07ff\\u0800\\uffff\"",
         SPAN("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf")},
        {"\"\\ud83d\\uDE00\"", SPAN("\xf0\x9f\x98\x80")},
        {"\"\\udbff\\udfff\\ud800\\udc00\"", SPAN("\xf4\x8f\xbf\xbf\xf0\x90\x80\x80")},
        {"\"\\ud800\"", SPAN("\xed\xa0\x80")},
        {"\"\\udfff\"", SPAN("\xed\xbf\xbf")},
        {"\"\\ud800x\"", SPAN("\xed\xa0\x80x")},
        {"\"\\ud800\\n\"", SPAN("\xed\xa0\x80\n")},
        {"\"\\ud800\\ud83d\\ude00\"", SPAN("\xed\xa0\x80\xf0\x9f\x98\x80")},
        {"\"\\udc00\\ud800\"", SPAN("\xed\xb0\x80\xed\xa0\x80")},
    };
    struct buf scratch = {0}, added = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json_value v = parsed(cases[i].text);
        assert_true(span_equal(json_text(v, &scratch), cases[i].want));
        buf_clear(&added);
        buf_text(&added, "> ");
        json_text_add(v, &added);
        assert_int_equal(added.len, cases[i].want.len + 2);
        assert_memory_equal(added.data + 2, cases[i].want.ptr, cases[i].want.len);
        struct json_member m = {.key = span_slice(v.text, 1, v.text.len - 1),
                                .key_escaped = v.flags != 0};
        assert_true(json_key_is(&m, cases[i].want));
        assert_false(json_key_is(&m, SPAN("something else")));
        assert_true(span_equal(json_key(&m, &scratch), cases[i].want));
        if (cases[i]
                .want.len) { /* a beginning is not the name, nor is the name with more behind it */
            assert_false(json_key_is(&m, span_slice(cases[i].want, 0, cases[i].want.len - 1)));
            assert_false(json_key_is(&m, buf_span(&added)));
        }
    }
    buf_free(&scratch);
    buf_free(&added);
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double real;
        bool fits;
        int64_t integer;
    } cases[] = {
        {"0", 0, true, 0},
        {"-0", 0, true, 0},
        {"17", 17, true, 17},
        {"-17", -17, true, -17},
        {"9223372036854775807", 9223372036854775808.0, true, INT64_MAX},
        {"-9223372036854775808", -9223372036854775808.0, true, INT64_MIN},
        {"9223372036854775808", 9223372036854775808.0, false, 0},
        {"-9223372036854775809", -9223372036854775808.0, false, 0},
        {"18446744073709551617", 18446744073709551616.0, false, 0},
        {"1.0", 1, false, 0},
        {"1e3", 1000, false, 0},
        {"-2.5E-1", -0.25, false, 0},
        {"1e400", INFINITY, false, 0},
        {"-1e400", -INFINITY, false, 0},
        {"1e-400", 0, false, 0},
        {"1.7976931348623157e308", DBL_MAX, false, 0},
        {"Infinity", INFINITY, false, 0},
        {"-Infinity", -INFINITY, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json_value v = parsed(cases[i].text);
        int64_t integer = 0;
        assert_true(json_number(v) == cases[i].real);
        assert_int_equal(json_int64(v, &integer), cases[i].fits);
        if (cases[i].fits)
            assert_true(integer == cases[i].integer);
    }
    assert_false(signbit(json_number(parsed("-0"))));
    assert_true(signbit(json_number(parsed("-0.0"))));
    assert_true(isnan(json_number(parsed("NaN"))));
    assert_true(isnan(json_number(parsed("\"1\""))));
    assert_true(isnan(json_number(parsed("true"))));
    int64_t integer;
    assert_false(json_int64(parsed("\"1\""), &integer));
}

static void test_truth(void **state)
{
    (void)state;
    static const char *const falsy[] = {"null",     "false",  "0",    "-0", "0.0", "-0.0", "0e9",
                                        "0.000E+5", "1e-400", "\"\"", "[]", "{}",  "[ ]",  "{\n}"};
    static const char *const truthy[] = {"true",
                                         "1",
                                         "-1",
                                         "0.1",
                                         "1e-300",
                                         "NaN",
                                         "Infinity",
                                         "\" \"",
                                         "\"0\"",
                                         "[0]",
                                         "[null]",
                                         "{\"a\":null}",
                                         "100000000000000000000000"};
    for (size_t i = 0; i < sizeof falsy / sizeof *falsy; i++)
        assert_false(json_truthy(parsed(falsy[i])));
    for (size_t i = 0; i < sizeof truthy / sizeof *truthy; i++)
        assert_true(json_truthy(parsed(truthy[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),   cmocka_unit_test(test_walk_members),
        cmocka_unit_test(test_get),    cmocka_unit_test(test_nothing_to_walk),
        cmocka_unit_test(test_decode), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
