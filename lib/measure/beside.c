/* beside.c: see beside.h. */
#include "measure/beside.h"

#include <stdlib.h>

#include "measure/gate.h"
#include "measure/measure.h"
#include "measure/seed.h"
#include "json/write.h"

struct rates_beside {
    struct passat *rates;
    struct facts_reader *reader;
    struct json_members members;
};

struct rates_beside *rates_beside_open(void)
{
    struct rates_beside *r = mem_zero(1, sizeof *r);
    struct passat_options options = {0};
    struct facts_options facts = {0};
    r->rates = passat_new(&options);
    r->reader = facts_open(&facts);
    return r;
}

void rates_beside_row(struct rates_beside *r, struct span line)
{
    struct row row;
    struct json_fault fault;
    struct row_facts facts;
    if (row_of_text(line, &row, &r->members, &fault))
        return;
    facts_read(r->reader, &row, &facts);
    passat_add(r->rates, &facts);
}

void rates_beside_write(const struct rates_beside *r, struct buf *out)
{
    struct passat_report report;
    struct json_writer w;
    struct rng rng;
    seed_start("0", 0, &rng);
    struct passat_settings settings = {
        .min_k = MEASURE_MIN_K,
        .band_low = MEASURE_BAND_LOW,
        .band_high = MEASURE_BAND_HIGH,
        .boot = {.start = &rng,
                 .draws = STAT_BOOT_DRAWS,
                 .level = STAT_LEVEL,
                 .kind = INTERVAL_PERCENTILE,
                 .scheme = boot_scheme_named("auto"),
                 .jobs = 1},
    };
    passat_report_make(r->rates, &settings, &report);
    struct gates none = {0};
    struct passat_view view = {
        .report = &report, .settings = &settings, .seed = "0", .gates = &none};
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    passat_json(&view, &w);
    passat_report_free(&report);
}

void rates_beside_close(struct rates_beside *r)
{
    if (!r)
        return;
    passat_free(r->rates);
    facts_close(r->reader);
    json_members_free(&r->members);
    free(r);
}
