/* test_talk.c: a model's loop and the simulated person, played from replies on file: whole rollouts
 * at the rules of world 8.5 and 9, and the person's way of typing. Against a server, and held
 * against the reference package, by the cases loop-* and tests/net. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/agent.h"
#include "agent/simuser.h"
#include "base/file.h"

static const char TOOLS[] =
    "[{\"name\":\"get_order\",\"parameters\":{\"type\":\"object\",\"properties\":{\"order_id\":{}},"
    "\"required\":[\"order_id\"]}},{\"name\":\"ask_customer\",\"kind\":\"human\",\"parameters\":{"
    "\"type\":\"object\",\"properties\":{\"question\":{}}}}]";

struct talk {
    struct row_tools list;
    struct world_options *options;
    struct world_tools *tools;
    struct agent_setting setting;
    struct rollout rollout;
    char path[64], spec[80];
};

static void open_talk(struct talk *t)
{
    struct error error = {0};
    *t = (struct talk){.options = world_options_new()};
    assert_int_equal(row_tools_parse(&t->list, span_text(TOOLS), "tools", &error), 0);
    t->tools = world_tools_new(&t->list, t->options, NULL);
    t->setting = (struct agent_setting){
        .tools = &t->list,
        .world_tools = t->tools,
        .world_options = t->options,
        .policy = SPAN("Be kind."),
        .talk = {.temperature = NAN, .user_temperature = NAN, .avg_turns = 4, .max_turns = 4},
        .jobs = 1,
    };
    snprintf(t->path, sizeof t->path, "/tmp/wai-talk-XXXXXX");
    close(mkstemp(t->path));
    snprintf(t->spec, sizeof t->spec, "replay:%s", t->path);
}

static void close_talk(struct talk *t)
{
    unlink(t->path);
    rollout_free(&t->rollout);
    world_tools_free(t->tools);
    world_options_free(t->options);
    row_tools_free(&t->list);
}

/* One rollout of this prompt with these replies (a JSON array); the steps. */
static const char *talk(struct talk *t, const char *prompt, const char *replies)
{
    struct error error = {0};
    struct buf line = {0};
    buf_format(&line, "{\"replies\":%s}\n", replies);
    assert_int_equal(file_save(t->path, buf_span(&line), &error), 0);
    buf_free(&line);
    struct agent *agent = agent_open(t->spec, &t->setting, &error);
    if (!agent)
        fail_msg("%s", error.text);
    void *worker = agent_worker(agent);
    struct agent_task task = {.prompt = span_text(prompt),
                              .scenario_id = SPAN("s"),
                              .mean_utterances = NAN,
                              .state = WORLD_STATE_EXISTS};
    agent_play(agent, worker, &task, &t->rollout);
    agent_worker_free(agent, worker);
    agent_close(agent);
    return buf_cstr(&t->rollout.steps);
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("%s\nlacks %s", text, part);
}

static const char CALL[] =
    "{\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"get_order\","
    "\"arguments\":\"{\\\"order_id\\\":\\\"A-7\\\"}\"}}]}";

static void calls_are_answered_and_recorded(void **state)
{
    struct talk t;
    char replies[512];
    (void)state;
    open_talk(&t);
    t.setting.talk.avg_turns = 1; /* one turn, and one more to close after a call */
    snprintf(replies, sizeof replies, "[%s,\"It is open.\",\"never asked\"]", CALL);
    const char *steps = talk(&t, "Where is A-7", replies);
    has(steps, "[{\"tool\":\"get_order\",\"arguments\":{\"order_id\":\"A-7\"},\"result\":{"
               "\"status\":\"ok\"");
    has(steps, ",{\"text\":\"It is open.\"}]");
    assert_string_equal(buf_cstr(&t.rollout.final_text), "It is open.");
    assert_int_equal(t.rollout.counts.agent.calls, 2);
    has(buf_cstr(&t.rollout.sampling), "\"temperature\":0.8");
    close_talk(&t);
}

