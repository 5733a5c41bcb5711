/* test_conversation.c: the messages of a row, and quantities of what was said in them. */
#include "rows.h"

#include "row/conversation.h"
#include "row/reply.h"

/* "user ask; assistant one" */
static void turns_are(const char *row, const char *want)
{
    struct test_row t = {0};
    struct row_conversation c = {0};
    struct buf out = {0};
    row_conversation_read(&c, test_row(&t, row));
    for (size_t i = 0; i < c.count; i++) {
        struct span text = row_message_text(&c, &c.items[i]);
        buf_format(&out, "%s%s %.*s", i ? "; " : "", row_role_name(c.items[i].role), (int)text.len,
                   text.ptr);
    }
    assert_json(buf_span(&out), want);
    buf_free(&out);
    row_conversation_free(&c);
    test_row_free(&t);
}

static void built_from_steps(void **state)
{
    (void)state;
    turns_are(
        "{'opener':'hi','prompt':'ask','steps':[{'tool':'t','arguments':{},'result':{'a':[1.0]},"
        "'text':'let me see'},{'tool':'t'},{'user':'more'},{'text':'one'}],'final_text':'one'}",
        "assistant hi; user ask; assistant let me see; tool {'a': [1.0]}; assistant ; tool null; "
        "user more; assistant one");
    turns_are(
        "{'prompt':5,'steps':[{'text':7},{'user':['x']},'odd',{'text':false}],'final_text':0}",
        "user 5; assistant 7");
    turns_are("{}", "");
}

static void no_ask_twice(void **state)
{
    (void)state;
    turns_are("{'prompt':'ask','steps':[{'user':'ask'},{'text':'a'},{'user':'ask'},{'text':'b'}]}",
              "user ask; assistant a; user ask; assistant b");
    turns_are("{'prompt':'a\\u0073k','steps':['odd',{'user':'ask'}],'final_text':'r'}",
              "user ask; assistant r");
    turns_are("{'prompt':'ask','steps':[{'text':'a'},{'user':'ask'}],'final_text':'r'}",
              "user ask; assistant a; user ask; assistant r");
}

/* What the reference loses: a reply behind a follow-up, the ask of an agent that opened, a reply
 * unlike the last words. */
static void nothing_said_is_lost(void **state)
{
    (void)state;
    turns_are("{'prompt':'ask','steps':[{'text':'a'},{'user':'more'}],'final_text':'b'}",
              "user ask; assistant a; user more; assistant b");
    turns_are("{'opener':'hi','prompt':'ask','steps':[],'final_text':'bye'}",
              "assistant hi; user ask; assistant bye");
    turns_are("{'prompt':'ask','steps':[{'text':'a'}],'final_text':'b'}",
              "user ask; assistant a; assistant b");
}

static void said_already(void **state)
{
    (void)state;
    turns_are("{'prompt':'ask','steps':[{'text':'yes'},{'user':'left'},{'user':'gone'}],'final_"
              "text':'yes'}",
              "user ask; assistant yes"); /* nobody answered those */
    turns_are("{'prompt':'ask','steps':[{'text':'<think>hm</think> yes '}],'final_text':'yes'}",
              "user ask; assistant <think>hm</think> yes ");
    turns_are("{'prompt':'ask','steps':[{'text':'yes'}],'final_text':'<think>hm</think>yes'}",
              "user ask; assistant yes");
    turns_are("{'prompt':'ask','steps':[{'text':'a'},{'user':'u'}]}", "user ask; assistant a");
    turns_are("{'prompt':'ask','final_text':''}", "user ask");
    turns_are("{'steps':[{'user':'u'},{'user':'v'}]}", "user u");
}

static void blank_turns(void **state)
{
    (void)state;
    turns_are("{'prompt':'ask','steps':[{'text':' '}],'final_text':'x'}", "user ask; assistant x");
    turns_are("{'prompt':'ask','final_text':' '}", "user ask; assistant  ");
    turns_are("{'prompt':'ask','steps':[{'text':'y'}],'final_text':'  '}", "user ask; assistant y");
    turns_are("{'prompt':'ask','steps':[{'tool':'t'}],'final_text':'<think>x'}",
              "user ask; assistant ; tool null; assistant <think>x");
    turns_are("{'prompt':'a','steps':[{'text':'y'},{'user':'u'}],'final_text':'<agent error: x>'}",
              "user a; assistant y; user u; assistant <agent error: x>");
}

static void own_messages(void **state)
{
    (void)state;
    turns_are("{'messages':[{'role':'system','content':'S'},'odd',{'role':'user','content':[{'type'"
              ":'text',"
              "'text':'a'},{'type':'image'},{'type':'text','text':'b'}]},{'role':'assistant','"
              "content':null},"
              "{'role':'critic','content':5}],'prompt':'p','final_text':'f'}",
              "system S; user a\nb; assistant ;  5");
    turns_are("{'messages':[],'prompt':'p','final_text':'f'}", "user p; assistant f");
    turns_are("{'messages':{'a':1},'prompt':'p'}", "user p");
}

static void written(const char *row, enum json_style style, const char *want)
{
    struct test_row t = {0};
    struct row_conversation c = {0};
    struct buf out = {0};
    struct json_writer w;
    row_conversation_read(&c, test_row(&t, row));
    json_write_start(&w, &out, style);
    row_conversation_write(&c, &w);
    assert_json(buf_span(&out), want);
    buf_free(&out);
    row_conversation_free(&c);
    test_row_free(&t);
}

