/* test_convert.c: every shape to v1: what is written, that doing it twice changes no byte, that
 * what is not known survives byte for byte. */
#include "rows.h"

#include "rng/rng.h"
#include "row/computed.h"
#include "row/convert.h"
#include "row/forms.h"

/* The v1 row of a row, or NULL and *what. */
static bool convert(struct row_converter *c, const struct row *row, struct buf *out,
                    struct row_repairs *repairs, const char **what)
{
    buf_clear(out);
    *repairs = (struct row_repairs){0};
    const struct row *normal = row_normalise(c, row, repairs, what);
    return normal && row_convert_v1(c, normal, false, out, repairs, what) == 0;
}

static void converts_to(const char *row, const char *want)
{
    struct row_converter *c = row_converter_new();
    struct test_row t = {0};
    struct row_repairs repairs;
    struct buf out = {0};
    const char *what;
    if (!convert(c, test_row(&t, row), &out, &repairs, &what))
        fail_msg("%s: %s", row, what);
    assert_json(buf_span(&out), want);
    buf_free(&out);
    test_row_free(&t);
    row_converter_free(c);
}

static void rows_without_anything(void **state)
{
    (void)state;
    converts_to(
        "{}",
        "{'prompt':'','steps':[],'final_text':'','scenario_id':'task_e3b0c44298fc','messages':[],"
        "'schema_version':'1'}");
    converts_to("{'schema_version' : 0, 'scenario_id' : '', 'task_id' : 7}",
                "{'prompt': '', 'steps': [], 'final_text': '', 'scenario_id': '7', 'messages': [], "
                "'task_id': 7, "
                "'schema_version': '1'}");
}

static void steps(void **state)
{
    (void)state;
    converts_to(
        "{'scenario_id':'s','messages':[1],'steps':[{'mine':1.0,'user':'u','text':'x'},{'result':5,"
        "'text':null},"
        "{'tool':'','x\\u0031':1,'x1':2},{'text':7,'logprob':'x','n_tokens':'y','truncated':'z',"
        "'input_tokens':0,'output_tokens':1.9},{'tool':'t','n_tokens':1.50,'logprob':'-1.0','"
        "truncated':0}]}",
        "{'prompt':'','steps':[{'user':'u','mine':1.0},{'result':5},{'tool':'','arguments':null,'"
        "result':null,"
        "'x\\u0031':2},{'text':7,'logprob':'x','truncated':true,'input_tokens':0,'output_tokens':1}"
        ","
        "{'tool':'t','arguments':null,'result':null,'logprob':-1,'n_tokens':1}],'final_text':'',"
        "'scenario_id':'s','messages':[1],'schema_version':'1'}");
}

static void judgments(void **state)
{
    (void)state;
    /* without a judgment its reason is just a key */
    converts_to("{'scenario_id':'s','messages':[1],'reason':5,'judge_meta':{},'llm_reason':'x','"
                "judge_name':''}",
                "{'prompt':'','steps':[],'final_text':'','scenario_id':'s','messages':[1],'reason':"
                "5,'judge_meta':{},"
                "'llm_reason':'x','schema_version':'1'}");
    converts_to("{'scenario_id':'s','messages':[1],'reason':5,'label_source':'L','judge_status':'"
                "ok','qwen_reward':"
                "'odd','llm_reward':true,'failure_class':''}",
                "{'prompt':'','steps':[],'final_text':'','scenario_id':'s','messages':[1],'reason':"
                "'5','label_source':'L',"
                "'llm_reward':1,'llm_reason':'','qwen_reward':'odd','schema_version':'1'}");
}

static void calibrations(void **state)
{
    (void)state;
    converts_to("{'scenario_id':'s','messages':[1],'calibration':{'n':2.7,'pass_rate':true,'mine':["
                "1.0],'student':"
                "{'model':5,'x':1},'pass_rate_ci95':['0.1',1]}}",
                "{'prompt':'','steps':[],'final_text':'','scenario_id':'s','messages':[1],'"
                "calibration':{'task_id':'s',"
                "'student':{'name':'','model':5,'prompt_hash':null,'version':null,'x':1},'n':2,'"
                "pass_rate':1.0,"
                "'mean_kl':null,'pass_rate_ci95':[0.1,1],'mine':[1.0]},'schema_version':'1'}");
    converts_to("{'scenario_id':'s','messages':[1],'calibration':{'n':0}}",
                "{'prompt':'','steps':[],'final_text':'','scenario_id':'s','messages':[1],'"
                "calibration':{'n':0},"
                "'schema_version':'1'}");
}

