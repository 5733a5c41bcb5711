/* math_parse.c: structure of a normalised text (grade 6.3): lists, relations, sums, products, powers,
 * brackets. Recursive descent, its depth bounded. */
#include "grade/math_parse.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>

#include "grade/defaults.h"
#include "text/fold.h"

/* ---- reading ----------------------------------------------------------------------------------- */

void math_skip_blank(struct math_parser *p)
{
    while (p->at < p->s.len && p->s.ptr[p->at] == ' ')
        p->at++;
}

bool math_end(struct math_parser *p)
{
    math_skip_blank(p);
    return p->at == p->s.len;
}

static char peek(struct math_parser *p)
{
    return math_end(p) ? '\0' : p->s.ptr[p->at];
}

bool math_at(struct math_parser *p, const char *word)
{
    size_t n = strlen(word);
    math_skip_blank(p);
    if (p->s.len - p->at < n || memcmp(p->s.ptr + p->at, word, n) != 0)
        return false;
    bool command = word[0] == '\\' && isalpha((unsigned char)word[1]);
    return !command || p->at + n == p->s.len || !isalpha((unsigned char)p->s.ptr[p->at + n]);
}

bool math_take(struct math_parser *p, const char *word)
{
    if (!math_at(p, word))
        return false;
    p->at += strlen(word);
    return true;
}

struct span math_braces(struct math_parser *p)
{
    int depth = 0;
    if (peek(p) != '{')
        return (struct span){0};
    size_t from = p->at + 1;
    for (size_t i = p->at; i < p->s.len; i++) {
        char c = p->s.ptr[i];
        if (c == '\\' && i + 1 < p->s.len) {
            i++;
            continue;
        }
        depth += (c == '{') - (c == '}');
        if (depth == 0) {
            p->at = i + 1;
            return span_slice(p->s, from, i);
        }
    }
    p->at = p->s.len; /* its closing brace is missing */
    return span_slice(p->s, from, p->s.len);
}

struct math_node *math_inside(struct math_parser *p, struct span text)
{
    struct math_parser inner = {.m = p->m, .s = text, .depth = p->depth + 1};
    if (p->depth >= MATH_DEPTH)
        return NULL;
    struct math_node *a = math_members(&inner);
    return a && math_end(&inner) ? a : NULL;
}

/* ---- brackets ---------------------------------------------------------------------------------- */

/* A list as members of a collection of that kind. */
static struct math_node *collection(struct math *m, enum math_kind kind, struct math_node *list)
{
    if (list->kind == MATH_LIST) {
        list->kind = (uint8_t)kind;
        return list;
    }
    return math_unary(m, kind, list);
}

/* Members up to a closing bracket, in a context of their own. */
static struct math_node *members_until(struct math_parser *p, const char *one, const char *other,
                                       char *closed)
{
    bool bars = p->in_bars, list = p->in_list, calls = p->no_calls;
    p->in_bars = p->no_calls = false;
    p->in_list = true;
    struct math_node *a = math_members(p);
    p->in_bars = bars;
    p->in_list = list;
    p->no_calls = calls;
    *closed = '\0';
    if (a && math_take(p, one))
        *closed = one[strlen(one) - 1];
    else if (a && other && math_take(p, other))
        *closed = other[strlen(other) - 1];
    return *closed ? a : NULL;
}

