/* math_sets.c: sets of real numbers as sorted runs of intervals and points; relations in one variable
 * solved to such sets (grade 6.4). */
#include <stdlib.h>

#include "grade/defaults.h"
#include "grade/math_tree.h"

struct piece {
    struct math_node *from, *to;
    bool open_from, open_to;
};

struct pieces {
    struct piece *items;
    size_t n, cap;
    bool failed; /* an order that cannot be told, a member that is no number */
};

static void add(struct pieces *p, struct piece piece)
{
    if (p->n >= MATH_ITEMS_MAX) {
        p->failed = true;
        return;
    }
    p->items = mem_grow(p->items, &p->cap, p->n + 1, sizeof *p->items);
    p->items[p->n++] = piece;
}

static void free_pieces(struct pieces *p)
{
    free(p->items);
    *p = (struct pieces){0};
}

static int order(struct math *m, struct pieces *p, const struct math_node *a,
                 const struct math_node *b)
{
    int sign = 0;
    if (!math_order(m, a, b, &sign))
        p->failed = true;
    return sign;
}

/* Where two pieces start: the one that holds more comes first. */
static bool starts_later(struct math *m, struct pieces *p, const struct piece *a,
                         const struct piece *b)
{
    int sign = order(m, p, a->from, b->from);
    return sign > 0 || (sign == 0 && a->open_from && !b->open_from);
}

/* Sorted, what overlaps or touches made one, empty ones gone. */
static void normalise(struct math *m, struct pieces *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->n; i++) { /* empty ones */
        struct piece piece = p->items[i];
        int sign = order(m, p, piece.from, piece.to);
        if (sign < 0 || (sign == 0 && !piece.open_from && !piece.open_to))
            p->items[kept++] = piece;
    }
    p->n = kept;
    for (size_t i = 1; i < p->n && !p->failed; i++)
        for (size_t j = i; j > 0 && starts_later(m, p, &p->items[j - 1], &p->items[j]); j--) {
            struct piece t = p->items[j];
            p->items[j] = p->items[j - 1];
            p->items[j - 1] = t;
        }
    kept = 0;
    for (size_t i = 0; i < p->n && !p->failed; i++) {
        struct piece *last = kept ? &p->items[kept - 1] : NULL, next = p->items[i];
        int gap = last ? order(m, p, last->to, next.from) : -1;
        if (last && (gap > 0 || (gap == 0 && !(last->open_to && next.open_from)))) {
            int end = order(m, p, last->to, next.to);
            if (end < 0 || (end == 0 && last->open_to)) {
                last->to = next.to;
                last->open_to = next.open_to;
            }
        } else {
            p->items[kept++] = next;
        }
    }
    p->n = kept;
}

static struct math_node *infinity(struct math *m, int sign)
{
    struct math_node *a = math_make(m, MATH_INFINITY, 0);
    return sign < 0 ? math_negative(m, a) : a;
}

static struct piece all_reals(struct math *m)
{
    return (struct piece){infinity(m, -1), infinity(m, 1), true, true};
}

static void complement(struct math *m, struct pieces *p)
{
    struct pieces r = {0};
    normalise(m, p);
    struct piece gap = all_reals(m);
    for (size_t i = 0; i < p->n; i++) {
        gap.to = p->items[i].from;
        gap.open_to = !p->items[i].open_from;
        add(&r, gap);
        gap.from = p->items[i].to;
        gap.open_from = !p->items[i].open_to;
    }
    struct piece end = all_reals(m);
    gap.to = end.to;
    gap.open_to = true;
    add(&r, gap);
    r.failed = r.failed || p->failed;
    free_pieces(p);
    *p = r;
    normalise(m, p); /* gaps of no width, infinities that are not numbers */
    size_t kept = 0;
    for (size_t i = 0; i < p->n; i++)
        if (!(math_infinite(p->items[i].from) &&
              math_infinite(p->items[i].from) == math_infinite(p->items[i].to)))
            p->items[kept++] = p->items[i];
    p->n = kept;
}

static void collect(struct math *m, const struct math_node *a, struct pieces *p);

static void intersect(struct math *m, const struct math_node *a, const struct math_node *b,
                      bool without, struct pieces *p)
{
    struct pieces x = {0}, y = {0}, r = {0};
    collect(m, a, &x);
    collect(m, b, &y);
    if (without)
        complement(m, &y);
    r.failed = x.failed || y.failed;
    for (size_t i = 0; i < x.n && !r.failed; i++)
        for (size_t j = 0; j < y.n && !r.failed; j++) {
            struct piece c = x.items[i], *d = &y.items[j];
            int low = order(m, &r, c.from, d->from), high = order(m, &r, c.to, d->to);
            if (low < 0 || (low == 0 && d->open_from)) {
                c.from = d->from;
                c.open_from = d->open_from;
            }
            if (high > 0 || (high == 0 && d->open_to)) {
                c.to = d->to;
                c.open_to = d->open_to;
            }
            add(&r, c);
        }
    for (size_t i = 0; i < r.n; i++)
        add(p, r.items[i]);
    p->failed = p->failed || r.failed;
    free_pieces(&x);
    free_pieces(&y);
    free_pieces(&r);
}