static void members_named_twice(void **state)
{
    (void)state;
    converts_to("{'a':1,'scenario_id':'x','b':2,'\\u0061':3,'scenario_id':'s','messages':[1],'"
                "markers':{'m':1,'m':true}}",
                "{'prompt':'','steps':[],'final_text':'','scenario_id':'s','messages':[1],'markers'"
                ":{'m':1.0},'a':3,'b':2,"
                "'schema_version':'1'}");
}

static void repairs_are_counted(void **state)
{
    (void)state;
    struct row_converter *c = row_converter_new();
    struct test_row t = {0};
    struct row_repairs repairs;
    struct buf out = {0};
    const char *what;
    assert_true(convert(
        c,
        test_row(&t,
                 "{'scenario_id':'s','reward':[1],'markers':{'a':'x','b':null},'steps':[1,{},2],"
                 "'faults':{'a':1,'b':{}},'calibration':'x'}"),
        &out, &repairs, &what));
    assert_int_equal(repairs.count[ROW_REPAIR_REWARD], 1);
    assert_int_equal(repairs.count[ROW_REPAIR_MARKER], 2);
    assert_int_equal(repairs.count[ROW_REPAIR_STEP], 2);
    assert_int_equal(repairs.count[ROW_REPAIR_FAULT], 1);
    assert_int_equal(repairs.count[ROW_REPAIR_CALIBRATION], 1);
    assert_true(convert(
        c,
        test_row(
            &t,
            "{'messages':[{'role':'assistant','tool_calls':[{'name':'t','arguments':'{bad'}]}]}"),
        &out, &repairs, &what));
    assert_int_equal(repairs.count[ROW_REPAIR_ARGUMENTS], 1);
    assert_string_equal(row_repair_name(ROW_REPAIR_ARGUMENTS), "arguments_invalid");
    assert_false(convert(c, test_row(&t, "{'schema_version':'2'}"), &out, &repairs, &what));
    assert_non_null(strstr(what, "schema_version"));
    buf_free(&out);
    test_row_free(&t);
    row_converter_free(c);
}

/* ---- properties ---------------------------------------------------------------------------- */

static const char *const KEYS[] = {"prompt",
                                   "steps",
                                   "final_text",
                                   "scenario_id",
                                   "task_id",
                                   "messages",
                                   "opener",
                                   "opening",
                                   "sampling",
                                   "tier",
                                   "tone",
                                   "user",
                                   "world_state",
                                   "faults",
                                   "fault_detected",
                                   "rollout_index",
                                   "model_version",
                                   "policy_version",
                                   "reward",
                                   "reason",
                                   "judge_name",
                                   "label_source",
                                   "judge_status",
                                   "judge_meta",
                                   "failure_class",
                                   "llm_reward",
                                   "llm_reason",
                                   "qwen_reward",
                                   "markers",
                                   "conversation_id",
                                   "ts",
                                   "lineage",
                                   "tools",
                                   "calibration",
                                   "schema_version",
                                   "grader_reason",
                                   "tool_trace",
                                   "trace",
                                   "rollout_id",
                                   "seed",
                                   "privileged",
                                   "steps_json",
                                   "messages_json",
                                   "metadata_json",
                                   "metadata",
                                   "question",
                                   "answer",
                                   "mine"};
