/* test_world.c: one call in order, memory, writes, faults, options; the calculator; patterns of
 * names. The differential run against the reference package is tests/interop/world.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "world/names.h"
#include "world/placeholder.h"
#include "world/world.h"

struct fixture {
    struct arena arena;
    struct row_tools list;
    struct world_options *options;
    struct world_tools *tools;
    struct world *world;
    struct buf out;
};

static void open_world(struct fixture *f, const char *tools, const char *options)
{
    struct error error = {0};
    *f = (struct fixture){.options = world_options_new()};
    assert_int_equal(row_tools_parse(&f->list, span_text(tools), "tools", &error), 0);
    if (options)
        assert_int_equal(world_options_read(f->options, span_text(options), "options", &error), 0);
    f->tools = world_tools_new(&f->list, f->options, NULL);
    f->world = world_new(f->tools, f->options);
    world_start(f->world, 0, NULL, WORLD_STATE_NONE);
}

static void close_world(struct fixture *f)
{
    world_free(f->world);
    world_tools_free(f->tools);
    world_options_free(f->options);
    row_tools_free(&f->list);
    arena_free(&f->arena);
    buf_free(&f->out);
}

static const struct node *tree(struct fixture *f, const char *json)
{
    struct json_value value;
    struct json_fault fault;
    assert_int_equal(json_scan(span_text(json), &value, NULL, &fault), 0);
    return node_parse(&f->arena, value);
}

/* The answer as JSON. */
static const char *call(struct fixture *f, const char *tool, const char *arguments)
{
    buf_clear(&f->out);
    node_json(world_call(f->world, span_text(tool), tree(f, arguments)), false, &f->out);
    return buf_cstr(&f->out);
}

static const char TOOLS[] =
    "[{\"name\":\"get_order\",\"parameters\":{\"properties\":{\"order_id\":{\"type\":\"string\"}},"
    "\"required\":[\"order_id\"]}},{\"name\":\"create_order\"},{\"name\":\"delete_order\"},"
    "{\"name\":\"update_order\"},{\"name\":\"write_file\"},{\"name\":\"calculate\"}]";

static void refusals_come_in_order(void **state)
{
    struct fixture f;
    (void)state;
    open_world(&f, TOOLS, "{\"exists_share\":1}");
    assert_string_equal(call(&f, "nothing", "{}"),
                        "{\"status\":\"error\",\"reason\":\"unknown_tool\",\"tool\":\"nothing\"}");
    assert_string_equal(call(&f, "get_order", "[]"),
                        "{\"status\":\"rejected\",\"reason\":\"arguments_not_object\"}");
    assert_string_equal(
        call(&f, "get_order", "{\"order_id\":\"\"}"),
        "{\"status\":\"rejected\",\"reason\":\"missing_required\",\"fields\":[\"order_id\"]}");
    assert_non_null(
        strstr(call(&f, "get_order", "{\"order_id\":\"[id]\"}"), "placeholder_argument"));
    world_start(f.world, 0, NULL, WORLD_STATE_MISSING);
    assert_string_equal(call(&f, "get_order", "{\"order_id\":\"A1\"}"),
                        "{\"status\":\"not_found\",\"missing\":[\"A1\"]}");
    assert_string_equal(call(&f, "update_order", "{}"),
                        "{\"status\":\"not_found\",\"missing\":[\"entity\"]}");
    world_start(f.world, 0, NULL, WORLD_STATE_DONE);
    assert_string_equal(call(&f, "update_order", "{\"order_id\":\"A1\"}"),
                        "{\"status\":\"already_done\",\"reason\":\"already_acted_on\"}");
    assert_non_null(strstr(call(&f, "get_order", "{\"order_id\":\"A1\"}"), "\"status\":\"ok\""));
    close_world(&f);
}

static void a_world_remembers(void **state)
{
    struct fixture f;
    (void)state;
    open_world(&f, TOOLS, "{\"exists_share\":0}");
    assert_string_equal(call(&f, "get_order", "{\"order_id\":\"A1\"}"),
                        "{\"status\":\"not_found\",\"missing\":[\"A1\"]}");
    assert_non_null(strstr(call(&f, "create_order", "{\"id\":\"A1\"}"),
                           "\"status\":\"created\",\"id\":\"A1\""));
    assert_non_null(strstr(call(&f, "get_order", "{\"order_id\":\"A1\"}"), "\"status\":\"ok\""));
    assert_string_equal(call(&f, "delete_order", "{\"order_id\":\"A1\"}"),
                        "{\"status\":\"deleted\",\"removed\":[\"A1\"]}");
    assert_string_equal(call(&f, "get_order", "{\"order_id\":\"A1\"}"),
                        "{\"status\":\"not_found\",\"missing\":[\"A1\"]}");
    world_start(f.world, 0, NULL, WORLD_STATE_EXISTS); /* a new life has forgotten the deletion */
    assert_non_null(strstr(call(&f, "get_order", "{\"order_id\":\"A1\"}"), "\"status\":\"ok\""));
    close_world(&f);
}

