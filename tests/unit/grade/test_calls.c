/* Calls as a program's text, and the rule of matching calls (call_text.h, call_match.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "grade/call_match.h"
#include "grade/call_text.h"

static void reads(const char *text, const char *wanted)
{
    struct buf json = {0};
    bool ok = call_text_json(span_text(text), &json);
    if (!ok != !wanted || (wanted && strcmp(buf_cstr(&json), wanted) != 0))
        fail_msg("%s: %s", text, ok ? buf_cstr(&json) : "refused");
    buf_free(&json);
}

static void calls_as_text(void **state)
{
    (void)state;
    reads("f()", "[{\"name\":\"f\",\"arguments\":{}}]");
    reads("[a.b(x=1, y='two'), c(z=[1, 2.5, -3e4])]",
          "[{\"name\":\"a.b\",\"arguments\":{\"x\":1,\"y\":\"two\"}},"
          "{\"name\":\"c\",\"arguments\":{\"z\":[1,2.5,-3e4]}}]");
    reads(
        "f(a=True, b=None, c={'k': (1, 2), \"l\": {}}, d=false)",
        "[{\"name\":\"f\",\"arguments\":{\"a\":true,\"b\":null,\"c\":{\"k\":[1,2],\"l\":{}},\"d\":"
        "false}}]");
    reads("f(a=some.name, b=g(x, [1]), c=.5, d=1_000, e=3.)",
          "[{\"name\":\"f\",\"arguments\":{\"a\":\"some.name\",\"b\":\"g(x, [1])\",\"c\":0.5,\"d\":"
          "1000,\"e\":3.0}}]");
    reads("f(a='it\\'s', b=\"q\\\"\", c='''x\ny''', d='\\u00e9\\x41')",
          "[{\"name\":\"f\",\"arguments\":{\"a\":\"it's\",\"b\":\"q\\\"\",\"c\":\"x\\ny\",\"d\":"
          "\"\xc3\xa9"
          "A\"}}]");
    reads("f(1, 'x', k=2,)", "[{\"name\":\"f\",\"arguments\":{\"0\":1,\"1\":\"x\",\"k\":2}}]");
    reads("Sure:\n```python\n[f(x=1)]\n```", "[{\"name\":\"f\",\"arguments\":{\"x\":1}}]");
    reads("f(x=1)\ng(y=2)",
          "[{\"name\":\"f\",\"arguments\":{\"x\":1}},{\"name\":\"g\",\"arguments\":"
          "{\"y\":2}}]");
    reads("f(x=3rd)", "[{\"name\":\"f\",\"arguments\":{\"x\":\"3rd\"}}]");
    reads("[]", "[]");
    reads("", NULL);
    reads("f(", NULL);
    reads("f(x=", NULL);
    reads("f(x='open)", NULL);
    reads("[f(x=1)", NULL);
    reads("[f(x=1)] and so on", NULL);
    reads("I call f(x=1)", NULL);
    reads("f(x=[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]])",
          NULL);
}

/* One wanted call (name t) against one given. */
static bool match(const char *wanted, const char *given, const char *schema, bool plain)
{
    struct call_wish wish = {.name = SPAN("t.x"), .plain = plain};
    struct row_call call = {.name = SPAN("t_x"), .id = SPAN("")};
    struct json_fault fault;
    struct buf why = {0};
    assert_int_equal(json_scan(span_text(wanted), &wish.arguments, NULL, &fault), 0);
    assert_int_equal(json_scan(span_text(given), &call.arguments, NULL, &fault), 0);
    if (schema)
        assert_int_equal(json_scan(span_text(schema), &wish.schema, NULL, &fault), 0);
    bool ok = call_matches(&wish, &call, false, &why);
    assert_true(ok || why.len > 0);
    buf_free(&why);
    return ok;
}

static void allowed_values(void **state)
{
    (void)state;
    assert_true(match("{\"a\":[1,2]}", "{\"a\":2}", NULL, false));
    assert_false(match("{\"a\":[1,2]}", "{\"a\":3}", NULL, false));
    assert_false(match("{\"a\":[1]}", "{\"a\":\"1\"}", NULL, false));
    assert_false(match("{\"a\":[1]}", "{\"a\":true}", NULL, false));
    assert_true(match("{\"a\":[1.0]}", "{\"a\":1}", NULL, false));
    assert_true(match("{\"a\":[\"New York, NY\"]}", "{\"a\":\"new york ny\"}", NULL, false));
    assert_false(match("{\"a\":[\"New York\"]}", "{\"a\":\"New York City\"}", NULL, false));
    assert_true(match("{\"a\":[1,\"\"]}", "{}", NULL, false));
    assert_false(match("{\"a\":[1]}", "{}", NULL, false));
    assert_false(match("{\"a\":[1]}", "{\"a\":1,\"b\":2}", NULL, false));
    assert_true(match("{\"a\":[[\"X-1\",2]]}", "{\"a\":[\"x1\",2]}", NULL, false));
    assert_false(match("{\"a\":[[1,2]]}", "{\"a\":[2,1]}", NULL, false));
    assert_true(
        match("{\"a\":[{\"k\":[\"V\"],\"o\":[3,\"\"]}]}", "{\"a\":{\"k\":\"v\"}}", NULL, false));
    assert_false(match("{\"a\":[{\"k\":[\"V\"]}]}", "{\"a\":{}}", NULL, false));
    assert_false(match("{\"a\":[{\"k\":[\"V\"]}]}", "{\"a\":{\"k\":\"v\",\"z\":1}}", NULL, false));
    assert_true(match("{\"a\":[[{\"k\":[1]}]]}", "{\"a\":[{\"k\":1}]}", NULL, false));
}

