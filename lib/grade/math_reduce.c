/* math_reduce.c: carries out what a formula says to do: sums with bounds, derivatives, integrals of
 * simple functions, arithmetic of matrices; plus-minus becomes both values (grade 6.3). */
#include <strings.h>

#include "grade/defaults.h"
#include "grade/math_tree.h"

static bool holds(const struct math_node *a, struct span name)
{
    if (a->kind == MATH_SYMBOL && a->name.len == name.len &&
        strncasecmp(a->name.ptr, name.ptr, name.len) == 0)
        return true;
    for (size_t i = 0; i < a->n; i++)
        if (holds(a->kids[i], name))
            return true;
    return false;
}

/* ---- derivatives ------------------------------------------------------------------------------- */

static struct math_node *times(struct math *m, struct math_node *a, struct math_node *b)
{
    return math_binary(m, MATH_MUL, a, b);
}

static struct math_node *derive(struct math *m, struct math_node *a, struct span x);

static struct math_node *derive_product(struct math *m, struct math_node *a, struct span x)
{
    struct math_node *sum = math_make(m, MATH_ADD, a->n);
    for (size_t i = 0; i < a->n; i++) {
        struct math_node *part = math_with_kids(m, a, a->kids, a->n);
        part->kids[i] = derive(m, a->kids[i], x);
        if (!part->kids[i])
            return NULL;
        sum->kids[i] = part;
    }
    return sum;
}

static struct math_node *derive_power(struct math *m, struct math_node *a, struct span x)
{
    struct math_node *base = a->kids[0], *e = a->kids[1], *one = math_integer(m, 1);
    if (!holds(e, x)) { /* e b^(e-1) b' */
        struct math_node *inner = derive(m, base, x);
        struct math_node *less = math_difference(m, e, one);
        return inner ? times(m, times(m, e, math_binary(m, MATH_POW, base, less)), inner) : NULL;
    }
    if (holds(base, x))
        return NULL;
    struct math_node *inner = derive(m, e, x); /* b^e ln b e' */
    return inner ? times(m, times(m, a, math_call(m, MATH_LN, base, NULL)), inner) : NULL;
}

static struct math_node *derive_function(struct math *m, struct math_node *a, struct span x)
{
    struct math_node *u = a->kids[0], *inner = derive(m, u, x), *outer = NULL;
    struct math_node *two = math_integer(m, 2), *one = math_integer(m, 1);
    switch (a->function) {
    case MATH_SIN: outer = math_call(m, MATH_COS, u, NULL); break;
    case MATH_COS: outer = math_negative(m, math_call(m, MATH_SIN, u, NULL)); break;
    case MATH_TAN: outer = math_binary(m, MATH_POW, math_call(m, MATH_SEC, u, NULL), two); break;
    case MATH_EXP: outer = a; break;
    case MATH_LN: outer = math_quotient(m, one, u); break;
    case MATH_ATAN:
        outer =
            math_quotient(m, one, math_binary(m, MATH_ADD, one, math_binary(m, MATH_POW, u, two)));
        break;
    case MATH_LOG:
        if (!holds(a->kids[1], x))
            outer = math_quotient(m, one, times(m, u, math_call(m, MATH_LN, a->kids[1], NULL)));
        break;
    default: break;
    }
    return inner && outer ? times(m, outer, inner) : NULL;
}

static struct math_node *derive(struct math *m, struct math_node *a, struct span x)
{
    if (!math_spend(m, 1))
        return NULL;
    if (!holds(a, x))
        return math_integer(m, 0);
    switch (a->kind) {
    case MATH_SYMBOL: return math_integer(m, 1);
    case MATH_ADD: {
        struct math_node *sum = math_make(m, MATH_ADD, a->n);
        for (size_t i = 0; i < a->n; i++)
            if (!(sum->kids[i] = derive(m, a->kids[i], x)))
                return NULL;
        return sum;
    }
    case MATH_MUL: return derive_product(m, a, x);
    case MATH_POW: return derive_power(m, a, x);
    case MATH_FUNCTION: return derive_function(m, a, x);
    default: return NULL;
    }
}

/* ---- integrals --------------------------------------------------------------------------------- */

