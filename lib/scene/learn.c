/* learn.c: see learn.h. */
#include "scene/learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/defaults.h"
#include "text/number.h"

/* ---- novelty --------------------------------------------------------------------------------- */

double novelty_add(struct novelty_window *w, const struct embedding *v)
{
    float cosine[NOVELTY_WINDOW] = {0};
    float most = 0;
    if (!w->columns)
        w->columns = mem_zero((size_t)EMBED_HASH_SIZE * NOVELTY_WINDOW, sizeof *w->columns);
    for (size_t i = 0; i < v->count; i++) {
        const float *column = w->columns + (size_t)v->at[i] * NOVELTY_WINDOW;
        float x = (float)v->value[i];
        for (size_t j = 0; j < NOVELTY_WINDOW; j++)
            cosine[j] += x * column[j];
    }
    for (size_t j = 0; j < NOVELTY_WINDOW; j++)
        most = cosine[j] > most ? cosine[j] : most;
    for (size_t b = 0; b < EMBED_HASH_SIZE && w->count == NOVELTY_WINDOW; b++)
        w->columns[b * NOVELTY_WINDOW + w->next] = 0;
    for (size_t i = 0; i < v->count; i++)
        w->columns[(size_t)v->at[i] * NOVELTY_WINDOW + w->next] = (float)v->value[i];
    w->next = (w->next + 1) % NOVELTY_WINDOW;
    w->count += w->count < NOVELTY_WINDOW;
    return most >= 1 ? 0 : number_round(1 - (double)most, NOVELTY_DIGITS);
}

void novelty_free(struct novelty_window *w)
{
    free(w->columns);
}

/* ---- rows ------------------------------------------------------------------------------------ */

void learned_open(struct learned *l, const struct grid *grid)
{
    *l = (struct learned){0};
    l->value_rows = mem_zero(grid->n_values + 1, sizeof *l->value_rows);
    l->fact_of = mem_alloc((grid->count + 1) * sizeof *l->fact_of);
    for (size_t i = 0; i < grid->count; i++)
        l->fact_of[i] = MAP_NONE;
    for (int a = 0; a < ARM_COUNT; a++)
        l->yields[a] = NAN;
}

void learned_free(struct learned *l)
{
    map_free(&l->cells);
    map_free(&l->signatures);
    map_free(&l->cell_signatures);
    map_free(&l->shapes);
    map_free(&l->scenarios);
    free(l->facts);
    free(l->shape_rows);
    free(l->scenario_rows);
    free(l->value_rows);
    free(l->fact_of);
    free(l->curve);
    novelty_free(&l->window);
}

/* Counts a key; returns whether it is new. */
static bool count_key(struct map *map, int64_t **rows, size_t *cap, struct span key)
{
    bool fresh;
    size_t n = map_add(map, key, &fresh);
    *rows = mem_grow(*rows, cap, n + 1, sizeof **rows);
    (*rows)[n] = fresh ? 1 : (*rows)[n] + 1;
    return fresh;
}

static void smooth(struct cell_fact *f, const struct knobs *knobs, double novelty)
{
    double old = knobs->value[KNOB_NOVELTY_SMOOTHING];
    f->novelty = f->measured ? old * f->novelty + (1 - old) * novelty : novelty;
    f->measured = true;
}

void learned_row(struct learned *l, const struct grid *grid, const struct knobs *knobs,
                 const struct lesson *lesson)
{
    bool new_cell, new_signature, new_pair, new_shape = false;
    size_t n = map_add(&l->cells, lesson->cell, &new_cell);
    l->facts = mem_grow(l->facts, &l->facts_cap, n + 1, sizeof *l->facts);
    if (new_cell)
        l->facts[n] =
            (struct cell_fact){.planned = lesson->planned != NULL, .prompt = lesson->prompt};
    struct cell_fact *f = &l->facts[n];
    struct buf pair = {0};
    buf_format(&pair, "%zu:", n);
    buf_span_add(&pair, lesson->signature);
    map_add(&l->cell_signatures, buf_span(&pair), &new_pair);
    buf_free(&pair);
    f->rows++;
    f->fails += lesson->failed;
    f->signatures += new_pair;
    if (lesson->first)
        smooth(f, knobs, lesson->novelty);
    map_add(&l->signatures, lesson->signature, &new_signature);
    if (lesson->shape.len)
        new_shape = count_key(&l->shapes, &l->shape_rows, &l->shape_cap, lesson->shape);
    count_key(&l->scenarios, &l->scenario_rows, &l->scenario_cap, lesson->scenario);
    const struct cell *cell = lesson->planned;
    for (int a = 0; cell && a < AXIS_COUNT; a++)
        if (cell->value[a].len)
            l->value_rows[cell->pair_value[a]]++;
    if (cell && cell >= grid->cells && cell < grid->cells + grid->count)
        l->fact_of[cell - grid->cells] = n;
    struct round_facts *r = &l->round;
    r->rows++;
    r->fresh += new_cell + new_signature + new_shape;
    if (lesson->arm < ARM_COUNT) {
        r->arm_rows[lesson->arm]++;
        r->arm_news[lesson->arm] += new_signature + new_cell;
    }
    if (lesson->first) {
        r->novelty += lesson->novelty;
        r->prompts++;
    }
}

const struct cell_fact *learned_cell(const struct learned *l, struct span cell)
{
    size_t n = map_find(&l->cells, cell);
    return n == MAP_NONE ? NULL : &l->facts[n];
}

/* ---- rounds ---------------------------------------------------------------------------------- */

