/* cells.c: see cells.h. */
#include "measure/cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static size_t *slot_of(struct cells *cells, size_t task)
{
    if (task >= cells->n_slots) {
        size_t had = cells->n_slots;
        cells->slot = mem_grow(cells->slot, &cells->n_slots, task + 1, sizeof *cells->slot);
        memset(cells->slot + had, 0, (cells->n_slots - had) * sizeof *cells->slot);
    }
    return &cells->slot[task];
}

static void append(struct cells *cells, const struct cell *cell)
{
    cells->items = mem_grow(cells->items, &cells->cap, cells->count + 1, sizeof *cells->items);
    cells->items[cells->count++] = *cell;
}

void cells_add(struct cells *cells, size_t task, double value, struct position at)
{
    size_t *slot = slot_of(cells, task);
    if (!*slot) {
        append(cells, &(struct cell){task, 1, 0.0 + value, at});
        *slot = cells->count;
        return;
    }
    struct cell *cell = &cells->items[*slot - 1];
    cell->n++;
    cell->sum += value;
}

void cells_join(struct cells *cells, const struct cell *piece, bool whole)
{
    cells->joined = true;
    size_t *slot = slot_of(cells, piece->task);
    if (!*slot || !whole) {
        append(cells, piece);
        *slot = cells->count;
        return;
    }
    struct cell *cell = &cells->items[*slot - 1];
    cell->n += piece->n;
    cell->sum += piece->sum;
    if (position_compare(piece->first, cell->first) < 0)
        cell->first = piece->first;
}

/* Pieces of one task together, in the order of shards; ties, which only repeated shards bring, by
 * content. */
static int by_task(const void *left, const void *right)
{
    const struct cell *a = left, *b = right;
    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    int order = position_compare(a->first, b->first);
    if (order)
        return order;
    if (a->sum != b->sum)
        return a->sum < b->sum ? -1 : 1;
    return (a->n > b->n) - (a->n < b->n);
}

static int by_position(const void *left, const void *right, void *context)
{
    const struct cell *a = left, *b = right;
    const struct span *keys = context;
    int order = position_compare(a->first, b->first);
    return order ? order : span_compare(keys[a->task], keys[b->task]);
}

static struct cell *copy(const struct cells *cells)
{
    struct cell *items = mem_zero(cells->count, sizeof *items);
    if (cells->count)
        memcpy(items, cells->items, cells->count * sizeof *items);
    return items;
}

struct cell *cells_pieces(const struct cells *cells)
{
    struct cell *items = copy(cells);
    if (cells->joined)
        qsort(items, cells->count, sizeof *items, by_task);
    return items;
}

struct cell *cells_groups(const struct cells *cells, const struct span *keys, size_t *count,
                          size_t *n_split)
{
    struct cell *items = cells_pieces(cells);
    *count = cells->count;
    *n_split = 0;
    if (!cells->joined)
        return items;
    size_t kept = 0;
    bool split = false;
    for (size_t i = 0; i < cells->count; i++) {
        if (kept && items[kept - 1].task == items[i].task) {
            items[kept - 1].n += items[i].n;
            items[kept - 1].sum += items[i].sum;
            *n_split += !split;
            split = true;
        } else {
            items[kept++] = items[i];
            split = false;
        }
    }
    *count = kept;
    qsort_r(items, kept, sizeof *items, by_position, (void *)keys);
    return items;
}

void cells_free(struct cells *cells)
{
    free(cells->items);
    free(cells->slot);
    *cells = (struct cells){0};
}
