/* test_expr.c: jq expressions over a value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>

#include "help.h"
#include "json/expr.h"

static const struct {
    const char *program, *input;
    int count; /* -1: the program raises `want`; -2: it does not compile, with `want` */
    const char *want;
} CASES[] = {
    {".a", "{\"a\":1}", 1, "1"},
    {".a, .b", "{\"a\":1}", 2, "1"},
    {"repeat(1)", "0", 2, "1"},
    {"empty", "0", 0, ""},
    {"", "[1]", 1, "[1]"},
    {"# a comment", "[1]", 1, "[1]"},
    {". # a comment", "[1]", 1, "[1]"},
    {"def f: 3; f + $index", "0", 1, "10"},
    {"twice($t[0])", "0", 1, "4"},
    {"$t", "0", 1, "[2,\"\xc3\xa9\"]"},
    {".", "{\"b\":1,\"a\":[null,true,\"x\\n\"],\"b\":2}", 1,
     "{\"b\":2,\"a\":[null,true,\"x\\n\"]}"},
    {".", "[1.0,0.1,1e17,1e-7,-0,9007199254740993,NaN,Infinity]", 1,
     "[1,0.1,1e+17,1e-07,0,9007199254740992,null,null]"},
    {"[nan, infinite]", "0", 1, "[null,null]"},
    {". == \"\\u0000\"", "\"\\u0000\"", 1, "true"},
    {".", "\"\\ud83d\\ude00\"", 1, "\"\xf0\x9f\x98\x80\""},
    {"[match(\"a\"; \"g\").offset]", "\"bab\\u00e9a\"", 1, "[1,4]"},
    {"path(..)", "[[1]]", 2, "[]"}, /* a run given up inside path() once aborted */
    {"first(path(..))", "[[1]]", 1, "[]"},
    {"del(.. | select(. == 1))", "[1,[1,2]]", 1, "[[2]]"},
    {"$ENV | length", "0", 1, "0"},
    {"env | length", "0", 1, "0"},
    {"error(\"broken\\nhere\")", "0", -1, "broken\\nhere"},
    {"error({\"a\":1})", "0", -1, "{\"a\":1}"},
    {".[0]", "{}", -1, "Cannot index object with number"},
    {"input", "0", -1, "input and inputs are off: a program sees one row"},
    {"[inputs]", "0", -1, "input and inputs are off: a program sees one row"},
    {"\"x\" | modulemeta", "0", -1, "modules are off"},
    {"halt", "0", -1, "the program halted"},
    {"path(..), halt_error(1)", "[[1]]", 2, "[]"},
    {"reduce range(600) as $i (0; [.])", "0", -1, "the result is nested deeper than 512 levels"},
    {".a +", "0", -2, "the expression does not compile: line 1: syntax error, unexpected "},
    {"1\n| foo(1)", "0", -2, "the expression does not compile: line 2: foo/1 is not defined"},
    {"$nope", "0", -2, "the expression does not compile: line 1: $nope is not defined"},
    {"1; 2", "0", -2,
     "the expression does not compile: line 1: syntax error, unexpected ';', expecting "},
    {"import \"a\" as a; 1", "0", -2,
     "the expression does not compile: line 1: syntax error, unexpected import"},
    {"include \"a\"; 1", "0", -2,
     "the expression does not compile: line 1: syntax error, unexpected include"},
};

static const struct expr_binding BINDINGS[] = {{"t", SPAN("[2, \"\xc3\xa9\"]")}};
#define PRELUDE "# definitions\ndef twice(x): x * 2;\ndef other: $t;"

