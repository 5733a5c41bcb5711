/* grow.c: see grow.h. */
#include "scene/grow.h"

#include <stdlib.h>

#include "base/map.h"
#include "scene/defaults.h"

enum { COMBOS = 20 }; /* three of six axes */

struct combo {
    enum axis axis[3];
    size_t first; /* number of its first triple */
};

struct grower {
    const struct grid *grid;
    struct arena arena;
    struct map ids; /* of every cell there is */
    size_t count[AXIS_COUNT];
    size_t *order[AXIS_COUNT]; /* values by their text */
    struct combo combos[COMBOS];
    size_t at_combo[AXIS_COUNT][AXIS_COUNT][AXIS_COUNT];
    uint8_t *met; /* a bit for each triple */
    size_t n_triples;
    size_t next[SIDE_COUNT]; /* in the order of combos and texts: all before are met */
    bool has[SIDE_COUNT];    /* a stance of that side is on the axis */
};

enum side side_of(enum tier tier)
{
    return tier == TIER_ORDINARY ? SIDE_ORDINARY : SIDE_HARD;
}

/* ---- numbering ------------------------------------------------------------------------------- */

static int by_names(const void *a, const void *b)
{
    const struct combo *x = a, *y = b;
    for (int i = 0; i < 3; i++) {
        int order = strcmp(axis_name(x->axis[i]), axis_name(y->axis[i]));
        if (order)
            return order;
    }
    return 0;
}

static void number_combos(struct grower *g)
{
    int n = 0;
    for (int i = 0; i < AXIS_COUNT; i++)
        for (int j = i + 1; j < AXIS_COUNT; j++)
            for (int k = j + 1; k < AXIS_COUNT; k++)
                g->combos[n++] = (struct combo){.axis = {(enum axis)i, (enum axis)j, (enum axis)k}};
    qsort(g->combos, COMBOS, sizeof *g->combos, by_names);
    for (int c = 0; c < COMBOS; c++) {
        struct combo *combo = &g->combos[c];
        combo->first = g->n_triples;
        g->at_combo[combo->axis[0]][combo->axis[1]][combo->axis[2]] = (size_t)c;
        g->n_triples +=
            g->count[combo->axis[0]] * g->count[combo->axis[1]] * g->count[combo->axis[2]];
    }
}

static size_t triple(const struct grower *g, enum axis i, size_t x, enum axis j, size_t y,
                     enum axis k, size_t z)
{
    const struct combo *c = &g->combos[g->at_combo[i][j][k]];
    return c->first + (x * g->count[j] + y) * g->count[k] + z;
}

static bool is_met(const struct grower *g, size_t t)
{
    return g->met[t >> 3] >> (t & 7) & 1;
}

static void strike(struct grower *g, const size_t *row)
{
    for (int i = 0; i < AXIS_COUNT; i++)
        for (int j = i + 1; j < AXIS_COUNT; j++)
            for (int k = j + 1; k < AXIS_COUNT; k++) {
                size_t t =
                    triple(g, (enum axis)i, row[i], (enum axis)j, row[j], (enum axis)k, row[k]);
                g->met[t >> 3] |= (uint8_t)(1u << (t & 7));
            }
}

/* Numbers of a cell's values on the axes; false: one is not on its axis. */
static bool numbers_of(const struct grower *g, const struct cell *cell, size_t *row)
{
    for (int a = 0; a < AXIS_COUNT; a++) {
        row[a] = 0;
        while (row[a] < g->count[a] && !span_equal(g->grid->axes[a].items[row[a]], cell->value[a]))
            row[a]++;
        if (row[a] == g->count[a])
            return false;
    }
    return true;
}

static void sort_values(struct grower *g, int a)
{
    const struct span *items = g->grid->axes[a].items;
    g->order[a] = mem_alloc((g->count[a] + 1) * sizeof *g->order[a]);
    for (size_t i = 0; i < g->count[a]; i++) { /* a few dozen */
        size_t at = i;
        for (; at > 0 && span_compare(items[g->order[a][at - 1]], items[i]) > 0; at--)
            g->order[a][at] = g->order[a][at - 1];
        g->order[a][at] = i;
    }
}

static enum side side_of_stance(const struct grower *g, size_t value)
{
    return side_of(tier_of_stance(g->grid->axes[AXIS_STANCE].items[value]));
}

