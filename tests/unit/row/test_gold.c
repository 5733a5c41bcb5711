/* test_gold.c: the text that is judged, what it is judged against, and the calls that were made. */
#include "rows.h"

#include "row/calls.h"
#include "row/gold.h"

static void candidate_is(const char *row, const char *want)
{
    struct test_row t = {0};
    struct buf scratch = {0};
    assert_span(row_candidate(test_row(&t, row), &scratch), want);
    buf_free(&scratch);
    test_row_free(&t);
}

static void candidates(void **state)
{
    (void)state;
    candidate_is("{'final_text':'a\\n'}", "a\n");
    candidate_is("{'final_text':7}", "7");
    candidate_is("{'final_text':'  '}", "  "); /* not empty: it is what was said */
    candidate_is("{'final_text':'','messages':[{'role':'assistant','content':'a'},"
                 "{'role':'assistant','content':''},{'role':'user','content':'u'}]}",
                 "a");
    candidate_is(
        "{'final_text':null,'messages':[{'role':'assistant','content':[{'type':'text','text':'a'},"
        "{'type':'image_url','image_url':'x'},{'type':'text','text':'b'}]}]}",
        "a\nb");
    candidate_is("{'final_text':0}", "");
    candidate_is("'a row that is a text'", "a row that is a text");
    candidate_is("{}", "");
}

/* want NULL: none */
static void gold_is(const char *row, const char *field, const char *want, bool privileged)
{
    struct test_row t = {0};
    struct row_gold gold = row_gold(test_row(&t, row), span_text(field));
    if (want) {
        assert_non_null(gold.value.text.ptr);
        assert_json(gold.value.text, want);
        assert_int_equal(gold.privileged, privileged);
    } else {
        assert_null(gold.value.text.ptr);
    }
    test_row_free(&t);
}

static void golds(void **state)
{
    (void)state;
    gold_is("{'privileged':{'reference':'','x':1},'answer':3}", "", "''", true);
    gold_is("{'privileged':{'reference':null},'answer':3}", "", "3", false);
    gold_is("{'reference':null,'answer':0,'target':1}", "", "0", false);
    gold_is("{'expected':1,'label':2}", "", "2", false);
    gold_is("{'metadata':{'answer':3},'info':{'expected':4}}", "", "4", false);
    gold_is("{'privileged':{'label':4}}", "", "4", true);
    gold_is("{'info':'answer'}", "", NULL, false);
    gold_is("{}", "", NULL, false);
}

static void gold_by_field(void **state)
{
    (void)state;
    gold_is("{'a.b':1,'a':{'b':2}}", "a.b", "1", false); /* the literal name first */
    gold_is("{'a':{'b':2}}", "a.b", "2", false);
    gold_is("{'a':{'b':{'c':[1]}}}", "a.b.c", "[1]", false);
    gold_is("{'a':[{'b':1}]}", "a.0.b", NULL, false);                       /* no list indexes */
    gold_is("{'a':null,'privileged':{'reference':'x'}}", "a", NULL, false); /* no fallback */
    gold_is("{'a':{'b.c':1}}", "a.b.c", NULL, false);
    gold_is("{'privileged':{'tests':'t'}}", "privileged.tests", "'t'", true);
    gold_is("{'privileged':{'tests':'t'}}", "privileged", "{'tests':'t'}", true);
    gold_is("{'a':1}", "a.", NULL, false);
}

static void calls_are(const char *row, const char *want)
{
    struct test_row t = {0};
    struct row_calls calls = {0};
    struct buf out = {0};
    row_calls_read(&calls, test_row(&t, row));
    for (size_t i = 0; i < calls.count; i++) {
        const struct row_call *call = &calls.items[i];
        struct span arguments = call->arguments.text.ptr ? call->arguments.text : SPAN("{}");
        buf_format(&out, "%s%.*s %.*s %.*s", i ? "; " : "", (int)call->name.len, call->name.ptr,
                   (int)arguments.len, arguments.ptr, (int)call->id.len, call->id.ptr);
    }
    assert_json(buf_span(&out), want);
    buf_free(&out);
    row_calls_free(&calls);
    test_row_free(&t);
}