static void calls_of_every_kind(void **state)
{
    struct talk t;
    (void)state;
    open_talk(&t);
    t.setting.talk.avg_turns = 1;
    const char *steps = talk(&t, "Where is A-7",
                             "[\"<tool_call>{\\\"name\\\":\\\"get_order\\\",\\\"arguments\\\":{"
                             "\\\"order_id\\\":\\\"B-1\\\"}}</tool_call> one moment\",\"Done.\"]");
    has(steps, "\"arguments\":{\"order_id\":\"B-1\"}");
    has(steps, "\"text\":\"one moment\"");
    steps = talk(&t, "Where is A-7",
                 "[{\"tool_calls\":[{\"function\":{\"name\":\"get_order\",\"arguments\":\"{bad\"}},"
                 "{\"function\":{\"name\":\"nope\",\"arguments\":\"[1]\"}},"
                 "{\"function\":{\"name\":\"\",\"arguments\":\"\"}}]},\"Done.\"]");
    has(steps,
        "\"arguments\":{},\"result\":{\"status\":\"rejected\",\"reason\":\"missing_required\"");
    has(steps, "\"arguments_raw\":\"{bad\"}");
    has(steps, "{\"tool\":\"nope\",\"arguments\":[1],\"result\":{\"status\":\"error\",\"reason\":"
               "\"unknown_tool\"");
    has(steps, "{\"tool\":\"\",\"arguments\":{},");
    close_talk(&t);
}

static void empty_words_are_asked_again(void **state)
{
    struct talk t;
    (void)state;
    open_talk(&t);
    t.setting.talk.max_turns = t.setting.talk.avg_turns = 2;
    const char *steps = talk(&t, "Hello", "[\"\",\"<think>hm\"]");
    assert_string_equal(steps, "[]");
    assert_int_equal(t.rollout.final_text.len, 0);
    assert_int_equal(t.rollout.fate, ROLLOUT_DONE);
    close_talk(&t);
}

static void scripted_turns_come_first(void **state)
{
    struct talk t;
    (void)state;
    open_talk(&t);
    t.setting.talk.avg_turns = t.setting.talk.max_turns = 8;
    const char *steps =
        talk(&t, "One\n<USER_TURN>\n  Two \n<USER_TURN>\n\n<USER_TURN>\nThree",
             "[\"First is done.\",\"Second is done.\",\"Third is done.\",\"thanks\"]");
    has(steps, "[{\"text\":\"First is done.\"},{\"user\":\"Two\"},{\"text\":\"Second is done.\"},"
               "{\"user\":\"Three\"},{\"text\":\"Third is done.\"}]");
    assert_true(t.rollout.turns_played);
    close_talk(&t);
}

/* The person is asked for a line, gives one, and then walks out. */
static void the_person_answers_and_leaves(void **state)
{
    struct talk t;
    (void)state;
    open_talk(&t);
    t.setting.talk.avg_turns = t.setting.talk.max_turns = 8;
    t.setting.talk.min_user_turns = 4;
    t.setting.talk.patience = (struct patience){0.01, 0.01};
    const char *steps = talk(&t, "Move my order",
                             "[\"Which address should it go to?\",\"12 Mill Lane, the back door\","
                             "\"And on which day?\",\"[leaves]\"]");
    has(steps, "[{\"text\":\"Which address should it go to?\"},{\"user\":\"12 Mill Lane, the back "
               "door\"},{\"text\":\"And on which day?\"}]");
    assert_string_equal(buf_cstr(&t.rollout.ended_by), "user_left");
    assert_int_equal(t.rollout.counts.user_turns, 2);
    close_talk(&t);
}

/* Forced: three tries, then a miss; a thought without words earns one more. */
static void unusable_lines_are_tried_again(void **state)
{
    struct talk t;
    (void)state;
    open_talk(&t);
    t.setting.talk.avg_turns = t.setting.talk.max_turns = 8;
    t.setting.talk.min_user_turns = 4;
    talk(&t, "Move my order",
         "[\"It is moved.\",\"thanks\",\"<think>a</think>ok\",\"great\",\"perfect\"]");
    assert_int_equal(t.rollout.counts.user_turns, 4);
    assert_int_equal(t.rollout.counts.stripped, 1);
    assert_int_equal(t.rollout.counts.followup_misses, 1);
    assert_string_equal(buf_cstr(&t.rollout.final_text), "It is moved.");
    close_talk(&t);
}

static void a_tool_may_be_a_person(void **state)
{
    struct talk t;
    (void)state;
    open_talk(&t);
    t.setting.talk.avg_turns = 1;
    const char *steps =
        talk(&t, "Move my order",
             "[{\"tool_calls\":[{\"function\":{\"name\":\"ask_customer\",\"arguments\":"
             "\"{\\\"question\\\":\\\"Which one?\\\"}\"}}]},\"The green one\",\"Done.\"]");
    has(steps, "\"result\":{\"answer\":\"The green one\"}}");
    steps =
        talk(&t, "Move my order",
             "[{\"tool_calls\":[{\"function\":{\"name\":\"ask_customer\",\"arguments\":\"\"}}]},"
             "\"<think>long thoughts</think>no\",\"Done.\"]");
    has(steps, "\"result\":{\"answer\":\"(no reply yet)\"}}");
    close_talk(&t);
}

