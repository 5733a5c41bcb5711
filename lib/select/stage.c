/* stage.c: which step of training a row is for, and which tasks are in both the eval and the training
 * (select 10). */
#include <stdlib.h>

#include "base/map.h"
#include "row/value.h"
#include "select/job.h"
#include "text/fold.h"
#include "json/edit.h"

enum { STAGES = 5, LEAKS_SHOWN = 50 };
static const char *const NAMES[STAGES] = {"eval", "sft", "rm", "rl", "mid"};

struct stages {
    struct map names, tasks; /* stages as rows say them; tasks */
    size_t *rows, *n_tasks;  /* by stage */
    size_t cap_rows, cap_tasks;
    struct map pairs;  /* of stage and task */
    unsigned char *in; /* by task: 1 eval, 2 training */
    size_t cap_in, unstamped;
};

/* The stage of a row, lower-cased: what it says, else eval when it came from one. false: none. */
static bool stage_of(const struct row *row, struct buf *out)
{
    const struct json_value *stage = row_get(row, SPAN("stage"));
    const struct json_value *lineage = row_get(row, SPAN("lineage"));
    const struct json_value *purpose = row_get(row, SPAN("purpose"));
    struct json_value source;
    struct buf scratch = {0};
    bool said = stage && json_truthy(*stage);
    buf_clear(out);
    if (said)
        text_lower(value_text(*stage, &scratch), out);
    else if ((lineage && json_get(*lineage, SPAN("source"), &source) &&
              span_is(source.text, "\"eval\"")) ||
             (purpose && span_is(purpose->text, "\"eval\"")))
        buf_text(out, "eval");
    buf_free(&scratch);
    return out->len > 0;
}

static int known(struct span stage)
{
    for (int i = 0; i < STAGES; i++)
        if (span_is(stage, NAMES[i]))
            return i;
    return -1;
}

static size_t *count_of(size_t *counts, size_t *cap, size_t number)
{
    size_t old = *cap;
    counts = mem_grow(counts, cap, number + 1, sizeof *counts);
    if (*cap > old)
        memset(counts + old, 0, (*cap - old) * sizeof *counts);
    return counts;
}

static void add_task(struct stages *s, const struct row *row, size_t stage, int place)
{
    const struct json_value *id = row_get(row, SPAN("scenario_id"));
    struct buf scratch = {0};
    bool fresh;
    if (!id || !json_truthy(*id))
        id = row_get(row, SPAN("prompt"));
    size_t task =
        map_add(&s->tasks, id && json_truthy(*id) ? value_text(*id, &scratch) : SPAN(""), &fresh);
    s->in = mem_grow(s->in, &s->cap_in, task + 1, sizeof *s->in);
    if (fresh)
        s->in[task] = 0;
    s->in[task] |= place == 0 ? 1 : place > 0 ? 2 : 0;
    size_t pair[2] = {stage, task};
    map_add(&s->pairs, span_make((const char *)pair, sizeof pair), &fresh);
    s->n_tasks[stage] += fresh;
    buf_free(&scratch);
}

static bool take_row(void *data, const struct row *row)
{
    struct stages *s = data;
    struct buf stage = {0};
    if (!stage_of(row, &stage)) {
        s->unstamped++;
    } else {
        size_t number = map_add(&s->names, buf_span(&stage), NULL);
        s->rows = count_of(s->rows, &s->cap_rows, number);
        s->n_tasks = count_of(s->n_tasks, &s->cap_tasks, number);
        s->rows[number]++;
        add_task(s, row, number, known(buf_span(&stage)));
    }
    buf_free(&stage);
    return false;
}

static int by_text(const void *left, const void *right)
{
    return span_compare(*(const struct span *)left, *(const struct span *)right);
}

static void write_counts(const struct stages *s, const char *key, const size_t *counts,
                         struct json_writer *w)
{
    json_write_key(w, key);
    json_write_object(w);
    for (size_t i = 0; i < s->names.count; i++) {
        json_write_key_span(w, s->names.keys[i]);
        json_write_int(w, (int64_t)counts[i]);
    }
    json_write_end_object(w);
}

