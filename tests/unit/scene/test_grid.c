/* test_grid.c: the vectors of situations 25 and the invariants of the grid: every planned pair in
 * some cell, one rule's edit moves its own cells only. Whole grids are compared by the cases
 * plan-*. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene/clauses.h"
#include "scene/grid.h"
#include "scene/outcome.h"
#include "scene/plan.h"
#include "scene/search.h"
#include "scene/topology.h"
#include "text/digest.h"

static const char TOOLS[] =
    "[{\"name\":\"get_order\",\"description\":\"on file A1001, ORD-4017, 12B and 4A; not 1234 or "
    "ABCDE123\","
    "\"parameters\":{\"properties\":{\"order_id\":{\"type\":\"string\"}}}},"
    "{\"name\":\"refund_order\"},{\"name\":\"escalate_to_human\"},{\"name\":\"search_flights\"},"
    "{\"name\":\"getUserProfile\"},{\"name\":\"refund\"}]";

struct fixture {
    struct row_tools tools;
    struct world_options *world;
    struct grid grid;
    struct buf notes;
};

static void open_grid(struct fixture *f, const char *tools, const char *policy, bool prefer_success)
{
    struct error error = {0};
    *f = (struct fixture){.world = world_options_new()};
    assert_int_equal(row_tools_parse(&f->tools, span_text(tools), "tools", &error), 0);
    struct grid_setting setting = {.tools = &f->tools,
                                   .policy = span_text(policy),
                                   .prefer_success = prefer_success,
                                   .world = f->world};
    assert_int_equal(grid_build(&f->grid, &setting, &f->notes, &error), 0);
}

static void close_grid(struct fixture *f)
{
    grid_free(&f->grid);
    row_tools_free(&f->tools);
    world_options_free(f->world);
    buf_free(&f->notes);
}

static void facts_of_tools(void **state)
{
    static const char *const ids[] = {"A1001", "ORD-4017", "12B", "4A"};
    static const enum tool_kind kinds[] = {TOOL_READ, TOOL_DESTRUCTIVE, TOOL_OTHER,
                                           TOOL_READ, TOOL_READ,        TOOL_DESTRUCTIVE};
    struct fixture f;
    (void)state;
    open_grid(&f, TOOLS, "", true);
    assert_int_equal(f.grid.facts.n_ids, 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(span_is(f.grid.facts.ids[i], ids[i]));
    for (size_t i = 0; i < f.grid.facts.count; i++)
        assert_int_equal(f.grid.facts.items[i].kind, kinds[i]);
    assert_true(f.grid.facts.records && f.grid.facts.record_numbers);
    assert_int_equal(f.grid.facts.items[4].n_tokens, 3); /* get user profile */
    close_grid(&f);
}

static void published_hashes(void **state)
{
    (void)state;
    static const struct {
        const char *axis;
        unsigned values, offset;
    } offsets[] = {{"tool", 4, 0},
                   {"stance", 10, 8},
                   {"world_state", 6, 3},
                   {"tool_condition", 5, 3},
                   {"history", 5, 2}};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        struct buf text = {0};
        buf_format(&text, "Never refund more than the order total.:%s:rule-block", offsets[i].axis);
        assert_int_equal(digest_n32(buf_span(&text)) % offsets[i].values, offsets[i].offset);
        buf_free(&text);
    }
    assert_true(digest_number(SPAN("0:2:sc-01ab3f8278:texture"), 16) == 8010907294197654494u);
    double u = ((double)digest_number(SPAN("0:3:sc-01ab3f8278"), 12) + 1) / (281474976710656.0 + 2);
    assert_true(u == 0.7324740952233119);
    u = ((double)digest_number(SPAN("fault-keep:0:Where is order A1001?"), 12) + 1) /
        (281474976710656.0 + 2);
    assert_true(u == 0.985700190747462);
    u = ((double)digest_number(SPAN("fault-keep:7:sc-01ab3f8278"), 12) + 1) /
        (281474976710656.0 + 2);
    assert_true(u == 0.7133132963546507);
}

static void weights(void **state)
{
    struct cell refund = {.risk = 1.0}, get = {.risk = 0.1};
    (void)state;
    assert_true(cell_weight(&refund, WEIGHT_FIRST, 2, 0.5, 0.5) == 0.538889);
    assert_true(cell_weight(&get, WEIGHT_RL, 0, 0.5, 0.5) == 0.525);
}

