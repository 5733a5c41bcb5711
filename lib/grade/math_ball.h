/* math_ball.h: enclosures of real and complex numbers, inside room `grade`: rectangles whose sides are
 * intervals of MPFR numbers, rounded outwards. A function returns false where its value is not defined
 * or a branch cut is crossed. Results may be written over arguments. */
#ifndef WAI_GRADE_MATH_BALL_H
#define WAI_GRADE_MATH_BALL_H

#include <gmp.h>
#include <stdbool.h>

#include <mpfr.h>

struct ball {
    mpfr_t re[2], im[2]; /* low, high */
    bool real;           /* im is exactly 0 */
};

void ball_open(struct ball *b, mpfr_prec_t precision);
void ball_close(struct ball *b);
void ball_set(struct ball *b, const struct ball *a);
void ball_set_rational(struct ball *b, const mpq_t q);
void ball_set_integer(struct ball *b, long value);
void ball_set_pi(struct ball *b);
void ball_set_i(struct ball *b);

void ball_add(struct ball *r, const struct ball *a, const struct ball *b);
void ball_subtract(struct ball *r, const struct ball *a, const struct ball *b);
void ball_multiply(struct ball *r, const struct ball *a, const struct ball *b);
bool ball_divide(struct ball *r, const struct ball *a, const struct ball *b);
void ball_negate(struct ball *r, const struct ball *a);
bool ball_exp(struct ball *r, const struct ball *a);
bool ball_log(struct ball *r, const struct ball *a); /* principal */
bool ball_sqrt(struct ball *r, const struct ball *a);
bool ball_power(struct ball *r, const struct ball *a, const struct ball *b);
bool ball_power_integer(struct ball *r, const struct ball *a, long e);
void ball_sin_cos(struct ball *s, struct ball *c, const struct ball *a);
bool ball_asin(struct ball *r, const struct ball *a);
bool ball_acos(struct ball *r, const struct ball *a);
bool ball_atan(struct ball *r, const struct ball *a);
bool ball_sinh_cosh(struct ball *s, struct ball *c, const struct ball *a);
bool ball_asinh(struct ball *r, const struct ball *a);
bool ball_acosh(struct ball *r, const struct ball *a);
bool ball_atanh(struct ball *r, const struct ball *a);
bool ball_abs(struct ball *r, const struct ball *a);
bool ball_floor(struct ball *r, const struct ball *a, bool up);
bool ball_gamma(struct ball *r, const struct ball *a);
void ball_real_part(struct ball *r, const struct ball *a, bool imaginary);
void ball_conjugate(struct ball *r, const struct ball *a);

bool ball_has_zero(const struct ball *a);
bool ball_finite(const struct ball *a);
/* Both sides are narrower than 2^-bits. */
bool ball_tiny(const struct ball *a, long bits);
/* Sign of a real enclosure: -1, 1; 0 when it holds zero. */
int ball_sign(const struct ball *a);

#endif