static void collect(struct math *m, const struct math_node *a, struct pieces *p)
{
    if (!math_spend(m, 1) || p->failed) {
        p->failed = true;
        return;
    }
    switch (a->kind) {
    case MATH_INTERVAL:
        add(p, (struct piece){a->kids[0], a->kids[1], a->flags & MATH_OPEN_LEFT,
                              a->flags & MATH_OPEN_RIGHT});
        break;
    case MATH_FIELD:
        if (span_is(a->name, "R"))
            add(p, all_reals(m));
        else if (span_is(a->name, "R_+"))
            add(p, (struct piece){math_integer(m, 0), infinity(m, 1), true, true});
        else
            p->failed = true;
        break;
    case MATH_SET:
    case MATH_LIST:
        for (size_t i = 0; i < a->n; i++) {
            if (math_is_collection(a->kids[i]) && a->kids[i]->kind != MATH_TUPLE)
                collect(m, a->kids[i], p);
            else if (math_is_collection(a->kids[i]) || math_is_relation(a->kids[i]) ||
                     math_infinite(a->kids[i]))
                p->failed = true;
            else
                add(p, (struct piece){a->kids[i], a->kids[i], false, false});
        }
        break;
    case MATH_UNION:
        collect(m, a->kids[0], p);
        collect(m, a->kids[1], p);
        break;
    case MATH_INTERSECTION: intersect(m, a->kids[0], a->kids[1], false, p); break;
    case MATH_MINUS: intersect(m, a->kids[0], a->kids[1], true, p); break;
    default: p->failed = true;
    }
}

static bool same_end(struct math *m, struct math_node *a, struct math_node *b)
{
    int x = math_infinite(a), y = math_infinite(b);
    return x || y ? x == y : math_scalars_equal(m, a, b);
}

int math_same_real_set(struct math *m, const struct math_node *a, const struct math_node *b)
{
    struct pieces x = {0}, y = {0};
    int told = -1;
    collect(m, a, &x);
    collect(m, b, &y);
    if (!x.failed && !y.failed) {
        normalise(m, &x);
        normalise(m, &y);
    }
    if (!x.failed && !y.failed && !m->over) {
        told = x.n == y.n;
        for (size_t i = 0; told && i < x.n; i++) {
            const struct piece *c = &x.items[i], *d = &y.items[i];
            bool points = c->from == c->to && d->from == d->to;
            told = (points || (c->open_from == d->open_from && c->open_to == d->open_to)) &&
                   same_end(m, c->from, d->from) && same_end(m, c->to, d->to);
        }
    }
    free_pieces(&x);
    free_pieces(&y);
    return told;
}

/* ---- relations --------------------------------------------------------------------------------- */

static struct math_node *interval(struct math *m, struct math_node *from, struct math_node *to,
                                  bool open_from, bool open_to)
{
    struct math_node *a = math_binary(m, MATH_INTERVAL, from, to);
    a->flags = (uint8_t)((open_from ? MATH_OPEN_LEFT : 0) | (open_to ? MATH_OPEN_RIGHT : 0));
    return a;
}

static struct math_node *points(struct math *m, struct math_node *a, struct math_node *b)
{
    return b ? math_binary(m, MATH_SET, a, b) : math_unary(m, MATH_SET, a);
}

static int sign_of(struct math *m, struct math_node *a, bool *told)
{
    int sign = 0;
    *told = math_order(m, a, math_integer(m, 0), &sign);
    return sign;
}

static struct math_node *everything_but(struct math *m, struct math_node *set)
{
    return math_binary(m, MATH_MINUS, math_named(m, MATH_FIELD, SPAN("R")), set);
}

static enum math_relation flipped(enum math_relation op)
{
    switch (op) {
    case MATH_LT: return MATH_GT;
    case MATH_GT: return MATH_LT;
    case MATH_LE: return MATH_GE;
    case MATH_GE: return MATH_LE;
    default: return op;
    }
}

/* x op v */
static struct math_node *half_line(struct math *m, enum math_relation op, struct math_node *v)
{
    bool open = op == MATH_LT || op == MATH_GT;
    switch (op) {
    case MATH_EQ: return points(m, v, NULL);
    case MATH_NE: return everything_but(m, points(m, v, NULL));
    case MATH_LT:
    case MATH_LE: return interval(m, infinity(m, -1), v, true, open);
    default: return interval(m, v, infinity(m, 1), open, true);
    }
}

