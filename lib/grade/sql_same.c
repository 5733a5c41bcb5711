/* sql_same.c: results of queries, cell by cell, and whether two are the same (grade 8). */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "grade/defaults.h"
#include "grade/sql.h"
#include "text/fold.h"
#include "text/number.h"

void sql_result_clear(struct sql_result *r)
{
    r->rows = r->columns = r->n = 0;
    arena_clear(&r->arena);
}

void sql_result_free(struct sql_result *r)
{
    free(r->cells);
    arena_free(&r->arena);
    *r = (struct sql_result){0};
}

/* ---- cells ------------------------------------------------------------------------------------- */

static void add_cell(struct sql_result *r, char kind, struct span text)
{
    char *copy = arena_alloc(&r->arena, text.len + 1);
    copy[0] = kind;
    if (text.len)
        memcpy(copy + 1, text.ptr, text.len);
    r->cells = mem_grow(r->cells, &r->cap, r->n + 1, sizeof *r->cells);
    r->cells[r->n++] = span_make(copy, text.len + 1);
}

void sql_cell_null(struct sql_result *r)
{
    add_cell(r, 'n', SPAN(""));
}

void sql_cell_int(struct sql_result *r, long long value, int digits)
{
    struct buf text = {0};
    if (digits < 0) { /* rounds before the point too */
        sql_cell_real(r, (double)value, digits);
        return;
    }
    buf_format(&text, "%lld", value);
    add_cell(r, '#', buf_span(&text));
    buf_free(&text);
}

void sql_cell_real(struct sql_result *r, double value, int digits)
{
    char text[NUMBER_TEXT_MAX];
    double rounded = isfinite(value) ? number_round(value, digits) : value;
    if (rounded == 0)
        rounded = 0; /* -0 */
    if (fabs(rounded) < SQL_WHOLE_MAX && rounded == trunc(rounded)) {
        sql_cell_int(r, (long long)rounded, 0);
        return;
    }
    size_t n = number_text(rounded, text);
    add_cell(r, '#', span_make(text, n));
}

/* A decimal number and nothing else: its digits before the point and behind. */
static bool decimal(struct span s, bool *whole)
{
    size_t at = s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'), digits = 0;
    *whole = true;
    for (; at < s.len && isdigit((unsigned char)s.ptr[at]); at++)
        digits++;
    if (at < s.len && s.ptr[at] == '.') {
        *whole = false;
        for (at++; at < s.len && isdigit((unsigned char)s.ptr[at]); at++)
            digits++;
    }
    if (!digits)
        return false;
    if (at < s.len && (s.ptr[at] == 'e' || s.ptr[at] == 'E')) {
        *whole = false;
        at++;
        if (at < s.len && (s.ptr[at] == '-' || s.ptr[at] == '+'))
            at++;
        if (at == s.len)
            return false;
        while (at < s.len && isdigit((unsigned char)s.ptr[at]))
            at++;
    }
    return at == s.len;
}

/* A whole number of any length as digits without zeros in front. */
static void whole_cell(struct sql_result *r, struct span s)
{
    struct buf text = {0};
    size_t at = s.ptr[0] == '-' || s.ptr[0] == '+';
    while (at + 1 < s.len && s.ptr[at] == '0')
        at++;
    if (s.ptr[0] == '-' && s.ptr[at] != '0')
        buf_byte(&text, '-');
    buf_span_add(&text, span_slice(s, at, s.len));
    add_cell(r, '#', buf_span(&text));
    buf_free(&text);
}

void sql_cell_text(struct sql_result *r, struct span text, int digits)
{
    struct buf lower = {0}, bare = {0};
    double value;
    bool whole;
    text = text_strip(text);
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ',' && text.ptr[i] != '$')
            buf_byte(&bare, text.ptr[i]);
    struct span s = text_strip(buf_span(&bare));
    if (!decimal(s, &whole)) {
        text_lower(text, &lower);
        add_cell(r, 't', buf_span(&lower));
    } else if (whole && digits >= 0) {
        whole_cell(r, s);
    } else if (number_parse(s, &value)) {
        sql_cell_real(r, value, digits);
    }
    buf_free(&lower);
    buf_free(&bare);
}