static struct math_node *integrate(struct math *m, struct math_node *a, struct span x,
                                   struct math_node *variable);

/* x^n */
static struct math_node *integrate_power(struct math *m, struct math_node *a, struct span x,
                                         struct math_node *variable)
{
    mpq_t e;
    struct math_node *r = NULL;
    mpq_init(e);
    if (a->kids[0]->kind == MATH_SYMBOL && math_rational_value(m, a->kids[1], e)) {
        if (mpq_cmp_si(e, -1, 1) == 0) {
            r = math_call(m, MATH_LN, math_call(m, MATH_ABS, variable, NULL), NULL);
        } else {
            struct math_node *n = math_binary(m, MATH_ADD, a->kids[1], math_integer(m, 1));
            r = math_quotient(m, math_binary(m, MATH_POW, variable, n), n);
        }
    } else if (a->kids[0]->kind == MATH_E && a->kids[1]->kind == MATH_SYMBOL) {
        r = a;
    }
    (void)x;
    mpq_clear(e);
    return r;
}

static struct math_node *integrate_product(struct math *m, struct math_node *a, struct span x,
                                           struct math_node *variable)
{
    struct math_node *r = NULL;
    for (size_t i = 0; i < a->n; i++) {
        if (!holds(a->kids[i], x))
            continue;
        if (r)
            return NULL;
        r = integrate(m, a->kids[i], x, variable);
        if (!r)
            return NULL;
    }
    for (size_t i = 0; r && i < a->n; i++)
        if (!holds(a->kids[i], x))
            r = times(m, a->kids[i], r);
    return r;
}

static struct math_node *integrate(struct math *m, struct math_node *a, struct span x,
                                   struct math_node *variable)
{
    if (!math_spend(m, 1))
        return NULL;
    if (!holds(a, x))
        return times(m, a, variable);
    switch (a->kind) {
    case MATH_SYMBOL:
        return math_quotient(m, math_binary(m, MATH_POW, variable, math_integer(m, 2)),
                             math_integer(m, 2));
    case MATH_ADD: {
        struct math_node *sum = math_make(m, MATH_ADD, a->n);
        for (size_t i = 0; i < a->n; i++)
            if (!(sum->kids[i] = integrate(m, a->kids[i], x, variable)))
                return NULL;
        return sum;
    }
    case MATH_MUL: return integrate_product(m, a, x, variable);
    case MATH_POW: return integrate_power(m, a, x, variable);
    case MATH_FUNCTION:
        if (a->kids[0]->kind != MATH_SYMBOL)
            return NULL;
        if (a->function == MATH_SIN)
            return math_negative(m, math_call(m, MATH_COS, variable, NULL));
        if (a->function == MATH_COS)
            return math_call(m, MATH_SIN, variable, NULL);
        return a->function == MATH_EXP ? a : NULL;
    default: return NULL;
    }
}

/* ---- operators --------------------------------------------------------------------------------- */

static struct math_node *looped(struct math *m, struct math_node *a, bool sum)
{
    mpq_t from, to;
    struct math_node *r = NULL;
    mpq_init(from);
    mpq_init(to);
    bool whole = math_rational_value(m, a->kids[2], from) &&
                 math_rational_value(m, a->kids[3], to) && mpz_cmp_ui(mpq_denref(from), 1) == 0 &&
                 mpz_cmp_ui(mpq_denref(to), 1) == 0 && mpz_fits_sint_p(mpq_numref(from)) &&
                 mpz_fits_sint_p(mpq_numref(to));
    long low = whole ? mpz_get_si(mpq_numref(from)) : 0;
    long high = whole ? mpz_get_si(mpq_numref(to)) : 0;
    if (whole && high < low) {
        r = math_integer(m, !sum);
    } else if (whole && high - low < MATH_LOOP_MAX) {
        size_t n = (size_t)(high - low) + 1;
        r = math_make(m, sum ? MATH_ADD : MATH_MUL, n);
        for (size_t i = 0; i < n && !m->over; i++)
            r->kids[i] =
                math_replace(m, a->kids[0], a->kids[1]->name, math_integer(m, low + (long)i));
    }
    mpq_clear(from);
    mpq_clear(to);
    return m->over ? NULL : r;
}

