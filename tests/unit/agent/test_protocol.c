/* test_protocol.c: the lines of an agent that is a program, the rollout that a done line makes, and
 * what a world's answer means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "agent/answer.h"
#include "agent/defaults.h"
#include "agent/protocol.h"

static void lines_are_told_by_their_keys(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum agent_says says;
        const char *what; /* of a refusal */
    } LINES[] = {
        {"{\"tool\":\"t\",\"arguments\":{}}", AGENT_SAYS_CALL, NULL},
        {"{\"id\":\"x\",\"tool\":\"\"}", AGENT_SAYS_CALL, NULL},
        {"{\"tool\":\"t\",\"text\":null}", AGENT_SAYS_CALL, NULL},
        {"{\"tool\":\"t\",\"text\":7}", AGENT_SAYS_NOTHING, "`text` is not a text"},
        {"{\"tool\":null}", AGENT_SAYS_NOTHING, "`tool` is not a name"},
        {"{\"step\":{\"tool\":\"t\"}}", AGENT_SAYS_STEP, NULL},
        {"{\"step\":{\"text\":\"t\"}}", AGENT_SAYS_STEP, NULL},
        {"{\"step\":{}}", AGENT_SAYS_NOTHING, "`step` names no tool and holds no text"},
        {"{\"step\":[]}", AGENT_SAYS_NOTHING, "`step` is not an object"},
        {"{\"say\":\"hi\"}", AGENT_SAYS_LINE, NULL},
        {"{\"say\":1}", AGENT_SAYS_NOTHING, "`say` is not a text"},
        {"{\"error\":\"no\"}", AGENT_SAYS_ERROR, NULL},
        {"{\"error\":null,\"final_text\":\"x\"}", AGENT_SAYS_DONE, NULL},
        {"{\"final_text\":\"x\",\"tool\":\"t\"}", AGENT_SAYS_DONE, NULL},
        {"{\"steps\":[],\"say\":\"x\"}", AGENT_SAYS_DONE, NULL},
        {"\"x\"", AGENT_SAYS_DONE, NULL},
        {"{}", AGENT_SAYS_DONE, NULL},
        {"[]", AGENT_SAYS_NOTHING, "is neither an object nor a text"},
        {"{", AGENT_SAYS_NOTHING, "is no JSON"},
        {"", AGENT_SAYS_NOTHING, "is no JSON"},
    };
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
        struct agent_line line;
        agent_line_read(span_text(LINES[i].line), &line);
        if (line.says != LINES[i].says)
            fail_msg("%s: %d", LINES[i].line, line.says);
        if (LINES[i].what)
            assert_string_equal(line.what, LINES[i].what);
    }
}

static void ids_match_or_are_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool of;
    } LINES[] = {{"{\"say\":\"x\"}", true},
                 {"{\"id\":null,\"say\":\"x\"}", true},
                 {"{\"id\":\"a-0\",\"say\":\"x\"}", true},
                 {"{\"id\":\"\\u0061-0\",\"say\":\"x\"}", true},
                 {"{\"id\":\"a-1\",\"say\":\"x\"}", false},
                 {"{\"id\":0,\"say\":\"x\"}", false},
                 {"\"x\"", true}};
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
        struct agent_line line;
        agent_line_read(span_text(LINES[i].line), &line);
        assert_int_equal(agent_line_is_of(&line, SPAN("a-0")), LINES[i].of);
    }
}

static void depth_is_counted_outside_texts(void **state)
{
    (void)state;
    char deep[2 * AGENT_DEPTH_MAX + 3];
    memset(deep, '[', AGENT_DEPTH_MAX);
    memset(deep + AGENT_DEPTH_MAX, ']', AGENT_DEPTH_MAX);
    assert_false(agent_json_deep(span_make(deep, (size_t)2 * AGENT_DEPTH_MAX)));
    memset(deep, '[', AGENT_DEPTH_MAX + 1);
    assert_true(agent_json_deep(span_make(deep, (size_t)2 * AGENT_DEPTH_MAX)));
    deep[0] = '"';
    assert_false(agent_json_deep(span_make(deep, (size_t)2 * AGENT_DEPTH_MAX)));
    assert_false(agent_json_deep(SPAN("\"\\\"[[[\\\\\"")));
}

static bool done(const char *line, struct rollout *out, bool *ignored)
{
    struct agent_line read;
    bool recorded = out->steps.len > 0;
    agent_line_read(span_text(line), &read);
    assert_int_equal(read.says, AGENT_SAYS_DONE);
    return agent_done_read(read.done, recorded, out, ignored);
}