static void writes_persist_when_asked(void **state)
{
    struct fixture f;
    (void)state;
    open_world(&f, TOOLS, "{\"exists_share\":0,\"persist_writes\":true}");
    call(&f, "create_order", "{\"id\":\"A1\",\"color\":\"red\"}");
    assert_non_null(
        strstr(call(&f, "update_order", "{\"order_id\":\"A1\",\"color\":\"blue\"}"), "\"ok\""));
    assert_non_null(strstr(call(&f, "get_order", "{\"order_id\":\"A1\"}"), "\"color\":\"blue\""));
    close_world(&f);
    open_world(&f, TOOLS, "{\"exists_share\":0}");
    call(&f, "create_order", "{\"id\":\"A1\",\"color\":\"red\"}");
    assert_null(strstr(call(&f, "get_order", "{\"order_id\":\"A1\"}"), "red"));
    close_world(&f);
}

static void faults_by_plan(void **state)
{
    struct fixture f;
    (void)state;
    open_world(&f, TOOLS, "{\"exists_share\":1,\"fault_clears_after\":1}");
    world_start(f.world, 0,
                tree(&f, "{\"get_order\":{\"mode\":\"permission_denied\"},\"*\":{\"rate\":0}}"),
                WORLD_STATE_NONE);
    assert_string_equal(call(&f, "get_order", "{\"order_id\":\"A1\"}"),
                        "{\"status\":\"permission_denied\"}");
    assert_non_null(
        strstr(call(&f, "get_order", "{\"order_id\":\"A1\"}"), "\"ok\"")); /* it has cleared */
    assert_string_equal(call(&f, "get_order", "{\"order_id\":\"A2\"}"),
                        "{\"status\":\"permission_denied\"}");
    assert_non_null(strstr(call(&f, "update_order", "{}"), "\"ok\""));
    /* a mode of ours needs the option */
    world_start(f.world, 0, tree(&f, "{\"*\":{\"mode\":\"server_error\"}}"), WORLD_STATE_NONE);
    assert_non_null(strstr(call(&f, "update_order", "{}"), "\"ok\""));
    close_world(&f);
    open_world(&f, TOOLS, "{\"extra_fault_modes\":true}");
    world_start(f.world, 0, tree(&f, "{\"*\":{\"mode\":\"server_error\"}}"), WORLD_STATE_NONE);
    assert_string_equal(call(&f, "update_order", "{}"),
                        "{\"status\":\"error\",\"reason\":\"internal\"}");
    world_start(f.world, 0, tree(&f, "{\"*\":{\"mode\":\"partial\"},\"world_state\":\"exists\"}"),
                WORLD_STATE_NONE);
    assert_null(strstr(call(&f, "get_order", "{\"order_id\":\"A1\"}"), "\"ref\""));
    close_world(&f);
}

static void bytes_are_bytes(void **state)
{
    struct fixture f;
    (void)state;
    open_world(&f, TOOLS, NULL);
    assert_string_equal(call(&f, "write_file", "{\"path\":\" a.txt \",\"content\":\"\xc3\xa9\"}"),
                        "{\"status\":\"ok\",\"path\":\"a.txt\",\"bytes_written\":2}");
    close_world(&f);
}

static void arguments_are_not_changed(void **state)
{
    struct fixture f;
    (void)state;
    open_world(&f, "[{\"name\":\"list_things\"}]", "{\"exists_share\":1}");
    const struct node *arguments =
        tree(&f, "{\"meta\":{\"name\":\"mine\"},\"tags\":[{\"title\":\"t\"}]}");
    world_call(f.world, SPAN("list_things"), arguments);
    buf_clear(&f.out);
    node_json(arguments, false, &f.out);
    assert_string_equal(buf_cstr(&f.out),
                        "{\"meta\":{\"name\":\"mine\"},\"tags\":[{\"title\":\"t\"}]}");
    close_world(&f);
}

