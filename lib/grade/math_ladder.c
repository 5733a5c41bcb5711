/* math_ladder.c: is a candidate's answer the reference's: the rules of grade 6.4, one after another. */
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "grade/defaults.h"
#include "grade/math_tree.h"

static bool equal(struct math *m, struct math_node *g, struct math_node *c, int depth);

/* ---- words ------------------------------------------------------------------------------------- */

/* Letters of a name, or of a product of symbols in written order; false for anything else. */
static bool spelled(const struct math_node *a, struct buf *out)
{
    switch (a->kind) {
    case MATH_TEXT:
    case MATH_SYMBOL:
        for (size_t i = 0; i < a->name.len; i++)
            if (!strchr(" ()", a->name.ptr[i]))
                buf_byte(out, (char)tolower((unsigned char)a->name.ptr[i]));
        return true;
    case MATH_E: buf_byte(out, 'e'); return true;
    case MATH_I: buf_byte(out, 'i'); return true;
    case MATH_PI: buf_text(out, "pi"); return true;
    case MATH_MUL:
        for (size_t i = 0; i < a->n; i++)
            if (!spelled(a->kids[i], out))
                return false;
        return true;
    default: return false;
    }
}

static bool same_word(const struct math_node *a, const struct math_node *b)
{
    struct buf x = {0}, y = {0};
    bool same = spelled(a, &x) && spelled(b, &y) && span_equal(buf_span(&x), buf_span(&y));
    buf_free(&x);
    buf_free(&y);
    return same;
}

/* ---- numbers ----------------------------------------------------------------------------------- */

static bool constant(const struct math_node *a)
{
    struct math_names names = {0};
    math_names(a, &names);
    bool is = names.n == 0 && !math_has(a, MATH_APPLY) && !math_has(a, MATH_OPERATOR);
    math_names_free(&names);
    return is;
}

/* An integer written as such, with or without %; percent says which. */
static bool bare_integer(const struct math_node *a, mpq_t value, bool *percent)
{
    bool negative = false;
    *percent = false;
    if (a->kind == MATH_MUL && a->n == 2 && a->kids[0]->kind == MATH_NUMBER &&
        mpq_cmp_si(a->kids[0]->q, -1, 1) == 0) {
        negative = true;
        a = a->kids[1];
    }
    if (a->kind == MATH_PERCENT) {
        *percent = true;
        a = a->kids[0];
    }
    if (a->kind != MATH_NUMBER || !(a->flags & MATH_WRITTEN))
        return false;
    mpq_set(value, a->q);
    if (negative)
        mpq_neg(value, value);
    return true;
}

static bool percents_equal(const struct math_node *a, const struct math_node *b)
{
    mpq_t x, y;
    bool left, right;
    mpq_init(x);
    mpq_init(y);
    bool same = bare_integer(a, x, &left) && bare_integer(b, y, &right) && (left || right) &&
                mpq_equal(x, y);
    mpq_clear(x);
    mpq_clear(y);
    return same;
}

/* Where a decimal is in play: exactly equal to a whole number, else to six decimals. */
static bool floats_equal(struct math *m, struct math_node *a, struct math_node *b)
{
    mpq_t x, y;
    mpq_init(x);
    mpq_init(y);
    bool left = math_rational_value(m, a, x), right = math_rational_value(m, b, y), same;
    bool whole = (left && !math_has_flag(a, MATH_FLOAT) && mpz_cmp_ui(mpq_denref(x), 1) == 0) ||
                 (right && !math_has_flag(b, MATH_FLOAT) && mpz_cmp_ui(mpq_denref(y), 1) == 0);
    if (left && right && (whole || mpq_equal(x, y)))
        same = mpq_equal(x, y);
    else if (whole)
        same = math_same_value(m, a, b) == 1;
    else
        same = math_same_rounded(m, a, b, MATH_DECIMALS) == 1;
    mpq_clear(x);
    mpq_clear(y);
    return same;
}

