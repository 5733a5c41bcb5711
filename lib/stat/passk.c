/* passk.c: pass@k and pass^k of one group (measure 3.4): quotients of binomials, correctly rounded
 * to double as an exact integer division would give them.
 *
 * C(n-m, k) / C(n, k) is a product of min(m, k) factors (n-M-i)/(n-i), M the larger of the two. It
 * is kept as a binary fraction of a few 64-bit limbs; each factor truncates by less than two units
 * of the last place, so the true value lies between the fraction and the fraction plus a known
 * slack. When both ends round to the same double, that is the answer; else more limbs. With as many
 * limbs as the exact denominator has bits, only an exact tie is left, and it goes to even. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stat/stat.h"

typedef unsigned __int128 uint128;

enum {
    LIMBS_FIRST = 3,   /* 192 bits: settles all but ties, for any group that fits a disk */
    LIMBS_SECOND = 16, /* before the full width */
    DOUBLE_BITS = 53,
    SMALLEST_EXPONENT = -1074, /* the smallest double is 2^-1074 */
};

/* 0.limb[0]limb[1]… * 2^exponent; the top bit of limb[0] is set. One spare limb at the end. */
struct fraction {
    uint64_t *limb;
    size_t limbs;
    int64_t exponent;
};

/* f *= p / q, p <= q, truncated. */
static void multiply(struct fraction *f, uint64_t p, uint64_t q)
{
    uint64_t carry = 0;
    for (size_t i = f->limbs; i-- > 0;) {
        uint128 product = (uint128)f->limb[i] * p + carry;
        f->limb[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    f->limb[f->limbs] = 0;
    uint64_t rest = carry; /* carry < p <= q: each digit of the quotient fits a limb */
    for (size_t i = 0; i <= f->limbs; i++) {
        uint128 part = (uint128)rest << 64 | f->limb[i];
        f->limb[i] = (uint64_t)(part / q);
        rest = (uint64_t)(part % q);
    }
    while (f->limb[0] == 0) { /* only when p/q < 2^-64 */
        for (size_t i = 0; i < f->limbs; i++)
            f->limb[i] = f->limb[i + 1];
        f->limb[f->limbs] = 0;
        f->exponent -= 64;
    }
    int shift = __builtin_clzll(f->limb[0]);
    if (shift) {
        for (size_t i = 0; i < f->limbs; i++)
            f->limb[i] = f->limb[i] << shift | f->limb[i + 1] >> (64 - shift);
        f->exponent -= shift;
    }
}

/* The leading `bits` of the fraction as an integer, and the rest against one half: -1, 0, 1. */
static uint64_t leading(const struct fraction *f, int bits, int *rest)
{
    uint64_t top = bits ? f->limb[0] >> (64 - bits) : 0;
    uint64_t tail = f->limb[0] << bits; /* bits <= 53 */
    uint64_t half = UINT64_C(1) << 63;
    *rest = tail > half ? 1 : tail < half ? -1 : 0;
    for (size_t i = 1; *rest == 0 && i < f->limbs; i++)
        if (f->limb[i])
            *rest = 1;
    return top;
}

/* f += slack units of its last limb; false when it overflows into the next power of two. */
static bool widen(struct fraction *f, uint64_t slack)
{
    uint64_t carry = slack;
    for (size_t i = f->limbs; carry && i-- > 0;) {
        f->limb[i] += carry;
        carry = f->limb[i] < carry;
    }
    return carry == 0;
}

/* Rounds the interval [f, f + slack]. True when both ends agree or `settled` says that what is left
 * is a tie. f is changed. */
static bool round_interval(struct fraction *f, uint64_t slack, bool settled, double *out)
{
    int64_t room = f->exponent - SMALLEST_EXPONENT;
    int bits = room >= DOUBLE_BITS ? DOUBLE_BITS : (int)room;
    int64_t scale = f->exponent - bits;
    int rest;
    uint64_t low = leading(f, bits, &rest);
    uint64_t low_rounded = low + (rest > 0), high_rounded;
    if (widen(f, slack)) {
        high_rounded = leading(f, bits, &rest);
        high_rounded += rest >= 0;
    } else {
        high_rounded = UINT64_C(1) << bits;
    }
    if (low_rounded != high_rounded) {
        if (!settled)
            return false;
        low_rounded = low + (low & 1);
    }
    *out = ldexp((double)low_rounded, (int)scale);
    return true;
}

/* One try at a given width. */
static bool product(uint64_t n, uint64_t larger, uint64_t factors, size_t limbs, bool settled,
                    double *out)
{
    struct fraction f = {mem_zero(limbs + 1, sizeof *f.limb), limbs, 1};
    f.limb[0] = UINT64_C(1) << 63;
    bool vanished = false;
    for (uint64_t i = 0; i < factors && !vanished; i++) {
        multiply(&f, n - larger - i, n - i);
        vanished =
            f.exponent < SMALLEST_EXPONENT; /* under half the smallest double: it only falls */
    }
    bool done = true;
    if (vanished)
        *out = 0.0;
    else
        done = round_interval(&f, 4 * factors + 4, settled, out);
    free(f.limb);
    return done;
}

/* C(n - missing, k) / C(n, k), k <= n, missing <= n. */
static double binomial_ratio(uint64_t n, uint64_t missing, uint64_t k)
{
    if (missing > n - k)
        return 0.0;
    if (missing == 0 || k == 0)
        return 1.0;
    uint64_t factors = missing < k ? missing : k;
    uint64_t larger = missing < k ? k : missing;
    double ratio = 0.0;
    if (product(n, larger, factors, LIMBS_FIRST, false, &ratio) ||
        product(n, larger, factors, LIMBS_SECOND, false, &ratio))
        return ratio;
    /* The denominator has at most factors * bits(n) bits; 128 more cover the rounding and the
     * slack. */
    uint64_t width = factors * (uint64_t)(64 - __builtin_clzll(n)) + 128;
    product(n, larger, factors, width / 64 + 1, true, &ratio);
    return ratio;
}

double stat_pass_at_k(uint64_t n, uint64_t c, uint64_t k)
{
    return n < k || c > n ? NAN : 1.0 - binomial_ratio(n, c, k);
}

double stat_pass_pow_k(uint64_t n, uint64_t c, uint64_t k)
{
    return n < k || c > n ? NAN : binomial_ratio(n, n - c, k);
}