static void calculates_as_python(void **state)
{
    static const char *const sums[][2] = {
        {"2 + 3*4", "14"},
        {"(7-10) // 2", "-2"},
        {"-7 % 3", "2"},
        {"7 / 2", "3.5"},
        {"2 ** -1", "0.5"},
        {"-2 ** 2", "-4"},
        {"2 ** 3 ** 2", "512"},
        {"1_000 + 0x10", "1016"},
        {"0.1 + 0.2", "0.30000000000000004"},
        {"-7.5 // 2", "-4"},
        {"-7.5 % 2", "0.5"},
        {"7 % -3", "-2"},
        {"1/3", "0.3333333333333333"},
        {"123456789012345678901234567890 % 97", "52"},
        {"(2**100) / 3", "422550200076076443709319675904"},
        {"00", "0"},
        {"5.", "5"},
        {".5*2", "1"},
        {"- -3", "3"},
        {"1/1e400", "0"},
        {"0b101 + 0o17", "20"},
        {"9007199254740993 * 1.0", "9007199254740992"},
    };
    static const char *const refused[] = {
        "",      "a + 1",       "5 / 0",     "2 ^ 3", "012", "1__0",
        "1e400", "(-8) ** 0.5", "9**9**9",   "(1",    "1)",  "1 2",
        "True",  "1 # x",       "2 ** 5000", "1.5.2", "0x",  "10 ** 400 * 1.0",
        "1,2",   "1_"};
    struct fixture f;
    struct buf arguments = {0};
    (void)state;
    open_world(&f, TOOLS, NULL);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        char want[80];
        buf_clear(&arguments);
        buf_format(&arguments, "{\"expression\":\"%s\"}", sums[i][0]);
        /* an integral real is written as an integer, digit by digit */
        const char *got = call(&f, "calculate", buf_cstr(&arguments));
        snprintf(want, sizeof want, "\"result\":%s}}", sums[i][1]);
        if (!strstr(got, want))
            fail_msg("%s: %s, not %s", sums[i][0], got, want);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        buf_clear(&arguments);
        buf_format(&arguments, "{\"expression\":\"%s\"}", refused[i]);
        if (!strstr(call(&f, "calculate", buf_cstr(&arguments)), "invalid_expression"))
            fail_msg("%s was computed: %s", refused[i], buf_cstr(&f.out));
    }
    buf_free(&arguments);
    close_world(&f);
}

static void a_deep_expression_is_refused(void **state)
{
    struct fixture f;
    struct buf arguments = {0};
    (void)state;
    open_world(&f, TOOLS, NULL);
    buf_text(&arguments, "{\"expression\":\"");
    for (int i = 0; i < 400; i++)
        buf_byte(&arguments, '(');
    buf_byte(&arguments, '1');
    for (int i = 0; i < 400; i++)
        buf_byte(&arguments, ')');
    buf_text(&arguments, "\"}");
    assert_non_null(strstr(call(&f, "calculate", buf_cstr(&arguments)), "invalid_expression"));
    buf_clear(&arguments);
    buf_text(&arguments, "{\"expression\":\"");
    for (int i = 0; i < 1000; i++)
        buf_byte(&arguments, '-');
    buf_text(&arguments, "1\"}");
    assert_non_null(strstr(call(&f, "calculate", buf_cstr(&arguments)), "invalid_expression"));
    buf_free(&arguments);
    close_world(&f);
}

static void numbers_keep_their_digits(void **state)
{
    struct fixture f;
    struct buf out = {0};
    (void)state;
    open_world(&f, TOOLS, NULL);
    node_pyjson(
        tree(&f,
             "{\"b\":-0,\"a\":[1e5,123456789012345678901234567890,1e400,\"\xc3\xa9\"],\"b\":1.50}"),
        true, &out);
    assert_string_equal(
        buf_cstr(&out),
        "{\"a\": [100000.0, 123456789012345678901234567890, Infinity, \"\\u00e9\"], \"b\": 1.5}");
    buf_clear(&out);
    node_pystr(tree(&f, "{\"k\":[true,null,1e22,\"it's\"]}"), &out);
    assert_string_equal(buf_cstr(&out), "{'k': [True, None, 1e+22, \"it's\"]}");
    buf_free(&out);
    close_world(&f);
}

static void duplicate_names_in_large_objects(void **state)
{
    struct fixture f;
    struct buf json = {0}, out = {0};
    (void)state;
    open_world(&f, TOOLS, NULL);
    buf_byte(&json, '{');
    for (int i = 0; i < 60; i++)
        buf_format(&json, "%s\"k%d\":%d", i ? "," : "", i % 30, i);
    buf_byte(&json, '}');
    const struct node *object = tree(&f, buf_cstr(&json));
    assert_int_equal(object->count, 30);
    int n = 0;
    for (const struct node *m = object->first; m; m = m->next, n++) {
        char want[16];
        snprintf(want, sizeof want, "%d", n + 30);
        assert_true(span_is(m->text, want));
    }
    buf_free(&json);
    buf_free(&out);
    close_world(&f);
}