static const char *const VALUES[] = {
    "null",
    "true",
    "false",
    "0",
    "1",
    "-0.0",
    "1e0",
    "0.50",
    "2",
    "1e400",
    "NaN",
    "123456789012345678901234567890",
    "\"\"",
    "\" \"",
    "\"x\"",
    "\"ask\"",
    "\"1\"",
    "\"\\u00e9\\ud800\"",
    "\"<think>a</think> ask\"",
    "\"{\\\"a\\\": [1,\\n 2]}\"",
    "\"[{\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"q\\\"}]\"",
    "[]",
    "{}",
    "[1]",
    "[\"x\", {}]",
    "[{\"user\":\"ask\"},{\"text\":\"x\"},{\"tool\":\"t\",\"input\":{\"a\" "
    ":1.0},\"result\":{\"status\":\"denied\"}}]",
    "[{\"tool\":\"t\",\"arguments\":null,\"mine\":1,\"n_tokens\":\"3\"},{\"text\":\" "
    "\"},{\"user\":\"more\"}]",
    "[{\"role\":\"user\",\"content\":\"ask\"},{\"role\":\"assistant\",\"tool_calls\":[{\"id\":"
    "\"1\",\"name\":\"t\"}]},"
    "{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"[1]\"}]",
    "{\"t\":{\"mode\":\"timeout\"},\"x\":1}",
    "{\"a\":true,\"b\":\"0.5\",\"c\":\"odd\"}",
    "{\"n\":\"2\",\"pass_rate\":0.5}"};
enum { N_KEYS = sizeof KEYS / sizeof *KEYS, N_VALUES = sizeof VALUES / sizeof *VALUES };

static void random_row(struct rng *rng, struct buf *out)
{
    bool spaced = rng_below(rng, 2);
    size_t members = rng_below(rng, 9);
    buf_clear(out);
    buf_byte(out, '{');
    for (size_t i = 0; i < members; i++)
        buf_format(out, "%s\"%s\":%s%s", i ? (spaced ? ", " : ",") : "",
                   KEYS[rng_below(rng, N_KEYS)], spaced ? " " : "",
                   VALUES[rng_below(rng, N_VALUES)]);
    buf_byte(out, '}');
}

static void converting_twice_changes_no_byte(void **state)
{
    (void)state;
    enum { ROWS = 60000 };
    struct row_converter *c = row_converter_new();
    struct test_row t = {0};
    struct row_repairs repairs;
    struct buf text = {0}, once = {0}, twice = {0};
    struct rng rng;
    size_t converted = 0;
    rng_seed(&rng, 7);
    for (int i = 0; i < ROWS; i++) {
        const char *what;
        random_row(&rng, &text);
        if (!convert(c, test_row_raw(&t, buf_cstr(&text)), &once, &repairs, &what))
            continue;
        converted++;
        if (!convert(c, test_row_raw(&t, buf_cstr(&once)), &twice, &repairs, &what))
            fail_msg("%s\n%s", buf_cstr(&text), what);
        if (!span_equal(buf_span(&once), buf_span(&twice)))
            fail_msg("%s\n%s\n%s", buf_cstr(&text), buf_cstr(&once), buf_cstr(&twice));
        if (memchr(once.data, '\n', once.len))
            fail_msg("two lines: %s", buf_cstr(&once));
    }
    assert_true(converted > ROWS / 2);
    buf_free(&text);
    buf_free(&once);
    buf_free(&twice);
    test_row_free(&t);
    row_converter_free(c);
}

/* The forms are well-formed for whatever a conversion gives, and objects lead back to the row. */
static void forms_of_random_rows(void **state)
{
    (void)state;
    struct row_converter *c = row_converter_new();
    struct test_row t = {0}, form = {0};
    struct row_repairs repairs;
    struct buf text = {0}, once = {0}, out = {0}, back = {0};
    struct rng rng;
    const char *what;
    rng_seed(&rng, 8);
    for (int i = 0; i < 10000; i++) {
        random_row(&rng, &text);
        if (!convert(c, test_row_raw(&t, buf_cstr(&text)), &once, &repairs, &what))
            continue;
        const struct row *row = test_row_raw(&t, buf_cstr(&once));
        buf_clear(&out);
        row_form_task(row, false, &out);
        test_row_raw(&form, buf_cstr(&out));
        buf_clear(&out);
        row_form_messages(row, &out);
        test_row_raw(&form, buf_cstr(&out));
        buf_clear(&out);
        assert_true(row_form_correction(row, true, &out));
        test_row_raw(&form, buf_cstr(&out));
        buf_clear(&out);
        row_form_objects(row, false, &out);
        buf_clear(&back);
        assert_int_equal(row_from_objects(test_row_raw(&form, buf_cstr(&out)), &back, &what), 0);
        if (!convert(c, test_row_raw(&form, buf_cstr(&back)), &out, &repairs, &what))
            fail_msg("%s\n%s", buf_cstr(&once), what);
        assert_int_equal(out.len > 0, 1);
    }
    buf_free(&text);
    buf_free(&once);
    buf_free(&out);
    buf_free(&back);
    test_row_free(&t);
    test_row_free(&form);
    row_converter_free(c);
}

