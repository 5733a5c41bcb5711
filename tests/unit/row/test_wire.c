/* test_wire.c: what leaves and what does not: the scrub, the wire form, the hash split, tool files.
 */
#include "rows.h"

#include "row/split.h"
#include "row/tools.h"
#include "row/wire.h"

static void scrubs_to(const char *row, const char *shallow, const char *deep)
{
    struct test_row t = {0};
    struct buf out = {0};
    row_scrub(test_row(&t, row), &out);
    assert_json(buf_span(&out), shallow);
    buf_clear(&out);
    row_scrub_deep(&t.row, &out);
    assert_json(buf_span(&out), deep);
    buf_free(&out);
    test_row_free(&t);
}

static void members_that_go(void **state)
{
    (void)state;
    scrubs_to("{'privileged':1}", "{}", "{}");
    scrubs_to("{ 'a' : 1.0 , 'privileged' : {'x':[1]} , 'b' :2 }", "{ 'a' : 1.0 , 'b' :2 }",
              "{ 'a' : 1.0 , 'b' :2 }");
    scrubs_to("{ 'rubric':1 , 'vector':[2], 'a':3}", "{ 'a':3}", "{ 'a':3}");
    scrubs_to("{'a':3 ,'hidden_state':{} }", "{'a':3 }", "{'a':3 }");
    scrubs_to("{'a':[{'deep':[{'principle':1,'k':2}]}],'r\\u0065ference':1}",
              "{'a':[{'deep':[{'k':2}]}]}", "{'a':[{'deep':[{'k':2}]}]}");
    scrubs_to("{'reference':1,'a':{'reference':{'rubric':1}},'reference':2}", "{'a':{}}",
              "{'a':{}}");
}

static void texts_stay(void **state)
{
    (void)state;
    scrubs_to("{'a':'\\u0022privileged\\u0022: 1','privileged_note':1,'x':'reference'}",
              "{'a':'\\u0022privileged\\u0022: 1','privileged_note':1,'x':'reference'}",
              "{'a':'\\u0022privileged\\u0022: 1','privileged_note':1,'x':'reference'}");
    scrubs_to("{}", "{}", "{}");
}

/* A call that loses an argument named `reference` would be a false record. */
static void calls_keep_what_they_were_given(void **state)
{
    (void)state;
    scrubs_to(
        "{'steps':[{'tool':'t','arguments':{'reference':1},'result':{'vector':[1]},'rubric':2}]}",
        "{'steps':[{'tool':'t','arguments':{'reference':1},'result':{'vector':[1]}}]}",
        "{'steps':[{'tool':'t','arguments':{},'result':{}}]}");
    scrubs_to("{'messages':[{'role':'assistant','tool_calls':[{'id':'1','function':{'name':'t','"
              "arguments':"
              "{'reference':1}}}],'rubric':1},{'role':'tool','content':{'reference':2}},"
              "{'role':'user','content':[{'type':'tool_result','content':[{'vector':1}]}]},"
              "{'role':'assistant','content':[{'type':'tool_use','input':{'rubric':1}}]}]}",
              "{'messages':[{'role':'assistant','tool_calls':[{'id':'1','function':{'name':'t','"
              "arguments':"
              "{'reference':1}}}]},{'role':'tool','content':{'reference':2}},"
              "{'role':'user','content':[{'type':'tool_result','content':[{'vector':1}]}]},"
              "{'role':'assistant','content':[{'type':'tool_use','input':{'rubric':1}}]}]}",
              "{'messages':[{'role':'assistant','tool_calls':[{'id':'1','function':{'name':'t','"
              "arguments':"
              "{}}}]},{'role':'tool','content':{}},"
              "{'role':'user','content':[{'type':'tool_result','content':[{}]}]},"
              "{'role':'assistant','content':[{'type':'tool_use','input':{}}]}]}");
    scrubs_to(
        "{'tools':[{'name':'t','parameters':{'properties':{'reference':{'type':'string'}}},'rubric'"
        ":1}]}",
        "{'tools':[{'name':'t','parameters':{'properties':{'reference':{'type':'string'}}}}]}",
        "{'tools':[{'name':'t','parameters':{'properties':{}}}]}");
    scrubs_to("{'role':'judge','content':{'reference':2}}", "{'role':'judge','content':{}}",
              "{'role':'judge','content':{}}");
}

static void deep_rows(void **state)
{
    (void)state;
    struct buf text = {0}, out = {0};
    struct test_row t = {0};
    for (int i = 0; i < 255; i++)
        buf_text(&text, "{'a':[");
    buf_text(&text, "{'rubric':1,'b':1}");
    for (int i = 0; i < 255; i++)
        buf_text(&text, "]}");
    row_scrub(test_row(&t, buf_cstr(&text)), &out);
    assert_false(span_has(buf_span(&out), SPAN("rubric")));
    assert_true(span_has(buf_span(&out), SPAN("[{\"b\":1}]")));
    buf_free(&text);
    buf_free(&out);
    test_row_free(&t);
}

static void wire_is(const char *row, const char *want)
{
    struct test_row t = {0};
    struct buf out = {0};
    row_wire(test_row(&t, row), &out);
    assert_json(buf_span(&out), want);
    buf_free(&out);
    test_row_free(&t);
}

