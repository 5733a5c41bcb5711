/* math_ball.c: see math_ball.h. Real intervals first, then rectangles. */
#include "grade/math_ball.h"

typedef mpfr_t interval[2];
typedef int unary(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

/* ---- intervals --------------------------------------------------------------------------------- */

static void interval_open(mpfr_t *x, mpfr_prec_t precision)
{
    mpfr_init2(x[0], precision);
    mpfr_init2(x[1], precision);
}

static void interval_close(mpfr_t *x)
{
    mpfr_clear(x[0]);
    mpfr_clear(x[1]);
}

static void interval_set(mpfr_t *r, const mpfr_t *a)
{
    mpfr_set(r[0], a[0], MPFR_RNDD);
    mpfr_set(r[1], a[1], MPFR_RNDU);
}

static void interval_zero(mpfr_t *r)
{
    mpfr_set_zero(r[0], 1);
    mpfr_set_zero(r[1], 1);
}

static void interval_add(mpfr_t *r, const mpfr_t *a, const mpfr_t *b)
{
    mpfr_add(r[0], a[0], b[0], MPFR_RNDD);
    mpfr_add(r[1], a[1], b[1], MPFR_RNDU);
}

static void interval_negate(mpfr_t *r, const mpfr_t *a)
{
    interval t;
    interval_open(t, mpfr_get_prec(r[0]));
    mpfr_neg(t[0], a[1], MPFR_RNDD);
    mpfr_neg(t[1], a[0], MPFR_RNDU);
    interval_set(r, (const mpfr_t *)t);
    interval_close(t);
}

static void interval_subtract(mpfr_t *r, const mpfr_t *a, const mpfr_t *b)
{
    interval t;
    interval_open(t, mpfr_get_prec(r[0]));
    mpfr_sub(t[0], a[0], b[1], MPFR_RNDD);
    mpfr_sub(t[1], a[1], b[0], MPFR_RNDU);
    interval_set(r, (const mpfr_t *)t);
    interval_close(t);
}

static void interval_multiply(mpfr_t *r, const mpfr_t *a, const mpfr_t *b)
{
    interval t;
    mpfr_t p;
    mpfr_prec_t precision = mpfr_get_prec(r[0]);
    interval_open(t, precision);
    mpfr_init2(p, precision);
    mpfr_mul(t[0], a[0], b[0], MPFR_RNDD);
    mpfr_mul(t[1], a[0], b[0], MPFR_RNDU);
    for (int k = 1; k < 4; k++) {
        mpfr_mul(p, a[k & 1], b[k >> 1], MPFR_RNDD);
        if (mpfr_less_p(p, t[0]) || mpfr_nan_p(p))
            mpfr_set(t[0], p, MPFR_RNDD);
        mpfr_mul(p, a[k & 1], b[k >> 1], MPFR_RNDU);
        if (mpfr_greater_p(p, t[1]) || mpfr_nan_p(p))
            mpfr_set(t[1], p, MPFR_RNDU);
    }
    interval_set(r, (const mpfr_t *)t);
    mpfr_clear(p);
    interval_close(t);
}

static bool interval_has_zero(const mpfr_t *a)
{
    return mpfr_sgn(a[0]) <= 0 && mpfr_sgn(a[1]) >= 0;
}

static bool interval_divide(mpfr_t *r, const mpfr_t *a, const mpfr_t *b)
{
    interval t;
    if (interval_has_zero(b))
        return false;
    interval_open(t, mpfr_get_prec(r[0]));
    mpfr_ui_div(t[0], 1, b[1], MPFR_RNDD);
    mpfr_ui_div(t[1], 1, b[0], MPFR_RNDU);
    interval_multiply(r, a, (const mpfr_t *)t);
    interval_close(t);
    return true;
}

/* A function that grows over the interval. */
static void interval_rising(mpfr_t *r, const mpfr_t *a, unary *f)
{
    f(r[0], a[0], MPFR_RNDD);
    f(r[1], a[1], MPFR_RNDU);
}

static void interval_square_root(mpfr_t *r, const mpfr_t *a)
{
    mpfr_sqrt(r[0], a[0], MPFR_RNDD);
    mpfr_sqrt(r[1], a[1], MPFR_RNDU);
}

static void interval_abs(mpfr_t *r, const mpfr_t *a)
{
    if (mpfr_sgn(a[0]) >= 0) {
        interval_set(r, a);
    } else if (mpfr_sgn(a[1]) <= 0) {
        interval_negate(r, a);
    } else {
        mpfr_t low;
        mpfr_init2(low, mpfr_get_prec(r[0]));
        mpfr_neg(low, a[0], MPFR_RNDU);
        mpfr_max(r[1], low, a[1], MPFR_RNDU);
        mpfr_set_zero(r[0], 1);
        mpfr_clear(low);
    }
}

/* sin, cos: within half the width of their value in the middle. */
static void interval_wave(mpfr_t *r, const mpfr_t *a, unary *f)
{
    mpfr_t middle, half;
    mpfr_prec_t precision = mpfr_get_prec(r[0]);
    mpfr_init2(middle, precision);
    mpfr_init2(half, precision);
    mpfr_sub(half, a[1], a[0], MPFR_RNDU);
    mpfr_add(middle, a[0], a[1], MPFR_RNDN);
    mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
    bool wide = !mpfr_number_p(half) || !mpfr_number_p(middle) || mpfr_cmp_ui(half, 1) > 0 ||
                (!mpfr_zero_p(middle) && mpfr_get_exp(middle) > 4096);
    if (wide) {
        mpfr_set_si(r[0], -1, MPFR_RNDD);
        mpfr_set_si(r[1], 1, MPFR_RNDU);
    } else { /* the whole width: the middle is rounded */
        f(r[0], middle, MPFR_RNDD);
        f(r[1], middle, MPFR_RNDU);
        mpfr_sub(r[0], r[0], half, MPFR_RNDD);
        mpfr_add(r[1], r[1], half, MPFR_RNDU);
    }
    mpfr_clear(middle);
    mpfr_clear(half);
}

/* ---- rectangles -------------------------------------------------------------------------------- */

#define RE(b) ((const mpfr_t *)(b)->re)
#define IM(b) ((const mpfr_t *)(b)->im)

static mpfr_prec_t precision_of(const struct ball *b)
{
    return mpfr_get_prec(b->re[0]);
}

void ball_open(struct ball *b, mpfr_prec_t precision)
{
    interval_open(b->re, precision);
    interval_open(b->im, precision);
    interval_zero(b->re);
    interval_zero(b->im);
    b->real = true;
}

void ball_close(struct ball *b)
{
    interval_close(b->re);
    interval_close(b->im);
}

void ball_set(struct ball *b, const struct ball *a)
{
    interval_set(b->re, RE(a));
    interval_set(b->im, IM(a));
    b->real = a->real;
}

static void set_real(struct ball *b)
{
    interval_zero(b->im);
    b->real = true;
}

void ball_set_rational(struct ball *b, const mpq_t q)
{
    mpfr_set_q(b->re[0], q, MPFR_RNDD);
    mpfr_set_q(b->re[1], q, MPFR_RNDU);
    set_real(b);
}

void ball_set_integer(struct ball *b, long value)
{
    mpfr_set_si(b->re[0], value, MPFR_RNDD);
    mpfr_set_si(b->re[1], value, MPFR_RNDU);
    set_real(b);
}

void ball_set_pi(struct ball *b)
{
    mpfr_const_pi(b->re[0], MPFR_RNDD);
    mpfr_const_pi(b->re[1], MPFR_RNDU);
    set_real(b);
}

void ball_set_i(struct ball *b)
{
    interval_zero(b->re);
    mpfr_set_ui(b->im[0], 1, MPFR_RNDD);
    mpfr_set_ui(b->im[1], 1, MPFR_RNDU);
    b->real = false;
}

void ball_add(struct ball *r, const struct ball *a, const struct ball *b)
{
    interval_add(r->re, RE(a), RE(b));
    interval_add(r->im, IM(a), IM(b));
    r->real = a->real && b->real;
}

void ball_negate(struct ball *r, const struct ball *a)
{
    interval_negate(r->re, RE(a));
    interval_negate(r->im, IM(a));
    r->real = a->real;
}

void ball_subtract(struct ball *r, const struct ball *a, const struct ball *b)
{
    interval_subtract(r->re, RE(a), RE(b));
    interval_subtract(r->im, IM(a), IM(b));
    r->real = a->real && b->real;
}

void ball_multiply(struct ball *r, const struct ball *a, const struct ball *b)
{
    struct ball t;
    if (a->real && b->real) {
        interval_multiply(r->re, RE(a), RE(b));
        set_real(r);
        return;
    }
    ball_open(&t, precision_of(r));
    interval part;
    interval_open(part, precision_of(r));
    interval_multiply(t.re, RE(a), RE(b));
    interval_multiply(part, IM(a), IM(b));
    interval_subtract(t.re, RE(&t), (const mpfr_t *)part);
    interval_multiply(t.im, RE(a), IM(b));
    interval_multiply(part, IM(a), RE(b));
    interval_add(t.im, IM(&t), (const mpfr_t *)part);
    t.real = false;
    ball_set(r, &t);
    interval_close(part);
    ball_close(&t);
}

/* re^2 + im^2 */
static void square_size(mpfr_t *r, const struct ball *a)
{
    interval part;
    interval_open(part, precision_of(a));
    interval_abs(part, IM(a));
    interval_multiply(part, (const mpfr_t *)part, (const mpfr_t *)part);
    interval_abs(r, RE(a));
    interval_multiply(r, (const mpfr_t *)r, (const mpfr_t *)r);
    interval_add(r, (const mpfr_t *)r, (const mpfr_t *)part);
    interval_close(part);
}

bool ball_divide(struct ball *r, const struct ball *a, const struct ball *b)
{
    struct ball t;
    bool ok;
    if (a->real && b->real) {
        ok = interval_divide(r->re, RE(a), RE(b));
        set_real(r);
        return ok;
    }
    ball_open(&t, precision_of(r));
    interval size;
    interval_open(size, precision_of(r));
    square_size(size, b);
    ball_conjugate(&t, b);
    ball_multiply(&t, a, &t);
    ok = interval_divide(t.re, RE(&t), (const mpfr_t *)size) &&
         interval_divide(t.im, IM(&t), (const mpfr_t *)size);
    t.real = a->real && b->real;
    ball_set(r, &t);
    interval_close(size);
    ball_close(&t);
    return ok;
}

bool ball_exp(struct ball *r, const struct ball *a)
{
    enum { LARGE = 1000000 }; /* beyond, numbers have no use here */
    if (mpfr_cmp_si(a->re[1], LARGE) > 0 || mpfr_nan_p(a->re[1]))
        return false;
    struct ball wave;
    ball_open(&wave, precision_of(r));
    bool real = a->real;
    if (!real) {
        interval_wave(wave.re, IM(a), mpfr_cos);
        interval_wave(wave.im, IM(a), mpfr_sin);
        wave.real = false;
    }
    interval_rising(r->re, RE(a), mpfr_exp);
    set_real(r);
    if (!real)
        ball_multiply(r, r, &wave);
    ball_close(&wave);
    return true;
}

/* The angle of a rectangle that does not meet zero or the negative axis; on the axis it is pi. */
static bool angle(mpfr_t *r, const struct ball *a)
{
    interval pi;
    bool ok = true;
    if (a->real && mpfr_sgn(a->re[0]) > 0) {
        interval_zero(r);
        return true;
    }
    interval_open(pi, precision_of(a));
    mpfr_const_pi(pi[0], MPFR_RNDD);
    mpfr_const_pi(pi[1], MPFR_RNDU);
    if (a->real) {
        ok = mpfr_sgn(a->re[1]) < 0;
        interval_set(r, (const mpfr_t *)pi);
    } else if (mpfr_sgn(a->re[0]) > 0) {
        ok = interval_divide(r, IM(a), RE(a));
        interval_rising(r, (const mpfr_t *)r, mpfr_atan);
    } else if (mpfr_sgn(a->im[0]) > 0 || mpfr_sgn(a->im[1]) < 0) {
        bool above = mpfr_sgn(a->im[0]) > 0;
        ok = interval_divide(r, RE(a), IM(a));
        interval_rising(r, (const mpfr_t *)r, mpfr_atan);
        mpfr_div_2ui(pi[0], pi[0], 1, MPFR_RNDD);
        mpfr_div_2ui(pi[1], pi[1], 1, MPFR_RNDU);
        if (!above)
            interval_negate(pi, (const mpfr_t *)pi);
        interval_subtract(r, (const mpfr_t *)pi, (const mpfr_t *)r);
    } else {
        ok = false;
    }
    interval_close(pi);
    return ok;
}

bool ball_log(struct ball *r, const struct ball *a)
{
    interval size, turn;
    if (a->real && mpfr_sgn(a->re[0]) > 0) {
        interval_rising(r->re, RE(a), mpfr_log);
        set_real(r);
        return true;
    }
    interval_open(size, precision_of(r));
    interval_open(turn, precision_of(r));
    square_size(size, a);
    bool ok = mpfr_sgn(size[0]) > 0 && angle(turn, a);
    if (ok) {
        interval_rising(size, (const mpfr_t *)size, mpfr_log);
        mpfr_div_2ui(r->re[0], size[0], 1, MPFR_RNDD);
        mpfr_div_2ui(r->re[1], size[1], 1, MPFR_RNDU);
        interval_set(r->im, (const mpfr_t *)turn);
        r->real = false;
    }
    interval_close(size);
    interval_close(turn);
    return ok;
}

static void halve(struct ball *r)
{
    for (int k = 0; k < 2; k++) {
        mpfr_div_2ui(r->re[k], r->re[k], 1, k ? MPFR_RNDU : MPFR_RNDD);
        mpfr_div_2ui(r->im[k], r->im[k], 1, k ? MPFR_RNDU : MPFR_RNDD);
    }
}

bool ball_sqrt(struct ball *r, const struct ball *a)
{
    if (!a->real) {
        if (!ball_log(r, a))
            return false;
        halve(r);
        return ball_exp(r, r);
    }
    if (mpfr_sgn(a->re[0]) >= 0) {
        interval_square_root(r->re, RE(a));
        set_real(r);
        return true;
    }
    /* Below zero it is imaginary; across zero, one of both. */
    interval under;
    interval_open(under, precision_of(r));
    interval_negate(under, RE(a));
    bool across = mpfr_sgn(a->re[1]) > 0;
    if (across)
        mpfr_sqrt(r->re[1], a->re[1], MPFR_RNDU);
    else
        mpfr_set_zero(r->re[1], 1);
    mpfr_set_zero(r->re[0], 1);
    if (mpfr_sgn(under[0]) < 0)
        mpfr_set_zero(under[0], 1);
    interval_square_root(r->im, (const mpfr_t *)under);
    r->real = false;
    interval_close(under);
    return true;
}

bool ball_power_integer(struct ball *r, const struct ball *a, long e)
{
    struct ball base;
    unsigned long n = e < 0 ? 0ul - (unsigned long)e : (unsigned long)e;
    bool ok = true;
    ball_open(&base, precision_of(r));
    ball_set(&base, a);
    ball_set_integer(r, 1);
    for (; n; n >>= 1) {
        if (n & 1)
            ball_multiply(r, r, &base);
        if (n > 1)
            ball_multiply(&base, &base, &base);
    }
    if (e < 0) {
        ball_set_integer(&base, 1);
        ok = ball_divide(r, &base, r);
    }
    ball_close(&base);
    return ok && ball_finite(r);
}

bool ball_power(struct ball *r, const struct ball *a, const struct ball *b)
{
    struct ball t;
    bool zero = a->real && mpfr_zero_p(a->re[0]) && mpfr_zero_p(a->re[1]);
    if (zero) { /* 0^b */
        bool positive = mpfr_sgn(b->re[0]) > 0;
        ball_set_integer(r, 0);
        return positive;
    }
    ball_open(&t, precision_of(r));
    bool ok = ball_log(&t, a);
    if (ok) {
        ball_multiply(&t, &t, b);
        ok = ball_exp(r, &t);
    }
    ball_close(&t);
    return ok;
}

void ball_sin_cos(struct ball *s, struct ball *c, const struct ball *a)
{
    mpfr_prec_t precision = precision_of(s);
    struct ball sine, cosine;
    ball_open(&sine, precision);
    ball_open(&cosine, precision);
    interval_wave(sine.re, RE(a), mpfr_sin);
    interval_wave(cosine.re, RE(a), mpfr_cos);
    if (!a->real) { /* sin x cosh y + i cos x sinh y; cos x cosh y - i sin x sinh y */
        interval grow, rise;
        interval_open(grow, precision);
        interval_open(rise, precision);
        interval_abs(grow, IM(a));
        interval_rising(grow, (const mpfr_t *)grow, mpfr_cosh);
        interval_rising(rise, IM(a), mpfr_sinh);
        interval_multiply(sine.im, RE(&cosine), (const mpfr_t *)rise);
        interval_multiply(cosine.im, RE(&sine), (const mpfr_t *)rise);
        interval_negate(cosine.im, IM(&cosine));
        interval_multiply(sine.re, RE(&sine), (const mpfr_t *)grow);
        interval_multiply(cosine.re, RE(&cosine), (const mpfr_t *)grow);
        sine.real = cosine.real = false;
        interval_close(grow);
        interval_close(rise);
    }
    ball_set(s, &sine);
    ball_set(c, &cosine);
    ball_close(&sine);
    ball_close(&cosine);
}

static bool within(const struct ball *a, long low, long high)
{
    return a->real && mpfr_cmp_si(a->re[0], low) >= 0 && mpfr_cmp_si(a->re[1], high) <= 0;
}

/* 1 - a^2 under a root. */
static bool root_of_one_less_square(struct ball *r, const struct ball *a)
{
    struct ball one;
    ball_open(&one, precision_of(r));
    ball_set_integer(&one, 1);
    ball_multiply(r, a, a);
    ball_subtract(r, &one, r);
    ball_close(&one);
    return ball_sqrt(r, r);
}

bool ball_asin(struct ball *r, const struct ball *a)
{
    struct ball t, i;
    if (within(a, -1, 1)) {
        interval_rising(r->re, RE(a), mpfr_asin);
        set_real(r);
        return true;
    }
    ball_open(&t, precision_of(r)); /* -i log(i a + sqrt(1 - a^2)) */
    ball_open(&i, precision_of(r));
    ball_set_i(&i);
    bool ok = root_of_one_less_square(&t, a);
    if (ok) {
        ball_multiply(&i, &i, a);
        ball_add(&t, &t, &i);
        ok = ball_log(&t, &t);
        ball_set_i(&i);
        ball_negate(&i, &i);
        ball_multiply(r, &t, &i);
    }
    ball_close(&t);
    ball_close(&i);
    return ok;
}

bool ball_acos(struct ball *r, const struct ball *a)
{
    struct ball t;
    ball_open(&t, precision_of(r));
    bool ok = ball_asin(&t, a);
    if (ok) {
        ball_set_pi(r);
        halve(r);
        ball_subtract(r, r, &t);
    }
    ball_close(&t);
    return ok;
}

bool ball_atan(struct ball *r, const struct ball *a)
{
    struct ball one, up, down, i;
    if (a->real) {
        interval_rising(r->re, RE(a), mpfr_atan);
        set_real(r);
        return true;
    }
    mpfr_prec_t precision = precision_of(r);
    ball_open(&one, precision); /* i/2 (log(1 - i a) - log(1 + i a)) */
    ball_open(&up, precision);
    ball_open(&down, precision);
    ball_open(&i, precision);
    ball_set_integer(&one, 1);
    ball_set_i(&i);
    ball_multiply(&up, &i, a);
    ball_subtract(&down, &one, &up);
    ball_add(&up, &one, &up);
    bool ok = ball_log(&up, &up) && ball_log(&down, &down);
    if (ok) {
        ball_subtract(&down, &down, &up);
        ball_multiply(&down, &down, &i);
        halve(&down);
        ball_set(r, &down);
    }
    ball_close(&one);
    ball_close(&up);
    ball_close(&down);
    ball_close(&i);
    return ok;
}

bool ball_sinh_cosh(struct ball *s, struct ball *c, const struct ball *a)
{
    struct ball up, down;
    ball_open(&up, precision_of(s));
    ball_open(&down, precision_of(s));
    ball_negate(&down, a);
    bool ok = ball_exp(&up, a) && ball_exp(&down, &down);
    if (ok) {
        ball_subtract(s, &up, &down);
        ball_add(c, &up, &down);
        halve(s);
        halve(c);
    }
    ball_close(&up);
    ball_close(&down);
    return ok;
}

bool ball_asinh(struct ball *r, const struct ball *a)
{
    struct ball t, one;
    if (a->real) {
        interval_rising(r->re, RE(a), mpfr_asinh);
        set_real(r);
        return true;
    }
    ball_open(&t, precision_of(r)); /* log(a + sqrt(a^2 + 1)) */
    ball_open(&one, precision_of(r));
    ball_set_integer(&one, 1);
    ball_multiply(&t, a, a);
    ball_add(&t, &t, &one);
    bool ok = ball_sqrt(&t, &t);
    ball_add(&t, &t, a);
    ok = ok && ball_log(r, &t);
    ball_close(&t);
    ball_close(&one);
    return ok;
}

bool ball_acosh(struct ball *r, const struct ball *a)
{
    struct ball up, down, one;
    if (a->real && mpfr_cmp_ui(a->re[0], 1) >= 0) {
        interval_rising(r->re, RE(a), mpfr_acosh);
        set_real(r);
        return true;
    }
    mpfr_prec_t precision = precision_of(r); /* log(a + sqrt(a + 1) sqrt(a - 1)) */
    ball_open(&up, precision);
    ball_open(&down, precision);
    ball_open(&one, precision);
    ball_set_integer(&one, 1);
    ball_add(&up, a, &one);
    ball_subtract(&down, a, &one);
    bool ok = ball_sqrt(&up, &up) && ball_sqrt(&down, &down);
    ball_multiply(&up, &up, &down);
    ball_add(&up, &up, a);
    ok = ok && ball_log(r, &up);
    ball_close(&up);
    ball_close(&down);
    ball_close(&one);
    return ok;
}

bool ball_atanh(struct ball *r, const struct ball *a)
{
    struct ball up, down;
    mpfr_prec_t precision = precision_of(r); /* (log(1 + a) - log(1 - a)) / 2 */
    ball_open(&up, precision);
    ball_open(&down, precision);
    ball_set_integer(&up, 1);
    ball_set_integer(&down, 1);
    ball_add(&up, &up, a);
    ball_subtract(&down, &down, a);
    bool ok = ball_log(&up, &up) && ball_log(&down, &down);
    ball_subtract(&up, &up, &down);
    halve(&up);
    ball_set(r, &up);
    ball_close(&up);
    ball_close(&down);
    return ok;
}

bool ball_abs(struct ball *r, const struct ball *a)
{
    if (a->real) {
        interval_abs(r->re, RE(a));
        set_real(r);
        return true;
    }
    interval size;
    interval_open(size, precision_of(r));
    square_size(size, a);
    interval_square_root(r->re, (const mpfr_t *)size);
    set_real(r);
    interval_close(size);
    return true;
}

bool ball_floor(struct ball *r, const struct ball *a, bool up)
{
    if (!a->real || !mpfr_number_p(a->re[0]) || !mpfr_number_p(a->re[1]))
        return false;
    for (int k = 0; k < 2; k++)
        mpfr_rint(r->re[k], a->re[k], up ? MPFR_RNDU : MPFR_RNDD);
    set_real(r);
    return mpfr_equal_p(r->re[0], r->re[1]);
}

bool ball_gamma(struct ball *r, const struct ball *a)
{
    enum { LARGE = 100000 };
    bool point = mpfr_equal_p(a->re[0], a->re[1]);
    if (!a->real || mpfr_sgn(a->re[0]) <= 0 || mpfr_cmp_ui(a->re[1], LARGE) > 0)
        return false;
    if (point || mpfr_cmp_ui(a->re[0], 2) >= 0) {
        interval_rising(r->re, RE(a), mpfr_gamma);
    } else if (mpfr_cmp_ui(a->re[1], 1) <= 0) { /* falls there */
        interval t;
        interval_open(t, precision_of(r));
        mpfr_gamma(t[0], a->re[1], MPFR_RNDD);
        mpfr_gamma(t[1], a->re[0], MPFR_RNDU);
        interval_set(r->re, (const mpfr_t *)t);
        interval_close(t);
    } else {
        return false;
    }
    set_real(r);
    return true;
}

void ball_real_part(struct ball *r, const struct ball *a, bool imaginary)
{
    interval_set(r->re, imaginary ? IM(a) : RE(a));
    set_real(r);
}

void ball_conjugate(struct ball *r, const struct ball *a)
{
    interval_set(r->re, RE(a));
    interval_negate(r->im, IM(a));
    r->real = a->real;
}

bool ball_has_zero(const struct ball *a)
{
    return interval_has_zero(RE(a)) && (a->real || interval_has_zero(IM(a)));
}

bool ball_finite(const struct ball *a)
{
    return mpfr_number_p(a->re[0]) && mpfr_number_p(a->re[1]) && mpfr_number_p(a->im[0]) &&
           mpfr_number_p(a->im[1]);
}

static bool narrow(const mpfr_t *a, long bits)
{
    mpfr_t width;
    mpfr_init2(width, 64);
    mpfr_sub(width, a[1], a[0], MPFR_RNDU);
    bool tiny = mpfr_zero_p(width) || (mpfr_number_p(width) && mpfr_get_exp(width) <= -bits);
    mpfr_clear(width);
    return tiny;
}

bool ball_tiny(const struct ball *a, long bits)
{
    return narrow(RE(a), bits) && narrow(IM(a), bits);
}

int ball_sign(const struct ball *a)
{
    return mpfr_sgn(a->re[0]) > 0 ? 1 : mpfr_sgn(a->re[1]) < 0 ? -1 : 0;
}
