/* calc.c: the calculator of world 3.8: arithmetic in Python's number rules (exact integers, floor
 * division, true division correctly rounded), bounded so that no expression can hang a world. */
#include <gmp.h>
#include <math.h>
#include <stdlib.h>

#include "text/fold.h"
#include "text/number.h"
#include "text/utf8.h"
#include "world/inside.h"

/* An exact integer, or a real. z is always initialised. */
struct number {
    bool real;
    double d;
    mpz_t z;
};

struct parser {
    const char *at, *end;
    int depth; /* open parentheses */
};

/* n / d as the nearest double, ties to even; false on overflow. d is not 0. */
static bool nearest_quotient(const mpz_t n, const mpz_t d, double *out)
{
    if (mpz_sgn(n) == 0) {
        *out = 0;
        return true;
    }
    mpz_t q, r, top, bottom;
    mpz_inits(q, r, top, bottom, NULL);
    mpz_abs(top, n);
    mpz_abs(bottom, d);
    /* Scale so that the quotient has 66 or 67 bits: 53 of the result, the rest decides the
     * rounding. */
    long shift = 66 - ((long)mpz_sizeinbase(top, 2) - (long)mpz_sizeinbase(bottom, 2));
    if (shift > 0)
        mpz_mul_2exp(top, top, (mp_bitcnt_t)shift);
    else
        mpz_mul_2exp(bottom, bottom, (mp_bitcnt_t)-shift);
    mpz_tdiv_qr(q, r, top, bottom);
    long drop = (long)mpz_sizeinbase(q, 2) - 53;
    long low = -1074 + shift; /* below this bit a double has none */
    if (drop < low)
        drop = low;
    double x = 0;
    if (drop <= (long)mpz_sizeinbase(q, 2)) {
        bool half = mpz_tstbit(q, (mp_bitcnt_t)(drop - 1));
        bool rest = mpz_sgn(r) != 0 || mpz_scan1(q, 0) < (mp_bitcnt_t)(drop - 1);
        mpz_tdiv_q_2exp(q, q, (mp_bitcnt_t)drop);
        if (half && (rest || mpz_odd_p(q)))
            mpz_add_ui(q, q, 1);
        x = ldexp(mpz_get_d(q), (int)(drop - shift));
    }
    *out = mpz_sgn(n) * mpz_sgn(d) < 0 ? -x : x;
    mpz_clears(q, r, top, bottom, NULL);
    return isfinite(x);
}

static bool to_real(struct number *a)
{
    if (a->real)
        return true;
    mpz_t one;
    mpz_init_set_ui(one, 1);
    bool ok = nearest_quotient(a->z, one, &a->d);
    mpz_clear(one);
    a->real = true;
    return ok;
}

static bool small_enough(const struct number *a)
{
    return a->real || mpz_sizeinbase(a->z, 2) <= WORLD_INTEGER_BITS;
}

static double real_mod(double x, double y)
{
    double mod = fmod(x, y);
    if (mod == 0)
        return copysign(0, y);
    return (y < 0) != (mod < 0) ? mod + y : mod;
}

static double real_floor_div(double x, double y)
{
    double mod = fmod(x, y), div = (x - mod) / y;
    if (mod != 0 && (y < 0) != (mod < 0))
        div -= 1;
    if (div == 0)
        return copysign(0, x / y);
    double down = floor(div);
    return div - down > 0.5 ? down + 1 : down;
}

static bool real_power(double x, double y, double *out)
{
    if (x == 0 && y < 0)
        return false;
    if (x < 0 && isfinite(x) && isfinite(y) && y != floor(y))
        return false; /* Python gives a complex number */
    *out = pow(x, y);
    return isfinite(*out) || !isfinite(x) || !isfinite(y);
}

/* Both are integers, b >= 0. */
static bool integer_power(struct number *a, const struct number *b)
{
    size_t bits = mpz_sizeinbase(a->z, 2);
    if (mpz_cmpabs_ui(a->z, 1) <= 0) {
        if (mpz_sgn(b->z) == 0)
            mpz_set_ui(a->z, 1);
        else if (mpz_sgn(a->z) < 0 && mpz_even_p(b->z))
            mpz_set_ui(a->z, 1);
        return true;
    }
    if (!mpz_fits_ulong_p(b->z) || mpz_get_ui(b->z) > WORLD_INTEGER_BITS ||
        (bits - 1) * mpz_get_ui(b->z) > WORLD_INTEGER_BITS)
        return false;
    mpz_pow_ui(a->z, a->z, mpz_get_ui(b->z));
    return true;
}

