/* Shapes and validation of single rows, and the check over many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "files.h"
#include "row/check.h"

static struct json_members members;
static struct error error;

static struct row row_of(const char *text)
{
    struct row row;
    struct json_fault fault;
    assert_int_equal(row_of_text(span_text(text), &row, &members, &fault), 0);
    return row;
}

static void shape_is(const char *text, const char *shape)
{
    struct row row = row_of(text);
    assert_string_equal(row_shape_name(row_shape(&row)), shape);
}

static void test_shapes(void **state)
{
    (void)state;
    shape_is("[1]", "loose");
    shape_is("{}", "loose");
    shape_is("{\"schema_version\":null}", "v1");
    shape_is("{\"schema_\\u0076ersion\":\"1\"}", "v1"); /* an escaped name is the same name */
    shape_is("{\"schema_version\":\"1\",\"steps_json\":\"[]\"}", "v1");
    shape_is("{\"steps_json\":[],\"metadata_json\":\"{}\"}", "hf_flat");
    shape_is("{\"steps_json\":[],\"scenario_id\":\"s\"}", "engine");
    shape_is("{\"messages_json\":null,\"conversation_id\":1}", "otel");
    shape_is("{\"messages\":[1],\"steps\":[],\"scenario_id\":\"s\"}", "training");
    shape_is("{\"messages\":[],\"scenario_id\":\"s\"}", "engine");
    shape_is("{\"messages\":[1],\"steps\":[1]}", "loose");
    shape_is("{\"messages\":[1],\"final_text\":null}", "loose");
    shape_is("{\"messages\":[1],\"steps\":0}", "training");
    shape_is("{\"scenario_id\":0}", "engine");
    shape_is("{\"scenario_id\":null,\"tool_trace\":[],\"steps\":null}", "platform_pull");
    shape_is("{\"tool_trace\":{},\"conversation_id\":\"c\"}", "otel");
    shape_is("{\"tool_trace\":[],\"steps\":[1],\"conversation_id\":null}", "loose");
    shape_is("{\"scenario_id\":\"a\",\"scenario_id\":null}", "loose"); /* the last one counts */
}

static void problems_are(enum row_kind kind, bool strict, const char *text, const char *wanted)
{
    struct row row = row_of(text);
    struct row_problems p = {0};
    struct buf list = {0};
    row_problem_add(&p, "left over", (struct span){0});
    row_validate(&row, kind, strict, &p);
    row_problems_list(&p, &list);
    assert_string_equal(buf_cstr(&list), wanted);
    buf_free(&list);
    row_problems_free(&p);
}

static void test_alone(void **state)
{
    (void)state;
    for (enum row_kind kind = ROW_KIND_ROW; kind <= ROW_KIND_PREFERENCE; kind++) {
        for (int strict = 0; strict < 2; strict++) {
            problems_are(kind, strict, "[1]", "not_a_dict");
            problems_are(kind, strict, "null", "not_a_dict");
            problems_are(kind, strict, " { } ", "empty_row");
            problems_are(kind, strict, "{\"schema_version\":2}", "unknown_schema_version:2");
            problems_are(kind, strict, "{\"schema_version\":1.0}", "unknown_schema_version:1.0");
            problems_are(kind, strict, "{\"schema_version\":true}", "unknown_schema_version:True");
            problems_are(kind, strict, "{\"schema_version\":[\"a\\u0000,\"]}",
                         "unknown_schema_version:['a\\x00,']");
            problems_are(kind, strict, "{\"schema_version\":\"\"}", "unknown_schema_version:");
        }
    }
}

