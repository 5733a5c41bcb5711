/* math_eval.c: values of formulas as enclosures, and what they tell: equal, different, in what order
 * (grade 6.4). Symbols get fixed rational values, unknown functions a value by their argument. */
#include <stdint.h>
#include <stdlib.h>
#include <strings.h>

#include "grade/defaults.h"
#include "grade/math_ball.h"
#include "grade/math_tree.h"

/* Bits of the three tries (6.4). */
static const mpfr_prec_t PRECISIONS[] = {128, 512, 2048};
enum { N_PRECISIONS = 3, TINY_BITS = 256 };

struct point {
    const struct math_names *names;
    unsigned number;
    mpfr_prec_t precision;
};

/* A number between 1/16 and 16, always the same for its key; negative ones among the later points. */
static void fixed_value(uint64_t key, unsigned point, mpq_t q)
{
    uint64_t x = (key + 1) * 0x9E3779B97F4A7C15u + (point + 1) * 0xD1B54A32D192ED03u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    x ^= x >> 32;
    long over = 17 + (long)(x % 211), under = 16 + (long)(x / 211 % 61);
    bool negative = point >= MATH_POINTS / 2 && (x >> 40 & 1);
    mpq_set_si(q, negative ? -over : over, (unsigned long)under);
    mpq_canonicalize(q);
}

static uint64_t text_key(struct span text)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < text.len; i++)
        h = (h ^ (unsigned char)text.ptr[i]) * 0x100000001b3u;
    return h;
}

static bool value_of(struct math *m, const struct math_node *a, const struct point *p,
                     struct ball *r);

/* Numbers of a size that arithmetic on them stays cheap. */
static bool sane(const struct ball *r)
{
    enum { EXPONENT_MAX = 500000 };
    if (!ball_finite(r))
        return false;
    const mpfr_srcptr parts[] = {r->re[0], r->re[1], r->im[0], r->im[1]};
    for (int k = 0; k < 4; k++)
        if (!mpfr_zero_p(parts[k]) &&
            (mpfr_get_exp(parts[k]) > EXPONENT_MAX || mpfr_get_exp(parts[k]) < -EXPONENT_MAX))
            return false;
    return true;
}

static void symbol_value(const struct math_node *a, const struct point *p, struct ball *r)
{
    size_t i = 0;
    mpq_t q;
    while (i < p->names->n && strcasecmp(p->names->items[i].ptr, a->name.ptr) != 0)
        i++;
    mpq_init(q);
    fixed_value(i, p->number, q);
    ball_set_rational(r, q);
    mpq_clear(q);
}

/* f(x): by its name and the text of its argument. */
static void opaque_value(const struct math_node *a, const struct point *p, struct ball *r)
{
    struct buf text = {0};
    mpq_t q;
    math_print(a, &text);
    mpq_init(q);
    fixed_value(text_key(buf_span(&text)), p->number, q);
    ball_set_rational(r, q);
    mpq_clear(q);
    buf_free(&text);
}

static bool power_value(struct math *m, const struct math_node *a, const struct point *p,
                        struct ball *r)
{
    struct ball e;
    mpq_t q;
    bool ok = value_of(m, a->kids[0], p, r);
    mpq_init(q);
    ball_open(&e, p->precision);
    if (ok && math_rational_value(m, a->kids[1], q)) {
        struct ball base;
        ball_open(&base, p->precision);
        ball_set(&base, r);
        bool whole = mpz_cmp_ui(mpq_denref(q), 1) == 0 && mpz_fits_slong_p(mpq_numref(q));
        if (whole && mpz_sizeinbase(mpq_numref(q), 2) < 24) {
            ok = ball_power_integer(r, &base, mpz_get_si(mpq_numref(q)));
        } else if (mpq_cmp_si(q, 1, 2) == 0) {
            ok = ball_sqrt(r, &base);
        } else {
            ball_set_rational(&e, q);
            ok = ball_power(r, &base, &e);
        }
        ball_close(&base);
    } else if (ok && a->kids[0]->kind == MATH_E) {
        ok = value_of(m, a->kids[1], p, &e) && ball_exp(r, &e);
    } else if (ok) {
        ok = value_of(m, a->kids[1], p, &e) && ball_power(r, r, &e);
    }
    mpq_clear(q);
    ball_close(&e);
    return ok;
}

