/* curriculum.c: tasks from easy to hard, and rows without the tasks that are solved (select 6.1, 6.2). The
 * rounded pass rate is what is compared. */
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "row/key.h"
#include "row/value.h"
#include "select/job.h"
#include "text/number.h"
#include "json/edit.h"

struct task {
    size_t key; /* number in keys */
    size_t n, passes;
    size_t first_row;
    double rate;
    struct span prompt;
};

enum fate { TASK_THIN, TASK_RETIRED, TASK_NOT_READY, TASK_TRAINABLE };

struct tasks {
    struct select_job *job;
    struct map keys;     /* all tasks */
    struct map labelled; /* keys in order of their first label */
    struct task *items;  /* by number among all keys */
    size_t cap;
    size_t *of_row, n_rows, cap_rows; /* per row of the store: its task */
    struct arena arena;
};

static void tasks_free(struct tasks *t)
{
    map_free(&t->keys);
    map_free(&t->labelled);
    free(t->items);
    free(t->of_row);
    arena_free(&t->arena);
}

static bool take_row(void *data, const struct row *row)
{
    struct tasks *t = data;
    struct buf scratch = {0};
    bool fresh;
    struct span key = row_task_key(row, &scratch);
    size_t number = map_add(&t->keys, key, &fresh);
    t->items = mem_grow(t->items, &t->cap, number + 1, sizeof *t->items);
    struct task *task = &t->items[number];
    if (fresh)
        *task = (struct task){.key = number};
    enum row_label label = row_label(row);
    if (label != ROW_LABEL_NONE)
        map_add(&t->labelled, t->keys.keys[number], NULL);
    task->n += label != ROW_LABEL_NONE;
    task->passes += label == ROW_LABEL_PASS;
    const struct json_value *prompt = row_get(row, SPAN("prompt"));
    if (fresh && prompt && json_truthy(*prompt))
        task->prompt = arena_span(&t->arena, value_text(*prompt, &scratch));
    t->of_row = mem_grow(t->of_row, &t->cap_rows, t->n_rows + 1, sizeof *t->of_row);
    t->of_row[t->n_rows++] = number;
    buf_free(&scratch);
    return true;
}

static void rate_tasks(struct tasks *t)
{
    for (size_t i = 0; i < t->keys.count; i++)
        t->items[i].rate = t->items[i].n
                               ? number_round((double)t->items[i].passes / (double)t->items[i].n,
                                              SELECT_RATE_DIGITS)
                               : NAN;
}

static enum fate fate_of(const struct select_request *q, const struct task *task)
{
    if (task->n < (size_t)q->min_rollouts)
        return TASK_THIN;
    if (task->rate > q->solved)
        return TASK_RETIRED;
    return task->rate < q->floor ? TASK_NOT_READY : TASK_TRAINABLE;
}

/* ---- curriculum ---------------------------------------------------------------------------------
 */

struct plan {
    struct task *trainable; /* easy first */
    size_t n, n_tiers;
    size_t counts[4]; /* by enum fate */
    size_t in_band;
};

struct sorted {
    struct task task;
    struct span key;
};

static int by_ease(const void *left, const void *right)
{
    const struct sorted *a = left, *b = right;
    if (a->task.rate != b->task.rate)
        return a->task.rate > b->task.rate ? -1 : 1;
    return span_compare(a->key, b->key);
}

static const struct task *labelled_task(const struct tasks *t, size_t i)
{
    return &t->items[map_find(&t->keys, t->labelled.keys[i])];
}

static struct plan plan_tasks(const struct tasks *t, double low, double high)
{
    struct plan plan = {0};
    struct sorted *sorted = mem_zero(t->labelled.count, sizeof *sorted);
    for (size_t i = 0; i < t->labelled.count; i++) {
        const struct task *task = labelled_task(t, i);
        enum fate fate = fate_of(t->job->q, task);
        plan.counts[fate]++;
        if (fate != TASK_TRAINABLE)
            continue;
        plan.in_band += task->rate >= low && task->rate <= high;
        sorted[plan.n++] = (struct sorted){*task, t->keys.keys[task->key]};
    }
    if (plan.n)
        qsort(sorted, plan.n, sizeof *sorted, by_ease);
    plan.trainable = mem_zero(plan.n, sizeof *plan.trainable);
    for (size_t i = 0; i < plan.n; i++)
        plan.trainable[i] = sorted[i].task;
    plan.n_tiers = t->job->q->tiers < 1 ? 1 : (size_t)t->job->q->tiers;
    free(sorted);
    return plan;
}

