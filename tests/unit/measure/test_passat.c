/* test_passat.c: properties of the pass rates and of summaries that join (measure 4, 12, 18). */
#include <math.h>
#include <stdlib.h>

#include "rows.h"

enum { ROWS = 60 };

/* Random graded rows: tasks come back, shards cut through them; some rows are partial or unjudged.
 */
static void make_rows(struct rng *rng, char *lines[ROWS], bool dyadic)
{
    static const char *const rewards[] = {"1", "0",   "1",    "0",    "1",
                                          "0", "0.5", "null", "true", "\"1\""};
    for (size_t i = 0; i < ROWS; i++) {
        struct buf text = {0};
        size_t task = rng_below(rng, 12);
        double score = dyadic ? (double)rng_below(rng, 9) / 8.0 : rng_random(rng);
        buf_format(&text,
                   "{\"task_id\":\"t\\u00e9%zu\",\"reward\":%s,\"markers\":{\"score\":%.17g%s},"
                   "\"sampling\":{\"temperature\":%s},\"final_text\":\"%s\","
                   "\"finish_reason\":\"%s\",\"judge_status\":\"%s\",\"reason\":\"r%zu\"}",
                   task, rewards[rng_below(rng, 10)], score,
                   rng_below(rng, 3) ? "" : ",\"rare\":1e999", rng_below(rng, 9) ? "1.0" : "0.5",
                   rng_below(rng, 4) ? "yes" : "<think>", rng_below(rng, 4) ? "stop" : "length",
                   rng_below(rng, 3) ? "ok" : "error", i);
        lines[i] = buf_take(&text);
    }
}

static void free_rows(char *lines[ROWS])
{
    for (size_t i = 0; i < ROWS; i++)
        free(lines[i]);
}

static struct passat *joined(const struct passat *const *parts, const size_t *order, size_t n)
{
    struct passat_options none = {0};
    struct passat *all = passat_new(&none);
    struct error error;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(passat_merge(all, parts[order[i]], false, &error), 0);
    return all;
}

/* Everything but the shard numbers: the report. */
static void split_anywhere_is_one_pass(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 1);
    char *lines[ROWS];
    make_rows(&rng, lines, true);
    const char *const *rows = (const char *const *)lines;
    struct passat *whole = passat_of(rows, 0, ROWS, 0);
    for (size_t cut = 0; cut <= ROWS; cut++) {
        struct passat *parts[] = {passat_of(rows, 0, cut, 0), passat_of(rows, cut, ROWS, 1)};
        struct passat *both = joined((const struct passat *const *)parts, (size_t[]){1, 0}, 2);
        struct buf a = report_text(whole), b = report_text(both);
        /* How many tasks were split is told, and differs. */
        for (char *at = b.data; (at = strstr(at, "\"split_marker_tasks\":"));) {
            at += strlen("\"split_marker_tasks\":");
            size_t digits = strspn(at, "0123456789");
            memmove(at + 1, at + digits, strlen(at + digits) + 1);
            *at = '0';
        }
        assert_texts(a, b);
        passat_free(parts[0]);
        passat_free(parts[1]);
        passat_free(both);
    }
    passat_free(whole);
    free_rows(lines);
}

/* Any order and any tree of joins gives the same summary, byte for byte, for real-valued markers
 * too. */
static void joining_is_associative_and_commutative(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 2);
    for (int round = 0; round < 30; round++) {
        char *lines[ROWS];
        make_rows(&rng, lines, false);
        const char *const *rows = (const char *const *)lines;
        struct passat *parts[4];
        for (size_t i = 0; i < 4; i++)
            parts[i] = passat_of(rows, i * 15, i * 15 + 15, i * 3);
        const struct passat *const *borrowed = (const struct passat *const *)parts;
        struct passat *straight = joined(borrowed, (size_t[]){0, 1, 2, 3}, 4);
        struct passat *turned = joined(borrowed, (size_t[]){2, 3, 1, 0}, 4);
        struct passat *left = joined(borrowed, (size_t[]){3, 0}, 2);
        struct passat *right = joined(borrowed, (size_t[]){1, 2}, 2);
        const struct passat *halves[] = {left, right};
        struct passat *tree = joined(halves, (size_t[]){1, 0}, 2);
        assert_texts(partial_text(straight), partial_text(turned));
        assert_texts(partial_text(straight), partial_text(tree));
        assert_texts(report_text(straight), report_text(tree));
        struct passat *all[] = {straight, turned, left, right, tree};
        for (size_t i = 0; i < 5; i++)
            passat_free(all[i]);
        for (size_t i = 0; i < 4; i++)
            passat_free(parts[i]);
        free_rows(lines);
    }
}

