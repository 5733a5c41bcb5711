/* fuzz_passat.c: rows and partial summaries of any content into pass rates. Each line that is a
 * JSON object is a row, or a summary when it says so. The report is JSON, every row is in one of
 * its classes, rates and intervals stay between 0 and 1, and what is written as a summary reads
 * back to the same report. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "measure/gate.h"
#include "measure/measure.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

enum { LINES_MAX = 400, DRAWS = 20 };

static void check_json(const struct buf *text)
{
    struct json_value value;
    struct json_fault fault;
    REQUIRE(json_scan(buf_span(text), &value, NULL, &fault) == 0);
}

static void between(double x, double low, double high)
{
    REQUIRE(isnan(x) || (low <= x && x <= high));
}

/* The report as JSON text, checked on the way. */
static struct buf report_of(const struct passat *p)
{
    struct rng rng;
    rng_seed(&rng, 0);
    struct passat_settings settings = {
        .k = 2, /* so that no group, however large, is dear */
        .min_k = 1,
        .unanimous_short = true,
        .boot = {.start = &rng, .draws = DRAWS, .level = STAT_LEVEL}};
    struct passat_report report;
    struct gates none = {0};
    passat_report_make(p, &settings, &report);
    const struct pass_rates *rates = &report.rates;
    REQUIRE(report.n_rows + report.n_partial + report.n_boolean + report.n_unjudged ==
            report.n_input);
    between(rates->pass_at_1, 0.0, 1.0);
    between(rates->pass_pow_k, 0.0, 1.0);
    between(rates->pass_at_k, 0.0, 1.0);
    between(rates->ci95.low, 0.0, rates->ci95.high);
    between(rates->ci95.high, 0.0, 1.0);
    REQUIRE(report.n_rows > 0 || isnan(rates->pass_at_1));
    struct passat_view view = {.report = &report,
                               .settings = &settings,
                               .seed = "0",
                               .markers = true,
                               .per_task = true,
                               .gates = &none};
    struct buf json = {0}, text = {0};
    struct json_writer writer;
    json_write_start(&writer, &json, JSON_STYLE_COMPACT);
    passat_json(&view, &writer);
    passat_text(&view, &text);
    check_json(&json);
    passat_report_free(&report);
    buf_free(&text);
    return json;
}

static void round_trip(const struct passat *p, const struct passat_keys *keys)
{
    struct buf line = {0}, again = {0};
    struct json_value value;
    struct json_fault fault;
    struct error error;
    passat_partial_write(p, keys, &line);
    REQUIRE(json_scan(buf_span(&line), &value, NULL, &fault) == 0);
    struct passat *back = passat_partial_read(value, keys, &error);
    REQUIRE(back != NULL);
    passat_partial_write(back, keys, &again);
    REQUIRE(span_equal(buf_span(&line), buf_span(&again)));
    struct buf one = report_of(p), two = report_of(back);
    REQUIRE(span_equal(buf_span(&one), buf_span(&two)));
    buf_free(&one);
    buf_free(&two);
    buf_free(&line);
    buf_free(&again);
    passat_free(back);
}

static void take(struct span line, struct facts_reader *reader, const struct passat_keys *keys,
                 struct passat *rows, struct passat *joined, struct json_members *members)
{
    struct row row = {0};
    struct row_facts facts;
    struct json_fault fault;
    struct error error;
    if (row_of_text(line, &row, members, &fault) < 0 || row.value.type != JSON_VALUE_OBJECT)
        return;
    facts_read(reader, &row, &facts);
    if (!facts.partial_summary) {
        passat_add(rows, &facts);
        return;
    }
    struct passat *part = passat_partial_read(row.value, keys, &error);
    if (part)
        passat_merge(joined, part, false, &error);
    passat_free(part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct facts_options options = {.by = "kind"};
    struct passat_options keep = {.markers = true}, none = {0};
    struct facts_reader *reader = facts_open(&options);
    struct passat_keys keys = {facts_reward_keys(reader), facts_task_keys(reader), false,
                               .histograms = true};
    struct passat *rows = passat_new(&keep), *joined = passat_new(&none);
    struct json_members members = {0};
    struct span text = span_make((const char *)data, size);
    struct error error;
    size_t at = 0;
    for (int i = 0; i < LINES_MAX && at < size; i++) {
        size_t end = span_find(text, SPAN("\n"), at);
        end = end == (size_t)-1 ? size : end;
        take(span_slice(text, at, end), reader, &keys, rows, joined, &members);
        at = end + 1;
    }
    round_trip(rows, &keys);
    if (passat_merge(joined, rows, true, &error) == 0)
        round_trip(joined, &keys);
    struct buf report = report_of(joined);
    buf_free(&report);
    json_members_free(&members);
    passat_free(rows);
    passat_free(joined);
    facts_close(reader);
    return 0;
}