static bool numbers_equal(struct math *m, struct math_node *a, struct math_node *b)
{
    int x = math_infinite(a), y = math_infinite(b);
    if (x || y)
        return x == y;
    if (percents_equal(a, b))
        return true;
    if (math_has_flag(a, MATH_FLOAT) || math_has_flag(b, MATH_FLOAT))
        return floats_equal(m, a, b);
    mpq_t p, q;
    mpq_init(p);
    mpq_init(q);
    bool exact = math_rational_value(m, a, p) && math_rational_value(m, b, q);
    bool same = exact && mpq_equal(p, q);
    mpq_clear(p);
    mpq_clear(q);
    if (exact)
        return same;
    int zero = math_zero_difference(m, a, b);
    return zero >= 0 ? zero == 1 : math_same_value(m, a, b) == 1;
}

bool math_scalars_equal(struct math *m, struct math_node *a, struct math_node *b)
{
    bool letters = a->kind == MATH_SYMBOL || b->kind == MATH_SYMBOL;
    if (a->kind == MATH_TEXT || b->kind == MATH_TEXT || letters) {
        if (same_word(a, b))
            return true;
        if (!letters)
            return false;
    }
    if (math_same(a, b))
        return true;
    if (constant(a) && constant(b))
        return numbers_equal(m, a, b);
    if (math_has(a, MATH_INFINITY) || math_has(b, MATH_INFINITY) || math_has(a, MATH_OPERATOR) ||
        math_has(b, MATH_OPERATOR))
        return false;
    int zero = math_zero_difference(m, a, b);
    return zero >= 0 ? zero == 1 : math_same_value(m, a, b) == 1;
}

/* ---- relations --------------------------------------------------------------------------------- */

static bool is_equation(const struct math_node *a)
{
    return a->kind == MATH_RELATION && a->function == MATH_EQ;
}

/* Only names and no numbers but those that a fraction or a sign brings: x, x + y, f(x), (x, y). */
static bool only_symbols(const struct math_node *a)
{
    if (a->kind == MATH_NUMBER)
        return false;
    if (a->kind == MATH_POW)
        return only_symbols(a->kids[0]) && a->kids[1]->kind == MATH_NUMBER &&
               mpq_cmp_si(a->kids[1]->q, -1, 1) == 0;
    if (a->kind == MATH_APPLY)
        return true;
    for (size_t i = 0; i < a->n; i++)
        if (!only_symbols(a->kids[i]))
            return false;
    return true;
}

static bool is_assignment(const struct math_node *a)
{
    return is_equation(a) && only_symbols(a->kids[0]);
}

/* > and >= turned round. */
static void rising(const struct math_node *a, enum math_relation *op, struct math_node **left,
                   struct math_node **right)
{
    bool falls = a->function == MATH_GT || a->function == MATH_GE;
    *op = (enum math_relation)a->function;
    if (falls)
        *op = a->function == MATH_GT ? MATH_LT : MATH_LE;
    *left = a->kids[falls];
    *right = a->kids[!falls];
}

static bool scalar(const struct math_node *a)
{
    return !math_is_collection(a) && a->kind != MATH_MATRIX && a->kind != MATH_IN &&
           !math_is_relation(a);
}

/* The symbols are the same ones, two or more. */
static bool same_symbols(const struct math_node *a, const struct math_node *b)
{
    struct math_names x = {0}, y = {0};
    math_names(a, &x);
    math_names(b, &y);
    bool same = x.n == y.n && x.n >= 2;
    for (size_t i = 0; same && i < x.n; i++)
        same = strcasecmp(x.items[i].ptr, y.items[i].ptr) == 0;
    math_names_free(&x);
    math_names_free(&y);
    return same;
}

static bool relations_equal(struct math *m, const struct math_node *g, const struct math_node *c,
                            int depth)
{
    enum math_relation x, y;
    struct math_node *a, *b, *d, *e;
    if (math_same(g, c))
        return true;
    rising(g, &x, &a, &b);
    rising(c, &y, &d, &e);
    if (x != y)
        return false;
    bool symmetric = x == MATH_EQ || x == MATH_NE;
    if (!scalar(a) || !scalar(b) || !scalar(d) || !scalar(e))
        return (equal(m, a, d, depth + 1) && equal(m, b, e, depth + 1)) ||
               (symmetric && equal(m, a, e, depth + 1) && equal(m, b, d, depth + 1));
    struct math_node *left = math_difference(m, a, b), *right = math_difference(m, d, e);
    if (math_scalars_equal(m, left, right))
        return true;
    if (!symmetric)
        return false;
    if (math_scalars_equal(m, left, math_difference(m, e, d)))
        return true;
    return x == MATH_EQ && same_symbols(left, right) && math_proportional(m, left, right) == 1;
}