static struct math_node *operated(struct math *m, struct math_node *a)
{
    struct math_node *r = NULL;
    struct span x = a->kids[1]->name;
    if (span_is(a->name, "derivative")) {
        r = derive(m, a->kids[0], x);
    } else if (span_is(a->name, "integral")) {
        struct math_node *f = math_infinite(a->kids[2]) || math_infinite(a->kids[3])
                                  ? NULL
                                  : integrate(m, a->kids[0], x, a->kids[1]);
        if (f)
            r = math_difference(m, math_replace(m, f, x, a->kids[3]),
                                math_replace(m, f, x, a->kids[2]));
    } else {
        r = looped(m, a, span_is(a->name, "sum"));
    }
    return r ? r : a;
}

/* ---- matrices ---------------------------------------------------------------------------------- */

static struct math_node *matrix_sum(struct math *m, const struct math_node *a,
                                    const struct math_node *b)
{
    if (b->kind != MATH_MATRIX || a->kind != MATH_MATRIX || a->n != b->n ||
        a->columns != b->columns)
        return NULL;
    struct math_node *r = math_with_kids(m, a, a->kids, a->n);
    for (size_t i = 0; i < r->n; i++)
        r->kids[i] = math_binary(m, MATH_ADD, a->kids[i], b->kids[i]);
    return r;
}

static struct math_node *matrix_product(struct math *m, struct math_node *a, struct math_node *b)
{
    if (a->kind != MATH_MATRIX && b->kind != MATH_MATRIX)
        return math_binary(m, MATH_MUL, a, b);
    if (a->kind != MATH_MATRIX || b->kind != MATH_MATRIX) {
        struct math_node *matrix = a->kind == MATH_MATRIX ? a : b;
        struct math_node *scalar = a->kind == MATH_MATRIX ? b : a;
        struct math_node *r = math_with_kids(m, matrix, matrix->kids, matrix->n);
        for (size_t i = 0; i < r->n; i++)
            r->kids[i] = math_binary(m, MATH_MUL, scalar, matrix->kids[i]);
        return r;
    }
    size_t rows = a->n / a->columns, inner = a->columns, columns = b->columns;
    if (b->n / b->columns != inner || rows * columns > MATH_ITEMS_MAX)
        return NULL;
    struct math_node *r = math_make(m, MATH_MATRIX, rows * columns);
    r->columns = (uint32_t)columns;
    for (size_t i = 0; i < r->n && !m->over; i++) {
        struct math_node *sum = math_make(m, MATH_ADD, inner);
        for (size_t k = 0; k < inner; k++)
            sum->kids[k] = math_binary(m, MATH_MUL, a->kids[i / columns * inner + k],
                                       b->kids[k * columns + i % columns]);
        r->kids[i] = sum;
    }
    return r;
}

/* By the first row. */
static struct math_node *determinant(struct math *m, struct math_node *const *cells, size_t n)
{
    enum { SIZE_MAX_ROWS = 6 };
    if (n == 1)
        return cells[0];
    if (n > SIZE_MAX_ROWS || !math_spend(m, (int64_t)(n * n)))
        return NULL;
    struct math_node *sum = math_make(m, MATH_ADD, n);
    struct math_node *minor[SIZE_MAX_ROWS * SIZE_MAX_ROWS];
    for (size_t c = 0; c < n; c++) {
        size_t count = 0;
        for (size_t i = n; i < n * n; i++)
            if (i % n != c)
                minor[count++] = cells[i];
        struct math_node *d = determinant(m, minor, n - 1);
        if (!d)
            return NULL;
        struct math_node *part = math_binary(m, MATH_MUL, cells[c], d);
        sum->kids[c] = c % 2 ? math_negative(m, part) : part;
    }
    return sum;
}

