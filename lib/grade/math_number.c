/* math_number.c: numbers in a formula: marks of thousands, decimals, recurring ones, powers of ten
 * (grade 6.3). */
#include <ctype.h>
#include <stdlib.h>

#include "grade/defaults.h"
#include "grade/math_parse.h"

size_t math_digits_at(struct math_parser *p, size_t at)
{
    size_t n = 0;
    while (at + n < p->s.len && isdigit((unsigned char)p->s.ptr[at + n]))
        n++;
    return n;
}

/* Groups of three digits behind the first one to three, `mark` in front of each: how many bytes. */
static size_t groups_at(struct math_parser *p, size_t at, size_t lead, char mark)
{
    size_t n = 0;
    if (lead == 0 || lead > 3 || p->s.ptr[at - lead] == '0')
        return 0;
    while (at + n < p->s.len && p->s.ptr[at + n] == mark && math_digits_at(p, at + n + 1) == 3)
        n += 4;
    return n;
}

static void set_decimal(mpq_t q, const struct buf *digits, long scale)
{
    mpz_set_str(mpq_numref(q), digits->data, 10);
    mpz_ui_pow_ui(mpq_denref(q), 10, (unsigned long)labs(scale));
    if (scale < 0) {
        mpz_mul(mpq_numref(q), mpq_numref(q), mpq_denref(q));
        mpz_set_ui(mpq_denref(q), 1);
    }
    mpq_canonicalize(q);
}

/* \overline{3}, \bar{3} behind a decimal: the digits that recur. */
static struct span recurring(struct math_parser *p)
{
    size_t back = p->at;
    if (math_take(p, "\\overline") || math_take(p, "\\bar") || math_take(p, "\\dot")) {
        struct span digits = math_braces(p);
        size_t n = 0;
        while (n < digits.len && isdigit((unsigned char)digits.ptr[n]))
            n++;
        if (n && n == digits.len && n < 1000)
            return digits;
    }
    p->at = back;
    return SPAN("");
}

/* q += the recurring digits behind `scale` decimals. */
static void add_recurring(mpq_t q, struct span digits, long scale)
{
    struct buf text = {0};
    mpq_t part;
    mpq_init(part);
    buf_span_add(&text, digits);
    mpz_set_str(mpq_numref(part), buf_cstr(&text), 10);
    mpz_ui_pow_ui(mpq_denref(part), 10, digits.len);
    mpz_sub_ui(mpq_denref(part), mpq_denref(part), 1);
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, 10, (unsigned long)scale);
    mpz_mul(mpq_denref(part), mpq_denref(part), power);
    mpq_canonicalize(part);
    mpq_add(q, q, part);
    mpz_clear(power);
    mpq_clear(part);
    buf_free(&text);
}

/* e3, E-5: the power of ten; 0 (and nothing moved) when none stands there. */
static long exponent_at(struct math_parser *p)
{
    size_t at = p->at;
    if (at == p->s.len || !strchr("eE", p->s.ptr[at]))
        return 0;
    bool negative = at + 1 < p->s.len && p->s.ptr[at + 1] == '-';
    at += 1 + (at + 1 < p->s.len && strchr("+-", p->s.ptr[at + 1]) ? 1 : 0);
    size_t n = math_digits_at(p, at);
    if (n == 0 || n > 4 || (at + n < p->s.len && isalnum((unsigned char)p->s.ptr[at + n])))
        return 0;
    long value = 0;
    for (size_t i = at; i < at + n; i++)
        value = value * 10 + (p->s.ptr[i] - '0');
    p->at = at + n;
    return negative ? -value : value;
}

/* Digits of the part in front of the point, marks of thousands left out; moves behind it. */
static void whole_part(struct math_parser *p, struct buf *digits, bool *marked)
{
    size_t lead = math_digits_at(p, p->at), more = 0;
    size_t end = p->at + lead;
    if (!p->in_list)
        more = groups_at(p, end, lead, ',');
    if (!more)
        more = groups_at(p, end, lead, ' ');
    if (more && math_digits_at(p, end + more)) /* a fourth digit: no thousands */
        more = 0;
    for (size_t i = p->at; i < end + more; i++)
        if (isdigit((unsigned char)p->s.ptr[i]))
            buf_byte(digits, p->s.ptr[i]);
    p->at = end + more;
    *marked = more > 0;
}

struct math_node *math_number_at(struct math_parser *p)
{
    struct buf digits = {0};
    bool marked, point = false;
    long scale = 0;
    math_skip_blank(p);
    size_t from = p->at;
    whole_part(p, &digits, &marked);
    size_t decimals = 0;
    bool nought = !p->in_list && digits.len == 1 && digits.data[0] == '0'; /* 0,125 */
    if (p->at < p->s.len && p->s.ptr[p->at] == '.') {
        decimals = math_digits_at(p, p->at + 1);
        point = decimals > 0 || digits.len > 0;
    } else if (nought && p->at < p->s.len && p->s.ptr[p->at] == ',' &&
               math_digits_at(p, p->at + 1) == 3) {
        decimals = 3;
        point = true;
    }
    if (point) {
        buf_add(&digits, p->s.ptr + p->at + 1, decimals);
        p->at += 1 + decimals;
        scale = (long)decimals;
    }
    if (digits.len == 0 || digits.len > MATH_BITS_MAX / 4 || !math_spend(p->m, (long)digits.len)) {
        p->at = from;
        buf_free(&digits);
        return NULL;
    }
    buf_cstr(&digits);
    struct span again = point ? recurring(p) : SPAN("");
    long power = again.len ? 0 : exponent_at(p);
    struct math_node *a = math_integer(p->m, 0);
    set_decimal(a->q, &digits, scale - power);
    if (again.len)
        add_recurring(a->q, again, scale);
    else if (point && decimals)
        a->flags |= MATH_FLOAT;
    else if (!power && !point)
        a->flags |= MATH_WRITTEN;
    buf_free(&digits);
    return a;
}
