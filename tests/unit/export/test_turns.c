/* A row's conversation as trainers want it: ids, arguments, thoughts, cuts, roles, and how it is
 * written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "export/carried.h"
#include "export/wire.h"

static struct export_turns turns;
static struct export_build build;
static struct json_members members;
static struct row row;
static const char *fault;

static int set_up(void **state)
{
    (void)state;
    build = (struct export_build){.max_tool_output = -1};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    export_turns_free(&turns);
    json_members_free(&members);
    return 0;
}

static int read_row(const char *text)
{
    struct json_fault json;
    assert_int_equal(row_of_text(span_text(text), &row, &members, &json), 0);
    return export_turns_read(&turns, &row, &build, &fault);
}

static void becomes(enum export_format format, const char *text, const char *expected)
{
    struct buf out = {0};
    struct json_writer w;
    assert_int_equal(read_row(text), 0);
    json_write_start(&w, &out, JSON_STYLE_COMPACT);
    json_write_array(&w);
    for (size_t i = 0; i < turns.count; i++)
        export_write_turn(&turns, &turns.items[i], format, EXPORT_WEIGHT_NONE, &w);
    json_write_end_array(&w);
    assert_string_equal(buf_cstr(&out), expected);
    buf_free(&out);
}

static void test_from_steps(void **state)
{
    (void)state;
    const char *steps = "{\"prompt\":\"p\",\"steps\":[{\"tool\":\"f\",\"arguments\":{\"a\":1,"
                        "\"\xc3\xa9\":\"x, y\"},"
                        "\"result\":{\"n\":1.0}}],\"final_text\":\"done\"}";
    becomes(EXPORT_OPENAI, steps,
            "[{\"role\":\"user\",\"content\":\"p\"},{\"role\":\"assistant\",\"content\":\"\","
            "\"tool_calls\":[{\"id\":"
            "\"call_0000\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{"
            "\\\"a\\\": "
            "1,\\\"\\\\u00e9\\\": \\\"x, y\\\"}\"}}]},{\"role\":\"tool\",\"content\":\"{\\\"n\\\": "
            "1.0}\",\"name\":\"f\",\"tool_call_id\":\"call_0000\"},{\"role\":\"assistant\","
            "\"content\":\"done\"}]");
    becomes(EXPORT_TRL, steps,
            "[{\"role\":\"user\",\"content\":\"p\"},{\"role\":\"assistant\",\"content\":\"\","
            "\"tool_calls\":[{\"id\":"
            "\"call_0000\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":{\"a\":"
            "1,\"\xc3\xa9\":\"x, "
            "y\"}}}]},{\"role\":\"tool\",\"content\":\"{\\\"n\\\": "
            "1.0}\",\"name\":\"f\",\"tool_call_id\":"
            "\"call_0000\"},{\"role\":\"assistant\",\"content\":\"done\"}]");
    becomes(EXPORT_FIREWORKS,
            "{\"prompt\":\"p\",\"tool_trace\":[{\"tool\":\"f\",\"input\":1,\"output\":\"r\"},7]}",
            "[{\"role\":\"user\",\"content\":\"p\"},{\"role\":\"assistant\",\"content\":\"\","
            "\"tool_calls\":[{\"id\":"
            "\"call_0000\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"1\"}}"
            "]},{\"role\":"
            "\"tool\",\"content\":\"r\",\"tool_call_id\":\"call_0000\"}]");
}

static void content_is(const char *text, const char *expected)
{
    assert_int_equal(read_row(text), 0);
    assert_true(span_is(turns.items[turns.count - 1].content, expected));
}

static void test_thoughts(void **state)
{
    (void)state;
    content_is("{\"messages\":[{\"role\":\"assistant\",\"content\":\"  <THINK>a\\nb</Think> \\n b "
               "<think>c</think>d "
               "<think>open\"}]}",
               "b d <think>open");
    content_is(
        "{\"messages\":[{\"role\":\"assistant\",\"content\":\"<think>only</think>\\u00a0\"}]}", "");
    content_is("{\"messages\":[{\"role\":\"assistant\",\"content\":\"</think>x<\"}]}",
               "</think>x<");
    content_is("{\"messages\":[{\"role\":\"user\",\"content\":\"<think>a</think>b\"}]}",
               "<think>a</think>b");
    build.keep_think = true;
    content_is("{\"messages\":[{\"role\":\"assistant\",\"content\":\" <think>a</think>b\"}]}",
               " <think>a</think>b");
}

/* What a call's arguments become: as text, and whether a trainer can read them. */
static void arguments_are(const char *json, const char *expected, bool sound)
{
    struct buf text = {0};
    buf_format(
        &text,
        "{\"messages\":[{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"name\":\"f\","
        "\"arguments\":%s}]}]}",
        json);
    assert_int_equal(read_row(buf_cstr(&text)), 0);
    buf_clear(&text);
    export_arguments_text(&turns.calls[0], &text);
    assert_string_equal(buf_cstr(&text), expected);
    assert_int_equal(export_call_is_sound(&turns, &turns.calls[0]), sound);
    buf_free(&text);
}

