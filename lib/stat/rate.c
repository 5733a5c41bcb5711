/* rate.c: noise bands, rates and the spreads that sizing stands on (measure 3.7-3.10, 6.9). */
#include <math.h>

#include "stat/stat.h"
#include "text/number.h"

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

double stat_noise_band(double run_std, double n_a, double n_b, double df, double level)
{
    double q = isnan(df) ? stat_z(level) : stat_t_quantile(df, level);
    return q * run_std * sqrt(1.0 / n_a + 1.0 / n_b);
}

struct interval stat_wilson(double s, double n, double z)
{
    if (!(n > 0))
        return INTERVAL_NONE;
    double p = s / n;
    double denominator = 1.0 + z * z / n;
    double centre = (p + z * z / (2.0 * n)) / denominator;
    double half = z * sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n)) / denominator;
    return (struct interval){clamp(centre - half, 0.0, 1.0), clamp(centre + half, 0.0, 1.0)};
}

double stat_kappa(double both, double first, double second, double neither)
{
    double n = both + first + second + neither;
    if (!(n > 0))
        return NAN;
    double agreed = (both + neither) / n;
    double a = (both + first) / n, b = (both + second) / n;
    double chance = a * b + (1.0 - a) * (1.0 - b);
    if (chance == 1.0)
        return agreed == 1.0 ? 1.0 : 0.0;
    return number_round((agreed - chance) / (1.0 - chance), 4);
}

double stat_two_proportion_p(double x_a, double n_a, double x_b, double n_b)
{
    if (!(n_a > 0) || !(n_b > 0))
        return NAN;
    double pooled = (x_a + x_b) / (n_a + n_b);
    if (!(pooled > 0) || !(pooled < 1))
        return NAN;
    double z =
        fabs(x_a / n_a - x_b / n_b) / sqrt(pooled * (1.0 - pooled) * (1.0 / n_a + 1.0 / n_b));
    return 2.0 * (1.0 - stat_normal_cdf(z));
}

double stat_sd_uniform(double base, double effect, double k)
{
    double p = clamp(base, 0.0, 1.0);
    double q = clamp(p + effect, 0.0, 1.0);
    k = k > 1.0 ? k : 1.0;
    return sqrt((p * (1.0 - p) + q * (1.0 - q)) / k);
}

double stat_sd_concentrated(double base, double effect, double k)
{
    double p = clamp(base, 0.0, 1.0);
    double gain = effect > 0.0 ? effect : 0.0;
    if (gain > 1.0 - p)
        gain = 1.0 - p;
    k = k > 1.0 ? k : 1.0;
    if (gain <= 0.0 || p >= 1.0)
        return stat_sd_uniform(p, gain, k);
    double share = gain / (1.0 - p);
    double within = ((1.0 - share) * 2.0 * p * (1.0 - p) + share * p * (1.0 - p)) / k;
    double between = gain * gain * (1.0 - share) / share;
    return sqrt(within + between);
}

double stat_spread_ratio(const double *rates, size_t n)
{
    if (n < 2)
        return NAN;
    double mean = stat_mean(rates, n);
    double within = mean * (1.0 - mean);
    double between = 0.0;
    for (size_t i = 0; i < n; i++)
        between += stat_pow2(rates[i] - mean);
    between /= (double)n;
    if (within <= 0.0 || within - between <= STAT_VARIANCE_ZERO)
        return NAN;
    return within / (within - between);
}

int64_t stat_slice_min_tasks(double alpha)
{
    double tasks = ceil(log2(2.0 / alpha));
    return tasks > 2.0 ? (int64_t)tasks : 2;
}
