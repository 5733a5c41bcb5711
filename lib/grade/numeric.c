/* numeric.c: finds the number a text answers with and compares two of them exactly (grade 5.6). */
#include "grade/numeric.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <strings.h>

#include "grade/defaults.h"
#include "text/fold.h"
#include "text/unicode.h"
#include "text/utf8.h"

void numeric_open(struct numeric *n)
{
    *n = (struct numeric){0};
    mpq_init(n->q);
}

void numeric_close(struct numeric *n)
{
    mpq_clear(n->q);
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The text with every script's decimal digits as 0-9 and U+2212 as '-'. */
static void plain_digits(struct span text, struct buf *out)
{
    for (size_t at = 0; at < text.len;) {
        size_t from = at;
        while (at < text.len && (unsigned char)text.ptr[at] < 0x80)
            at++;
        buf_span_add(out, span_slice(text, from, at));
        if (at == text.len)
            break;
        from = at;
        uint32_t c = utf8_next(text, &at);
        int value = unicode_digit_value(c);
        if (value >= 0)
            buf_byte(out, (char)('0' + value));
        else if (c == 0x2212)
            buf_byte(out, '-');
        else
            buf_span_add(out, span_slice(text, from, at));
    }
}

/* ---- answer span
 * -------------------------------------------------------------------------------------- */

/* Body of the last \boxed{…} whose braces balance. */
static bool boxed_body(struct span text, struct span *body)
{
    static const struct span mark = {"\\boxed{", 7};
    bool found = false;
    size_t at = 0;
    while ((at = span_find(text, mark, at)) != SIZE_MAX) {
        size_t i = at += mark.len;
        for (size_t depth = 1; i < text.len; i++) {
            depth += text.ptr[i] == '{';
            depth -= text.ptr[i] == '}';
            if (depth == 0)
                break;
        }
        if (i < text.len) {
            *body = span_slice(text, at, i);
            found = true;
        }
    }
    return found;
}

static size_t skip_space(struct span s, size_t at)
{
    while (at < s.len) {
        size_t next = at;
        if (!unicode_space(utf8_next(s, &next)))
            break;
        at = next;
    }
    return at;
}

static bool word_at(struct span s, size_t at, const char *word)
{
    size_t n = strlen(word);
    return s.len - at >= n && strncasecmp(s.ptr + at, word, n) == 0;
}

/* Behind "answer is", "result =", "solution:" at `at`, or 0. */
static size_t phrase_end(struct span s, size_t at)
{
    static const char *const words[] = {"answer", "result", "solution"};
    char first = (char)(s.ptr[at] | 0x20);
    if (first != 'a' && first != 'r' && first != 's')
        return 0;
    for (size_t w = 0; w < 3; w++) {
        if (!word_at(s, at, words[w]))
            continue;
        size_t i = skip_space(s, at + strlen(words[w]));
        if (i >= s.len)
            return 0;
        if (word_at(s, i, "is"))
            i += 2;
        else if (s.ptr[i] == '=' || s.ptr[i] == ':')
            i++;
        else
            return 0;
        size_t next = skip_space(s, i);
        if (next < s.len && (s.ptr[next] == ':' || s.ptr[next] == '='))
            i = next + 1;
        return i;
    }
    return 0;
}

/* Up to the end of the line or sentence; a dot before a digit ends nothing. */
static struct span sentence(struct span s, size_t from)
{
    size_t end = from;
    while (end < s.len && s.ptr[end] != '\n' && s.ptr[end] != '\r') {
        size_t next = end + 1;
        if (s.ptr[end] == '.') {
            size_t look = next;
            bool decimal = look < s.len && unicode_digit(utf8_next(s, &look));
            if (!decimal)
                break;
        }
        end = next;
    }
    struct span found = text_strip(span_slice(s, from, end));
    if (found.len && found.ptr[0] == '$')
        found = span_slice(found, 1, found.len);
    if (found.len && found.ptr[found.len - 1] == '$')
        found.len--;
    return text_strip(found);
}

struct span numeric_span(struct span text)
{
    struct span found = {0}, line;
    if (boxed_body(text, &found)) {
        found = text_strip(found);
        return found.len ? found : text;
    }
    size_t last = 0;
    for (size_t i = 0; i < text.len; i++) {
        size_t end = phrase_end(text, i);
        if (end)
            last = end;
    }
    if (last) {
        found = sentence(text, skip_space(text, last));
        return found.len ? found : text;
    }
    for (size_t at = 0; text_next_line(text, &at, &line);)
        if (!text_blank(line))
            found = line;
    return found.len ? found : text;
}

/* ---- numbers
 * ------------------------------------------------------------------------------------------ */

/* A token of digits with `,` and `_` between them, one dot, an exponent. Ends at token's end. */
static size_t unsigned_end(struct span s, size_t at)
{
    size_t i = at;
    bool any = false;
    while (i < s.len && (digit(s.ptr[i]) || (any && s.ptr[i] == ',') ||
                         (any && s.ptr[i] == '_' && i + 1 < s.len && digit(s.ptr[i + 1])))) {
        any = any || digit(s.ptr[i]);
        i++;
    }
    if (any && i < s.len && s.ptr[i] == '.') {
        i++;
        while (i < s.len && digit(s.ptr[i]))
            i++;
    } else if (!any) {
        if (i + 1 >= s.len || s.ptr[i] != '.' || !digit(s.ptr[i + 1]))
            return at;
        for (i++; i < s.len && digit(s.ptr[i]); i++)
            ;
    }
    size_t e = i;
    if (e < s.len && (s.ptr[e] == 'e' || s.ptr[e] == 'E')) {
        e++;
        if (e < s.len && (s.ptr[e] == '+' || s.ptr[e] == '-'))
            e++;
        if (e < s.len && digit(s.ptr[e])) {
            while (e < s.len && digit(s.ptr[e]))
                e++;
            i = e;
        }
    }
    return i;
}

/* mantissa * 10^exponent into n; sizes are sane. */
static void set_exact(struct numeric *n, const char *mantissa, long exponent, bool negative)
{
    mpz_t power;
    mpz_init(power);
    mpz_set_str(mpq_numref(n->q), mantissa, 10);
    mpz_set_ui(mpq_denref(n->q), 1);
    mpz_ui_pow_ui(power, 10, (unsigned long)labs(exponent));
    if (exponent >= 0)
        mpz_mul(mpq_numref(n->q), mpq_numref(n->q), power);
    else
        mpz_set(mpq_denref(n->q), power);
    mpq_canonicalize(n->q);
    if (negative)
        mpq_neg(n->q, n->q);
    mpz_clear(power);
    n->exact = true;
}

/* Reads a token that unsigned_end has bounded. */
static void read_token(struct numeric *n, struct span token, bool negative)
{
    struct buf mantissa = {0}, text = {0};
    long exponent = 0, decimals = 0;
    bool fraction = false, sane = true;
    n->exact = false;
    if (negative)
        buf_byte(&text, '-');
    for (size_t i = 0; i < token.len; i++) {
        char c = token.ptr[i];
        if (c == ',' || c == '_')
            continue;
        buf_byte(&text, c);
        if (c == 'e' || c == 'E') {
            buf_span_add(&text, span_slice(token, i + 1, token.len));
            exponent = strtol(buf_cstr(&text) + text.len - (token.len - i - 1), NULL, 10);
            break;
        }
        if (c == '.')
            fraction = true;
        else {
            buf_byte(&mantissa, c);
            decimals += fraction;
        }
    }
    sane = labs(exponent) <= NUMERIC_EXACT_MAX && mantissa.len <= NUMERIC_EXACT_MAX;
    n->approximate = strtold(buf_cstr(&text), NULL);
    if (sane)
        set_exact(n, buf_cstr(&mantissa), exponent - decimals, negative);
    buf_free(&mantissa);
    buf_free(&text);
}

/* A number at `at`, sign included; its end, or at when there is none. */
static size_t number_at(struct numeric *n, struct span s, size_t at)
{
    size_t from = at;
    bool negative = false;
    if (from < s.len && (s.ptr[from] == '-' || s.ptr[from] == '+')) {
        bool operator_sign = from > 0 && digit(s.ptr[from - 1]);
        if (operator_sign)
            return at;
        negative = s.ptr[from] == '-';
        from++;
    }
    size_t end = unsigned_end(s, from);
    if (end == from)
        return at;
    if (n)
        read_token(n, span_slice(s, from, end), negative);
    return end;
}

static bool percent_behind(struct span s, size_t at)
{
    at = skip_space(s, at);
    if (at < s.len && s.ptr[at] == '\\')
        at++;
    return at < s.len && s.ptr[at] == '%';
}

/* top / bottom into n; false when bottom is 0. */
static bool divide(struct numeric *n, const struct numeric *top, const struct numeric *bottom)
{
    if (top->exact && bottom->exact) {
        if (mpq_sgn(bottom->q) == 0)
            return false;
        mpq_div(n->q, top->q, bottom->q);
        n->exact = true;
    } else {
        if (bottom->approximate == 0)
            return false;
        n->exact = false;
    }
    n->approximate = top->approximate / bottom->approximate;
    return true;
}

/* A whole span that is one number with blanks around it. */
static bool only_number(struct numeric *n, struct span s)
{
    s = text_strip(s);
    return s.len > 0 && number_at(n, s, 0) == s.len;
}

/* \frac{a}{b}, \dfrac, \tfrac at `at` (the backslash). */
static bool latex_fraction(struct numeric *n, struct span s, size_t at, size_t *end)
{
    size_t i = at + 1;
    if (i < s.len && (s.ptr[i] == 'd' || s.ptr[i] == 't'))
        i++;
    if (!word_at(s, i, "frac"))
        return false;
    i += 4;
    struct span part[2];
    for (int p = 0; p < 2; p++) {
        i = skip_space(s, i);
        const char *close = i < s.len && s.ptr[i] == '{' ? memchr(s.ptr + i, '}', s.len - i) : NULL;
        if (!close)
            return false;
        part[p] = span_slice(s, i + 1, (size_t)(close - s.ptr));
        i = (size_t)(close - s.ptr) + 1;
    }
    struct numeric top, bottom;
    numeric_open(&top);
    numeric_open(&bottom);
    bool ok =
        only_number(&top, part[0]) && only_number(&bottom, part[1]) && divide(n, &top, &bottom);
    if (ok && at > 0 && s.ptr[at - 1] == '-' && !(at > 1 && digit(s.ptr[at - 2]))) {
        mpq_neg(n->q, n->q);
        n->approximate = -n->approximate;
    }
    numeric_close(&top);
    numeric_close(&bottom);
    if (ok) {
        n->percent = percent_behind(s, i);
        *end = i;
    }
    return ok;
}

/* a/b where neither side touches another slash. *end is set whenever the shape fits; the value only
 * when b is not 0. Returns 1: a value; 0: no such shape; -1: a division by 0. */
static int plain_fraction(struct numeric *n, struct span s, size_t at, size_t *end)
{
    struct numeric top, bottom;
    size_t first = number_at(NULL, s, at);
    if (first == at)
        return 0;
    size_t i = skip_space(s, first);
    if (i >= s.len || s.ptr[i] != '/')
        return 0;
    size_t from = skip_space(s, i + 1);
    size_t last = from < s.len ? number_at(NULL, s, from) : from;
    if (last == from)
        return 0;
    size_t before = at, behind = skip_space(s, last);
    while (before > 0 && s.ptr[before - 1] == ' ')
        before--;
    if ((before > 0 && s.ptr[before - 1] == '/') || (behind < s.len && s.ptr[behind] == '/')) {
        while (behind < s.len && s.ptr[behind] == '/') { /* a date or the like: not a fraction */
            size_t next = skip_space(s, behind + 1);
            size_t stop = next < s.len ? number_at(NULL, s, next) : next;
            if (stop == next)
                break;
            behind = skip_space(s, stop);
        }
        return 0;
    }
    numeric_open(&top);
    numeric_open(&bottom);
    number_at(&top, s, at);
    number_at(&bottom, s, from);
    int result = divide(n, &top, &bottom) ? 1 : -1;
    numeric_close(&top);
    numeric_close(&bottom);
    if (result == 1)
        n->percent = percent_behind(s, last);
    *end = last;
    return result;
}

static void keep(struct numeric *to, const struct numeric *from)
{
    mpq_set(to->q, from->q);
    to->exact = from->exact;
    to->percent = from->percent;
    to->approximate = from->approximate;
}

enum { SHAPE_NUMBER, SHAPE_FRACTION, SHAPE_LATEX, SHAPES };

/* What stands at `at`: *end behind it; -1: nothing, or a division by zero, which is no number and
 * whose parts are none either. */
static int shape_at(struct numeric *n, struct span s, size_t at, size_t *end)
{
    *end = at + 1;
    if (s.ptr[at] == '\\')
        return latex_fraction(n, s, at, end) ? SHAPE_LATEX : -1;
    int fraction = plain_fraction(n, s, at, end);
    if (fraction)
        return fraction == 1 ? SHAPE_FRACTION : -1;
    size_t stop = number_at(n, s, at);
    if (stop == at)
        return -1;
    n->percent = percent_behind(s, stop);
    *end = stop;
    return SHAPE_NUMBER;
}

static bool starts_shape(char c)
{
    return digit(c) || c == '.' || c == '-' || c == '+' || c == '\\';
}

bool numeric_find(struct numeric *n, struct span span)
{
    struct buf plain = {0};
    struct numeric here, last[SHAPES];
    bool seen[SHAPES] = {false};
    plain_digits(span, &plain);
    struct span s = buf_span(&plain);
    numeric_open(&here);
    for (int k = 0; k < SHAPES; k++)
        numeric_open(&last[k]);
    for (size_t i = 0, end; i < s.len; i = end) {
        end = i + 1;
        if (!starts_shape(s.ptr[i]))
            continue;
        int shape = shape_at(&here, s, i, &end);
        if (shape >= 0) {
            keep(&last[shape], &here);
            seen[shape] = true;
        }
    }
    int best = SHAPES - 1;
    while (best >= 0 && !seen[best])
        best--;
    if (best >= 0)
        keep(n, &last[best]);
    for (int k = 0; k < SHAPES; k++)
        numeric_close(&last[k]);
    numeric_close(&here);
    buf_free(&plain);
    return best >= 0;
}

bool numeric_decimal(struct numeric *n, struct span text)
{
    n->percent = false;
    return only_number(n, text);
}

static bool money_edge(char c)
{
    return c == '$' || c == ',' || c == '%';
}

bool numeric_whole(struct numeric *n, struct span text)
{
    struct buf plain = {0};
    plain_digits(text, &plain);
    struct span s = text_strip(buf_span(&plain));
    while (s.len && money_edge(s.ptr[0]))
        s = text_strip(span_slice(s, 1, s.len));
    while (s.len && money_edge(s.ptr[s.len - 1]))
        s = text_strip(span_slice(s, 0, s.len - 1));
    bool found = only_number(n, s);
    buf_free(&plain);
    return found;
}

double numeric_double(const struct numeric *n)
{
    return n->exact && fabsl(n->approximate) < 1e15L ? (double)n->approximate
           : n->exact                                ? mpq_get_d(n->q)
                                                     : (double)n->approximate;
}

/* ---- comparison
 * --------------------------------------------------------------------------------------- */

static bool close_exact(const struct numeric *got, const struct numeric *want,
                        const struct numeric *tolerance, const struct numeric *relative,
                        bool percent_value)
{
    mpq_t g, w, bound, hundred;
    mpq_inits(g, w, bound, hundred, NULL);
    mpq_set_ui(hundred, 100, 1);
    mpq_set(g, got->q);
    mpq_set(w, want->q);
    if (percent_value && got->percent)
        mpq_div(g, g, hundred);
    if (percent_value && want->percent)
        mpq_div(w, w, hundred);
    mpq_sub(g, g, w);
    mpq_abs(g, g);
    mpq_set(bound, tolerance->q);
    if (relative) {
        mpq_abs(w, w);
        mpq_mul(w, w, relative->q);
        if (mpq_cmp(w, bound) > 0)
            mpq_set(bound, w);
    }
    bool close = mpq_cmp(g, bound) <= 0;
    mpq_clears(g, w, bound, hundred, NULL);
    return close;
}

bool numeric_close_to(const struct numeric *got, const struct numeric *want,
                      const struct numeric *tolerance, const struct numeric *relative,
                      bool percent_value)
{
    if (got->exact && want->exact && tolerance->exact && (!relative || relative->exact))
        return close_exact(got, want, tolerance, relative, percent_value);
    long double g = got->approximate, w = want->approximate, bound = tolerance->approximate;
    if (percent_value && got->percent)
        g /= 100;
    if (percent_value && want->percent)
        w /= 100;
    if (relative && fabsl(w) * relative->approximate > bound)
        bound = fabsl(w) * relative->approximate;
    return fabsl(g - w) <= bound;
}

int numeric_compare(const struct numeric *a, const struct numeric *b)
{
    if (a->exact && b->exact)
        return mpq_cmp(a->q, b->q);
    return (a->approximate > b->approximate) - (a->approximate < b->approximate);
}

bool numeric_multiple(const struct numeric *a, const struct numeric *b)
{
    if (!a->exact || (b && !b->exact)) { /* beyond NUMERIC_EXACT_MAX: a huge one is whole */
        long double quotient = b ? a->approximate / b->approximate : a->approximate;
        return isfinite(quotient) ? quotient == floorl(quotient) : fabsl(a->approximate) > 1;
    }
    if (b && mpq_sgn(b->q) == 0)
        return mpq_sgn(a->q) == 0;
    mpq_t quotient;
    mpq_init(quotient);
    if (b)
        mpq_div(quotient, a->q, b->q);
    else
        mpq_set(quotient, a->q);
    bool whole = mpz_cmp_ui(mpq_denref(quotient), 1) == 0;
    mpq_clear(quotient);
    return whole;
}
