/* test_search.c: the parts of the search: arms and their weights, the pace of a run, settings, what a
 * cell weighs after rows, varied asks, probes, messages that are nearly the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "scene/arms.h"
#include "scene/knobs.h"
#include "scene/learn.h"
#include "scene/mutate.h"
#include "scene/near.h"
#include "scene/pace.h"
#include "scene/probes.h"

static void close_to(double x, double y)
{
    if (!(fabs(x - y) <= 1e-15))
        fail_msg("%.17g is not %.17g", x, y);
}

/* The vectors of situations 6. */
static void weights_of_arms(void **state)
{
    (void)state;
    double w[ARM_COUNT], none[ARM_COUNT] = {NAN, NAN, NAN, NAN, NAN};
    memcpy(w, ARM_START, sizeof w);
    arms_update(w, none);
    close_to(w[ARM_STRUCTURED], 0.4206764374295378);
    close_to(w[ARM_GUIDED], 0.4206764374295378);
    close_to(w[ARM_TARGETED], 0.029323562570462237);
    close_to(w[ARM_MUTATION], 0.029323562570462237);
    close_to(w[ARM_OPEN], 0.1);
    double two[ARM_COUNT] = {[ARM_STRUCTURED] = 2,
                             [ARM_GUIDED] = NAN,
                             [ARM_OPEN] = 0,
                             [ARM_TARGETED] = NAN,
                             [ARM_MUTATION] = NAN};
    memcpy(w, ARM_START, sizeof w);
    arms_update(w, two);
    close_to(w[ARM_STRUCTURED], 0.4687951807228916);
    close_to(w[ARM_GUIDED], 0.3890963855421687);
    close_to(w[ARM_TARGETED], 0.02707831325301205);
    close_to(w[ARM_OPEN], 0.08795180722891566);
    double rare[ARM_COUNT] = {[ARM_STRUCTURED] = 0.2,
                              [ARM_GUIDED] = NAN,
                              [ARM_OPEN] = NAN,
                              [ARM_TARGETED] = NAN,
                              [ARM_MUTATION] = 2};
    memcpy(w, ARM_START, sizeof w);
    for (int i = 0; i < 5; i++)
        arms_update(w, rare);
    close_to(w[ARM_MUTATION], 0.06100815945808532);
}

/* Whatever the rows bring, the weights stay within their bounds and sum to 1. */
static void bounds_of_arms(void **state)
{
    (void)state;
    for (int one = 0; one < ARM_COUNT; one++) {
        double w[ARM_COUNT], yields[ARM_COUNT] = {0}, sum = 0;
        memcpy(w, ARM_START, sizeof w);
        yields[one] = 1000;
        for (int i = 0; i < 50; i++)
            arms_update(w, yields);
        for (int a = 0; a < ARM_COUNT; a++) {
            sum += w[a];
            assert_true(w[a] >= 0.009);
        }
        assert_true(fabs(sum - 1) < 1e-12);
        assert_true(w[ARM_OPEN] >= 0.049 && w[ARM_OPEN] <= 0.101);
        assert_true(w[ARM_TARGETED] <= 0.081 && w[ARM_MUTATION] <= 0.081);
    }
}

static void turns_of_arms(void **state)
{
    (void)state;
    int64_t opened[ARM_COUNT] = {0};
    for (int i = 0; i < 100; i++)
        opened[arms_next(ARM_START, opened, false)]++;
    assert_int_equal(opened[ARM_STRUCTURED], 84); /* the model's share is the template writer's */
    assert_int_equal(opened[ARM_GUIDED], 0);
    assert_int_equal(opened[ARM_OPEN], 10);
    assert_int_equal(opened[ARM_TARGETED], 3);
    assert_int_equal(opened[ARM_MUTATION], 3);
    memset(opened, 0, sizeof opened);
    for (int i = 0; i < 100; i++)
        opened[arms_next(ARM_START, opened, true)]++;
    assert_int_equal(opened[ARM_STRUCTURED], 42);
    assert_int_equal(opened[ARM_GUIDED], 42);
}

static void pinned_arms(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "bogus=1",      "structured", "structured=-1",  "structured=nan", "structured=0",
        "structured=x", "",           "structured=1,,", "structured="};
    double w[ARM_COUNT];
    struct error error;
    assert_int_equal(arms_read("structured=2, open_ended=1.0", w, &error), 0);
    close_to(w[ARM_STRUCTURED], 2.0 / 3);
    close_to(w[ARM_OPEN], 1.0 / 3);
    close_to(w[ARM_MUTATION], 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(arms_read(bad[i], w, &error), ERROR_USAGE);
}

