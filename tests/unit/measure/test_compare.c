/* test_compare.c: the full report of two sides: the properties of measure 18 (swap, scale, identity,
 * order, jobs) through files, and what was asked and not measured. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"

#include "base/file.h"
#include "measure/compare.h"
#include "measure/sweep.h"

enum { TASKS = 12, TRIES = 3, DRAWS = 400 };

static struct buf folder;

/* A side: pass rates that `shift` moves, a marker `words` times `scale`, a run and a slice per row. */
static const char *make_side(const char *name, uint64_t seed, double shift, double scale,
                             bool backwards, struct buf *path)
{
    struct rng rng;
    struct buf text = {0}, lines[TASKS * TRIES] = {{0}};
    rng_seed(&rng, (int64_t)seed);
    for (size_t i = 0; i < TASKS * TRIES; i++) {
        double words = (double)rng_below(&rng, 50) * scale;
        int passed = rng_random(&rng) < (double)(i % TASKS) / TASKS + shift;
        buf_format(
            &lines[i],
            "{\"task_id\":\"t%zu\",\"reward\":%d,\"markers\":{\"words\":%.17g,\"refusal\":%d},"
            "\"category\":\"c%zu\",\"lineage\":{\"eval_run\":%zu}}\n",
            i % TASKS, passed, words, !passed, i % 2, i / TASKS);
    }
    for (size_t i = 0; i < TASKS * TRIES; i++) {
        /* backwards: the tasks in another order, the rows of each as they were */
        size_t at = backwards ? i / TASKS * TASKS + (TASKS - 1 - i % TASKS) : i;
        buf_span_add(&text, buf_span(&lines[at]));
    }
    buf_clear(path);
    buf_format(path, "%s/%s.jsonl", buf_cstr(&folder), name);
    struct error error;
    assert_int_equal(file_save(buf_cstr(path), buf_span(&text), &error), 0);
    for (size_t i = 0; i < TASKS * TRIES; i++)
        buf_free(&lines[i]);
    buf_free(&text);
    return buf_cstr(path);
}

struct run {
    struct compare_request request;
    struct compare_options options;
    struct compare_rows rows;
    struct compare_report report;
    struct buf json;
};

static struct compare_request request_of(const char *before, const char *after)
{
    return (struct compare_request){.before = before,
                                    .after = after,
                                    .seed = "0",
                                    .adjust = "none",
                                    .interval = "percentile",
                                    .scheme = "auto",
                                    .draws = DRAWS,
                                    .min_paired = MEASURE_MIN_PAIRED,
                                    .alpha = STAT_ALPHA,
                                    .level = STAT_LEVEL,
                                    .power = STAT_POWER,
                                    .ceiling = MEASURE_CEILING,
                                    .answered_gap = MEASURE_ANSWERED_GAP,
                                    .answered_alpha = MEASURE_ANSWERED_ALPHA,
                                    .gates = {.on = "point"},
                                    .rows = ROW_OPTIONS_DEFAULT};
}

static void run(struct run *r, const struct compare_request *request)
{
    struct error error = {0};
    struct json_writer writer;
    *r = (struct run){.request = *request};
    assert_int_equal(compare_options_read(&r->request, &r->options, &error), 0);
    assert_int_equal(compare_read(&r->options, &r->rows, &error), 0);
    assert_int_equal(compare_report_make(&r->options, &r->rows, &r->report, &error), 0);
    compare_judge(&r->report);
    json_write_start(&writer, &r->json, JSON_STYLE_COMPACT);
    compare_json(&r->report, &writer);
}

static void end(struct run *r)
{
    compare_report_free(&r->report);
    compare_rows_free(&r->rows);
    compare_options_free(&r->options);
    buf_free(&r->json);
}

static void identity(void **state)
{
    (void)state;
    struct buf path = {0};
    const char *side = make_side("same", 1, 0.0, 1.0, false, &path);
    struct compare_request request = request_of(side, side);
    struct run r;
    request.target = "pass_at_1";
    run(&r, &request);
    for (size_t i = 0; i < r.report.n_metrics; i++) {
        const struct metric_change *c = &r.report.metrics[i].change;
        assert_true(c->delta == 0.0 && c->ci95.low == 0.0 && c->ci95.high == 0.0);
        assert_true(c->p_value == 1.0 && c->verdict == CHANGE_NONE);
        assert_true(r.report.metrics[i].p_exact == 1.0);
    }
    assert_true(r.report.ok && r.report.n_causes == 0);
    assert_string_equal(r.report.headline_word, "NO DIFFERENCE");
    assert_int_equal(r.report.repeats.n_pairs, 3);
    assert_int_equal(r.report.repeats.agree, 3);
    end(&r);
    buf_free(&path);
}

