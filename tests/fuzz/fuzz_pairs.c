/* fuzz_pairs.c: summaries of pairs of any content, added up line by line. What is taken is written as a
 * summary that reads back to the same bytes; the report on it is JSON, changes stay between -1 and 1,
 * intervals are in order. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "measure/pairs.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

enum { INPUT_MAX = 1 << 16, DRAWS = 10 };

static void report_on(const struct compare_options *o, struct arm_pairs *pairs)
{
    struct compare_report report;
    struct error error;
    struct buf json = {0}, text = {0};
    struct json_writer writer;
    struct json_value value;
    struct json_fault fault;
    REQUIRE(arm_pairs_report_make(o, pairs, &report, &error) == 0);
    compare_judge(&report);
    json_write_start(&writer, &json, JSON_STYLE_COMPACT);
    arm_pairs_json(pairs, &report, &writer);
    arm_pairs_text(&report, &text);
    REQUIRE(json_scan(buf_span(&json), &value, NULL, &fault) == 0);
    for (size_t i = 0; i < report.n_metrics; i++) {
        const struct metric_change *c = &report.metrics[i].change;
        REQUIRE(isnan(c->delta) || fabs(c->delta) <= 1.0 + 1e-9);
        REQUIRE(!interval_known(c->ci95) || c->ci95.low <= c->ci95.high);
        REQUIRE(isnan(c->p_value) || (c->p_value > 0.0 && c->p_value <= 1.0));
    }
    compare_report_free(&report);
    buf_free(&json);
    buf_free(&text);
}

static void round_trip(const struct compare_options *o, struct arm_pairs *pairs)
{
    struct buf first = {0}, second = {0};
    struct json_value value;
    struct json_fault fault;
    struct error error;
    struct arm_pairs *again = arm_pairs_new(o);
    arm_pairs_write(pairs, &first);
    REQUIRE(json_scan(buf_span(&first), &value, NULL, &fault) == 0);
    REQUIRE(arm_pairs_add(again, value, false, &error) == 0);
    arm_pairs_write(again, &second);
    REQUIRE(span_equal(buf_span(&first), buf_span(&second)));
    arm_pairs_free(again);
    buf_free(&first);
    buf_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct compare_request request = {.seed = "0",
                                      .draws = DRAWS,
                                      .min_paired = MEASURE_MIN_PAIRED,
                                      .alpha = STAT_ALPHA,
                                      .power = STAT_POWER,
                                      .gates = {.on = "point"}};
    struct compare_options o;
    struct error error;
    if (size > INPUT_MAX)
        return 0;
    REQUIRE(compare_options_read(&request, &o, &error) == 0);
    struct arm_pairs *pairs = arm_pairs_new(&o);
    const char *at = (const char *)data, *end = at + size;
    bool sound = true;
    while (sound && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct span line = span_make(at, (size_t)((stop ? stop : end) - at));
        struct json_value value;
        struct json_fault fault;
        if (json_scan(line, &value, NULL, &fault) == 0)
            sound = arm_pairs_add(pairs, value, false, &error) == 0;
        at = stop ? stop + 1 : end;
    }
    if (sound) { /* half of a refused summary may be in it */
        report_on(&o, pairs);
        round_trip(&o, pairs);
    }
    arm_pairs_free(pairs);
    compare_options_free(&o);
    return 0;
}
