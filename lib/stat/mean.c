/* mean.c: sums, means and spreads, in the order and with the library calls that settle the last
 * digit (measure 1.5, 3.1, 3.11). Built with -fno-builtin-pow. */
#include <math.h>

#include "stat/stat.h"

const struct interval INTERVAL_NONE = {NAN, NAN};

double stat_pow2(double x)
{
    return pow(x, 2.0);
}

double stat_root(double x)
{
    return pow(x, 0.5);
}

double stat_sum(const double *values, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

double stat_mean(const double *values, size_t n)
{
    return n ? stat_sum(values, n) / (double)n : NAN;
}

static double squares(const double *values, size_t n, double mean)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += stat_pow2(values[i] - mean);
    return sum;
}

static double variance(const double *values, size_t n)
{
    return squares(values, n, stat_mean(values, n)) / (double)(n - 1);
}

double stat_sd(const double *values, size_t n)
{
    return n < 2 ? NAN : sqrt(variance(values, n));
}

double stat_sd_pow(const double *values, size_t n)
{
    return n < 2 ? NAN : stat_root(variance(values, n));
}

double stat_pearson(const double *x, const double *y, size_t n)
{
    if (n < 3)
        return NAN;
    double mean_x = stat_mean(x, n), mean_y = stat_mean(y, n);
    double both = 0.0;
    for (size_t i = 0; i < n; i++)
        both += (x[i] - mean_x) * (y[i] - mean_y);
    double spread_x = squares(x, n, mean_x), spread_y = squares(y, n, mean_y);
    return spread_x > 0 && spread_y > 0 ? both / sqrt(spread_x * spread_y) : NAN;
}