/* Tier of the i-th trainable task: int(i / (n / tiers)) in doubles, as the reference has it. */
static size_t tier_of(const struct plan *plan, size_t i)
{
    double tier = (double)i / ((double)plan->n / (double)plan->n_tiers);
    return tier >= (double)plan->n_tiers ? plan->n_tiers - 1 : (size_t)tier;
}

static void write_task(const struct tasks *t, const struct task *task, struct json_writer *w)
{
    json_write_object(w);
    json_write_key(w, "task_id");
    json_write_span(w, t->keys.keys[task->key]);
    json_write_key(w, "prompt");
    json_write_span(w, task->prompt);
    json_write_count(w, "n", task->n);
    job_real(w, "pass_rate", task->rate);
    json_write_end_object(w);
}

static void write_fate(const struct tasks *t, const char *key, enum fate fate,
                       struct json_writer *w)
{
    json_write_key(w, key);
    json_write_array(w);
    for (size_t i = 0; i < t->labelled.count; i++)
        if (fate_of(t->job->q, labelled_task(t, i)) == fate)
            write_task(t, labelled_task(t, i), w);
    json_write_end_array(w);
}

static void write_schedule(const struct tasks *t, const struct plan *plan, struct json_writer *w)
{
    json_write_key(w, "schedule");
    json_write_array(w);
    for (size_t i = 0; i < plan->n; i++)
        json_write_span(w, t->keys.keys[plan->trainable[i].key]);
    json_write_end_array(w);
    json_write_key(w, "trainable");
    json_write_array(w);
    for (size_t i = 0; i < plan->n; i++)
        write_task(t, &plan->trainable[i], w);
    json_write_end_array(w);
    write_fate(t, "retired", TASK_RETIRED, w);
    write_fate(t, "not_ready", TASK_NOT_READY, w);
    write_fate(t, "thin", TASK_THIN, w);
    json_write_key(w, "tiers");
    json_write_array(w);
    for (size_t tier = 0; tier < plan->n_tiers; tier++) {
        json_write_array(w);
        for (size_t i = 0; i < plan->n; i++)
            if (tier_of(plan, i) == tier)
                write_task(t, &plan->trainable[i], w);
        json_write_end_array(w);
    }
    json_write_end_array(w);
}

static void tell_curriculum(const struct tasks *t, const struct plan *plan, double low, double high)
{
    const struct select_request *q = t->job->q;
    struct json_writer w;
    job_open_report(t->job, &w);
    json_write_count(&w, "n_tasks", t->labelled.count);
    json_write_count(&w, "n_trainable", plan->n);
    json_write_count(&w, "n_solved", plan->counts[TASK_RETIRED]);
    json_write_count(&w, "n_not_ready", plan->counts[TASK_NOT_READY]);
    json_write_count(&w, "n_thin", plan->counts[TASK_THIN]);
    json_write_count(&w, "n_in_band", plan->in_band);
    json_write_key(&w, "thresholds");
    json_write_object(&w);
    job_real(&w, "solved", q->solved);
    job_real(&w, "floor", q->floor);
    job_band(&w, "band", low, high);
    json_write_count(&w, "min_rollouts", (size_t)q->min_rollouts);
    json_write_end_object(&w);
    write_schedule(t, plan, &w);
    json_write_end_object(&w);

    struct buf *lines = q->emit ? &t->job->out->notes : &t->job->out->text;
    buf_format(lines,
               "%zu tasks: %zu trainable (%zu in the band), %zu solved, %zu not ready, %zu with "
               "too few labels\n",
               t->labelled.count, plan->n, plan->in_band, plan->counts[TASK_RETIRED],
               plan->counts[TASK_NOT_READY], plan->counts[TASK_THIN]);
    for (size_t i = 0, first = 0; i < plan->n; i++)
        if (i + 1 == plan->n || tier_of(plan, i + 1) != tier_of(plan, i)) {
            buf_format(lines, "tier %zu: %zu tasks, pass rates %.4f down to %.4f\n",
                       tier_of(plan, i) + 1, i + 1 - first, plan->trainable[first].rate,
                       plan->trainable[i].rate);
            first = i + 1;
        }
}