void learned_round(struct learned *l)
{
    const struct round_facts *r = &l->round;
    for (int a = 0; a < ARM_COUNT; a++)
        l->yields[a] = r->arm_rows[a] ? (double)r->arm_news[a] / (double)r->arm_rows[a] : NAN;
    if (r->rows) {
        l->last_rows = r->rows;
        l->flat = (double)r->fresh < PACE_FLAT_YIELD * (double)r->rows ? l->flat + 1 : 0;
    }
}

void learned_point(struct learned *l, int64_t rows, int64_t prompts,
                   const double weights[ARM_COUNT])
{
    const struct round_facts *r = &l->round;
    l->curve = mem_grow(l->curve, &l->curve_cap, l->n_curve + 1, sizeof *l->curve);
    struct curve_point *p = &l->curve[l->n_curve++];
    *p = (struct curve_point){
        .rows = rows,
        .prompts = prompts,
        .scenarios = (int64_t)l->scenarios.count,
        .signatures = (int64_t)l->signatures.count,
        .cells = (int64_t)l->cells.count,
        .shapes = (int64_t)l->shapes.count,
        .fresh_rate = r->rows ? (double)r->fresh / (double)r->rows : NAN,
        .novelty = r->prompts ? r->novelty / (double)r->prompts : NAN,
    };
    memcpy(p->weights, weights, sizeof p->weights);
    l->round = (struct round_facts){0};
}

/* ---- weights --------------------------------------------------------------------------------- */

double behavior_value(const struct cell_fact *f, const struct knobs *knobs)
{
    const double *k = knobs->value;
    double gap = k[KNOB_GAP_UNKNOWN], share = (double)f->fails / (double)(f->rows + 1);
    if ((double)f->rows >= k[KNOB_GAP_ROWS] && f->signatures <= 1)
        gap = k[KNOB_GAP_STUCK];
    else if ((double)f->signatures >= k[KNOB_GAP_SIGNATURES])
        gap = k[KNOB_GAP_RICH];
    double value = k[KNOB_GAP_WEIGHT] * gap + (1 - k[KNOB_GAP_WEIGHT]) * share;
    return value < 1 ? value : 1;
}

double starvation_boost(const struct grid *grid, const int64_t *value_rows, const struct cell *cell)
{
    static const enum axis axes[] = {AXIS_CONDITION, AXIS_HISTORY, AXIS_WORLD};
    double boost = 1;
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        struct span value = cell->value[axes[i]];
        uint32_t own = cell->pair_value[axes[i]];
        int64_t rows = 0, seen = 0;
        if (!value.len || span_is(value, "unspecified"))
            continue;
        for (size_t v = 0; v < grid->n_values; v++)
            if (grid->axis_of_value[v] == axes[i]) {
                rows += value_rows[v];
                seen += value_rows[v] > 0;
            }
        if (rows < STARVATION_ROWS)
            continue;
        if (value_rows[own] == 0)
            boost *= STARVATION_UNSEEN;
        else if ((double)value_rows[own] / (double)rows < STARVATION_SHARE / (double)seen)
            boost *= STARVATION_RARE;
    }
    return boost;
}

double learned_weight(const struct learned *l, const struct grid *grid, const struct knobs *knobs,
                      size_t cell, struct weight_blend blend)
{
    const struct cell *c = &grid->cells[cell];
    size_t n = l->fact_of[cell];
    const struct cell_fact *f = n == MAP_NONE ? NULL : &l->facts[n];
    double weight = cell_weight(c, blend, f ? (size_t)f->rows : 0,
                                f && f->measured ? f->novelty : WEIGHT_UNMEASURED,
                                f ? behavior_value(f, knobs) : WEIGHT_UNMEASURED);
    double boost = starvation_boost(grid, l->value_rows, c);
    return boost != 1 ? number_round(weight * boost, 6) : weight;
}

/* ---- saturation ------------------------------------------------------------------------------ */

/* Rows of every cell that stands in the grid or beyond. */
static int64_t *planned_counts(const struct learned *l, size_t *n)
{
    int64_t *counts = mem_alloc((l->cells.count + 1) * sizeof *counts);
    *n = 0;
    for (size_t i = 0; i < l->cells.count; i++)
        if (l->facts[i].planned)
            counts[(*n)++] = l->facts[i].rows;
    return counts;
}

bool learned_saturated(const struct learned *l, const struct grid *grid)
{
    size_t n;
    int64_t *counts = planned_counts(l, &n);
    int64_t *planned = mem_alloc((grid->count + 1) * sizeof *planned);
    for (size_t i = 0; i < grid->count; i++)
        planned[i] = l->fact_of[i] == MAP_NONE ? 0 : l->facts[l->fact_of[i]].rows;
    bool saturated = run_saturated(planned, grid->count, counts, n);
    free(planned);
    free(counts);
    return saturated;
}

int64_t learned_missing(const struct learned *l)
{
    size_t n;
    int64_t *counts = planned_counts(l, &n);
    int64_t missing = copies_missing(counts, n);
    if (l->shapes.count)
        missing += copies_missing(l->shape_rows, l->shapes.count);
    free(counts);
    return missing;
}

int64_t learned_least(const struct learned *l)
{
    size_t n;
    int64_t *counts = planned_counts(l, &n), least = n ? counts[0] : 0;
    for (size_t i = 1; i < n; i++)
        least = counts[i] < least ? counts[i] : least;
    free(counts);
    return least;
}

struct forecast learned_forecast(const struct learned *l, int64_t rows, int64_t budget,
                                 bool saturated)
{
    return forecast_saturation(rows, budget, saturated, learned_missing(l), l->flat, l->last_rows);
}