struct grower *grower_open(const struct grid *grid)
{
    struct grower *g = mem_zero(1, sizeof *g);
    size_t row[AXIS_COUNT];
    g->grid = grid;
    for (int a = 0; a < AXIS_COUNT; a++) {
        g->count[a] = grid->axes[a].count;
        sort_values(g, a);
    }
    number_combos(g);
    if (g->n_triples > SCENE_TRIPLES_MAX)
        return g; /* no side has a stance: it never grows */
    g->met = mem_zero(g->n_triples / 8 + 1, 1);
    for (size_t i = 0; i < g->count[AXIS_STANCE]; i++)
        g->has[side_of_stance(g, i)] = true;
    for (size_t i = 0; i < grid->count; i++) {
        map_add(&g->ids, span_text(grid->cells[i].id), NULL);
        if (numbers_of(g, &grid->cells[i], row))
            strike(g, row);
    }
    return g;
}

void grower_close(struct grower *g)
{
    if (!g)
        return;
    for (int a = 0; a < AXIS_COUNT; a++)
        free(g->order[a]);
    map_free(&g->ids);
    free(g->met);
    arena_free(&g->arena);
    free(g);
}

/* ---- a row ----------------------------------------------------------------------------------- */

enum { FREE = -1 };

/* The smallest triple of the side that is not met, into row; the others FREE. */
static bool start_row(struct grower *g, enum side side, int64_t *row)
{
    for (int c = 0; c < COMBOS; c++) {
        const struct combo *combo = &g->combos[c];
        size_t n1 = g->count[combo->axis[1]], n2 = g->count[combo->axis[2]];
        size_t size = g->count[combo->axis[0]] * n1 * n2;
        while (g->next[side] >= combo->first && g->next[side] < combo->first + size) {
            size_t rank = g->next[side] - combo->first;
            size_t value[3] = {g->order[combo->axis[0]][rank / n2 / n1],
                               g->order[combo->axis[1]][rank / n2 % n1],
                               g->order[combo->axis[2]][rank % n2]};
            bool wanted = !is_met(g, triple(g, combo->axis[0], value[0], combo->axis[1], value[1],
                                            combo->axis[2], value[2]));
            for (int i = 0; i < 3; i++)
                wanted = wanted &&
                         (combo->axis[i] != AXIS_STANCE || side_of_stance(g, value[i]) == side);
            if (!wanted) {
                g->next[side]++;
                continue;
            }
            for (int a = 0; a < AXIS_COUNT; a++)
                row[a] = FREE;
            for (int i = 0; i < 3; i++)
                row[combo->axis[i]] = (int64_t)value[i];
            return true;
        }
    }
    return false;
}

/* How many triples that are not met the value would complete. */
static size_t gain(const struct grower *g, const int64_t *row, int axis, size_t value)
{
    size_t n = 0;
    for (int i = 0; i < AXIS_COUNT; i++)
        for (int j = i + 1; j < AXIS_COUNT; j++) {
            if (i == axis || j == axis || row[i] == FREE || row[j] == FREE)
                continue;
            int a[3] = {i, j, axis};
            size_t v[3] = {(size_t)row[i], (size_t)row[j], value};
            for (int at = 2; at > 0 && a[at] < a[at - 1]; at--) {
                int swap = a[at];
                size_t keep = v[at];
                a[at] = a[at - 1];
                v[at] = v[at - 1];
                a[at - 1] = swap;
                v[at - 1] = keep;
            }
            n += !is_met(
                g, triple(g, (enum axis)a[0], v[0], (enum axis)a[1], v[1], (enum axis)a[2], v[2]));
        }
    return n;
}

static void fill_row(const struct grower *g, enum side side, int64_t *row)
{
    for (int a = 0; a < AXIS_COUNT; a++) {
        size_t most = 0;
        if (row[a] != FREE)
            continue;
        for (size_t v = 0; v < g->count[a]; v++) {
            if (a == AXIS_STANCE && side_of_stance(g, v) != side)
                continue;
            size_t n = gain(g, row, a, v);
            if (row[a] == FREE || n > most) {
                row[a] = (int64_t)v;
                most = n;
            }
        }
    }
}

const struct cell *grower_next(struct grower *g, enum side side)
{
    int64_t row[AXIS_COUNT];
    size_t filled[AXIS_COUNT];
    while (g->has[side] && start_row(g, side, row)) {
        struct cell *cell = arena_zero(&g->arena, sizeof *cell);
        bool fresh;
        fill_row(g, side, row);
        for (int a = 0; a < AXIS_COUNT; a++) {
            filled[a] = (size_t)row[a];
            cell->value[a] = g->grid->axes[a].items[row[a]];
        }
        strike(g, filled);
        if (!grid_complete_cell(g->grid, cell))
            continue;
        map_add(&g->ids, span_text(cell->id), &fresh);
        if (fresh)
            return cell;
    }
    return NULL;
}
