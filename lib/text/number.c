/* number.c: see number.h. Shortest digits by Schubfach (Giulietti 2021, "The Schubfach way to render
 * doubles"): the shortest decimals inside the interval of texts that read back as x are found with three
 * multiplications by one 128-bit power of ten; among those the one nearest to x is taken. */
#include "text/number.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "text/fold.h"
#include "text/number_tables.h"
#include "text/unicode.h"
#include "text/utf8.h"

/* IEEE 754 binary64. */
enum { FRACTION_BITS = 52, EXPONENT_BIAS = 1075, EXPONENT_MASK = 0x7ff };

/* ---- shortest digits ---------------------------------------------------------------------------- */

struct decimal {
    uint64_t digits; /* no zeros at its end, unless it is 0 */
    int exponent;    /* value = digits * 10^exponent */
};

static int floor_log2_power10(int k)
{
    return k * 1741647 >> 19;
}

static int floor_log10_power2(int e, bool three_quarters)
{
    return (e * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

/* floor(g * c / 2^128) with its last bit set when anything was cut off. */
static uint64_t multiply_to_odd(const uint64_t g[2], uint64_t c)
{
    unsigned __int128 low = (unsigned __int128)g[1] * c;
    unsigned __int128 high = (unsigned __int128)g[0] * c + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

static struct decimal nearest_in_interval(uint64_t c, int q, bool lower_closer)
{
    int k = floor_log10_power2(q, lower_closer);
    int shift = q + floor_log2_power10(-k) + 1;
    const uint64_t *power = NUMBER_POWERS[-k - NUMBER_POWER_MIN];
    uint64_t low = multiply_to_odd(power, (4 * c - 2 + lower_closer) << shift);
    uint64_t value = multiply_to_odd(power, 4 * c << shift);
    uint64_t high = multiply_to_odd(power, (4 * c + 2) << shift);
    if (c & 1) { /* the interval's ends round to the even neighbours: they are outside */
        low++;
        high--;
    }
    uint64_t s = value / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        bool below = low <= 40 * tens, above = 40 * tens + 40 <= high;
        if (below != above)
            return (struct decimal){tens + above, k + 1};
    }
    bool below = low <= 4 * s, above = 4 * s + 4 <= high;
    if (below != above)
        return (struct decimal){s + above, k};
    uint64_t middle = 4 * s + 2;
    bool up = value > middle || (value == middle && (s & 1));
    return (struct decimal){s + up, k};
}

/* x > 0 and finite. */
static struct decimal shortest(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t fraction = bits & (((uint64_t)1 << FRACTION_BITS) - 1);
    int exponent = (int)(bits >> FRACTION_BITS);
    struct decimal d;
    if (x < 9007199254740992.0 && x == (double)(uint64_t)x)
        d = (struct decimal){(uint64_t)x, 0}; /* below 2^53 an integer is its own shortest text */
    else if (exponent)
        d = nearest_in_interval(fraction | (uint64_t)1 << FRACTION_BITS, exponent - EXPONENT_BIAS,
                                fraction == 0 && exponent > 1);
    else
        d = nearest_in_interval(fraction, 1 - EXPONENT_BIAS, false);
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

/* Writes the digits of v, returns how many. */
static int put_digits(uint64_t v, char *out)
{
    char back[20];
    int n = 0;
    do {
        back[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    for (int i = 0; i < n; i++)
        out[i] = back[n - 1 - i];
    return n;
}

static char *put_zeros(char *at, int n)
{
    if (n > 0)
        memset(at, '0', (size_t)n);
    return at + (n > 0 ? n : 0);
}

/* Positional: the decimal point stands behind the first `point` digits (may be <= 0 or > n). */
static char *put_positional(char *at, const char *digits, int n, int point)
{
    if (point <= 0) {
        *at++ = '0';
        *at++ = '.';
        at = put_zeros(at, -point);
        memcpy(at, digits, (size_t)n);
        return at + n;
    }
    int whole = n < point ? n : point;
    memcpy(at, digits, (size_t)whole);
    at = put_zeros(at + whole, point - whole);
    *at++ = '.';
    if (n == whole) {
        *at++ = '0';
        return at;
    }
    memcpy(at, digits + whole, (size_t)(n - whole));
    return at + (n - whole);
}

static char *put_scientific(char *at, const char *digits, int n, int exponent)
{
    *at++ = digits[0];
    if (n > 1) {
        *at++ = '.';
        memcpy(at, digits + 1, (size_t)n - 1);
        at += n - 1;
    }
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    if (size < 10)
        *at++ = '0';
    return at + put_digits(size, at);
}

size_t number_text(double x, char out[NUMBER_TEXT_MAX])
{
    char *at = out;
    if (isnan(x)) {
        memcpy(out, "nan", 4);
        return 3;
    }
    if (signbit(x))
        *at++ = '-';
    x = fabs(x);
    if (isinf(x)) {
        memcpy(at, "inf", 4);
        return (size_t)(at + 3 - out);
    }
    if (x == 0) {
        memcpy(at, "0.0", 4);
        return (size_t)(at + 3 - out);
    }
    struct decimal d = shortest(x);
    char digits[20];
    int n = put_digits(d.digits, digits);
    int exponent = d.exponent + n - 1; /* of d.ddd */
    at = exponent >= -4 && exponent < 16 ? put_positional(at, digits, n, exponent + 1)
                                         : put_scientific(at, digits, n, exponent);
    *at = '\0';
    return (size_t)(at - out);
}

void number_add(struct buf *out, double x)
{
    out->len += number_text(x, buf_reserve(out, NUMBER_TEXT_MAX));
}

/* ---- the C locale -------------------------------------------------------------------------------- */

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale)
        mem_out_of_memory(sizeof c_locale);
}

/* strtod of a NUL-terminated text, whatever the program's locale. */
static double read_decimal(const char *text)
{
    pthread_once(&c_locale_once, make_c_locale);
    return strtod_l(text, NULL, c_locale);
}

static double read_span(struct span token)
{
    char small[64];
    if (token.len < sizeof small) {
        memcpy(small, token.ptr, token.len);
        small[token.len] = '\0';
        return read_decimal(small);
    }
    char *text = mem_alloc(token.len + 1);
    memcpy(text, token.ptr, token.len);
    text[token.len] = '\0';
    double value = read_decimal(text);
    free(text);
    return value;
}

/* ---- rounding ------------------------------------------------------------------------------------ */

/* Beyond these many digits CPython returns x itself, or zero. */
enum { ROUND_DIGITS_MAX = 323, ROUND_DIGITS_MIN = -308 };

/* Rounds half to even at 10^places, places > 0, on the exact digits of |x|. */
static double round_whole(double x, int places)
{
    double whole;
    bool rest = modf(fabs(x), &whole) != 0;
    char digits[1 + 309 + 310];
    digits[0] = '0';
    int n = 1 + snprintf(digits + 1, sizeof digits - 1, "%.0f", whole);
    int kept = n - places;
    if (kept < 1)
        return copysign(0.0, x);
    for (int i = kept + 1; i < n; i++)
        rest = rest || digits[i] != '0';
    char next = digits[kept];
    bool odd = (digits[kept - 1] - '0') & 1;
    if (next > '5' || (next == '5' && (rest || odd))) {
        int i = kept - 1;
        while (digits[i] == '9')
            digits[i--] = '0';
        digits[i]++;
    }
    memset(digits + kept, '0', (size_t)(n - kept));
    digits[n] = '\0';
    return copysign(read_decimal(digits), x);
}

/* |x| * 10^digits below this is exact enough for the quick way: its product's error is under 2^-12. */
#define ROUND_QUICK_LIMIT 1099511627776.0 /* 2^40 */

static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { POWER_EXACT_MAX = 22 }; /* 10^22 is the largest power of ten that a double holds exactly */

/* The nearest double to an integer below 2^53 divided by an exact power of ten is one correctly rounded
 * division. The integer is certain when the product is not near a half. */
static bool round_quick(double x, int digits, double *out)
{
    if (digits < 0 || digits > POWER_EXACT_MAX)
        return false;
    double scaled = fabs(x) * POWERS[digits];
    if (!(scaled < ROUND_QUICK_LIMIT))
        return false;
    double whole = floor(scaled);
    double part = scaled - whole;
    if (part > 0.499 && part < 0.501)
        return false;
    *out = copysign((whole + (part > 0.5)) / POWERS[digits], x);
    return true;
}

double number_round(double x, int digits)
{
    double quick;
    if (!isfinite(x) || digits > ROUND_DIGITS_MAX)
        return x;
    if (digits < ROUND_DIGITS_MIN)
        return copysign(0.0, x);
    if (round_quick(x, digits, &quick))
        return quick;
    pthread_once(&c_locale_once, make_c_locale);
    if (digits < 0)
        return round_whole(x, -digits);
    char text[1 + 309 + 1 + ROUND_DIGITS_MAX + 1];
    locale_t before = uselocale(c_locale);
    snprintf(text, sizeof text, "%.*f", digits, x);
    uselocale(before);
    return read_decimal(text);
}

double number_round_even(double x)
{
    return nearbyint(x) + 0.0; /* Python's integer has no negative zero */
}

/* ---- reading ------------------------------------------------------------------------------------- */

/* [+-]?(D+(.D*)?|.D+)([eE][+-]?D+)? where D may have one '_' between two digits. */
static bool skip_digits(struct span s, size_t *at)
{
    size_t start = *at;
    while (*at < s.len) {
        if (s.ptr[*at] == '_') {
            if (*at == start || *at + 1 >= s.len || s.ptr[*at + 1] < '0' || s.ptr[*at + 1] > '9')
                break;
        } else if (s.ptr[*at] < '0' || s.ptr[*at] > '9') {
            break;
        }
        ++*at;
    }
    return *at > start;
}

static bool is_decimal(struct span s)
{
    size_t at = s.len && (s.ptr[0] == '+' || s.ptr[0] == '-');
    bool whole = skip_digits(s, &at), fraction = false;
    if (at < s.len && s.ptr[at] == '.') {
        at++;
        fraction = skip_digits(s, &at);
    }
    if (!whole && !fraction)
        return false;
    if (at < s.len && (s.ptr[at] | 0x20) == 'e') {
        at++;
        at += at < s.len && (s.ptr[at] == '+' || s.ptr[at] == '-');
        if (!skip_digits(s, &at))
            return false;
    }
    return at == s.len;
}

static bool same_word(struct span s, const char *lower)
{
    size_t n = strlen(lower);
    if (s.len != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((s.ptr[i] | 0x20) != lower[i])
            return false;
    return true;
}

static bool read_special(struct span s, double *out)
{
    bool minus = s.len && s.ptr[0] == '-';
    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'))
        s = span_slice(s, 1, s.len);
    if (same_word(s, "inf") || same_word(s, "infinity")) {
        *out = minus ? -HUGE_VAL : HUGE_VAL;
        return true;
    }
    if (same_word(s, "nan")) {
        *out = (double)NAN;
        return true;
    }
    return false;
}

/* ASCII digits for the decimal digits of any script; false at a character that no number has. */
static bool plain_digits(struct span s, struct buf *out)
{
    for (size_t at = 0; at < s.len;) {
        uint32_t c = utf8_next(s, &at);
        if (c >= 0x80) {
            int value = unicode_digit_value(c);
            if (value < 0)
                return false;
            c = (uint32_t)('0' + value);
        }
        buf_byte(out, (char)c);
    }
    return true;
}

static bool parse_ascii(struct span s, double *out)
{
    if (read_special(s, out))
        return true;
    if (!is_decimal(s))
        return false;
    if (memchr(s.ptr, '_', s.len)) {
        struct buf plain = {0};
        for (size_t i = 0; i < s.len; i++)
            if (s.ptr[i] != '_')
                buf_byte(&plain, s.ptr[i]);
        *out = read_span(buf_span(&plain));
        buf_free(&plain);
    } else {
        *out = read_span(s);
    }
    return true;
}

bool number_parse(struct span text, double *out)
{
    bool ascii = true;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c - 0x1cu < 4) /* white space to str.strip, not to float() */
            return false;
        ascii = ascii && c < 0x80;
    }
    text = text_strip(text);
    if (ascii)
        return parse_ascii(text, out);
    struct buf plain = {0};
    bool good = plain_digits(text, &plain) && parse_ascii(buf_span(&plain), out);
    buf_free(&plain);
    return good;
}

/* At most 19 digits whose integer is exact as a double (below 2^53) and an exponent that an exact power
 * of ten covers: one operation, correctly rounded (Clinger 1990). */
static bool read_quick(struct span s, double *out)
{
    size_t at = 0;
    bool minus = s.len && s.ptr[0] == '-';
    at += minus;
    uint64_t digits = 0;
    int count = 0, exponent = 0;
    for (; count < 20 && at < s.len && s.ptr[at] >= '0' && s.ptr[at] <= '9'; at++, count++)
        digits = digits * 10 + (uint64_t)(s.ptr[at] - '0');
    if (at < s.len && s.ptr[at] == '.') {
        size_t point = ++at;
        for (; count < 20 && at < s.len && s.ptr[at] >= '0' && s.ptr[at] <= '9'; at++, count++)
            digits = digits * 10 + (uint64_t)(s.ptr[at] - '0');
        exponent = -(int)(at - point);
    }
    if (count == 0 || count == 20 || digits > (uint64_t)1 << 53)
        return false;
    if (at < s.len && (s.ptr[at] | 0x20) == 'e') {
        at++;
        bool down = at < s.len && s.ptr[at] == '-';
        at += at < s.len && (s.ptr[at] == '-' || s.ptr[at] == '+');
        int size = 0;
        for (; at < s.len && s.ptr[at] >= '0' && s.ptr[at] <= '9' && size < 1000; at++)
            size = size * 10 + (s.ptr[at] - '0');
        exponent += down ? -size : size;
    }
    if (at != s.len || exponent < -POWER_EXACT_MAX || exponent > POWER_EXACT_MAX)
        return false;
    double value =
        exponent < 0 ? (double)digits / POWERS[-exponent] : (double)digits * POWERS[exponent];
    *out = minus ? -value : value;
    return true;
}

double number_of_json(struct span token)
{
    double value;
    if (read_quick(token, &value))
        return value;
    if (read_special(token, &value))
        return value;
    return read_span(token);
}