static void test_arguments(void **state)
{
    (void)state;
    arguments_are("{}", "{}", true);
    arguments_are("null", "{}", true);
    arguments_are("0", "{}", true);
    arguments_are("\"\"", "{}", true); /* a call without arguments */
    arguments_are("\" \"", "{}", true);
    arguments_are("\"null\"", "{}", true);
    arguments_are("{\"a\":1e5,\"b\":[1,2],\"a\":2}", "{\"a\": 2,\"b\": [1,2]}", true);
    arguments_are("\"{\\\"a\\\":\\\"x,  \\\\\\\", y\\\"}\"", "{\"a\": \"x,  \\\", y\"}", true);
    arguments_are("\"\\\"{\\\\\\\"a\\\\\\\":1}\\\"\"", "{\"a\": 1}", true); /* wrapped twice */
    arguments_are("\"{broken\"", "{broken", false);
    arguments_are("[1]", "[1]", false);
    arguments_are("\"5\"", "5", false);
    arguments_are("{\"a\":NaN,\"b\":-Infinity}", "{\"a\": null,\"b\": null}", true);
}

static void call_id_is(size_t turn, const char *expected)
{
    if (expected)
        assert_true(span_is(turns.items[turn].call_id, expected));
    else
        assert_null(turns.items[turn].call_id.ptr);
}

static void test_ids(void **state)
{
    (void)state;
    assert_int_equal(
        read_row(
            "{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[{\"name\":\"a\"},{\"id\":7,"
            "\"function\":{\"name\":\"b\"}},{\"id\":\"\",\"name\":\"c\"}]},{\"role\":\"tool\","
            "\"content\":\"1\",\"tool_call_id\":\"7\"},{\"role\":\"tool\",\"content\":\"2\"},"
            "{\"role\":\"tool\",\"content\":\"3\",\"tool_call_id\":\"other\"},{\"role\":\"tool\","
            "\"content\":\"4\"},{\"role\":\"tool\",\"content\":\"5\"}]}"),
        0);
    assert_true(span_is(turns.calls[0].id, "call_0000"));
    assert_true(span_is(turns.calls[1].id, "7"));
    assert_true(span_is(turns.calls[2].id, "call_0002"));
    call_id_is(1, "7"); /* a result that names its call takes that one, not the oldest */
    call_id_is(2, "call_0000");
    call_id_is(3, "other");
    call_id_is(4, "call_0002");
    call_id_is(5, NULL);
}