/* Circular functions and their reciprocals. */
static bool circular_value(enum math_function f, struct ball *r)
{
    struct ball s, c, one;
    mpfr_prec_t precision = mpfr_get_prec(r->re[0]);
    bool ok = true;
    ball_open(&s, precision);
    ball_open(&c, precision);
    ball_open(&one, precision);
    ball_set_integer(&one, 1);
    if (f <= MATH_CSC)
        ball_sin_cos(&s, &c, r);
    else
        ok = ball_sinh_cosh(&s, &c, r);
    switch (f) {
    case MATH_SIN:
    case MATH_SINH: ball_set(r, &s); break;
    case MATH_COS:
    case MATH_COSH: ball_set(r, &c); break;
    case MATH_TAN:
    case MATH_TANH: ok = ok && ball_divide(r, &s, &c); break;
    case MATH_COT:
    case MATH_COTH: ok = ok && ball_divide(r, &c, &s); break;
    case MATH_SEC:
    case MATH_SECH: ok = ok && ball_divide(r, &one, &c); break;
    default: ok = ok && ball_divide(r, &one, &s); break;
    }
    ball_close(&s);
    ball_close(&c);
    ball_close(&one);
    return ok;
}

static bool reciprocal(struct ball *r)
{
    struct ball one;
    ball_open(&one, mpfr_get_prec(r->re[0]));
    ball_set_integer(&one, 1);
    bool ok = ball_divide(r, &one, r);
    ball_close(&one);
    return ok;
}

static bool apply_function(enum math_function f, struct ball *r)
{
    struct ball one;
    bool ok;
    switch (f) {
    case MATH_ASIN: return ball_asin(r, r);
    case MATH_ACOS: return ball_acos(r, r);
    case MATH_ATAN: return ball_atan(r, r);
    case MATH_ACOT: return reciprocal(r) && ball_atan(r, r);
    case MATH_ASEC: return reciprocal(r) && ball_acos(r, r);
    case MATH_ACSC: return reciprocal(r) && ball_asin(r, r);
    case MATH_ASINH: return ball_asinh(r, r);
    case MATH_ACOSH: return ball_acosh(r, r);
    case MATH_ATANH: return ball_atanh(r, r);
    case MATH_EXP: return ball_exp(r, r);
    case MATH_LN: return ball_log(r, r);
    case MATH_ABS: return ball_abs(r, r);
    case MATH_FLOOR: return ball_floor(r, r, false);
    case MATH_CEIL: return ball_floor(r, r, true);
    case MATH_RE: ball_real_part(r, r, false); return true;
    case MATH_IM: ball_real_part(r, r, true); return true;
    case MATH_CONJUGATE: ball_conjugate(r, r); return true;
    case MATH_GAMMA: return ball_gamma(r, r);
    case MATH_FACTORIAL:
        ball_open(&one, mpfr_get_prec(r->re[0]));
        ball_set_integer(&one, 1);
        ball_add(r, r, &one);
        ok = ball_gamma(r, r);
        ball_close(&one);
        return ok;
    default: return f <= MATH_CSCH && circular_value(f, r);
    }
}

static bool function_value(struct math *m, const struct math_node *a, const struct point *p,
                           struct ball *r)
{
    enum math_function f = (enum math_function)a->function;
    struct ball y, difference;
    if (a->n == 0 || !value_of(m, a->kids[0], p, r))
        return false;
    if (a->n == 1)
        return apply_function(f, r) || f == MATH_MAX || f == MATH_MIN;
    bool ok = true;
    ball_open(&y, p->precision);
    ball_open(&difference, p->precision);
    for (size_t i = 1; ok && i < a->n; i++) {
        ok = value_of(m, a->kids[i], p, &y);
        if (ok && f == MATH_LOG) {
            ok = ball_log(r, r) && ball_log(&y, &y) && ball_divide(r, r, &y);
        } else if (ok && (f == MATH_MAX || f == MATH_MIN)) {
            ball_subtract(&difference, r, &y);
            ok = difference.real && !ball_has_zero(&difference);
            if (ok && (ball_sign(&difference) < 0) == (f == MATH_MAX))
                ball_set(r, &y);
        } else {
            ok = false;
        }
    }
    ball_close(&y);
    ball_close(&difference);
    return ok;
}

