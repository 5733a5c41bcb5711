/* test_plan.c: properties of sizing, power, the spread of an eval and its parts, the self-check
 * (measure 9). Digits are held by the reference cases and by the comparison with the package. */
#include <math.h>
#include <stdlib.h>

#include "measure/plan_run.h"
#include "rows.h"
#include "text/number.h"

static const struct sizing_options SIZING = {.effect = 0.05,
                                             .base = 0.6,
                                             .k = 4,
                                             .power = 0.8,
                                             .alpha = 0.05,
                                             .task_std = NAN,
                                             .ceiling = 0.9};

static struct holdout_report size_of(struct sizing_options sizing, const struct sizing_rows *rows)
{
    struct holdout_report report;
    struct sizing_rows none = {0};
    struct error error;
    assert_int_equal(holdout_size(&sizing, rows ? rows : &none, &report, &error), 0);
    return report;
}

static double tasks_of(struct sizing_options sizing)
{
    struct holdout_report report = size_of(sizing, NULL);
    holdout_free(&report);
    return report.n_tasks;
}

static void more_is_needed_for_less(void **state)
{
    (void)state;
    double last = INFINITY;
    for (double effect = 0.01; effect < 0.4; effect += 0.01) {
        struct sizing_options sizing = SIZING;
        sizing.effect = effect;
        double n = tasks_of(sizing);
        assert_true(n <= last);
        last = n;
        sizing.k = 8;
        assert_true(tasks_of(sizing) <= n);
        sizing.power = 0.9;
        sizing.k = 4;
        assert_true(tasks_of(sizing) >= n);
        sizing.power = 0.8;
        sizing.alpha = 0.01;
        assert_true(tasks_of(sizing) >= n);
    }
}

/* So many tasks show just the gain that they were counted for. */
static void size_and_effect_are_inverse(void **state)
{
    (void)state;
    for (double effect = 0.02; effect < 0.3; effect += 0.02) {
        struct sizing_options sizing = SIZING;
        sizing.effect = effect;
        double n = tasks_of(sizing);
        struct detectable_options asked = {n, 0.6, 4, 0.8, 0.05};
        assert_true(detectable_effect_solved(&asked) <= effect + 1e-12);
        asked.n_tasks = n - 1;
        assert_true(n <= 2 || detectable_effect_solved(&asked) > effect);
        if (n * 4 >= 40)
            assert_true(fabs(detectable_effect(n, 0.6, 4, 0.8, 0.05) -
                             number_round(detectable_effect_solved(
                                              &(struct detectable_options){n, 0.6, 4, 0.8, 0.05}),
                                          4)) < 1e-4 + 1e-9);
    }
}

static void the_root_solves_the_equation(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 3);
    int roomless = 0;
    for (int i = 0; i < 2000; i++) {
        struct detectable_options asked = {2.0 + (double)rng_below(&rng, 300), rng_random(&rng),
                                           1.0 + (double)rng_below(&rng, 8), 0.8, 0.05};
        double effect = detectable_effect_solved(&asked);
        if (isnan(effect)) { /* even the whole way to 1 does not do */
            double gap = 1.0 - asked.base;
            double z = stat_normal_inverse(0.975) + stat_normal_inverse(0.8);
            assert_true(z * stat_sd_uniform(asked.base, gap, asked.k) / sqrt(asked.n_tasks) >
                        gap - 1e-9);
            roomless++;
            continue;
        }
        double z = stat_normal_inverse(0.975) + stat_normal_inverse(0.8);
        assert_true(fabs(z * stat_sd_uniform(asked.base, effect, asked.k) / sqrt(asked.n_tasks) -
                         effect) < 1e-9);
    }
    assert_true(roomless > 20 && roomless < 1000);
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    const double bad[] = {0.0, 1.0, -0.1, 1.5, NAN, INFINITY};
    struct holdout_report report;
    struct sizing_rows none = {0}, after = {.has_after = true};
    struct error error;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int field = 0; field < 3; field++) {
            struct sizing_options sizing = SIZING;
            *(field == 0 ? &sizing.effect : field == 1 ? &sizing.power : &sizing.alpha) = bad[i];
            assert_int_equal(holdout_size(&sizing, &none, &report, &error), ERROR_USAGE);
            holdout_free(&report);
        }
    assert_int_equal(holdout_size(&SIZING, &after, &report, &error), ERROR_USAGE);
    holdout_free(&report);
}