static void every_byte_of_an_unknown_member_survives(void **state)
{
    (void)state;
    static const char *const UNKNOWN[][2] = {
        {"\"x\"", "1.50"},
        {"\"\\u0078\"", "[1E+2, -0, { } ]"},
        {"\"y\"", "{\"b\":1,\"a\":[ ],\"b\":2}"},
        {"\"z\"", "\"\\/\\u00e9\\ud83d\""},
        {"\"\"", "123456789012345678901234567890.0"},
        {"\"w\"", "NaN"},
    };
    struct row_converter *c = row_converter_new();
    struct test_row t = {0};
    struct row_repairs repairs;
    struct buf text = {0}, out = {0};
    const char *what;
    for (size_t i = 0; i < sizeof UNKNOWN / sizeof *UNKNOWN; i++) {
        buf_clear(&text);
        buf_format(&text, "{\"scenario_id\":\"s\",%s : %s,\"prompt\":\"p\"}", UNKNOWN[i][0],
                   UNKNOWN[i][1]);
        assert_true(convert(c, test_row_raw(&t, buf_cstr(&text)), &out, &repairs, &what));
        buf_clear(&text);
        buf_format(&text, ",%s:%s,\"schema_version\"", UNKNOWN[i][0], UNKNOWN[i][1]);
        assert_true(span_has(buf_span(&out), buf_span(&text)));
    }
    buf_free(&text);
    buf_free(&out);
    test_row_free(&t);
    row_converter_free(c);
}

/* Members by the hundred thousand, half of them twice: linear, or this does not end. */
static void rows_of_many_members(void **state)
{
    (void)state;
    enum { MEMBERS = 100000 };
    struct row_converter *c = row_converter_new();
    struct test_row t = {0};
    struct row_repairs repairs;
    struct buf text = {0}, once = {0}, twice = {0};
    const char *what;
    buf_text(&text, "{\"scenario_id\":\"s\"");
    for (int i = 0; i < MEMBERS; i++)
        buf_format(&text, ",\"k%d\":%d", i % (MEMBERS / 2), i);
    buf_text(&text, "}");
    assert_true(convert(c, test_row_raw(&t, buf_cstr(&text)), &once, &repairs, &what));
    const struct row *row = test_row_raw(&t, buf_cstr(&once));
    assert_int_equal(row->members.count, MEMBERS / 2 + 6);
    assert_span(row_get(row, SPAN("k0"))->text, "50000");
    assert_true(convert(c, row, &twice, &repairs, &what));
    assert_true(span_equal(buf_span(&once), buf_span(&twice)));
    buf_free(&text);
    buf_free(&once);
    buf_free(&twice);
    test_row_free(&t);
    row_converter_free(c);
}

static void words_of_computed_keys(void **state)
{
    (void)state;
    unsigned set;
    struct error error;
    assert_int_equal(row_computed_parse("fault,task", &set, &error), 0);
    assert_int_equal(set, 1 | 1 << 7);
    assert_int_equal(row_computed_parse("", &set, &error), ERROR_USAGE);
    assert_int_equal(row_computed_parse("fault,", &set, &error), ERROR_USAGE);
    assert_int_equal(row_computed_parse("faults", &set, &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "\"faults\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_without_anything),
        cmocka_unit_test(steps),
        cmocka_unit_test(judgments),
        cmocka_unit_test(calibrations),
        cmocka_unit_test(members_named_twice),
        cmocka_unit_test(repairs_are_counted),
        cmocka_unit_test(converting_twice_changes_no_byte),
        cmocka_unit_test(forms_of_random_rows),
        cmocka_unit_test(every_byte_of_an_unknown_member_survives),
        cmocka_unit_test(rows_of_many_members),
        cmocka_unit_test(words_of_computed_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