/* (a), (a, b), [a, b), … */
static struct math_node *bracketed(struct math_parser *p, char open)
{
    char closed;
    p->at++;
    struct math_node *a = members_until(p, ")", open == ']' ? "[" : "]", &closed);
    if (!a)
        return NULL;
    if (a->kind != MATH_LIST) {
        if (open == '[' && closed == ')')
            return NULL;
        struct math_node *r = math_with_kids(p->m, a, a->kids, a->n);
        if (a->kind == MATH_NUMBER) {
            r = math_rational(p->m, a->q);
            r->flags = a->flags;
        }
        r->flags |= MATH_GROUPED;
        return r;
    }
    bool round = open == '(' && closed == ')', square = open == '[' && closed == ']';
    if (a->n == 2) {
        a->kind = MATH_INTERVAL;
        a->flags = (uint8_t)((open != '[' ? MATH_OPEN_LEFT : 0) |
                             (closed != ']' || open == ']' ? MATH_OPEN_RIGHT : 0) |
                             (round ? MATH_ROUND : 0) | (square ? MATH_SQUARE : 0));
        if (open == ']' && closed == ']') /* ]a, b] */
            a->flags = MATH_OPEN_LEFT;
        return a;
    }
    a->kind = MATH_TUPLE;
    return a;
}

static struct math_node *braced_set(struct math_parser *p)
{
    char closed;
    if (math_take(p, "\\}"))
        return math_make(p->m, MATH_SET, 0);
    bool bars = p->in_bars;
    p->in_bars = true; /* a bar ends the part in front of a condition */
    struct math_node *a = members_until(p, "\\}", NULL, &closed);
    p->in_bars = bars;
    return a ? collection(p->m, MATH_SET, a) : NULL;
}

static struct math_node *bars(struct math_parser *p, const char *close, enum math_function f)
{
    bool before = p->in_bars, calls = p->no_calls;
    p->in_bars = true;
    p->no_calls = false;
    struct math_node *a = math_sum_of(p);
    p->in_bars = before;
    p->no_calls = calls;
    return a && math_take(p, close) ? math_call(p->m, f, a, NULL) : NULL;
}

static struct math_node *group(struct math_parser *p)
{
    struct span text = math_braces(p);
    if (text_blank(text))
        return NULL;
    size_t over = span_find(text, SPAN("\\choose"), 0);
    if (over != SIZE_MAX) { /* {n \choose k} */
        struct math_node *n = math_inside(p, span_slice(text, 0, over));
        struct math_node *k = math_inside(p, span_slice(text, over + 7, text.len));
        return n && k ? math_call(p->m, MATH_BINOMIAL, n, k) : NULL;
    }
    struct math_node *a = math_inside(p, text);
    return a && a->kind == MATH_LIST ? collection(p->m, MATH_SET, a) : a;
}

static struct math_node *atom(struct math_parser *p)
{
    char c = peek(p);
    if (c == '(' || c == '[' || c == ']')
        return bracketed(p, c);
    if (c == '{')
        return group(p);
    if (c == '|') {
        p->at++;
        return bars(p, "|", MATH_ABS);
    }
    if (math_take(p, "\\|"))
        return bars(p, "\\|", MATH_NORM);
    if (math_take(p, "\\lfloor"))
        return bars(p, "\\rfloor", MATH_FLOOR);
    if (math_take(p, "\\lceil"))
        return bars(p, "\\rceil", MATH_CEIL);
    if (math_take(p, "\\{"))
        return braced_set(p);
    if (math_take(p, "\\langle")) {
        char closed;
        struct math_node *a = members_until(p, "\\rangle", NULL, &closed);
        return a ? collection(p->m, MATH_TUPLE, a) : NULL;
    }
    if (isdigit((unsigned char)c) || c == '.')
        return math_number_at(p);
    if (c == '\\')
        return math_command(p);
    return isalpha((unsigned char)c) || (unsigned char)c >= 0x80 ? math_word(p) : NULL;
}

struct math_node *math_argument(struct math_parser *p)
{
    char c = peek(p);
    if (c == '{') {
        struct span text = math_braces(p);
        return math_inside(p, text);
    }
    if (isdigit((unsigned char)c)) {
        struct math_node *a = math_integer(p->m, c - '0');
        a->flags |= MATH_WRITTEN;
        p->at++;
        return a;
    }
    if (isalpha((unsigned char)c)) {
        struct span one = span_slice(p->s, p->at, p->at + 1);
        p->at++;
        return math_inside(p, one);
    }
    return c == '\\' ? math_command(p) : c == '(' ? bracketed(p, c) : NULL;
}