/* c2 x^2 + c1 x + c0 op 0 with c2 > 0. */
static struct math_node *quadratic(struct math *m, enum math_relation op,
                                   struct math_node *const *c)
{
    struct math_node *two = math_integer(m, 2), *four = math_integer(m, 4);
    struct math_node *inside =
        math_difference(m, math_binary(m, MATH_POW, c[1], two),
                        math_binary(m, MATH_MUL, four, math_binary(m, MATH_MUL, c[2], c[0])));
    bool told;
    int sign = sign_of(m, inside, &told);
    if (!told)
        return NULL;
    bool inner = op == MATH_LT || op == MATH_LE, open = op == MATH_LT || op == MATH_GT;
    if (sign < 0)
        return inner || op == MATH_EQ ? math_make(m, MATH_SET, 0)
                                      : math_named(m, MATH_FIELD, SPAN("R"));
    mpq_t half;
    mpq_init(half);
    mpq_set_ui(half, 1, 2);
    struct math_node *root = math_binary(m, MATH_POW, inside, math_rational(m, half));
    mpq_clear(half);
    struct math_node *middle = math_negative(m, c[1]), *under = math_binary(m, MATH_MUL, two, c[2]);
    struct math_node *low = math_quotient(m, math_difference(m, middle, root), under);
    struct math_node *high = math_quotient(m, math_binary(m, MATH_ADD, middle, root), under);
    if (op == MATH_EQ || op == MATH_NE) {
        struct math_node *set = sign ? points(m, low, high) : points(m, low, NULL);
        return op == MATH_EQ ? set : everything_but(m, set);
    }
    struct math_node *between = interval(m, low, high, inner == open, inner == open);
    return inner ? between : everything_but(m, between);
}

static struct math_node *solve_for(struct math *m, enum math_relation op, struct math_node *f,
                                   const struct math_node *variable)
{
    struct buf name = {0};
    struct math_node *c[3];
    bool told;
    math_print(variable, &name);
    bool ok = math_quadratic(m, f, buf_span(&name), c);
    buf_free(&name);
    if (!ok)
        return NULL;
    int sign = sign_of(m, c[2], &told);
    if (!told)
        return NULL;
    if (sign) {
        for (int k = 0; sign < 0 && k < 3; k++)
            c[k] = math_negative(m, c[k]);
        return quadratic(m, sign < 0 ? flipped(op) : op, c);
    }
    sign = sign_of(m, c[1], &told);
    if (!told || !sign)
        return NULL;
    struct math_node *v = math_quotient(m, math_negative(m, c[0]), c[1]);
    return half_line(m, sign < 0 ? flipped(op) : op, v);
}

/* The one thing that is not known: f(x), |x|, x; NULL when there are several. */
static const struct math_node *unknown(const struct math_node *a, enum math_kind kind)
{
    bool is = kind == MATH_FUNCTION ? a->kind == kind && a->function == MATH_ABS : a->kind == kind;
    if (is)
        return a;
    for (size_t i = 0; i < a->n; i++) {
        const struct math_node *found = unknown(a->kids[i], kind);
        if (found)
            return found;
    }
    return NULL;
}

/* The numbers whose size lies in a set: the set from 0 on, and its mirror image. */
static struct math_node *of_size(struct math *m, struct math_node *set)
{
    struct pieces p = {0};
    struct math_node *zero = math_integer(m, 0);
    struct math_node *positive =
        math_binary(m, MATH_INTERSECTION, set, interval(m, zero, infinity(m, 1), false, true));
    collect(m, positive, &p);
    if (!p.failed)
        normalise(m, &p);
    struct math_node *r = p.failed ? NULL : math_make(m, MATH_SET, 0);
    for (size_t i = 0; r && i < p.n; i++) {
        struct piece c = p.items[i];
        struct math_node *mirror =
            interval(m, math_negative(m, c.to), math_negative(m, c.from), c.open_to, c.open_from);
        r = math_binary(m, MATH_UNION, r, interval(m, c.from, c.to, c.open_from, c.open_to));
        r = math_binary(m, MATH_UNION, r, mirror);
    }
    free_pieces(&p);
    return r;
}

static struct math_node *solve_one(struct math *m, const struct math_node *relation)
{
    struct math_node *f = math_difference(m, relation->kids[0], relation->kids[1]);
    enum math_relation op = (enum math_relation)relation->function;
    const struct math_node *x = unknown(f, MATH_APPLY);
    bool size = false;
    if (!x) {
        x = unknown(f, MATH_FUNCTION);
        size = x && x->kids[0]->kind == MATH_SYMBOL;
        if (!size)
            x = unknown(f, MATH_SYMBOL);
    }
    struct math_node *set = x ? solve_for(m, op, f, x) : NULL;
    return set && size ? of_size(m, set) : set;
}

struct math_node *math_solve(struct math *m, const struct math_node *relation)
{
    if (relation->kind == MATH_RELATION)
        return solve_one(m, relation);
    struct math_node *all = NULL;
    for (size_t i = 0; i < relation->n; i++) {
        struct math_node *set = solve_one(m, relation->kids[i]);
        if (!set)
            return NULL;
        all = all ? math_binary(m, MATH_INTERSECTION, all, set) : set;
    }
    return all;
}
