/* test_ci.c: what CI systems read is well formed whatever a row holds (measure 11). */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/ci.h"
#include "rows.h"

static void gate_of(struct gates *gates, const char *metric, const char *text, bool red)
{
    gates->items = mem_grow(gates->items, &gates->cap, gates->count + 1, sizeof *gates->items);
    gates->items[gates->count++] = (struct gate){.metric = mem_text(metric),
                                                 .rule = "fail-under",
                                                 .limit = 0.5,
                                                 .on = "point",
                                                 .value = 0.25,
                                                 .interval = INTERVAL_NONE,
                                                 .red = red,
                                                 .reason = red ? "under_limit" : "",
                                                 .text = mem_text(text)};
}

static size_t count_of(struct span text, const char *needle)
{
    size_t count = 0;
    for (size_t at = 0; (at = span_find(text, span_text(needle), at)) != (size_t)-1; at++)
        count++;
    return count;
}

static void junit_escapes(void **state)
{
    (void)state;
    struct gates gates = {0};
    struct notes none = {0};
    gate_of(&gates, "a<b>&\"c\"\n\x1b", "text <&>", true);
    gate_of(&gates, "fine", "fine", false);
    struct task_rate tasks[] = {{SPAN("t\xff\xed\xa0\x80\xef\xbf\xbe]]>"), 4, 3, 0.75},
                                {SPAN("ok"), 1, 1, 1.0}};
    struct span rest[] = {SPAN("never graded")};
    struct ci_property property = {"policy_version", SPAN("\"m@1\"")};
    struct ci_report report = {.tool = "wai-passat",
                               .headline = "h",
                               .gates = &gates,
                               .notes = &none,
                               .warnings = &none,
                               .properties = &property,
                               .n_properties = 1,
                               .tasks = tasks,
                               .n_tasks = 2,
                               .unjudged = rest,
                               .n_unjudged = 1};
    struct ci_options options = {.junit_tasks = true, .task_floor = 1.0};
    struct buf out = {0};
    ci_junit(&report, &options, &out);
    struct span xml = buf_span(&out);
    assert_true(span_has(xml, SPAN("tests=\"5\" failures=\"2\" errors=\"0\" skipped=\"1\"")));
    assert_true(span_has(
        xml, SPAN("name=\"a&lt;b&gt;&amp;&quot;c&quot;&#10;\xef\xbf\xbd fail-under 0.5\"")));
    assert_true(span_has(xml, SPAN("name=\"t\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd]]&gt;\"")));
    assert_true(span_has(xml, SPAN("message=\"3 of 4 tries pass, 0.75; the floor is 1\"")));
    assert_true(span_has(xml, SPAN("value=\"&quot;m@1&quot;\"")));
    assert_int_equal(count_of(xml, "<testcase"), 5);
    assert_int_equal(count_of(xml, "<skipped/>"), 1);
    assert_int_equal(count_of(xml, "\x1b"), 0);
    options.junit_tasks = false;
    buf_clear(&out);
    ci_junit(&report, &options, &out);
    assert_int_equal(count_of(buf_span(&out), "<testcase"), 2);
    buf_free(&out);
    gates_free(&gates);
}

static void annotations_escape_and_stop(void **state)
{
    (void)state;
    struct gates gates = {0};
    struct notes warnings = {0}, none = {0};
    for (int i = 0; i < 13; i++) {
        gate_of(&gates, "m", "100% over\r\nline: a, b", true);
        notes_add(&warnings, "bad_lines", "left out %d", i);
    }
    struct ci_report report = {.tool = "wai:passat,x",
                               .headline = "pass@1 0.5",
                               .gates = &gates,
                               .notes = &none,
                               .warnings = &warnings};
    struct buf out = {0};
    ci_github(&report, &out);
    struct span text = buf_span(&out);
    assert_true(
        span_has(text, SPAN("::error title=wai%3Apassat%2Cx::100%25 over%0D%0Aline: a, b\n")));
    assert_int_equal(count_of(text, "::error "), 11);
    assert_int_equal(count_of(text, "::warning "), 11);
    assert_int_equal(count_of(text, "::and 3 more\n"), 2);
    assert_int_equal(count_of(text, "::notice title=wai%3Apassat%2Cx::pass@1 0.5\n"), 1);
    assert_int_equal(count_of(text, "\n"), 23);
    buf_free(&out);
    gates_free(&gates);
    notes_free(&warnings);
}

static void markdown_cells_stay_cells(void **state)
{
    (void)state;
    struct gates gates = {0};
    struct notes none = {0};
    gate_of(&gates, "a|b`<script>&\n[x](y)*", "t", true);
    struct ci_row row = {"pass_at_1", 0.25, {0.1, 0.5}, 7};
    struct ci_report report = {.tool = "wai-passat",
                               .headline = "h",
                               .gates = &gates,
                               .notes = &none,
                               .warnings = &none,
                               .rows = &row,
                               .n_rows = 1};
    struct buf out = {0};
    ci_summary(&report, &out);
    struct span text = buf_span(&out);
    assert_true(span_has(text, SPAN("| pass_at_1 | 0.25 | 0.1..0.5 | 7 | |\n")));
    assert_true(span_has(text, SPAN("| a\\|b\\`&lt;script>&amp;\\\\n\\[x\\](y)\\* | 0.25 |")));
    assert_true(span_has(text, SPAN("| red fail-under 0.5: under_limit |\n")));
    buf_free(&out);
    gates_free(&gates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(junit_escapes),
        cmocka_unit_test(annotations_escape_and_stop),
        cmocka_unit_test(markdown_cells_stay_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
