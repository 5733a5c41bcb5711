/* math_tree.h: expressions as trees, inside room `grade`: what the math_*.c files share. */
#ifndef WAI_GRADE_MATH_TREE_H
#define WAI_GRADE_MATH_TREE_H

#include <gmp.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

enum math_kind {
    MATH_NUMBER, /* q; flags say how it was written */
    MATH_SYMBOL, /* name: "x", "x_1", "\alpha" */
    MATH_TEXT,   /* name: a word of several letters */
    MATH_PI,
    MATH_E,
    MATH_I,
    MATH_INFINITY,
    MATH_ADD,       /* kids */
    MATH_MUL,       /* kids, in written order */
    MATH_POW,       /* base, exponent */
    MATH_FUNCTION,  /* function, kids: arguments */
    MATH_APPLY,     /* name(kids) of an unknown function */
    MATH_PERCENT,   /* kid: the number in front of % */
    MATH_DEGREES,   /* kid */
    MATH_PLUSMINUS, /* kids: a, b; kids[0] may be 0; function 0 is +-, 1 is -+ */
    /* ---- collections */
    MATH_TUPLE,    /* (a, b), [a, b, c] */
    MATH_SET,      /* {a, b} */
    MATH_LIST,     /* a, b */
    MATH_INTERVAL, /* kids: from, to; flags: open ends */
    MATH_UNION,
    MATH_INTERSECTION,
    MATH_MINUS, /* set difference */
    MATH_FIELD, /* name: R, Q, Z, N, C */
    MATH_IN,    /* kids: x, set */
    /* ---- relations */
    MATH_RELATION, /* function: enum math_relation; kids: left, right */
    MATH_CHAIN,    /* kids: relations, all of which hold */
    MATH_MATRIX,   /* columns; kids row by row */
    MATH_OPERATOR, /* name: "sum" ...; kids: body, variable, from, to */
};

enum math_flag {
    MATH_FLOAT = 1,     /* a decimal */
    MATH_WRITTEN = 2,   /* an integer written as digits alone */
    MATH_OPEN_LEFT = 4, /* of an interval */
    MATH_OPEN_RIGHT = 8,
    MATH_ROUND = 16,   /* (a, b): an open interval or a pair */
    MATH_SQUARE = 32,  /* [a, b] */
    MATH_GROUPED = 64, /* stood in parentheses */
};

enum math_relation { MATH_EQ, MATH_NE, MATH_LT, MATH_LE, MATH_GT, MATH_GE, MATH_APPROX };

enum math_function {
    MATH_SIN,
    MATH_COS,
    MATH_TAN,
    MATH_COT,
    MATH_SEC,
    MATH_CSC,
    MATH_ASIN,
    MATH_ACOS,
    MATH_ATAN,
    MATH_ACOT,
    MATH_ASEC,
    MATH_ACSC,
    MATH_SINH,
    MATH_COSH,
    MATH_TANH,
    MATH_COTH,
    MATH_SECH,
    MATH_CSCH,
    MATH_ASINH,
    MATH_ACOSH,
    MATH_ATANH,
    MATH_EXP,
    MATH_LN,
    MATH_LOG, /* LOG: argument, base */
    MATH_ABS,
    MATH_FLOOR,
    MATH_CEIL,
    MATH_FACTORIAL,
    MATH_BINOMIAL,
    MATH_RE,
    MATH_IM,
    MATH_CONJUGATE,
    MATH_DET,
    MATH_GAMMA,
    MATH_MAX,
    MATH_MIN,
    MATH_GCD,
    MATH_LCM,
    MATH_NORM,
    MATH_MOD,
    MATH_FUNCTIONS,
};

struct math_node {
    uint8_t kind, function, flags;
    uint32_t n, columns;
    struct math_node **kids;
    struct span name;
    mpq_t q;                       /* of a number */
    struct math_node *next_number; /* to be cleared */
};

/* Where nodes live, and what work they may cost. */
struct math {
    struct arena arena;
    struct math_node *numbers;
    size_t nodes;
    int64_t steps;   /* of work, of whatever kind */
    double deadline; /* processor seconds of this thread */
    bool over;       /* the budget is spent: results mean nothing */
};

void math_open(struct math *m, double timeout_s);
void math_close(struct math *m);

/* Counts work. False once the budget is spent. */
bool math_spend(struct math *m, int64_t steps);

/* ---- making nodes; kids are borrowed, all live as long as m ------------------------------------ */

struct math_node *math_make(struct math *m, enum math_kind kind, size_t n);
struct math_node *math_unary(struct math *m, enum math_kind kind, struct math_node *a);
struct math_node *math_binary(struct math *m, enum math_kind kind, struct math_node *a,
                              struct math_node *b);
