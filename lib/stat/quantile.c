/* quantile.c: the normal distribution and Student's t (measure 3.5, 3.6). */
#include <math.h>

#include "stat/stat.h"

double stat_normal_cdf(double x)
{
    return 0.5 * (1.0 + erf(x / sqrt(2.0)));
}

/* Coefficients of AS 241, degree 7 first. */
enum { TERMS = 8 };

static const double AS241_A[TERMS] = {
    2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
    4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
    1.3314166789178437745e2, 3.3871328727963666080,
};
static const double AS241_B[TERMS] = {
    5.2264952788528545610e3, 2.8729085735721942674e4,
    3.9307895800092710610e4, 2.1213794301586595867e4,
    5.3941960214247511077e3, 6.8718700749205790830e2,
    4.2313330701600911252e1, 1.0,
};
static const double AS241_C[TERMS] = {
    7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
    1.27045825245236838258,    3.64784832476320460504,    5.76949722146069140550,
    4.63033784615654529590,    1.42343711074968357734,
};
static const double AS241_D[TERMS] = {
    1.05075007164441684324e-9, 5.47593808499534494600e-4,
    1.51986665636164571966e-2, 1.48103976427480074590e-1,
    6.89767334985100004550e-1, 1.67638483018380384940,
    2.05319162663775882187,    1.0,
};
static const double AS241_E[TERMS] = {
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
    2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580,
    5.46378491116411436990,    6.65790464350110377720,
};
static const double AS241_F[TERMS] = {
    2.04426310338993978564e-15, 1.42151175831644588870e-7,
    1.84631831751005468180e-5,  7.86869131145613259100e-4,
    1.48753612908506148525e-2,  1.36929880922735805310e-1,
    5.99832206555887937690e-1,  1.0,
};

static double horner(const double *coefficients, double x)
{
    double value = coefficients[0];
    for (int i = 1; i < TERMS; i++)
        value = value * x + coefficients[i];
    return value;
}

double stat_normal_inverse(double p)
{
    double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        double r = 0.180625 - q * q;
        return (horner(AS241_A, r) * q) / horner(AS241_B, r);
    }
    double r = sqrt(-log(q <= 0.0 ? p : 1.0 - p));
    double x;
    if (r <= 5.0) {
        r -= 1.6;
        x = horner(AS241_C, r) / horner(AS241_D, r);
    } else {
        r -= 5.0;
        x = horner(AS241_E, r) / horner(AS241_F, r);
    }
    return q < 0.0 ? -x : x;
}

double stat_z(double level)
{
    return level == STAT_LEVEL ? STAT_Z95 : stat_normal_inverse((1.0 + level) / 2.0);
}

/* ---- Student's t --------------------------------------------------------------------------------
 */

static const double T_TABLE[STAT_T_TABLE] = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
};

#define FRACTION_FLOOR 1e-300 /* a partial denominator that would vanish (Lentz 1976) */
#define FRACTION_STOP  3e-16  /* relative step */
enum { FRACTION_TERMS = 299 };

static double away_from_zero(double x)
{
    return fabs(x) < FRACTION_FLOOR ? FRACTION_FLOOR : x;
}

/* Continued fraction of the incomplete beta function by the modified method of Lentz. */
static double beta_fraction(double a, double b, double x)
{
    double c = 1.0, d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    double value = d;
    for (int m = 1; m <= FRACTION_TERMS; m++) {
        double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        value *= d * c;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        double step = d * c;
        value *= step;
        if (fabs(step - 1.0) < FRACTION_STOP)
            break;
    }
    return value;
}

static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* Regularized incomplete beta function I_x(a, b). */
static double beta_regularized(double a, double b, double x)
{
    if (x <= 0.0)
        return 0.0;
    if (x >= 1.0)
        return 1.0;
    double front =
        exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(1.0 - x));
    if (x < (a + 1.0) / (a + b + 2.0))
        return front * beta_fraction(a, b, x) / a;
    return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

static double t_cdf(double t, double df)
{
    double tail = 0.5 * beta_regularized(df / 2.0, 0.5, df / (df + t * t));
    return t >= 0.0 ? 1.0 - tail : tail;
}

static double whole_df(double df)
{
    return df >= 1.0 ? trunc(df) : 1.0;
}

#define T_LARGEST 1000.0 /* upper end of the bisection */
#define T_BRACKET 1e-10
enum { T_HALVINGS = 200 };

double stat_t_inverted(double df, double level)
{
    df = whole_df(df);
    double target = (1.0 + level) / 2.0;
    double low = 0.0, high = T_LARGEST;
    for (int i = 0; i < T_HALVINGS && high - low >= T_BRACKET; i++) {
        double middle = (low + high) / 2.0;
        if (t_cdf(middle, df) < target)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2.0;
}

double stat_t_quantile(double df, double level)
{
    df = whole_df(df);
    if (level != STAT_LEVEL)
        return stat_t_inverted(df, level);
    if (df <= STAT_T_TABLE)
        return T_TABLE[(int)df - 1];
    double z = STAT_Z95, z3 = pow(z, 3.0), z5 = pow(z, 5.0);
    return z + (z3 + z) / (4.0 * df) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * df * df);
}