struct emitting {
    const struct tasks *tasks;
    const struct plan *plan;
    size_t *rank; /* by task: place in the schedule */
};

static void stamp_rank(void *data, const struct row *row, size_t number, struct buf *out)
{
    const struct emitting *e = data;
    size_t task = e->tasks->of_row[number];
    struct json_edit edit = {0};
    struct buf value = {0};
    struct json_writer w;
    json_write_start(&w, &value,
                     json_written_spaced(&row->members) ? JSON_STYLE_SPACED : JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_count(&w, "tier", tier_of(e->plan, e->rank[task]));
    json_write_count(&w, "rank", e->rank[task]);
    job_real(&w, "pass_rate", e->tasks->items[task].rate);
    json_write_end_object(&w);
    json_edit_set(&edit, SPAN("curriculum"), buf_span(&value));
    json_edit_apply(&edit, row->line, &row->members, out);
    json_edit_free(&edit);
    buf_free(&value);
}

/* The rows of trainable tasks, task by task. */
static int emit_rows(struct tasks *t, const struct plan *plan, struct error *error)
{
    struct emitting e = {t, plan, mem_zero(t->keys.count, sizeof *e.rank)};
    struct select_picked picked = {0};
    size_t *start = mem_zero(plan->n + 1, sizeof *start);
    bool *wanted = mem_zero(t->keys.count, sizeof *wanted);
    for (size_t i = 0; i < plan->n; i++) {
        e.rank[plan->trainable[i].key] = i;
        wanted[plan->trainable[i].key] = true;
    }
    for (size_t row = 0; row < t->n_rows; row++)
        if (wanted[t->of_row[row]])
            start[e.rank[t->of_row[row]] + 1]++;
    for (size_t i = 0; i < plan->n; i++)
        start[i + 1] += start[i];
    for (size_t i = 0; i < start[plan->n]; i++)
        select_picked_add(&picked, 0);
    for (size_t row = 0; row < t->n_rows; row++)
        if (wanted[t->of_row[row]])
            picked.rows[start[e.rank[t->of_row[row]]]++] = row;
    int code = job_write(t->job, &picked, stamp_rank, &e, error);
    select_picked_free(&picked);
    free(wanted);
    free(start);
    free(e.rank);
    return code;
}

int select_mode_curriculum(struct select_job *job, struct error *error)
{
    struct tasks t = {.job = job};
    double low, high;
    int code = job_band_read(job->q, false, &low, &high, error);
    if (!code)
        code = job_read(job, false, take_row, &t, error);
    if (!code) {
        rate_tasks(&t);
        struct plan plan = plan_tasks(&t, low, high);
        tell_curriculum(&t, &plan, low, high);
        if (job->q->emit)
            code = emit_rows(&t, &plan, error);
        free(plan.trainable);
    }
    tasks_free(&t);
    return code;
}

/* ---- retire -------------------------------------------------------------------------------------
 */

int select_mode_retire(struct select_job *job, struct error *error)
{
    struct tasks t = {.job = job};
    struct select_picked picked = {0};
    size_t retired = 0;
    int code = job_read(job, false, take_row, &t, error);
    if (!code) {
        rate_tasks(&t);
        for (size_t i = 0; i < t.keys.count; i++)
            retired += t.items[i].n && fate_of(job->q, &t.items[i]) == TASK_RETIRED;
        for (size_t row = 0; row < t.n_rows; row++) {
            const struct task *task = &t.items[t.of_row[row]];
            if (!task->n || fate_of(job->q, task) != TASK_RETIRED)
                select_picked_add(&picked, row);
        }
        code = job_write(job, &picked, NULL, NULL, error);
    }
    if (!code) {
        struct json_writer w;
        job_open_report(job, &w);
        json_write_count(&w, "n", t.n_rows);
        json_write_count(&w, "n_kept", picked.count);
        json_write_count(&w, "n_tasks", t.labelled.count);
        json_write_count(&w, "n_retired", retired);
        job_real(&w, "solved", job->q->solved);
        json_write_count(&w, "min_rollouts", (size_t)job->q->min_rollouts);
        json_write_end_object(&w);
        buf_format(&job->out->notes, "%zu of %zu rows kept; %zu of %zu tasks are solved\n",
                   picked.count, t.n_rows, retired, t.labelled.count);
    }
    select_picked_free(&picked);
    tasks_free(&t);
    return code;
}
