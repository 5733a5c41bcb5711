/* passat_hist.c: a passat without its tasks: how many have each pair of tries and passes, and a sketch
 * of each marker (measure 12, 13.2, 13.3). */
#include <stdlib.h>

#include "base/mem.h"
#include "measure/passat_rates.h"
#include "text/term.h"

bool passat_by_hist(const struct passat *p)
{
    return p->by_hist;
}

int rate_cell_compare(const struct rate_cell *a, const struct rate_cell *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    return (a->c > b->c) - (a->c < b->c);
}

void passat_hist_add(struct passat *p, const struct rate_cell *cell)
{
    size_t low = 0, high = p->n_hist;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rate_cell_compare(&p->hist[middle], cell) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < p->n_hist && rate_cell_compare(&p->hist[low], cell) == 0) {
        p->hist[low].tasks += cell->tasks;
        return;
    }
    p->hist = mem_grow(p->hist, &p->cap_hist, p->n_hist + 1, sizeof *p->hist);
    memmove(p->hist + low + 1, p->hist + low, (p->n_hist - low) * sizeof *p->hist);
    p->hist[low] = *cell;
    p->n_hist++;
}

void marker_cells_free(struct marker_cells *m)
{
    cells_free(&m->cells);
    if (m->sketch)
        boot_sketch_free(m->sketch);
    free(m->sketch);
    m->sketch = NULL;
}

/* ---- from tasks ---------------------------------------------------------------------------------
 */

static int marker_to_sketch(const struct passat *p, size_t number, const struct boot_options *boot,
                            struct error *error)
{
    struct marker_cells *m = &p->markers[number];
    size_t n, n_split;
    struct task_rate *tasks = rates_of(p, &m->cells, &n, &n_split);
    double *means = mem_zero(n, sizeof *means);
    uint64_t *hashes = mem_zero(n, sizeof *hashes);
    for (size_t i = 0; i < n; i++)
        means[i] = tasks[i].mean;
    rates_hashes(tasks, n, hashes);
    marker_cells_free(m);
    m->sketch = mem_zero(1, sizeof *m->sketch);
    boot_sketch_open(m->sketch, boot);
    bool fits = boot_sketch_add(m->sketch, means, hashes, n, boot->jobs);
    free(tasks);
    free(means);
    free(hashes);
    if (fits)
        return 0;
    struct buf name = {0};
    term_add_head(&name, p->marker_names.keys[number], MEASURE_REASON_MAX);
    error_set(error, ERROR_INPUT,
              "marker:%s has a value of 2^40 or more, which --partial-by hist cannot hold; divide "
              "it by a power of ten, or use --partial-by task",
              buf_cstr(&name));
    buf_free(&name);
    return ERROR_INPUT;
}

int passat_to_hist(struct passat *p, const struct boot_options *boot, struct error *error)
{
    if (p->by_hist)
        return 0;
    size_t n;
    struct task_rate *tasks = rates_of_labels(p, &n);
    for (size_t i = 0; i < n; i++)
        passat_hist_add(p, &(struct rate_cell){tasks[i].n, (uint64_t)tasks[i].sum, 1});
    free(tasks);
    for (size_t i = 0; i < p->marker_names.count; i++)
        if (p->markers[i].cells.count && marker_to_sketch(p, i, boot, error) < 0)
            return ERROR_INPUT;
    p->by_hist = true;
    cells_free(&p->labels);
    map_free(&p->tasks);
    p->tasks = (struct map){0};
    return 0;
}

/* ---- joining ------------------------------------------------------------------------------------
 */

static int drawn_otherwise(int64_t draws_a, uint64_t key_a, int64_t draws_b, uint64_t key_b,
                           struct error *error)
{
    return error_set(
        error, ERROR_INPUT,
        "markers were sketched with %lld replicates and key %016llx, here with %lld and "
        "%016llx; give all runs the same --n-boot and --seed",
        (long long)draws_a, (unsigned long long)key_a, (long long)draws_b,
        (unsigned long long)key_b);
}

int passat_sketch_merge(struct marker_cells *into, const struct marker_cells *from,
                        struct error *error)
{
    const struct boot_sketch *a = from->sketch;
    if (!a)
        return 0;
    if (!into->sketch) {
        into->sketch = mem_zero(1, sizeof *into->sketch);
        boot_sketch_start(into->sketch, a->draws, a->key);
    }
    const struct boot_sketch *b = into->sketch;
    if (a->draws != b->draws || a->key != b->key)
        return drawn_otherwise(a->draws, a->key, b->draws, b->key, error);
    if (!boot_sketch_merge(into->sketch, a))
        return error_set(error, ERROR_INPUT,
                         "the summaries count over 2^40 values of a marker; they cannot be true");
    return 0;
}

void passat_hist_merge(struct passat *into, const struct passat *from)
{
    for (size_t i = 0; i < from->n_hist; i++)
        passat_hist_add(into, &from->hist[i]);
}

int passat_check_sketches(const struct passat *p, const struct boot_options *boot,
                          struct error *error)
{
    struct rng start = *boot->start;
    uint64_t key = rng_bits(&start, 64);
    for (size_t i = 0; i < p->marker_names.count; i++) {
        const struct boot_sketch *sketch = p->markers[i].sketch;
        if (sketch && (sketch->draws != boot->draws || sketch->key != key))
            return drawn_otherwise(sketch->draws, sketch->key, boot->draws, key, error);
    }
    return 0;
}
