/* test_fault.c: failed results, faults of rows, signatures, usable rollouts, why they ended. */
#include "rows.h"

#include "row/fault.h"
#include "row/signature.h"
#include "row/usable.h"

/* fault NULL: none. An empty text: failed or not is all that is asked. */
static void result_is(const char *result, bool failed, const char *fault)
{
    struct test_row t = {0};
    struct buf name = {0};
    const struct row *row = test_row(&t, result);
    if (row_result_failed(row->value) != failed)
        fail_msg("%s: %s", result, failed ? "failed" : "did not fail");
    bool any = row_result_fault(row->value, &name);
    assert_int_equal(any, fault != NULL);
    assert_span(buf_span(&name), fault ? fault : "");
    buf_free(&name);
    test_row_free(&t);
}

static void statuses(void **state)
{
    (void)state;
    result_is("{'status':'ok'}", false, NULL);
    result_is("{'status':' Timeout '}", true, "timeout");
    result_is("{'status':'permission_denied'}", true, "deny");
    result_is("{'status':'blocked'}", true, "deny");
    result_is("{'status':'needs permission'}", true, "needs permission");
    result_is("{'status':404}", true, "404");
    result_is("{'status':'599'}", true, "599");
    result_is("{'status':'600'}", false, NULL);
    result_is("{'status':'4044'}", false, NULL);
    result_is("{'status':'exit_1'}", true, "exit_1");
    result_is("{'status':'exit_0'}", false, NULL);
    result_is("{'status':'exit_'}", false, NULL);
    result_is("{'status':'paid'}", false, NULL); /* the tool's own word */
    result_is("{'status':'missing'}", false, "not_found");
    result_is("{'status':'entity already acted on'}", false, "already_done");
    result_is("{'status':'already_done'}", false, "already_done");
    result_is("{'status':'x','reason':' Already_Acted_On'}", false, "already_done");
    result_is("{'status':null}", false, NULL);
    result_is("{'status':'no fault'}", false, NULL);
}

static void errors(void **state)
{
    (void)state;
    result_is("{'data':1,'error':null}", false, NULL); /* an ordinary reply */
    result_is("{'error':false}", false, NULL);
    result_is("{'error':0}", false, NULL);
    result_is("{'error':[]}", false, NULL);
    result_is("{'error':''}", true, "error");
    result_is("{'error':'\\u2003','status':'paid'}", true, "paid");
    result_is("{'error':' ','status':'ok'}", false, NULL);
    result_is("{'error':'boom'}", true, "error");
    result_is("{'error':'boom','status':'error'}", true, "error");
    result_is("{'error':'boom','status':'ok'}", false, NULL);
    result_is("{'error':{'code':1}}", true, "error");
}

static void other_marks(void **state)
{
    (void)state;
    result_is("{'stale':true,'status':'ok'}", true, "stale");
    result_is("{'stale':0}", false, NULL);
    result_is("{'x':['<<GARBLED 7>>']}", true, "malformed");
    result_is("{'x':'Garbled Response'}", true, "malformed");
    result_is("{'x':'garbled'}", false, NULL);
    result_is("{'x':'\\u003c<\\u0067arbled'}", true, "malformed");
    result_is("{'garbled resp':1}", true, "malformed");
}

static void values_that_are_no_objects(void **state)
{
    (void)state;
    result_is("'{\\u0022status\\u0022: \\u0022denied\\u0022}'", true, "deny");
    result_is("'error'", false, NULL);
    result_is("503", false, NULL);
    result_is("[{'status':'error'}]", false, NULL);
    result_is("null", false, NULL);
}

static void fault_is(const char *row, const char *want)
{
    struct test_row t = {0};
    struct buf name = {0};
    row_fault(test_row(&t, row), &name);
    assert_span(buf_span(&name), want);
    assert_int_equal(row_fault_is(buf_span(&name)), strcmp(want, "no fault") != 0);
    buf_free(&name);
    test_row_free(&t);
}

static void faults_of_rows(void **state)
{
    (void)state;
    fault_is("{}", "no fault");
    fault_is(
        "{'steps':[{'tool':'t','result':{'status':'ok'}},{'tool':'t','result':{'status':'denied'}},"
        "{'tool':'t','result':{'status':'timeout'}}]}",
        "deny");
    fault_is("{'steps':[{'result':{'status':'denied'}},{'tool':'','result':{'status':'denied'}}]}",
             "no fault");
    /* the plan counts only when no result was seen */
    fault_is("{'steps':[{'tool':'t','result':{}}],'faults':{'t':{'mode':'timeout'}}}", "no fault");
    fault_is("{'steps':[{'tool':'t'},{'tool':'t','result':null}],'faults':{'a':'x','b':{'mode':''},"
             "'c':{'mode':'clean'},'d':{'mode':'Permission_Denied'}}}",
             "deny");
    fault_is("{'steps':'x','faults':{'*':{'mode':'stale_result'}}}", "stale");
    fault_is("{'faults':['timeout']}", "no fault");
}

