/* teach.c: what a run makes of its rows: lessons as they land, and between rounds the weights of the
 * arms and of the cells, the failed rows whose asks are varied, and a point of the coverage curve. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "row/value.h"
#include "scene/defaults.h"
#include "scene/run.h"
#include "text/number.h"
#include "world/node.h"

double run_now(const struct run *run)
{
    struct timespec t;
    if (run->setting->clock)
        return run->setting->clock(run->setting->clock_data);
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double run_time_left(const struct run *run)
{
    if (!(run->setting->time_budget > 0))
        return INFINITY;
    return run->setting->time_budget - (run_now(run) - run->started);
}

struct adaptive_plan run_plan(const struct run *run)
{
    double total = run->setting->time_budget;
    return adaptive_plan(total, total > 0 ? run_time_left(run) : 0, run->setting->saturate);
}

/* ---- a row ----------------------------------------------------------------------------------- */

static bool is_failure(const struct run *run, const struct job *job)
{
    return job->born.worthy || (job->graded_failure && !run->setting->keep_graded_failures);
}

static void add_parent(struct run *run, const struct job *job)
{
    struct group *g = job->group;
    enum aim_reason reason = job->born.worthy ? AIM_WORLD_FAULT : AIM_GRADED;
    struct parents *p = &run->failed;
    for (size_t i = 0; i < p->count; i++)
        if (p->items[i].group == g)
            return;
    p->items = mem_grow(p->items, &p->cap, p->count + 1, sizeof *p->items);
    p->items[p->count++] = (struct parent){g, g->number, g->task.prompt, reason};
    run->report->aims[reason].parents++;
}

static void count_criterion(struct engine_report *r, struct span name)
{
    bool fresh;
    size_t n = map_add(&r->criteria, name, &fresh);
    r->criteria_rows = mem_grow(r->criteria_rows, &r->criteria_cap, n + 1, sizeof(int64_t));
    r->criteria_rows[n] = fresh ? 1 : r->criteria_rows[n] + 1;
}

/* The markers that failed; without one, the class of the failure; without one, the reward. */
static void count_criteria(struct run *run, const struct job *job)
{
    struct json_members members = {0};
    struct json_fault fault;
    struct json_member m;
    struct row row;
    struct buf name = {0};
    bool any = false;
    if (row_of_text(buf_span(&job->line), &row, &members, &fault) == 0) {
        const struct json_value *markers = row_get(&row, SPAN("markers"));
        const struct json_value *class = row_get(&row, SPAN("failure_class"));
        struct json_cursor at = {0};
        if (markers && markers->type == JSON_VALUE_OBJECT)
            at = json_enter(*markers);
        while (json_next_member(&at, &m))
            if (run_marker_failed(run, m.value)) {
                count_criterion(run->report, json_key(&m, &name));
                any = true;
            }
        if (!any && class && class->type == JSON_VALUE_STRING)
            count_criterion(run->report, json_text(*class, &name));
        else if (!any)
            count_criterion(run->report, SPAN("reward"));
    }
    buf_free(&name);
    json_members_free(&members);
}

/* What was delivered: stances, turns, when. */
static void count_delivery(struct run *run, const struct job *job)
{
    struct engine_report *r = run->report;
    const struct node *d = job->group->task.dimensions, *stance = d ? node_find(d, "stance") : NULL;
    bool fresh;
    if (node_is(stance, JSON_VALUE_STRING)) {
        size_t n = map_add(&r->stances, stance->text, &fresh);
        r->stance_rows = mem_grow(r->stance_rows, &r->stance_cap, n + 1, sizeof *r->stance_rows);
        r->stance_rows[n] = fresh ? 1 : r->stance_rows[n] + 1;
    }
    r->fault_rows += job->group->task.plan != NULL;
    r->user_turns += job->born.user_turns;
    r->long_rows += job->born.user_turns >= DELIVERED_LONG_TURNS;
    double now = run_now(run) - run->started;
    size_t minute = now > 0 ? (size_t)(now / 60) : 0;
    if (minute >= SCENE_MINUTES_MAX)
        minute = SCENE_MINUTES_MAX - 1;
    if (minute >= r->n_minutes) {
        r->minutes = mem_grow(r->minutes, &r->minutes_cap, minute + 1, sizeof *r->minutes);
        for (; r->n_minutes <= minute; r->n_minutes++)
            r->minutes[r->n_minutes] = 0;
    }
    r->minutes[minute]++;
    if (isnan(r->timings.first_row))
        r->timings.first_row = now;
}

