/* sum.c: see sum.h. */
#include "stat/sum.h"

#include <math.h>

void sum_add(struct exact_sum *s, double x)
{
    int kept = 0;
    for (int i = 0; i < s->count; i++) {
        double y = s->partials[i];
        if (fabs(x) < fabs(y)) {
            double t = x;
            x = y;
            y = t;
        }
        double high = x + y, low = y - (high - x);
        if (low != 0)
            s->partials[kept++] = low;
        x = high;
    }
    s->count = kept;
    if (x != 0 && s->count < SUM_PARTIALS)
        s->partials[s->count++] = x;
}

double sum_value(const struct exact_sum *s)
{
    int n = s->count;
    double high = 0, low = 0;
    if (n)
        high = s->partials[--n];
    while (n) {
        double x = high, y = s->partials[--n];
        high = x + y;
        low = y - (high - x);
        if (low != 0)
            break;
    }
    /* A tie that what is left breaks the other way. */
    if (n && ((low < 0 && s->partials[n - 1] < 0) || (low > 0 && s->partials[n - 1] > 0))) {
        double y = low * 2, x = high + y;
        if (y == x - high)
            high = x;
    }
    return high;
}

double sum_exact(const double *values, size_t n)
{
    struct exact_sum s;
    s.count = 0;
    for (size_t i = 0; i < n; i++)
        sum_add(&s, values[i]);
    return sum_value(&s);
}

double mean_exact(const double *values, size_t n)
{
    return sum_exact(values, n) / (double)n;
}