static void ids_hash_escaped_json(void **state)
{
    struct cell cell = {.value = {SPAN("buscar_a\xc3\xb1o"), SPAN("unspecified"), SPAN("ordinary"),
                                  SPAN("unspecified"), SPAN("success"), SPAN("fresh")}};
    struct buf text = {0};
    uint8_t digest[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    (void)state;
    cell_pyjson(&cell, &text);
    digest_sha256(buf_span(&text), digest);
    digest_hex(digest, 5, hex);
    assert_string_equal(hex, "c6aaa33277");
    buf_free(&text);
}

/* Every pair of values of two axes other than the rule stands in some cell of a grid that flips
 * nothing. */
static void every_pair_is_met(void **state)
{
    struct fixture f;
    size_t missing = 0;
    (void)state;
    open_grid(&f, TOOLS, "- Look the order up first.\n- Never refund twice, ever.", false);
    for (int i = 0; i < AXIS_COUNT; i++)
        for (int j = i + 1; j < AXIS_COUNT; j++)
            for (size_t v = 0; v < f.grid.axes[i].count && i != AXIS_RULE && j != AXIS_RULE; v++)
                for (size_t w = 0; w < f.grid.axes[j].count; w++) {
                    bool met = false;
                    for (size_t c = 0; c < f.grid.count && !met; c++)
                        met = span_equal(f.grid.cells[c].value[i], f.grid.axes[i].items[v]) &&
                              span_equal(f.grid.cells[c].value[j], f.grid.axes[j].items[w]);
                    missing += !met;
                }
    assert_int_equal(missing, 0);
    close_grid(&f);
}

static bool has_id(const struct grid *grid, const char *id)
{
    for (size_t i = 0; i < grid->count; i++)
        if (strcmp(grid->cells[i].id, id) == 0)
            return true;
    return false;
}

static void a_rule_moves_its_own_cells(void **state)
{
    struct fixture a, b;
    size_t moved = 0;
    (void)state;
    open_grid(&a, TOOLS, "- Look the order up first.\n- Never refund twice, ever.", true);
    open_grid(&b, TOOLS, "- Look the order up first.\n- Never refund three times.", true);
    for (size_t i = 0; i < a.grid.count; i++)
        if (!has_id(&b.grid, a.grid.cells[i].id)) {
            moved++;
            assert_true(span_is(a.grid.cells[i].value[AXIS_RULE], "Never refund twice, ever."));
        }
    assert_int_equal(moved, 10);
    close_grid(&a);
    close_grid(&b);
}

/* A search over the whole grid meets every planned pair, each cell once when unique. */
static void a_search_covers_the_grid(void **state)
{
    struct fixture f;
    struct pairs planned, met;
    struct search_pick pick;
    size_t used = 0;
    (void)state;
    open_grid(&f, TOOLS, "- Look the order up first.\n- Never refund twice, ever.", true);
    plan_pairs(&f.grid, &planned);
    pairs_open(&met, f.grid.n_values);
    struct search_setting whole = {
        .grid = &f.grid, .seed = 3, .unique = true, .phrasings = 1, .hard_share = 0.4};
    struct search *s = search_open(&whole);
    int64_t opened[TIER_COUNT] = {0};
    struct map ids = {0};
    bool fresh;
    size_t at_full = 0;
    for (; used < 400 && search_next(s, opened, SEARCH_ANY, &pick); used++) {
        opened[pick.cell->tier]++;
        pairs_add_planned(&met, &planned, pick.cell);
        map_add(&ids, span_text(pick.cell->id), &fresh);
        assert_int_equal(fresh, search_reused(s) == 0); /* new ones, as long as there are any */
        if (met.count == planned.count && !at_full)
            at_full = used;
    }
    assert_int_equal(used, 400);
    assert_int_equal(met.count, planned.count);
    assert_true(at_full > 0 && at_full < 1.4 * (double)f.grid.count);
    assert_true(search_grown(s) > 0 && search_can_open(s));
    assert_int_equal(opened[TIER_ORDINARY], 240);
    map_free(&ids);
    search_close(s);
    struct search_setting few = {.grid = &f.grid,
                                 .seed = 3,
                                 .situations = 4,
                                 .phrasings = 3,
                                 .hard_share = 0.4}; /* 4 situations, 3 phrasings */
    s = search_open(&few);
    memset(opened, 0, sizeof opened);
    for (used = 0; search_next(s, opened, SEARCH_ANY, &pick); used++)
        opened[pick.cell->tier]++;
    assert_int_equal(used, 12);
    assert_int_equal(search_situations(s), 4);
    search_close(s);
    pairs_free(&planned);
    pairs_free(&met);
    close_grid(&f);
}

/* The dial is met to the prompt at every share (situations 7.2); a pinned stance has one side only. */
static void the_tier_dial(void **state)
{
    (void)state;
    static const double shares[] = {0, 0.2, 0.4, 0.8, 1};
    struct fixture f;
    struct search_pick pick;
    open_grid(&f, TOOLS, "- Look the order up first.", true);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        struct search_setting setting = {
            .grid = &f.grid, .seed = 1, .unique = true, .phrasings = 1, .hard_share = shares[i]};
        struct search *s = search_open(&setting);
        int64_t opened[TIER_COUNT] = {0};
        for (int n = 1; n <= 300; n++) {
            assert_true(search_next(s, opened, SEARCH_ANY, &pick));
            opened[pick.cell->tier]++;
            double hard = (double)(n - opened[TIER_ORDINARY]);
            assert_true(hard - shares[i] * n <= 1 && shares[i] * n - hard <= 1);
            for (int t = 0; n == 8 && shares[i] > 0.3 && shares[i] < 1 && t < TIER_COUNT; t++)
                assert_true(opened[t] > 0);
        }
        search_close(s);
    }
    close_grid(&f);
}

