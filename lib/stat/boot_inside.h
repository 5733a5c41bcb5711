/* boot_inside.h: what the schemes of resampling share. Inside room `stat` only. */
#ifndef WAI_STAT_BOOT_INSIDE_H
#define WAI_STAT_BOOT_INSIDE_H

#include "stat/stat.h"

/* The values that were resampled, for intervals that look at them (BCa). */
struct boot_values {
    const double *values;
    const uint64_t *times; /* NULL: each once */
    size_t n;
    double mean;
};

/* Sorts the replicates and takes the ends by options->kind. v NULL: percentiles. */
struct interval boot_interval_of(const struct boot_values *v, double *stats, int64_t draws,
                                 const struct boot_options *options);

/* The replicates' means, the caller's to free. */
double *boot_sketch_means(const struct boot_sketch *sketch, int64_t *count);

#endif
