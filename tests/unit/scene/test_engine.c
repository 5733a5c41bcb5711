/* test_engine.c: whole runs in memory, under a clock of the test's own: the end by time, by saturation,
 * the shares of the arms, the slots of mode adaptive, variants of failed asks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "scene/engine.h"
#include "text/digest.h"
#include "json/scan.h"

static const char TOOLS[] =
    "[{\"name\":\"get_order\",\"description\":\"Fetch an order. On file: A1001, "
    "A1002.\",\"parameters\":{\"type\":"
    "\"object\",\"properties\":{\"order_id\":{\"type\":\"string\"}},\"required\":[\"order_id\"]}},"
    "{\"name\":\"refund_order\",\"description\":\"Pay an order "
    "back.\",\"parameters\":{\"type\":\"object\","
    "\"properties\":{\"order_id\":{\"type\":\"string\"},\"amount\":{\"type\":\"number\"}}}}]";

/* A clock that goes on by a step whenever it is asked. */
struct ticker {
    double now, step;
};

static double tick(void *data)
{
    struct ticker *t = data;
    return t->now += t->step;
}

struct played {
    struct row_tools tools;
    struct world_options *world;
    struct world_tools *world_tools;
    struct grid grid;
    struct agent_setting agent;
    struct engine_setting setting;
    struct engine_report report;
    struct ticker ticker;
    struct buf rows;
    int64_t objects; /* of progress */
    struct engine_progress last;
};

static int take_row(void *data, struct span line, struct error *error)
{
    struct played *p = data;
    (void)error;
    buf_span_add(&p->rows, line);
    buf_byte(&p->rows, '\n');
    return 0;
}

static void take_progress(void *data, const struct engine_progress *progress)
{
    struct played *p = data;
    p->objects++;
    p->last = *progress;
}

static void ready(struct played *p, const char *mode)
{
    struct buf notes = {0};
    struct error error = {0};
    memset(p, 0, sizeof *p);
    p->world = world_options_new();
    assert_int_equal(row_tools_parse(&p->tools, span_text(TOOLS), "tools", &error), 0);
    struct grid_setting grid = {.tools = &p->tools,
                                .policy =
                                    SPAN("- Look the order up first.\n- Never refund twice, ever."),
                                .prefer_success = strcmp(mode, "rl") != 0,
                                .world = p->world};
    assert_int_equal(grid_build(&p->grid, &grid, &notes, &error), 0);
    buf_free(&notes);
    p->world_tools = world_tools_new(&p->tools, p->world, NULL);
    p->agent = (struct agent_setting){.tools = &p->tools,
                                      .world_tools = p->world_tools,
                                      .world_options = p->world,
                                      .seeded_rate = 0.35,
                                      .jobs = 1};
    struct topology_wish wish = {.mode = mode, .probe = 2};
    p->setting = (struct engine_setting){
        .agent = agent_open("seeded", &p->agent, &error),
        .tools = &p->tools,
        .world = p->world,
        .grid = &p->grid,
        .model_version = "seeded_agent",
        .budget = 200,
        .round = 32,
        .jobs = 1,
        .runs = 1,
        .rerolls = 1,
        .hard_share = 0.4,
        .clock = tick,
        .clock_data = &p->ticker,
        .events = {.row = take_row, .progress = take_progress, .data = p},
    };
    assert_non_null(p->setting.agent);
    assert_int_equal(topology_resolve(&wish, &p->setting.topology, &error), 0);
}

static void play(struct played *p)
{
    struct error error = {0};
    if (engine_run(&p->setting, &p->report, &error))
        fail_msg("%s", error.text);
}

static void done(struct played *p)
{
    engine_report_free(&p->report);
    agent_close(p->setting.agent);
    world_tools_free(p->world_tools);
    grid_free(&p->grid);
    row_tools_free(&p->tools);
    world_options_free(p->world);
    buf_free(&p->rows);
}

/* The time is up in the middle: whole rounds, the same at every run, and said so. */
static void the_clock_ends_a_run(void **state)
{
    (void)state;
    struct played a, b;
    ready(&a, "explore");
    a.ticker.step = 0.25;
    a.setting.time_budget = 100;
    play(&a);
    assert_int_equal(a.report.stop, STOP_TIME);
    assert_true(a.report.rows > 0 && a.report.rows < 200);
    assert_false(stop_is_failure(a.report.stop));
    ready(&b, "explore");
    b.ticker.step = 0.25;
    b.setting.time_budget = 100;
    play(&b);
    assert_true(span_equal(buf_span(&a.rows), buf_span(&b.rows)));
    done(&a);
    done(&b);
    ready(&a, "explore");
    a.ticker.step = 1e-9;
    a.setting.time_budget = 100;
    play(&a);
    assert_int_equal(a.report.stop, STOP_BUDGET);
    assert_int_equal(a.report.rows, 200);
    assert_false(a.report.closing);
    done(&a);
}

