/* rl.c: whole groups of tasks that the policy sometimes solves (select 3). The gates run in the
 * order of the specification over a list of row numbers; each counts what it drops. A group is
 * never split. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "row/value.h"
#include "select/defaults.h"
#include "select/select.h"
#include "text/number.h"

const char *const RL_TRUNCATED_NAMES[] = {"drop", "keep", "penalize"};
const char *const RL_TEXT_NAMES[] = {"auto", "require", "skip"};
const char *const RL_FATE_NAMES[RL_FATES] = {"no_rows",  "unanimous",  "collapsed",   "too_easy",
                                             "too_hard", "over_quota", "past_target", "selected"};

/* The rows still in the running, and the tasks they belong to. */
struct run {
    const struct select_facts *facts;
    const struct rl_options *o;
    struct rl_result *r;
    size_t *rows; /* in input order */
    size_t count;
    size_t *riders; /* cut rows that are kept but do not vote */
    size_t n_riders;
    size_t *original; /* per task: rows before duplicates went */
};

static const struct select_fact *fact_of(const struct run *run, size_t i)
{
    return &run->facts->items[run->rows[i]];
}

/* A row whose label takes part: a penalised one counts as 0. */
static int label_of(const struct run *run, size_t row)
{
    if (run->r->marked[row] && run->o->truncated == RL_TRUNCATED_PENALIZE)
        return ROW_LABEL_FAIL;
    return run->facts->items[row].label;
}

static void gate_leaks(struct run *run)
{
    size_t kept = 0;
    for (size_t row = 0; row < run->facts->count; row++) {
        const struct select_fact *f = &run->facts->items[row];
        run->r->n_checked += (f->flags & SELECT_CHECKED) != 0;
        if (f->flags & SELECT_LEAKED)
            run->r->n_leaks++;
        else
            run->rows[kept++] = row;
    }
    run->count = kept;
}

/* Marks cut rows under keep and penalize; says how many of what came in was scored by the eval. */
static void mark_truncated(struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct select_fact *f = fact_of(run, i);
        run->r->eval_sourced_input += (f->flags & SELECT_EVAL) != 0;
        if (run->o->truncated != RL_TRUNCATED_DROP && (f->flags & SELECT_TRUNCATED)) {
            run->r->marked[run->rows[i]] = true;
            run->r->truncated_marked++;
        }
    }
}

static bool text_gates_wanted(const struct run *run)
{
    if (run->o->text_gates != RL_TEXT_AUTO)
        return run->o->text_gates == RL_TEXT_REQUIRE;
    for (size_t i = 0; i < run->count; i++)
        if (fact_of(run, i)->flags & SELECT_CONTENT)
            return true;
    return false;
}

static bool is_overlong(const struct run *run, size_t row)
{
    return (run->facts->items[row].flags & SELECT_OVERLONG) || run->r->marked[row];
}

/* A 0 that a trusted rule gave stays whatever its reply looks like; a penalty is such a 0 too. */
static bool is_verified_zero(const struct run *run, size_t row)
{
    unsigned flags = run->facts->items[row].flags;
    bool penalised = run->r->marked[row] && run->o->truncated == RL_TRUNCATED_PENALIZE;
    return (flags & SELECT_TRUSTED) && ((flags & SELECT_ZERO) || penalised);
}

/* Each dropped row under its first reason (select 3.2). */
static void gate_rows(struct run *run)
{
    struct rl_result *r = run->r;
    size_t kept = 0;
    for (size_t i = 0; i < run->count; i++) {
        size_t row = run->rows[i];
        const struct select_fact *f = fact_of(run, i);
        int label = label_of(run, row);
        bool junk =
            (f->flags & SELECT_JUNK) || ((f->flags & SELECT_LONG) && !is_overlong(run, row));
        bool idle =
            run->o->has_tools && (f->flags & SELECT_WANTS_TOOL) && !(f->flags & SELECT_HAS_TOOL);
        if (is_verified_zero(run, row)) {
            r->kept_verified_zero += junk || idle;
        } else if (r->text_gates_on && junk) {
            r->n_junk++;
            continue;
        } else if (r->text_gates_on && label == ROW_LABEL_NONE && idle) {
            r->n_do_nothing++;
            continue;
        } else if (label == ROW_LABEL_NONE) {
            r->n_unusable++;
            continue;
        }
        run->rows[kept++] = row;
    }
    run->count = r->n_after_gates = kept;
}