static void identity_and_round_trip(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 3);
    char *lines[ROWS];
    make_rows(&rng, lines, false);
    struct passat *whole = passat_of((const char *const *)lines, 0, ROWS, 4);
    struct passat *empty = passat_of(NULL, 0, 0, 0);
    const struct passat *both[] = {whole, empty};
    struct passat *with = joined(both, (size_t[]){1, 0}, 2);
    assert_texts(partial_text(whole), partial_text(with));
    struct buf text = partial_text(whole);
    struct error error = {0};
    struct passat *again = partial_of(text.data, &error);
    assert_non_null(again);
    assert_texts(report_text(whole), report_text(again));
    assert_texts(text, partial_text(again));
    passat_free(again);
    passat_free(with);
    passat_free(empty);
    passat_free(whole);
    free_rows(lines);
}

static void what_does_not_join(void **state)
{
    (void)state;
    static const char *const rows[] = {"{\"task_id\":\"a\",\"reward\":1}"};
    struct passat *a = passat_of(rows, 0, 1, 3), *b = passat_of(rows, 0, 1, 3);
    struct passat_options none = {0};
    struct passat *all = passat_new(&none);
    struct error error;
    assert_int_equal(passat_merge(all, a, false, &error), 0);
    assert_int_equal(passat_merge(all, b, false, &error), ERROR_INPUT);
    assert_non_null(strstr(error.text, "shard 3 comes twice"));
    assert_int_equal(passat_merge(all, b, true, &error), 0);
    assert_int_equal(passat_rows(all), 2);
    struct passat *bare = passat_new(&none);
    struct facts_reader *reader = facts_open(&FACTS_DEFAULT);
    add_row(bare, reader, span_text(rows[0]));
    assert_int_equal(passat_merge(all, bare, true, &error), ERROR_INPUT);
    assert_non_null(strstr(error.text, "different markers"));
    facts_close(reader);
    passat_free(bare);
    passat_free(all);
    passat_free(a);
    passat_free(b);
}

#define PARTIAL(members)                                                                       \
    "{\"wai_partial\":1,\"kind\":\"passat\",\"by\":\"task\",\"keys\":{\"reward\":[\"reward\"," \
    "\"qwen_reward\"],\"task\":[\"scenario_id\",\"task_id\",\"prompt\"]}," members "}"

static void summaries_that_cannot_be_true(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{\"wai_partial\":2}",
        "{\"wai_partial\":1,\"kind\":\"hacks\"}",
        PARTIAL("\"shards\":[0],\"rows\":1,\"tasks\":{\"a\":[1,2,[0,0]]}"),
        PARTIAL("\"shards\":[0],\"rows\":1,\"tasks\":{\"a\":[0,0,[0,0]]}"),
        PARTIAL("\"shards\":[0],\"rows\":9,\"tasks\":{\"a\":[2,1,[1,0]]}"),
        PARTIAL("\"shards\":[0],\"rows\":1,\"tasks\":{\"a\":[2,1,[0,0]]}"),
        PARTIAL("\"shards\":[0],\"rows\":-1"),
        PARTIAL("\"shards\":[0],\"rows\":1e3"),
        PARTIAL("\"shards\":[0],\"rows\":1.5"),
        PARTIAL("\"shards\":[0],\"rows\":99999999999999999999"),
        PARTIAL("\"shards\":[1,0],\"rows\":1"),
        PARTIAL("\"shards\":[],\"rows\":1"),
        PARTIAL("\"shards\":{},\"rows\":1"),
        PARTIAL("\"shards\":[0],\"rows\":9,\"tasks\":{\"a\":[1,1,[0,0]],\"a\":[1,0,[0,1]]}"),
        PARTIAL("\"shards\":[0],\"rows\":9,\"tasks\":{\"a\":[1,1,[0]]}"),
        PARTIAL("\"shards\":[0],\"rows\":9,\"tasks\":{\"a\":[1,1,[0,0],5]}"),
        PARTIAL("\"shards\":[0],\"rows\":9,\"tasks\":{\"a\":\"x\"}"),
        PARTIAL("\"shards\":[0],\"rows\":9,\"tasks\":[]"),
        PARTIAL("\"shards\":[0],\"rows\":9,\"finish\":{\"n\":10,\"length\":1}"),
        PARTIAL("\"shards\":[0],\"rows\":9,\"finish\":{\"n\":1,\"length\":2}"),
        PARTIAL("\"shards\":[0],\"rows\":9,\"n_graded\":2"),
        PARTIAL("\"shards\":[0],\"rows\":9,\"reward_min\":\"0\""),
        PARTIAL("\"shards\":[0],\"rows\":9,\"config\":{\"temperature\":[[1,[7,0]]]}"),
        PARTIAL("\"shards\":[0],\"rows\":9,\"judge\":{\"n\":1,\"failed\":2}"),
        PARTIAL("\"shards\":[0],\"rows\":9,\"markers\":{\"m\":3}"),
        PARTIAL("\"shards\":[0],\"rows\":9,\"markers\":{\"m\":{\"rows\":2,\"tasks\":{}}}"),
        PARTIAL("\"shards\":[0],\"rows\":9,\"markers\":{\"m\":{\"rows\":1,\"min\":0,\"max\":1,"
                "\"tasks\":{\"a\":[\"x\",1,[0,0]]}}}"),
        PARTIAL("\"shards\":[0],\"rows\":9,\"markers\":{\"m\":{\"rows\":1,\"min\":2,\"max\":1,"
                "\"tasks\":{\"a\":[1,1,[0,0]]}}}"),
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error error = {0};
        struct passat *p = partial_of(bad[i], &error);
        if (p || error.code != ERROR_INPUT || !error.text[0])
            fail_msg("taken: %s", bad[i]);
    }
    struct error error = {0};
    struct passat *good =
        partial_of(PARTIAL("\"shards\":[0],\"rows\":9,\"tasks\":{\"a\":[2,1,[0,0]]}"), &error);
    assert_non_null(good);
    passat_free(good);
    assert_null(partial_of("{\"wai_partial\":1,\"kind\":\"passat\",\"by\":\"task\",\"keys\":"
                           "{\"reward\":[\"score\"],\"task\":[\"task_id\"]}}",
                           &error));
    assert_non_null(strstr(error.text, "score"));
    assert_non_null(strstr(error.text, "qwen_reward"));
}