/* The vectors of situations 9. */
static void mode_adaptive(void **state)
{
    (void)state;
    static const struct {
        double total, left;
        bool saturation;
        int64_t width, explore, expand, verify;
    } cases[] = {
        {0, 0, false, 32, 26, 3, 3},    {0, 0, false, 8, 6, 1, 1},   {0, 0, false, 2, 1, 1, 0},
        {60, 60, false, 32, 14, 10, 8}, {15, 15, false, 1, 0, 1, 0}, {60, 10, true, 32, 20, 7, 5},
        {0, 0, false, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct adaptive_plan plan =
            adaptive_plan(cases[i].total, cases[i].left, cases[i].saturation);
        struct adaptive_slots slots = adaptive_slots(cases[i].width, &plan);
        assert_int_equal(slots.explore, cases[i].explore);
        assert_int_equal(slots.expand, cases[i].expand);
        assert_int_equal(slots.verify, cases[i].verify);
    }
    assert_int_equal(adaptive_plan(0, 0, false).repeats, 3);
    assert_int_equal(adaptive_plan(89, 89, false).repeats, 2);
    assert_int_equal(adaptive_plan(90, 3, false).repeats, 3);
    assert_int_equal(adaptive_plan(10, 3, true).repeats, 3);
}

static void scale_of_shapes(void **state)
{
    (void)state;
    static const struct {
        double clock;
        size_t listed, most, longest;
    } cases[] = {
        {0, 36, 600, 3}, {30, 8, 200, 2}, {60, 12, 200, 2}, {119, 24, 397, 2}, {120, 24, 400, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shape_scale s = shape_scale(cases[i].clock);
        assert_int_equal(s.listed, cases[i].listed);
        assert_int_equal(s.most, cases[i].most);
        assert_int_equal(s.longest, cases[i].longest);
    }
}

static void durations_and_forecast(void **state)
{
    (void)state;
    struct durations d = {0};
    assert_true(durations_median(&d) == 0);
    for (int i = 1; i <= 30; i++)
        durations_add(&d, 20, i); /* the last 20: 11 … 30 */
    assert_true(durations_median(&d) == 21);
    durations_free(&d);
    int64_t full[] = {5, 9}, thin[] = {5, 4};
    assert_true(run_saturated(full, 2, full, 2));
    assert_false(run_saturated(full, 2, thin, 2));
    assert_false(run_saturated(thin, 2, full, 2));
    assert_false(run_saturated(NULL, 0, NULL, 0));
    assert_int_equal(copies_missing(thin, 2), 1);
    assert_int_equal(copies_missing(NULL, 0), 5);
    struct forecast f = forecast_saturation(64, 100, false, 7, 3, 24);
    assert_int_equal(f.rows, 100);
    assert_int_equal(f.remaining, 36);
    f = forecast_saturation(64, 100, true, 7, 3, 24);
    assert_int_equal(f.rows, 64);
    f = forecast_saturation(64, 1000, false, 7, 12, 24);
    assert_int_equal(f.remaining, 7);
}

static void settings(void **state)
{
    (void)state;
    static const char *const bad[] = {"no_such=1",
                                      "closing_margin=true",
                                      "closing_margin=-0.5",
                                      "closing_margin=nan",
                                      "empty_rounds_to_stop=1.5",
                                      "empty_rounds_to_stop=0",
                                      "gap_weight=1.01",
                                      "gap_weight",
                                      "gap_weight=",
                                      "gap_weight=x",
                                      "=1",
                                      "",
                                      "dead_agent_errors=1e12"};
    struct knobs k;
    struct error error;
    knobs_default(&k);
    assert_int_equal(knob_int(&k, KNOB_EMPTY_ROUNDS), 8);
    assert_int_equal(knobs_set(&k, "closing_margin=3.5", &error), 0);
    assert_int_equal(knobs_set(&k, " gap_min_rows =4", &error), 0);
    assert_int_equal(knobs_set(&k, "gap_weight=1", &error), 0);
    assert_true(k.value[KNOB_CLOSING_MARGIN] == 3.5 && k.value[KNOB_GAP_WEIGHT] == 1);
    assert_int_equal(knob_int(&k, KNOB_GAP_ROWS), 4);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(knobs_set(&k, bad[i], &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "default"));
}

/* The vector of situations 25: a condition without a row, a rare history. */
static void starvation(void **state)
{
    (void)state;
    /* values: timeout, success, stale_result; fresh, prior_failure; entity exists */
    enum axis axes[] = {AXIS_CONDITION, AXIS_CONDITION, AXIS_CONDITION,
                        AXIS_HISTORY,   AXIS_HISTORY,   AXIS_WORLD};
    struct grid grid = {.n_values = 6, .axis_of_value = axes};
    int64_t rows[] = {0, 11, 1, 1, 19, 3};
    struct cell cell = {.value = {[AXIS_CONDITION] = SPAN("timeout"),
                                  [AXIS_HISTORY] = SPAN("fresh"),
                                  [AXIS_WORLD] = SPAN("entity exists")},
                        .pair_value = {[AXIS_CONDITION] = 0, [AXIS_HISTORY] = 3, [AXIS_WORLD] = 5}};
    close_to(starvation_boost(&grid, rows, &cell), 3.75);
    rows[1] = 10; /* 11 rows on the axis: too few to say */
    close_to(starvation_boost(&grid, rows, &cell), 1.5);
    cell.value[AXIS_HISTORY] = SPAN("unspecified");
    close_to(starvation_boost(&grid, rows, &cell), 1);
}

static void worth_of_behaviour(void **state)
{
    (void)state;
    struct knobs k;
    knobs_default(&k);
    struct cell_fact stuck = {.rows = 3, .signatures = 1},
                     rich = {.rows = 9, .signatures = 3, .fails = 5},
                     young = {.rows = 1, .signatures = 1, .fails = 1};
    close_to(behavior_value(&stuck, &k), 0.7);
    close_to(behavior_value(&rich, &k), 0.7 * 0.2 + (1 - 0.7) * 0.5);
    close_to(behavior_value(&young, &k), 0.7 * 0.5 + (1 - 0.7) * 0.5);
}

static void novelty(void **state)
{
    (void)state;
    struct novelty_window w = {0};
    struct embedding a = embed_hash(SPAN("cancel my order please")),
                     b = embed_hash(SPAN("quite another thing altogether")), zero = {0};
    assert_true(novelty_add(&w, &a) == 1);
    assert_true(novelty_add(&w, &a) < 1e-6);
    assert_true(novelty_add(&w, &b) > 0.5);
    assert_true(novelty_add(&w, &zero) == 1);
    for (int i = 0; i < NOVELTY_WINDOW; i++)
        novelty_add(&w, &b); /* the first ones are forgotten */
    assert_true(novelty_add(&w, &a) > 0.5);
    embedding_free(&a);
    embedding_free(&b);
    novelty_free(&w);
}

/* ---- texts ----------------------------------------------------------------------------------- */

#define ASK                                                                                      \
    "Hello. I want to refund order A1001. The kettle arrived broken last week. It leaks at the " \
    "handle! "                                                                                   \
    "Please tell me what happens next."

static void every_change(void **state)
{
    (void)state;
    struct buf out = {0};
    for (int m = 0; m < MUTATION_COUNT; m++)
        for (uint64_t draw = 0; draw < 4; draw++) {
            struct mutation_wish wish = {
                .change = (enum mutation)m,
                .text = SPAN(ASK),
                .other = SPAN("Can you find my parcel, it never came to the house."),
                .draw = draw,
                .turns = draw == 3};
            if (!mutate(&wish, &out))
                fail_msg("%s does nothing", mutation_name((enum mutation)m));
            assert_false(span_equal(buf_span(&out), wish.text));
            bool two = strstr(buf_cstr(&out), USER_TURN_MARK) != NULL;
            assert_int_equal(two, m == MUTATE_CORRECT && draw == 3);
            if (m == MUTATE_STRIP)
                assert_null(strstr(buf_cstr(&out), "A1001"));
            if (m == MUTATE_PAYLOAD) {
                struct json_value v;
                struct json_fault fault;
                const char *from = strchr(buf_cstr(&out), '{');
                assert_non_null(from);
                assert_int_equal(json_scan(span_text(from), &v, NULL, &fault), 0);
            }
            if (m == MUTATE_TRUNCATE)
                assert_string_equal(buf_cstr(&out), "I want to refund order A1001.");
        }
    buf_free(&out);
}

/* What is not worth playing is refused, and no text of any kind does harm. */
static void changes_of_odd_texts(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "",
        " ",
        "Hi.",
        "hello there",
        "?!",
        "\xf0\x9f\x98\x80",
        "a b c d",
        "....",
        "\n\n\n",
        "\"quoted\" \\ and \t tab, it goes on like this for quite a while",
        "A1 B2 C3 D4",
        "Yes. No. Yes. No. Yes. No.",
        "\xe6\xbc\xa2\xe5\xad\x97 \xe6\xbc\xa2"};
    struct buf out = {0}, many = {0};
    for (int i = 0; i < 3000; i++)
        buf_text(&many, "word. ");
    for (size_t i = 0; i <= sizeof odd / sizeof *odd; i++)
        for (int m = 0; m < MUTATION_COUNT; m++) {
            struct span text = i < sizeof odd / sizeof *odd ? span_text(odd[i]) : buf_span(&many);
            struct mutation_wish wish = {
                .change = (enum mutation)m, .text = text, .other = text, .draw = i};
            if (mutate(&wish, &out))
                assert_true(out.len >= 12);
        }
    struct mutation_wish greeting = {.change = MUTATE_TRUNCATE,
                                     .text = SPAN("Good morning to you. Hi.")};
    assert_false(mutate(&greeting, &out));
    buf_free(&out);
    buf_free(&many);
}

static void probes(void **state)
{
    (void)state;
    struct near_index near = {0};
    struct buf out = {0};
    enum tier tier;
    const char *family, *first = NULL;
    size_t fresh = 0, turns = 0;
    for (uint64_t n = 0; n < 600; n++) {
        buf_clear(&out);
        probe_write(7, n / 2, n % 2 ? SIDE_HARD : SIDE_ORDINARY, SPAN("A1001"), &out, &tier,
                    &family);
        assert_int_equal(side_of(tier), n % 2 ? SIDE_HARD : SIDE_ORDINARY);
        assert_true(out.len > 3 && !strchr(buf_cstr(&out), '%'));
        fresh += near_add(&near, buf_span(&out));
        if (n == 0)
            first = family;
        turns += n % 2 == 0 && strcmp(family, first) == 0;
    }
    assert_true(fresh > 520);             /* the others are told apart and made again */
    assert_int_equal(turns, 300 / 7 + 1); /* seven of the families are ordinary */
    near_free(&near);
    buf_free(&out);
}

/* Every pair is told near or not as a comparison of all words says. */
static void near_messages(void **state)
{
    (void)state;
    struct near_index near = {0};
    assert_true(near_add(&near, SPAN("Please cancel order A1001 for me, thank you.")));
    assert_false(near_add(&near, SPAN("please cancel ORDER B2002 for me, thank you!")));
    assert_true(near_add(&near, SPAN("Please cancel order A1001 for me.")));
    assert_true(near_add(&near, SPAN("?!")));
    assert_false(near_add(&near, SPAN("...")));
    near_free(&near);
    near = (struct near_index){0};
    /* 40 words, of which each text leaves out one or two: 39/40 and 38/40 shared, all near */
    assert_true(near_add(&near, SPAN("")));
    for (unsigned i = 0; i < 200; i++) {
        struct buf text = {0};
        unsigned kept = 0;
        for (unsigned w = 0; w < 40; w++)
            if ((i * 2654435761u >> (w % 28)) & 3 || w % 9 == i % 9) {
                buf_format(&text, "w%c%c ", 'a' + (char)(w / 26), 'a' + (char)(w % 26));
                kept++;
            }
        size_t before = near.count;
        bool added = near_add(&near, buf_span(&text));
        assert_int_equal(near.count, before + added);
        bool found = false;
        struct near_text *t = &near.texts[near.count - 1];
        for (size_t j = 1; j + 1 < near.count && added; j++) { /* none before is near it */
            size_t shared = 0;
            const struct near_text *o = &near.texts[j];
            for (size_t a = 0; a < t->count; a++)
                for (size_t b = 0; b < o->count; b++)
                    shared += t->words[a] == o->words[b];
            found = found || (double)shared >= 0.9 * (double)(t->count + o->count - shared) - 1e-9;
        }
        assert_false(found);
        assert_true(kept > 0);
        buf_free(&text);
    }
    assert_true(near.count > 20 && near.count < 200);
    near_free(&near);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_of_arms),
        cmocka_unit_test(bounds_of_arms),
        cmocka_unit_test(turns_of_arms),
        cmocka_unit_test(pinned_arms),
        cmocka_unit_test(mode_adaptive),
        cmocka_unit_test(scale_of_shapes),
        cmocka_unit_test(durations_and_forecast),
        cmocka_unit_test(settings),
        cmocka_unit_test(starvation),
        cmocka_unit_test(worth_of_behaviour),
        cmocka_unit_test(novelty),
        cmocka_unit_test(every_change),
        cmocka_unit_test(changes_of_odd_texts),
        cmocka_unit_test(probes),
        cmocka_unit_test(near_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