static void gate_duplicates(struct run *run)
{
    struct rl_result *r = run->r;
    r->dedupe_ran = run->o->dedupe && r->text_gates_on;
    if (!r->dedupe_ran) {
        r->n_deduped = run->count;
        return;
    }
    size_t *first = mem_zero(run->facts->duplicates.count, sizeof *first); /* row + 1 */
    bool *affected = mem_zero(run->facts->prompts.count, sizeof *affected);
    size_t kept = 0;
    for (size_t i = 0; i < run->count; i++) {
        size_t row = run->rows[i];
        const struct select_fact *f = fact_of(run, i);
        if (!first[f->duplicate]) {
            first[f->duplicate] = row + 1;
            run->rows[kept++] = row;
            continue;
        }
        r->n_duplicates++;
        r->groups_affected += !affected[f->prompt];
        affected[f->prompt] = true;
        int mine = label_of(run, row), theirs = label_of(run, first[f->duplicate] - 1);
        r->conflicting_rewards += mine >= 0 && theirs >= 0 && mine != theirs;
    }
    run->count = r->n_deduped = kept;
    free(affected);
    free(first);
}

/* drop: cut rows go. keep: they leave the vote and ride along with their task. */
static void gate_truncated(struct run *run)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->count; i++) {
        size_t row = run->rows[i];
        if (run->o->truncated == RL_TRUNCATED_DROP && (fact_of(run, i)->flags & SELECT_TRUNCATED))
            run->r->truncated_dropped++;
        else if (run->o->truncated == RL_TRUNCATED_KEEP && is_overlong(run, row))
            run->riders[run->n_riders++] = row;
        else
            run->rows[kept++] = row;
    }
    run->count = kept;
}

/* Labels of each task among the rows that vote. */
struct tally {
    size_t n, passes;
    size_t first; /* first row of the task + 1 */
};

static struct tally *tally_tasks(const struct run *run)
{
    struct tally *tasks = mem_zero(run->facts->tasks.count, sizeof *tasks);
    for (size_t i = 0; i < run->count; i++) {
        struct tally *t = &tasks[fact_of(run, i)->task];
        int label = label_of(run, run->rows[i]);
        t->n += label >= 0;
        t->passes += label == ROW_LABEL_PASS;
        if (!t->first)
            t->first = run->rows[i] + 1;
    }
    return tasks;
}

static void keep_tasks(struct run *run, const bool *drop)
{
    size_t kept = 0, riders = 0;
    for (size_t i = 0; i < run->count; i++)
        if (!drop[fact_of(run, i)->task])
            run->rows[kept++] = run->rows[i];
    for (size_t i = 0; i < run->n_riders; i++)
        if (!drop[run->facts->items[run->riders[i]].task])
            run->riders[riders++] = run->riders[i];
    run->count = kept;
    run->n_riders = riders;
}

/* Tasks whose labels all agree teach nothing: every advantage is zero. A task that duplicates or
 * cuts shrank to one opinion goes too; a task seen once from the start stays. */
static void gate_unanimous(struct run *run)
{
    struct tally *tasks = tally_tasks(run);
    bool *drop = mem_zero(run->facts->tasks.count, sizeof *drop);
    for (size_t t = 0; t < run->facts->tasks.count; t++) {
        bool agree = tasks[t].n && (tasks[t].passes == 0 || tasks[t].passes == tasks[t].n);
        if (!agree || (tasks[t].n < 2 && run->original[t] < 2))
            continue;
        drop[t] = true;
        run->r->unanimous++;
        run->r->collapsed += tasks[t].n < 2;
        run->r->fates[t] = tasks[t].n < 2 ? RL_COLLAPSED : RL_UNANIMOUS;
    }
    keep_tasks(run, drop);
    free(drop);
    free(tasks);
}