static bool fold_value(struct math *m, const struct math_node *a, const struct point *p,
                       struct ball *r)
{
    struct ball part;
    bool ok = true;
    ball_open(&part, p->precision);
    ball_set_integer(r, a->kind == MATH_MUL);
    for (size_t i = 0; ok && i < a->n; i++) {
        ok = value_of(m, a->kids[i], p, &part);
        if (a->kind == MATH_MUL)
            ball_multiply(r, r, &part);
        else
            ball_add(r, r, &part);
    }
    ball_close(&part);
    return ok;
}

static bool value_of(struct math *m, const struct math_node *a, const struct point *p,
                     struct ball *r)
{
    mpq_t q;
    bool ok;
    if (!math_spend(m, p->precision / 4))
        return false;
    switch (a->kind) {
    case MATH_NUMBER: ball_set_rational(r, a->q); return true;
    case MATH_SYMBOL:
    case MATH_TEXT: symbol_value(a, p, r); return true;
    case MATH_PI: ball_set_pi(r); return true;
    case MATH_E: ball_set_integer(r, 1); return ball_exp(r, r);
    case MATH_I: ball_set_i(r); return true;
    case MATH_ADD:
    case MATH_MUL: ok = fold_value(m, a, p, r); break;
    case MATH_POW: ok = power_value(m, a, p, r); break;
    case MATH_FUNCTION:
        mpq_init(q);
        ok = a->function >= MATH_FACTORIAL && math_rational_value(m, a, q);
        if (ok)
            ball_set_rational(r, q);
        else
            ok = function_value(m, a, p, r);
        mpq_clear(q);
        break;
    case MATH_DEGREES: return value_of(m, a->kids[0], p, r);
    case MATH_PERCENT:
        ok = value_of(m, a->kids[0], p, r);
        if (ok) {
            struct ball hundred;
            ball_open(&hundred, p->precision);
            ball_set_integer(&hundred, 100);
            ok = ball_divide(r, r, &hundred);
            ball_close(&hundred);
        }
        break;
    case MATH_APPLY: opaque_value(a, p, r); return true;
    default: return false;
    }
    return ok && sane(r);
}

/* ---- equality ---------------------------------------------------------------------------------- */

/* At one point: 1 equal, 0 different, -1 not told. */
static int same_at(struct math *m, const struct math_node *a, const struct math_node *b,
                   struct point *p)
{
    int told = -1;
    for (int k = 0; k < N_PRECISIONS && told < 0 && !m->over; k++) {
        struct ball x, y;
        p->precision = PRECISIONS[k];
        ball_open(&x, p->precision);
        ball_open(&y, p->precision);
        if (value_of(m, a, p, &x) && value_of(m, b, p, &y)) {
            ball_subtract(&x, &x, &y);
            if (ball_finite(&x) && !ball_has_zero(&x))
                told = 0;
            else if (k == N_PRECISIONS - 1 && ball_finite(&x) && ball_tiny(&x, TINY_BITS))
                told = 1;
        }
        ball_close(&x);
        ball_close(&y);
    }
    return told;
}

int math_same_value(struct math *m, const struct math_node *a, const struct math_node *b)
{
    struct math_names names = {0};
    int equal = 0, told = -1;
    math_names(a, &names);
    math_names(b, &names);
    bool constant = names.n == 0 && !math_has(a, MATH_APPLY) && !math_has(b, MATH_APPLY);
    int wanted = constant ? 1 : MATH_POINTS, tried = constant ? 1 : MATH_POINTS_TRIED;
    for (int k = 0; k < tried && equal < wanted && told && !m->over; k++) {
        struct point p = {.names = &names, .number = (unsigned)k};
        told = same_at(m, a, b, &p);
        equal += told == 1;
    }
    math_names_free(&names);
    if (told == 0 || m->over)
        return told == 0 ? 0 : -1;
    return equal >= (constant ? 1 : MATH_POINTS_MIN) ? 1 : -1;
}

/* ---- rounding ---------------------------------------------------------------------------------- */

