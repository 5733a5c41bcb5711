/* fuzz_compare.c: rows of any content on both sides. The first byte chooses options; a line `=` ends the
 * side before. The report is JSON with a code for every warning, changes of pass rates stay between -1
 * and 1, intervals are in order, and with the sides changed the changes are negated. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "measure/compare.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

enum { INPUT_MAX = 1 << 16, DRAWS = 20, BY = 1, BALANCE = 2, TARGET = 4, FLOOR = 8, SEEDS = 16 };

/* A file in memory, and the name under which it can be opened. */
static int keep(struct span text, struct buf *path)
{
    struct error error;
    int fd = memfd_create("side", MFD_CLOEXEC);
    REQUIRE(fd >= 0 && file_write_all(fd, "side", text, &error) == 0);
    buf_format(path, "/proc/self/fd/%d", fd);
    return fd;
}

static void check(const struct compare_report *report)
{
    struct buf json = {0}, text = {0};
    struct json_writer writer;
    struct json_value value;
    struct json_fault fault;
    json_write_start(&writer, &json, JSON_STYLE_COMPACT);
    compare_json(report, &writer);
    compare_text(report, &text);
    REQUIRE(json_scan(buf_span(&json), &value, NULL, &fault) == 0);
    for (size_t i = 0; i < report->n_metrics; i++) {
        const struct metric_change *c = &report->metrics[i].change;
        REQUIRE(!interval_known(c->ci95) || c->ci95.low <= c->ci95.high);
        REQUIRE(i > 0 || isnan(c->delta) || fabs(c->delta) <= 1.0);
        REQUIRE(isnan(c->p_value) || (c->p_value > 0.0 && c->p_value <= 1.0));
    }
    REQUIRE(report->ok || report->n_unmeasured || report->n_causes || gates_red(&report->gates));
    buf_free(&json);
    buf_free(&text);
}

/* The change of pass@1, or NaN when the rows are refused. */
static double compare(const char *before, const char *after, uint8_t how)
{
    const char *guard = "ok", *floor = "0.1";
    struct compare_request request = {.before = before,
                                      .after = after,
                                      .target = how & TARGET ? "ok" : NULL,
                                      .by = how & BY ? "kind" : NULL,
                                      .balance = how & BALANCE,
                                      .per_task = true,
                                      .guards = {&guard, 1, 1},
                                      .seed = "0",
                                      .adjust = "holm",
                                      .interval = "percentile",
                                      .scheme = "auto",
                                      .draws = DRAWS,
                                      .min_paired = 1,
                                      .alpha = STAT_ALPHA,
                                      .power = STAT_POWER,
                                      .ceiling = MEASURE_CEILING,
                                      .answered_gap = MEASURE_ANSWERED_GAP,
                                      .answered_alpha = MEASURE_ANSWERED_ALPHA,
                                      .gates = {.on = "point", .strict = true},
                                      .rows = ROW_OPTIONS_DEFAULT};
    request.rows.on_bad = "skip";
    request.rows.jobs = 1;
    if (how & FLOOR)
        request.run_std = (struct option_list){&floor, 1, 1};
    if (how & SEEDS)
        request.trained[AFTER] = (struct option_list){&after, 1, 1};
    struct compare_options options;
    struct compare_rows rows = {0};
    struct compare_report report = {.ok = false};
    struct error error;
    double delta = NAN;
    REQUIRE(compare_options_read(&request, &options, &error) == 0);
    if (compare_read(&options, &rows, &error) == 0) {
        REQUIRE(compare_report_make(&options, &rows, &report, &error) == 0);
        compare_judge(&report);
        check(&report);
        delta = report.metrics[0].change.delta;
    }
    compare_report_free(&report);
    compare_rows_free(&rows);
    compare_options_free(&options);
    return delta;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > INPUT_MAX)
        return 0;
    struct span text = span_make((const char *)data + 1, size - 1), sides[SIDES] = {text, {"", 0}};
    for (size_t i = 0; i + 3 <= text.len; i++)
        if (memcmp(text.ptr + i, "\n=\n", 3) == 0) {
            sides[BEFORE] = span_slice(text, 0, i);
            sides[AFTER] = span_slice(text, i + 3, text.len);
            break;
        }
    struct buf paths[SIDES] = {{0}};
    int fds[SIDES];
    for (int i = 0; i < SIDES; i++)
        fds[i] = keep(sides[i], &paths[i]);
    uint8_t how = data[0];
    double there = compare(buf_cstr(&paths[BEFORE]), buf_cstr(&paths[AFTER]), how);
    double back = compare(buf_cstr(&paths[AFTER]), buf_cstr(&paths[BEFORE]), how);
    REQUIRE(how & (BALANCE | SEEDS) || isnan(there) == isnan(back));
    REQUIRE(how & (BALANCE | SEEDS) || isnan(there) || there == -back);
    for (int i = 0; i < SIDES; i++) {
        close(fds[i]);
        buf_free(&paths[i]);
    }
    return 0;
}
