/* passat_rates.h: the three rates of groups of tries, with intervals by the scheme asked for (measure
 * 4.1 steps 3-9). Inside room `measure`. */
#ifndef WAI_MEASURE_PASSAT_RATES_H
#define WAI_MEASURE_PASSAT_RATES_H

#include "measure/passat.h"

struct rates_asked {
    const struct task_rate *tasks;
    size_t n;
    int64_t k; /* 0: the smallest group of two or more */
    int64_t min_k;
    bool unanimous_short;
    const struct boot_options *boot; /* NULL: no intervals; else its scheme is not BOOT_AUTO */
    bool counted;                    /* an entry may stand for several tasks */
};

/* notes: NULL when nobody reads them. */
void rates_make(const struct rates_asked *asked, struct notes *notes, struct pass_rates *rates);

/* The tasks of cells in first-seen order; the caller's to free. */
struct task_rate *rates_of(const struct passat *p, const struct cells *cells, size_t *count,
                           size_t *n_split);

/* The labelled tasks, or the cells of a histogram. */
struct task_rate *rates_of_labels(const struct passat *p, size_t *count);

/* Of a report whose tasks are in place (passat_error.c). */
void anytime_make(double level, struct passat_report *report);
void cluster_make(const struct passat *p, double level, struct passat_report *report);
void cluster_warn(const char *key, struct passat_report *report);

uint64_t rates_task_hash(struct span task); /* for the Poisson scheme; the same everywhere */
void rates_hashes(const struct task_rate *tasks, size_t n, uint64_t *out);

#endif
