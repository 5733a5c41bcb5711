/* math_poly.c: formulas as quotients of polynomials over the rational numbers, in symbols and in
 * whatever else cannot be taken apart (roots, functions). Two formulas whose difference comes to
 * nothing here are equal; when only symbols are in it and something is left, they are not. */
#include <stdlib.h>

#include "base/map.h"
#include "grade/defaults.h"
#include "grade/math_tree.h"

struct power {
    uint32_t atom;
    int32_t e;
};

struct term {
    mpq_t c;
    struct power *powers; /* sorted by atom; in the arena */
    size_t n;
};

struct poly {
    struct term *terms; /* sorted, no two with the same powers, none with c 0 */
    size_t n, cap;
};

struct quotient {
    struct poly over, under;
};

/* What the polynomials of one question share. */
struct workspace {
    struct math *m;
    struct map atoms; /* printed text to number */
    const struct math_node **nodes;
    size_t cap;
    bool failed; /* too large */
};

static void clear(struct poly *p)
{
    for (size_t i = 0; i < p->n; i++)
        mpq_clear(p->terms[i].c);
    free(p->terms);
    *p = (struct poly){0};
}

static void clear_quotient(struct quotient *q)
{
    clear(&q->over);
    clear(&q->under);
}

static struct term *append(struct poly *p, const struct power *powers, size_t n)
{
    p->terms = mem_grow(p->terms, &p->cap, p->n + 1, sizeof *p->terms);
    struct term *t = &p->terms[p->n++];
    mpq_init(t->c);
    t->powers = (struct power *)powers;
    t->n = n;
    return t;
}

static void set_number(struct poly *p, const mpq_t value)
{
    if (mpq_sgn(value))
        mpq_set(append(p, NULL, 0)->c, value);
}

static void set_one(struct poly *p)
{
    mpq_set_ui(append(p, NULL, 0)->c, 1, 1);
}

static int compare_powers(const struct term *a, const struct term *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        if (a->powers[i].atom != b->powers[i].atom)
            return a->powers[i].atom < b->powers[i].atom ? -1 : 1;
        if (a->powers[i].e != b->powers[i].e)
            return a->powers[i].e < b->powers[i].e ? -1 : 1;
    }
    return (a->n > b->n) - (a->n < b->n);
}

static int compare_terms(const void *a, const void *b)
{
    return compare_powers(a, b);
}

/* Sorts, adds up equal powers, drops zeros. */
static void tidy(struct poly *p)
{
    size_t kept = 0;
    if (p->n > 1)
        qsort(p->terms, p->n, sizeof *p->terms, compare_terms);
    for (size_t i = 0; i < p->n; i++) {
        struct term *last = kept ? &p->terms[kept - 1] : NULL;
        if (last && compare_powers(last, &p->terms[i]) == 0) {
            mpq_add(last->c, last->c, p->terms[i].c);
            mpq_clear(p->terms[i].c);
            continue;
        }
        if (last && mpq_sgn(last->c) == 0) {
            mpq_clear(last->c);
            kept--;
        }
        p->terms[kept++] = p->terms[i];
    }
    if (kept && mpq_sgn(p->terms[kept - 1].c) == 0)
        mpq_clear(p->terms[--kept].c);
    p->n = kept;
}

static void add_scaled(struct poly *p, const struct poly *a, int sign)
{
    for (size_t i = 0; i < a->n; i++) {
        struct term *t = append(p, a->terms[i].powers, a->terms[i].n);
        if (sign < 0)
            mpq_neg(t->c, a->terms[i].c);
        else
            mpq_set(t->c, a->terms[i].c);
    }
}

static struct power *times_powers(struct workspace *w, const struct term *a, const struct term *b,
                                  size_t *n)
{
    struct power *r = arena_alloc(&w->m->arena, (a->n + b->n + 1) * sizeof *r);
    size_t i = 0, j = 0;
    *n = 0;
    while (i < a->n || j < b->n) {
        bool left = j == b->n || (i < a->n && a->powers[i].atom <= b->powers[j].atom);
        struct power p = left ? a->powers[i] : b->powers[j];
        if (left && j < b->n && a->powers[i].atom == b->powers[j].atom)
            p.e += b->powers[j++].e;
        else if (!left)
            j++;
        i += left;
        if (p.e > 1000000 || p.e < -1000000)
            w->failed = true;
        if (p.e)
            r[(*n)++] = p;
    }
    return r;
}