static void declared_types(void **state)
{
    static const char schema[] =
        "{\"properties\":{\"i\":{\"type\":\"integer\"},\"f\":{\"type\":\"float\"},"
        "\"l\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}},\"s\":{\"type\":\"string\"}},"
        "\"required\":[\"i\"]}";
    (void)state;
    assert_true(match("{\"i\":[1]}", "{\"i\":1}", schema, false));
    assert_false(match("{\"i\":[1]}", "{\"i\":1.0}", schema, false));
    assert_true(match("{\"i\":[1],\"f\":[2]}", "{\"i\":1,\"f\":2.0}", schema, false));
    assert_true(match("{\"i\":[1],\"f\":[2.0]}", "{\"i\":1,\"f\":2}", schema, false));
    assert_false(match("{\"i\":[\"\",1]}", "{}", schema, false)); /* required */
    assert_true(match("{\"i\":[1],\"l\":[[1,2]]}", "{\"i\":1,\"l\":[1,2]}", schema, false));
    assert_false(match("{\"i\":[1],\"l\":[[1,2]]}", "{\"i\":1,\"l\":[1,2.0]}", schema, false));
    assert_true(match("{\"i\":[\"count\"]}", "{\"i\":\"count\"}", schema, false)); /* a variable */
    assert_false(match("{\"i\":[\"count\"]}", "{\"i\":\"Count\"}", schema, false));
    assert_false(
        match("{\"i\":[1],\"z\":[1]}", "{\"i\":1,\"z\":1}", schema, false)); /* undeclared */
}

static void plain_calls(void **state)
{
    (void)state;
    assert_true(match("{\"a\":1,\"b\":\"x\",\"c\":[1],\"d\":null,\"e\":\"\"}",
                      "{\"e\":\"\",\"d\":null,\"c\":[1],\"b\":\"X\",\"a\":1}", NULL, true));
    assert_false(match("{\"a\":1}", "{}", NULL, true));
    assert_false(match("{\"a\":\"\"}", "{}", NULL, true));
    assert_false(match("{\"a\":\"\"}", "{\"a\":\"x\"}", NULL, true));
    assert_false(match("{\"a\":null}", "{\"a\":0}", NULL, true));
    assert_true(match("{\"a\":{\"b\":{\"c\":1}}}", "{\"a\":{\"b\":{\"c\":1.0}}}", NULL, true));
}

static void each_wish_has_a_call_of_its_own(void **state)
{
    struct call_wish wishes[2] = {{.name = SPAN("t")}, {.name = SPAN("t")}};
    struct row_call given[2] = {{.name = SPAN("t"), .id = SPAN("")},
                                {.name = SPAN("t"), .id = SPAN("")}};
    struct row_calls calls = {.items = given, .count = 2};
    struct json_fault fault;
    struct buf why = {0};
    (void)state;
    /* The first wish takes either call, the second only the first. */
    json_scan(SPAN("{\"a\":[1,2]}"), &wishes[0].arguments, NULL, &fault);
    json_scan(SPAN("{\"a\":[1]}"), &wishes[1].arguments, NULL, &fault);
    json_scan(SPAN("{\"a\":1}"), &given[0].arguments, NULL, &fault);
    json_scan(SPAN("{\"a\":2}"), &given[1].arguments, NULL, &fault);
    assert_true(calls_match(wishes, 2, &calls, false, false, &why));
    assert_false(calls_match(wishes, 2, &calls, true, false, &why) &&
                 calls_match(wishes, 1, &calls, true, false, &why));
    json_scan(SPAN("{\"a\":1}"), &given[1].arguments, NULL, &fault);
    assert_true(calls_match(wishes, 2, &calls, false, false, &why));
    json_scan(SPAN("{\"a\":2}"), &given[0].arguments, NULL, &fault);
    json_scan(SPAN("{\"a\":2}"), &given[1].arguments, NULL, &fault);
    assert_false(calls_match(wishes, 2, &calls, false, false, &why));
    buf_free(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_as_text),
        cmocka_unit_test(allowed_values),
        cmocka_unit_test(declared_types),
        cmocka_unit_test(plain_calls),
        cmocka_unit_test(each_wish_has_a_call_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
