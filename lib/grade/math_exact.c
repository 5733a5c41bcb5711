/* math_exact.c: exact values: rational numbers of numeric trees. Whatever is not rational is left to
 * math_eval.c. */
#include <math.h>
#include <stdlib.h>

#include "grade/defaults.h"
#include "grade/math_tree.h"

static bool whole(const mpq_t q)
{
    return mpz_cmp_ui(mpq_denref(q), 1) == 0;
}

static size_t bits(const mpq_t q)
{
    return mpz_sizeinbase(mpq_numref(q), 2) + mpz_sizeinbase(mpq_denref(q), 2);
}

static bool small(const mpq_t q)
{
    return bits(q) <= MATH_BITS_MAX;
}

/* out = base^e for a whole e, unless the result is too large. */
static bool whole_power(struct math *m, const mpq_t base, long e, mpq_t out)
{
    unsigned long n = (unsigned long)labs(e);
    if (mpq_sgn(base) == 0 && e < 0)
        return false;
    bool unit = mpq_cmp_si(base, 1, 1) == 0 || mpq_cmp_si(base, -1, 1) == 0 || mpq_sgn(base) == 0;
    if (!unit && (n > MATH_BITS_MAX || bits(base) * n > MATH_BITS_MAX))
        return false;
    if (!math_spend(m, unit ? 1 : (int64_t)(bits(base) * n / 64)))
        return false;
    mpq_t r;
    mpq_init(r);
    mpz_pow_ui(mpq_numref(r), mpq_numref(base), unit ? n % 2 + (n ? 2 : 0) : n);
    mpz_pow_ui(mpq_denref(r), mpq_denref(base), unit ? 1 : n);
    if (e < 0)
        mpq_inv(r, r);
    mpq_swap(out, r);
    mpq_clear(r);
    return true;
}

static bool rational_power(struct math *m, const mpq_t base, const mpq_t e, mpq_t out)
{
    if (!mpz_fits_slong_p(mpq_numref(e)) || !mpz_fits_ulong_p(mpq_denref(e)))
        return false;
    long over = mpz_get_si(mpq_numref(e));
    unsigned long under = mpz_get_ui(mpq_denref(e));
    if (under == 1)
        return whole_power(m, base, over, out);
    if (mpq_sgn(base) < 0)
        return false;
    mpq_t root;
    mpq_init(root);
    bool ok = mpz_root(mpq_numref(root), mpq_numref(base), under) &&
              mpz_root(mpq_denref(root), mpq_denref(base), under) &&
              whole_power(m, root, over, out);
    mpq_clear(root);
    return ok;
}

/* log_b x when it is a fraction with a small denominator. */
static bool exact_log(struct math *m, const mpq_t x, const mpq_t b, mpq_t out)
{
    enum { UNDER_MAX = 6, OVER_MAX = 4000 };
    if (mpq_sgn(x) <= 0 || mpq_sgn(b) <= 0 || mpq_cmp_si(b, 1, 1) == 0 || bits(x) > 20000)
        return false;
    double lx = (double)mpz_sizeinbase(mpq_numref(x), 2), lb;
    long shift;
    lx = log(fabs(mpz_get_d_2exp(&shift, mpq_numref(x)))) + (double)shift * M_LN2;
    lx -= log(fabs(mpz_get_d_2exp(&shift, mpq_denref(x)))) + (double)shift * M_LN2;
    lb = log(fabs(mpz_get_d_2exp(&shift, mpq_numref(b)))) + (double)shift * M_LN2;
    lb -= log(fabs(mpz_get_d_2exp(&shift, mpq_denref(b)))) + (double)shift * M_LN2;
    if (lb == 0 || !isfinite(lx / lb) || fabs(lx / lb) > OVER_MAX)
        return false;
    mpq_t left, right;
    mpq_init(left);
    mpq_init(right);
    bool found = false;
    for (long under = 1; !found && under <= UNDER_MAX; under++) {
        long over = lround(lx / lb * (double)under);
        if (whole_power(m, b, over, left) && whole_power(m, x, under, right) &&
            mpq_equal(left, right)) {
            mpq_set_si(out, over, (unsigned long)under);
            mpq_canonicalize(out);
            found = true;
        }
    }
    mpq_clear(left);
    mpq_clear(right);
    return found;
}

static bool small_whole(const mpq_t q, unsigned long most, unsigned long *value)
{
    if (!whole(q) || mpq_sgn(q) < 0 || mpz_cmp_ui(mpq_numref(q), most) > 0)
        return false;
    *value = mpz_get_ui(mpq_numref(q));
    return true;
}