static bool falls(const struct math_node *chain)
{
    for (size_t i = 0; i < chain->n; i++)
        if (chain->kids[i]->function == MATH_GT || chain->kids[i]->function == MATH_GE)
            return true;
    return false;
}

static bool chains_equal(struct math *m, const struct math_node *g, const struct math_node *c,
                         int depth)
{
    if (g->n != c->n)
        return false;
    bool turned = falls(g) != falls(c);
    for (size_t i = 0; i < g->n; i++)
        if (!relations_equal(m, g->kids[i], c->kids[turned ? c->n - 1 - i : i], depth))
            return false;
    return true;
}

/* ---- collections ------------------------------------------------------------------------------- */

static bool has_members(const struct math_node *a)
{
    return a->kind == MATH_LIST || a->kind == MATH_SET || a->kind == MATH_TUPLE ||
           (a->kind == MATH_INTERVAL && a->flags & MATH_ROUND);
}

static bool set_like(const struct math_node *a)
{
    return a->kind == MATH_LIST || a->kind == MATH_SET;
}

/* Each member of one has its equal in the other, and the other way round. */
static bool same_members(struct math *m, struct math_node *const *g, size_t n,
                         struct math_node *const *c, size_t k, int depth)
{
    bool *met = mem_zero(k + 1, sizeof *met), ok = n > 0 && k > 0;
    for (size_t i = 0; ok && i < n && !m->over; i++) {
        bool found = false;
        for (size_t j = 0; j < k && !m->over; j++) {
            if (found && met[j])
                continue;
            if (equal(m, g[i], c[j], depth + 1))
                met[j] = found = true;
        }
        ok = found;
    }
    for (size_t j = 0; ok && j < k; j++)
        ok = met[j];
    free(met);
    return ok || (n == 0 && k == 0);
}

static bool in_order(struct math *m, struct math_node *const *g, size_t n,
                     struct math_node *const *c, size_t k, int depth)
{
    if (n != k)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!equal(m, g[i], c[i], depth + 1))
            return false;
    return true;
}

/* Intervals by ends and openness. */
static bool same_interval(struct math *m, const struct math_node *g, const struct math_node *c,
                          int depth)
{
    uint8_t ends = MATH_OPEN_LEFT | MATH_OPEN_RIGHT;
    return (g->flags & ends) == (c->flags & ends) && equal(m, g->kids[0], c->kids[0], depth + 1) &&
           equal(m, g->kids[1], c->kids[1], depth + 1);
}

static bool collections_equal(struct math *m, struct math_node *g, struct math_node *c, int depth)
{
    if (g->kind == MATH_INTERVAL && c->kind == MATH_INTERVAL)
        return same_interval(m, g, c, depth);
    if (g->kind == MATH_FIELD && c->kind == MATH_FIELD)
        return span_equal(g->name, c->name);
    bool pairs = has_members(g) && has_members(c);
    if (!pairs && math_is_collection(g) && math_is_collection(c)) {
        int told = math_same_real_set(m, g, c);
        if (told >= 0)
            return told == 1;
        if (g->kind == c->kind && g->n == 2 && c->n == 2) /* unions of symbols */
            return (equal(m, g->kids[0], c->kids[0], depth + 1) &&
                    equal(m, g->kids[1], c->kids[1], depth + 1)) ||
                   (g->kind != MATH_MINUS && equal(m, g->kids[0], c->kids[1], depth + 1) &&
                    equal(m, g->kids[1], c->kids[0], depth + 1));
        return false;
    }
    struct math_node *const *gold = has_members(g) ? g->kids : &g;
    struct math_node *const *given = has_members(c) ? c->kids : &c;
    size_t n = has_members(g) ? g->n : 1, k = has_members(c) ? c->n : 1;
    bool tuple = has_members(g) && !set_like(g);
    if (!tuple && !has_members(c) && math_is_collection(c) && n > 1)
        return false;
    if (n == 1 && gold == &g && k == 1 && given == &c)
        return false; /* a collection without members and something else */
    return tuple ? in_order(m, gold, n, given, k, depth)
                 : same_members(m, gold, n, given, k, depth);
}