/* ---- powers and marks -------------------------------------------------------------------------- */

/* What stands behind ^: {…}, a number, a sign and one of them, one atom. */
static struct math_node *exponent(struct math_parser *p)
{
    if (math_take(p, "-")) {
        struct math_node *a = exponent(p);
        return a ? math_negative(p->m, a) : NULL;
    }
    math_take(p, "+");
    if (isdigit((unsigned char)peek(p))) {
        bool list = p->in_list;
        p->in_list = true;
        struct math_node *a = math_number_at(p);
        p->in_list = list;
        return a;
    }
    return math_argument(p);
}

static bool degree_mark(struct math_parser *p)
{
    size_t back = p->at;
    if (math_take(p, "^\\circ") || math_take(p, "^{\\circ}") || math_take(p, "^{\\circ }") ||
        math_take(p, "^ \\circ") || math_take(p, "^{^\\circ }")) {
        if (math_at(p, "C") || math_at(p, "F")) /* temperatures */
            p->at++;
        return true;
    }
    p->at = back;
    return false;
}

/* The text of a subscript, blanks and braces left out; moves behind it. */
static void subscript(struct math_parser *p, struct buf *name)
{
    struct span text = math_braces(p);
    if (!text.ptr) {
        size_t from = p->at;
        if (math_end(p))
            return;
        if (p->s.ptr[p->at] == '\\')
            while (p->at + 1 < p->s.len && isalpha((unsigned char)p->s.ptr[p->at + 1]))
                p->at++;
        p->at++;
        text = span_slice(p->s, from, p->at);
    }
    buf_byte(name, '_');
    for (size_t i = 0; i < text.len; i++)
        if (!strchr(" {}", text.ptr[i]))
            buf_byte(name, text.ptr[i]);
}

static struct math_node *with_subscript(struct math_parser *p, struct math_node *a)
{
    struct buf name = {0};
    if (a->kind == MATH_E || a->kind == MATH_I)
        buf_text(&name, a->kind == MATH_E ? "e" : "i");
    else
        buf_span_add(&name, a->name);
    subscript(p, &name);
    bool symbol =
        a->kind == MATH_SYMBOL || a->kind == MATH_TEXT || a->kind == MATH_E || a->kind == MATH_I;
    if (symbol)
        a = math_named(p->m, a->kind == MATH_TEXT ? MATH_TEXT : MATH_SYMBOL, buf_span(&name));
    else if (a->kind == MATH_FIELD || a->kind == MATH_APPLY) {
        a = math_with_kids(p->m, a, a->kids, a->n);
        a->name = arena_span(&p->m->arena, buf_span(&name));
    }
    buf_free(&name); /* on a number it says the base: dropped */
    return a;
}

static struct math_node *primed(struct math_parser *p, struct math_node *a)
{
    struct buf name = {0};
    buf_span_add(&name, a->name);
    buf_byte(&name, '\'');
    struct math_node *r = math_with_kids(p->m, a, a->kids, a->n);
    r->name = arena_span(&p->m->arena, buf_span(&name));
    buf_free(&name);
    return a->kind == MATH_NUMBER ? NULL : r;
}

/* f(x) of an unknown function. */
static struct math_node *applied(struct math_parser *p, struct math_node *a)
{
    if (a->kind != MATH_SYMBOL || !p->s.len || p->at >= p->s.len || p->s.ptr[p->at] != '(' ||
        !a->name.len || !strchr("fghFGH", a->name.ptr[0]))
        return a;
    struct math_node *x = bracketed(p, '(');
    if (!x)
        return NULL;
    bool several = x->kind == MATH_TUPLE || x->kind == MATH_INTERVAL;
    struct math_node *r = math_make(p->m, MATH_APPLY, several ? x->n : 1);
    r->name = a->name;
    for (size_t i = 0; i < r->n; i++)
        r->kids[i] = several ? x->kids[i] : x;
    return r;
}