static bool one_argument(struct math *m, enum math_function f, const mpq_t x, mpq_t out)
{
    unsigned long n;
    switch (f) {
    case MATH_ABS: mpq_abs(out, x); return true;
    case MATH_RE:
    case MATH_CONJUGATE: mpq_set(out, x); return true;
    case MATH_IM: mpq_set_ui(out, 0, 1); return true;
    case MATH_FLOOR:
    case MATH_CEIL: {
        mpz_t r;
        mpz_init(r);
        if (f == MATH_FLOOR)
            mpz_fdiv_q(r, mpq_numref(x), mpq_denref(x));
        else
            mpz_cdiv_q(r, mpq_numref(x), mpq_denref(x));
        mpq_set_z(out, r);
        mpz_clear(r);
        return true;
    }
    case MATH_FACTORIAL:
        if (!small_whole(x, MATH_FACTORIAL_MAX, &n) || !math_spend(m, (int64_t)n * 8))
            return false;
        mpq_set_ui(out, 1, 1);
        mpz_fac_ui(mpq_numref(out), n);
        return true;
    case MATH_GAMMA:
        if (!small_whole(x, MATH_FACTORIAL_MAX, &n) || n == 0 || !math_spend(m, (int64_t)n * 8))
            return false;
        mpq_set_ui(out, 1, 1);
        mpz_fac_ui(mpq_numref(out), n - 1);
        return true;
    case MATH_EXP:
    case MATH_COS:
    case MATH_COSH:
    case MATH_SEC:
    case MATH_SECH: mpq_set_ui(out, 1, 1); return mpq_sgn(x) == 0;
    case MATH_SIN:
    case MATH_TAN:
    case MATH_SINH:
    case MATH_TANH:
    case MATH_ASIN:
    case MATH_ATAN:
    case MATH_ASINH:
    case MATH_ATANH: mpq_set_ui(out, 0, 1); return mpq_sgn(x) == 0;
    case MATH_LN: mpq_set_ui(out, 0, 1); return mpq_cmp_si(x, 1, 1) == 0;
    default: return false;
    }
}

static bool two_arguments(struct math *m, enum math_function f, const mpq_t x, const mpq_t y,
                          mpq_t out)
{
    unsigned long n, k;
    switch (f) {
    case MATH_LOG: return exact_log(m, x, y, out);
    case MATH_BINOMIAL:
        if (!small_whole(x, MATH_FACTORIAL_MAX, &n) || !small_whole(y, MATH_FACTORIAL_MAX, &k) ||
            !math_spend(m, (int64_t)n * 8))
            return false;
        mpq_set_ui(out, 1, 1);
        mpz_bin_uiui(mpq_numref(out), n, k);
        return true;
    case MATH_MAX: mpq_set(out, mpq_cmp(x, y) > 0 ? x : y); return true;
    case MATH_MIN: mpq_set(out, mpq_cmp(x, y) < 0 ? x : y); return true;
    case MATH_GCD:
    case MATH_LCM:
        if (!whole(x) || !whole(y))
            return false;
        mpq_set_ui(out, 1, 1);
        if (f == MATH_GCD)
            mpz_gcd(mpq_numref(out), mpq_numref(x), mpq_numref(y));
        else
            mpz_lcm(mpq_numref(out), mpq_numref(x), mpq_numref(y));
        return true;
    case MATH_MOD:
        if (!whole(x) || !whole(y) || mpq_sgn(y) == 0)
            return false;
        mpq_set_ui(out, 1, 1);
        mpz_mod(mpq_numref(out), mpq_numref(x), mpq_numref(y));
        return true;
    default: return false;
    }
}

static bool function_value(struct math *m, const struct math_node *a, mpq_t out)
{
    enum math_function f = (enum math_function)a->function;
    bool ok = a->n > 0 && math_rational_value(m, a->kids[0], out);
    if (a->n == 1 && f >= MATH_MAX && f <= MATH_LCM)
        return ok;
    mpq_t x, y;
    mpq_init(x);
    mpq_init(y);
    if (a->n == 1 && ok) {
        mpq_set(x, out);
        ok = one_argument(m, f, x, out);
    }
    bool folds = f >= MATH_MAX && f <= MATH_LCM;
    for (size_t i = 1; ok && i < a->n && (i == 1 || folds); i++) {
        mpq_set(x, out);
        ok = math_rational_value(m, a->kids[i], y) && two_arguments(m, f, x, y, out);
    }
    mpq_clear(x);
    mpq_clear(y);
    return ok && (a->n <= 2 || folds);
}

static bool fold(struct math *m, const struct math_node *a, mpq_t out)
{
    mpq_t part;
    mpq_init(part);
    bool ok = true;
    mpq_set_ui(out, a->kind == MATH_MUL, 1);
    for (size_t i = 0; ok && i < a->n; i++) {
        ok = math_rational_value(m, a->kids[i], part) &&
             math_spend(m, 1 + (int64_t)(bits(part) + bits(out)) / 64);
        if (ok && a->kind == MATH_ADD)
            mpq_add(out, out, part);
        else if (ok)
            mpq_mul(out, out, part);
        ok = ok && small(out);
    }
    mpq_clear(part);
    return ok;
}

bool math_rational_value(struct math *m, const struct math_node *a, mpq_t out)
{
    mpq_t e;
    bool ok;
    if (!math_spend(m, 1))
        return false;
    switch (a->kind) {
    case MATH_NUMBER: mpq_set(out, a->q); return true;
    case MATH_ADD:
    case MATH_MUL: return fold(m, a, out);
    case MATH_POW:
        mpq_init(e);
        ok = math_rational_value(m, a->kids[0], out) && math_rational_value(m, a->kids[1], e);
        if (ok) {
            mpq_t base;
            mpq_init(base);
            mpq_set(base, out);
            ok = rational_power(m, base, e, out);
            mpq_clear(base);
        }
        mpq_clear(e);
        return ok;
    case MATH_FUNCTION: return function_value(m, a, out);
    case MATH_DEGREES: return math_rational_value(m, a->kids[0], out);
    case MATH_PERCENT:
        ok = math_rational_value(m, a->kids[0], out);
        if (ok) {
            mpq_init(e);
            mpq_set_ui(e, 100, 1);
            mpq_div(out, out, e);
            mpq_clear(e);
        }
        return ok;
    default: return false;
    }
}
