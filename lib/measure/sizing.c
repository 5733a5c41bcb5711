/* sizing.c: what a holdout of a size can show (measure 9). */
#include <math.h>

#include "measure/measure.h"
#include "text/number.h"

double detectable_effect(double n_tasks, double base, double k, double power, double alpha)
{
    if (!(n_tasks >= 2.0))
        return NAN;
    double z = stat_normal_inverse(1.0 - alpha / 2.0) + stat_normal_inverse(power);
    double effect = 0.0;
    for (int step = 0; step < MEASURE_FIXED_POINT; step++)
        effect = z * stat_sd_uniform(base, effect, k) / sqrt(n_tasks);
    return number_round(effect < 1.0 ? effect : 1.0, 4);
}