struct math_node *math_factor(struct math_parser *p)
{
    if (p->depth >= MATH_DEPTH || !math_spend(p->m, 1))
        return NULL;
    p->depth++;
    struct math_node *a = atom(p), *e;
    if (a)
        a = applied(p, a);
    for (int marks = 0; a && marks < MATH_DEPTH; marks++) {
        if (degree_mark(p)) {
            a = math_unary(p->m, MATH_DEGREES, a);
        } else if (math_take(p, "^")) {
            if (math_take(p, "\\prime") || math_take(p, "{\\prime}")) {
                a = primed(p, a);
                continue;
            }
            if (a->kind == MATH_FIELD) { /* R^2, R^+ */
                struct buf name = {0};
                buf_span_add(&name, a->name);
                subscript(p, &name);
                a = math_named(p->m, MATH_FIELD, buf_span(&name));
                buf_free(&name);
                continue;
            }
            e = exponent(p);
            a = e ? math_binary(p->m, MATH_POW, a, e) : NULL;
        } else if (math_take(p, "_")) {
            a = with_subscript(p, a);
            a = a ? applied(p, a) : a;
        } else if (peek(p) == '!') {
            p->at++;
            a = peek(p) == '!' ? NULL : math_call(p->m, MATH_FACTORIAL, a, NULL);
        } else if (math_take(p, "'")) {
            a = primed(p, a);
        } else if (math_take(p, "\\%") || math_take(p, "%")) {
            a = math_unary(p->m, MATH_PERCENT, a);
        } else {
            break;
        }
    }
    p->depth--;
    return p->m->over ? NULL : a;
}

/* ---- products ---------------------------------------------------------------------------------- */

static bool all_digits(struct span s)
{
    s = text_strip(s);
    for (size_t i = 0; i < s.len; i++)
        if (!isdigit((unsigned char)s.ptr[i]))
            return false;
    return s.len > 0;
}

/* \frac{1}{2}, \frac12 or 1/2 of digits alone, behind a whole number. */
static bool fraction_of_digits(struct math_parser *p)
{
    struct math_parser look = *p;
    if (math_take(&look, "\\frac")) {
        for (int i = 0; i < 2; i++) {
            struct span text = math_braces(&look);
            if (text.ptr ? !all_digits(text) : !isdigit((unsigned char)peek(&look)))
                return false;
            look.at += text.ptr ? 0 : 1;
        }
        return true;
    }
    size_t n = math_digits_at(&look, look.at);
    if (!n || look.at + n >= look.s.len || look.s.ptr[look.at + n] != '/')
        return false;
    return math_digits_at(&look, look.at + n + 1) > 0;
}

static struct math_node *mixed(struct math_parser *p, struct math_node *whole)
{
    struct math_node *part;
    math_skip_blank(p);
    if (math_at(p, "\\frac")) {
        part = math_command(p);
    } else {
        struct math_node *a = math_number_at(p);
        p->at++; /* the stroke */
        struct math_node *b = a ? math_number_at(p) : NULL;
        part = b ? math_quotient(p->m, a, b) : NULL;
    }
    return part ? math_binary(p->m, MATH_ADD, whole, part) : NULL;
}

/* Another factor stands directly behind. */
static bool factor_follows(struct math_parser *p)
{
    static const char *const stops[] = {
        "\\times",  "\\cdot",  "\\div",        "\\pm",         "\\mp",      "\\le",       "\\ge",
        "\\ne",     "\\in",    "\\notin",      "\\cup",        "\\cap",     "\\setminus", "\\}",
        "\\rfloor", "\\rceil", "\\rangle",     "\\|",          "\\\\",      "\\approx",   "\\equiv",
        "\\end",    "\\to",    "\\rightarrow", "\\Rightarrow", "\\implies", "\\%",        "\\bmod",
        "\\mod",    "\\sim",   "\\cong",       "\\simeq",      "\\subset",  "\\subseteq", "\\land",
        "\\lor",    "\\wedge", "\\vee",        "\\middle",
    };
    char c = peek(p);
    if (!c || strchr("+-*/:,;=<>)]}^_!&'%", c) || (c == '|' && p->in_bars))
        return false;
    for (size_t i = 0; c == '\\' && i < sizeof stops / sizeof *stops; i++)
        if (math_at(p, stops[i]))
            return false;
    return true;
}

