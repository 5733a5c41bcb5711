/* test_writer.c: template messages: distinct, without labels and tool names, honest about the cell;
 * and the rule of the successive policy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/map.h"
#include "scene/groups.h"
#include "scene/template.h"
#include "text/fold.h"

static const char TOOLS[] =
    "[{\"name\":\"get_order\",\"description\":\"Looks up "
    "A1001.\",\"parameters\":{\"properties\":{\"order_id\":{}}}},"
    "{\"name\":\"escalate_to_human\"},{\"name\":\"search_flights\"},{\"name\":\"refund\","
    "\"description\":\"Pays a buyer back.\"},"
    "{\"name\":\"buscar_a\xc3\xb1o\",\"description\":\"Searches by year.\"}]";

static void messages(void **state)
{
    static const char *const labels[] = {"get_order",
                                         "escalate_to_human",
                                         "multi_tool",
                                         "unspecified",
                                         "malformed",
                                         "permission_denied",
                                         "adversarial",
                                         "boundary",
                                         "scenario",
                                         "prior_failure",
                                         "%"};
    struct row_tools tools = {0};
    struct world_options *world = world_options_new();
    struct grid grid;
    struct buf notes = {0}, text = {0};
    struct error error;
    struct map seen = {0};
    (void)state;
    assert_int_equal(row_tools_parse(&tools, span_text(TOOLS), "tools", &error), 0);
    struct grid_setting setting = {
        .tools = &tools,
        .policy = SPAN("- Refunds above the total need a manager.\n- Never promise a date."),
        .world = world};
    assert_int_equal(grid_build(&grid, &setting, &notes, &error), 0);
    struct template_writer *writer = template_open(&grid, &tools);
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < grid.count; i++) {
            const struct cell *cell = &grid.cells[i];
            uint32_t variant = (uint32_t)pass * 8;
            const char *texture;
            bool fresh;
            assert_true(template_write(writer, cell, &variant, &text, &texture));
            map_add(&seen, buf_span(&text), &fresh);
            assert_true(fresh);
            size_t words = text_word_count(buf_span(&text));
            assert_int_equal(message_length_of(buf_span(&text)), words <= 16   ? MESSAGE_SHORT
                                                                 : words >= 40 ? MESSAGE_LONG
                                                                               : MESSAGE_MEDIUM);
            for (size_t j = 0; j < sizeof labels / sizeof *labels; j++)
                if (strstr(buf_cstr(&text), labels[j]))
                    fail_msg("\"%s\" in: %s", labels[j], buf_cstr(&text));
            bool missing = span_is(cell->value[AXIS_WORLD], "entity missing");
            if (missing) /* no id that is on file */
                assert_null(strstr(buf_cstr(&text), "A1001"));
            if (span_is(cell->value[AXIS_HISTORY], "fresh")) {
                assert_null(strstr(buf_cstr(&text), "last week"));
                assert_null(strstr(buf_cstr(&text), "first try"));
            }
        }
    assert_int_equal(seen.count, 3 * grid.count);
    template_close(writer);
    map_free(&seen);
    buf_free(&text);
    buf_free(&notes);
    grid_free(&grid);
    row_tools_free(&tools);
    world_options_free(world);
}

static void a_message_is_masked(void **state)
{
    struct buf a = {0}, b = {0};
    (void)state;
    message_masked(SPAN("Cancel order A1001,  please"), &a);
    message_masked(SPAN("cancel ORDER B-22,\nplease"), &b);
    assert_true(span_equal(buf_span(&a), buf_span(&b)));
    buf_free(&a);
    buf_free(&b);
}

static int64_t land(struct succession *s, struct group *g, const char *label, bool fresh)
{
    g->landed++;
    g->queued = succession_landed(s, g, label, false, fresh);
    return g->queued;
}

static void successive_groups(void **state)
{
    struct succession s;
    struct group alike = {.scheduled = 2}, split = {.scheduled = 2}, late = {.scheduled = 2};
    (void)state;
    succession_open(&s, 4, 2, 1);
    assert_int_equal(land(&s, &split, "a", true), 0);
    assert_int_equal(land(&s, &split, "b", true), 2); /* the rest at once */
    assert_int_equal(split.state, GROUP_MIXED);
    assert_int_equal(s.mixed, 1);
    assert_int_equal(land(&s, &alike, "a", true), 0);
    /* hazard(2) = 1/4; rate = (1 + 1) / (2 + 2) = 1/2, over the probe 1/4: not more, so it stops */
    assert_int_equal(land(&s, &alike, "a", true), 0);
    assert_int_equal(alike.state, GROUP_STOPPED);
    assert_true(succession_rate(&s) == 0.5);
    assert_true(succession_hazard(&s, 2) == 0.25);
    assert_int_equal(land(&s, &late, "a", false), 0);
    assert_int_equal(land(&s, &late, "a", false), 1); /* nothing fresh: go on */
    late.scheduled = 3;
    late.queued = 0;
    assert_int_equal(land(&s, &late, "c", false), 1);
    assert_int_equal(late.state, GROUP_MIXED);
    assert_int_equal(s.seen[2], 1);
    assert_int_equal(s.split[2], 1);
    struct group_counts counts = {0};
    group_counts_add(&counts, &alike, 4);
    group_counts_add(&counts, &split, 4);
    assert_int_equal(counts.stopped, 1);
    assert_int_equal(counts.saved, 2);
    assert_int_equal(counts.partial, 1);
    assert_true(group_is_cut(&split, 4));
    succession_close(&s);
}

static void truncated_rollouts_have_no_label(void **state)
{
    struct succession s;
    struct group g = {.scheduled = 2};
    (void)state;
    succession_open(&s, 2, 2, 1);
    succession_landed(&s, &g, "a", true, true);
    succession_landed(&s, &g, "b", false, true);
    assert_false(g.mixed);
    assert_int_equal(g.state, GROUP_COMPLETE);
    assert_int_equal(g.truncated, 1);
    succession_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages),
        cmocka_unit_test(a_message_is_masked),
        cmocka_unit_test(successive_groups),
        cmocka_unit_test(truncated_rollouts_have_no_label),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