static void test_cases(void **state)
{
    (void)state;
    struct buf out = {0};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct error error = {0};
        struct expr_program *p =
            expr_compile(CASES[i].program, PRELUDE, BINDINGS, 1, false, &error);
        if (CASES[i].count == -2) {
            assert_null(p);
            assert_int_equal(error.code, ERROR_USAGE);
            /* jq's releases name the end of a program otherwise: the beginning tells. */
            if (!span_starts(span_text(error.text), span_text(CASES[i].want)))
                fail_msg("%s: %s", CASES[i].program, error.text);
            continue;
        }
        if (!p)
            fail_msg("%s: %s", CASES[i].program, error.text);
        for (int again = 0; again < 2; again++) {
            int count;
            buf_clear(&out);
            int code = expr_run(p, span_text(CASES[i].input), 7, &out, &count, &error);
            if (CASES[i].count == -1) {
                assert_int_equal(code, -1);
                assert_string_equal(error.text, CASES[i].want);
            } else {
                if (code != 0)
                    fail_msg("%s: %s", CASES[i].program, error.text);
                assert_int_equal(count, CASES[i].count);
                assert_buf(&out, CASES[i].want);
            }
        }
        expr_free(p);
    }
    buf_free(&out);
}

static void test_environment(void **state)
{
    (void)state;
    struct error error;
    struct buf out = {0};
    int count;
    setenv("WAI_TEST_VARIABLE", "seen", 1);
    struct expr_program *p =
        expr_compile("$ENV.WAI_TEST_VARIABLE + env.WAI_TEST_VARIABLE", NULL, NULL, 0, true, &error);
    assert_non_null(p);
    assert_int_equal(expr_run(p, SPAN("0"), 0, &out, &count, &error), 0);
    assert_buf(&out, "\"seenseen\"");
    expr_free(p);
    buf_free(&out);
}

static void test_bad_input(void **state)
{
    (void)state;
    struct error error;
    struct buf out = {0};
    int count;
    const struct expr_binding bad[] = {{"x", SPAN("[1")}};
    assert_null(expr_compile("1", NULL, bad, 1, false, &error));
    assert_string_equal(error.text,
                        "$x: the text ends inside an array at byte 2; give it a JSON value");
    assert_null(expr_compile("1", "def f: ;", NULL, 0, false, &error));
    assert_string_equal(error.text,
                        "the expression's prelude does not compile: syntax error, unexpected ';'");
    struct expr_program *p = expr_compile(".", NULL, NULL, 0, false, &error);
    assert_int_equal(expr_run(p, SPAN("[1"), 0, &out, &count, &error), -1);
    assert_string_equal(error.text, "the text ends inside an array at byte 2");
    expr_free(p);
    expr_free(NULL);
    buf_free(&out);
}

static void keep(void *data, struct span json)
{
    buf_span_add(data, json);
}

static void test_debug(void **state)
{
    (void)state;
    struct error error;
    struct buf out = {0}, seen = {0};
    int count;
    struct expr_program *p = expr_compile("debug | stderr", NULL, NULL, 0, false, &error);
    assert_int_equal(expr_run(p, SPAN("[1]"), 0, &out, &count, &error), 0);
    expr_on_debug(p, keep, &seen);
    assert_int_equal(expr_run(p, SPAN("[2]"), 0, &out, &count, &error), 0);
    assert_buf(&seen, "[2][2]");
    assert_buf(&out, "[1][2]");
    expr_free(p);
    buf_free(&out);
    buf_free(&seen);
}

static void *run_thread(void *data)
{
    struct error error;
    struct buf out = {0};
    intptr_t sum = 0;
    struct expr_program *p =
        expr_compile("[match(\"[0-9]+\"; \"g\").string | tonumber] | add + $index", NULL, NULL, 0,
                     false, &error);
    for (int i = 0; p && i < 50; i++) {
        int count;
        buf_clear(&out);
        if (expr_run(p, SPAN("\"1 and 20 and 300\""), i, &out, &count, &error) == 0)
            sum += atoi(buf_cstr(&out));
    }
    expr_free(p);
    buf_free(&out);
    *(intptr_t *)data = sum;
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[4];
    intptr_t sums[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_thread, &sums[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(sums[i], 50 * 321 + 49 * 50 / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),     cmocka_unit_test(test_environment),
        cmocka_unit_test(test_bad_input), cmocka_unit_test(test_debug),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