/* ---- signatures ---------------------------------------------------------------------------- */

static void payload_is(const char *row, const char *payload, const char *signature)
{
    struct test_row t = {0};
    struct buf out = {0};
    char hex[ROW_SIGNATURE_LENGTH + 1];
    const struct row *r = test_row(&t, row);
    row_signature_payload(r, &out);
    assert_span(buf_span(&out), payload);
    row_signature(r, hex);
    if (signature)
        assert_string_equal(hex, signature);
    buf_free(&out);
    test_row_free(&t);
}

static void payloads(void **state)
{
    (void)state;
    payload_is("{'final_text':'a b c'}", "((), False, 0)", "033297c38e72");
    payload_is("{}", "((), False, 0)", "033297c38e72");
    payload_is("{'steps':[{'tool':'t'},{'tool':null},{'text':'x'}]}",
               "((('t', (), ''),), False, 0)", NULL);
    payload_is("{'prompt':'cancel order A1','final_text':'I cannot','steps':[{'tool':'get_order',"
               "'arguments':{'order_id':'a1 ','note':'x'},'result':{'status':'ok'}}]}",
               "((('get_order', (('note', 'invented'), ('order_id', 'user')), 'ok'),), True, 0)",
               "2e8f21ce11a5");
    payload_is(
        "{'prompt':'q A1','steps':[{'tool':'get_order','arguments':{'order_id':'A1'},'result':"
        "{'status':'ok','ref':'R7'}},{'tool':'cancel','arguments':{'ref':'r7','n':null,'o':5,'e':' "
        "',"
        "'b':true},'result':{'status':'it\\u0027s'}}]}",
        "((('get_order', (('order_id', 'user'),), 'ok'), ('cancel', (('b', 'invented'), ('e', "
        "'absent'), "
        "('n', 'invented'), ('o', 'invented'), ('ref', 'derived')), \"it's\")), False, 0)",
        "6a068705e5c8");
    /* null reads as the text `none`; an absent one as nothing */
    payload_is("{'prompt':null,'final_text':null,'steps':[{'tool':'t','arguments':{'a':'none'}}]}",
               "((('t', (('a', 'user'),), ''),), False, 0)", NULL);
    /* of two arguments with one name the last counts */
    payload_is("{'prompt':'p','steps':[{'tool':'t','arguments':{'a':'z','b':1,'\\u0061':'p'}}]}",
               "((('t', (('a', 'user'), ('b', 'invented')), ''),), False, 0)", NULL);
    payload_is("{'steps':[{'tool':'t','arguments':[1],'result':'{\\u0022status\\u0022: 5.0}'}]}",
               "((('t', (), '5.0'),), False, 0)", NULL);
}

static void length_classes(void **state)
{
    (void)state;
    for (int words = 0; words <= 200; words += 11) {
        struct buf text = {0}, want = {0};
        buf_text(&text, "{'final_text':'");
        for (int i = 0; i < words; i++)
            buf_text(&text, "w\\u2003");
        buf_text(&text, "'}");
        buf_format(&want, "((), False, %d)", words / 12 > 12 ? 12 : words / 12);
        payload_is(buf_cstr(&text), buf_cstr(&want), NULL);
        buf_free(&text);
        buf_free(&want);
    }
}

static void many_arguments(void **state)
{
    (void)state;
    struct buf text = {0};
    buf_text(&text, "{'steps':[{'tool':'t','arguments':{");
    for (int i = 0; i < 100000; i++)
        buf_format(&text, "%s'k%d':null", i ? "," : "", i % 50000);
    buf_text(&text, "}}]}");
    struct test_row t = {0};
    char hex[ROW_SIGNATURE_LENGTH + 1];
    row_signature(test_row(&t, buf_cstr(&text)), hex);
    assert_int_equal(strlen(hex), ROW_SIGNATURE_LENGTH);
    test_row_free(&t);
    buf_free(&text);
}

/* ---- usable -------------------------------------------------------------------------------- */

static void usable_is(const char *row, enum row_unusable want)
{
    struct test_row t = {0};
    enum row_unusable got = row_unusable(test_row(&t, row));
    if (got != want)
        fail_msg("%s: %d, not %d", row, got, want);
    test_row_free(&t);
}

static void usable_rollouts(void **state)
{
    (void)state;
    usable_is("{'final_text':'ok'}", ROW_USABLE);
    usable_is("{'final_text':' <Agent ERROR: x>'}", ROW_AGENT_ERROR);
    usable_is("{'final_text':'\\u3000\\n'}", ROW_EMPTY_REPLY);
    usable_is("{'final_text':null,'steps':[{'text':'<tool_call>'}]}", ROW_EMPTY_REPLY);
    usable_is("{'final_text':'a </TOOL_CALL> b'}", ROW_TOOL_MARKUP);
    usable_is("{'final_text':'a','steps':[{'text':'<tool_call>'}]}", ROW_TOOL_MARKUP);
    usable_is("{'final_text':'a','steps':[{'user':'<tool_call>','arguments':'<tool_call>'}]}",
              ROW_USABLE);
    assert_string_equal(row_unusable_name(ROW_TOOL_MARKUP), "tool_markup");
    assert_null(row_unusable_name(ROW_USABLE));
}