static bool integer_op(struct number *a, struct number *b, char op)
{
    switch (op) {
    case '+': mpz_add(a->z, a->z, b->z); return true;
    case '-': mpz_sub(a->z, a->z, b->z); return true;
    case '*': mpz_mul(a->z, a->z, b->z); return true;
    case '/': a->real = true; return mpz_sgn(b->z) != 0 && nearest_quotient(a->z, b->z, &a->d);
    case 'f': /* floor division */
        if (mpz_sgn(b->z) == 0)
            return false;
        mpz_fdiv_q(a->z, a->z, b->z);
        return true;
    case '%':
        if (mpz_sgn(b->z) == 0)
            return false;
        mpz_fdiv_r(a->z, a->z, b->z);
        return true;
    default: /* power */
        if (mpz_sgn(b->z) >= 0)
            return integer_power(a, b);
        return to_real(a) && to_real(b) && real_power(a->d, b->d, &a->d);
    }
}

static bool apply(struct number *a, struct number *b, char op)
{
    if (!a->real && !b->real)
        return integer_op(a, b, op) && small_enough(a);
    if (!to_real(a) || !to_real(b))
        return false;
    switch (op) {
    case '+': a->d += b->d; return true;
    case '-': a->d -= b->d; return true;
    case '*': a->d *= b->d; return true;
    case 'p': return real_power(a->d, b->d, &a->d);
    }
    if (b->d == 0)
        return false;
    if (op == '/')
        a->d /= b->d;
    else
        a->d = op == '%' ? real_mod(a->d, b->d) : real_floor_div(a->d, b->d);
    return true;
}

/* ---- grammar: sum, product, signed, power, atom ---------------------------------------------- */

static bool parse_sum(struct parser *p, struct number *out);
static bool parse_signed(struct parser *p, struct number *out);

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
        p->at++;
}

static bool digit_of(char c, int base, int *value)
{
    int d = c >= '0' && c <= '9'   ? c - '0'
            : c >= 'a' && c <= 'f' ? c - 'a' + 10
            : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                   : 99;
    *value = d;
    return d < base;
}

/* Digits with single underscores between them, into out without the underscores; false: none or
 * malformed. */
static bool take_digits(struct parser *p, int base, struct buf *out, bool underscore_first)
{
    int value;
    const char *from = p->at;
    if (underscore_first && p->at < p->end && *p->at == '_')
        p->at++;
    for (;;) {
        if (p->at == p->end || !digit_of(*p->at, base, &value))
            return false;
        while (p->at < p->end && digit_of(*p->at, base, &value))
            buf_byte(out, *p->at++);
        if (p->at == p->end || *p->at != '_')
            return p->at > from;
        p->at++;
    }
}

static bool take_integer(struct parser *p, int base, struct number *out)
{
    struct buf digits = {0};
    bool ok = take_digits(p, base, &digits, base != 10) &&
              mpz_set_str(out->z, buf_cstr(&digits), base) == 0 && small_enough(out);
    buf_free(&digits);
    return ok;
}

static bool take_decimal(struct parser *p, struct number *out)
{
    struct buf digits = {0};
    bool ok = true, real = false, whole = *p->at != '.';
    if (whole)
        ok = take_digits(p, 10, &digits, false);
    size_t n_whole = digits.len;
    if (ok && p->at < p->end && *p->at == '.') {
        real = true;
        buf_byte(&digits, *p->at++);
        int value;
        if (p->at < p->end && digit_of(*p->at, 10, &value))
            ok = take_digits(p, 10, &digits, false);
        else
            ok = whole;
    }
    if (ok && p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
        real = true;
        buf_byte(&digits, *p->at++);
        if (p->at < p->end && (*p->at == '+' || *p->at == '-'))
            buf_byte(&digits, *p->at++);
        ok = take_digits(p, 10, &digits, false);
    }
    if (ok && real) {
        out->real = true;
        ok = number_parse(buf_span(&digits), &out->d);
    } else if (ok) { /* 0 and 00 are integers, 012 is none */
        bool zeros = strspn(buf_cstr(&digits), "0") == digits.len;
        ok = (digits.data[0] != '0' || zeros) && n_whole &&
             mpz_set_str(out->z, buf_cstr(&digits), 10) == 0 && small_enough(out);
    }
    buf_free(&digits);
    return ok;
}

static bool parse_number(struct parser *p, struct number *out)
{
    bool ok;
    char second = p->end - p->at > 1 && *p->at == '0' ? (char)(p->at[1] | 0x20) : 0;
    int base = second == 'x' ? 16 : second == 'o' ? 8 : second == 'b' ? 2 : 10;
    if (base != 10) {
        p->at += 2;
        ok = take_integer(p, base, out);
    } else {
        ok = take_decimal(p, out);
    }
    /* a number may not run into a word */
    return ok && (p->at == p->end ||
                  !((*p->at >= 'a' && *p->at <= 'z') || (*p->at >= 'A' && *p->at <= 'Z') ||
                    (*p->at >= '0' && *p->at <= '9') || *p->at == '_' || (*p->at & 0x80)));
}