static void tiers(void **state)
{
    (void)state;
    assert_int_equal(tier_of_stance(SPAN("policy-push")), TIER_BOUNDARY);
    assert_int_equal(tier_of_stance(SPAN("unsure")), TIER_AMBIGUOUS);
    assert_int_equal(tier_of_stance(SPAN("forbidden")), TIER_ADVERSARIAL);
    assert_int_equal(tier_of_stance(SPAN("anything")), TIER_ORDINARY);
}

static void check_clauses(const char *policy, const char *const *expected, size_t count)
{
    struct arena arena = {0};
    struct clauses c;
    clauses_cut(span_text(policy), 100, &arena, &c);
    for (size_t i = 0; i < c.count && i < count; i++)
        if (!span_is(c.items[i], expected[i]))
            fail_msg("clause %zu is \"%.*s\", not \"%s\"", i, (int)c.items[i].len, c.items[i].ptr,
                     expected[i]);
    assert_int_equal(c.count, count);
    arena_free(&arena);
}

#define CLAUSES(policy, ...)                                                 \
    do {                                                                     \
        static const char *const expected[] = {__VA_ARGS__};                 \
        check_clauses(policy, expected, sizeof expected / sizeof *expected); \
    } while (0)

static void policies_are_cut(void **state)
{
    (void)state;
    check_clauses("", NULL, 0);
    check_clauses("short", NULL, 0);
    CLAUSES("You are a clerk. Look it up first. Never guess a date.", "Look it up first.",
            "Never guess a date.");
    CLAUSES("# Heading one\n- first item here\n- second item here", "Heading one",
            "first item here", "second item here");
    CLAUSES("1. alpha beta gamma; delta epsilon\n2) zeta eta theta", "alpha beta gamma",
            "delta epsilon", "zeta eta theta");
    CLAUSES("One two three; short\n\nOne  two three; SHORT", "One two three; short");
    CLAUSES("Refunds: never over the total\nnot a heading here",
            "Refunds: never over the total not a heading here");
    CLAUSES("**Bold** things stay bold.", "**Bold** things stay bold.");
    CLAUSES("\xe2\x80\xa2 a bullet of ours\n\xe2\x80\xa2 and another one", "a bullet of ours",
            "and another one");
}