static void test_row(void **state)
{
    static const struct {
        const char *members, *problems;
    } CASES[] = {
        {"\"x\":1", ""},
        {"\"prompt\":\"\",\"steps\":[],\"final_text\":\"\",\"reward\":null", ""},
        {"\"prompt\":1,\"steps\":\"x\",\"final_text\":[]",
         "prompt_not_str, steps_not_list, final_text_not_str"},
        {"\"prompt\":null", "prompt_not_str"},
        {"\"reward\":false", "reward_is_bool"},
        {"\"reward\":\"0\"", "reward_not_number"},
        {"\"reward\":NaN", ""},
        {"\"reward\":-7", ""},
        {"\"calibration\":null", ""},
        {"\"calibration\":[]", "calibration_invalid"},
        {"\"calibration\":{\"n\":4,\"pass_rate\":0.5}", ""},
        {"\"calibration\":{\"n\":\"4\",\"pass_rate\":\" 1e0 \"}", ""},
        {"\"calibration\":{\"n\":true,\"pass_rate\":false}", ""},
        {"\"calibration\":{\"n\":0.9,\"pass_rate\":0.5}", "calibration_invalid"},
        {"\"calibration\":{\"n\":4,\"pass_rate\":1.01}", "calibration_invalid"},
        {"\"calibration\":{\"n\":4,\"pass_rate\":\"nan\"}", "calibration_invalid"},
        {"\"calibration\":{\"pass_rate\":0.5}", "calibration_invalid"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[300];
        snprintf(text, sizeof text, "{\"schema_version\":\"1\",%s}", CASES[i].members);
        problems_are(ROW_KIND_ROW, false, text, CASES[i].problems);
        snprintf(text, sizeof text, "{\"schema_version\":1,%s}", CASES[i].members);
        problems_are(ROW_KIND_ROW, false, text, CASES[i].problems);
        snprintf(text, sizeof text, "{\"schema_version\":null,%s}", CASES[i].members);
        problems_are(ROW_KIND_ROW, false, text, ""); /* version 0: anything */
    }
}

static void test_training(void **state)
{
    (void)state;
    problems_are(ROW_KIND_TRAINING, false, "{\"messages\":[{\"role\":null}]}", "");
    problems_are(ROW_KIND_TRAINING, false, "{\"messages\":[{\"role\":1},7]}",
                 "message_without_role");
    problems_are(ROW_KIND_TRAINING, false, "{\"messages\":{}}", "messages_missing");
    problems_are(ROW_KIND_TRAINING, false, "{\"messages\":[{\"role\":1}],\"loss_mask\":[1.0]}", "");
    problems_are(ROW_KIND_TRAINING, false,
                 "{\"messages\":[{\"role\":1}],\"loss_mask\":[-0.0],\"tools\":null}", "");
    problems_are(ROW_KIND_TRAINING, false, "{\"messages\":[{\"role\":1}],\"loss_mask\":[2]}",
                 "loss_mask_invalid");
    problems_are(ROW_KIND_TRAINING, false, "{\"messages\":[{\"role\":1}],\"loss_mask\":[\"1\"]}",
                 "loss_mask_invalid");
    problems_are(ROW_KIND_TRAINING, false, "{\"messages\":[{\"role\":1}],\"loss_mask\":{}}",
                 "loss_mask_invalid");
    problems_are(ROW_KIND_TRAINING, false, "{\"loss_mask\":[],\"tools\":\"x\"}",
                 "messages_missing, tools_not_list, loss_mask_invalid");
    problems_are(ROW_KIND_TRAINING, false, "{\"messages\":[],\"loss_mask\":[]}",
                 "messages_missing");
    problems_are(ROW_KIND_PREFERENCE, false, "{\"chosen\":[1],\"rejected\":[2]}", "");
    problems_are(ROW_KIND_PREFERENCE, false, "{\"chosen\":\"x\"}",
                 "chosen_missing, rejected_missing");
}

static void test_strict(void **state)
{
    (void)state;
    problems_are(ROW_KIND_ROW, true, "{\"task_id\":\"t\",\"final_text\":\"\",\"reward\":1}", "");
    problems_are(ROW_KIND_ROW, true, "{\"task_id\":0,\"final_text\":null,\"reward\":1.0000001}",
                 "reward_out_of_range, task_missing, final_text_missing");
    problems_are(ROW_KIND_ROW, true, "{\"task_id\":1,\"final_text\":\"\",\"reward\":-Infinity}",
                 "reward_not_finite");
    problems_are(ROW_KIND_ROW, true,
                 "{\"task_id\":1,\"final_text\":\"\",\"markers\":{\"a\":[],\"b\":{},\"a\":\"x\","
                 "\"c\":\"1\",\"d\":1e999}}",
                 "marker_not_number:a, marker_not_number:b, marker_not_number:d, duplicate_key:a");
    problems_are(ROW_KIND_ROW, true,
                 "{\"task_id\":1,\"final_text\":\"\",\"steps\":[{\"user\":\"\"},{\"tool\":\"\"},{"
                 "\"text\":0}]}",
                 "");
    problems_are(ROW_KIND_ROW, true, "{\"task_id\":1,\"final_text\":\"\",\"steps\":[{},null]}",
                 "step_not_object, step_without_kind");
    /* At any depth, each name once, escaped or not. */
    problems_are(ROW_KIND_TRAINING, true,
                 "{\"messages\":[{\"role\":1,\"x\":{\"k\":1,\"\\u006b\":2,\"k\":3}},{\"role\":1,"
                 "\"k\":1,\"k\":2}]}",
                 "duplicate_key:k");
    problems_are(ROW_KIND_PREFERENCE, true,
                 "{\"chosen\":[1],\"chosen\":[2],\"rejected\":[[[{\"a\":{},\"a\":[]}]]]}",
                 "duplicate_key:chosen, duplicate_key:a");
}

static void test_version(void **state)
{
    struct buf scratch = {0};
    struct row row = row_of("{\"schema_version\":1}");
    (void)state;
    assert_true(span_is(row_version(&row, &scratch), "1"));
    row = row_of("{\"a\":1}");
    assert_true(span_is(row_version(&row, &scratch), "0"));
    buf_free(&scratch);
}

/* Rows with 10^5 members, rows nested to the bound. */
static void test_large(void **state)
{
    struct buf text = {0}, deep = {0};
    struct row_problems p = {0};
    struct row row;
    struct json_fault fault;
    (void)state;
    buf_text(&text, "{\"schema_version\":\"1\",\"task_id\":\"t\",\"final_text\":\"\"");
    for (int i = 0; i < 100000; i++)
        buf_format(&text, ",\"k%d\":%d", i % 99999, i);
    buf_byte(&text, '}');
    assert_int_equal(row_of_text(buf_span(&text), &row, &members, &fault), 0);
    row_validate(&row, ROW_KIND_ROW, true, &p);
    assert_int_equal(p.count, 1);
    assert_true(span_is(row_problem(&p, 0), "duplicate_key:k0"));
    buf_text(&deep, "{\"task_id\":1,\"final_text\":\"\",\"x\":");
    for (int i = 0; i < JSON_DEPTH_MAX - 1; i++)
        buf_byte(&deep, '[');
    for (int i = 0; i < JSON_DEPTH_MAX - 1; i++)
        buf_byte(&deep, ']');
    buf_byte(&deep, '}');
    assert_int_equal(row_of_text(buf_span(&deep), &row, &members, &fault), 0);
    row_validate(&row, ROW_KIND_ROW, true, &p);
    assert_int_equal(p.count, 0);
    row_problems_free(&p);
    buf_free(&text);
    buf_free(&deep);
}

/* The schema is JSON, and names the kinds. */
static void test_schema(void **state)
{
    (void)state;
    for (enum row_kind kind = ROW_KIND_ROW; kind <= ROW_KIND_PREFERENCE; kind++) {
        struct buf text = {0};
        struct json_value value, required;
        struct json_fault fault;
        row_schema(kind, &text);
        assert_int_equal(json_scan(buf_span(&text), &value, NULL, &fault), 0);
        assert_true(json_get(value, SPAN("required"), &required));
        assert_int_equal(row_kind_of(row_kind_name(kind)), kind);
        buf_free(&text);
    }
}

static void test_check(void **state)
{
    const char *path = "in";
    struct row_check check = {
        .source = {.paths = &path, .n_paths = 1, .options = ROW_OPTIONS_DEFAULT},
        .strict = true,
        .examples = 2};
    struct buf json = {0}, first = {0};
    (void)state;
    file_put(path, SPAN("{\"task_id\":\"t\",\"final_text\":\"a\",\"rollout_index\":0}\n"
                        "{\"task_id\":\"t\",\"final_text\":\"a\",\"rollout_index\":1}\n"
                        "{\"task_id\":\"u\",\"final_text\":\"a\",\"rollout_index\":1}\n"
                        "{\"task_id\":\"t\",\"final_text\":\"a\",\"rollout_index\":1.0}\n"
                        "{\"scenario_id\":\"t\",\"final_text\":\"a\",\"rollout_index\":1}\n"
                        "{\"task_id\":\"t\",\"final_text\":\"a\",\"rollout_index\":null}\n"
                        "{\"task_id\":\"t\",\"final_text\":\"a\",\"rollout_index\":null}\n7\n8\n"));
    for (int jobs = 1; jobs <= 3; jobs++) {
        struct row_check_report report = {0};
        check.source.options.jobs = jobs;
        assert_int_equal(row_check_run(&check, &report, &error), 0);
        assert_int_equal(report.rows, 9);
        assert_int_equal(report.bad_rows, 4); /* two repeated rollouts, two that are no objects */
        assert_int_equal(report.tasks.count, 2);
        assert_int_equal(report.named, 2);
        buf_clear(&json);
        row_check_json(&report, &json);
        if (jobs == 1)
            buf_span_add(&first, buf_span(&json));
        assert_true(span_equal(buf_span(&first), buf_span(&json)));
        row_check_free(&report);
    }
    assert_non_null(
        strstr(buf_cstr(&first),
               "{\"row\":3,\"file\":\"in\",\"line\":4,\"problems\":[\"duplicate_rollout\"]}"));
    buf_free(&json);
    buf_free(&first);
}

static int teardown(void **state)
{
    json_members_free(&members);
    return files_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes), cmocka_unit_test(test_alone),
        cmocka_unit_test(test_row),    cmocka_unit_test(test_training),
        cmocka_unit_test(test_strict), cmocka_unit_test(test_version),
        cmocka_unit_test(test_large),  cmocka_unit_test(test_schema),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, files_setup, teardown);
}