static void calls_in_both_spellings(void **state)
{
    (void)state;
    calls_are(
        "{'messages':[{'role':'assistant','tool_calls':[{'name':'a','arguments':{'x':1.0}},"
        "{'id':7,'type':'function','function':{'name':'b','arguments':'{\\u0022y\\u0022: 2}'}},"
        "'odd',{'arguments':{}},{'name':5,'arguments':'[1]'}]}],'steps':[{'tool':'s'}]}",
        "a {'x':1.0} ; b {'y': 2} 7;  {} ; 5 {} ");
}

static void calls_of_steps(void **state)
{
    (void)state;
    calls_are("{'messages':[{'role':'user','tool_calls':[{'name':'u'}]},{'role':'assistant'}],"
              "'steps':[{'tool':'s','input':{'a':1}},{'tool':''},{'tool':'t','arguments':null,'"
              "input':{}},"
              "{'text':'x'},{'tool':'v','arguments':'{\\u0022k\\u0022:1}'}]}",
              "s {'a':1} ; t {} ; v {'k':1} ");
    calls_are("{'steps':[],'tool_trace':[{'tool':'z'}]}", "z {} ");
    calls_are("{'steps':[{'text':'x'}],'tool_trace':[{'tool':'z'}]}", "");
}

static void parse_is(const char *string, const char *want)
{
    struct test_row t = {0};
    struct arena arena = {0};
    struct json_value value;
    const struct row *row = test_row_raw(&t, string);
    bool ok = row_parse_text(&arena, row->value, &value);
    assert_int_equal(ok, want != NULL);
    if (want)
        assert_span(value.text, want);
    arena_free(&arena);
    test_row_free(&t);
}

static void json_inside_strings(void **state)
{
    (void)state;
    parse_is("\"{\\\"a\\\": 1.0}\"", "{\"a\": 1.0}");
    parse_is("\" [1, 2]\\n\"", "[1, 2]");
    parse_is("\"[1,\\n\\r 2, \\\"a\\\\nb\\\"]\"", "[1, 2, \"a\\nb\"]"); /* goes on one line */
    parse_is("\"true\"", "true");
    parse_is("\"5\"", "5");
    parse_is("\"NaN\"", NULL);
    parse_is("\"[1, -Infinity]\"", NULL);
    parse_is("\"[\\\"Infinity\\\"]\"", "[\"Infinity\"]");
    parse_is("\"{'a': 1}\"", NULL);
    parse_is("\"\"", NULL);
    parse_is("\"\\u005b1]\"", "[1]");
    parse_is("\"[\\\"\\ud800\\\"]\"",
             "[\"\\ud800\"]"); /* a lone surrogate needs its escape again */
    parse_is("5", NULL);
}

static void deep_json_inside_a_string_stays_text(void **state)
{
    (void)state;
    struct buf text = {0};
    struct arena arena = {0};
    struct json_value value;
    for (int depth = 499; depth <= 501; depth++) {
        buf_clear(&text);
        buf_byte(&text, '"');
        for (int i = 0; i < depth; i++)
            buf_byte(&text, '[');
        for (int i = 0; i < depth; i++)
            buf_byte(&text, ']');
        buf_byte(&text, '"');
        struct json_value string = {buf_span(&text), JSON_VALUE_STRING, 0};
        assert_int_equal(row_parse_text(&arena, string, &value), depth <= 500);
    }
    buf_free(&text);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates),
        cmocka_unit_test(golds),
        cmocka_unit_test(gold_by_field),
        cmocka_unit_test(calls_in_both_spellings),
        cmocka_unit_test(calls_of_steps),
        cmocka_unit_test(json_inside_strings),
        cmocka_unit_test(deep_json_inside_a_string_stays_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
