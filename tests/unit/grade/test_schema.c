/* JSON Schema (schema.h); the official suite runs in tests/interop/json_schema.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "grade/canonical.h"
#include "grade/schema.h"

static struct json_value parsed(const char *text)
{
    struct json_value value;
    struct json_fault fault;
    if (json_scan(span_text(text), &value, NULL, &fault))
        fail_msg("%s: %s", text, fault.what);
    return value;
}

static void validates_and_says_where(void **state)
{
    static const struct {
        const char *schema, *instance, *where; /* NULL: valid */
    } table[] = {
        {"true", "1", NULL},
        {"false", "1", "(the whole): false"},
        {"{\"type\":\"integer\"}", "1.0", NULL},
        {"{\"type\":\"integer\"}", "true", "(the whole): type"},
        {"{\"type\":[\"string\",\"null\"]}", "1", "(the whole): type"},
        {"{\"multipleOf\":0.01}", "19.99", NULL},
        {"{\"multipleOf\":0.01}", "0.0075", "(the whole): multipleOf"},
        {"{\"maximum\":9007199254740992}", "9007199254740993", "(the whole): maximum"},
        {"{\"maxLength\":1}", "\"\\ud83d\\ude00\"", NULL},
        {"{\"properties\":{\"a/b\":{\"items\":{\"type\":\"string\"}}}}", "{\"a/b\":[\"x\",1]}",
         "/a~1b/1: type"},
        {"{\"required\":[\"a\"],\"minProperties\":2}", "{\"b\":1}", "(the whole): required"},
        {"{\"uniqueItems\":true}", "[{\"a\":1,\"b\":2},{\"b\":2.0,\"a\":1}]",
         "(the whole): uniqueItems"},
        {"{\"enum\":[[1],{\"a\":null}]}", "{\"a\":null}", NULL},
        {"{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"properties\":{\"next\":{\"$ref\":\"#/$defs/"
         "n\"}},"
         "\"additionalProperties\":false}}}",
         "{\"next\":{\"next\":{\"x\":1}}}", "/next/next/x: false"},
        {"{\"allOf\":[{\"properties\":{\"a\":true}}],\"unevaluatedProperties\":false}",
         "{\"a\":1,\"b\":2}", "/b: false"},
        {"{\"anyOf\":[{\"type\":\"string\"},{\"minimum\":5}]}", "3", "(the whole): anyOf"},
        {"{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":2},\"else\":{\"minimum\":2}}", "1",
         "(the whole): minimum"},
        {"{\"properties\":{\"default\":{\"$ref\":\"#/$defs/"
         "s\"}},\"$defs\":{\"s\":{\"type\":\"string\"}}}",
         "{\"default\":1}", "/default: type"},
    };
    struct buf where = {0};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct error error = {0};
        struct schema *s = schema_open(span_text(table[i].schema), SCHEMA_2020_12, &error);
        if (!s)
            fail_msg("%s: %s", table[i].schema, error.text);
        enum schema_result got = schema_validate(s, parsed(table[i].instance), &where);
        if ((got == SCHEMA_VALID) != !table[i].where ||
            (table[i].where && strcmp(buf_cstr(&where), table[i].where) != 0))
            fail_msg("%s on %s: %s", table[i].schema, table[i].instance, buf_cstr(&where));
        schema_free(s);
    }
    buf_free(&where);
}

static void gives_up_where_it_would_not_end(void **state)
{
    struct error error;
    struct buf where = {0};
    struct schema *s = schema_open(SPAN("{\"$ref\":\"#\"}"), SCHEMA_2020_12, &error);
    (void)state;
    assert_int_equal(schema_validate(s, parsed("1"), &where), SCHEMA_GAVE_UP);
    schema_free(s);
    s = schema_open(SPAN("{\"pattern\":\"^(a|a|aa)+$\"}"), SCHEMA_2020_12, &error);
    struct buf text = {0};
    buf_byte(&text, '"');
    for (int i = 0; i < 5000; i++)
        buf_byte(&text, 'a');
    buf_text(&text, "b\"");
    assert_int_equal(schema_validate(s, parsed(buf_cstr(&text)), &where), SCHEMA_GAVE_UP);
    schema_free(s);
    buf_free(&text);
    buf_free(&where);
}

static void refuses_what_it_cannot_read(void **state)
{
    static const struct {
        const char *schema, *part;
    } table[] = {
        {"{", "no JSON"},
        {"[]", "a schema is an object"},
        {"{\"anyOf\":{\"b\":true}}", "the schema's anyOf is"},
        {"{\"properties\":{\"a\":{\"required\":true}}}", "the schema's required is true"},
        {"{\"not\":{\"items\":[1]}}", "not 1"},
        {"{\"$ref\":\"http://example.com/x\"}", "which is not in it"},
        {"{\"$ref\":\"#/$defs/none\"}", "which is not in it"},
        {"{\"pattern\":\"(\"}", "regex"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct error error = {0};
        assert_null(schema_open(span_text(table[i].schema), SCHEMA_2020_12, &error));
        if (!strstr(error.text, table[i].part))
            fail_msg("%s: %s", table[i].schema, error.text);
    }
}

static void equal_values_have_one_text(void **state)
{
    (void)state;
    assert_true(
        canonical_equal(parsed("{\"a\":1,\"b\":[1e1]}"), parsed("{\"b\":[10.0],\"a\":1.0}")));
    assert_true(canonical_equal(parsed("{\"a\":0,\"a\":1}"), parsed("{\"a\":1}")));
    assert_true(canonical_equal(parsed("\"\\u0061\""), parsed("\"a\"")));
    assert_false(canonical_equal(parsed("true"), parsed("1")));
    assert_false(canonical_equal(parsed("[1,2]"), parsed("[2,1]")));
    assert_false(canonical_equal(parsed("9007199254740993"), parsed("9007199254740992")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(validates_and_says_where),
        cmocka_unit_test(gives_up_where_it_would_not_end),
        cmocka_unit_test(refuses_what_it_cannot_read),
        cmocka_unit_test(equal_values_have_one_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
