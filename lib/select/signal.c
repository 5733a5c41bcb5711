/* signal.c: how many tasks carry a gradient, by the same measurement as wai-passat. */
#include <math.h>

#include "row/value.h"
#include "select/select.h"

void select_signal(const struct select_facts *facts, const size_t *rows, size_t n,
                   const int8_t *labels, double low, double high, struct signal_report *out)
{
    struct rng rng;
    struct passat *p = passat_new(&(struct passat_options){0});
    struct passat_report report;
    rng_seed(&rng, 0);
    for (size_t i = 0; i < n; i++) {
        struct row_facts row = {.task = facts->tasks.keys[facts->items[rows[i]].task]};
        row.reward.label = labels[rows[i]];
        row.reward.graded = labels[rows[i]] >= 0;
        row.reward.value = labels[rows[i]] == ROW_LABEL_PASS ? 1.0 : 0.0;
        passat_add(p, &row);
    }
    passat_report_make(p,
                       &(struct passat_settings){.min_k = MEASURE_MIN_K,
                                                 .boot = {.start = &rng,
                                                          .draws = 1, /* no interval is read */
                                                          .level = STAT_LEVEL,
                                                          .kind = INTERVAL_PERCENTILE},
                                                 .signal = true,
                                                 .band_low = low,
                                                 .band_high = high},
                       &report);
    *out = report.signal;
    passat_report_free(&report);
    passat_free(p);
}