static struct math_node *with_matrices(struct math *m, struct math_node *a)
{
    bool any = false;
    for (size_t i = 0; i < a->n; i++)
        any = any || a->kids[i]->kind == MATH_MATRIX;
    if (!any || a->n == 0)
        return a;
    if (a->kind == MATH_FUNCTION && a->function == MATH_DET) {
        const struct math_node *x = a->kids[0];
        struct math_node *d =
            x->columns * x->columns == x->n ? determinant(m, x->kids, x->columns) : NULL;
        return d ? d : a;
    }
    if (a->kind != MATH_ADD && a->kind != MATH_MUL)
        return a;
    struct math_node *r = a->kids[0];
    for (size_t i = 1; r && i < a->n; i++)
        r = a->kind == MATH_ADD ? matrix_sum(m, r, a->kids[i]) : matrix_product(m, r, a->kids[i]);
    return r ? r : a;
}

/* ---- plus-minus -------------------------------------------------------------------------------- */

/* All signs as the upper ones, or as the lower ones. */
static struct math_node *choose(struct math *m, struct math_node *a, bool upper)
{
    if (a->n == 0 || !math_has(a, MATH_PLUSMINUS) || !math_spend(m, 1))
        return a;
    if (a->kind == MATH_PLUSMINUS) {
        struct math_node *x = choose(m, a->kids[0], upper), *y = choose(m, a->kids[1], upper);
        return upper != (a->function == 1) ? math_binary(m, MATH_ADD, x, y)
                                           : math_difference(m, x, y);
    }
    struct math_node *r = math_with_kids(m, a, a->kids, a->n);
    for (size_t i = 0; i < a->n; i++)
        r->kids[i] = choose(m, a->kids[i], upper);
    return r;
}

static struct math_node *both_signs(struct math *m, struct math_node *a)
{
    if (!math_has(a, MATH_PLUSMINUS))
        return a;
    bool members = a->kind == MATH_LIST || a->kind == MATH_SET;
    struct math_node *const *items = members ? a->kids : &a;
    size_t count = members ? a->n : 1, n = 0;
    struct math_node *r = math_make(m, members ? (enum math_kind)a->kind : MATH_LIST, 2 * count);
    for (size_t i = 0; i < count; i++) {
        bool signs = math_has(items[i], MATH_PLUSMINUS);
        r->kids[n++] = signs ? choose(m, items[i], true) : items[i];
        if (signs)
            r->kids[n++] = choose(m, items[i], false);
    }
    r->n = (uint32_t)n;
    return r;
}

/* n over a small number of things: n (n - 1) ... / k! */
static struct math_node *choices(struct math *m, struct math_node *a)
{
    enum { MULTIPLIED_MAX = 20 };
    const struct math_node *k = a->kids[1];
    if (a->n != 2 || k->kind != MATH_NUMBER || mpz_cmp_ui(mpq_denref(k->q), 1) != 0 ||
        mpq_sgn(k->q) < 0 || mpq_cmp_si(k->q, MULTIPLIED_MAX, 1) > 0 ||
        a->kids[0]->kind == MATH_NUMBER)
        return a;
    long n = mpz_get_si(mpq_numref(k->q));
    struct math_node *r = math_integer(m, 1);
    for (long i = 0; i < n; i++) {
        struct math_node *factor = math_difference(m, a->kids[0], math_integer(m, i));
        r = times(m, r, math_quotient(m, factor, math_integer(m, i + 1)));
    }
    return r;
}

static bool has_choices(const struct math_node *a)
{
    if (a->kind == MATH_FUNCTION && a->function == MATH_BINOMIAL)
        return true;
    for (size_t i = 0; i < a->n; i++)
        if (has_choices(a->kids[i]))
            return true;
    return false;
}

static struct math_node *reduce(struct math *m, struct math_node *a)
{
    if (a->n == 0 || !math_spend(m, 1))
        return a;
    bool work = math_has(a, MATH_OPERATOR) || math_has(a, MATH_MATRIX) || has_choices(a);
    if (!work)
        return a;
    struct math_node *r = math_with_kids(m, a, a->kids, a->n);
    for (size_t i = 0; i < a->n; i++)
        r->kids[i] = reduce(m, a->kids[i]);
    if (r->kind == MATH_FUNCTION && r->function == MATH_BINOMIAL)
        return choices(m, r);
    return r->kind == MATH_OPERATOR ? operated(m, r) : with_matrices(m, r);
}

struct math_node *math_reduce(struct math *m, struct math_node *a)
{
    return both_signs(m, reduce(m, a));
}
