/* math_atoms.c: commands and words of a formula: functions, fractions, roots, matrices, sums
 * (grade 6.3). */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>

#include "grade/defaults.h"
#include "grade/math_parse.h"
#include "text/fold.h"

static const struct {
    const char *name;
    enum math_function f;
} FUNCTIONS[] = {
    {"sin", MATH_SIN},       {"cos", MATH_COS},       {"tan", MATH_TAN},
    {"cot", MATH_COT},       {"sec", MATH_SEC},       {"csc", MATH_CSC},
    {"arcsin", MATH_ASIN},   {"arccos", MATH_ACOS},   {"arctan", MATH_ATAN},
    {"arccot", MATH_ACOT},   {"arcsec", MATH_ASEC},   {"arccsc", MATH_ACSC},
    {"asin", MATH_ASIN},     {"acos", MATH_ACOS},     {"atan", MATH_ATAN},
    {"tg", MATH_TAN},        {"ctg", MATH_COT},       {"arctg", MATH_ATAN},
    {"arcctg", MATH_ACOT},   {"cosec", MATH_CSC},     {"sinh", MATH_SINH},
    {"cosh", MATH_COSH},     {"tanh", MATH_TANH},     {"coth", MATH_COTH},
    {"sech", MATH_SECH},     {"csch", MATH_CSCH},     {"arcsinh", MATH_ASINH},
    {"arccosh", MATH_ACOSH}, {"arctanh", MATH_ATANH}, {"arsinh", MATH_ASINH},
    {"arcosh", MATH_ACOSH},  {"artanh", MATH_ATANH},  {"exp", MATH_EXP},
    {"ln", MATH_LN},         {"log", MATH_LOG},       {"lg", MATH_LOG},
    {"abs", MATH_ABS},       {"floor", MATH_FLOOR},   {"ceil", MATH_CEIL},
    {"Re", MATH_RE},         {"Im", MATH_IM},         {"det", MATH_DET},
    {"Gamma", MATH_GAMMA},   {"max", MATH_MAX},       {"min", MATH_MIN},
    {"gcd", MATH_GCD},       {"lcm", MATH_LCM},
};

bool math_function_named(struct span name, enum math_function *f)
{
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
        if (span_is(name, FUNCTIONS[i].name)) {
            *f = FUNCTIONS[i].f;
            return true;
        }
    return false;
}

/* ---- functions --------------------------------------------------------------------------------- */

static bool circular(enum math_function f)
{
    return f <= MATH_CSC;
}

/* Degrees under a circular function are an angle: times pi / 180. */
static struct math_node *in_radians(struct math *m, struct math_node *a)
{
    if (a->kind == MATH_DEGREES) {
        mpq_t q;
        mpq_init(q);
        mpq_set_ui(q, 1, 180);
        struct math_node *part = math_rational(m, q);
        mpq_clear(q);
        return math_binary(m, MATH_MUL, math_binary(m, MATH_MUL, part, math_make(m, MATH_PI, 0)),
                           a->kids[0]);
    }
    if (!math_has(a, MATH_DEGREES))
        return a;
    struct math_node *r = math_with_kids(m, a, a->kids, a->n);
    for (size_t i = 0; i < r->n; i++)
        r->kids[i] = in_radians(m, r->kids[i]);
    return r;
}

static enum math_function inverse_of(enum math_function f)
{
    if (f >= MATH_SIN && f <= MATH_CSC)
        return (enum math_function)(f - MATH_SIN + MATH_ASIN);
    if (f >= MATH_SINH && f <= MATH_TANH)
        return (enum math_function)(f - MATH_SINH + MATH_ASINH);
    return MATH_FUNCTIONS;
}

/* The argument: in brackets, else the factors behind, up to the next function. */
static struct math_node *argument_of(struct math_parser *p)
{
    bool negative = false, calls = p->no_calls;
    if (math_at(p, "(") || math_at(p, "{") || math_at(p, "[")) {
        p->no_calls = false;
        bool brace = math_at(p, "{");
        struct math_node *a = math_argument(p);
        p->no_calls = calls;
        (void)brace;
        return a;
    }
    while (math_at(p, "-") || math_at(p, "+"))
        if (math_take(p, "-"))
            negative = !negative;
        else
            math_take(p, "+");
    struct math_node *a = math_factor(p);
    p->no_calls = true;
    a = a ? math_factors(p, a) : NULL;
    p->no_calls = calls;
    return a && negative ? math_negative(p->m, a) : a;
}

