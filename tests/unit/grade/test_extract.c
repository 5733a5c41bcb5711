/* JSON and code inside replies (grade 5.5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grade/extract.h"

static void finds_json(void **state)
{
    static const struct {
        const char *text, *json; /* NULL: none */
    } table[] = {
        {"{\"a\":1}", "{\"a\":1}"},
        {" [1, 2] ", "[1, 2]"},
        {"null", "null"},
        {"Sure:\n```json\n{\"a\": 1}\n```\nbye {\"b\":2}", "{\"a\": 1}"},
        {"```\n[1]\n```", "[1]"},
        {"```python\nx\n``` then {\"a\":1}", "{\"a\":1}"},
        {"text {\"a\":[1]} tail", "{\"a\":[1]}"},
        {"list [1,{\"a\":2}] tail", "[1,{\"a\":2}]"},
        {"pre {\"a\":1} mid {\"b\":2}", NULL},
        {"NaN", NULL},
        {"{\"a\":NaN}", NULL},
        {"{\"a\":\"NaN\"}", "{\"a\":\"NaN\"}"},
        {"not json", NULL},
        {"", NULL},
        {"} {", NULL},
    };
    struct buf scratch = {0};
    struct json_value value;
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        bool found = extract_json(span_text(table[i].text), &scratch, &value);
        if (found != (table[i].json != NULL) || (found && !span_is(value.text, table[i].json)))
            fail_msg("%s", table[i].text);
    }
    buf_free(&scratch);
}

static void finds_fences(void **state)
{
    const struct span text = SPAN("```py\na\n``` ```PY \nb\n``` ```js\nc\n``` ```d``` ```py\nopen");
    (void)state;
    assert_true(span_is(extract_fence(text, SPAN("py")), "b\n"));
    assert_true(span_is(extract_fence(text, SPAN("js")), "c\n"));
    assert_true(span_is(extract_fence(text, SPAN("")), "d"));
    assert_null(extract_fence(text, SPAN("sh")).ptr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_json),
        cmocka_unit_test(finds_fences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
