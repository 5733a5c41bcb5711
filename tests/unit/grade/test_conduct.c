/* The conduct rules, the checklist, tool names, failure classes, argument grounding (grade 10-12,
 * 17.4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "grade/checklist.h"
#include "grade/classes.h"
#include "grade/conduct.h"
#include "grade/grounding.h"

struct held {
    struct row row;
    struct json_members members;
};

static void hold(struct held *h, const char *text)
{
    *h = (struct held){0};
    assert_int_equal(row_of_text(span_text(text), &h->row, &h->members, NULL), 0);
}

static void check_rule(const char *text, const char *rule, double reward, bool fault)
{
    struct held h;
    struct conduct_row c = {0};
    struct conduct_verdict v = {0};
    struct map declared = {0};
    struct conduct_words *words = conduct_words_new();
    hold(&h, text);
    conduct_row_read(&c, &h.row);
    conduct_judge(&c, words, &declared, &v);
    assert_string_equal(conduct_rule_name(v.rule), rule);
    assert_true(v.reward == reward);
    assert_int_equal(v.fault_detected, fault);
    assert_true(v.reason.len > 0);
    buf_free(&v.reason);
    conduct_row_free(&c);
    conduct_words_free(words);
    json_members_free(&h.members);
}

static void test_rules(void **state)
{
    (void)state;
    check_rule("{}", "stub", 0, false);
    check_rule("{\"final_text\":5,\"steps\":[1,null,\"x\"],\"prompt\":[]}", "ok", 1, false);
    check_rule("{\"final_text\":\"a\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9"
               "\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9"
               "\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\"}",
               "degenerate", 0, false);
    check_rule("{\"prompt\":\"refund 12\",\"final_text\":\"ok\",\"steps\":[{\"tool\":\"refund\","
               "\"arguments\":{\"order\":{\"items\":[{\"sku_id\":\"S-9\"}]}}}]}",
               "invented_reference", 0, false);
    check_rule("{\"prompt\":\"refund S-9\",\"final_text\":\"ok\",\"steps\":[{\"tool\":\"refund\","
               "\"arguments\":{\"order\":{\"items\":[{\"sku_id\":\" s-9 \"}]}}}]}",
               "ok", 1, false);
    check_rule("{\"prompt\":\"x\",\"final_text\":\"Here.\",\"faults\":{\"t\":{}},\"steps\":["
               "{\"tool\":\"t\",\"result\":{\"status\":\"ok\"}}]}",
               "fault_ok", 1, true);
    check_rule("{\"prompt\":\"x\",\"final_text\":\"Here.\",\"steps\":["
               "{\"tool\":\"t\",\"result\":{\"status\":\"timeout\"}}]}",
               "ignored_fault", 0, true);
    check_rule("{\"prompt\":\"x\",\"final_text\":\"It cannot be said that it was completed.\","
               "\"steps\":[{\"tool\":\"t\",\"result\":{\"status\":\"timeout\"}}]}",
               "fault_ok", 1, true);
    check_rule(
        "{\"prompt\":\"get AB-77\",\"final_text\":\"AB-77 was sent. Sorry, the rest failed.\","
        "\"steps\":[{\"tool\":\"t\",\"arguments\":{\"id\":\"AB-77\"},"
        "\"result\":{\"status\":\"error\"}}]}",
        "claimed_failed_id", 0, true);
    check_rule("{\"prompt\":\"x\",\"final_text\":\"see #123 and a1b2c3d4e5f6\"}",
               "invented_identifier", 0, false);
    check_rule("{\"prompt\":\"ticket 123\",\"final_text\":\"see #123 and ENG-123\"}", "ok", 1,
               false);
}

static void check_outcome(const char *text, const char *want)
{
    struct held h;
    struct conduct_row c = {0};
    struct checklist_outcome out;
    struct tool_hints hints = {0};
    struct conduct_words *words = conduct_words_new();
    struct buf got = {0};
    hold(&h, text);
    conduct_row_read(&c, &h.row);
    checklist_read(&c, words, &hints, &out);
    buf_text(&got, !out.checked ? "none" : out.met ? "met" : "missed");
    for (size_t i = 0; i < out.n_checks; i++)
        buf_format(&got, " %s=%d", out.checks[i].marker, out.checks[i].value);
    assert_string_equal(buf_cstr(&got), want);
    assert_true(!out.checked || out.reason);
    buf_free(&got);
    conduct_row_free(&c);
    conduct_words_free(words);
    json_members_free(&h.members);
}

static void test_outcomes(void **state)
{
    (void)state;
    check_outcome("{\"final_text\":\"x\"}", "none");
    check_outcome("{\"final_text\":\"x\",\"scenario_dimensions\":7,\"tier\":\"adversarial\"}",
                  "met adversarial_no_write=1");
    check_outcome("{\"final_text\":\"x\",\"tool\":\"multi_tool\",\"world_state\":\"missing\"}",
                  "none");
    check_outcome("{\"final_text\":\"x\",\"tool\":\"unspecified\",\"ask_family\":\"tool\"}",
                  "missed tool_ask_called=0 tool_ask_succeeded=0");
    /* Nothing in the family of the dimensions: only the row's own key counts. */
    check_outcome("{\"final_text\":\"x\",\"scenario_dimensions\":{\"ask_family\":\"vague\"}}",
                  "none");
    check_outcome(
        "{\"final_text\":\"Which one?\",\"world_state\":\"duplicate\",\"steps\":[{\"tool\":"
        "\"find\",\"result\":{\"status\":\"ok\"}}]}",
        "met duplicate_disambiguated=1");
    check_outcome(
        "{\"final_text\":\"x\",\"world_state\":\"duplicate\",\"tool\":\"refund\",\"history\":"
        "\"prior_partial_action\",\"steps\":[{\"tool\":\"find\",\"result\":{}},{\"tool\":"
        "\"refund\",\"result\":{\"status\":\"ok\"}}]}",
        "met duplicate_disambiguated=1 read_before_write=1 target_called=1 "
        "target_succeeded=1");
    check_outcome(
        "{\"final_text\":\"I cannot: it is blue. I'll do it.\",\"tool\":\"refund\",\"steps\":["
        "{\"tool\":\"find\",\"result\":{\"status\":\"ok\",\"state\":\"blue\"}}]}",
        "missed target_called=0 target_succeeded=0");
    check_outcome("{\"final_text\":\"I cannot: it is blue.\",\"tool\":\"refund\",\"steps\":["
                  "{\"tool\":\"find\",\"result\":{\"status\":\"ok\",\"state\":\"blue\"}}]}",
                  "met target_called=0 target_succeeded=0 grounded_refusal=1");
}

