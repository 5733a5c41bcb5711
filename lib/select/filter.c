/* filter.c: the row gates of RL selection alone, and the tasks whose labels all agree (select 10). */
#include <stdlib.h>

#include "row/value.h"
#include "select/job.h"

struct filter {
    size_t do_nothing, junk, unusable, kept_zero, groups, rows;
    struct select_picked kept;
};

static void gate_rows(const struct select_facts *facts, bool has_tools, struct filter *f)
{
    for (size_t i = 0; i < facts->count; i++) {
        const struct select_fact *x = &facts->items[i];
        bool junk =
            (x->flags & SELECT_JUNK) || ((x->flags & SELECT_LONG) && !(x->flags & SELECT_OVERLONG));
        bool idle = has_tools && (x->flags & SELECT_WANTS_TOOL) && !(x->flags & SELECT_HAS_TOOL);
        bool zero = (x->flags & SELECT_TRUSTED) && (x->flags & SELECT_ZERO);
        f->kept_zero += zero && (junk || idle);
        if (zero)
            select_picked_add(&f->kept, i);
        else if (junk)
            f->junk++;
        else if (x->label == ROW_LABEL_NONE && idle)
            f->do_nothing++;
        else if (x->label == ROW_LABEL_NONE)
            f->unusable++;
        else
            select_picked_add(&f->kept, i);
    }
}

/* Tasks of two labels or more that all agree go, whole. */
static void trim_unanimous(const struct select_facts *facts, struct filter *f)
{
    size_t kept = 0, *n = mem_zero(facts->tasks.count, sizeof *n),
           *passes = mem_zero(facts->tasks.count, sizeof *passes);
    for (size_t i = 0; i < f->kept.count; i++) {
        const struct select_fact *x = &facts->items[f->kept.rows[i]];
        n[x->task] += x->label != ROW_LABEL_NONE;
        passes[x->task] += x->label == ROW_LABEL_PASS;
    }
    for (size_t t = 0; t < facts->tasks.count; t++)
        f->groups += n[t] >= 2 && (passes[t] == 0 || passes[t] == n[t]);
    for (size_t i = 0; i < f->kept.count; i++) {
        uint32_t t = facts->items[f->kept.rows[i]].task;
        if (n[t] >= 2 && (passes[t] == 0 || passes[t] == n[t]))
            f->rows++;
        else
            f->kept.rows[kept++] = f->kept.rows[i];
    }
    f->kept.count = kept;
    free(passes);
    free(n);
}

static void tell(struct select_job *job, const struct filter *f)
{
    const struct select_facts *facts = &job->facts;
    struct signal_report signal;
    struct json_writer w;
    int8_t *labels = mem_zero(facts->count, sizeof *labels);
    for (size_t i = 0; i < facts->count; i++)
        labels[i] = facts->items[i].label;
    select_signal(facts, f->kept.rows, f->kept.count, labels, SELECT_BAND_LOW, SELECT_BAND_HIGH,
                  &signal);
    free(labels);
    job_open_report(job, &w);
    json_write_count(&w, "n", facts->count);
    json_write_count(&w, "n_kept", f->kept.count);
    json_write_count(&w, "n_dropped", facts->count - f->kept.count);
    json_write_key(&w, "dropped");
    json_write_object(&w);
    json_write_count(&w, "do_nothing", f->do_nothing);
    json_write_count(&w, "incomplete_junk", f->junk);
    json_write_count(&w, "unusable_label", f->unusable);
    json_write_end_object(&w);
    json_write_count(&w, "kept_verified_zero", f->kept_zero);
    json_write_count(&w, "unanimous_groups_dropped", f->groups);
    json_write_count(&w, "unanimous_rows_dropped", f->rows);
    json_write_key(&w, "signal");
    signal_write(&signal, &w);
    json_write_end_object(&w);
    buf_format(
        &job->out->notes,
        "%zu of %zu rows kept; dropped: %zu incomplete, %zu without a tool call, %zu without "
        "a 0/1 label, %zu in %zu unanimous tasks\n",
        f->kept.count, facts->count, f->junk, f->do_nothing, f->unusable, f->rows, f->groups);
}

int select_mode_filter(struct select_job *job, struct error *error)
{
    struct filter f = {0};
    int code = job_read(job, true, NULL, NULL, error);
    if (!code) {
        gate_rows(&job->facts, !job->q->no_tools, &f);
        if (!job->q->no_trim_unanimous)
            trim_unanimous(&job->facts, &f);
        code = job_write(job, &f.kept, NULL, NULL, error);
    }
    if (!code) {
        tell(job, &f);
        code = job_fail_under(job, f.kept.count, "rows", error);
    }
    select_picked_free(&f.kept);
    return code;
}
