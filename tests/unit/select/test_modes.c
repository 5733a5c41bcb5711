/* test_modes.c: every mode of selection, called as a library on random rows: what holds for any of them. The
 * report is JSON that names its mode, rows that leave are rows that came, each at most once, and a second run
 * gives the same. The digits are compared with the package in tests/interop/selection.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "rng/rng.h"
#include "select/request.h"

enum { LIMIT = 1 << 20 };

static char folder[] = "/tmp/test-modes-XXXXXX";
static struct buf in_path, out_path;

static void write_rows(struct rng *r, size_t n)
{
    static const char *const STAGES[] = {"sft", "rl", "eval", "other"};
    struct buf rows = {0};
    struct error error;
    for (size_t i = 0; i < n; i++) {
        unsigned task = (unsigned)rng_below(r, 5);
        buf_format(&rows,
                   "{\"id\":%zu,\"scenario_id\":\"s%u\",\"prompt\":\"please do thing number %u\"",
                   i, task, task);
        if (rng_below(r, 8))
            buf_format(&rows, ",\"final_text\":\"Answer %u.\"", (unsigned)rng_below(r, 9));
        if (rng_below(r, 8))
            buf_format(&rows, ",\"reward\":%u", (unsigned)rng_below(r, 2));
        if (!rng_below(r, 4))
            buf_format(&rows, ",\"stage\":\"%s\"", STAGES[rng_below(r, 4)]);
        if (!rng_below(r, 6))
            buf_text(&rows, ",\"privileged\":{\"reference\":\"answer 3. and the rest\"}");
        buf_text(&rows, "}\n");
    }
    assert_int_equal(file_save(buf_cstr(&in_path), buf_span(&rows), &error), 0);
    buf_free(&rows);
}

/* Runs a mode; the rows it writes land in out. */
static int run(struct select_request *q, struct select_output *output, struct buf *out)
{
    const char *paths[] = {buf_cstr(&in_path)};
    struct operands operands = {.items = paths, .count = 1};
    struct error error = {0};
    unlink(buf_cstr(&out_path));
    q->output = buf_cstr(&out_path);
    q->rows.quiet = true;
    int code = select_run(q, &operands, output, &error);
    assert_true(code == 0 || code == ERROR_CHECK);
    buf_clear(out);
    if (access(q->output, F_OK) == 0)
        assert_int_equal(file_read(q->output, LIMIT, out, &error), 0);
    return code;
}

static void check_report(const struct buf *report, const char *mode)
{
    struct json_value value, name;
    struct json_fault fault;
    struct buf scratch = {0}, want = {0};
    assert_int_equal(json_scan(buf_span(report), &value, NULL, &fault), 0);
    assert_true(json_get(value, SPAN("wai_report"), &name));
    buf_format(&want, "wai-select %s", mode);
    assert_true(span_equal(json_text(name, &scratch), buf_span(&want)));
    buf_free(&scratch);
    buf_free(&want);
}

/* The "id" of each line, each at most once; how many lines. */
static size_t check_lines(const struct buf *out, size_t n_rows)
{
    bool *seen = calloc(n_rows + 1, sizeof *seen);
    size_t lines = 0;
    for (size_t at = 0; at < out->len; lines++) {
        size_t end = span_find(buf_span(out), SPAN("\n"), at);
        struct json_value row, id;
        struct json_fault fault;
        int64_t number;
        assert_true(end != (size_t)-1);
        assert_int_equal(json_scan(span_slice(buf_span(out), at, end), &row, NULL, &fault), 0);
        assert_true(json_get(row, SPAN("id"), &id) && json_int64(id, &number));
        assert_in_range(number, 0, n_rows - 1);
        assert_false(seen[number]);
        seen[number] = true;
        at = end + 1;
    }
    free(seen);
    return lines;
}