/* ---- runs ---------------------------------------------------------------------------------------
 */

/* Tasks t0 … with the given passes of n tries, as a run. */
static struct passat *run_of(size_t n_tasks, const int *passes, int tries)
{
    struct passat_options keep = {.markers = true};
    struct passat *p = passat_new(&keep);
    struct facts_reader *reader = facts_open(&FACTS_DEFAULT);
    struct buf line = {0};
    for (size_t i = 0; i < n_tasks; i++)
        for (int try = 0; try < tries; try++) {
            buf_clear(&line);
            buf_format(&line, "{\"task_id\":\"t%zu\",\"reward\":%d,\"markers\":{\"m\\u0000\":%d}}",
                       i, try < passes[i], try < passes[i]);
            add_row(p, reader, buf_span(&line));
        }
    buf_free(&line);
    facts_close(reader);
    return p;
}

enum { RUNS_MAX = 8, TASKS = 40 };

static void free_runs(struct eval_run *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        passat_free(items[i].rows);
}

static struct variance_report variance_of(struct eval_run *items, size_t n, const char *metric,
                                          const char *plan)
{
    struct eval_runs runs = {.items = items, .count = n};
    struct variance_report report;
    struct forecast forecast;
    struct error error;
    assert_int_equal(forecast_read(plan, &forecast, &error), 0);
    eval_variance(&runs, metric, &forecast, &report);
    return report;
}

/* Runs with a spread of their own, tasks with theirs, tries of what is left. */
static void make_runs(struct rng *rng, struct eval_run *items, size_t n, int tries, double run_sd)
{
    double rates[TASKS];
    for (size_t t = 0; t < TASKS; t++)
        rates[t] = rng_uniform(rng, 0.3, 0.7);
    for (size_t i = 0; i < n; i++) {
        int passes[TASKS];
        double shift = rng_uniform(rng, -1.0, 1.0) * run_sd * sqrt(3.0);
        for (size_t t = 0; t < TASKS; t++) {
            passes[t] = 0;
            for (int try = 0; try < tries; try++)
                passes[t] += rng_random(rng) < rates[t] + shift;
        }
        items[i] = (struct eval_run){SPAN("run"), run_of(TASKS, passes, tries)};
    }
}

/* With nothing changed the forecast is the spread that was measured. */
static void a_forecast_of_the_same_is_the_spread(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 5);
    int unclipped = 0;
    for (int trial = 0; trial < 40; trial++) {
        struct eval_run items[RUNS_MAX];
        make_runs(&rng, items, 4, 3, 0.1);
        struct variance_report r = variance_of(items, 4, "pass_at_1", "tasks=40,tries=3,runs=4");
        const struct variance_components *c = &r.components;
        if (c->run > 0.0 && c->task_run > 0.0) {
            unclipped++;
            assert_true(fabs(r.forecast.run_std - r.run_std) < 1e-12);
            assert_true(fabs(r.forecast.noise_band - r.noise_band) < 1e-12);
            assert_true(r.forecast.noise_band_runs < r.forecast.noise_band);
        }
        variance_free(&r);
        free_runs(items, 4);
    }
    assert_true(unclipped > 5);
}

/* The components find what was planted: on average, over many evals. */
static void components_find_what_was_planted(void **state)
{
    (void)state;
    enum { EVALS = 300 };
    struct rng rng;
    rng_seed(&rng, 6);
    double run = 0.0, one_try = 0.0, task = 0.0;
    for (int trial = 0; trial < EVALS; trial++) {
        struct eval_run items[RUNS_MAX];
        make_runs(&rng, items, RUNS_MAX, 4, 0.1);
        struct variance_report r = variance_of(items, RUNS_MAX, "pass_at_1", NULL);
        run += r.components.run / EVALS;
        task += r.components.task / EVALS;
        one_try += r.components.one_try / EVALS;
        variance_free(&r);
        free_runs(items, RUNS_MAX);
    }
    assert_true(fabs(run - 0.01) < 0.001);         /* 0.1^2 */
    assert_true(fabs(task - 0.16 / 12.0) < 0.002); /* of 0.3..0.7 */
    assert_true(fabs(one_try - 0.2267) < 0.004);   /* p(1-p) with p's own variance taken off */
}

