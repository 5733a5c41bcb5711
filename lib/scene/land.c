/* land.c: what becomes of a row that has landed: counted, and written at once, or kept until its
 * group is closed, so that a group that was cut can say so. */
#include <stdlib.h>

#include "scene/run.h"

static int by_index(const void *a, const void *b)
{
    const struct kept_row *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

static int write_row(struct run *run, struct span line, struct error *error)
{
    const struct engine_events *e = &run->setting->events;
    return e->row(e->data, line, error);
}

static int release(struct run *run, struct group *g, struct error *error)
{
    bool cut = group_is_cut(g, run->k);
    int code = 0;
    if (g->n_kept)
        qsort(g->kept, g->n_kept, sizeof *g->kept, by_index);
    for (size_t i = 0; i < g->n_kept && !code; i++) {
        struct kept_row *row = &g->kept[i];
        buf_clear(&run->text);
        buf_add(&run->text, row->line, row->len);
        if (cut) {
            run->text.len--;
            buf_text(&run->text, ",\"group_cut\":true}");
        }
        code = write_row(run, buf_span(&run->text), error);
    }
    group_free(g);
    g->kept = NULL;
    g->n_kept = g->kept_cap = 0;
    return code;
}

static void keep(struct group *g, struct job *job)
{
    g->kept = mem_grow(g->kept, &g->kept_cap, g->n_kept + 1, sizeof *g->kept);
    g->kept[g->n_kept++] = (struct kept_row){
        .index = job->index, .line = mem_copy(job->line.data, job->line.len), .len = job->line.len};
}

static void count_row(struct run *run, const struct job *job)
{
    struct engine_report *r = run->report;
    const struct scene_task *task = &job->group->task;
    bool fresh;
    size_t p = map_add(&r->prompts, task->prompt, &fresh);
    r->prompt_rows = mem_grow(r->prompt_rows, &r->prompt_rows_cap, p + 1, sizeof *r->prompt_rows);
    if (fresh)
        r->prompt_rows[p] = 0;
    r->prompt_rows[p]++;
    r->rows++;
    r->row_tiers[task->tier]++;
    r->asked += job->born.asked;
    r->user_left += job->born.user_left;
    r->cut_rows += job->born.cut_chars >= 0;
    if (job->born.cut_chars > r->cut_most)
        r->cut_most = job->born.cut_chars;
    if (task->cell) {
        pairs_add_planned(&run->covered, &run->planned, task->cell);
        struct cell told = *task->cell;
        for (int a = 0; a < AXIS_COUNT; a++)
            if (span_is(told.value[a], "unspecified"))
                told.value[a].len = 0;
        pairs_add_cell(&run->met, &told);
    }
}

/* Under a policy without groups: has the prompt earned another rollout (situations 9)? */
static bool earns_more(const struct run *run, const struct job *job)
{
    if (job->group->scheduled >= run->k)
        return false;
    if (job->born.worthy || (job->graded_failure && !run->setting->keep_graded_failures))
        return true;
    if (run->setting->topology.mode != MODE_ADAPTIVE)
        return false;
    const struct cell_fact *fact = learned_cell(&run->report->learned, buf_span(&job->cell));
    return (fact && fact->signatures > 1) ||
           run_plan(run).explore < run->knobs->value[KNOB_VERIFY_FLOOR];
}

/* What the row says, for the progress of the regions that traces showed. */
static void learn(struct run *run, const struct job *job)
{
    struct json_members members = {0};
    struct json_fault fault;
    struct row row;
    if (row_of_text(buf_span(&job->line), &row, &members, &fault) == 0)
        traces_add(&run->report->generated, &row);
    json_members_free(&members);
}

/* Evidence for the successive policy: the reward when it is 0 or 1, else what was done. */
static const char *label_of(const struct job *job)
{
    if (job->graded && (job->reward == 0 || job->reward == 1))
        return job->reward == 1 ? "1" : "0";
    return job->born.signature;
}

int run_land(struct run *run, struct job *job, struct error *error)
{
    struct group *g = job->group;
    g->landed++;
    run->landed++;
    run->utterances += job->born.utterances;
    count_row(run, job);
    run_count_verdict(run, job);
    if (run->setting->checkpoint && !job->resumed && !run->setting->agent->waits) {
        int code = checkpoint_add(run->setting->checkpoint, buf_span(&job->line), error);
        if (code)
            return code;
    }
    run_learn(run, job);
    if (run->setting->aim)
        learn(run, job);
    if (!run->successive) {
        if (earns_more(run, job))
            run_queue(run, g, 1);
        return write_row(run, buf_span(&job->line), error);
    }
    keep(g, job);
    run_queue(
        run, g,
        succession_landed(&run->succession, g, label_of(job), job->born.truncated, run_fresh(run)));
    return g->landed >= run->k ? release(run, g, error) : 0;
}

int run_close_groups(struct run *run, struct error *error)
{
    int code = 0;
    for (size_t i = 0; i < run->n_groups; i++) {
        struct group *g = run->groups[i];
        if (run->successive)
            group_counts_add(&run->report->groups, g, run->k);
        if (!code)
            code = release(run, g, error);
    }
    return code;
}
