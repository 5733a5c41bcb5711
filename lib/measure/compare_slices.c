/* compare_slices.c: the target within each value of a row key (measure 6.9), so that a headline
 * that moved cannot hide a kind of task that moved the other way. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/compare_inside.h"
#include "measure/passat.h"

static int by_name(const void *left, const void *right)
{
    const struct compared_slice *a = left, *b = right;
    return span_compare(a->name, b->name);
}

static size_t shared_values(const struct compare_rows *rows, size_t key)
{
    const struct map *before = &rows->sides[BEFORE].slices[key].names;
    const struct map *after = &rows->sides[AFTER].slices[key].names;
    size_t n = 0;
    for (size_t i = 0; i < before->count; i++)
        n += map_find(after, before->keys[i]) != MAP_NONE;
    return n;
}

/* Which key splits: the one that was named, else the first with two values on both sides. */
static size_t choose_key(struct compare_report *r)
{
    const struct compare_rows *rows = r->rows;
    r->by_given = r->options->asked->by != NULL;
    for (size_t i = 0; i < rows->n_slice_keys; i++)
        if (r->by_given || shared_values(rows, i) >= 2) {
            r->by = rows->slice_keys[i];
            return i;
        }
    return 0;
}

/* ---- one slice ----------------------------------------------------------------------------------
 */

static bool within_unit(double x)
{
    return x >= 0.0 && x <= 1.0;
}

static void judge(struct compared_slice *s, const struct compare_report *r)
{
    const struct metric_change *c = &s->change;
    bool is_rate = !s->lower && (r->headline == &r->metrics[0] ||
                                 (within_unit(c->mean_a) && within_unit(c->mean_b)));
    s->low_n = (int64_t)c->n_paired < r->slice_min_tasks;
    if (isnan(c->delta))
        return;
    s->weak_low = is_rate && c->mean_b < MEASURE_WEAK_SLICE;
    s->weak_no_gain =
        s->gain != CHANGE_B_BETTER && !s->low_n && !(is_rate && c->mean_b >= MEASURE_CEILING);
    s->weak = s->weak_low || s->weak_no_gain;
}

static void compare_slice(struct compare_report *r, size_t key, size_t i)
{
    struct compared_slice *s = &r->slices[i];
    struct task_rate *tasks[SIDES];
    size_t n[SIDES];
    for (int side = 0; side < SIDES; side++) {
        const struct row_groups *groups = &r->rows->sides[side].slices[key];
        const struct passat *rows = groups->rows[map_find(&groups->names, s->name)];
        s->rows[side] = passat_rows(rows);
        tasks[side] = passat_tasks(rows, r->headline->name, &n[side]);
    }
    struct buf name = {0};
    buf_span_add(&name, s->name);
    buf_byte(&name, '/');
    buf_span_add(&name, r->headline->name);
    compare_tasks(r->options, MEASURE_SEED_SLICES + i, buf_span(&name), tasks[BEFORE], n[BEFORE],
                  tasks[AFTER], n[AFTER], &s->change);
    s->lower = r->headline->lower;
    s->gain = compare_gain(s->change.verdict, s->lower);
    judge(s, r);
    buf_free(&name);
    free(tasks[BEFORE]);
    free(tasks[AFTER]);
}

/* ---- the order of the table ---------------------------------------------------------------------
 */

/* Weakest first: no delta last; weak ones before the others; then by rate, change and name. */
static bool printed_before(const struct compared_slice *a, const struct compared_slice *b)
{
    bool a_none = isnan(a->change.delta), b_none = isnan(b->change.delta);
    if (a_none != b_none)
        return b_none;
    if (a->weak != b->weak)
        return a->weak;
    double sign = a->lower ? -1.0 : 1.0;
    if (!a_none) {
        double x = sign * a->change.mean_b, y = sign * b->change.mean_b;
        if (x != y)
            return x < y;
        x = sign * a->change.delta;
        y = sign * b->change.delta;
        if (x != y)
            return x < y;
    }
    return span_compare(a->name, b->name) < 0;
}

/* Merge sort of order[low..high); its depth is the logarithm of the slices. */
static void order_pair(const struct compare_report *r, size_t low, size_t high, size_t *spare)
{
    size_t *order = r->slice_order;
    if (high - low < 2)
        return;
    size_t middle = low + (high - low) / 2;
    order_pair(r, low, middle, spare);
    order_pair(r, middle, high, spare);
    size_t i = low, j = middle, at = low;
    while (i < middle || j < high) {
        bool left = j == high ||
                    (i < middle && !printed_before(&r->slices[order[j]], &r->slices[order[i]]));
        spare[at++] = left ? order[i++] : order[j++];
    }
    memcpy(order + low, spare + low, (high - low) * sizeof *order);
}

void compare_slices(struct compare_report *r)
{
    size_t key = choose_key(r);
    if (!r->by)
        return;
    r->slice_min_tasks = stat_slice_min_tasks(r->options->asked->alpha);
    const struct map *before = &r->rows->sides[BEFORE].slices[key].names;
    const struct map *after = &r->rows->sides[AFTER].slices[key].names;
    r->slices = mem_zero(before->count, sizeof *r->slices);
    for (size_t i = 0; i < before->count; i++)
        if (map_find(after, before->keys[i]) != MAP_NONE)
            r->slices[r->n_slices++].name = before->keys[i];
    qsort(r->slices, r->n_slices, sizeof *r->slices, by_name);
    r->slice_order = mem_zero(r->n_slices, sizeof *r->slice_order);
    for (size_t i = 0; i < r->n_slices; i++) {
        compare_slice(r, key, i);
        r->slice_order[i] = i;
    }
    size_t *spare = mem_zero(r->n_slices, sizeof *spare);
    order_pair(r, 0, r->n_slices, spare);
    free(spare);
}