/* More tasks, tries, runs: never a wider band. */
static void more_never_widens_the_forecast(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 7);
    struct eval_run items[RUNS_MAX];
    make_runs(&rng, items, 3, 3, 0.05);
    static const char *const PLANS[] = {"tries=1", "tries=3", "tries=30", "tries=30,tasks=400",
                                        "tries=30,tasks=400,runs=9"};
    double last = INFINITY;
    for (size_t i = 0; i < sizeof PLANS / sizeof *PLANS; i++) {
        struct variance_report r = variance_of(items, 3, "pass_at_1", PLANS[i]);
        assert_true(r.forecast.noise_band <= last);
        last = r.forecast.noise_band;
        variance_free(&r);
    }
    free_runs(items, 3);
}

/* A marker of 0 and 1 has the spread of the verdicts; its name may hold anything. */
static void a_marker_is_measured_as_the_verdict(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 8);
    struct eval_run items[RUNS_MAX];
    make_runs(&rng, items, 3, 3, 0.1);
    struct variance_report r = variance_of(items, 3, "pass_at_1", NULL);
    assert_int_equal(r.n_floors, 2);
    assert_true(span_equal(buf_span(&r.floors[1].metric), SPAN("marker:m\0")));
    assert_true(r.floors[0].run_std == r.run_std && r.floors[1].run_std == r.run_std);
    variance_free(&r);
    free_runs(items, 3);
}

static void forecasts_that_read_wrong(void **state)
{
    (void)state;
    static const char *const BAD[] = {"",
                                      "runs",
                                      "runs=",
                                      "runs=1",
                                      "tasks=0",
                                      "tries=x",
                                      "runs=2,",
                                      ",runs=2",
                                      "runs=2;tasks=3",
                                      "n=3",
                                      "runs=2,runs=2",
                                      "tasks=1e3",
                                      "tasks=99999999999"};
    struct forecast forecast;
    struct error error;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        assert_int_equal(forecast_read(BAD[i], &forecast, &error), ERROR_USAGE);
    assert_int_equal(forecast_read("tries=8,runs=5", &forecast, &error), 0);
    assert_true(forecast.asked && forecast.tries == 8 && forecast.runs == 5 &&
                isnan(forecast.tasks));
    assert_int_equal(forecast_read(NULL, &forecast, &error), 0);
    assert_false(forecast.asked);
}

static void metric_names(void **state)
{
    (void)state;
    static const char *const NAMES[][2] = {{"pass_at_1", "pass_at_1"},
                                           {"tone", "marker:tone"},
                                           {"marker:tone", "marker:tone"},
                                           {"", "marker:"}};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        struct buf name = {0};
        metric_name(NAMES[i][0], &name);
        assert_string_equal(buf_cstr(&name), NAMES[i][1]);
        buf_free(&name);
    }
}

/* ---- rows that size -----------------------------------------------------------------------------
 */

static struct task_rate *tasks_at(const char *keys, const double *rates, uint64_t n, size_t count)
{
    struct task_rate *tasks = calloc(count, sizeof *tasks);
    for (size_t i = 0; i < count; i++)
        tasks[i] = (struct task_rate){span_make(keys + i, 1), n, rates[i] * (double)n, rates[i]};
    return tasks;
}

