/* passat_rates.c: see passat_rates.h. */
#include "measure/passat_rates.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "text/digest.h"

enum { HASH_DIGITS = 16 }; /* hexadecimal digits of a task's hash */

/* ---- the three rates ----------------------------------------------------------------------------
 */

/* pass^k and pass@k of the groups that count, the full ones first. */
struct kway {
    double *pow, *at;
    uint64_t *times, *hashes; /* hashes: NULL when no scheme wants them */
    size_t count;
    uint64_t n_tasks, n_imputed;
};

/* Binomials are worked out once per (n, c). */
struct binomials {
    struct map seen;
    double *pow, *at;
    size_t cap_pow, cap_at;
};

static size_t binomial(struct binomials *b, uint64_t n, uint64_t c, uint64_t k)
{
    uint64_t key[2] = {n, c};
    bool fresh;
    size_t i = map_add(&b->seen, span_make((const char *)key, sizeof key), &fresh);
    if (fresh) {
        b->pow = mem_grow(b->pow, &b->cap_pow, i + 1, sizeof *b->pow);
        b->at = mem_grow(b->at, &b->cap_at, i + 1, sizeof *b->at);
        b->pow[i] = stat_pass_pow_k(n, c, k);
        b->at[i] = stat_pass_at_k(n, c, k);
    }
    return i;
}

static void kway_add(struct kway *out, const struct task_rate *task, double pow_k, double at_k)
{
    out->pow[out->count] = pow_k;
    out->at[out->count] = at_k;
    if (out->hashes)
        out->hashes[out->count] = rates_task_hash(task->key);
    out->times[out->count++] = task->times;
    out->n_tasks += task->times;
}

static void kway_make(const struct rates_asked *asked, uint64_t k, struct kway *out)
{
    struct binomials known = {0};
    const struct task_rate *tasks = asked->tasks;
    size_t n = asked->n;
    bool hashed = asked->boot && asked->boot->scheme == BOOT_POISSON;
    *out = (struct kway){.pow = mem_zero(n, sizeof(double)),
                         .at = mem_zero(n, sizeof(double)),
                         .times = mem_zero(n, sizeof(uint64_t)),
                         .hashes = hashed ? mem_zero(n, sizeof(uint64_t)) : NULL};
    for (size_t i = 0; i < n; i++) {
        if (tasks[i].n < k)
            continue;
        size_t at = binomial(&known, tasks[i].n, (uint64_t)tasks[i].sum, k);
        kway_add(out, &tasks[i], known.pow[at], known.at[at]);
    }
    uint64_t eligible = out->n_tasks;
    for (size_t i = 0; asked->unanimous_short && i < n; i++) {
        if (tasks[i].n >= k || (tasks[i].sum != 0.0 && tasks[i].sum != (double)tasks[i].n))
            continue;
        double label = tasks[i].sum != 0.0;
        kway_add(out, &tasks[i], label, label);
    }
    out->n_imputed = out->n_tasks - eligible;
    map_free(&known.seen);
    free(known.pow);
    free(known.at);
}

static void kway_free(struct kway *kway)
{
    free(kway->pow);
    free(kway->at);
    free(kway->times);
    free(kway->hashes);
}

struct group_sizes {
    uint64_t least, most; /* of groups of two or more; 0: none */
    bool ragged;          /* more than one such size */
    size_t n_most;        /* groups of the largest size */
};

static struct group_sizes sizes_of(const struct task_rate *tasks, size_t n)
{
    struct group_sizes s = {0, 0, false, 0};
    for (size_t i = 0; i < n; i++) {
        uint64_t size = tasks[i].n;
        if (size < 2)
            continue;
        s.least = s.least == 0 || size < s.least ? size : s.least;
        s.n_most = size > s.most ? tasks[i].times : s.n_most + (size == s.most) * tasks[i].times;
        s.most = size > s.most ? size : s.most;
    }
    s.ragged = s.least != s.most;
    return s;
}

static void intervals(const struct rates_asked *asked, const struct kway *kway,
                      struct pass_rates *rates)
{
    size_t n = asked->n;
    double *means = mem_zero(n, sizeof *means);
    uint64_t *times = mem_zero(n, sizeof *times);
    uint64_t *hashes = asked->boot->scheme == BOOT_POISSON ? mem_zero(n, sizeof *hashes) : NULL;
    for (size_t i = 0; i < n; i++) {
        means[i] = asked->tasks[i].mean;
        times[i] = asked->tasks[i].times;
    }
    if (hashes)
        rates_hashes(asked->tasks, n, hashes);
    const double *lists[] = {means, kway->pow, kway->at};
    struct interval found[3] = {INTERVAL_NONE, INTERVAL_NONE, INTERVAL_NONE};
    bool together = kway->count == n;
    struct boot_sample all = {lists, together ? 3 : 1, n, asked->counted ? times : NULL, hashes};
    struct boot_sample some = {lists + 1, 2, kway->count, asked->counted ? kway->times : NULL,
                               kway->hashes};
    if (together &&
        hashes) /* imputed groups stand last in kway: each list goes with its own keys */
        all.n_lists = 1;
    boot_sample_intervals(&all, asked->boot, found);
    if (all.n_lists == 1 && kway->count)
        boot_sample_intervals(&some, asked->boot, found + 1);
    rates->ci95 = found[0];
    rates->pass_pow_k_ci95 = found[1];
    rates->pass_at_k_ci95 = found[2];
    rates->normal = stat_normal_check(means, asked->counted ? times : NULL, n, asked->boot->level);
    free(means);
    free(times);
    free(hashes);
}

