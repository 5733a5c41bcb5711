/* anytime.c: a confidence sequence for a mean of values in [0, 1]: intervals that hold at all looks at
 * once, so that a run may be looked at after every task and stopped when it has decided. The hedged
 * capital process of Waudby-Smith & Ramdas 2024, "Estimating means of bounded random variables by
 * betting", J. R. Stat. Soc. B 86, arXiv:2010.09686: theorem 3, with its predictable plug-in
 * bets. A gambler who bets on every next value being above m (another: below) multiplies a
 * capital of 1; were m the mean, the capital would reach 2 / alpha with a chance of at most alpha / 2
 * over the whole run (Ville 1939). The sequence is the set of all m that neither has ruined. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stat/stat.h"

enum { HALVINGS = 45 }; /* of the range of m: to 3e-14 */

#define STAKE 0.5 /* largest share of the capital that a bet may lose; the paper's choice */

/* What the next bet is, from the values before it; the same for every m. */
struct bets {
    double n, sum, squares, log_bar;
};

static double next_bet(const struct bets *b)
{
    double t = b->n + 1.0, variance = (0.25 + b->squares) / t;
    return sqrt(2.0 * b->log_bar / (variance * t * log1p(t)));
}

static void saw(struct bets *b, double x)
{
    b->n += 1.0;
    b->sum += x;
    double off = x - (0.5 + b->sum) / (b->n + 1.0);
    b->squares += off * off;
}

static double gain(double bet, double m, double x, bool above)
{
    double room = above ? m : 1.0 - m, most = room > 0.0 ? STAKE / room : INFINITY;
    return log1p((bet < most ? bet : most) * (above ? x - m : m - x));
}

static double log_bar(double level)
{
    return log(2.0 / (1.0 - level));
}

void anytime_test_start(struct anytime_test *test, double m, double level)
{
    *test = (struct anytime_test){.m = m, .log_bar = log_bar(level)};
}

void anytime_test_add(struct anytime_test *test, double x)
{
    struct bets b = {test->n, test->sum, test->squares, test->log_bar};
    double bet = next_bet(&b);
    test->log_above += gain(bet, test->m, x, true);
    test->log_below += gain(bet, test->m, x, false);
    saw(&b, x);
    test->n = b.n;
    test->sum = b.sum;
    test->squares = b.squares;
    test->above |= test->log_above >= test->log_bar;
    test->below |= test->log_below >= test->log_bar;
}

/* Whether the capital against m reached the bar at any look. */
static bool ruled_out(const double *values, const double *bets, size_t n, double m, double bar,
                      bool above)
{
    double capital = 0.0;
    for (size_t i = 0; i < n; i++) {
        capital += gain(bets[i], m, values[i], above);
        if (capital >= bar)
            return true;
    }
    return false;
}

/* The end of what is ruled out from 0 up (above), or from 1 down: both capitals are monotone in m. */
static double last_ruled_out(const double *values, const double *bets, size_t n, double bar,
                             bool above)
{
    double out = above ? 0.0 : 1.0, in = 1.0 - out;
    if (!ruled_out(values, bets, n, out, bar, above))
        return out;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (out + in) / 2.0;
        if (ruled_out(values, bets, n, middle, bar, above))
            out = middle;
        else
            in = middle;
    }
    return out;
}

struct interval anytime_interval(const double *values, size_t n, double level)
{
    if (n == 0)
        return INTERVAL_NONE;
    struct bets b = {.log_bar = log_bar(level)};
    double *bets = mem_zero(n, sizeof *bets);
    for (size_t i = 0; i < n; i++) {
        bets[i] = next_bet(&b);
        saw(&b, values[i]);
    }
    struct interval out = {last_ruled_out(values, bets, n, b.log_bar, true),
                           last_ruled_out(values, bets, n, b.log_bar, false)};
    free(bets);
    return out;
}