/* Too little is left for another rollout: nothing new is begun, queued repeats are played. */
static void closing(void **state)
{
    (void)state;
    struct played p;
    ready(&p, "rl");
    p.ticker.step = 1;
    p.setting.time_budget = 400;
    p.setting.knobs = NULL;
    struct knobs knobs;
    knobs_default(&knobs);
    knobs.value[KNOB_CLOSING_MARGIN] = 300; /* a rollout takes one tick: closes when 300 are left */
    p.setting.knobs = &knobs;
    play(&p);
    assert_true(p.report.closing);
    assert_int_equal(p.report.stop, STOP_TIME);
    assert_true(p.report.rows > 0);
    assert_true(p.report.verified > 0);
    done(&p);
}

/* A clock that is out before the first row: no rows, and nobody's fault. */
static void no_time_at_all(void **state)
{
    (void)state;
    struct played p;
    ready(&p, "explore");
    p.ticker.step = 10;
    p.setting.time_budget = 1;
    play(&p);
    assert_int_equal(p.report.stop, STOP_TIME);
    assert_int_equal(p.report.rows, 0);
    done(&p);
}

static void until_saturation(void **state)
{
    (void)state;
    static const char *const modes[] = {"explore", "sft"};
    for (size_t m = 0; m < 2; m++) {
        struct played p;
        ready(&p, modes[m]);
        p.setting.budget = 50000;
        p.setting.saturate = true;
        play(&p);
        assert_int_equal(p.report.stop, STOP_SATURATION);
        assert_true(p.report.saturated);
        assert_int_equal(p.report.grown_cells, 0);
        assert_true(learned_least(&p.report.learned) >= SATURATION_ROWS);
        for (size_t i = 0; i < p.grid.count; i++)
            assert_true(p.report.learned.fact_of[i] != MAP_NONE);
        assert_true(p.report.rows < (int64_t)(20 * p.grid.count));
        done(&p);
    }
}

/* INV-6, on three grids' worth of seeds: off the grid 5 to 10 % of the prompts, the rare arms 1 to
 * 8 %, pinned shares to the two hundredths. */
static void shares_of_the_arms(void **state)
{
    (void)state;
    static const double pinned[][ARM_COUNT] = {
        {0.5, 0, 0.3, 0.1, 0.1}, {0.25, 0.25, 0.5, 0, 0}, {0.9, 0, 0, 0.05, 0.05}, {1, 0, 0, 0, 0}};
    for (int64_t seed = 0; seed < 5; seed++)
        for (int n = 0; n < 2; n++) {
            struct played p;
            ready(&p, "explore");
            p.setting.seed = seed;
            p.setting.budget = n ? 400 : 100;
            play(&p);
            const int64_t *got = p.report.arm_prompts;
            double all = (double)p.report.prompts.count;
            assert_true((double)got[ARM_OPEN] >= 0.05 * all &&
                        (double)got[ARM_OPEN] <= 0.10 * all + 1);
            for (int a = ARM_TARGETED; a <= ARM_MUTATION; a++)
                if (!((double)got[a] >= 0.01 * all && (double)got[a] <= 0.08 * all))
                    fail_msg("seed %d: %s %d of %g", (int)seed, arm_name((enum arm)a), (int)got[a],
                             all);
            done(&p);
        }
    for (size_t i = 0; i < sizeof pinned / sizeof *pinned; i++) {
        struct played p;
        ready(&p, "explore");
        p.setting.arm_weights = pinned[i];
        p.setting.budget = 300;
        play(&p);
        double all = (double)p.report.prompts.count;
        for (int a = 0; a < ARM_COUNT; a++) {
            double share = pinned[i][a] + (a == ARM_STRUCTURED ? pinned[i][ARM_GUIDED] : 0);
            double got = (double)p.report.arm_prompts[a] / all;
            if (a != ARM_GUIDED && !(got >= share - 0.02 && got <= share + 0.02))
                fail_msg("%s: %g of %g", arm_name((enum arm)a), got, share);
            assert_true(p.report.arm_weights[a] == pinned[i][a]);
        }
        done(&p);
    }
}