static size_t coefficient_bits(const struct poly *p)
{
    size_t most = 0;
    for (size_t i = 0; i < p->n; i++) {
        size_t n = mpz_sizeinbase(mpq_numref(p->terms[i].c), 2) +
                   mpz_sizeinbase(mpq_denref(p->terms[i].c), 2);
        most = n > most ? n : most;
    }
    return most;
}

static void multiply(struct workspace *w, struct poly *p, const struct poly *a,
                     const struct poly *b)
{
    size_t size = coefficient_bits(a) + coefficient_bits(b);
    if (a->n * b->n > 20 * MATH_TERMS_MAX || size > MATH_BITS_MAX ||
        !math_spend(w->m, (int64_t)(a->n * b->n) * (8 + (int64_t)size / 64)) ||
        w->m->arena.total > MATH_ARENA_MAX) {
        w->failed = true;
        return;
    }
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < b->n; j++) {
            size_t n;
            struct power *powers = times_powers(w, &a->terms[i], &b->terms[j], &n);
            mpq_mul(append(p, powers, n)->c, a->terms[i].c, b->terms[j].c);
        }
    tidy(p);
    if (p->n > MATH_TERMS_MAX)
        w->failed = true;
}

static bool same_poly(const struct poly *a, const struct poly *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (compare_powers(&a->terms[i], &b->terms[i]) || !mpq_equal(a->terms[i].c, b->terms[i].c))
            return false;
    return true;
}

static void swap(struct quotient *a, struct quotient *b)
{
    struct quotient t = *a;
    *a = *b;
    *b = t;
}

/* ---- arithmetic of quotients; each result replaces a ------------------------------------------- */

static void add_to(struct workspace *w, struct quotient *a, const struct quotient *b, int sign)
{
    struct quotient r = {0};
    if (same_poly(&a->under, &b->under)) {
        add_scaled(&r.over, &a->over, 1);
        add_scaled(&r.over, &b->over, sign);
        add_scaled(&r.under, &a->under, 1);
    } else {
        struct poly left = {0}, right = {0};
        multiply(w, &left, &a->over, &b->under);
        multiply(w, &right, &b->over, &a->under);
        add_scaled(&r.over, &left, 1);
        add_scaled(&r.over, &right, sign);
        multiply(w, &r.under, &a->under, &b->under);
        clear(&left);
        clear(&right);
    }
    tidy(&r.over);
    swap(a, &r);
    clear_quotient(&r);
    if (a->over.n > MATH_TERMS_MAX)
        w->failed = true;
}

static void times(struct workspace *w, struct quotient *a, const struct quotient *b)
{
    struct quotient r = {0};
    multiply(w, &r.over, &a->over, &b->over);
    multiply(w, &r.under, &a->under, &b->under);
    swap(a, &r);
    clear_quotient(&r);
}

static bool invert(struct quotient *a)
{
    struct poly t = a->over;
    a->over = a->under;
    a->under = t;
    return a->under.n > 0;
}

/* A number below the line goes above it. */
static void settle(struct quotient *a)
{
    if (a->under.n != 1 || a->under.terms[0].n != 0)
        return;
    for (size_t i = 0; i < a->over.n; i++)
        mpq_div(a->over.terms[i].c, a->over.terms[i].c, a->under.terms[0].c);
    mpq_set_ui(a->under.terms[0].c, 1, 1);
}

/* ---- trees to quotients ------------------------------------------------------------------------ */

static void from_tree(struct workspace *w, const struct math_node *a, struct quotient *q);

static uint32_t atom_of(struct workspace *w, const struct math_node *a)
{
    struct buf text = {0};
    math_print(a, &text);
    size_t at = map_add(&w->atoms, buf_span(&text), NULL);
    buf_free(&text);
    w->nodes = mem_grow(w->nodes, &w->cap, at + 1, sizeof *w->nodes);
    w->nodes[at] = a;
    return (uint32_t)at;
}

