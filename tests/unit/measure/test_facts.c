/* test_facts.c: what the measurements read of a row (measure 1, 4.2). */
#include <stdio.h>

#include "rows.h"

static struct facts_reader *reader;
static struct json_members members;
static char line[4096];

static struct row_facts facts_of(const char *text)
{
    struct row row = {0};
    struct json_fault fault;
    struct row_facts facts;
    snprintf(line, sizeof line, "%s", text);
    if (row_of_text(span_text(line), &row, &members, &fault) != 0)
        fail_msg("%s: %s", text, fault.what);
    facts_read(reader, &row, &facts);
    return facts;
}

static void assert_span(struct span s, const char *text)
{
    if (!span_is(s, text))
        fail_msg("%.*s is not %s", (int)s.len, s.ptr ? s.ptr : "", text);
}

static void names(void **state)
{
    (void)state;
    assert_span(facts_of("{\"task_id\":\"t\",\"prompt\":\"p\"}").task, "t");
    assert_span(facts_of("{\"scenario_id\":0,\"task_id\":\"\",\"prompt\":\"p\"}").task, "p");
    assert_span(facts_of("{\"scenario_id\":[1,\"a\",null]}").task, "[1, 'a', None]");
    assert_span(facts_of("{\"scenario_id\":1e16}").task, "1e+16");
    assert_span(facts_of("{}").task, "");
    assert_span(facts_of("{\"task\\u005fid\":\"escaped name\"}").task, "escaped name");
    assert_span(facts_of("{\"task_id\":\"a\",\"task_id\":\"last\"}").task, "last");
    assert_span(facts_of("{\"task_id\":\"nul\\u0000inside\"}").task.len == 10 ? SPAN("ok")
                                                                              : SPAN("cut"),
                "ok");
}

static void rewards(void **state)
{
    (void)state;
    assert_int_equal(facts_of("{\"reward\":1}").reward.label, ROW_LABEL_PASS);
    assert_int_equal(facts_of("{\"reward\":\" 0 \"}").reward.label, ROW_LABEL_FAIL);
    assert_int_equal(facts_of("{\"reward\":true}").reward.label, ROW_LABEL_NONE);
    assert_true(facts_of("{\"reward\":true}").reward.boolean);
    assert_false(facts_of("{\"reward\":true}").reward.partial);
    assert_true(facts_of("{\"reward\":NaN}").reward.partial);
    assert_false(facts_of("{\"reward\":NaN}").reward.graded);
    assert_true(facts_of("{\"reward\":1e999}").reward.partial);
    assert_int_equal(facts_of("{\"reward\":0.5,\"qwen_reward\":1}").reward.label_key, 1);
    assert_true(facts_of("{\"reward\":0.5,\"qwen_reward\":1}").reward.value == 0.5);
}

static void replies(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        bool reply, answered, unclosed;
    } table[] = {
        {"{}", false, false, false},
        {"{\"final_text\":null}", false, false, false},
        {"{\"final_text\":7,\"messages\":{}}", false, false, false},
        {"{\"final_text\":\"\"}", true, false, false},
        {"{\"final_text\":\"done\"}", true, true, false},
        {"{\"final_text\":\" \\u3000\\u2028 \"}", true, false, false},
        {"{\"final_text\":\"\\u3000x\"}", true, true, false},
        {"{\"final_text\":\"\xe3\x80\x80\"}", true, false, false},
        {"{\"final_text\":\"<think>a</think> b\"}", true, true, false},
        {"{\"final_text\":\"<think>a</think> \"}", true, false, false},
        {"{\"final_text\":\"<THINK>a\"}", true, false, true},
        {"{\"final_text\":\"yes <Think>a\"}", true, true, true},
        {"{\"final_text\":\"\\u003cthink\\u003ehidden\"}", true, false, true},
        {"{\"final_text\":\"a\\n\\u003cthink>hidden\"}", true, true, true},
        {"{\"final_text\":\"</think>\"}", true, true, false},
        {"{\"messages\":[]}", true, false, false},
        {"{\"final_text\":\" \",\"messages\":[{\"role\":\"assistant\",\"content\":\"hi\"},"
         "{\"role\":\"assistant\",\"content\":\" \"},{\"role\":\"user\",\"content\":\"more\"}]}",
         true, true, false},
        {"{\"messages\":[{\"role\":\"assistant\",\"content\":\"hi\"},"
         "{\"role\":\"assistant\",\"content\":\"<think>cut\"}]}",
         true, false, true},
        {"{\"messages\":[1,null,{\"role\":\"assistant\",\"content\":[\"x\"]}]}", true, false,
         false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct row_facts facts = facts_of(table[i].row);
        if (facts.has_reply != table[i].reply || facts.answered != table[i].answered ||
            facts.unclosed != table[i].unclosed)
            fail_msg("%s: %d %d %d", table[i].row, facts.has_reply, facts.answered, facts.unclosed);
    }
}

