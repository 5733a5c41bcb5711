/* sum.h: sums that are correctly rounded, as Python's math.fsum: the nearest double to the exact
 * sum, so that a choice never depends on the order of addition. Shewchuk 1997, "Adaptive precision
 * floating-point arithmetic", Discrete & Computational Geometry 18. */
#ifndef WAI_STAT_SUM_H
#define WAI_STAT_SUM_H

#include <stddef.h>

/* Numbers that do not overlap and sum to the exact value; 2098 bits of a double's range at 53 each
 * fit. */
enum { SUM_PARTIALS = 48 };

/* `struct exact_sum s = {0}` is 0. */
struct exact_sum {
    double partials[SUM_PARTIALS]; /* increasing magnitude */
    int count;
};

void sum_add(struct exact_sum *s, double x); /* finite */
double sum_value(const struct exact_sum *s);

double sum_exact(const double *values, size_t n);
double mean_exact(const double *values, size_t n); /* fmean; n >= 1 */

#endif
