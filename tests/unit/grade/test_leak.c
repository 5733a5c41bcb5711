/* test_leak.c: what only the teacher knew, found in what the assistant said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grade/leak.h"

static enum leak_result look(const char *text, struct buf *field, struct buf *needle)
{
    struct row row;
    struct json_members members = {0};
    struct json_fault fault;
    assert_int_equal(row_of_text(span_text(text), &row, &members, &fault), 0);
    buf_clear(field);
    buf_clear(needle);
    enum leak_result result = leak_find(&row, field, needle);
    json_members_free(&members);
    return result;
}

static void finds_what_was_said(void **state)
{
    (void)state;
    struct {
        const char *row;
        enum leak_result want;
        const char *field, *needle;
    } table[] = {
        {"{\"final_text\":\"it is BLUE falcon\\n nine!\",\"privileged\":{\"reference\":\"Blue  "
         "Falcon nine\"}}",
         LEAK_FOUND, "reference", "blue falcon nine"},
        {"{\"final_text\":\"it is red\",\"privileged\":{\"reference\":\"Blue Falcon nine\"}}",
         LEAK_NONE, "", ""},
        {"{\"final_text\":\"short one\",\"privileged\":{\"reference\":\"short one\"}}",
         LEAK_UNCHECKED, "", ""},
        {"{\"final_text\":\"123456789012345\",\"privileged\":{\"reference\":123456789012345}}",
         LEAK_UNCHECKED, "", ""},
        {"{\"final_text\":\"the hidden plan of "
         "theirs\",\"privileged\":{\"hidden_state\":{\"a\":[1,{\"b\":\"hidden plan "
         "of theirs\"}]}}}",
         LEAK_FOUND, "hidden_state.a.b", "hidden plan of theirs"},
        {"{\"messages\":[{\"role\":\"assistant\",\"content\":\"a principle of "
         "mine\"}],\"privileged\":{\"principle\":\"a "
         "principle of mine\",\"rubric\":\"x\"}}",
         LEAK_FOUND, "principle", "a principle of mine"},
        {"{\"messages\":[{\"role\":\"user\",\"content\":\"a principle of "
         "mine\"}],\"privileged\":{\"principle\":\"a "
         "principle of mine\"}}",
         LEAK_NONE, "", ""},
        {"{\"final_text\":\"x\",\"privileged\":\"a text of some length\"}", LEAK_UNCHECKED, "", ""},
        {"{\"final_text\":\"x\"}", LEAK_UNCHECKED, "", ""},
    };
    struct buf field = {0}, needle = {0};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(look(table[i].row, &field, &needle), table[i].want);
        assert_string_equal(buf_cstr(&field), table[i].field);
        assert_string_equal(buf_cstr(&needle), table[i].needle);
    }
    buf_free(&field);
    buf_free(&needle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_what_was_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