static void order_within_a_task_changes_nothing(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "{\"task_id\":\"a\",\"reward\":1}", "{\"task_id\":\"a\",\"reward\":0}",
        "{\"task_id\":\"b\",\"reward\":0}", "{\"task_id\":\"b\",\"reward\":1}",
        "{\"task_id\":\"c\",\"reward\":1}", "{\"task_id\":\"c\",\"reward\":1}",
    };
    static const char *const turned[] = {
        "{\"task_id\":\"a\",\"reward\":0}", "{\"task_id\":\"b\",\"reward\":1}",
        "{\"task_id\":\"c\",\"reward\":1}", "{\"task_id\":\"b\",\"reward\":0}",
        "{\"task_id\":\"a\",\"reward\":1}", "{\"task_id\":\"c\",\"reward\":1}",
    };
    struct passat *a = passat_of(rows, 0, 6, 0), *b = passat_of(turned, 0, 6, 0);
    assert_texts(report_text(a), report_text(b));
    passat_free(a);
    passat_free(b);
}

static void rates_are_in_order(void **state)
{
    (void)state;
    struct rng rng, start;
    rng_seed(&rng, 6);
    rng_seed(&start, 0);
    for (int round = 0; round < 200; round++) {
        char *lines[ROWS];
        make_rows(&rng, lines, true);
        struct passat *p = passat_of((const char *const *)lines, 0, ROWS, 0);
        struct passat_settings settings = {
            .k = (int64_t)rng_below(&rng, 5),
            .min_k = 1,
            .unanimous_short = rng_below(&rng, 2),
            .boot = {.start = &start, .draws = 100, .level = STAT_LEVEL}};
        struct passat_report report;
        passat_report_make(p, &settings, &report);
        const struct pass_rates *rates = &report.rates;
        if (rates->n_groups_at_k == rates->n_groups) {
            assert_true(rates->pass_pow_k <= rates->pass_at_1 + 1e-15);
            assert_true(rates->pass_at_1 <= rates->pass_at_k + 1e-15);
        }
        assert_true(rates->ci95.low <= rates->ci95.high);
        assert_true(0.0 <= rates->ci95.low && rates->ci95.high <= 1.0);
        assert_int_equal(report.n_rows + report.n_partial + report.n_boolean + report.n_unjudged,
                         ROWS);
        passat_report_free(&report);
        passat_free(p);
        free_rows(lines);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_anywhere_is_one_pass),
        cmocka_unit_test(joining_is_associative_and_commutative),
        cmocka_unit_test(identity_and_round_trip),
        cmocka_unit_test(what_does_not_join),
        cmocka_unit_test(summaries_that_cannot_be_true),
        cmocka_unit_test(order_within_a_task_changes_nothing),
        cmocka_unit_test(rates_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
