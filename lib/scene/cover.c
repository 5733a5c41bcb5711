/* cover.c: see cover.h. */
#include "scene/cover.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

enum { COVER_AXES_MAX = 8 };

struct pair {
    struct span text[4]; /* axis, value, axis, value */
    size_t axis[2], value[2];
};

struct covering {
    const struct cover_axis *axes;
    size_t n_axes;
    size_t start[COVER_AXES_MAX]; /* dense number of an axis's first value */
    size_t n_values;
    uint8_t *open; /* n_values x n_values: the pair is not covered yet; both orders */
    struct pair *pairs;
    size_t n_pairs;
};

static int by_text(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    for (int i = 0; i < 4; i++) {
        int order = span_compare(x->text[i], y->text[i]);
        if (order)
            return order;
    }
    return 0;
}

static void list_pairs(struct covering *c)
{
    size_t cap = 0;
    for (size_t i = 0; i < c->n_axes; i++)
        for (size_t j = i + 1; j < c->n_axes; j++)
            for (size_t v = 0; v < c->axes[i].count; v++)
                for (size_t w = 0; w < c->axes[j].count; w++) {
                    size_t a = c->start[i] + v, b = c->start[j] + w;
                    c->pairs = mem_grow(c->pairs, &cap, c->n_pairs + 1, sizeof *c->pairs);
                    c->pairs[c->n_pairs++] =
                        (struct pair){.text = {c->axes[i].name, c->axes[i].values[v],
                                               c->axes[j].name, c->axes[j].values[w]},
                                      .axis = {i, j},
                                      .value = {v, w}};
                    c->open[a * c->n_values + b] = c->open[b * c->n_values + a] = 1;
                }
    if (c->n_pairs)
        qsort(c->pairs, c->n_pairs, sizeof *c->pairs, by_text);
}

/* Open pairs of a value with those that are set already. */
static size_t gain(const struct covering *c, const size_t *row, const bool *set, size_t value)
{
    size_t pairs = 0;
    for (size_t i = 0; i < c->n_axes; i++)
        if (set[i])
            pairs += c->open[value * c->n_values + c->start[i] + row[i]];
    return pairs;
}

static void fill_row(const struct covering *c, const struct pair *seed, size_t *row)
{
    bool set[COVER_AXES_MAX] = {false};
    for (int k = 0; k < 2; k++) {
        row[seed->axis[k]] = seed->value[k];
        set[seed->axis[k]] = true;
    }
    for (size_t i = 0; i < c->n_axes; i++) {
        if (set[i])
            continue;
        size_t best = 0, best_gain = 0;
        for (size_t v = 0; v < c->axes[i].count; v++) {
            size_t g = gain(c, row, set, c->start[i] + v);
            if (g > best_gain) {
                best = v;
                best_gain = g;
            }
        }
        row[i] = best;
        set[i] = true;
    }
}

static void close_pairs(struct covering *c, const size_t *row)
{
    for (size_t i = 0; i < c->n_axes; i++)
        for (size_t j = 0; j < c->n_axes; j++)
            c->open[(c->start[i] + row[i]) * c->n_values + c->start[j] + row[j]] = 0;
}

void cover_pairs(const struct cover_axis *axes, size_t n_axes,
                 void (*emit)(void *data, const size_t *row), void *data)
{
    struct covering c = {.axes = axes, .n_axes = n_axes};
    size_t row[COVER_AXES_MAX];
    for (size_t i = 0; i < n_axes; i++) {
        c.start[i] = c.n_values;
        c.n_values += axes[i].count;
    }
    c.open = mem_zero(c.n_values, c.n_values);
    list_pairs(&c);
    for (size_t next = 0; next < c.n_pairs; next++) {
        const struct pair *p = &c.pairs[next];
        if (!c.open[(c.start[p->axis[0]] + p->value[0]) * c.n_values + c.start[p->axis[1]] +
                    p->value[1]])
            continue;
        fill_row(&c, p, row);
        close_pairs(&c, row);
        emit(data, row);
    }
    free(c.open);
    free(c.pairs);
}