static void test_cut(void **state)
{
    (void)state;
    const char *text = "{\"prompt\":\"p\",\"steps\":[{\"tool\":\"f\",\"result\":"
                       "\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\"}]}";
    build.max_tool_output = 3;
    content_is(text, "\xc3\xa9\xc3\xa9\xc3\xa9\n[... 1 chars of tool output truncated]");
    assert_int_equal(turns.cut, 1);
    assert_int_equal(turns.cut_chars, 1);
    build.max_tool_output = 4;
    content_is(text, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
    assert_int_equal(turns.cut, 0);
    build.max_tool_output = 0;
    content_is(text, "\n[... 4 chars of tool output truncated]");
}

static void test_roles_and_parts(void **state)
{
    (void)state;
    assert_int_equal(
        read_row(
            "{\"messages\":[{\"role\":\"developer\",\"content\":\"d\"},{\"role\":\"critic\","
            "\"content\":\"c\"},{\"role\":\"function\",\"name\":\"f\",\"content\":\"r\"},{}]}"),
        0);
    assert_int_equal(turns.count, 2);
    assert_int_equal(turns.items[0].role, ROW_ROLE_SYSTEM);
    assert_int_equal(turns.items[1].role, ROW_ROLE_TOOL);
    assert_int_equal(turns.roles_dropped, 2);
    const char *parts = "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\","
                        "\"text\":\"a\"},{\"type\":"
                        "\"image_url\",\"image_url\":{}},{\"type\":\"text\",\"text\":\"b\"}]}]}";
    assert_int_equal(read_row(parts), -1);
    assert_non_null(strstr(fault, "--drop-parts"));
    build.drop_parts = true;
    content_is(parts, "a\nb");
    assert_int_equal(turns.parts_dropped, 1);
    assert_int_equal(read_row("{}"), -1);
    assert_non_null(strstr(fault, "no messages"));
    assert_int_equal(read_row("{\"messages\":[{\"role\":\"critic\"}]}"), -1);
}

static void test_system_turns(void **state)
{
    (void)state;
    const char *text = "{\"messages\":[{\"role\":\"system\",\"content\":\"S\"},{\"role\":\"user\","
                       "\"content\":\"u\"}]}";
    assert_int_equal(read_row(text), 0);
    assert_int_equal(turns.count, 2);
    build.system_prompt = SPAN("S");
    assert_int_equal(read_row(text), 0);
    assert_int_equal(turns.count, 2); /* said once */
    assert_false(turns.systems_differ);
    build.system_prompt = SPAN("T");
    assert_int_equal(read_row(text), 0);
    assert_int_equal(turns.count, 3);
    assert_true(turns.systems_differ);
    build.replace_system = true;
    assert_int_equal(read_row(text), 0);
    assert_int_equal(turns.count, 2);
    assert_true(span_is(turns.items[0].content, "T"));
    assert_false(turns.systems_differ);
}

static void test_tools(void **state)
{
    (void)state;
    struct row_tools tools = {0};
    struct buf out = {0};
    struct error error;
    export_tools_json(&tools, &out);
    assert_int_equal(out.len, 0);
    assert_int_equal(
        row_tools_parse(
            &tools,
            SPAN("[\n {\"type\": \"function\", \"function\": {\"name\": \"a b\", \"strict\": "
                 "true}},\n {\"name\":\"c\",\"input_schema\":{\"type\":\"object\",\"x\":NaN}},"
                 "{\"type\":\"function\",\"function\":{\"name\":\"d\",\"description\":\"D\","
                 "\"returns\":{}}}]"),
            "t", &error),
        0);
    export_tools_json(&tools, &out);
    assert_string_equal(
        buf_cstr(&out),
        "[{\"type\":\"function\",\"function\":{\"name\":\"a b\",\"strict\":true}},{\"type\":"
        "\"function\",\"function\":{\"name\":\"c\",\"description\":\"\",\"parameters\":{\"type\":"
        "\"object\",\"x\":null}}},{\"type\":\"function\",\"function\":{\"name\":\"d\","
        "\"description\":"
        "\"D\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}}]");
    buf_free(&out);
    row_tools_free(&tools);
}

static void test_scrubbed(void **state)
{
    (void)state;
    struct buf text = {0};
    struct json_members scrubbed_members = {0};
    read_row("{\"prompt\":\"p\",\"privileged\":{\"reference\":\"x\"},\"lineage\":{\"rubric\":1,"
             "\"run\":2},\"steps\":"
             "[{\"tool\":\"f\",\"arguments\":{\"reference\":\"kept\"}}]}");
    struct row clean = export_scrubbed(&row, &text, &scrubbed_members);
    assert_true(span_is(
        clean.line,
        "{\"prompt\":\"p\",\"lineage\":{\"run\":2},\"steps\":[{\"tool\":\"f\",\"arguments\":"
        "{\"reference\":\"kept\"}}]}"));
    read_row("{\"prompt\":\"p\"}");
    clean = export_scrubbed(&row, &text, &scrubbed_members);
    assert_ptr_equal(clean.line.ptr, row.line.ptr);
    buf_free(&text);
    json_members_free(&scrubbed_members);
}

static void test_hash(void **state)
{
    (void)state;
    char hash[13];
    export_hash(SPAN("p"), hash);
    assert_string_equal(hash, "516b9783fca5"); /* sha1sum */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_from_steps),   TEST(test_thoughts), TEST(test_arguments),
        TEST(test_ids),          TEST(test_cut),      TEST(test_roles_and_parts),
        TEST(test_system_turns), TEST(test_tools),    TEST(test_scrubbed),
        TEST(test_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