void sql_cell_blob(struct sql_result *r, struct span bytes)
{
    add_cell(r, 'b', bytes);
}

/* ---- equality ---------------------------------------------------------------------------------- */

static int compare_spans(const void *a, const void *b)
{
    return span_compare(*(const struct span *)a, *(const struct span *)b);
}

/* Column c of r, its cells sorted. */
static struct span *sorted_column(const struct sql_result *r, size_t c)
{
    struct span *column = mem_zero(r->rows, sizeof *column);
    for (size_t i = 0; i < r->rows; i++)
        column[i] = r->cells[i * r->columns + c];
    qsort(column, r->rows, sizeof *column, compare_spans);
    return column;
}

/* fits[i * columns + j]: column i of a holds what column j of b does. */
static void columns_that_fit(const struct sql_result *a, const struct sql_result *b, bool *fits)
{
    size_t n = a->columns;
    struct span **right = mem_zero(n, sizeof *right);
    for (size_t j = 0; j < n; j++)
        right[j] = sorted_column(b, j);
    for (size_t i = 0; i < n; i++) {
        struct span *left = sorted_column(a, i);
        for (size_t j = 0; j < n; j++) {
            size_t row = 0;
            while (row < a->rows && span_equal(left[row], right[j][row]))
                row++;
            fits[i * n + j] = row == a->rows;
        }
        free(left);
    }
    for (size_t j = 0; j < n; j++)
        free(right[j]);
    free(right);
}

/* Each row as one text, its columns in the order given. */
static struct span *row_texts(const struct sql_result *r, const size_t *order, struct arena *arena)
{
    struct span *rows = mem_zero(r->rows, sizeof *rows);
    struct buf text = {0};
    for (size_t i = 0; i < r->rows; i++) {
        buf_clear(&text);
        for (size_t c = 0; c < r->columns; c++) {
            struct span cell = r->cells[i * r->columns + (order ? order[c] : c)];
            buf_format(&text, "%zu:", cell.len);
            buf_span_add(&text, cell);
        }
        rows[i] = arena_span(arena, buf_span(&text));
    }
    buf_free(&text);
    return rows;
}

static bool same_rows(const struct sql_result *a, const struct sql_result *b, const size_t *order,
                      bool ordered)
{
    struct arena arena = {0};
    struct span *left = row_texts(a, NULL, &arena), *right = row_texts(b, order, &arena);
    size_t i = 0;
    if (!ordered) {
        qsort(left, a->rows, sizeof *left, compare_spans);
        qsort(right, b->rows, sizeof *right, compare_spans);
    }
    while (i < a->rows && span_equal(left[i], right[i]))
        i++;
    bool same = i == a->rows;
    free(left);
    free(right);
    arena_free(&arena);
    return same;
}

struct search {
    const struct sql_result *a, *b;
    const bool *fits;
    bool ordered, *taken;
    size_t *order;
};

/* Tries every order of b's columns from column `at` on; at most SQL_PERMUTED_MAX deep. */
static bool any_order(const struct search *s, size_t at)
{
    size_t n = s->a->columns;
    if (at == n)
        return same_rows(s->a, s->b, s->order, s->ordered);
    for (size_t j = 0; j < n; j++) {
        if (s->taken[j] || !s->fits[at * n + j])
            continue;
        s->taken[j] = true;
        s->order[at] = j;
        if (any_order(s, at + 1))
            return true;
        s->taken[j] = false;
    }
    return false;
}

bool sql_same(const struct sql_result *a, const struct sql_result *b, bool ordered, size_t permuted)
{
    if (a->rows != b->rows)
        return false;
    if (a->rows == 0)
        return true;
    size_t n = a->columns;
    if (n != b->columns)
        return false;
    if (same_rows(a, b, NULL, ordered))
        return true;
    if (n < 2 || n > permuted)
        return false;
    bool *fits = mem_zero(n * n, sizeof *fits), *taken = mem_zero(n, sizeof *taken);
    size_t *order = mem_zero(n, sizeof *order);
    columns_that_fit(a, b, fits);
    bool same = any_order(
        &(struct search){
            .a = a, .b = b, .fits = fits, .ordered = ordered, .taken = taken, .order = order},
        0);
    free(fits);
    free(taken);
    free(order);
    return same;
}