static int64_t count_of(const struct buf *rows, const char *needle)
{
    int64_t n = 0;
    for (const char *at = rows->data, *end = at + rows->len; at < end; n++) {
        at = memmem(at, (size_t)(end - at), needle, strlen(needle));
        if (!at)
            return n;
        at++;
    }
    return n;
}

/* INV-16's other half: failed asks are varied in all fourteen ways, each once, in the parent's own situation. */
static void failures_are_varied(void **state)
{
    (void)state;
    static const double much[ARM_COUNT] = {[ARM_STRUCTURED] = 0.5, [ARM_MUTATION] = 0.5};
    struct played p;
    ready(&p, "rl");
    p.setting.topology.repeats = 1;
    p.setting.budget = 800;
    p.setting.arm_weights = much;
    play(&p);
    for (int m = 0; m < MUTATION_COUNT; m++)
        if (!p.report.mutations[m])
            fail_msg("never: %s", mutation_name((enum mutation)m));
    assert_true(p.report.arm_rows[ARM_MUTATION] > 250);
    assert_int_equal(count_of(&p.rows, "\"parent_failure_id\":"), p.report.arm_rows[ARM_MUTATION]);
    assert_int_equal(count_of(&p.rows, "\"arm\":\"failure_mutation\""),
                     p.report.arm_rows[ARM_MUTATION]);
    assert_true(p.report.aims[AIM_WORLD_FAULT].parents > 0);
    assert_int_equal(p.report.aims[AIM_WORLD_FAULT].rows, p.report.arm_rows[ARM_MUTATION]);
    assert_int_equal(p.report.prompts.count, 800); /* no text twice */
    done(&p);
    ready(&p, "rl");
    p.setting.topology.repeats = 1;
    p.setting.arm_weights = much;
    p.setting.keep_failures = true;
    play(&p);
    assert_int_equal(p.report.arm_rows[ARM_MUTATION], 0);
    done(&p);
}

/* Every round of mode adaptive is split as the plan says, as long as there is something of each kind. */
static void rounds_of_mode_adaptive(void **state)
{
    (void)state;
    struct played p;
    ready(&p, "adaptive");
    p.setting.budget = 64;
    p.setting.arm_weights = (const double[ARM_COUNT]){1, 0, 0, 0, 0};
    play(&p);
    assert_int_equal(p.setting.topology.phrasings, 3);
    assert_int_equal(p.setting.topology.repeats, 3);
    assert_int_equal(p.report.rows, 64);
    /* the first round has nothing in use and nothing queued when it begins: its 3 + 3 are new ones */
    assert_int_equal(p.report.expanded, 3);
    assert_int_equal(p.report.verified, 3);
    assert_int_equal(p.report.explored, 58);
    done(&p);
}

static void progress(void **state)
{
    (void)state;
    struct played p;
    ready(&p, "explore");
    p.setting.budget = 95;
    p.setting.runs = 2;
    play(&p);
    assert_int_equal(p.objects, 9 + 1 + 9 + 1); /* every ten rollouts, and the end of each run */
    assert_int_equal(p.last.landed, 190);
    assert_int_equal(p.last.cap, 190);
    assert_int_equal(p.last.inflight, -1);
    assert_true(p.report.learned.n_curve == 6 && p.report.learned.curve[5].rows == 190);
    done(&p);
}

/* Cells from the front of the axes, as long as there are any, and the row says which. */
static void steering(void **state)
{
    (void)state;
    struct played p;
    ready(&p, "explore");
    p.setting.steering = 1;
    p.setting.budget = 40;
    p.setting.arm_weights = (const double[ARM_COUNT]){1, 0, 0, 0, 0};
    play(&p);
    int64_t marked = count_of(&p.rows, "\"steering\":{\"origin\":\"targeted\",\"weight\":1.0}");
    assert_true(marked >= 5 && marked <= 40); /* as many as stand in front on all three axes */
    assert_true(count_of(&p.rows, "\"tool\":\"get_order\",\"rule\"") +
                    count_of(&p.rows, "\"tool\":\"refund_order\",\"rule\"") >=
                marked); /* the front half of four values */
    done(&p);
    ready(&p, "explore");
    p.setting.budget = 40;
    play(&p);
    assert_int_equal(count_of(&p.rows, "\"steering\""), 0);
    done(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_ends_a_run),
        cmocka_unit_test(closing),
        cmocka_unit_test(no_time_at_all),
        cmocka_unit_test(until_saturation),
        cmocka_unit_test(shares_of_the_arms),
        cmocka_unit_test(failures_are_varied),
        cmocka_unit_test(rounds_of_mode_adaptive),
        cmocka_unit_test(progress),
        cmocka_unit_test(steering),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