/* Why pass^k and pass@k are withheld. */
static void note_small_k(const struct group_sizes *sizes, uint64_t n, int64_t k, int64_t min_k,
                         bool uneven, struct notes *notes)
{
    if (uneven)
        notes_add(notes, "uneven_below_min_k",
                  "tasks have %llu to %llu tries, so k falls to %llu, under %lld, and pass^k and "
                  "pass@k are withheld; %llu of %llu tasks have %llu: take -k %llu, or finish the "
                  "others",
                  (unsigned long long)sizes->least, (unsigned long long)sizes->most,
                  (unsigned long long)sizes->least, (long long)min_k,
                  (unsigned long long)sizes->n_most, (unsigned long long)n,
                  (unsigned long long)sizes->most, (unsigned long long)sizes->most);
    else
        notes_add(notes, "below_min_k",
                  "k is %lld, under %lld, so pass^k and pass@k are withheld; take more tries of "
                  "each task, or lower --min-k",
                  (long long)k, (long long)min_k);
}

/* Means of the lists, by the tasks that an entry stands for. */
static double counted_mean(const double *values, const uint64_t *times, size_t n, uint64_t n_tasks)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += (double)times[i] * values[i];
    return n ? sum / (double)n_tasks : NAN;
}

static void kway_rates(const struct kway *kway, const struct group_sizes *sizes, bool uneven,
                       struct notes *notes, struct pass_rates *rates)
{
    long long k = rates->k;
    if (kway->count == 0 && notes)
        notes_add(notes, "no_group_at_k",
                  "no task has %lld graded tries, which pass^%lld and pass@%lld need; take more "
                  "tries of each task, or a smaller -k",
                  k, k, k);
    else if (uneven && notes)
        notes_add(notes, "uneven",
                  "tasks have %llu to %llu tries and k is the smallest, %llu; -k sets another",
                  (unsigned long long)sizes->least, (unsigned long long)sizes->most,
                  (unsigned long long)sizes->least);
    rates->n_groups_at_k = kway->n_tasks;
    rates->n_groups_imputed = kway->n_imputed;
    rates->pass_pow_k = counted_mean(kway->pow, kway->times, kway->count, kway->n_tasks);
    rates->pass_at_k = counted_mean(kway->at, kway->times, kway->count, kway->n_tasks);
    rates->headroom = rates->pass_at_k - rates->pass_at_1;
}

void rates_make(const struct rates_asked *asked, struct notes *notes, struct pass_rates *rates)
{
    struct group_sizes sizes = sizes_of(asked->tasks, asked->n);
    int64_t k = asked->k > 0 ? asked->k : sizes.least ? (int64_t)sizes.least : 1;
    *rates = (struct pass_rates){.k = k, .pass_pow_k = NAN, .pass_at_k = NAN, .headroom = NAN};
    rates->normal = (struct normal_check){NAN, INTERVAL_NONE};
    double sum = 0.0;
    for (size_t i = 0; i < asked->n; i++) {
        sum += (double)asked->tasks[i].times * asked->tasks[i].mean;
        rates->n_groups += asked->tasks[i].times;
    }
    rates->pass_at_1 = asked->n ? sum / (double)rates->n_groups : NAN;
    bool uneven = asked->k <= 0 && sizes.ragged;
    struct kway kway = {0};
    if (k >= (asked->min_k > 1 ? asked->min_k : 1)) {
        kway_make(asked, (uint64_t)k, &kway);
        kway_rates(&kway, &sizes, uneven, notes, rates);
    } else if (notes) {
        note_small_k(&sizes, rates->n_groups, k, asked->min_k, uneven, notes);
    }
    rates->ci95 = rates->pass_pow_k_ci95 = rates->pass_at_k_ci95 = INTERVAL_NONE;
    if (asked->boot)
        intervals(asked, &kway, rates);
    kway_free(&kway);
}

/* ---- the tasks ----------------------------------------------------------------------------------
 */

struct task_rate *rates_of(const struct passat *p, const struct cells *cells, size_t *count,
                           size_t *n_split)
{
    struct cell *groups = cells_groups(cells, p->tasks.keys, count, n_split);
    struct task_rate *tasks = mem_zero(*count, sizeof *tasks);
    for (size_t i = 0; i < *count; i++) {
        const struct cell *cell = &groups[i];
        tasks[i] = (struct task_rate){p->tasks.keys[cell->task], cell->n, cell->sum,
                                      cell->sum / (double)cell->n, 1};
    }
    free(groups);
    return tasks;
}

struct task_rate *rates_of_labels(const struct passat *p, size_t *count)
{
    size_t n_split;
    if (!p->by_hist)
        return rates_of(p, &p->labels, count, &n_split);
    struct task_rate *tasks = mem_zero(p->n_hist, sizeof *tasks);
    *count = p->n_hist;
    for (size_t i = 0; i < p->n_hist; i++) {
        const struct rate_cell *cell = &p->hist[i];
        tasks[i] = (struct task_rate){SPAN(""), cell->n, (double)cell->c,
                                      (double)cell->c / (double)cell->n, cell->tasks};
    }
    return tasks;
}

uint64_t rates_task_hash(struct span task)
{
    return digest_number(task, HASH_DIGITS);
}

void rates_hashes(const struct task_rate *tasks, size_t n, uint64_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = rates_task_hash(tasks[i].key);
}
