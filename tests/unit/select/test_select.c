/* test_select.c: properties of selection that hold for any rows (the digits are compared with the
 * package in tests/interop/selection.py). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rng/rng.h"
#include "row/value.h"
#include "select/defaults.h"
#include "select/select.h"

/* A row of one of a few tasks with a random label and one of a few replies. */
static void random_rows(struct rng *rng, size_t n, struct select_facts *facts)
{
    struct json_members members = {0};
    struct buf line = {0};
    for (size_t i = 0; i < n; i++) {
        unsigned task = (unsigned)rng_below(rng, 6);
        struct row row;
        buf_clear(&line);
        buf_format(&line,
                   "{\"scenario_id\":\"s%u\",\"prompt\":\"please do thing number "
                   "%u\",\"final_text\":\"Answer %u.\","
                   "\"reward\":%u}",
                   task, task, (unsigned)rng_below(rng, 9), (unsigned)rng_below(rng, 2));
        assert_int_equal(row_of_text(buf_span(&line), &row, &members, NULL), 0);
        select_facts_add(facts, &row);
    }
    buf_free(&line);
    json_members_free(&members);
}

static struct rl_options rl_defaults(void)
{
    return (struct rl_options){.target = SELECT_TARGET,
                               .low = SELECT_BAND_LOW,
                               .high = SELECT_BAND_HIGH,
                               .enforce_band = true,
                               .dedupe = true,
                               .has_tools = true};
}

/* Every row that came in is selected or counted under one gate. */
static void rl_accounts_for_every_row(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 1);
    for (int round = 0; round < 50; round++) {
        struct select_facts facts = {0};
        struct rl_result r;
        struct rl_options o = rl_defaults();
        random_rows(&rng, rng_below(&rng, 60), &facts);
        select_rl(&facts, &o, &r);
        assert_int_equal(r.n,
                         r.n_leaks + r.n_do_nothing + r.n_junk + r.n_unusable + r.n_after_gates);
        assert_int_equal(r.n_after_gates, r.n_deduped + r.n_duplicates);
        assert_int_equal(r.n_after_trim, r.picked.count);
        size_t *labels = mem_zero(facts.tasks.count, 2 * sizeof *labels);
        for (size_t i = 0; i < r.picked.count; i++) {
            const struct select_fact *f = &facts.items[r.picked.rows[i]];
            labels[2 * f->task + (size_t)f->label]++;
        }
        for (size_t t = 0; t < facts.tasks.count; t++) /* mixed, or not there */
            assert_true((labels[2 * t] && labels[2 * t + 1]) ||
                        labels[2 * t] + labels[2 * t + 1] <= 1);
        free(labels);
        select_rl_free(&r);
        select_facts_free(&facts);
    }
}

/* A target cuts the list between groups, never inside one. */
static void rl_never_splits_a_group(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 2);
    struct select_facts facts = {0};
    struct rl_result all;
    struct rl_options o = rl_defaults();
    random_rows(&rng, 80, &facts);
    select_rl(&facts, &o, &all);
    for (size_t target = 1; target <= all.picked.count; target++) {
        struct rl_result some;
        o.target = target;
        select_rl(&facts, &o, &some);
        assert_true(some.picked.count >= target);
        for (size_t i = 0; i < some.picked.count; i++)
            assert_int_equal(some.picked.rows[i], all.picked.rows[i]);
        if (some.picked.count < all.picked.count)
            assert_int_not_equal(facts.items[all.picked.rows[some.picked.count]].task,
                                 facts.items[some.picked.rows[some.picked.count - 1]].task);
        select_rl_free(&some);
    }
    select_rl_free(&all);
    select_facts_free(&facts);
}

static void sft_takes_one_of_each_prompt(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 3);
    for (int round = 0; round < 20; round++) {
        struct select_facts facts = {0};
        struct sft_result r;
        struct sft_options o = {.rule = (enum sft_rule)(round % 2),
                                .target = SELECT_TARGET,
                                .min_reward = 1.0,
                                .seed = "5"};
        random_rows(&rng, 40, &facts);
        select_sft(&facts, &o, &r);
        bool *seen = mem_zero(facts.folded.count, sizeof *seen);
        for (size_t i = 0; i < r.picked.count; i++) {
            const struct select_fact *f = &facts.items[r.picked.rows[i]];
            assert_int_equal(f->label, ROW_LABEL_PASS);
            assert_false(seen[f->folded]);
            seen[f->folded] = true;
        }
        assert_int_equal(r.picked.count, r.n_eligible);
        free(seen);
        select_picked_free(&r.picked);
        select_facts_free(&facts);
    }
}

static void stable_order_is_a_digest(void **state)
{
    (void)state;
    char out[SELECT_STABLE_MAX];
    select_stable(SPAN("Hi"), SPAN("abc"), out);
    out[8] = '\0';
    assert_string_equal(out, "88869a00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rl_accounts_for_every_row),
        cmocka_unit_test(rl_never_splits_a_group),
        cmocka_unit_test(sft_takes_one_of_each_prompt),
        cmocka_unit_test(stable_order_is_a_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