static void from_atom(struct workspace *w, const struct math_node *a, int32_t e, struct quotient *q)
{
    struct power *power = arena_alloc(&w->m->arena, sizeof *power);
    *power = (struct power){.atom = atom_of(w, a), .e = e < 0 ? -e : e};
    set_one(e < 0 ? &q->over : &q->under);
    mpq_set_ui(append(e < 0 ? &q->under : &q->over, power, 1)->c, 1, 1);
}

/* base^e by squaring. */
static void power_of(struct workspace *w, const struct math_node *base, long e, struct quotient *q)
{
    struct quotient b = {0};
    unsigned long n = (unsigned long)labs(e);
    from_tree(w, base, &b);
    bool sum = b.over.n > 1 || b.under.n > 1;
    if (n > (sum ? MATH_POWER_MAX : 1000000) || coefficient_bits(&b.over) * n > MATH_BITS_MAX ||
        coefficient_bits(&b.under) * n > MATH_BITS_MAX || (e < 0 && !invert(&b)))
        w->failed = true;
    set_one(&q->over);
    set_one(&q->under);
    for (; n && !w->failed; n >>= 1) {
        if (n & 1)
            times(w, q, &b);
        if (n > 1) {
            struct quotient copy = {0};
            add_scaled(&copy.over, &b.over, 1);
            add_scaled(&copy.under, &b.under, 1);
            times(w, &b, &copy);
            clear_quotient(&copy);
        }
    }
    clear_quotient(&b);
}

/* base^(p/q): the p-th power of a root that is an atom. */
static void root_of(struct workspace *w, const struct math_node *a, const mpq_t e,
                    struct quotient *q)
{
    struct math *m = w->m;
    mpq_t part;
    mpq_init(part);
    mpz_set(mpq_denref(part), mpq_denref(e));
    mpz_set_ui(mpq_numref(part), 1);
    long over = mpz_fits_slong_p(mpq_numref(e)) ? mpz_get_si(mpq_numref(e)) : 0;
    if (over == 0 || labs(over) > 1000000) {
        w->failed = true;
        over = 1;
    }
    struct math_node *root = math_binary(m, MATH_POW, a->kids[0], math_rational(m, part));
    from_atom(w, root, (int32_t)over, q);
    mpq_clear(part);
}

static void from_power(struct workspace *w, const struct math_node *a, struct quotient *q)
{
    mpq_t e;
    mpq_init(e);
    bool number = math_rational_value(w->m, a->kids[1], e);
    bool whole = number && mpz_cmp_ui(mpq_denref(e), 1) == 0;
    if (whole && mpz_fits_slong_p(mpq_numref(e)))
        power_of(w, a->kids[0], mpz_get_si(mpq_numref(e)), q);
    else if (number && !whole)
        root_of(w, a, e, q);
    else
        from_atom(w, a, 1, q);
    mpq_clear(e);
}

static void from_fold(struct workspace *w, const struct math_node *a, struct quotient *q)
{
    struct quotient part = {0};
    if (a->kind == MATH_MUL)
        set_one(&q->over);
    set_one(&q->under);
    for (size_t i = 0; i < a->n && !w->failed; i++) {
        from_tree(w, a->kids[i], &part);
        if (a->kind == MATH_ADD)
            add_to(w, q, &part, 1);
        else
            times(w, q, &part);
        clear_quotient(&part);
    }
}

static void from_tree(struct workspace *w, const struct math_node *a, struct quotient *q)
{
    mpq_t value;
    if (!math_spend(w->m, 1))
        w->failed = true;
    if (w->failed)
        return;
    mpq_init(value);
    if (math_rational_value(w->m, a, value)) {
        set_number(&q->over, value);
        set_one(&q->under);
    } else if (a->kind == MATH_ADD || a->kind == MATH_MUL) {
        from_fold(w, a, q);
    } else if (a->kind == MATH_POW) {
        from_power(w, a, q);
    } else if (a->kind == MATH_DEGREES) {
        from_tree(w, a->kids[0], q);
    } else if (a->kind == MATH_PERCENT) {
        struct quotient part = {0};
        from_tree(w, a->kids[0], q);
        mpq_set_ui(value, 1, 100);
        set_number(&part.over, value);
        set_one(&part.under);
        times(w, q, &part);
        clear_quotient(&part);
    } else {
        from_atom(w, a, 1, q);
    }
    settle(q);
    mpq_clear(value);
}