static bool call_follows(struct math_parser *p)
{
    enum math_function f;
    char c = peek(p);
    size_t from = p->at + (c == '\\'), to = from;
    while (to < p->s.len && isalpha((unsigned char)p->s.ptr[to]))
        to++;
    return to > from + 1 && math_function_named(span_slice(p->s, from, to), &f);
}

struct math_node *math_factors(struct math_parser *p, struct math_node *first)
{
    struct math_node *a = first, *product = NULL;
    size_t cap = 0, n = 1;
    struct math_node **items = NULL;
    while (a && factor_follows(p) && !(p->no_calls && call_follows(p))) {
        struct math_node *last = n == 1 ? a : items[n - 1];
        bool whole = last->kind == MATH_NUMBER && last->flags & MATH_WRITTEN;
        struct math_node *next;
        if (whole && n == 1 && !(last->flags & MATH_GROUPED) && fraction_of_digits(p)) {
            a = mixed(p, a);
            continue;
        }
        if (last->kind == MATH_NUMBER && isdigit((unsigned char)peek(p)))
            next = NULL; /* "3 4" is no product */
        else
            next = math_factor(p);
        if (!next || n >= MATH_NODES_MAX) {
            a = NULL;
            break;
        }
        items = mem_grow(items, &cap, n + 1, sizeof *items);
        items[0] = a;
        items[n++] = next;
    }
    if (a && n > 1) {
        product = math_make(p->m, MATH_MUL, n);
        memcpy(product->kids, items, n * sizeof *items);
    }
    free(items);
    return a && n > 1 ? product : a;
}

static struct math_node *signed_factors(struct math_parser *p)
{
    bool negative = false, sign = false;
    int count = 0;
    for (; count < MATH_DEPTH; count++, sign = true) {
        if (math_take(p, "-"))
            negative = !negative;
        else if (!math_take(p, "+"))
            break;
    }
    if (math_take(p, "\\pm") || math_take(p, "\\mp")) {
        struct math_node *b = signed_factors(p);
        return b ? math_binary(p->m, MATH_PLUSMINUS, math_integer(p->m, 0), b) : NULL;
    }
    (void)sign;
    struct math_node *first = math_factor(p);
    struct math_node *a = first ? math_factors(p, first) : NULL;
    return a && negative ? math_negative(p->m, a) : a;
}

static struct math_node *product_of(struct math_parser *p)
{
    struct math_node *a = signed_factors(p), *b;
    while (a && math_spend(p->m, 1)) {
        if (math_take(p, "*") || math_take(p, "\\times") || math_take(p, "\\cdot")) {
            b = signed_factors(p);
            a = b ? math_binary(p->m, MATH_MUL, a, b) : NULL;
        } else if (math_take(p, "/") || math_take(p, "\\div") || math_take(p, ":")) {
            b = signed_factors(p);
            a = b ? math_quotient(p->m, a, b) : NULL;
        } else if (math_take(p, "\\bmod") || math_take(p, "\\mod")) {
            b = signed_factors(p);
            a = b ? math_call(p->m, MATH_MOD, a, b) : NULL;
        } else {
            return a;
        }
    }
    return NULL;
}