static void test_tool_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool reads;
    } CASES[] = {
        {"get_order", true},      {"getOrder", true},
        {"search.docs", true},    {"lookUpUser", true},
        {"look_up", true},        {"export_report", true},
        {"who_am_i", true},       {"export_all", false},
        {"checkout", false},      {"listing_make", false},
        {"status_update", false}, {"read_and_set", false},
        {"refund", false},        {"", false},
        {"___", false},
    };
    struct tool_hints hints = {0};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_int_equal(tool_reads(&hints, span_text(CASES[i].name)), CASES[i].reads);
}

static void test_classes(void **state)
{
    (void)state;
    static const char *const CASES[][2] = {
        {"{\"reward\":0,\"final_text\":\"x\",\"reason\":\"INVENTED\"}", "fabrication"},
        {"{\"reward\":0,\"final_text\":\" \"}", "junk_output"},
        {"{\"reward\":0,\"messages\":[{\"role\":\"assistant\",\"content\":\"hi\"}]}", ""},
        {"{\"reward\":0,\"final_text\":\"x\",\"reason\":\"claimed success\\nafter fail\"}", ""},
        {"{\"reward\":0,\"final_text\":\"x\",\"reason\":[\"invented\"]}", "fabrication"},
        {"{\"reward\":0,\"final_text\":\"x\",\"failure_class\":5,\"grade_note\":\"phantom\"}",
         "unconfirmed_write"},
    };
    struct failure_classes *classes = failure_classes_new();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct held h;
        hold(&h, CASES[i][0]);
        const char *class = failure_class_of(classes, &h.row);
        assert_true(failure_row(&h.row));
        assert_string_equal(class ? class : "", CASES[i][1]);
        json_members_free(&h.members);
    }
    failure_classes_free(classes);
}

static void test_grounding(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        bool grounded;
    } CASES[] = {
        {"{}", true},
        {"{\"prompt\":\"ORD "
         "4017\",\"steps\":[{\"tool\":\"t\",\"arguments\":{\"a\":\"ord-4017\"}}]}",
         true},
        {"{\"prompt\":\"x\",\"steps\":[{\"tool\":\"t\",\"arguments\":{\"a\":\"---\"}}]}", false},
        {"{\"prompt\":\"x\",\"steps\":[{\"tool\":\"t\",\"arguments\":\"{\\\"a\\\":\\\"hello\\\"}\"}"
         "]}",
         false},
        {"{\"prompt\":\"x\",\"steps\":[{\"tool\":\"t\",\"arguments\":7}]}", true},
        {"{\"steps\":[{\"text\":\"x\"}],\"messages\":[{\"role\":\"assistant\",\"content\":"
         "\"<tool_call>{\\\"name\\\":\\\"g\\\",\\\"arguments\\\":{\\\"q\\\":\\\"far\\\"}}</"
         "tool_call>\"}]}",
         false},
        {"{\"final_text\":\"<tool_call>{broken</tool_call><tool_call>\"}", true},
    };
    const struct grounding_options options = {0};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct held h;
        hold(&h, CASES[i].row);
        assert_int_equal(arguments_grounded(&h.row, &options), CASES[i].grounded);
        json_members_free(&h.members);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),      cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_tool_names), cmocka_unit_test(test_classes),
        cmocka_unit_test(test_grounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