static void gate_band(struct run *run)
{
    if (!run->o->enforce_band)
        return;
    struct tally *tasks = tally_tasks(run);
    bool *drop = mem_zero(run->facts->tasks.count, sizeof *drop);
    double *carried = mem_alloc(run->facts->tasks.count * sizeof *carried);
    double *carried_n = mem_zero(run->facts->tasks.count, sizeof *carried_n);
    for (size_t t = 0; t < run->facts->tasks.count; t++)
        carried[t] = NAN;
    for (size_t i = 0; i < run->count; i++) {
        const struct select_fact *f = fact_of(run, i);
        if (isnan(carried[f->task]) && !isnan(f->carried_rate)) {
            carried[f->task] = f->carried_rate;
            carried_n[f->task] = f->carried_n;
        }
    }
    for (size_t t = 0; t < run->facts->tasks.count; t++) {
        double p = tasks[t].n ? (double)tasks[t].passes / (double)tasks[t].n : carried[t];
        double n = tasks[t].n ? (double)tasks[t].n : carried_n[t];
        if (isnan(p) || p == 0.0 || p == 1.0 || (n > 0.0 && n < 2.0))
            continue;
        run->r->too_easy += p > run->o->high;
        run->r->too_hard += p < run->o->low;
        drop[t] = p > run->o->high || p < run->o->low;
        if (drop[t])
            run->r->fates[t] = p > run->o->high ? RL_TOO_EASY : RL_TOO_HARD;
    }
    keep_tasks(run, drop);
    free(carried_n);
    free(carried);
    free(drop);
    free(tasks);
}

/* ---- ranking (select 3.5) -----------------------------------------------------------------------
 */

struct group {
    uint32_t task, fault;
    double p;
    bool outside;
    double middle; /* distance from the band's middle, or 0 */
    char stable[SELECT_STABLE_MAX];
    size_t *rows;
    size_t count, cap;
    size_t order; /* first seen */
};

static void group_add(struct group *g, size_t row)
{
    g->rows = mem_grow(g->rows, &g->cap, g->count + 1, sizeof *g->rows);
    g->rows[g->count++] = row;
}