/* Positions mirror at 2000 draws and 0.95: 50 and 1949. */
static void swap(void **state)
{
    (void)state;
    struct buf a = {0}, b = {0};
    make_side("a", 1, 0.0, 1.0, false, &a);
    make_side("b", 2, 0.4, 1.0, false, &b);
    struct compare_request there = request_of(buf_cstr(&a), buf_cstr(&b));
    struct compare_request back = request_of(buf_cstr(&b), buf_cstr(&a));
    there.draws = back.draws = 2000;
    struct run x, y;
    run(&x, &there);
    run(&y, &back);
    assert_int_equal(x.report.n_metrics, 3);
    for (size_t i = 0; i < x.report.n_metrics; i++) {
        const struct metric_change *p = &x.report.metrics[i].change;
        const struct metric_change *q = &y.report.metrics[i].change;
        assert_true(p->delta == -q->delta && p->p_value == q->p_value);
        assert_true(p->ci95.low == -q->ci95.high && p->ci95.high == -q->ci95.low);
        assert_true(x.report.metrics[i].p_exact == y.report.metrics[i].p_exact);
        assert_true(x.report.metrics[i].noise_band == y.report.metrics[i].noise_band);
    }
    /* refusal is the mirror of the reward, and lower is better: the same gain */
    assert_int_equal(x.report.metrics[0].gain, CHANGE_B_BETTER);
    assert_int_equal(x.report.metrics[1].gain, CHANGE_B_BETTER);
    assert_int_equal(y.report.metrics[1].gain, CHANGE_A_BETTER);
    end(&x);
    end(&y);
    buf_free(&a);
    buf_free(&b);
}

static void scale(void **state)
{
    (void)state;
    struct buf a = {0}, b = {0}, a2 = {0}, b2 = {0};
    make_side("a", 1, 0.0, 1.0, false, &a);
    make_side("b", 2, 0.2, 1.0, false, &b);
    make_side("a2", 1, 0.0, 2.0, false, &a2);
    make_side("b2", 2, 0.2, 2.0, false, &b2);
    struct compare_request once = request_of(buf_cstr(&a), buf_cstr(&b));
    struct compare_request twice = request_of(buf_cstr(&a2), buf_cstr(&b2));
    struct run x, y;
    run(&x, &once);
    run(&y, &twice);
    const struct metric_change *p = &x.report.metrics[2].change, *q = &y.report.metrics[2].change;
    assert_true(span_is(x.report.metrics[2].name, "marker:words"));
    assert_true(q->delta == 2.0 * p->delta && q->ci95.low == 2.0 * p->ci95.low &&
                q->ci95.high == 2.0 * p->ci95.high && q->p_value == p->p_value);
    end(&x);
    end(&y);
    buf_free(&a);
    buf_free(&b);
    buf_free(&a2);
    buf_free(&b2);
}

static void order_and_jobs(void **state)
{
    (void)state;
    struct buf a = {0}, b = {0}, shuffled = {0};
    make_side("a", 1, 0.0, 1.0, false, &a);
    make_side("b", 2, 0.2, 1.0, false, &b);
    make_side("shuffled", 1, 0.0, 1.0, true, &shuffled);
    struct compare_request one = request_of(buf_cstr(&a), buf_cstr(&b));
    struct compare_request many = one, moved = one;
    one.rows.jobs = 1;
    many.rows.jobs = 7;
    moved.before = buf_cstr(&shuffled);
    struct run x, y, z;
    run(&x, &one);
    run(&y, &many);
    run(&z, &moved);
    assert_int_equal(x.json.len, y.json.len);
    assert_memory_equal(x.json.data, y.json.data, x.json.len);
    for (size_t i = 0; i < x.report.n_metrics; i++) { /* pairs go by key */
        assert_true(x.report.metrics[i].change.delta == z.report.metrics[i].change.delta);
        assert_true(x.report.metrics[i].change.ci95.low == z.report.metrics[i].change.ci95.low);
        assert_true(x.report.metrics[i].change.p_value == z.report.metrics[i].change.p_value);
    }
    end(&x);
    end(&y);
    end(&z);
    buf_free(&a);
    buf_free(&b);
    buf_free(&shuffled);
}

/* By position, a marker less shifts the draws of the others; by name it does not. */
static void seeds_by_name(void **state)
{
    (void)state;
    struct buf a = {0}, b = {0};
    make_side("a", 1, 0.0, 1.0, false, &a);
    make_side("b", 2, 0.2, 1.0, false, &b);
    struct compare_request all = request_of(buf_cstr(&a), buf_cstr(&b)), some = all;
    const char *words[] = {"words"};
    some.markers = (struct option_list){words, 1, 1};
    for (int by_name = 0; by_name < 2; by_name++) {
        all.seed_by_name = some.seed_by_name = by_name;
        struct run x, y;
        run(&x, &all);
        run(&y, &some);
        const struct metric_change *p = &x.report.metrics[2].change;
        const struct metric_change *q = &y.report.metrics[1].change;
        assert_true(p->delta == q->delta);
        assert_int_equal(p->ci95.low == q->ci95.low && p->ci95.high == q->ci95.high, by_name);
        end(&x);
        end(&y);
    }
    buf_free(&a);
    buf_free(&b);
}

