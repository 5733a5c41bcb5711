/* test_trace.c: log rows made rows: steps out of messages, prompt and reply by other names,
 * rewards. */
#include "rows.h"

#include "row/trace.h"

static const struct row *traced(struct row_tracer *tracer, struct test_row *in,
                                struct test_row *out, const char *text, enum row_trace_fate want)
{
    struct buf line = {0};
    const char *what = NULL;
    enum row_trace_fate fate = row_trace(tracer, test_row(in, text), &line, &what);
    if (fate != want)
        fail_msg("%s: fate %d, not %d", text, fate, want);
    if (fate != ROW_TRACE_OK) {
        buf_free(&line);
        return NULL;
    }
    test_row_raw(out, buf_cstr(&line));
    buf_free(&line);
    return &out->row;
}

/* Members of the traced row: name and JSON, NULL at the end; a NULL value: not there. */
static void member_is(const char *row, const char *name, const char *want)
{
    struct row_tracer tracer = {0};
    struct test_row in = {0}, out = {0};
    const struct row *got = traced(&tracer, &in, &out, row, ROW_TRACE_OK);
    const struct json_value *value = row_get(got, span_text(name));
    if (want) {
        if (!value)
            fail_msg("%s: no %s", row, name);
        assert_json(value->text, want);
    } else {
        assert_null(value);
    }
    row_tracer_free(&tracer);
    test_row_free(&in);
    test_row_free(&out);
}

static void fate_is(const char *row, enum row_trace_fate want)
{
    struct row_tracer tracer = {0};
    struct test_row in = {0}, out = {0};
    traced(&tracer, &in, &out, row, want);
    row_tracer_free(&tracer);
    test_row_free(&in);
    test_row_free(&out);
}

static void steps_that_are_there(void **state)
{
    (void)state;
    member_is("{'prompt':'p','steps':[{'tool':'t','input':1.0,'args':2,'output':null},{'input':3},"
              "{'tool':null,'args':1},'x']}",
              "steps",
              "[{'tool':'t','arguments':1.0,'args':2,'result':null},{'input':3},{'tool':null,'"
              "arguments':1}]");
    member_is("{'prompt':'p','steps':[ {'tool' : 't','arguments':1.50} ]}", "steps",
              "[ {'tool' : 't','arguments':1.50} ]"); /* nothing to change: no byte is */
    member_is("{'prompt':'p','steps':[],'tool_trace':{},'trace':[{'tool':'t','response':1}]}",
              "steps", "[{'tool':'t','result':1}]");
    member_is("{'prompt':'p','steps':[],'tool_trace':{},'trace':[{'tool':'t','response':1}]}",
              "trace", "[{'tool':'t','response':1}]");
    member_is("{'prompt':'p'}", "steps", "[]");
}

static void asks_and_replies(void **state)
{
    (void)state;
    member_is("{'prompt':0,'question':'q','input':'i'}", "prompt", "'q'");
    member_is("{'prompt':'a\\u00e9','final':'f','answer':'a'}", "prompt", "'a\\u00e9'");
    member_is("{'task':'t','final':'','output':'o','answer':'a'}", "final_text", "'o'");
    member_is("{'steps':[{'text':'a'},{'user':'u'},{'text':'b'},{'user':'v'}]}", "prompt", "'u'");
    member_is("{'steps':[{'text':'a'},{'user':'u'},{'text':'b'},{'user':'v'}]}", "final_text",
              "'b'");
    member_is("{'ask':{'k':[1.0]}}", "prompt", "'{\\\'k\\\':[1.0]}'");
    member_is("{'prompt':[{'role':'system','content':'S'},{'role':'user','content':'u'},"
              "{'role':'user','content':'v'}]}",
              "prompt", "'u'");
    member_is("{'input':[{'type':'text','text':'a'},{'type':'text','text':'b'}]}", "prompt",
              "'a\\nb'");
    member_is("{'prompt':'p','response':{'role':'assistant','content':'r'}}", "final_text", "'r'");
    member_is("{'prompt':'p'}", "final_text", "''");
}

static void nothing_to_make_a_row_of(void **state)
{
    (void)state;
    fate_is("{}", ROW_TRACE_EMPTY);
    fate_is("{'final_text':'f','steps':['odd']}", ROW_TRACE_EMPTY);
    fate_is("{'messages':[],'prompt':''}", ROW_TRACE_EMPTY);
    fate_is("{'messages':[{'role':'user','content':''}]}", ROW_TRACE_OK);
    fate_is("{'messages':[{'role':'assistant','tool_calls':['odd']}]}", ROW_TRACE_BAD);
}

static void rewards(void **state)
{
    (void)state;
    member_is("{'prompt':'p','reward':0.50}", "reward", "0.50");
    member_is("{'prompt':'p','reward':true}", "reward", "1");
    member_is("{'prompt':'p','reward':1e0}", "reward", "1");
    member_is("{'prompt':'p','reward':'0.25'}", "reward", "0.25");
    member_is("{'prompt':'p','reward':null}", "reward", NULL);
    member_is("{'prompt':'p','reward':null}", "judge_status", NULL);
    member_is("{'prompt':'p','reward':1.5,'judge_meta':{'a':1}}", "judge_meta",
              "{'a':1,'raw_reward':1.5}");
    member_is("{'prompt':'p','reward':NaN}", "judge_meta", "{'raw_reward':'NaN'}");
    member_is("{'prompt':'p','reward':'x'}", "judge_status", "'invalid_result'");
    member_is("{'prompt':'p','reward':'x'}", "reward", NULL);
}

