/* math_tree.c: nodes of expressions: making, asking, printing. */
#include "grade/math_tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#include "grade/defaults.h"

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void math_open(struct math *m, double timeout_s)
{
    *m = (struct math){.deadline = processor_seconds() + timeout_s};
}

void math_close(struct math *m)
{
    for (struct math_node *a = m->numbers; a; a = a->next_number)
        mpq_clear(a->q);
    arena_free(&m->arena);
    *m = (struct math){0};
}

bool math_spend(struct math *m, int64_t steps)
{
    int64_t before = m->steps >> MATH_CLOCK_SHIFT;
    m->steps += steps;
    if (m->steps > MATH_STEPS_MAX || m->nodes > MATH_NODES_MAX)
        m->over = true;
    if (before != m->steps >> MATH_CLOCK_SHIFT && processor_seconds() > m->deadline)
        m->over = true;
    return !m->over;
}

/* ---- making ------------------------------------------------------------------------------------ */

struct math_node *math_make(struct math *m, enum math_kind kind, size_t n)
{
    struct math_node *a = arena_zero(&m->arena, sizeof *a);
    m->nodes++;
    math_spend(m, 1 + (int64_t)n);
    a->kind = (uint8_t)kind;
    a->n = (uint32_t)n;
    a->kids = n ? arena_zero(&m->arena, n * sizeof *a->kids) : NULL;
    a->name = SPAN("");
    return a;
}

struct math_node *math_unary(struct math *m, enum math_kind kind, struct math_node *a)
{
    struct math_node *r = math_make(m, kind, 1);
    r->kids[0] = a;
    return r;
}

struct math_node *math_binary(struct math *m, enum math_kind kind, struct math_node *a,
                              struct math_node *b)
{
    struct math_node *r = math_make(m, kind, 2);
    r->kids[0] = a;
    r->kids[1] = b;
    return r;
}

struct math_node *math_call(struct math *m, enum math_function f, struct math_node *a,
                            struct math_node *b)
{
    struct math_node *r = b ? math_binary(m, MATH_FUNCTION, a, b) : math_unary(m, MATH_FUNCTION, a);
    r->function = (uint8_t)f;
    return r;
}

struct math_node *math_named(struct math *m, enum math_kind kind, struct span name)
{
    struct math_node *r = math_make(m, kind, 0);
    r->name = arena_span(&m->arena, name);
    return r;
}

static struct math_node *new_number(struct math *m)
{
    struct math_node *r = math_make(m, MATH_NUMBER, 0);
    mpq_init(r->q);
    r->next_number = m->numbers;
    m->numbers = r;
    return r;
}

struct math_node *math_integer(struct math *m, long value)
{
    struct math_node *r = new_number(m);
    mpq_set_si(r->q, value, 1);
    return r;
}

struct math_node *math_rational(struct math *m, const mpq_t value)
{
    struct math_node *r = new_number(m);
    mpq_set(r->q, value);
    return r;
}

struct math_node *math_negative(struct math *m, struct math_node *a)
{
    if (a->kind == MATH_NUMBER) {
        struct math_node *r = math_rational(m, a->q);
        mpq_neg(r->q, r->q);
        r->flags = a->flags;
        return r;
    }
    return math_binary(m, MATH_MUL, math_integer(m, -1), a);
}

struct math_node *math_quotient(struct math *m, struct math_node *a, struct math_node *b)
{
    return math_binary(m, MATH_MUL, a, math_binary(m, MATH_POW, b, math_integer(m, -1)));
}

struct math_node *math_difference(struct math *m, struct math_node *a, struct math_node *b)
{
    return math_binary(m, MATH_ADD, a, math_negative(m, b));
}

struct math_node *math_with_kids(struct math *m, const struct math_node *like,
                                 struct math_node *const *kids, size_t n)
{
    struct math_node *r = math_make(m, (enum math_kind)like->kind, n);
    r->function = like->function;
    r->flags = like->flags;
    r->columns = like->columns;
    r->name = like->name;
    for (size_t i = 0; i < n; i++)
        r->kids[i] = kids[i];
    return r;
}

/* ---- asking ------------------------------------------------------------------------------------ */

bool math_is_collection(const struct math_node *a)
{
    return a->kind >= MATH_TUPLE && a->kind <= MATH_FIELD;
}

bool math_is_relation(const struct math_node *a)
{
    return a->kind == MATH_RELATION || a->kind == MATH_CHAIN;
}

bool math_has(const struct math_node *a, enum math_kind kind)
{
    if (a->kind == kind)
        return true;
    for (size_t i = 0; i < a->n; i++)
        if (math_has(a->kids[i], kind))
            return true;
    return false;
}

bool math_has_flag(const struct math_node *a, uint8_t flag)
{
    if (a->kind == MATH_NUMBER && a->flags & flag)
        return true;
    for (size_t i = 0; i < a->n; i++)
        if (math_has_flag(a->kids[i], flag))
            return true;
    return false;
}