void run_learn(struct run *run, const struct job *job)
{
    struct engine_report *r = run->report;
    const struct group *g = job->group;
    bool failed = is_failure(run, job);
    struct lesson lesson = {
        .arm = g->arm,
        .cell = buf_span(&job->cell),
        .scenario = g->task.scenario_id,
        .signature = span_text(job->born.signature),
        .shape = buf_span(&job->shape),
        .planned = g->task.cell,
        .prompt = map_find(&r->prompts, g->task.prompt),
        .failed = failed,
        .first = g->written && job->index == 0,
    };
    if (lesson.first)
        lesson.novelty = novelty_add(&r->learned.window, &job->vector);
    learned_row(&r->learned, run->setting->grid, run->knobs, &lesson);
    if (lesson.shape.len)
        map_add(&run->shown, lesson.shape, NULL);
    if (g->arm < ARM_COUNT)
        r->arm_rows[g->arm]++;
    if (g->arm == ARM_MUTATION || g->reason == AIM_OTHER)
        r->aims[g->reason].rows++;
    count_delivery(run, job);
    r->doubled_rows += g->doubled;
    if (failed && !run->setting->keep_failures)
        add_parent(run, job);
    if (job->graded_failure)
        count_criteria(run, job);
    if (run->setting->time_budget > 0)
        durations_add(&run->durations, (size_t)knob_int(run->knobs, KNOB_CLOSING_WINDOW),
                      job->seconds);
    r->timings.judging += job->judging;
}

void run_tell(struct run *run, bool over)
{
    const struct engine_events *e = &run->setting->events;
    struct engine_report *r = run->report;
    if (!e->progress)
        return;
    if (!over && ++run->progress_events < knob_int(run->knobs, KNOB_PROGRESS_ROWS) &&
        run_now(run) - run->progress_at < run->knobs->value[KNOB_PROGRESS_S])
        return;
    run->progress_events = 0;
    run->progress_at = run_now(run);
    struct engine_progress p = {
        .landed = r->rows,
        .cap = run->setting->budget * run->setting->runs,
        .resumed = r->resumed,
        .prompts = (int64_t)run->n_groups,
        .rerolled = r->rerolled,
        .timed_out = r->timed_out,
        .lost = r->lost,
        .inflight = over ? -1 : (int64_t)run->n_jobs - run->n_taken,
        .elapsed = r->timings.elapsed + run->progress_at - run->started,
    };
    memcpy(p.rerolled_by, r->rerolled_by, sizeof p.rerolled_by);
    memcpy(p.lost_by, r->lost_by, sizeof p.lost_by);
    e->progress(e->data, &p);
}

/* ---- a round --------------------------------------------------------------------------------- */

static void weigh_cells(struct run *run)
{
    const struct grid *grid = run->setting->grid;
    const struct aim *aim = run->setting->aim;
    struct weight_blend blend = run->setting->topology.mode == MODE_RL ? WEIGHT_RL : WEIGHT_FIRST;
    for (size_t i = 0; i < grid->count; i++) {
        double weight = learned_weight(&run->report->learned, grid, run->knobs, i, blend);
        double factor = aim ? regions_boost(&aim->regions, &grid->cells[i]) : 1;
        search_weigh(run->search, i, factor != 1 ? number_round(weight * factor, 6) : weight);
    }
}

void run_end_round(struct run *run)
{
    struct engine_report *r = run->report;
    bool rows = r->learned.round.rows > 0;
    learned_round(&r->learned);
    if (rows && run->search && !run->setting->arm_weights)
        arms_update(run->arm_weights, r->learned.yields);
    learned_point(&r->learned, r->rows, (int64_t)r->prompts.count, run->arm_weights);
    if (run->search)
        weigh_cells(run);
    struct parents swap = run->parents;
    run->parents = run->failed;
    run->failed = swap;
    run->failed.count = 0;
    run->round++;
    if (run->search)
        search_round(run->search, run->round);
}