static void close_workspace(struct workspace *w)
{
    map_free(&w->atoms);
    free(w->nodes);
}

/* Only symbols are in it. */
static bool plain(const struct workspace *w, const struct poly *p)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->terms[i].n; j++)
            if (w->nodes[p->terms[i].powers[j].atom]->kind != MATH_SYMBOL)
                return false;
    return true;
}

int math_zero_difference(struct math *m, const struct math_node *a, const struct math_node *b)
{
    struct workspace w = {.m = m};
    struct quotient x = {0}, y = {0};
    int told = -1;
    from_tree(&w, a, &x);
    from_tree(&w, b, &y);
    if (!w.failed && x.under.n && y.under.n) {
        add_to(&w, &x, &y, -1);
        if (!w.failed)
            told = x.over.n == 0 ? 1 : plain(&w, &x.over) && plain(&w, &x.under) ? 0 : -1;
    }
    clear_quotient(&x);
    clear_quotient(&y);
    close_workspace(&w);
    return told;
}

int math_proportional(struct math *m, const struct math_node *a, const struct math_node *b)
{
    struct workspace w = {.m = m};
    struct quotient x = {0}, y = {0};
    int told = -1;
    from_tree(&w, a, &x);
    from_tree(&w, b, &y);
    if (!w.failed && x.over.n && y.over.n) {
        struct quotient *const both[] = {&x, &y};
        for (int k = 0; k < 2; k++) {
            mpq_t lead;
            mpq_init(lead);
            mpq_set(lead, both[k]->over.terms[0].c);
            for (size_t i = 0; i < both[k]->over.n; i++)
                mpq_div(both[k]->over.terms[i].c, both[k]->over.terms[i].c, lead);
            mpq_clear(lead);
        }
        told = same_poly(&x.over, &y.over) ? 1 : plain(&w, &x.over) && plain(&w, &y.over) ? 0 : -1;
    }
    clear_quotient(&x);
    clear_quotient(&y);
    close_workspace(&w);
    return told;
}

/* One term as a tree, the variable's power left out. */
static struct math_node *term_tree(struct workspace *w, const struct term *t, uint32_t variable)
{
    struct math_node *r = math_rational(w->m, t->c);
    for (size_t i = 0; i < t->n; i++) {
        if (t->powers[i].atom == variable)
            continue;
        struct math_node *atom = (struct math_node *)w->nodes[t->powers[i].atom];
        struct math_node *part =
            math_binary(w->m, MATH_POW, atom, math_integer(w->m, t->powers[i].e));
        r = math_binary(w->m, MATH_MUL, r, part);
    }
    return r;
}

bool math_quadratic(struct math *m, const struct math_node *a, struct span variable,
                    struct math_node *c[3])
{
    struct workspace w = {.m = m};
    struct quotient x = {0};
    from_tree(&w, a, &x);
    size_t v = map_find(&w.atoms, variable);
    bool ok = !w.failed && v != MAP_NONE && x.under.n == 1 && x.under.terms[0].n == 0;
    c[0] = c[1] = c[2] = NULL;
    for (size_t i = 0; ok && i < x.over.n; i++) {
        const struct term *t = &x.over.terms[i];
        int32_t e = 0;
        for (size_t j = 0; j < t->n; j++)
            if (t->powers[j].atom == v)
                e = t->powers[j].e;
        ok = e >= 0 && e <= 2;
        if (!ok)
            break;
        struct math_node *part = term_tree(&w, t, (uint32_t)v);
        struct math_names names = {0};
        math_names(part, &names);
        ok = names.n == 0;
        math_names_free(&names);
        c[e] = c[e] ? math_binary(m, MATH_ADD, c[e], part) : part;
    }
    for (int e = 0; e < 3; e++)
        if (!c[e])
            c[e] = math_integer(m, 0);
    clear_quotient(&x);
    close_workspace(&w);
    return ok;
}