/* A function of several: gcd(a, b), max{a, b}. */
static struct math_node *of_several(struct math_parser *p, enum math_function f,
                                    struct math_node *a)
{
    bool several = a->kind == MATH_TUPLE || a->kind == MATH_INTERVAL || a->kind == MATH_SET ||
                   a->kind == MATH_LIST;
    struct math_node *r = math_make(p->m, MATH_FUNCTION, several ? a->n : 1);
    r->function = (uint8_t)f;
    for (size_t i = 0; i < r->n; i++)
        r->kids[i] = several ? a->kids[i] : a;
    return r;
}

struct math_node *math_call_of(struct math_parser *p, enum math_function f)
{
    struct math_node *power = NULL, *base = NULL, *r;
    if (f == MATH_LOG && math_take(p, "_")) {
        base = math_argument(p);
        if (!base)
            return NULL;
    }
    if (math_take(p, "^")) {
        power = math_argument(p);
        if (!power)
            return NULL;
        bool inverse = power->kind == MATH_NUMBER && mpq_cmp_si(power->q, -1, 1) == 0;
        if (inverse && inverse_of(f) != MATH_FUNCTIONS) {
            f = inverse_of(f);
            power = NULL;
        }
    }
    if (f == MATH_LOG && !base && math_take(p, "_"))
        base = math_argument(p);
    struct math_node *x = argument_of(p);
    if (!x || (math_is_collection(x) && f < MATH_MAX && f != MATH_DET))
        return NULL;
    if (circular(f))
        x = in_radians(p->m, x);
    if (f >= MATH_MAX && f <= MATH_LCM)
        r = of_several(p, f, x);
    else if (f == MATH_LOG)
        r = math_call(p->m, f, x, base ? base : math_integer(p->m, 10));
    else
        r = math_call(p->m, f, x, NULL);
    return power ? math_binary(p->m, MATH_POW, r, power) : r;
}

/* ---- fractions and roots ----------------------------------------------------------------------- */

/* d/dx in front of what is derived; NULL when the parts are none. */
static struct math_node *derivative(struct math_parser *p, struct span over, struct span under)
{
    over = text_strip(over);
    under = text_strip(under);
    if (!span_is(over, "d") || under.len != 2 || under.ptr[0] != 'd' ||
        !isalpha((unsigned char)under.ptr[1]))
        return NULL;
    struct math_node *first = math_factor(p);
    struct math_node *body = first ? math_factors(p, first) : NULL;
    if (!body)
        return NULL;
    struct math_node *r = math_binary(p->m, MATH_OPERATOR, body,
                                      math_named(p->m, MATH_SYMBOL, span_slice(under, 1, 2)));
    r->name = SPAN("derivative");
    return r;
}

static struct math_node *fraction(struct math_parser *p)
{
    struct math_parser look = *p;
    struct span over = math_braces(&look), under = over.ptr ? math_braces(&look) : over;
    if (under.ptr) {
        struct math_parser behind = look;
        struct math_node *d = derivative(&behind, over, under);
        if (d) {
            p->at = behind.at;
            return d;
        }
    }
    struct math_node *a = math_argument(p), *b = a ? math_argument(p) : NULL;
    return b ? math_quotient(p->m, a, b) : NULL;
}

static struct math_node *reciprocal(struct math *m, struct math_node *a)
{
    return math_binary(m, MATH_POW, a, math_integer(m, -1));
}