/* Pairs do not depend on the order of either side. */
static void pairs_in_any_order(void **state)
{
    (void)state;
    const double before[] = {0.25, 0.5, 0.75, 0.0, 1.0}, after[] = {0.5, 0.5, 1.0, 0.25, 1.0};
    struct task_rate *a = tasks_at("abcde", before, 4, 5), *b = tasks_at("abcde", after, 4, 5);
    struct sizing_rows rows = {true, true, a, b, 5, 5};
    struct holdout_report one = size_of(SIZING, &rows);
    for (size_t i = 0; i < 2; i++) {
        struct task_rate swap = b[i];
        b[i] = b[4 - i];
        b[4 - i] = swap;
    }
    struct holdout_report two = size_of(SIZING, &rows);
    assert_true(one.n_tasks == two.n_tasks && one.task_std == two.task_std);
    assert_true(one.n_tasks_low == two.n_tasks_low && one.n_tasks_high == two.n_tasks_high);
    assert_true(one.n_tasks_low <= one.n_tasks && one.n_tasks <= one.n_tasks_high);
    holdout_free(&one);
    holdout_free(&two);
    free(a);
    free(b);
}

static void verdicts_of_power(void **state)
{
    (void)state;
    static const struct {
        const char *verdict;
        double rates[4];
    } CASES[] = {{"floored", {0, 0, 0, 0}},
                 {"saturated", {1, 1, 1, 0.95}},
                 {"underpowered", {0.5, 0.5, 0, 1}}};
    struct power_options options = {0.1, 0.8, 0.05, 0.2, 0.8};
    struct power_report report;
    struct error error;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct task_rate *tasks = tasks_at("abcd", CASES[i].rates, 20, 4);
        assert_int_equal(eval_power(&options, tasks, 4, &report, &error), 0);
        assert_string_equal(report.verdict, CASES[i].verdict);
        assert_true(notes_have(&report.warnings, "verdict_fix"));
        power_free(&report);
        free(tasks);
    }
    options.effect = 0.6;
    const double rates[] = {0.1, 0.2, 0.3, 0.2};
    struct task_rate *tasks = tasks_at("abcd", rates, 20, 4);
    assert_int_equal(eval_power(&options, tasks, 4, &report, &error), 0);
    assert_string_equal(report.verdict, "usable");
    assert_int_equal(report.warnings.count, 0);
    assert_int_equal(report.in_band, 3);
    power_free(&report);
    free(tasks);
}

/* ---- self-check ---------------------------------------------------------------------------------
 */

static struct self_check_report check_of(int64_t trials, int jobs, enum interval_kind interval)
{
    struct self_check_options options = {trials, "1", 100, 0.05, 3.0, interval, jobs};
    struct self_check_report report;
    struct error error;
    assert_int_equal(self_check(&options, &report, &error), 0);
    return report;
}

static void threads_change_nothing(void **state)
{
    (void)state;
    struct self_check_report one = check_of(12, 1, INTERVAL_PERCENTILE);
    struct self_check_report four = check_of(12, 4, INTERVAL_PERCENTILE);
    for (size_t i = 0; i < SELF_CHECKS; i++)
        assert_int_equal(one.checks[i].hits, four.checks[i].hits);
}

/* Student's interval of ten tasks holds what it says; percentiles of ten hold less. */
static void intervals_of_ten_tasks(void **state)
{
    (void)state;
    struct self_check_report t = check_of(400, 2, INTERVAL_T);
    struct self_check_report percentile = check_of(400, 2, INTERVAL_PERCENTILE);
    assert_true(t.checks[1].measured > 0.93 && t.checks[1].measured < 0.97);
    assert_true(percentile.checks[1].hits < t.checks[1].hits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_is_needed_for_less),
        cmocka_unit_test(size_and_effect_are_inverse),
        cmocka_unit_test(the_root_solves_the_equation),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(a_forecast_of_the_same_is_the_spread),
        cmocka_unit_test(components_find_what_was_planted),
        cmocka_unit_test(more_never_widens_the_forecast),
        cmocka_unit_test(a_marker_is_measured_as_the_verdict),
        cmocka_unit_test(forecasts_that_read_wrong),
        cmocka_unit_test(metric_names),
        cmocka_unit_test(pairs_in_any_order),
        cmocka_unit_test(verdicts_of_power),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(intervals_of_ten_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