static void the_agent_may_open(void **state)
{
    struct talk t;
    (void)state;
    open_talk(&t);
    t.setting.talk.avg_turns = 1;
    t.setting.talk.opening = 1;
    talk(&t, "Move my order", "[\"<think>x</think> Hello, what do you need?\",\"It is moved.\"]");
    assert_string_equal(buf_cstr(&t.rollout.opener), "Hello, what do you need?");
    assert_string_equal(buf_cstr(&t.rollout.final_text), "It is moved.");
    close_talk(&t);
}

/* What a failure means for the run. */
static void failures_are_told_apart(void **state)
{
    struct talk t;
    (void)state;
    open_talk(&t);
    talk(&t, "Move my order", "[]");
    assert_int_equal(t.rollout.fate, ROLLOUT_ERROR);
    assert_int_equal(t.rollout.failure, ROLLOUT_REPLAY);
    assert_true(t.rollout.error.len > 0);
    close_talk(&t);
}

static void a_repeated_text_ends_the_talk(void **state)
{
    struct talk t;
    (void)state;
    open_talk(&t);
    t.setting.talk.avg_turns = t.setting.talk.max_turns = 8;
    const char *steps =
        talk(&t, "One\n<USER_TURN>\nTwo\n<USER_TURN>\nThree", "[\"It is done.\",\"It is done.\"]");
    assert_string_equal(steps, "[{\"text\":\"It is done.\"}]");
    assert_string_equal(buf_cstr(&t.rollout.final_text), "It is done.");
    close_talk(&t);
}

static void texture_is_laid_over_lines(void **state)
{
    static const char *const CASES[][3] = {
        {"lowercase", "Please check ORDER-7 and Mine", "please check ORDER-7 and mine"},
        {"no_punctuation", "Well, is A-7 there? Yes: it is!", "Well, is A-7 there Yes it is"},
        {"standard", "please check it", "Please check it."},
        {"standard", "a-7 is it! so there (a)", "a-7 is it! So there (a)"},
        {"typo", "As it was.", "As it was."},
        {"", "As it was.", "As it was."},
    };
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct buf line = {0};
        buf_text(&line, CASES[i][1]);
        simuser_texture(span_text(CASES[i][0]), &line);
        assert_string_equal(buf_cstr(&line), CASES[i][2]);
        buf_free(&line);
    }
}

static void notes_come_from_tags_or_words(void **state)
{
    static const char *const CASES[][2] = {
        {"where is it", "without capital letters"},
        {"where is it", "end no sentence"},
        {"Where is it?", "capital letters as usual"},
        {"Where is it?", "end sentences with a mark"},
        {"this is ridiculous", "annoyed"},
        {"I need it asap.", "pressed for time"},
        {"Could you please look up where my order has gone to?", "polite"},
    };
    struct arena arena = {0};
    struct buf notes = {0};
    struct node *tags = node_object(&arena);
    struct agent_task task = {.prompt = SPAN("x")};
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        buf_clear(&notes);
        simuser_notes(&task, span_text(CASES[i][0]), &notes);
        has(buf_cstr(&notes), CASES[i][1]);
    }
    node_add(tags, "tone", node_text(&arena, SPAN("curt")));
    task.dimensions = tags;
    buf_clear(&notes);
    simuser_notes(&task, SPAN("where is it"), &notes);
    assert_string_equal(buf_cstr(&notes), "They are brief to the point of rudeness.");
    buf_free(&notes);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_answered_and_recorded),
        cmocka_unit_test(calls_of_every_kind),
        cmocka_unit_test(empty_words_are_asked_again),
        cmocka_unit_test(scripted_turns_come_first),
        cmocka_unit_test(the_person_answers_and_leaves),
        cmocka_unit_test(unusable_lines_are_tried_again),
        cmocka_unit_test(a_tool_may_be_a_person),
        cmocka_unit_test(the_agent_may_open),
        cmocka_unit_test(failures_are_told_apart),
        cmocka_unit_test(a_repeated_text_ends_the_talk),
        cmocka_unit_test(texture_is_laid_over_lines),
        cmocka_unit_test(notes_come_from_tags_or_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