static struct math_node *root(struct math_parser *p)
{
    struct math_node *index = NULL;
    if (math_take(p, "[")) {
        size_t close = span_find(p->s, SPAN("]"), p->at);
        if (close == SIZE_MAX)
            return NULL;
        index = math_inside(p, span_slice(p->s, p->at, close));
        p->at = close + 1;
        if (!index)
            return NULL;
    }
    struct math_node *a = math_argument(p);
    if (!a)
        return NULL;
    return math_binary(p->m, MATH_POW, a, reciprocal(p->m, index ? index : math_integer(p->m, 2)));
}

/* ---- words in \text ---------------------------------------------------------------------------- */

static struct math_node *letter_symbol(struct math *m, struct span name)
{
    if (span_is(name, "e"))
        return math_make(m, MATH_E, 0);
    if (span_is(name, "i"))
        return math_make(m, MATH_I, 0);
    return math_named(m, MATH_SYMBOL, name);
}

static struct math_node *text_word(struct math_parser *p)
{
    struct span body = text_strip(math_braces(p));
    enum math_function f;
    if (body.len > 2 && body.ptr[0] == '(' && body.ptr[body.len - 1] == ')')
        body = text_strip(span_slice(body, 1, body.len - 1));
    while (body.len && strchr(".:", body.ptr[body.len - 1]))
        body = text_strip(span_slice(body, 0, body.len - 1));
    if (!body.len)
        return NULL;
    if (math_function_named(body, &f))
        return math_call_of(p, f);
    if (body.len == 1 && isalpha((unsigned char)body.ptr[0]))
        return letter_symbol(p->m, body);
    bool digits = true;
    for (size_t i = 0; i < body.len; i++)
        digits = digits && (isdigit((unsigned char)body.ptr[i]) || body.ptr[i] == '.');
    if (digits)
        return math_inside(p, body);
    struct buf name = {0};
    text_fold(body, &name);
    struct math_node *a = math_named(p->m, MATH_TEXT, buf_span(&name));
    buf_free(&name);
    return a;
}

/* ---- matrices ---------------------------------------------------------------------------------- */

/* Rows up to \end{NAME}: their cells, all rows of one length. */
static struct math_node *matrix(struct math_parser *p, struct span name)
{
    struct math_node **cells = NULL;
    size_t n = 0, cap = 0, columns = 0, column = 0;
    bool ok = true, end = false;
    while (ok && !end) {
        struct math_node *a = math_at(p, "\\end") ? NULL : math_relation_of(p);
        if (a) {
            cells = mem_grow(cells, &cap, n + 1, sizeof *cells);
            cells[n++] = a;
            column++;
        }
        if (a && math_take(p, "&")) {
            ok = n < MATH_ITEMS_MAX;
            continue;
        }
        bool row = math_take(p, "\\\\");
        end = !row && math_take(p, "\\end");
        ok = (row || end) && n < MATH_ITEMS_MAX;
        if (ok && column) {
            ok = !columns || column == columns;
            columns = column;
            column = 0;
        }
    }
    struct math_node *r = NULL;
    if (ok && n && span_equal(text_strip(math_braces(p)), name)) {
        r = math_make(p->m, MATH_MATRIX, n);
        memcpy(r->kids, cells, n * sizeof *cells);
        r->columns = (uint32_t)columns;
    }
    free(cells);
    return r;
}

