/* test_gate.c: gates are red exactly when they should be (measure 11). */
#include <math.h>

#include "rows.h"

static void limits_as_written(void **state)
{
    (void)state;
    struct span metric;
    double limit;
    struct error error;
    assert_int_equal(gate_read("0.5", &metric, &limit, &error), 0);
    assert_true(span_is(metric, "pass_at_1") && limit == 0.5);
    assert_int_equal(gate_read("marker:a=b=-1e-3", &metric, &limit, &error), 0);
    assert_true(span_is(metric, "marker:a=b") && limit == -1e-3);
    static const char *const bad[] = {
        "", "x", "nan", "inf", "pass_at_1=", "=0.5", "0.5x", "1e999", "a=b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(gate_read(bad[i], &metric, &limit, &error), ERROR_USAGE);
}

static struct metric_value current;

static void lookup(void *context, struct span metric, struct metric_value *out)
{
    (void)context;
    (void)metric;
    *out = current;
}

/* One --fail-under or --fail-over of `limit` on `current`: the reason, "" when green. */
static const char *reason(bool under, const char *limit, const char *on)
{
    struct gate_options options = {.on = on};
    struct option_list list = {&limit, 1, 1};
    if (under)
        options.fail_under = list;
    else
        options.fail_over = list;
    struct gates gates = {0};
    gates_judge(&options, lookup, NULL, &gates);
    assert_int_equal(gates.count, 1);
    assert_true(gates.items[0].red == (gates.items[0].reason[0] != '\0'));
    assert_true(gates.items[0].text[0] != '\0');
    const char *why = gates.items[0].reason;
    gates_free(&gates);
    return why;
}

static void values_meet_limits(void **state)
{
    (void)state;
    current = (struct metric_value){0.5, {0.4, 0.6}, true, 10, true};
    assert_string_equal(reason(true, "0.5", "point"), "");
    assert_string_equal(reason(true, "0.5000000000005", "point"),
                        ""); /* slack in the user's favour */
    assert_string_equal(reason(true, "0.50001", "point"), "under_limit");
    assert_string_equal(reason(true, "0.45", "lower"), "under_limit");
    assert_string_equal(reason(true, "0.4", "lower"), "");
    assert_string_equal(reason(false, "0.5", "point"), "");
    assert_string_equal(reason(false, "0.49", "point"), "over_limit");
    assert_string_equal(reason(false, "0.55", "upper"), "over_limit");
    assert_string_equal(reason(false, "0.6", "upper"), "");
}

static void what_is_not_known_is_red(void **state)
{
    (void)state;
    current = (struct metric_value){NAN, INTERVAL_NONE, true, 0, false};
    assert_string_equal(reason(true, "0", "point"), "not_measured");
    assert_string_equal(reason(false, "1", "upper"), "not_measured");
    current = (struct metric_value){0.0, INTERVAL_NONE, false, 0, false};
    assert_string_equal(reason(false, "3", "point"), "no_verdicts");
    current = (struct metric_value){1.0, INTERVAL_NONE, true, 2, true};
    assert_string_equal(reason(true, "0.5", "lower"), "no_interval");
    assert_string_equal(reason(true, "0.5", "point"), "");
    current = (struct metric_value){1.0, INTERVAL_NONE, false, 2, true};
    assert_string_equal(reason(true, "0.5", "lower"), ""); /* a share has no interval to ask for */
}

static void strict(void **state)
{
    (void)state;
    struct notes warnings = {0};
    struct gates gates = {0};
    gates_strict(&warnings, true, &gates);
    assert_int_equal(gates_red(&gates), 0);
    assert_int_equal(gates.count, 1);
    gates_strict(&warnings, false, &gates);
    assert_int_equal(gates_red(&gates), 1);
    notes_add(&warnings, "bad_lines", "2 bad lines");
    notes_add(&warnings, "boolean_rewards", "3 rows");
    gates_strict(&warnings, true, &gates);
    assert_int_equal(gates_red(&gates), 3);
    notes_free(&warnings);
    gates_free(&gates);
}

static const char *against(enum baseline_rule rule, double delta, double low, double high,
                           enum change_verdict verdict, double run_std, double runs)
{
    struct metric_change change = {.delta = delta,
                                   .ci95 = {low, high},
                                   .verdict = verdict,
                                   .level = STAT_LEVEL,
                                   .n_used = 9,
                                   .paired = true};
    struct baseline_options options = {rule, 0.05, run_std, runs};
    struct gates gates = {0};
    gate_baseline(&change, "pass_at_1", &options, &gates);
    const char *why = gates.items[0].reason;
    assert_true(gates.items[0].red == (*why != '\0'));
    gates_free(&gates);
    return why;
}

static void baselines(void **state)
{
    (void)state;
    enum change_verdict worse = CHANGE_A_BETTER, none = CHANGE_NONE, unknown = CHANGE_INSUFFICIENT;
    assert_string_equal(against(BASELINE_REGRESS, -0.1, -0.2, -0.01, worse, NAN, NAN), "regressed");
    assert_string_equal(against(BASELINE_REGRESS, -0.1, -0.2, 0.01, none, NAN, NAN), "");
    assert_string_equal(against(BASELINE_REGRESS, -0.1, -0.2, -0.01, worse, 0.04, NAN), "");
    assert_string_equal(against(BASELINE_REGRESS, -0.1, -0.2, -0.01, worse, 0.02, NAN),
                        "regressed");
    assert_string_equal(against(BASELINE_REGRESS, -0.1, -0.2, -0.01, worse, 0.02, 3), "");
    assert_string_equal(against(BASELINE_REGRESS, -0.1, NAN, NAN, unknown, NAN, NAN),
                        "insufficient_data");
    assert_string_equal(against(BASELINE_REGRESS, NAN, NAN, NAN, unknown, NAN, NAN),
                        "not_measured");
    assert_string_equal(against(BASELINE_NONINFERIOR, 0.0, -0.04, 0.04, none, NAN, NAN), "");
    assert_string_equal(against(BASELINE_NONINFERIOR, 0.0, -0.05, 0.05, none, NAN, NAN),
                        "loss_not_excluded");
    assert_string_equal(against(BASELINE_NONINFERIOR, 0.0, NAN, NAN, unknown, NAN, NAN),
                        "no_interval");
    assert_string_equal(against(BASELINE_DROP, -0.05, NAN, NAN, unknown, NAN, NAN), "");
    assert_string_equal(against(BASELINE_DROP, -0.06, NAN, NAN, unknown, NAN, NAN), "dropped");
    assert_string_equal(against(BASELINE_DROP, NAN, NAN, NAN, unknown, NAN, NAN), "not_measured");
}

static void names_of_metrics(void **state)
{
    (void)state;
    struct error error;
    for (size_t i = 0; PASSAT_METRICS[i]; i++)
        assert_int_equal(passat_metric_check(span_text(PASSAT_METRICS[i]), false, &error), 0);
    assert_int_equal(passat_metric_check(SPAN("marker:a/b"), false, &error), 0);
    assert_int_equal(passat_metric_check(SPAN("a/b/pass_at_1"), true, &error), 0);
    assert_int_equal(passat_metric_check(SPAN("a/pass_at_1"), false, &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "--by"));
    assert_int_equal(passat_metric_check(SPAN("pass@1"), true, &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "pass_at_1"));
    assert_int_equal(passat_metric_check(SPAN("marker:"), true, &error), ERROR_USAGE);
    assert_true(span_is(passat_metric_marker(SPAN("marker:a/b")), "a/b"));
    assert_true(span_is(passat_metric_marker(SPAN("slice/marker:m")), "m"));
    assert_null(passat_metric_marker(SPAN("slice/pass_at_1")).ptr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_as_written),
        cmocka_unit_test(values_meet_limits),
        cmocka_unit_test(what_is_not_known_is_red),
        cmocka_unit_test(strict),
        cmocka_unit_test(baselines),
        cmocka_unit_test(names_of_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