/* The report; how many tasks are in both. */
static size_t tell(struct select_job *job, const struct stages *s)
{
    struct json_writer w;
    struct span *leaks = mem_zero(s->tasks.count, sizeof *leaks);
    struct buf text = {0};
    size_t n = 0;
    for (size_t t = 0; t < s->tasks.count; t++)
        if (s->in[t] == 3 && s->tasks.keys[t].len)
            leaks[n++] = s->tasks.keys[t];
    if (n)
        qsort(leaks, n, sizeof *leaks, by_text);
    job_open_report(job, &w);
    write_counts(s, "counts", s->rows, &w);
    json_write_count(&w, "n_unstamped", s->unstamped);
    write_counts(s, "tasks_per_stage", s->n_tasks, &w);
    json_write_key(&w, "eval_train_leaks");
    json_write_array(&w);
    for (size_t i = 0; i < n && i < LEAKS_SHOWN; i++)
        json_write_span(&w, leaks[i]);
    json_write_end_array(&w);
    json_write_count(&w, "n_leaks", n);
    json_write_key(&w, "warnings");
    json_write_array(&w);
    if (n) {
        buf_format(&text, "%zu tasks are in the eval and in the training; take them out of one", n);
        json_write_span(&w, buf_span(&text));
    }
    if (s->unstamped) {
        buf_clear(&text);
        buf_format(&text, "%zu rows have no stage; --stage NAME stamps them", s->unstamped);
        json_write_span(&w, buf_span(&text));
    }
    json_write_end_array(&w);
    json_write_end_object(&w);
    for (size_t i = 0; i < s->names.count; i++)
        if (known(s->names.keys[i]) >= 0)
            buf_format(&job->out->text, "%.*s: %zu rows, %zu tasks\n", (int)s->names.keys[i].len,
                       s->names.keys[i].ptr, s->rows[i], s->n_tasks[i]);
    buf_format(&job->out->text, "%zu rows without a stage; %zu tasks in both eval and training\n",
               s->unstamped, n);
    buf_free(&text);
    free(leaks);
    return n;
}

static void stamp(void *data, const struct row *row, size_t number, struct buf *out)
{
    struct json_edit edit = {0};
    (void)number;
    json_edit_text(&edit, SPAN("stage"), span_text(data));
    json_edit_apply(&edit, row->line, &row->members, out);
    json_edit_free(&edit);
}

static int stamp_rows(struct select_job *job, struct error *error)
{
    struct buf stage = {0};
    struct select_picked all = {0};
    text_lower(text_strip(span_text(job->q->stage)), &stage);
    int code = known(buf_span(&stage)) >= 0
                   ? 0
                   : error_set(error, ERROR_USAGE, "--stage %s: sft, rm, rl, eval or mid is wanted",
                               job->q->stage);
    if (!code)
        code = job_read(job, false, NULL, NULL, error);
    for (size_t i = 0; !code && i < row_store_count(job->store); i++)
        select_picked_add(&all, i);
    if (!code)
        code = job_write(job, &all, stamp, (void *)buf_cstr(&stage), error);
    if (!code) {
        struct json_writer w;
        job_open_report(job, &w);
        job_text(&w, "stage", buf_cstr(&stage));
        json_write_count(&w, "n_stamped", all.count);
        json_write_end_object(&w);
        buf_format(&job->out->notes, "%zu rows stamped %s\n", all.count, buf_cstr(&stage));
    }
    select_picked_free(&all);
    buf_free(&stage);
    return code;
}

int select_mode_stage(struct select_job *job, struct error *error)
{
    struct stages s = {0};
    if (job->q->stage)
        return stamp_rows(job, error);
    int code = job_read(job, false, take_row, &s, error);
    size_t leaks = code ? 0 : tell(job, &s);
    if (leaks && job->q->fail_on_leak)
        code =
            error_set(error, ERROR_CHECK, "%zu tasks are in the eval and in the training", leaks);
    map_free(&s.names);
    map_free(&s.tasks);
    map_free(&s.pairs);
    free(s.rows);
    free(s.n_tasks);
    free(s.in);
    return code;
}