static void placeholders(void **state)
{
    static const char *const yes[] = {
        "<x>",      "[]",     "{a b}", " <order id> ",    "your email",    "An Address",
        "ORDER ID", "string", "xxxx",  "a.b@example.com", "customer phone"};
    static const char *const no[] = {
        "", "<a>b>", "email", "xx", "your  email", "a@example.de", "strings", "id", "@test.com"};
    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(text_is_placeholder(span_text(yes[i])));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(text_is_placeholder(span_text(no[i])));
}

static void kinds_by_name(void **state)
{
    (void)state;
    assert_int_equal(kind_of(name_hints(SPAN("run_tests")), 0, false), KIND_SHELL);
    assert_int_equal(kind_of(name_hints(SPAN("get_user_profile")), KEYS_FILE, false), KIND_RECORD);
    assert_int_equal(kind_of(name_hints(SPAN("get_username")), KEYS_FILE, false), KIND_FILE);
    assert_int_equal(kind_of(name_hints(SPAN("list_prs")), KEYS_SCOPE, false), KIND_FILES);
    assert_int_equal(kind_of(name_hints(SPAN("list_orders")), KEYS_SCOPE, false), KIND_RECORD);
    assert_int_equal(kind_of(0, KEYS_CI, true), KIND_CI);
    assert_true(span_is(name_noun(SPAN("get_orders")), "order"));
    assert_true(span_is(name_noun(SPAN("list_class")), "class"));
    assert_true(span_is(name_noun(SPAN("evaluate")), "evaluate"));
    assert_true(span_is(name_noun(SPAN("get_gas")), "gas"));
    assert_true(key_is_reference(SPAN("Order_ID")) && !key_is_reference(SPAN("order")));
    assert_true(key_is_dateish(SPAN("created_at")) && key_is_dateish(SPAN("birthday")) &&
                !key_is_dateish(SPAN("days")));
}

static void options_are_checked(void **state)
{
    static const char *const bad[] = {"[]",
                                      "{\"colour\":1}",
                                      "{\"exists_share\":1.5}",
                                      "{\"search_hits\":[3,1]}",
                                      "{\"search_hits\":[0,100000]}",
                                      "{\"date_years\":[2000,0]}",
                                      "{\"people\":[]}",
                                      "{\"people\":[1]}",
                                      "{\"jitter_divisor\":0}",
                                      "{\"default_fault_mode\":\"often\"}",
                                      "{\"default_fault_mode\":\"partial\"}",
                                      "{\"condition_modes\":{\"x\":\"y\"}}",
                                      "{\"result_kinds\":{\"x\":\"y\"}}",
                                      "{\"persist_writes\":1}",
                                      "nonsense"};
    struct error error;
    struct buf out = {0};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct world_options *o = world_options_new();
        assert_int_equal(world_options_read(o, span_text(bad[i]), "options", &error), ERROR_USAGE);
        world_options_free(o);
    }
    struct world_options *o = world_options_new();
    assert_int_equal(
        world_options_read(o, SPAN("{\"condition_modes\":{\"slow\":\"timeout\"}}"), "o", &error),
        0);
    assert_true(span_is(world_mode_of(o, SPAN("slow")), "timeout"));
    assert_true(span_is(world_mode_of(o, SPAN("stale")), "stale")); /* a mode's own name */
    assert_int_equal(world_mode_of(o, SPAN("malformed_result")).len, 0);
    world_options_write(o, &out);
    struct world_options *again = world_options_new(); /* what is written can be read */
    assert_int_equal(world_options_read(again, buf_span(&out), "o", &error), 0);
    world_options_free(again);
    world_options_free(o);
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_come_in_order),
        cmocka_unit_test(a_world_remembers),
        cmocka_unit_test(writes_persist_when_asked),
        cmocka_unit_test(faults_by_plan),
        cmocka_unit_test(bytes_are_bytes),
        cmocka_unit_test(arguments_are_not_changed),
        cmocka_unit_test(calculates_as_python),
        cmocka_unit_test(a_deep_expression_is_refused),
        cmocka_unit_test(numbers_keep_their_digits),
        cmocka_unit_test(duplicate_names_in_large_objects),
        cmocka_unit_test(placeholders),
        cmocka_unit_test(kinds_by_name),
        cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