static bool same_name(struct span a, struct span b)
{
    return a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

bool math_same(const struct math_node *a, const struct math_node *b)
{
    if (a->kind != b->kind || a->n != b->n || a->function != b->function ||
        a->columns != b->columns)
        return false;
    if (a->kind == MATH_NUMBER && !mpq_equal(a->q, b->q))
        return false;
    uint8_t ends = MATH_OPEN_LEFT | MATH_OPEN_RIGHT;
    if (a->kind == MATH_INTERVAL && (a->flags & ends) != (b->flags & ends))
        return false;
    bool exact = a->kind == MATH_APPLY || a->kind == MATH_OPERATOR || a->kind == MATH_FIELD;
    if (exact ? !span_equal(a->name, b->name) : !same_name(a->name, b->name))
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!math_same(a->kids[i], b->kids[i]))
            return false;
    return true;
}

static void add_name(struct math_names *names, struct span name)
{
    size_t i = 0;
    while (i < names->n && strcasecmp(names->items[i].ptr, name.ptr) < 0)
        i++;
    if (i < names->n && strcasecmp(names->items[i].ptr, name.ptr) == 0)
        return;
    names->items = mem_grow(names->items, &names->cap, names->n + 1, sizeof *names->items);
    memmove(names->items + i + 1, names->items + i, (names->n - i) * sizeof *names->items);
    names->items[i] = name;
    names->n++;
}

void math_names(const struct math_node *a, struct math_names *names)
{
    if (a->kind == MATH_SYMBOL || a->kind == MATH_TEXT)
        add_name(names, a->name);
    for (size_t i = 0; i < a->n; i++)
        math_names(a->kids[i], names);
}

void math_names_free(struct math_names *names)
{
    free(names->items);
    *names = (struct math_names){0};
}

static int compare_texts(const void *a, const void *b)
{
    return span_compare(*(const struct span *)a, *(const struct span *)b);
}

/* Texts of the members of a sum or product, those of sums in sums among them. */
static void member_texts(const struct math_node *a, uint8_t kind, struct arena *arena,
                         struct span **texts, size_t *n, size_t *cap)
{
    for (size_t i = 0; i < a->n; i++) {
        if (a->kids[i]->kind == kind) {
            member_texts(a->kids[i], kind, arena, texts, n, cap);
            continue;
        }
        struct buf text = {0};
        math_print(a->kids[i], &text);
        *texts = mem_grow(*texts, cap, *n + 1, sizeof **texts);
        (*texts)[(*n)++] = arena_span(arena, buf_span(&text));
        buf_free(&text);
    }
}

static void print_sorted(const struct math_node *a, struct buf *out)
{
    struct arena arena = {0};
    struct span *texts = NULL;
    size_t n = 0, cap = 0;
    member_texts(a, a->kind, &arena, &texts, &n, &cap);
    qsort(texts, n, sizeof *texts, compare_texts);
    for (size_t i = 0; i < n; i++) {
        buf_span_add(out, texts[i]);
        buf_byte(out, ',');
    }
    free(texts);
    arena_free(&arena);
}

void math_print(const struct math_node *a, struct buf *out)
{
    buf_format(out, "%d.%d", a->kind, a->function);
    if (a->kind == MATH_INTERVAL)
        buf_format(out, ".%d", a->flags & (MATH_OPEN_LEFT | MATH_OPEN_RIGHT));
    if (a->kind == MATH_NUMBER) {
        char *text = mpq_get_str(NULL, 16, a->q);
        buf_format(out, "=%s", text);
        free(text);
    }
    bool exact = a->kind == MATH_APPLY || a->kind == MATH_OPERATOR || a->kind == MATH_FIELD;
    for (size_t i = 0; i < a->name.len; i++)
        buf_byte(out, exact ? a->name.ptr[i] : (char)tolower((unsigned char)a->name.ptr[i]));
    if (!a->n)
        return;
    buf_byte(out, '(');
    if (a->kind == MATH_ADD || a->kind == MATH_MUL) {
        print_sorted(a, out);
    } else {
        for (size_t i = 0; i < a->n; i++) {
            math_print(a->kids[i], out);
            buf_byte(out, ',');
        }
    }
    buf_byte(out, ')');
}

struct math_node *math_replace(struct math *m, struct math_node *a, struct span name,
                               struct math_node *by)
{
    if (a->kind == MATH_SYMBOL && same_name(a->name, name))
        return by;
    if (a->n == 0 || !math_spend(m, 1))
        return a;
    struct math_node *r = math_with_kids(m, a, a->kids, a->n);
    for (size_t i = 0; i < a->n; i++)
        r->kids[i] = math_replace(m, a->kids[i], name, by);
    return r;
}