static void settings(void **state)
{
    (void)state;
    struct row_facts f =
        facts_of("{\"sampling\":{\"temperature\":0,\"max_tokens\":null},"
                 "\"judge_meta\":{\"version\":\"\"},\"lineage\":{\"judge_version\":2},"
                 "\"policy_version\":\"m@abc\",\"writer_model\":\"p\\u0069nned\"}");
    assert_span(f.settings[SETTING_TEMPERATURE].value.text, "0");
    assert_int_equal(f.settings[SETTING_MAX_TOKENS].form, SETTING_ABSENT);
    assert_span(f.settings[SETTING_JUDGE_VERSION].value.text, "2");
    assert_int_equal(f.settings[SETTING_PROMPT_HASH].form, SETTING_SUFFIX);
    assert_int_equal(f.settings[SETTING_WRITER_MODEL].form, SETTING_ABSENT);
    f = facts_of("{\"policy_version\":\"m@abc\",\"lineage\":{\"system_prompt_sha\":[1]}}");
    assert_int_equal(f.settings[SETTING_PROMPT_HASH].form, SETTING_AS_IS);
    f = facts_of("{\"sampling\":[1],\"lineage\":\"x\",\"judge_meta\":0,\"user_model\":\"\"}");
    for (size_t i = 0; i < SETTINGS; i++)
        assert_int_equal(f.settings[i].form, SETTING_ABSENT);
}

static void slices(void **state)
{
    (void)state;
    struct facts_options by = {.by = "kind"};
    struct facts_reader *plain = reader;
    reader = facts_open(&by);
    assert_span(facts_of("{\"kind\":\"a\"}").slice, "a");
    assert_span(facts_of("{\"kind\":true}").slice, "True");
    assert_span(facts_of("{\"markers\":{\"kind\":2}}").slice, "2");
    assert_span(facts_of("{\"kind\":null,\"markers\":{\"kind\":2}}").slice, "2");
    assert_false(facts_of("{\"kind\":\"\",\"markers\":{\"kind\":2}}").has_slice);
    assert_false(facts_of("{\"markers\":{\"kind\":null}}").has_slice);
    facts_close(reader);
    reader = plain;
}

/* Any value under any key that is read: never a crash, never a verdict out of nothing. */
static void any_value_under_any_key(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "scenario_id",  "task_id",       "prompt",         "reward",     "qwen_reward",
        "markers",      "sampling",      "lineage",        "judge_meta", "user_model",
        "writer_model", "finish_reason", "policy_version", "final_text", "messages",
        "judge_status", "reason",        "wai_partial",
    };
    static const char *const values[] = {
        "null",
        "true",
        "false",
        "-0",
        "1e400",
        "NaN",
        "\"\"",
        "\"\\ud800\"",
        "[]",
        "{}",
        "[[[1]]]",
        "{\"version\":{},\"temperature\":[],\"\":1}",
        "123456789012345678901234567890",
        "\"\\u0000\"",
    };
    struct passat_options keep = {.markers = true};
    struct passat *p = passat_new(&keep);
    char text[512];
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            for (size_t w = 0; w < sizeof values / sizeof *values; w++) {
                snprintf(text, sizeof text, "{\"%s\":%s,\"%s\":%s}", keys[k], values[v],
                         keys[(k + 7) % 18], values[w]);
                struct row_facts facts = facts_of(text);
                bool zero = strstr(text, "reward\":-0") != NULL;
                assert_int_equal(facts.reward.label, zero ? ROW_LABEL_FAIL : ROW_LABEL_NONE);
                passat_add(p, &facts);
            }
    struct buf report = report_text(p), partial = partial_text(p);
    struct json_value value;
    struct json_fault fault;
    assert_int_equal(json_scan(buf_span(&report), &value, NULL, &fault), 0);
    assert_int_equal(json_scan(buf_span(&partial), &value, NULL, &fault), 0);
    buf_free(&report);
    buf_free(&partial);
    passat_free(p);
}

static int setup(void **state)
{
    (void)state;
    reader = facts_open(&FACTS_DEFAULT);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    facts_close(reader);
    json_members_free(&members);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),   cmocka_unit_test(rewards),
        cmocka_unit_test(replies), cmocka_unit_test(settings),
        cmocka_unit_test(slices),  cmocka_unit_test(any_value_under_any_key),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