static struct math_node *environment(struct math_parser *p)
{
    static const char *const kinds[] = {"pmatrix", "bmatrix", "matrix",
                                        "array",   "Bmatrix", "smallmatrix"};
    struct span name = text_strip(math_braces(p));
    bool known = false, bars = p->in_bars, list = p->in_list;
    if (span_is(name, "array"))
        math_braces(p); /* {cc} */
    p->in_bars = false;
    p->in_list = true;
    if (span_is(name, "vmatrix")) {
        struct math_node *a = matrix(p, name);
        p->in_bars = bars;
        p->in_list = list;
        return a ? math_call(p->m, MATH_DET, a, NULL) : NULL;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        known = known || span_is(name, kinds[i]);
    struct math_node *a = known ? matrix(p, name) : NULL;
    p->in_bars = bars;
    p->in_list = list;
    return a;
}

/* ---- sums, products, integrals, limits --------------------------------------------------------- */

/* Behind \sum: _{k=1}^{n} and what is summed. */
static struct math_node *big_operator(struct math_parser *p, const char *name)
{
    struct span low = {0}, high = {0};
    struct math_node *variable = NULL, *from = NULL, *to = NULL;
    for (int i = 0; i < 2; i++) {
        struct span *part = math_take(p, "_") ? &low : math_take(p, "^") ? &high : NULL;
        if (!part)
            break;
        *part = math_braces(p);
        if (!part->ptr && !math_end(p)) { /* one character */
            *part = span_slice(p->s, p->at, p->at + 1);
            p->at++;
        }
    }
    size_t equals = span_find(low, SPAN("="), 0);
    if (equals != SIZE_MAX) {
        variable = math_inside(p, span_slice(low, 0, equals));
        from = math_inside(p, span_slice(low, equals + 1, low.len));
    }
    to = high.ptr ? math_inside(p, high) : NULL;
    struct math_node *first = math_factor(p);
    struct math_node *body = first ? math_factors(p, first) : NULL;
    if (!body || !variable || !from || !to || variable->kind == MATH_NUMBER)
        return NULL;
    if (variable->kind == MATH_I)
        variable = math_named(p->m, MATH_SYMBOL, SPAN("i"));
    struct math_node *r = math_make(p->m, MATH_OPERATOR, 4);
    r->name = span_text(name);
    r->kids[0] = body;
    r->kids[1] = variable;
    r->kids[2] = from;
    r->kids[3] = to;
    return variable->kind == MATH_SYMBOL ? r : NULL;
}

/* \int_a^b f dx: up to the d of dx. */
static struct math_node *integral(struct math_parser *p)
{
    struct math_node *bounds[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        int which = math_take(p, "_") ? 0 : math_take(p, "^") ? 1 : -1;
        if (which < 0)
            break;
        bounds[which] = math_argument(p);
    }
    if (!bounds[0] || !bounds[1])
        return NULL;
    int depth = 0;
    for (size_t i = p->at; i + 1 < p->s.len; i++) {
        char c = p->s.ptr[i];
        depth += (strchr("({", c) != NULL) - (strchr(")}", c) != NULL);
        bool lone = i == p->at || !isalpha((unsigned char)p->s.ptr[i - 1]);
        if (depth || c != 'd' || !lone || !isalpha((unsigned char)p->s.ptr[i + 1]) ||
            p->s.ptr[i - (i > p->at)] == '\\')
            continue;
        struct span text = text_strip(span_slice(p->s, p->at, i));
        struct math_node *body = text.len ? math_inside(p, text) : math_integer(p->m, 1);
        if (!body)
            return NULL;
        struct math_node *r = math_make(p->m, MATH_OPERATOR, 4);
        r->name = SPAN("integral");
        r->kids[0] = body;
        r->kids[1] = math_named(p->m, MATH_SYMBOL, span_slice(p->s, i + 1, i + 2));
        r->kids[2] = bounds[0];
        r->kids[3] = bounds[1];
        p->at = i + 2;
        return r;
    }
    return NULL;
}

/* ---- commands ---------------------------------------------------------------------------------- */

static struct math_node *binomial(struct math_parser *p)
{
    struct math_node *a = math_argument(p), *b = a ? math_argument(p) : NULL;
    return b ? math_call(p->m, MATH_BINOMIAL, a, b) : NULL;
}

/* \vec{a}, \overline{AB}: a name of its own. */
static struct math_node *decorated(struct math_parser *p, struct span name)
{
    struct math_node *a = math_argument(p);
    if (!a)
        return NULL;
    struct math_node *r = math_unary(p->m, MATH_APPLY, a);
    r->name = arena_span(&p->m->arena, name);
    return r;
}

static struct math_node *field(struct math_parser *p)
{
    struct span name = text_strip(math_braces(p));
    if (!name.ptr && !math_end(p)) {
        name = span_slice(p->s, p->at, p->at + 1);
        p->at++;
    }
    return name.len ? math_named(p->m, MATH_FIELD, name) : NULL;
}

static struct math_node *modulus(struct math_parser *p)
{
    struct math_node *a = math_argument(p);
    if (!a)
        return NULL;
    struct math_node *r = math_unary(p->m, MATH_APPLY, a);
    r->name = SPAN("pmod");
    return r;
}

static bool one_of(struct span word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (span_is(word, words[i]))
            return true;
    return false;
}

static struct math_node *named_command(struct math_parser *p, struct span name)
{
    static const char *const marks[] = {"overline",       "vec",     "hat",       "bar",
                                        "tilde",          "widehat", "underline", "dot",
                                        "overrightarrow", "ddot"};
    static const char *const refused[] = {"end",   "item", "hline", "cline", "ne",
                                          "le",    "ge",   "in",    "cup",   "cap",
                                          "label", "tag",  "par",   "not",   "notin"};
    enum math_function f;
    if (span_is(name, "frac"))
        return fraction(p);
    if (span_is(name, "sqrt"))
        return root(p);
    if (span_is(name, "text"))
        return text_word(p);
    if (span_is(name, "pi"))
        return math_make(p->m, MATH_PI, 0);
    if (span_is(name, "infty"))
        return math_make(p->m, MATH_INFINITY, 0);
    if (span_is(name, "varnothing"))
        return math_make(p->m, MATH_SET, 0);
    if (span_is(name, "mathbb") || span_is(name, "Bbb"))
        return field(p);
    if (span_is(name, "mathcal") || span_is(name, "mathfrak") || span_is(name, "mathscr"))
        return decorated(p, name);
    if (span_is(name, "binom"))
        return binomial(p);
    if (span_is(name, "begin"))
        return environment(p);
    if (span_is(name, "sum") || span_is(name, "prod"))
        return big_operator(p, span_is(name, "sum") ? "sum" : "product");
    if (span_is(name, "int"))
        return integral(p);
    if (span_is(name, "pmod") || span_is(name, "pod"))
        return modulus(p);
    if (span_is(name, "Gamma") && !math_at(p, "("))
        return math_named(p->m, MATH_SYMBOL, SPAN("\\Gamma"));
    if (math_function_named(name, &f))
        return math_call_of(p, f);
    if (one_of(name, marks, sizeof marks / sizeof *marks))
        return decorated(p, name);
    if (one_of(name, refused, sizeof refused / sizeof *refused))
        return NULL;
    return math_named(p->m, MATH_SYMBOL, span_make(name.ptr - 1, name.len + 1));
}

struct math_node *math_command(struct math_parser *p)
{
    if (math_end(p) || p->s.ptr[p->at] != '\\' || p->depth >= MATH_DEPTH)
        return NULL;
    size_t from = p->at + 1, to = from;
    while (to < p->s.len && isalpha((unsigned char)p->s.ptr[to]))
        to++;
    if (to == from) {
        if (math_take(p, "\\{")) {
            p->at = from - 1;
            return math_factor(p);
        }
        return NULL;
    }
    p->at = to;
    p->depth++;
    struct math_node *a = named_command(p, span_slice(p->s, from, to));
    p->depth--;
    return a;
}

struct math_node *math_word(struct math_parser *p)
{
    size_t from = p->at, to = from;
    enum math_function f;
    while (to < p->s.len && isalpha((unsigned char)p->s.ptr[to]))
        to++;
    struct span run = span_slice(p->s, from, to);
    bool called = to < p->s.len && p->s.ptr[to] == '(';
    if (span_is(run, "pi")) {
        p->at = to;
        return math_make(p->m, MATH_PI, 0);
    }
    if (span_is(run, "sqrt") && called) {
        p->at = to;
        return root(p);
    }
    if (run.len > 1 && called && math_function_named(run, &f)) {
        p->at = to;
        return math_call_of(p, f);
    }
    if (run.len == 0) { /* a character beyond ASCII */
        to = from + 1;
        while (to < p->s.len && ((unsigned char)p->s.ptr[to] & 0xC0) == 0x80)
            to++;
        p->at = to;
        return math_named(p->m, MATH_SYMBOL, span_slice(p->s, from, to));
    }
    p->at = from + 1;
    return letter_symbol(p->m, span_slice(p->s, from, from + 1));
}