static void wire_forms(void **state)
{
    (void)state;
    wire_is("{}", "{'prompt':'','messages':[],'steps':[],'final_text':'','scenario_id':'','schema_"
                  "version':'1'}");
    wire_is("{'x' : 1.0, 'schema_version' : null, 'fault_detected' : 0, 'opener' : 'o', 'steps' : "
            "null}",
            "{'prompt': '', 'messages': [{'role': 'assistant', 'content': 'o'}], 'steps': [], "
            "'final_text': '', "
            "'scenario_id': '', 'opener': 'o', 'opening': 'agent', 'x': 1.0, 'fault_detected': 0, "
            "'schema_version': '1'}");
    wire_is("{'messages':[1],'reward':0.50,'reason':'r','grader_reason':'g','schema_version':'0','"
            "final_text':7,"
            "'a':1,'b':null,'_c':1,'a':2,'\\u005fd':1}",
            "{'prompt':'','messages':[1],'steps':[],'final_text':'7','scenario_id':'','reward':0."
            "50,'reason':'g',"
            "'grader_reason':'g','schema_version':'0','a':2}");
}

/* ---- split --------------------------------------------------------------------------------- */

static void units(void **state)
{
    (void)state;
    /* int(sha256(key).hexdigest()[:8], 16) / (16**8 - 1) */
    assert_true(row_split_unit(SPAN("")) == 3820012610.0 / 4294967295.0);
    assert_true(row_split_unit(SPAN("s3")) < 0.35 && row_split_held(SPAN("s3"), 0.35));
    assert_false(row_split_held(SPAN("s0"), 0.35));
    assert_false(row_split_held(SPAN(""), 0.88));
    assert_true(row_split_held(SPAN(""), 0.89));
}

/* ---- tool files ---------------------------------------------------------------------------- */

static int parse(struct row_tools *tools, const char *text, struct error *error)
{
    char *copy = quoted(text);
    int rc = row_tools_parse(tools, span_text(copy), "tools.json", error);
    free(copy);
    return rc;
}

static void tools_are(const char *text, const char *want)
{
    struct row_tools tools = {0};
    struct error error;
    struct buf out = {0};
    if (parse(&tools, text, &error))
        fail_msg("%s: %s", text, error.text);
    for (size_t i = 0; i < tools.count; i++) {
        const struct row_tool *tool = &tools.items[i];
        struct span schema = tool->parameters.text.ptr ? tool->parameters.text : SPAN("-");
        buf_format(&out, "%s%.*s|%.*s|%.*s%s%s", i ? "; " : "", (int)tool->name.len, tool->name.ptr,
                   (int)tool->description.len, tool->description.ptr, (int)schema.len, schema.ptr,
                   tool->envelope ? "|wire" : "", tool->human ? "|human" : "");
        assert_ptr_equal(row_tools_find(&tools, tool->name), tool);
    }
    assert_json(buf_span(&out), want);
    buf_free(&out);
    row_tools_free(&tools);
}

static void four_shapes_of_an_entry(void **state)
{
    (void)state;
    tools_are("[{'type':'function','function':{'name':'a','description':'A','parameters':{'x':1}}},"
              "{'name':'b','parameters':null},{'name':'c','input_schema':{}},{'name':'\\u0064','"
              "inputSchema':"
              "{'y':2},'kind':'human'}]",
              "a|A|{'x':1}|wire; b||-; c||{}; d||{'y':2}|human");
}

static void three_forms_of_a_file(void **state)
{
    (void)state;
    tools_are("{'tools':[{'name':'a'}]}", "a||-");
    tools_are("{'name':'a'}\n\n{'name':'b'}\n", "a||-; b||-");
    tools_are("\xef\xbb\xbf {'name':'a'}", "a||-");
    tools_are("[]", "");
}

static void same_name_and_no_name(void **state)
{
    (void)state;
    struct row_tools tools = {0};
    struct error error;
    assert_int_equal(parse(&tools,
                           "[{'name':'a','description':'1'},{'description':'x'},{'name':'b'},"
                           "{'name':'a','description':'2'},{'name':' '}]",
                           &error),
                     0);
    assert_int_equal(tools.count, 2);
    assert_int_equal(tools.nameless, 2);
    assert_int_equal(tools.replaced, 1);
    assert_span(tools.items[0].description, "2"); /* in the first one's place */
    assert_null(row_tools_find(&tools, SPAN("c")));
    row_tools_free(&tools);
}

static void no_tool_file(void **state)
{
    (void)state;
    static const char *const CASES[][2] = {
        {"[1]", "tools.json:1: tool 1 is not an object; "},
        {"{'name':'a'}\n{'name'\n", "tools.json:2: "},
        {"{'name':'a'}\n5\n", "tools.json:2: tool 2 is not an object; "},
        {"{\n'name':\n}", "tools.json:3: "},
        {" \n", "tools.json:1: no tool in it; "},
        {"5", "tools.json:1: tool 1 is not an object; "},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct row_tools tools = {0};
        struct error error;
        assert_int_equal(parse(&tools, CASES[i][0], &error), ERROR_INPUT);
        if (strncmp(error.text, CASES[i][1], strlen(CASES[i][1])) != 0)
            fail_msg("%s, not %s", error.text, CASES[i][1]);
        row_tools_free(&tools);
    }
}

static void tools_of_a_row(void **state)
{
    (void)state;
    struct test_row t = {0};
    struct row_tools tools = {0};
    row_tools_of(&tools, *row_get(test_row(&t, "{'tools':[{'name':'a'},1,{}]}"), SPAN("tools")));
    test_row_free(&t); /* the tools are their own */
    assert_int_equal(tools.count, 1);
    assert_span(tools.items[0].name, "a");
    row_tools_free(&tools);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_that_go),
        cmocka_unit_test(texts_stay),
        cmocka_unit_test(calls_keep_what_they_were_given),
        cmocka_unit_test(deep_rows),
        cmocka_unit_test(wire_forms),
        cmocka_unit_test(units),
        cmocka_unit_test(four_shapes_of_an_entry),
        cmocka_unit_test(three_forms_of_a_file),
        cmocka_unit_test(same_name_and_no_name),
        cmocka_unit_test(no_tool_file),
        cmocka_unit_test(tools_of_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
