/* rows.h: rows for the tests of room measure: texts into a passat, a passat into a report. */
#ifndef WAI_TESTS_MEASURE_ROWS_H
#define WAI_TESTS_MEASURE_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/gate.h"
#include "measure/measure.h"

static const struct facts_options FACTS_DEFAULT = {0};

static inline void add_row(struct passat *p, struct facts_reader *reader, struct span text)
{
    struct row row = {0};
    struct json_members members = {0};
    struct json_fault fault;
    struct row_facts facts;
    assert_int_equal(row_of_text(text, &row, &members, &fault), 0);
    facts_read(reader, &row, &facts);
    passat_add(p, &facts);
    json_members_free(&members);
}

/* Lines of JSON, as rows from..to (exclusive) of shard `shard`. */
static inline struct passat *passat_of(const char *const *lines, size_t from, size_t to,
                                       uint64_t shard)
{
    struct passat_options keep = {.markers = true, .shard = shard};
    struct passat *p = passat_new(&keep);
    struct facts_reader *reader = facts_open(&FACTS_DEFAULT);
    for (size_t i = from; i < to; i++)
        add_row(p, reader, span_text(lines[i]));
    facts_close(reader);
    return p;
}

/* The whole report as JSON, everything in it; free the buffer. */
static inline struct buf report_text(const struct passat *p)
{
    struct rng rng;
    rng_seed(&rng, 0);
    struct passat_settings settings = {.min_k = 2,
                                       .signal = true,
                                       .band_low = 0.2,
                                       .band_high = 0.8,
                                       .boot = {.start = &rng, .draws = 200, .level = STAT_LEVEL}};
    struct passat_report report;
    struct gates none = {0};
    passat_report_make(p, &settings, &report);
    struct passat_view view = {.report = &report,
                               .settings = &settings,
                               .seed = "0",
                               .markers = true,
                               .per_task = true,
                               .gates = &none};
    struct buf out = {0};
    struct json_writer writer;
    json_write_start(&writer, &out, JSON_STYLE_COMPACT);
    passat_json(&view, &writer);
    buf_cstr(&out);
    passat_report_free(&report);
    return out;
}

static inline struct buf partial_text(const struct passat *p)
{
    struct facts_reader *reader = facts_open(&FACTS_DEFAULT);
    struct passat_keys keys = {facts_reward_keys(reader), facts_task_keys(reader), false};
    struct buf out = {0};
    passat_partial_write(p, &keys, &out);
    buf_cstr(&out);
    facts_close(reader);
    return out;
}

static inline struct passat *partial_of(const char *text, struct error *error)
{
    struct facts_reader *reader = facts_open(&FACTS_DEFAULT);
    struct passat_keys keys = {facts_reward_keys(reader), facts_task_keys(reader), false};
    struct json_value value;
    struct json_fault fault;
    assert_int_equal(json_scan(span_text(text), &value, NULL, &fault), 0);
    struct passat *p = passat_partial_read(value, &keys, error);
    facts_close(reader);
    return p;
}

/* a's text is b's; both are freed. */
static inline void assert_texts(struct buf a, struct buf b)
{
    assert_string_equal(a.data, b.data);
    buf_free(&a);
    buf_free(&b);
}

#endif