static bool leaks(const char *name, int gap, const char *description, int gap2,
                  const char *parameters)
{
    struct buf text = {0};
    buf_text(&text, name);
    for (int i = 0; i < gap; i++)
        buf_text(&text, "\xc3\xa9");
    buf_text(&text, description);
    for (int i = 0; i < gap2; i++)
        buf_byte(&text, '\n');
    buf_text(&text, parameters);
    bool yes = row_has_tool_markup(buf_span(&text));
    buf_free(&text);
    return yes;
}

static void dumped_schemas(void **state)
{
    (void)state;
    const char *name = "\"name\" : \"t\"", *about = "\"Description\" :", *with = "\"parameters\":";
    assert_true(leaks(name, 0, about, 0, with));
    assert_true(leaks(name, 500, about, 500, with));
    assert_false(leaks(name, 501, about, 0, with));
    assert_false(leaks(name, 0, about, 501, with));
    assert_false(leaks("\"name\": \"\"", 0, about, 0, with)); /* no name */
    assert_false(leaks("\"name\": 5", 0, about, 0, with));
    assert_false(leaks(name, 0, "\"description\"", 0, with)); /* no colon */
    assert_true(leaks("\"name\": \"a\", \"name\": \"t\"", 499, about, 0, with));
}

/* Half schemas by the thousand: each is looked at once. */
static void dumped_schemas_in_linear_time(void **state)
{
    (void)state;
    struct buf text = {0};
    for (int i = 0; i < 200000; i++)
        buf_text(&text, "\"name\":\"x\" \"description\":");
    assert_false(row_has_tool_markup(buf_span(&text)));
    buf_free(&text);
}

static void finish_is(const char *row, const char *want)
{
    struct test_row t = {0};
    assert_string_equal(row_finish_reason(test_row(&t, row)), want);
    test_row_free(&t);
}

static void finish_reasons(void **state)
{
    (void)state;
    finish_is("{'finish_reason':'tool','final_text':'x'}", "tool");
    finish_is("{'finish_reason':'other','final_text':'x'}", "stop");
    finish_is("{'final_text':'<agent error: x>'}", "error");
    finish_is("{'final_text':'x','steps':[{'text':'a','truncated':true},{'text':'b'}]}", "length");
    finish_is("{'final_text':' ','steps':[{'text':'a'},{'tool':'t'}]}", "tool");
    finish_is("{'final_text':' ','steps':[{'tool':'t'},{'text':'a'}]}", "stop");
    finish_is("{'final_text':'x','steps':[{'tool':'t'}]}", "stop");
    finish_is("{}", "stop");
}

static void criteria_are(const char *row, const char *want)
{
    struct test_row t = {0};
    struct buf out = {0};
    struct json_writer w;
    json_write_start(&w, &out, JSON_STYLE_COMPACT);
    row_failed_criteria(test_row(&t, row), &w);
    assert_json(buf_span(&out), want);
    buf_free(&out);
    test_row_free(&t);
}

static void failed_criteria(void **state)
{
    (void)state;
    criteria_are(
        "{'markers':{'z':0,'b':false,'a':'0.4','t':true,'n':null,'x':'long','h':0.5,'\\u00e9':-1}}",
        "['a','b','z','\xc3\xa9']");
    criteria_are("{'markers':{'a':0,'\\u0061':1}}", "[]");
    criteria_are("{'markers':[0]}", "[]");
    criteria_are("{}", "[]");
}

static void worth_another_try(void **state)
{
    (void)state;
    struct test_row t = {0};
    assert_true(row_mutation_worthy(test_row(&t, "{'faults':{'x':1}}")));
    assert_false(row_mutation_worthy(test_row(&t, "{'faults':{}}")));
    assert_true(row_mutation_worthy(test_row(&t, "{'steps':[{'result':{'status':'Denied'}}]}")));
    assert_true(row_mutation_worthy(
        test_row(&t, "{'steps':[{'result':'{\\u0022status\\u0022:\\u0022timeout\\u0022}'}]}")));
    assert_false(row_mutation_worthy(test_row(&t, "{'steps':[{'result':{'status':'failed'}}]}")));
    test_row_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses),
        cmocka_unit_test(errors),
        cmocka_unit_test(other_marks),
        cmocka_unit_test(values_that_are_no_objects),
        cmocka_unit_test(faults_of_rows),
        cmocka_unit_test(payloads),
        cmocka_unit_test(length_classes),
        cmocka_unit_test(many_arguments),
        cmocka_unit_test(usable_rollouts),
        cmocka_unit_test(dumped_schemas),
        cmocka_unit_test(dumped_schemas_in_linear_time),
        cmocka_unit_test(finish_reasons),
        cmocka_unit_test(failed_criteria),
        cmocka_unit_test(worth_another_try),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