struct math_node *math_sum_of(struct math_parser *p)
{
    if (p->depth >= MATH_DEPTH)
        return NULL;
    p->depth++;
    struct math_node *a = product_of(p), *b;
    while (a && math_spend(p->m, 1)) {
        bool mp = math_at(p, "\\mp");
        if (math_take(p, "+")) {
            b = product_of(p);
            a = b ? math_binary(p->m, MATH_ADD, a, b) : NULL;
        } else if (math_take(p, "-")) {
            b = product_of(p);
            a = b ? math_difference(p->m, a, b) : NULL;
        } else if (math_take(p, "\\pm") || math_take(p, "\\mp")) {
            b = product_of(p);
            a = b ? math_binary(p->m, MATH_PLUSMINUS, a, b) : NULL;
            if (a)
                a->function = mp;
        } else {
            p->depth--;
            return a;
        }
    }
    p->depth--;
    return NULL;
}

static struct math_node *sets_of(struct math_parser *p)
{
    struct math_node *a = math_sum_of(p), *b;
    while (a) {
        enum math_kind kind;
        if (math_take(p, "\\cup"))
            kind = MATH_UNION;
        else if (math_take(p, "\\cap"))
            kind = MATH_INTERSECTION;
        else if (math_take(p, "\\setminus"))
            kind = MATH_MINUS;
        else
            break;
        b = math_sum_of(p);
        a = b ? math_binary(p->m, kind, a, b) : NULL;
    }
    return a;
}

/* ---- relations and lists ----------------------------------------------------------------------- */