static void a_done_line_makes_a_rollout(void **state)
{
    (void)state;
    struct rollout r = {0};
    bool ignored;
    assert_true(
        done("{\"final_text\":\"a\\u00e9\",\"steps\":[{\"tool\":\"t\"},{\"text\":\"x\"}],"
             "\"usage\":{\"input_tokens\":1},\"finish_reason\":\"stop\",\"ended_by\":\"me\","
             "\"seeded\":[\"leak\"],\"mine\":1,\"mine\":2,\"reward\":1,\"id\":\"q\","
             "\"logprob\":-1,\"n_tokens\":\"x\",\"token_logprobs\":[1,null]}",
             &r, &ignored));
    assert_false(ignored);
    assert_string_equal(buf_cstr(&r.final_text), "a\xc3\xa9");
    assert_string_equal(buf_cstr(&r.steps), "[{\"tool\":\"t\"},{\"text\":\"x\"}]");
    assert_string_equal(buf_cstr(&r.usage), "{\"input_tokens\":1}");
    assert_string_equal(buf_cstr(&r.finish_reason), "stop");
    assert_string_equal(buf_cstr(&r.ended_by), "me");
    assert_string_equal(buf_cstr(&r.seeded), "[\"leak\"]");
    assert_string_equal(buf_cstr(&r.members), "\"mine\":2,\"logprob\":-1");
    rollout_clear(&r);
    /* Recorded steps stand, and their sums count. */
    buf_text(&r.steps, "[{\"text\":\"t\",\"logprob\":-2}");
    assert_true(done("{\"final_text\":null,\"steps\":[{}],\"finish_reason\":\"whim\",\"usage\":7,"
                     "\"logprob\":-1}",
                     &r, &ignored));
    assert_true(ignored);
    assert_string_equal(buf_cstr(&r.steps), "[{\"text\":\"t\",\"logprob\":-2}");
    assert_int_equal(r.final_text.len + r.finish_reason.len + r.usage.len + r.members.len, 0);
    rollout_clear(&r);
    assert_true(done("\"only words\"", &r, &ignored));
    assert_string_equal(buf_cstr(&r.steps), "[]");
    rollout_free(&r);
}

static void a_reply_of_another_shape_is_none(void **state)
{
    (void)state;
    static const char *const LINES[][2] = {
        {"{\"role\":\"assistant\",\"content\":\"hi\"}",
         "the agent's reply has no final_text and no steps (its keys: role, content)"},
        {"{}", "the agent's reply has no final_text and no steps (its keys: none)"},
        {"{\"\\u001b\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,\"j\":1}",
         "the agent's reply has no final_text and no steps (its keys: \\x1b, b, c, d, e, f, g, h "
         "and 2 more)"},
        {"{\"final_text\":{}}", "the agent's `final_text` is not a text"},
        {"{\"steps\":7}", "the agent's `steps` is not an array"},
        {"{\"steps\":[{},7]}",
         "the agent's `steps` holds something else than an object, at place 1"},
    };
    struct rollout r = {0};
    bool ignored;
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
        rollout_clear(&r);
        assert_false(done(LINES[i][0], &r, &ignored));
        assert_int_equal(r.fate, ROLLOUT_ERROR);
        assert_string_equal(buf_cstr(&r.error), LINES[i][1]);
    }
    rollout_free(&r);
}

static void what_a_world_answers(void **state)
{
    (void)state;
    static const char *const LINES[][2] = {
        {"{\"result\":[1],\"id\":1,\"n\":2}", "[1]"},
        {"{\"result\":null}", "null"},
        {"{\"status\":\"ok\",\"x\":1.50}", "{\"status\":\"ok\",\"x\":1.50}"},
        {"{\"error\":\"no\"}", "{\"status\":\"error\",\"reason\":\"no\"}"},
        {"{\"error\":\"no\",\"code\":1}", "{\"error\":\"no\",\"code\":1}"},
        {"{\"error\":7}", "{\"error\":7}"},
        {"{}", "{}"},
        {" 7 ", "{\"status\":\"ok\",\"result\":7}"},
        {"\"x\"", "{\"status\":\"ok\",\"result\":\"x\"}"},
    };
    struct buf out = {0};
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
        buf_clear(&out);
        assert_true(execute_reply_read(span_text(LINES[i][0]), &out));
        assert_string_equal(buf_cstr(&out), LINES[i][1]);
    }
    assert_false(execute_reply_read(SPAN("nonsense"), &out));
    assert_false(execute_reply_read(SPAN(""), &out));
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_told_by_their_keys),
        cmocka_unit_test(ids_match_or_are_left_out),
        cmocka_unit_test(depth_is_counted_outside_texts),
        cmocka_unit_test(a_done_line_makes_a_rollout),
        cmocka_unit_test(a_reply_of_another_shape_is_none),
        cmocka_unit_test(what_a_world_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