static void modes(void **state)
{
    static const struct {
        const char *mode, *policy;
        bool unique;
        int64_t repeats; /* 0: not given */
        int64_t n, k;
        enum repeat_policy resolved;
        bool is_unique, immediate;
        int64_t first;
    } cases[] = {
        {NULL, NULL, false, 4, 1, 4, REPEAT_NONE, true, true, 4},
        {"rl", NULL, true, 0, 1, 1, REPEAT_SUCCESSIVE, true, false, 1},
        {"rl", "none", false, 0, 1, 1, REPEAT_NONE, true, true, 1},
        {"sft", NULL, true, 0, 1, 1, REPEAT_ADAPTIVE, true, false, 1},
        {"explore", "fixed", false, 0, 1, 1, REPEAT_FIXED, false, true, 1},
        {NULL, "successive", false, 3, 1, 3, REPEAT_SUCCESSIVE, false, false, 2},
        {"SFT ", NULL, false, 0, 3, 4, REPEAT_ADAPTIVE, false, false, 4},
        {"sft", "adaptive", false, 0, 3, 4, REPEAT_ADAPTIVE, false, false, 1},
        {"rl", NULL, false, 0, 1, 8, REPEAT_SUCCESSIVE, false, false, 2},
        {"explore", "unique", false, 0, 1, 1, REPEAT_NONE, true, false, 1},
    };
    struct error error;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topology_wish wish = {.mode = cases[i].mode,
                                     .policy = cases[i].policy,
                                     .unique = cases[i].unique,
                                     .has_repeats = cases[i].repeats > 0,
                                     .repeats = cases[i].repeats,
                                     .probe = 2};
        struct topology t;
        assert_int_equal(topology_resolve(&wish, &t, &error), 0);
        assert_int_equal(t.phrasings, cases[i].n);
        assert_int_equal(t.repeats, cases[i].k);
        assert_int_equal(t.policy, cases[i].resolved);
        assert_int_equal(t.unique, cases[i].is_unique);
        assert_int_equal(t.immediate, cases[i].immediate);
        assert_int_equal(topology_first_batch(&t), cases[i].first);
    }
    struct topology_wish bad = {.mode = "often", .probe = 2};
    struct topology t;
    assert_int_equal(topology_resolve(&bad, &t, &error), ERROR_USAGE);
}

static void outcomes(void **state)
{
    static const char *const dimensions[][2] = {
        {"{}", ""},
        {"{\"tool\":\"unspecified\"}", ""},
        {"{\"tool\":\"multi_tool\",\"history\":\"prior_partial_action\"}", ""},
        {"{\"tool\":\"multi_tool\",\"stance\":\"adversarial\"}", "not allowed"},
        {"{\"tool\":\"unrelated\"}", "something else"},
        {"{\"tool\":\"t\",\"world_state\":\"entity missing\",\"tool_condition\":\"timeout\"}",
         "not found"},
        {"{\"tool\":\"t\",\"world_state\":\"already_done\"}", "not done again"},
        {"{\"tool\":\"t\",\"world_state\":\"duplicate "
         "entity\",\"history\":\"prior_partial_action\"}",
         "two records"},
        {"{\"tool\":\"t\",\"tool_condition\":\"stale\",\"history\":\"partially completed\"}",
         "half-way: a read comes before any write; t answers with old"},
        {"{\"tool\":\"t\",\"tool_condition\":\"whatever\"}", "t succeeds"},
        {"{\"tool\":\"t\",\"intent_known\":false}", "vague"},
    };
    struct arena arena = {0};
    struct buf out = {0};
    (void)state;
    for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++) {
        struct json_value value;
        struct json_fault fault;
        assert_int_equal(json_scan(span_text(dimensions[i][0]), &value, NULL, &fault), 0);
        buf_clear(&out);
        expected_outcome(node_parse(&arena, value), &out);
        assert_int_equal(out.len > 0, *dimensions[i][1] != '\0');
        assert_non_null(strstr(buf_cstr(&out), dimensions[i][1]));
    }
    buf_free(&out);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_of_tools),
        cmocka_unit_test(published_hashes),
        cmocka_unit_test(weights),
        cmocka_unit_test(ids_hash_escaped_json),
        cmocka_unit_test(every_pair_is_met),
        cmocka_unit_test(a_rule_moves_its_own_cells),
        cmocka_unit_test(a_search_covers_the_grid),
        cmocka_unit_test(the_tier_dial),
        cmocka_unit_test(tiers),
        cmocka_unit_test(policies_are_cut),
        cmocka_unit_test(modes),
        cmocka_unit_test(outcomes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