static bool take_relation(struct math_parser *p, enum math_relation *op)
{
    static const struct {
        const char *word;
        enum math_relation op;
    } ops[] = {{"\\le", MATH_LE},        {"\\ge", MATH_GE},
               {"\\ne", MATH_NE},        {":=", MATH_EQ},
               {"=", MATH_EQ},           {"<", MATH_LT},
               {">", MATH_GT},           {"\\approx", MATH_APPROX},
               {"\\simeq", MATH_APPROX}, {"\\sim", MATH_APPROX},
               {"\\equiv", MATH_EQ},     {"\\cong", MATH_EQ}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (math_take(p, ops[i].word)) {
            *op = ops[i].op;
            return true;
        }
    return false;
}

static struct math_node *relation(struct math *m, enum math_relation op, struct math_node *a,
                                  struct math_node *b)
{
    struct math_node *r = math_binary(m, MATH_RELATION, a, b);
    r->function = (uint8_t)op;
    return r;
}

enum { CHAIN_MAX = 32 };

/* x = … = v is x = v; what is only approximate behind an exact value goes. */
static struct math_node *chained(struct math *m, struct math_node **parts, enum math_relation *ops,
                                 size_t n)
{
    bool equations = true;
    for (size_t i = 1; i < n; i++)
        if (ops[i] == MATH_APPROX)
            n = i;
    for (size_t i = 0; i < n; i++) {
        if (ops[i] == MATH_APPROX)
            ops[i] = MATH_EQ;
        equations = equations && ops[i] == MATH_EQ;
    }
    if (n == 1)
        return relation(m, ops[0], parts[0], parts[1]);
    if (equations) {
        struct math_node *left = math_has(parts[0], MATH_NUMBER) ? parts[n - 1] : parts[0];
        return relation(m, MATH_EQ, left, parts[n]);
    }
    struct math_node *chain = math_make(m, MATH_CHAIN, n);
    for (size_t i = 0; i < n; i++)
        chain->kids[i] = relation(m, ops[i], parts[i], parts[i + 1]);
    return chain;
}

struct math_node *math_relation_of(struct math_parser *p)
{
    struct math_node *parts[CHAIN_MAX + 1];
    enum math_relation ops[CHAIN_MAX];
    size_t n = 0;
    if (p->depth >= MATH_DEPTH)
        return NULL;
    p->depth++;
    enum math_relation op;
    if (math_take(p, "\\approx")) /* "\approx 3" */
        ;
    else if (take_relation(p, &op) && op != MATH_EQ) { /* "\ge 3" says nothing of what */
        p->depth--;
        return NULL;
    }
    parts[0] = sets_of(p);
    while (n < CHAIN_MAX && parts[n] && take_relation(p, &ops[n])) {
        n++;
        parts[n] = sets_of(p);
    }
    struct math_node *a = parts[n];
    if (a && n)
        a = chained(p->m, parts, ops, n);
    else if (a && math_take(p, "\\in")) {
        struct math_node *set = sets_of(p);
        a = set ? math_binary(p->m, MATH_IN, a, set) : NULL;
    }
    p->depth--;
    return a;
}

/* Commas and semicolons; `apart` says that a semicolon is among them. */
static bool take_comma(struct math_parser *p, bool *apart)
{
    bool any = false;
    *apart = false;
    for (;;) {
        if (math_take(p, ";"))
            *apart = true;
        else if (!math_take(p, ","))
            return any;
        any = true;
    }
}

static bool closes(struct math_parser *p)
{
    char c = peek(p);
    return !c || strchr(")]}&", c) || math_at(p, "\\}") || math_at(p, "\\rangle") ||
           math_at(p, "\\\\") || math_at(p, "\\end");
}

struct items {
    struct math_node **list;
    size_t n, cap;
};

static void push(struct items *items, struct math_node *a)
{
    items->list = mem_grow(items->list, &items->cap, items->n + 1, sizeof *items->list);
    items->list[items->n++] = a;
}

/* From `from` on as one node of that kind. */
static struct math_node *gathered(struct math *m, enum math_kind kind, const struct items *items,
                                  size_t from)
{
    struct math_node *a = math_make(m, kind, items->n - from);
    memcpy(a->kids, items->list + from, a->n * sizeof *a->kids);
    return a;
}

/* a, b; c, d: what semicolons part are tuples when each has several members. */
static struct math_node *listed(struct math *m, struct items *items, const size_t *starts,
                                size_t groups)
{
    bool several = groups > 1;
    for (size_t g = 0; g < groups; g++)
        several = several && (g + 1 < groups ? starts[g + 1] : items->n) - starts[g] > 1;
    if (!several)
        return items->n == 1 ? items->list[0] : gathered(m, MATH_LIST, items, 0);
    struct math_node *list = math_make(m, MATH_LIST, groups);
    for (size_t g = groups; g-- > 0;) {
        list->kids[g] = gathered(m, MATH_TUPLE, items, starts[g]);
        items->n = starts[g];
    }
    return list;
}

struct math_node *math_members(struct math_parser *p)
{
    struct items items = {0};
    size_t starts[MATH_ITEMS_MAX], groups = 1;
    bool ok = true, apart;
    starts[0] = 0;
    take_comma(p, &apart);
    do {
        if (items.n && closes(p)) /* a comma at the end */
            break;
        if (items.n && apart)
            starts[groups++] = items.n;
        struct math_node *a = math_relation_of(p);
        ok = a && items.n < MATH_ITEMS_MAX - 1;
        if (ok)
            push(&items, a);
    } while (ok && take_comma(p, &apart));
    struct math_node *list = ok && items.n ? listed(p->m, &items, starts, groups) : NULL;
    free(items.list);
    return list;
}

/* What follows from the rest: behind the last arrow. */
static struct span conclusion(struct span s)
{
    static const char *const arrows[] = {"\\Rightarrow", "\\implies", "\\therefore",
                                         "\\Longrightarrow"};
    for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++)
        for (size_t at; (at = span_find(s, span_text(arrows[i]), 0)) != SIZE_MAX;)
            s = span_slice(s, at + strlen(arrows[i]), s.len);
    return s;
}

struct math_node *math_parse(struct math *m, struct span text)
{
    struct math_parser p = {.m = m, .s = conclusion(text)};
    struct math_node *a = math_members(&p);
    return a && math_end(&p) && !m->over ? a : NULL;
}