struct math_node *math_call(struct math *m, enum math_function f, struct math_node *a,
                            struct math_node *b); /* b may be NULL */
struct math_node *math_named(struct math *m, enum math_kind kind, struct span name);
struct math_node *math_integer(struct math *m, long value);
struct math_node *math_rational(struct math *m, const mpq_t value);
struct math_node *math_negative(struct math *m, struct math_node *a);
struct math_node *math_quotient(struct math *m, struct math_node *a, struct math_node *b);
struct math_node *math_difference(struct math *m, struct math_node *a, struct math_node *b);
struct math_node *math_with_kids(struct math *m, const struct math_node *like,
                                 struct math_node *const *kids, size_t n);

/* ---- asking ------------------------------------------------------------------------------------ */

bool math_is_collection(const struct math_node *a); /* tuple ... field */
bool math_is_relation(const struct math_node *a);
bool math_has(const struct math_node *a, enum math_kind kind);
bool math_has_flag(const struct math_node *a, uint8_t flag);          /* some number has it */
bool math_same(const struct math_node *a, const struct math_node *b); /* the same tree */

/* Names of the symbols inside (functions' names too when `functions`), each once, sorted. */
struct math_names {
    struct span *items;
    size_t n, cap;
};
void math_names(const struct math_node *a, struct math_names *names);
void math_names_free(struct math_names *names);

/* One text that equal trees share. */
void math_print(const struct math_node *a, struct buf *out);

/* A copy with each symbol of that name replaced. */
struct math_node *math_replace(struct math *m, struct math_node *a, struct span name,
                               struct math_node *by);

/* ---- math_text.c, math_parse.c ----------------------------------------------------------------- */

/* Boxes opened, spelling made plain, units dropped (grade 6.2). Appends to out. */
void math_normalise(struct span text, struct buf *out);

/* The bodies of the boxes that stand together at the right end; false: there is none. */
bool math_boxed(struct span text, struct buf *out);

/* A normalised text as a tree; NULL when it is none. */
struct math_node *math_parse(struct math *m, struct span text);

/* ---- math_exact.c ------------------------------------------------------------------------------ */

/* The exact value when that is a rational number. */
bool math_rational_value(struct math *m, const struct math_node *a, mpq_t out);

/* a - b is zero by the exact normal form of rational functions (1), is not (0), cannot be told (-1). */
int math_zero_difference(struct math *m, const struct math_node *a, const struct math_node *b);

/* a = k b for some number k that is not 0, as polynomials over quotients; the same answers. */
int math_proportional(struct math *m, const struct math_node *a, const struct math_node *b);

/* Coefficients c[0..2] of a polynomial in one symbol or function value of degree at most 2, numbers
 * all of them; false when a is none. The variable is told by its printed text. */
bool math_quadratic(struct math *m, const struct math_node *a, struct span variable,
                    struct math_node *c[3]);

/* ---- math_ball.c, math_eval.c ------------------------------------------------------------------ */

/* a and b have the same value: 1, 0, or -1 when it cannot be told (an undefined value, too few points
 * where both are defined). Symbols get fixed rational values. */
int math_same_value(struct math *m, const struct math_node *a, const struct math_node *b);

/* Both round to the same `digits` decimals; 1, 0, -1. Numbers without symbols. */
int math_same_rounded(struct math *m, const struct math_node *a, const struct math_node *b,
                      int digits);

/* Sign of a - b for real numbers without symbols; false: not told. Infinities count. */
bool math_order(struct math *m, const struct math_node *a, const struct math_node *b, int *sign);

/* +1, -1 for an infinity, else 0. */
int math_infinite(const struct math_node *a);

/* ---- math_reduce.c ----------------------------------------------------------------------------- */

/* What can be carried out: sums with bounds, derivatives, simple integrals, matrices, and a set of two
 * for each plus-minus. */
struct math_node *math_reduce(struct math *m, struct math_node *a);

/* ---- math_sets.c ------------------------------------------------------------------------------- */

/* The same set of real numbers: 1, 0; -1 when one of them is not made of intervals and points. */
int math_same_real_set(struct math *m, const struct math_node *a, const struct math_node *b);

/* The real numbers for which a relation in one variable holds, as a set; NULL when not told. */
struct math_node *math_solve(struct math *m, const struct math_node *relation);

/* ---- math_ladder.c ----------------------------------------------------------------------------- */

bool math_trees_equal(struct math *m, struct math_node *gold, struct math_node *candidate);

/* Values of two trees that are no collections, relations or matrices. */
bool math_scalars_equal(struct math *m, struct math_node *gold, struct math_node *candidate);

#endif