static bool holds_equation(const struct math_node *a)
{
    for (size_t i = 0; i < a->n; i++)
        if (is_equation(a->kids[i]))
            return true;
    return false;
}

/* Each equation of a list as its right side; of a reference, assignments alone. */
static struct math_node *right_sides(struct math *m, struct math_node *list, bool gold)
{
    struct math_node *r = math_with_kids(m, list, list->kids, list->n);
    for (size_t i = 0; i < r->n; i++)
        if (gold ? is_assignment(r->kids[i]) : is_equation(r->kids[i]))
            r->kids[i] = r->kids[i]->kids[1];
    return r;
}

/* ---- the ladder -------------------------------------------------------------------------------- */

/* x in S is S; false: the two cannot be equal. */
static bool open_membership(struct math_node **g, struct math_node **c)
{
    bool gold = (*g)->kind == MATH_IN, given = (*c)->kind == MATH_IN;
    if (gold && given && !math_same((*g)->kids[0], (*c)->kids[0]))
        return false;
    if ((gold && is_equation(*c)) || (given && is_equation(*g)))
        return false;
    if (gold)
        *g = (*g)->kids[1];
    if (given)
        *c = (*c)->kids[1];
    return true;
}

/* (x, y) = (1, 2) as x = 1, y = 2; the node itself when it is no such equation. */
static struct math_node *by_members(struct math *m, struct math_node *a)
{
    if (!is_equation(a) || !has_members(a->kids[0]) || !has_members(a->kids[1]) ||
        a->kids[0]->n != a->kids[1]->n)
        return a;
    struct math_node *list = math_make(m, MATH_LIST, a->kids[0]->n);
    for (size_t i = 0; i < list->n; i++) {
        struct math_node *const sides[] = {a->kids[0]->kids[i], a->kids[1]->kids[i]};
        list->kids[i] = math_with_kids(m, a, sides, 2);
    }
    return list;
}

static void open_equations(struct math *m, struct math_node **g, struct math_node **c)
{
    if (set_like(*c) && holds_equation(*c))
        *g = by_members(m, *g);
    else if (set_like(*g) && holds_equation(*g))
        *c = by_members(m, *c);
    bool gold_list = set_like(*g), given_list = set_like(*c);
    if (is_equation(*c) && !math_is_relation(*g) && !(gold_list && holds_equation(*g)))
        *c = (*c)->kids[1];
    else if (is_assignment(*g) && !is_equation(*c) && !(given_list && holds_equation(*c)))
        *g = (*g)->kids[1];
    gold_list = gold_list && holds_equation(*g);
    given_list = given_list && holds_equation(*c);
    if (given_list && !gold_list && !math_is_relation(*g))
        *c = right_sides(m, *c, false);
    if (gold_list && !given_list && !math_is_relation(*c))
        *g = right_sides(m, *g, true);
}

static bool equal(struct math *m, struct math_node *g, struct math_node *c, int depth)
{
    if (depth > MATH_DEPTH || !math_spend(m, 4) || !open_membership(&g, &c))
        return false;
    open_equations(m, &g, &c);
    if (math_is_relation(g) && math_is_collection(c)) {
        struct math_node *set = math_solve(m, g);
        return set && math_same_real_set(m, set, c) == 1;
    }
    if (math_same(g, c))
        return true;
    if (math_is_relation(g) || math_is_relation(c)) {
        if (g->kind != c->kind)
            return false;
        return g->kind == MATH_CHAIN ? chains_equal(m, g, c, depth)
                                     : relations_equal(m, g, c, depth);
    }
    if (math_is_collection(g) || math_is_collection(c))
        return collections_equal(m, g, c, depth);
    if (g->kind == MATH_MATRIX || c->kind == MATH_MATRIX)
        return g->kind == c->kind && g->columns == c->columns &&
               in_order(m, g->kids, g->n, c->kids, c->n, depth);
    return math_scalars_equal(m, g, c);
}

bool math_trees_equal(struct math *m, struct math_node *gold, struct math_node *candidate)
{
    struct math_node *g = math_reduce(m, gold), *c = math_reduce(m, candidate);
    return equal(m, g, c, 0) && !m->over;
}