static void binary_rewards_as_the_reference_has_them(void **state)
{
    (void)state;
    struct row_tracer tracer = {.binary_rewards = true};
    struct test_row in = {0}, out = {0};
    const struct row *row = traced(&tracer, &in, &out, "{'prompt':'p','reward':0.5}", ROW_TRACE_OK);
    assert_null(row_get(row, SPAN("reward")));
    assert_null(row_get(row, SPAN("judge_status")));
    row = traced(&tracer, &in, &out, "{'prompt':'p','reward':' 1 '}", ROW_TRACE_OK);
    assert_json(row_get(row, SPAN("reward"))->text, "1");
    assert_int_equal(tracer.rewards_kept, 1);
    assert_int_equal(tracer.rewards_removed, 1);
    row_tracer_free(&tracer);
    test_row_free(&in);
    test_row_free(&out);
}

static void steps_are(const char *messages, const char *want)
{
    struct buf row = {0};
    buf_format(&row, "{'prompt':'p','messages':%s}", messages);
    member_is(buf_cstr(&row), "steps", want);
    buf_free(&row);
}

static void calls_and_results(void **state)
{
    (void)state;
    steps_are(
        "[{'role':'assistant','content':'words','tool_calls':[{'id':'a','function':{'name':'t','"
        "arguments':"
        "'{bad'}},{'id':'b','name':'t','arguments':'{\\u0022x\\u0022: 1.0}'},{'function':{}}]},"
        "{'role':'tool','content':'5','tool_call_id':'b'},{'role':'tool','content':null,'name':'t'}"
        ","
        "{'role':'tool','content':'x'},{'role':'tool','content':'y'}]",
        "[{'tool':'t','arguments':{},'result':''},{'tool':'t','arguments':{'x': 1.0},'result':5},"
        "{'tool':'','arguments':{},'result':'x'},{'text':'words'},{'tool':'','arguments':{},'"
        "result':'y'}]");
}

static void content_blocks(void **state)
{
    (void)state;
    steps_are(
        "[{'role':'assistant','content':[{'type':'tool_use','id':'q','name':'t','input':{'a':1}},"
        "{'type':'text','text':'hi'}]},{'role':'user','content':[{'type':'tool_result','tool_use_"
        "id':'q',"
        "'content':[{'type':'text','text':'{\\u0022a\\u0022:1}'}],'is_error':true},{'type':'tool_"
        "result',"
        "'content':'oops','is_error':true,'name':'zz'}]},{'role':'user','content':[{'type':'image'}"
        "]},"
        "{'role':'user'},{'role':'developer','content':'x'},7,{'role':'function','name':'f','"
        "content':{'k':1}}]",
        "[{'tool':'t','arguments':{'a':1},'result':{'a':1,'error':'{\\\'a\\\': "
        "1}','status':'error'}},"
        "{'text':'hi'},{'tool':'zz','arguments':{},'result':{'error':'oops','status':'error'}},"
        "{'user':''},{'user':''},{'tool':'f','arguments':{},'result':{'k':1}}]");
}

/* The id first, then the tool's name, then the oldest call; an id is good once. */
static void binding_order(void **state)
{
    (void)state;
    steps_are("[{'role':'assistant','tool_calls':[{'id':'1','name':'a'},{'id':'2','name':'b'},{'id'"
              ":'3','name':'b'}]},"
              "{'role':'tool','tool_call_id':'3','content':'by "
              "id'},{'role':'tool','tool_call_id':'3','name':'b',"
              "'content':'by "
              "name'},{'role':'tool','name':'b','content':'oldest'},{'role':'tool','name':'b',"
              "'content':'orphan'}]",
              "[{'tool':'a','arguments':{},'result':'oldest'},{'tool':'b','arguments':{},'result':'"
              "by name'},"
              "{'tool':'b','arguments':{},'result':'by "
              "id'},{'tool':'b','arguments':{},'result':'orphan'}]");
    steps_are("[{'role':'assistant','tool_calls':[{'id':'1','name':'a'}]},{'role':'assistant','"
              "tool_calls':"
              "[{'id':'1','name':'b'}]},{'role':'tool','tool_call_id':'1','content':'x'}]",
              "[{'tool':'a','arguments':{}},{'tool':'b','arguments':{},'result':'x'}]");
}

/* 10^5 calls, answered in order, by name and by nothing: linear, or this does not end. */
static void long_conversations(void **state)
{
    (void)state;
    enum { CALLS = 100000 };
    struct buf text = {0};
    struct row_tracer tracer = {0};
    struct test_row in = {0}, out = {0};
    buf_text(&text, "{'messages':[{'role':'assistant','tool_calls':[");
    for (int i = 0; i < CALLS; i++)
        buf_format(&text, "%s{'id':'%d','name':'t%d'}", i ? "," : "", i, i % 2);
    buf_text(&text, "]}");
    for (int i = 0; i < CALLS; i++)
        buf_format(&text, ",{'role':'tool','content':'1','%s':'%s'}", i % 2 ? "name" : "x",
                   i % 2 ? "t1" : "y");
    buf_text(&text, "]}");
    traced(&tracer, &in, &out, buf_cstr(&text), ROW_TRACE_OK);
    assert_int_equal(tracer.orphan_results, 0);
    row_tracer_free(&tracer);
    test_row_free(&in);
    test_row_free(&out);
    buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_that_are_there),
        cmocka_unit_test(asks_and_replies),
        cmocka_unit_test(nothing_to_make_a_row_of),
        cmocka_unit_test(rewards),
        cmocka_unit_test(binary_rewards_as_the_reference_has_them),
        cmocka_unit_test(calls_and_results),
        cmocka_unit_test(content_blocks),
        cmocka_unit_test(binding_order),
        cmocka_unit_test(long_conversations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