static void not_measured_is_red(void **state)
{
    (void)state;
    struct buf a = {0};
    const char *side = make_side("a", 1, 0.0, 1.0, false, &a);
    struct compare_request request = request_of(side, side);
    const char *guards[] = {"typo", "words"};
    request.guards = (struct option_list){guards, 2, 2};
    struct run r;
    run(&r, &request);
    assert_false(r.report.ok);
    assert_int_equal(r.report.n_unmeasured, 1);
    assert_true(span_is(r.report.unmeasured[0], "marker:typo"));
    assert_int_equal(gates_red(&r.report.gates), 1);
    assert_string_equal(r.report.gates.items[0].reason, "not_measured");
    assert_string_equal(r.report.headline_word, "FAIL");
    end(&r);
    buf_free(&a);
}

/* All flips of a few signs, by hand: of 1, 1, 1 two of eight reach 1; of 1, 0 all do half of each. */
static void exact_flips(void **state)
{
    (void)state;
    const double same[] = {1.0, 1.0, 1.0}, one[] = {1.0, 0.0}, none[] = {0.0};
    double many[STAT_EXACT_TASKS + 1] = {0.0};
    assert_true(permutation_p_exact(same, 3) == 0.25);
    assert_true(permutation_p_exact(one, 2) == 1.0);
    assert_true(permutation_p_exact(none, 1) == 1.0);
    assert_true(isnan(permutation_p_exact(many, STAT_EXACT_TASKS + 1)));
}

/* Counting distinct values has the distribution of the draws: the ends of the interval and the p lie
 * within what 2000 draws leave open. */
static void hist_agrees(void **state)
{
    (void)state;
    enum { TASKS_MANY = 300 };
    double few[TASKS_MANY], ends = 0.02;
    struct rng rng, start;
    rng_seed(&rng, 5);
    rng_seed(&start, 0);
    for (int round = 0; round < 10; round++) {
        for (size_t i = 0; i < TASKS_MANY; i++)
            few[i] = (double)rng_range(&rng, -4, 5) / 4.0 + 0.005 * round;
        const double *lists[] = {few};
        struct boot_sample sample = {.lists = lists, .n_lists = 1, .n = TASKS_MANY};
        struct boot_options boot = {.start = &start, .draws = 2000, .level = STAT_LEVEL};
        struct interval exact, hist;
        boot_sample_intervals(&sample, &boot, &exact);
        boot.scheme = BOOT_HIST;
        boot_sample_intervals(&sample, &boot, &hist);
        assert_true(fabs(exact.low - hist.low) < ends && fabs(exact.high - hist.high) < ends);
        double p = permutation_p(few, TASKS_MANY, &start, 2000);
        double q = permutation_p_hist(few, TASKS_MANY, &start, 2000);
        assert_true(fabs(p - q) < 5.0 * sqrt(2.0 * p * (1.0 - p) / 2000.0) + 0.002);
    }
}

static void sweep_refuses_unequal_arms(void **state)
{
    (void)state;
    struct buf a = {0}, b = {0}, arms[2] = {{0}};
    struct error error;
    make_side("a", 1, 0.0, 1.0, false, &a);
    buf_format(&b, "%s/short.jsonl", buf_cstr(&folder));
    assert_int_equal(file_save(buf_cstr(&b), SPAN("{\"task_id\":\"t0\",\"reward\":1}\n"), &error),
                     0);
    buf_format(&arms[0], "x=%s", buf_cstr(&a));
    buf_format(&arms[1], "y=%s", buf_cstr(&b));
    const char *items[] = {buf_cstr(&arms[0]), buf_cstr(&arms[1])};
    struct sweep_request request = {.arms = {items, 2, 2},
                                    .behavior = "policy",
                                    .seed = "0",
                                    .k = 4,
                                    .draws = 10,
                                    .rows = ROW_OPTIONS_DEFAULT};
    struct sweep_report report;
    assert_int_equal(sweep_make(&request, &report, &error), ERROR_INPUT);
    assert_non_null(strstr(error.text, "12 asks differ"));
    sweep_free(&report);
    buf_free(&a);
    buf_free(&b);
    buf_free(&arms[0]);
    buf_free(&arms[1]);
}

int main(void)
{
    struct error error;
    if (scratch_make(&folder, &error) < 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity),
        cmocka_unit_test(swap),
        cmocka_unit_test(scale),
        cmocka_unit_test(order_and_jobs),
        cmocka_unit_test(seeds_by_name),
        cmocka_unit_test(not_measured_is_red),
        cmocka_unit_test(exact_flips),
        cmocka_unit_test(hist_agrees),
        cmocka_unit_test(sweep_refuses_unequal_arms),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_remove(buf_cstr(&folder));
    buf_free(&folder);
    return failed;
}
