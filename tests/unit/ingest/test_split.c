/* test_split.c: whole tasks on one side, every row on one of them, in the order they came. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../row/files.h"
#include "ingest/split.h"
#include "rng/rng.h"
#include "row/key.h"
#include "row/split.h"

enum { ROWS = 3000 };

static void put_rows(uint64_t seed)
{
    struct buf text = {0};
    struct rng rng;
    rng_seed(&rng, (int64_t)seed);
    for (int i = 0; i < ROWS; i++) {
        buf_format(&text, "{\"n\":%d,\"reward\":%d", i, (int)rng_below(&rng, 20) > 0);
        if (rng_below(&rng, 20))
            buf_format(&text, ",\"scenario_id\":\"t%d\"", (int)rng_below(&rng, 400));
        if (rng_below(&rng, 2))
            buf_format(&text, ",\"prompt\":\"ask %d\",\"final_text\":\"cannot\"",
                       (int)rng_below(&rng, 5));
        buf_text(&text, "}\n");
    }
    file_put("rows", buf_span(&text));
    buf_free(&text);
}

static void run(struct split *split, struct split_report *report)
{
    static const char *const paths[] = {"rows"};
    struct error error;
    split->source =
        (struct row_source){.paths = paths, .n_paths = 1, .options = ROW_OPTIONS_DEFAULT};
    split->side[SPLIT_TRAIN] = row_writer_open("train", &error);
    split->side[SPLIT_HELD] = row_writer_open("held", &error);
    *report = (struct split_report){0};
    if (split_run(split, report, &error))
        fail_msg("%s", error.text);
    assert_int_equal(row_writer_close(split->side[SPLIT_TRAIN], &error), 0);
    assert_int_equal(row_writer_close(split->side[SPLIT_HELD], &error), 0);
}

/* Number of a row: the value of its first member. */
static long number_of(struct span line)
{
    return strtol(line.ptr + 5, NULL, 10);
}

/* Sides of the rows by number, read back from one of the files. */
static uint64_t read_side(const char *name, int side, int *side_of)
{
    struct buf text = file_get(name);
    long last = -1;
    uint64_t rows = 0;
    for (size_t at = 0; at < text.len; rows++) {
        size_t end = span_find(buf_span(&text), SPAN("\n"), at);
        long n = number_of(span_slice(buf_span(&text), at, end));
        assert_true(n > last); /* row order is kept */
        last = n;
        side_of[n] = side;
        at = end + 1;
    }
    buf_free(&text);
    return rows;
}

/* Every task of the rows lies on one side, and on the wanted one when `held` says which. */
static void check_tasks(const int *side_of, double share)
{
    struct buf text = file_get("rows"), scratch = {0};
    struct json_members members = {0};
    struct map tasks = {0};
    int task_side[ROWS];
    for (size_t at = 0; at < text.len;) {
        size_t end = span_find(buf_span(&text), SPAN("\n"), at);
        struct span line = span_slice(buf_span(&text), at, end);
        struct row row;
        struct json_fault fault;
        bool fresh;
        assert_int_equal(row_of_text(line, &row, &members, &fault), 0);
        struct span key = row_task_key(&row, &scratch);
        int side = side_of[number_of(line)];
        if (share >= 0)
            assert_int_equal(side == SPLIT_HELD, row_split_held(key, share));
        if (key.len) {
            size_t task = map_add(&tasks, key, &fresh);
            if (fresh)
                task_side[task] = side;
            assert_int_equal(side, task_side[task]);
        }
        at = end + 1;
    }
    buf_free(&text);
    buf_free(&scratch);
    json_members_free(&members);
    map_free(&tasks);
}

static void check(struct split *split, double share)
{
    int side_of[ROWS];
    struct split_report report;
    memset(side_of, -1, sizeof side_of);
    run(split, &report);
    uint64_t train = read_side("train", SPLIT_TRAIN, side_of);
    uint64_t held = read_side("held", SPLIT_HELD, side_of);
    for (int i = 0; i < ROWS; i++)
        assert_true(side_of[i] >= 0); /* no row is lost */
    assert_int_equal(train, report.rows[SPLIT_TRAIN]);
    assert_int_equal(held, report.rows[SPLIT_HELD]);
    assert_int_equal(train + held, ROWS);
    check_tasks(side_of, share);
}

static void by_hash(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        put_rows(seed);
        check(&(struct split){.by = SPLIT_HASH, .share = 0.2 + 0.1 * (double)seed},
              0.2 + 0.1 * (double)seed);
    }
}

static void by_production(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        put_rows(seed);
        struct split split = {.by = SPLIT_PRODUCTION,
                              .share = 0.25 * (double)seed,
                              .seed = (int64_t)seed,
                              .memory = seed % 2 ? 1 << 20 : 1000};
        check(&split, -1);
    }
}

static void production_reaches_its_share(void **state)
{
    (void)state;
    struct split_report report;
    put_rows(1);
    run(&(struct split){.by = SPLIT_PRODUCTION, .share = 0.5, .memory = 1 << 20}, &report);
    assert_true(report.rows[SPLIT_HELD] >= ROWS / 2);
    assert_true(report.rows[SPLIT_HELD] < ROWS / 2 + 60); /* by less than a task */
    run(&(struct split){.by = SPLIT_PRODUCTION, .share = 1, .memory = 1 << 20}, &report);
    assert_int_equal(report.rows[SPLIT_HELD], ROWS);
}

static void lists_of_tasks(void **state)
{
    (void)state;
    struct map keys = {0};
    struct error error;
    file_put("tasks", SPAN("a\r\n\n  \n\"two\\nlines\"\n\"open\na\n b \nlast"));
    assert_int_equal(split_read_tasks("tasks", &keys, &error), 0);
    assert_int_equal(keys.count, 5);
    assert_int_equal(map_find(&keys, SPAN("a")), 0);
    assert_int_equal(map_find(&keys, SPAN("two\nlines")), 1);
    assert_int_equal(map_find(&keys, SPAN("\"open")), 2);
    assert_int_equal(map_find(&keys, SPAN(" b ")), 3);
    assert_int_equal(map_find(&keys, SPAN("last")), 4);
    map_free(&keys);
    assert_int_equal(split_read_tasks("nowhere", &keys, &error), ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hash),
        cmocka_unit_test(by_production),
        cmocka_unit_test(production_reaches_its_share),
        cmocka_unit_test(lists_of_tasks),
    };
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
