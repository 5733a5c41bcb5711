/* test_pairs.c: summaries of pairs: parts in any order are one pass, and what they say of means and changes
 * is what the rows say. */
#include <math.h>
#include <string.h>

#include "rows.h"

#include "base/file.h"
#include "measure/pairs.h"

enum { TASKS = 60, SHARDS = 3, DRAWS = 200, ALL = SHARDS };

static struct buf folder;
static struct buf paths[SHARDS + 1][SIDES]; /* the last: all rows */

static void make_files(void)
{
    struct buf texts[SHARDS + 1][SIDES] = {{{0}}};
    struct rng rng;
    struct error error;
    rng_seed(&rng, 11);
    for (size_t task = 0; task < TASKS; task++)
        for (int side = 0; side < SIDES; side++)
            for (uint64_t tries = rng_below(&rng, 6); tries > 0;
                 tries--) { /* 0: not on that side */
                struct buf row = {0};
                buf_format(&row,
                           "{\"task_id\":\"t%zu\",\"reward\":%d,\"markers\":{\"refusal\":%d}}\n",
                           task, rng_random(&rng) < 0.4 + 0.2 * side, rng_random(&rng) < 0.3);
                buf_span_add(&texts[task % SHARDS][side], buf_span(&row));
                buf_span_add(&texts[ALL][side], buf_span(&row));
                buf_free(&row);
            }
    for (size_t shard = 0; shard <= SHARDS; shard++)
        for (int side = 0; side < SIDES; side++) {
            buf_format(&paths[shard][side], "%s/%zu-%d.jsonl", buf_cstr(&folder), shard, side);
            assert_int_equal(
                file_save(buf_cstr(&paths[shard][side]), buf_span(&texts[shard][side]), &error), 0);
            buf_free(&texts[shard][side]);
        }
}