/* x times 10^digits to the nearest whole number, half to even. */
static void round_rational(const mpq_t x, int digits, mpz_t out)
{
    mpz_t scale, rest;
    mpq_t scaled;
    mpz_init(scale);
    mpz_init(rest);
    mpq_init(scaled);
    mpz_ui_pow_ui(scale, 10, (unsigned long)digits);
    mpq_set_z(scaled, scale);
    mpq_mul(scaled, scaled, x);
    mpz_fdiv_qr(out, rest, mpq_numref(scaled), mpq_denref(scaled));
    mpz_mul_2exp(rest, rest, 1);
    int half = mpz_cmp(rest, mpq_denref(scaled));
    if (half > 0 || (half == 0 && mpz_odd_p(out)))
        mpz_add_ui(out, out, 1);
    mpz_clear(scale);
    mpz_clear(rest);
    mpq_clear(scaled);
}

/* Both ends of an interval round alike. */
static bool round_interval(mpfr_t *x, int digits, mpz_t out)
{
    mpq_t q;
    mpz_t other;
    mpq_init(q);
    mpz_init(other);
    mpfr_get_q(q, x[0]);
    round_rational(q, digits, out);
    mpfr_get_q(q, x[1]);
    round_rational(q, digits, other);
    bool same = mpz_cmp(out, other) == 0;
    mpq_clear(q);
    mpz_clear(other);
    return same;
}

static bool rounded(struct math *m, const struct math_node *a, int digits, mpz_t re, mpz_t im)
{
    struct math_names none = {0};
    mpq_t q;
    mpq_init(q);
    bool ok = math_rational_value(m, a, q);
    if (ok) {
        round_rational(q, digits, re);
        mpz_set_ui(im, 0);
    }
    for (int k = 0; k < N_PRECISIONS && !ok && !m->over; k++) {
        struct point p = {.names = &none, .precision = PRECISIONS[k]};
        struct ball x;
        ball_open(&x, p.precision);
        ok = value_of(m, a, &p, &x) && ball_finite(&x) && ball_tiny(&x, 0) &&
             round_interval(x.re, digits, re) && round_interval(x.im, digits, im);
        ball_close(&x);
    }
    mpq_clear(q);
    return ok;
}

int math_same_rounded(struct math *m, const struct math_node *a, const struct math_node *b,
                      int digits)
{
    mpz_t x[4];
    for (int k = 0; k < 4; k++)
        mpz_init(x[k]);
    int told = rounded(m, a, digits, x[0], x[1]) && rounded(m, b, digits, x[2], x[3])
                   ? mpz_cmp(x[0], x[2]) == 0 && mpz_cmp(x[1], x[3]) == 0
                   : -1;
    for (int k = 0; k < 4; k++)
        mpz_clear(x[k]);
    return told;
}

/* ---- order ------------------------------------------------------------------------------------- */

int math_infinite(const struct math_node *a)
{
    if (a->kind == MATH_INFINITY)
        return 1;
    if (a->kind != MATH_MUL && a->kind != MATH_ADD)
        return 0;
    int sign = 1, found = 0;
    for (size_t i = 0; i < a->n; i++) {
        int inner = math_infinite(a->kids[i]);
        if (inner) {
            sign *= inner;
            found++;
        } else if (a->kids[i]->kind != MATH_NUMBER) {
            return 0;
        } else if (a->kind == MATH_MUL) {
            sign *= mpq_sgn(a->kids[i]->q);
        }
    }
    return found == 1 ? sign : 0;
}

bool math_order(struct math *m, const struct math_node *a, const struct math_node *b, int *sign)
{
    struct math_names none = {0};
    int x = math_infinite(a), y = math_infinite(b);
    if (x || y) {
        *sign = x > y ? 1 : x < y ? -1 : 0;
        return true;
    }
    math_names(a, &none);
    math_names(b, &none);
    bool told = false, constant = none.n == 0;
    math_names_free(&none);
    if (!constant)
        return false;
    for (int k = 0; k < N_PRECISIONS && !told && !m->over; k++) {
        struct point p = {.names = &none, .precision = PRECISIONS[k]};
        struct ball left, right;
        ball_open(&left, p.precision);
        ball_open(&right, p.precision);
        if (value_of(m, a, &p, &left) && value_of(m, b, &p, &right)) {
            ball_subtract(&left, &left, &right);
            *sign = ball_sign(&left);
            told = left.real && ball_finite(&left) &&
                   (*sign != 0 || (k == N_PRECISIONS - 1 && ball_tiny(&left, TINY_BITS)));
        }
        ball_close(&left);
        ball_close(&right);
    }
    return told;
}