static bool parse_atom(struct parser *p, struct number *out)
{
    skip_blanks(p);
    if (p->at == p->end)
        return false;
    if (*p->at == '(') {
        if (++p->depth > WORLD_EXPRESSION_DEPTH)
            return false;
        p->at++;
        if (!parse_sum(p, out))
            return false;
        skip_blanks(p);
        p->depth--;
        return p->at < p->end && *p->at++ == ')';
    }
    if ((*p->at >= '0' && *p->at <= '9') || *p->at == '.')
        return parse_number(p, out);
    return false;
}

static bool binary(struct parser *p, struct number *a, char op,
                   bool (*right)(struct parser *, struct number *))
{
    struct number b = {.real = false};
    mpz_init(b.z);
    bool ok = right(p, &b) && apply(a, &b, op);
    mpz_clear(b.z);
    return ok;
}

static bool parse_power(struct parser *p, struct number *out)
{
    if (!parse_atom(p, out))
        return false;
    skip_blanks(p);
    if (p->end - p->at < 2 || p->at[0] != '*' || p->at[1] != '*')
        return true;
    p->at += 2;
    return binary(p, out, 'p', parse_signed);
}

static bool parse_signed(struct parser *p, struct number *out)
{
    skip_blanks(p);
    if (p->at == p->end || (*p->at != '-' && *p->at != '+'))
        return parse_power(p, out);
    bool minus = *p->at++ == '-';
    if (!parse_signed(p, out))
        return false;
    if (minus && out->real)
        out->d = -out->d;
    else if (minus)
        mpz_neg(out->z, out->z);
    return true;
}

static bool parse_product(struct parser *p, struct number *out)
{
    if (!parse_signed(p, out))
        return false;
    for (;;) {
        skip_blanks(p);
        if (p->at == p->end || (*p->at != '*' && *p->at != '/' && *p->at != '%'))
            return true;
        char op = *p->at++;
        if (op == '/' && p->at < p->end && *p->at == '/') {
            p->at++;
            op = 'f';
        }
        if (!binary(p, out, op, parse_signed))
            return false;
    }
}

static bool parse_sum(struct parser *p, struct number *out)
{
    if (!parse_product(p, out))
        return false;
    for (;;) {
        skip_blanks(p);
        if (p->at == p->end || (*p->at != '+' && *p->at != '-'))
            return true;
        char op = *p->at++;
        if (!binary(p, out, op, parse_product))
            return false;
    }
}

/* ---- the result ------------------------------------------------------------------------------ */

static struct node *result_value(struct world *w, struct number *r)
{
    if (r->real) {
        if (r->d != floor(r->d))
            return node_real(&w->arena, r->d);
        mpz_set_d(r->z, r->d);
    }
    char *digits = mpz_get_str(NULL, 10, r->z);
    struct node *v = node_integer_text(&w->arena, span_text(digits));
    void (*release)(void *, size_t);
    mp_get_memory_functions(NULL, NULL, &release);
    release(digits, strlen(digits) + 1);
    return v;
}

static struct node *evaluate(struct world *w, struct span expression)
{
    if (utf8_length(expression) > WORLD_EXPRESSION_MAX)
        return NULL;
    struct span s = text_strip(expression);
    struct parser p = {.at = s.ptr, .end = s.ptr + s.len};
    struct number r = {.real = false};
    struct node *v = NULL;
    mpz_init(r.z);
    if (parse_sum(&p, &r) && p.at == p.end && (!r.real || isfinite(r.d)))
        v = result_value(w, &r);
    mpz_clear(r.z);
    return v;
}

struct node *calculator(struct world *w, const struct call *c)
{
    static const char *const keys[] = {"expression", "expr", "formula"};
    const struct node *expression = NULL;
    if (!(c->tool->verbs & VERB_CALCULATE))
        return NULL;
    for (int i = 0; i < 3 && !node_is(expression, JSON_VALUE_STRING); i++)
        expression = node_find(c->arguments, keys[i]);
    if (!node_is(expression, JSON_VALUE_STRING))
        return NULL;
    struct arena *a = &w->arena;
    struct node *shown = node_borrow(a, utf8_head(expression->text, WORLD_EXPRESSION_SHOWN));
    struct node *v = evaluate(w, expression->text), *result = node_object(a);
    if (v) {
        struct node *data = node_object(a);
        node_add(data, "expression", shown);
        node_add(data, "result", v);
        node_add(result, "status", node_borrow(a, SPAN("ok")));
        node_add(result, "data", data);
    } else {
        node_add(result, "status", node_borrow(a, SPAN("rejected")));
        node_add(result, "reason", node_borrow(a, SPAN("invalid_expression")));
        node_add(result, "expression", shown);
    }
    return result;
}