static void any_rows(void **state)
{
    (void)state;
    static const char *const MODES[] = {"rl",        "sft",    "retire", "gate",      "trim",
                                        "calibrate", "filter", "stage",  "curriculum"};
    struct rng r;
    struct buf first = {0}, second = {0};
    rng_seed(&r, 9);
    for (int round = 0; round < 25; round++) {
        size_t n = rng_below(&r, 40);
        write_rows(&r, n);
        for (size_t m = 0; m < sizeof MODES / sizeof *MODES; m++) {
            struct select_request q = SELECT_REQUEST_DEFAULT;
            struct select_output output = {0}, again = {0};
            q.mode = MODES[m];
            if (strcmp(q.mode, "curriculum") == 0 || strcmp(q.mode, "stage") == 0)
                q.emit = "rows", q.stage = "sft";
            int code = run(&q, &output, &first);
            check_report(&output.report, q.mode);
            size_t lines = check_lines(&first, n);
            if (strcmp(q.mode, "calibrate") == 0 || strcmp(q.mode, "trim") == 0 ||
                strcmp(q.mode, "stage") == 0)
                assert_int_equal(lines, n); /* nothing is dropped */
            if (strcmp(q.mode, "gate") == 0)
                assert_int_equal(lines, code ? 0 : n);
            q.rows.jobs = 3;
            assert_int_equal(run(&q, &again, &second), code);
            assert_true(span_equal(buf_span(&first), buf_span(&second)));
            assert_true(span_equal(buf_span(&output.report), buf_span(&again.report)));
            select_output_free(&output);
            select_output_free(&again);
        }
    }
    buf_free(&first);
    buf_free(&second);
}

/* A pair's halves differ by the margin, and no reply is in two pairs. */
static void pairs_of_any_rows(void **state)
{
    (void)state;
    struct rng r;
    struct buf out = {0};
    rng_seed(&r, 10);
    for (int round = 0; round < 25; round++) {
        struct select_request q = SELECT_REQUEST_DEFAULT;
        struct select_output output = {0};
        size_t n = rng_below(&r, 40);
        bool seen[40] = {false};
        write_rows(&r, n);
        q.mode = "pairs";
        q.max_pairs = 1 + (int64_t)rng_below(&r, 3);
        run(&q, &output, &out);
        check_report(&output.report, q.mode);
        for (size_t at = 0; at < out.len;) {
            static const char *const HALVES[] = {"chosen", "rejected"};
            size_t end = span_find(buf_span(&out), SPAN("\n"), at);
            struct json_value pair, half, value;
            struct json_fault fault;
            int64_t rewards[2], id;
            assert_int_equal(json_scan(span_slice(buf_span(&out), at, end), &pair, NULL, &fault),
                             0);
            for (int h = 0; h < 2; h++) {
                assert_true(json_get(pair, span_text(HALVES[h]), &half));
                assert_true(json_get(half, SPAN("reward"), &value) &&
                            json_int64(value, &rewards[h]));
                assert_true(json_get(half, SPAN("id"), &value) && json_int64(value, &id));
                assert_false(seen[id]);
                seen[id] = true;
            }
            assert_int_equal(rewards[0] - rewards[1], 1);
            at = end + 1;
        }
        select_output_free(&output);
    }
    buf_free(&out);
}

/* Tasks that leave have a rate in the band, or none. */
static void next_round_of_any_rows(void **state)
{
    (void)state;
    struct rng r;
    struct buf out = {0};
    rng_seed(&r, 11);
    for (int round = 0; round < 25; round++) {
        struct select_request q = SELECT_REQUEST_DEFAULT;
        struct select_output output = {0};
        write_rows(&r, rng_below(&r, 40));
        q.mode = "next-round";
        run(&q, &output, &out);
        for (size_t at = 0; at < out.len;) {
            size_t end = span_find(buf_span(&out), SPAN("\n"), at);
            struct json_value task, calibration, rate;
            struct json_fault fault;
            assert_int_equal(json_scan(span_slice(buf_span(&out), at, end), &task, NULL, &fault),
                             0);
            if (json_get(task, SPAN("calibration"), &calibration) &&
                json_get(calibration, SPAN("pass_rate"), &rate))
                assert_true(json_number(rate) >= 0.2 && json_number(rate) <= 0.8);
            at = end + 1;
        }
        select_output_free(&output);
    }
    buf_free(&out);
}

static int start(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    buf_format(&in_path, "%s/in.jsonl", folder);
    buf_format(&out_path, "%s/out.jsonl", folder);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    unlink(buf_cstr(&in_path));
    unlink(buf_cstr(&out_path));
    buf_free(&in_path);
    buf_free(&out_path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(any_rows),
        cmocka_unit_test(pairs_of_any_rows),
        cmocka_unit_test(next_round_of_any_rows),
    };
    return cmocka_run_group_tests(list, start, stop);
}
