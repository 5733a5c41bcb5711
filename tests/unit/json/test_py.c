/* test_py.c: Python's texts of a value. tests/interop/json_room.py compares with Python itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "help.h"
#include "json/pyjson.h"
#include "json/pytext.h"

static const struct {
    const char *json, *str, *dumps, *sorted; /* sorted NULL: as dumps */
} CASES[] = {
    {"null", "None", "null", NULL},
    {"true", "True", "true", NULL},
    {"false", "False", "false", NULL},
    {"-0", "0", "0", NULL},
    {"-0.0", "-0.0", "-0.0", NULL},
    {"123456789012345678901234567890", "123456789012345678901234567890",
     "123456789012345678901234567890", NULL},
    {"1E2", "100.0", "100.0", NULL},
    {"1e16", "1e+16", "1e+16", NULL},
    {"0.00001", "1e-05", "1e-05", NULL},
    {"NaN", "nan", "NaN", NULL},
    {"[1e400,-Infinity]", "[inf, -inf]", "[Infinity, -Infinity]", NULL},
    {"\"it's\"", "it's", "\"it's\"", NULL},
    {"[\"it's\"]", "[\"it's\"]", "[\"it's\"]", NULL},
    {"[\"it's \\\"x\\\"\"]", "['it\\'s \"x\"']", "[\"it's \\\"x\\\"\"]", NULL},
    {"[\"\\b\\f\\n\\r\\t\\u0000\\u007f\\\\\"]", "['\\x08\\x0c\\n\\r\\t\\x00\\x7f\\\\']",
     "[\"\\b\\f\\n\\r\\t\\u0000\\u007f\\\\\"]", NULL},
    {"[\"\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80\"]", "['\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80']",
     "[\"\\u00e9\\u6f22\\ud83d\\ude00\"]", NULL},
    {"[\"\\u00a0\\u00ad\\u2028\\ud800\\ue000\\udbff\\udfff\"]",
     "['\\xa0\\xad\\u2028\\ud800\\ue000\\U0010ffff']",
     "[\"\\u00a0\\u00ad\\u2028\\ud800\\ue000\\udbff\\udfff\"]", NULL},
    {"[ ]", "[]", "[]", NULL},
    {"{ }", "{}", "{}", NULL},
    {"[1,[2,{\"a\":[]}]]", "[1, [2, {'a': []}]]", "[1, [2, {\"a\": []}]]", NULL},
    {"{\"b\":1,\"a\":{\"d\":2,\"c\":3}}", "{'b': 1, 'a': {'d': 2, 'c': 3}}",
     "{\"b\": 1, \"a\": {\"d\": 2, \"c\": 3}}", "{\"a\": {\"c\": 3, \"d\": 2}, \"b\": 1}"},
    {"{\"a\":1,\"b\":2,\"a\":3}", "{'a': 3, 'b': 2}", "{\"a\": 3, \"b\": 2}", NULL},
    {"{\"b\":1,\"a\":2,\"\\u0062\":[3]}", "{'b': [3], 'a': 2}", "{\"b\": [3], \"a\": 2}",
     "{\"a\": 2, \"b\": [3]}"},
    {"{\"a\":{\"x\":1,\"x\":2},\"a\":{\"y\":1,\"y\":2,\"y\":3}}", "{'a': {'y': 3}}",
     "{\"a\": {\"y\": 3}}", NULL},
    {"{\"\xef\xbf\xbf\":1,\"\xf0\x90\x80\x80\":2,\"\\ud800\":3}",
     "{'\\uffff': 1, '\xf0\x90\x80\x80': 2, '\\ud800': 3}",
     "{\"\\uffff\": 1, \"\\ud800\\udc00\": 2, \"\\ud800\": 3}",
     "{\"\\ud800\": 3, \"\\uffff\": 1, \"\\ud800\\udc00\": 2}"},
};

static void test_cases(void **state)
{
    (void)state;
    struct buf out = {0};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct json_value v = parsed(CASES[i].json);
        buf_clear(&out);
        json_pystr(v, &out);
        assert_buf(&out, CASES[i].str);
        buf_clear(&out);
        json_pyjson(v, &out);
        assert_buf(&out, CASES[i].dumps);
        buf_clear(&out);
        json_pyjson_sorted(v, &out);
        assert_buf(&out, CASES[i].sorted ? CASES[i].sorted : CASES[i].dumps);
    }
    buf_free(&out);
}

static void test_absent(void **state)
{
    (void)state;
    struct buf out = {0};
    struct json_value absent = {0};
    json_pystr(absent, &out);
    json_pyrepr(parsed("\"x\""), &out);
    json_pyjson(absent, &out);
    assert_buf(&out, "None'x'null");
    buf_free(&out);
}

/* Many members with duplicates: the sorting way must agree with the pairwise way. */
static void test_many_members(void **state)
{
    (void)state;
    struct buf json = {0}, out = {0}, want = {0};
    buf_text(&json, "{");
    for (int i = 0; i < 90; i++)
        buf_format(&json, "%s\"k%d\":%d", i ? "," : "", (i * 7) % 30, i);
    buf_text(&json, "}");
    buf_text(&want, "{");
    for (int i = 0; i < 30; i++)
        buf_format(&want, "%s\"k%d\": %d", i ? ", " : "", (i * 7) % 30, i + 60);
    buf_text(&want, "}");
    json_pyjson(parsed(buf_cstr(&json)), &out);
    assert_buf(&out, buf_cstr(&want));
    buf_free(&json);
    buf_free(&out);
    buf_free(&want);
}

static void test_depth(void **state)
{
    (void)state;
    struct buf json = {0}, out = {0};
    for (int i = 0; i < JSON_DEPTH_MAX / 2; i++)
        buf_text(&json, "[{\"b\":0,\"a\":");
    buf_text(&json, "1");
    for (int i = 0; i < JSON_DEPTH_MAX / 2; i++)
        buf_text(&json, "}]");
    json_pyjson_sorted(parsed(buf_cstr(&json)), &out);
    assert_true(span_starts(buf_span(&out), SPAN("[{\"a\": [{\"a\": ")));
    assert_true(span_ends(buf_span(&out), SPAN(", \"b\": 0}]")));
    buf_free(&json);
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_absent),
        cmocka_unit_test(test_many_members),
        cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