static void writes_bytes_as_they_were(void **state)
{
    (void)state;
    written(
        "{'prompt':'a\\u00e9','steps':[{'tool':5,'arguments':{'x' : "
        "1.50},'result':[1e0,'\\u00e9']}]}",
        JSON_STYLE_COMPACT,
        "[{'role':'user','content':'a\\u00e9'},{'role':'assistant','content':'','tool_calls':[{'"
        "name':5,"
        "'arguments':{'x' : 1.50}}]},{'role':'tool','name':5,'content':'[1.0, \\'\\\\u00e9\\']'}]");
    written("{'messages':[{ 'role':'user','x':1.0 },7]}", JSON_STYLE_SPACED,
            "[{ 'role':'user','x':1.0 }]");
}

/* ---- quantities ---------------------------------------------------------------------------- */

struct quantities {
    const char *row, *said, *spoken_lower;
    size_t length, turns, calls;
};

static void said_and_lengths(void **state)
{
    (void)state;
    static const struct quantities CASES[] = {
        {"{'prompt':'p','steps':[{'text':'One'},{'tool':'t','text':'Two'}],'final_text':'One'}",
         "One\nTwo", "one\none\ntwo", 9, 2, 1},
        {"{'messages':[{'role':'assistant','content':'\\u00c9t\\u00e9'},{'role':'user','content':'"
         "u'}],"
         "'final_text':'F'}",
         "F\n\xc3\x89t\xc3\xa9", "f\n\xc3\xa9t\xc3\xa9", 4, 1, 0},
        {"{'messages':[{'role':'assistant','content':'F'}],'final_text':'F'}", "F", "f\nf", 1, 1,
         0},
        {"{'steps':[],'tool_trace':[{'tool':'a'},{'tool':''},{'tool':'b'}]}", "", "", 0, 0, 2},
        {"{}", "", "", 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct quantities *want = &CASES[i];
        struct test_row t = {0};
        struct row_conversation c = {0};
        struct buf said = {0}, lower = {0};
        const struct row *row = test_row(&t, want->row);
        row_conversation_read(&c, row);
        row_said(row, &c, &said);
        row_assistant_text(row, &c, &lower);
        assert_span(buf_span(&said), want->said);
        assert_span(buf_span(&lower), want->spoken_lower);
        assert_int_equal(row_reply_length(row, &c), want->length);
        assert_int_equal(row_assistant_turns(&c), want->turns);
        assert_int_equal(row_tool_calls(row), want->calls);
        buf_free(&said);
        buf_free(&lower);
        row_conversation_free(&c);
        test_row_free(&t);
    }
}

static void truncated_is(const char *row, bool want)
{
    struct test_row t = {0};
    if (row_is_truncated(test_row(&t, row)) != want)
        fail_msg("%s: %s", row, want ? "is cut" : "is not cut");
    test_row_free(&t);
}

static void cut_replies(void **state)
{
    (void)state;
    truncated_is("{'finish_reason':'length'}", true);
    truncated_is("{'finish_reason':'stop'}", false);
    truncated_is("{'steps':[{'text':'a'},{'truncated':1}]}", true);
    truncated_is("{'reason':'The reply was  CUT\\toff.'}", true);
    truncated_is("{'reason':'','grader_reason':'it is truncated'}", true);
    truncated_is("{'reason':'fine','grader_reason':'it is truncated'}", false);
    truncated_is("{'reason':'it was not truncated'}", false);
    truncated_is("{'reason':'the reply isn\\u0027t cut off'}", false);
    truncated_is("{'reason':'never truncated, without a cut off'}", false);
    truncated_is("{'reason':'not bad, but truncated'}", true); /* another clause */
    truncated_is("{'reason':'knot truncated'}", true);
    truncated_is("{}", false);
}

static void long_replies_without_an_end(void **state)
{
    (void)state;
    for (size_t n = 198; n <= 201; n++) {
        struct buf text = {0};
        buf_text(&text, "{'final_text':'");
        for (size_t i = 0; i < n; i++)
            buf_text(&text, "\xc3\xa9");
        buf_text(&text, "  '}");
        truncated_is(buf_cstr(&text), n >= 200);
        text.len -= 4;
        buf_text(&text, ".'}");
        truncated_is(buf_cstr(&text), false);
        buf_free(&text);
    }
}

/* 10^5 mentions of a word that is negated each time: linear, or this does not end. */
static void a_long_reason_takes_one_pass(void **state)
{
    (void)state;
    struct buf text = {0};
    buf_text(&text, "{'reason':'");
    for (int i = 0; i < 100000; i++)
        buf_text(&text, "not truncated ");
    buf_text(&text, "'}");
    truncated_is(buf_cstr(&text), false);
    buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_from_steps),
        cmocka_unit_test(no_ask_twice),
        cmocka_unit_test(nothing_said_is_lost),
        cmocka_unit_test(said_already),
        cmocka_unit_test(blank_turns),
        cmocka_unit_test(own_messages),
        cmocka_unit_test(writes_bytes_as_they_were),
        cmocka_unit_test(said_and_lengths),
        cmocka_unit_test(cut_replies),
        cmocka_unit_test(long_replies_without_an_end),
        cmocka_unit_test(a_long_reason_takes_one_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