static struct compare_request request_of(size_t shard)
{
    return (struct compare_request){.before = buf_cstr(&paths[shard][BEFORE]),
                                    .after = buf_cstr(&paths[shard][AFTER]),
                                    .seed = "0",
                                    .scheme = "auto",
                                    .no_by = true,
                                    .shard = (int64_t)shard,
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

/* The summary of a shard's files as a line. */
static struct buf line_of(size_t shard)
{
    struct compare_request request = request_of(shard);
    struct compare_options o;
    struct compare_rows rows;
    struct error error;
    struct buf line = {0};
    assert_int_equal(compare_options_read(&request, &o, &error), 0);
    assert_int_equal(compare_read(&o, &rows, &error), 0);
    struct arm_pairs *pairs = arm_pairs_new(&o);
    assert_int_equal(arm_pairs_of_rows(&o, &rows, pairs, &error), 0);
    arm_pairs_write(pairs, &line);
    arm_pairs_free(pairs);
    compare_rows_free(&rows);
    compare_options_free(&o);
    return line;
}

static void add_line(struct arm_pairs *pairs, const struct buf *line)
{
    struct json_value value;
    struct json_fault fault;
    struct error error;
    assert_int_equal(json_scan(buf_span(line), &value, NULL, &fault), 0);
    assert_int_equal(arm_pairs_add(pairs, value, false, &error), 0);
}

/* The report on lines added in that order. */
static struct buf report_of(const struct compare_options *o, const struct buf *lines,
                            const size_t *order, size_t n, struct arm_pairs *pairs)
{
    struct compare_report report;
    struct error error;
    struct buf json = {0};
    struct json_writer writer;
    for (size_t i = 0; i < n; i++)
        add_line(pairs, &lines[order[i]]);
    assert_int_equal(arm_pairs_report_make(o, pairs, &report, &error), 0);
    compare_judge(&report);
    json_write_start(&writer, &json, JSON_STYLE_COMPACT);
    arm_pairs_json(pairs, &report, &writer);
    compare_report_free(&report);
    return json;
}

static void test_any_order_is_one_pass(void **state)
{
    static const size_t ORDERS[][SHARDS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                            {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    (void)state;
    struct compare_request request = request_of(ALL);
    struct compare_options o;
    struct error error;
    struct buf lines[SHARDS + 1];
    for (size_t i = 0; i <= SHARDS; i++)
        lines[i] = line_of(i);
    assert_int_equal(compare_options_read(&request, &o, &error), 0);
    struct arm_pairs *pairs = arm_pairs_new(&o);
    struct buf one = report_of(&o, lines, (const size_t[]){ALL}, 1, pairs);
    arm_pairs_free(pairs);
    for (size_t i = 0; i < sizeof ORDERS / sizeof *ORDERS; i++) {
        pairs = arm_pairs_new(&o);
        struct buf sum = report_of(&o, lines, ORDERS[i], SHARDS, pairs);
        assert_string_equal(buf_cstr(&sum), buf_cstr(&one));
        buf_free(&sum);
        arm_pairs_free(pairs);
    }
    for (size_t i = 0; i <= SHARDS; i++)
        buf_free(&lines[i]);
    buf_free(&one);
    compare_options_free(&o);
}

static void near(double a, double b)
{
    assert_false(isnan(a) || isnan(b));
    assert_true(fabs(a - b) < 1e-12);
}

static void test_points_are_those_of_the_rows(void **state)
{
    (void)state;
    struct compare_request request = request_of(ALL);
    struct compare_options o;
    struct compare_rows rows;
    struct compare_report full, sum;
    struct error error;
    request.scheme = "hist";
    assert_int_equal(compare_options_read(&request, &o, &error), 0);
    assert_int_equal(compare_read(&o, &rows, &error), 0);
    assert_int_equal(compare_report_make(&o, &rows, &full, &error), 0);
    struct arm_pairs *pairs = arm_pairs_new(&o);
    struct buf line = line_of(ALL);
    add_line(pairs, &line);
    assert_int_equal(arm_pairs_report_make(&o, pairs, &sum, &error), 0);
    assert_int_equal(full.n_metrics, 2);
    assert_int_equal(sum.n_metrics, 2);
    for (size_t i = 0; i < sum.n_metrics; i++) {
        const struct metric_change *a = &full.metrics[i].change, *b = &sum.metrics[i].change;
        assert_true(span_equal(full.metrics[i].name, sum.metrics[i].name));
        assert_int_equal(a->n_paired, b->n_paired);
        assert_int_equal(a->n_only_a, b->n_only_a);
        assert_int_equal(a->n_only_b, b->n_only_b);
        assert_true(a->n_only_a > 0 && a->n_only_b > 0 && b->scheme == BOOT_HIST);
        near(a->delta, b->delta);
        near(a->mean_a, b->mean_a);
        near(a->mean_b, b->mean_b);
        near(a->mean_a_paired, b->mean_a_paired);
        near(a->mean_b_paired, b->mean_b_paired);
        near(a->paired_share, b->paired_share);
    }
    near(full.metrics[0].change.ci95.low, sum.metrics[0].change.ci95.low); /* the same draws */
    near(full.metrics[0].change.ci95.high, sum.metrics[0].change.ci95.high);
    near(full.metrics[0].change.p_value, sum.metrics[0].change.p_value);
    compare_report_free(&sum);
    compare_report_free(&full);
    arm_pairs_free(pairs);
    buf_free(&line);
    compare_rows_free(&rows);
    compare_options_free(&o);
}

static void test_counted_flips_are_those_of_the_list(void **state)
{
    (void)state;
    const double list[] = {0.5, 0.5, -0.25, 0.0, 0.5, -0.25, 1.0},
                 values[] = {0.5, -0.25, 0.0, 1.0};
    const uint64_t times[] = {3, 2, 1, 1};
    struct rng start;
    rng_seed(&start, 3);
    near(permutation_p_hist(list, 7, &start, 500),
         permutation_p_counted(values, times, 4, &start, 500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order_is_one_pass),
        cmocka_unit_test(test_points_are_those_of_the_rows),
        cmocka_unit_test(test_counted_flips_are_those_of_the_list),
    };
    struct error error;
    if (scratch_make(&folder, &error) < 0)
        return 1;
    make_files();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i <= SHARDS; i++)
        for (int side = 0; side < SIDES; side++)
            buf_free(&paths[i][side]);
    scratch_remove(buf_cstr(&folder));
    buf_free(&folder);
    return failed;
}
