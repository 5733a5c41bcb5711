/* pairs.c: counts of pairs of results (measure 12): from the rows of both sides, and added up. */
#include "measure/pairs.h"

#include <stdlib.h>

#include "base/mem.h"
#include "measure/passat.h"
#include "text/term.h"

#define TASKS_MAX (UINT64_C(1) << 53) /* exact in every JSON reader */

/* ---- cells --------------------------------------------------------------------------------------
 */

static int by_results(const void *left, const void *right)
{
    const struct pair_cell *a = left, *b = right;
    const uint64_t x[] = {a->na, a->ca, a->nb, a->cb}, y[] = {b->na, b->ca, b->nb, b->cb};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

void pair_metric_add(struct pair_metric *m, struct pair_cell cell)
{
    m->cells = mem_grow(m->cells, &m->cap, m->count + 1, sizeof *m->cells);
    m->cells[m->count++] = cell;
}

bool pair_metric_settle(struct pair_metric *m)
{
    size_t kept = 0;
    uint64_t tasks = 0;
    if (m->count)
        qsort(m->cells, m->count, sizeof *m->cells, by_results);
    for (size_t i = 0; i < m->count; i++) {
        if (m->cells[i].tasks > TASKS_MAX - tasks)
            return false;
        tasks += m->cells[i].tasks;
        if (kept && by_results(&m->cells[kept - 1], &m->cells[i]) == 0)
            m->cells[kept - 1].tasks += m->cells[i].tasks;
        else
            m->cells[kept++] = m->cells[i];
    }
    m->count = kept;
    return true;
}

struct pair_metric *arm_pairs_metric(struct arm_pairs *p, struct span name, bool *fresh)
{
    bool made;
    size_t number = map_add(&p->names, name, &made);
    if (made) {
        p->metrics = mem_grow(p->metrics, &p->cap, number + 1, sizeof *p->metrics);
        p->metrics[number] = (struct pair_metric){NULL, 0, 0, false};
    }
    if (fresh)
        *fresh = made;
    return &p->metrics[number];
}

static int by_name(const void *left, const void *right, void *context)
{
    const struct span *names = context;
    return span_compare(names[*(const size_t *)left], names[*(const size_t *)right]);
}

size_t *arm_pairs_order(const struct arm_pairs *p)
{
    size_t *order = mem_zero(p->names.count, sizeof *order);
    for (size_t i = 0; i < p->names.count; i++)
        order[i] = i;
    if (p->names.count)
        qsort_r(order, p->names.count, sizeof *order, by_name, p->names.keys);
    return order;
}

/* ---- from rows ----------------------------------------------------------------------------------
 */

static int by_key(const void *left, const void *right)
{
    return span_compare(((const struct task_rate *)left)->key,
                        ((const struct task_rate *)right)->key);
}

static void pair_up(struct task_rate *tasks[SIDES], const size_t n[SIDES], struct pair_metric *out)
{
    for (int side = 0; side < SIDES; side++)
        if (n[side])
            qsort(tasks[side], n[side], sizeof *tasks[side], by_key);
    for (size_t i = 0, j = 0; i < n[BEFORE] || j < n[AFTER];) {
        int order = i == n[BEFORE]  ? 1
                    : j == n[AFTER] ? -1
                                    : span_compare(tasks[BEFORE][i].key, tasks[AFTER][j].key);
        struct pair_cell cell = {.tasks = 1};
        if (order <= 0) {
            cell.na = tasks[BEFORE][i].n;
            cell.ca = (uint64_t)tasks[BEFORE][i++].sum;
        }
        if (order >= 0) {
            cell.nb = tasks[AFTER][j].n;
            cell.cb = (uint64_t)tasks[AFTER][j++].sum;
        }
        pair_metric_add(out, cell);
    }
    pair_metric_settle(out);
}

/* Are all values of a marker 0 or 1? */
static bool is_rate(const struct passat *p, struct span marker)
{
    size_t number = map_find(&p->marker_names, marker);
    if (number == MAP_NONE)
        return true;
    const struct marker_cells *m = &p->markers[number];
    return m->n_at_1 + m->n_at_0 == m->n_rows;
}

static int add_metric(struct arm_pairs *p, const struct compare_rows *rows, struct span marker,
                      bool named, struct error *error)
{
    struct buf name = {0};
    if (marker.ptr)
        buf_text(&name, "marker:");
    buf_span_add(&name, marker.ptr ? marker : SPAN("pass_at_1"));
    struct pair_metric *m = arm_pairs_metric(p, buf_span(&name), NULL);
    for (int i = 0; marker.ptr && i < SIDES; i++)
        m->real |= !is_rate(rows->sides[i].rows, marker);
    struct task_rate *tasks[SIDES] = {NULL};
    size_t n[SIDES] = {0};
    for (int i = 0; !m->real && i < SIDES; i++)
        tasks[i] = passat_tasks(rows->sides[i].rows, buf_span(&name), &n[i]);
    pair_up(tasks, n, m);
    int code = 0;
    if (m->real && named) {
        struct buf shown = {0};
        term_add_head(&shown, buf_span(&name), MEASURE_REASON_MAX);
        code = error_set(error, ERROR_USAGE,
                         "%s has values other than 0 and 1, and a summary of pairs holds rates "
                         "only; compare the rows, or task summaries of wai-passat --partial",
                         buf_cstr(&shown));
        buf_free(&shown);
    }
    for (int i = 0; i < SIDES; i++)
        free(tasks[i]);
    buf_free(&name);
    return code;
}

/* A side without its markers and tasks. */
static int to_histogram(struct passat *p, const struct boot_options *boot, struct error *error)
{
    for (size_t i = 0; i < p->marker_names.count; i++)
        marker_cells_free(&p->markers[i]);
    map_free(&p->marker_names);
    p->marker_names = (struct map){0};
    p->keep_markers = p->listed_markers = false;
    return passat_to_hist(p, boot, error);
}

int arm_pairs_of_rows(const struct compare_options *o, struct compare_rows *rows,
                      struct arm_pairs *p, struct error *error)
{
    for (int i = 0; i < SIDES; i++)
        if (passat_by_hist(rows->sides[i].rows))
            return error_set(error, ERROR_INPUT,
                             "the side %s is a summary by hist, whose tasks cannot be paired; give "
                             "rows, or summaries by task",
                             SIDE_NAMES[i]);
    int code = add_metric(p, rows, (struct span){NULL, 0}, false, error);
    for (size_t i = 0; code == 0 && i < o->n_markers; i++)
        code = add_metric(p, rows, o->markers[i], true, error);
    for (int side = 0; code == 0 && !o->markers_given && side < SIDES; side++) {
        const struct map *names = &rows->sides[side].rows->marker_names;
        for (size_t i = 0; i < names->count; i++)
            if (side == BEFORE ||
                map_find(&rows->sides[BEFORE].rows->marker_names, names->keys[i]) == MAP_NONE)
                add_metric(p, rows, names->keys[i], false, error);
    }
    struct boot_options none = {0};
    for (int i = 0; code == 0 && i < SIDES; i++) {
        struct passat *mine = p->sides[i];
        p->sides[i] = rows->sides[i].rows;
        rows->sides[i].rows = mine;
        p->n_fallback[i] = rows->sides[i].n_fallback;
        code = to_histogram(p->sides[i], &none, error);
    }
    p->n_bad = rows->n_bad;
    return code;
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

struct arm_pairs *arm_pairs_new(const struct compare_options *o)
{
    struct arm_pairs *p = mem_zero(1, sizeof *p);
    struct boot_options none = {0};
    struct error error;
    p->facts = facts_open(&o->facts);
    p->keys = (struct passat_keys){.reward = facts_reward_keys(p->facts),
                                   .task = facts_task_keys(p->facts),
                                   .bool_rewards = o->facts.bool_rewards,
                                   .histograms = true};
    arm_pairs_metric(p, SPAN("pass_at_1"), NULL);
    for (int i = 0; i < SIDES; i++) {
        p->sides[i] = passat_new(&(struct passat_options){0});
        passat_to_hist(p->sides[i], &none, &error); /* nothing is in it that would not fit */
    }
    return p;
}

void arm_pairs_free(struct arm_pairs *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->names.count; i++)
        free(p->metrics[i].cells);
    free(p->metrics);
    map_free(&p->names);
    for (int i = 0; i < SIDES; i++)
        passat_free(p->sides[i]);
    compare_rows_free(&p->nothing);
    facts_close(p->facts);
    free(p);
}

/* Options that need rows, then those of a report, then those of rows. */
int arm_pairs_check(const struct compare_options *o, struct error *error)
{
    const struct compare_request *r = o->asked;
    const struct gate_options *limits = &r->gates;
    const char *rows = r->balance                                            ? "--balance-rollouts"
                       : r->by                                               ? "--by"
                       : r->per_task                                         ? "--per-task"
                       : r->run_std.count                                    ? "--run-std"
                       : r->trained[BEFORE].count || r->trained[AFTER].count ? "--train-run-*"
                       : r->proxy                                            ? "--proxy"
                       : o->holm                                             ? "--adjust"
                                                                             : NULL;
    if (rows)
        return error_set(error, ERROR_USAGE,
                         "%s: a summary of pairs has counts and no rows, runs or slices; compare "
                         "the rows themselves",
                         rows);
    if (o->scheme == BOOT_EXACT)
        return error_set(error, ERROR_USAGE,
                         "--scheme exact draws tasks, which a summary of pairs does not keep; its "
                         "scheme is hist");
    unsigned known =
        1u << FAIL_WRONG_WAY | 1u << FAIL_NO_GAIN | 1u << FAIL_INSUFFICIENT | 1u << FAIL_SLIPPED;
    if (o->fail_on & ~known)
        return error_set(error, ERROR_USAGE,
                         "a summary of pairs knows --fail-on wrong-way, no-gain, insufficient and "
                         "slipped only");
    if (r->partial && (r->metric || r->target || r->guards.count || r->lower.count || o->fail_on ||
                       limits->fail_under.count || limits->fail_over.count || limits->strict ||
                       limits->min_tasks_given || limits->min_graded_given))
        return error_set(error, ERROR_USAGE,
                         "--partial prints a summary and no report: --metric, targets, guards and "
                         "gates belong to the run with --merge");
    if (r->merge && (r->markers.count || r->shard_given))
        return error_set(error, ERROR_USAGE,
                         "--markers and --shard are given when summaries are written, not with "
                         "--merge");
    return 0;
}