static int by_rank(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    if (a->outside != b->outside)
        return a->outside ? 1 : -1;
    if (a->middle != b->middle)
        return a->middle < b->middle ? -1 : 1;
    int order = strcmp(a->stable, b->stable);
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

/* The groups in first-seen order, riders behind their own group. */
static struct group *gather(const struct run *run, size_t *n_groups)
{
    size_t n_tasks = run->facts->tasks.count, n = 0;
    size_t *of_task = mem_zero(n_tasks, sizeof *of_task);
    struct tally *tasks = tally_tasks(run);
    struct group *groups = mem_zero(n_tasks, sizeof *groups);
    for (size_t i = 0; i < run->count; i++) {
        uint32_t task = fact_of(run, i)->task;
        if (!of_task[task]) {
            struct group *g = &groups[n];
            of_task[task] = ++n;
            g->task = task;
            run->r->fates[task] = RL_PAST_TARGET;
            g->fault = fact_of(run, i)->fault;
            g->order = n;
            g->p = tasks[task].n ? (double)tasks[task].passes / (double)tasks[task].n : 0.0;
            g->outside = !(g->p >= run->o->low && g->p <= run->o->high);
            if (run->o->order == RL_ORDER_MIDDLE)
                g->middle = fabs(g->p - (run->o->low + run->o->high) / 2);
            select_stable(run->facts->tasks.keys[task], span_make("", 0), g->stable);
        }
        group_add(&groups[of_task[task] - 1], run->rows[i]);
    }
    for (size_t i = 0; i < run->n_riders; i++) {
        size_t place = of_task[run->facts->items[run->riders[i]].task];
        if (place)
            group_add(&groups[place - 1], run->riders[i]);
    }
    for (size_t i = 0; i < n; i++)
        run->r->n_after_trim += groups[i].count;
    free(tasks);
    free(of_task);
    *n_groups = n;
    return groups;
}

/* Deals a stretch of ranked groups over their pass rates: one from each level a pass, rates
 * ascending, so that a target that cuts the list still holds every difficulty. */
static void spread(struct group *groups, size_t n)
{
    double *levels = mem_alloc((n ? n : 1) * sizeof *levels);
    size_t n_levels = 0;
    for (size_t i = 0; i < n; i++) {
        double level = number_round(groups[i].p, 4);
        size_t at = 0;
        while (at < n_levels && levels[at] < level)
            at++;
        if (at < n_levels && levels[at] == level)
            continue;
        memmove(levels + at + 1, levels + at, (n_levels - at) * sizeof *levels);
        levels[at] = level;
        n_levels++;
    }
    struct group *dealt = mem_alloc((n ? n : 1) * sizeof *dealt);
    size_t *next = mem_zero(n_levels, sizeof *next), out = 0;
    while (out < n) {
        for (size_t l = 0; l < n_levels; l++) {
            while (next[l] < n && number_round(groups[next[l]].p, 4) != levels[l])
                next[l]++;
            if (next[l] < n)
                dealt[out++] = groups[next[l]++];
        }
    }
    memcpy(groups, dealt, n * sizeof *groups);
    free(next);
    free(dealt);
    free(levels);
}

struct bucket {
    struct group *groups;
    size_t count, cap;
    struct span name;
};

static int by_size(const void *left, const void *right)
{
    const struct bucket *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return span_compare(a->name, b->name);
}

/* Buckets by fault in first-seen order, each ranked. */
static struct bucket *bucket_groups(const struct run *run, struct group *groups, size_t n_groups,
                                    size_t *n_buckets)
{
    size_t n_faults = run->facts->faults.count, n = 0;
    struct bucket *buckets = mem_zero(n_faults, sizeof *buckets);
    size_t *of_fault = mem_zero(n_faults, sizeof *of_fault);
    struct rl_result *r = run->r;
    r->fault_names = mem_zero(n_faults, sizeof *r->fault_names);
    r->fault_tasks = mem_zero(n_faults, sizeof *r->fault_tasks);
    for (size_t i = 0; i < n_groups; i++) {
        uint32_t fault = groups[i].fault;
        if (!of_fault[fault]) {
            buckets[n].name = run->facts->faults.keys[fault];
            r->fault_names[n] = fault;
            of_fault[fault] = ++n;
        }
        struct bucket *b = &buckets[of_fault[fault] - 1];
        b->groups = mem_grow(b->groups, &b->cap, b->count + 1, sizeof *b->groups);
        b->groups[b->count++] = groups[i];
    }
    for (size_t b = 0; b < n; b++) {
        r->fault_tasks[b] = buckets[b].count;
        qsort(buckets[b].groups, buckets[b].count, sizeof *buckets[b].groups, by_rank);
        if (run->o->order == RL_ORDER_SPREAD) {
            size_t inside = 0;
            while (inside < buckets[b].count && !buckets[b].groups[inside].outside)
                inside++;
            spread(buckets[b].groups, inside);
            spread(buckets[b].groups + inside, buckets[b].count - inside);
        }
    }
    r->n_faults = n;
    if (n)
        qsort(buckets, n, sizeof *buckets, by_size);
    free(of_fault);
    *n_buckets = n;
    return buckets;
}

static void take(struct run *run)
{
    size_t n_groups, n_buckets;
    struct rl_result *r = run->r;
    struct group *groups = gather(run, &n_groups);
    struct bucket *buckets = bucket_groups(run, groups, n_groups, &n_buckets);
    size_t *used = mem_zero(run->facts->quotas.count, sizeof *used);
    for (size_t round = 0, took = 1; took && r->picked.count < run->o->target; round++) {
        took = 0;
        for (size_t b = 0; b < n_buckets && r->picked.count < run->o->target; b++) {
            if (round >= buckets[b].count)
                continue;
            const struct group *g = &buckets[b].groups[round];
            took = 1;
            if (!select_quota_take(&run->o->quota, used, &run->facts->items[g->rows[0]])) {
                r->passed_over++;
                r->fates[g->task] = RL_OVER_QUOTA;
                continue;
            }
            for (size_t i = 0; i < g->count; i++)
                select_picked_add(&r->picked, g->rows[i]);
            r->groups_selected++;
            r->fates[g->task] = RL_SELECTED;
        }
    }
    for (size_t i = 0; i < r->picked.count; i++) {
        const struct select_fact *f = &run->facts->items[r->picked.rows[i]];
        r->eval_sourced += (f->flags & SELECT_EVAL) != 0;
        r->truncated_selected +=
            (f->flags & SELECT_TRUNCATED) || is_overlong(run, r->picked.rows[i]);
    }
    for (size_t i = 0; i < n_groups; i++)
        free(groups[i].rows);
    for (size_t b = 0; b < n_buckets; b++)
        free(buckets[b].groups);
    free(used);
    free(buckets);
    free(groups);
}

/* Labels per task as the rows came in, for the calibration stamp: nothing has been dropped yet. */
static void measure_tasks(struct run *run)
{
    struct rl_result *r = run->r;
    r->graded = mem_zero(run->facts->tasks.count, sizeof *r->graded);
    for (size_t row = 0; row < run->facts->count; row++) {
        const struct select_fact *f = &run->facts->items[row];
        if (f->label < 0 || (run->o->calibration_excludes_leaks && f->flags & SELECT_LEAKED))
            continue;
        r->n_graded_tasks += r->graded[f->task].n++ == 0;
        r->graded[f->task].passes += f->label == ROW_LABEL_PASS;
        r->n_graded_rows++;
    }
}

void select_rl(const struct select_facts *facts, const struct rl_options *o, struct rl_result *r)
{
    *r = (struct rl_result){.n = facts->count};
    r->marked = mem_zero(facts->count, sizeof *r->marked);
    r->fates = mem_zero(facts->tasks.count, sizeof *r->fates);
    struct run run = {
        .facts = facts,
        .o = o,
        .r = r,
        .rows = mem_zero(facts->count, sizeof *run.rows),
        .riders = mem_zero(facts->count, sizeof *run.riders),
        .original = mem_zero(facts->tasks.count, sizeof *run.original),
    };
    measure_tasks(&run);
    gate_leaks(&run);
    mark_truncated(&run);
    r->text_gates_on = text_gates_wanted(&run);
    gate_rows(&run);
    for (size_t i = 0; i < run.count; i++)
        run.original[fact_of(&run, i)->task]++;
    gate_duplicates(&run);
    gate_truncated(&run);
    gate_unanimous(&run);
    gate_band(&run);
    take(&run);
    free(run.rows);
    free(run.riders);
    free(run.original);
}

void select_rl_free(struct rl_result *r)
{
    select_picked_free(&r->picked);
    free(r->marked);
    free(r->graded);
    free(r->fault_names);
    free(r->fault_tasks);
    free(r->fates);
    *r = (struct rl_result){0};
}

int8_t *select_rl_labels(const struct select_facts *facts, const struct rl_options *o,
                         const struct rl_result *r)
{
    int8_t *labels = mem_zero(facts->count, sizeof *labels);
    for (size_t i = 0; i < facts->count; i++)
        labels[i] = r->marked[i] && o->truncated == RL_TRUNCATED_PENALIZE ? (int8_t)ROW_LABEL_FAIL
                                                                          : facts->items[i].label;
    return labels;
}

void select_rl_explain(const struct select_facts *facts, const struct rl_result *r, struct buf *out)
{
    for (size_t t = 0; t < facts->tasks.count; t++) {
        struct json_writer w;
        json_write_start(&w, out, JSON_STYLE_COMPACT);
        json_write_object(&w);
        json_write_key(&w, "task_key");
        json_write_span(&w, facts->tasks.keys[t]);
        json_write_key(&w, "reason");
        json_write_text(&w, RL_FATE_NAMES[r->fates[t]]);
        json_write_key(&w, "p");
        json_write_real(&w, r->graded[t].n ? (double)r->graded[t].passes / (double)r->graded[t].n
                                           : NAN);
        json_write_key(&w, "n");
        json_write_int(&w, (int64_t)r->graded[t].n);
        json_write_end_object(&w);
        buf_byte(out, '\n');
    }
}
