/* report_coverage.c: what a run covered, its settings as resolved, and how that grew from round to
 * round (situations 20.4). */
#include <math.h>
#include <stdlib.h>

#include "scene/defaults.h"
#include "scene/progress.h"
#include "scene/report_keys.h"
#include "scene/report_search.h"
#include "scene/report_talk.h"

static void write_pairs(struct json_writer *w, const char *key, size_t planned, size_t covered)
{
    json_write_key(w, key);
    json_write_object(w);
    key_int(w, "pairs_planned", (int64_t)planned);
    key_int(w, "pairs_covered", (int64_t)covered);
    key_share(w, "fraction", (int64_t)covered, (int64_t)planned);
    json_write_end_object(w);
}

void report_write_weights(struct json_writer *w, const char *key, const double weights[ARM_COUNT])
{
    json_write_key(w, key);
    json_write_object(w);
    for (int a = 0; a < ARM_COUNT; a++)
        key_real(w, arm_name((enum arm)a), weights[a]);
    json_write_end_object(w);
}

static void write_unique(struct json_writer *w, const struct engine_setting *s,
                         const struct engine_report *r)
{
    int64_t budget = s->budget * s->runs;
    struct forecast f = learned_forecast(&r->learned, r->rows, budget, r->saturated);
    key_int(w, "rows", r->rows);
    key_int(w, "unique_prompts", (int64_t)r->prompts.count);
    key_int(w, "unique_scenario_ids", (int64_t)r->learned.scenarios.count);
    key_int(w, "unique_signatures", (int64_t)r->learned.signatures.count);
    key_int(w, "unique_cells", (int64_t)r->learned.cells.count);
    key_int(w, "unique_shapes", (int64_t)r->learned.shapes.count);
    key_int(w, "budget", budget);
    key_text(w, "stopped_because", stop_reason_name(r->stop));
    key_bool(w, "saturation", r->saturated);
    key_int(w, "predicted_to_saturation", f.rows);
    key_int(w, "predicted_remaining", f.remaining);
    key_int(w, "min_cell_copies", learned_least(&r->learned));
    write_pairs(w, "pairwise", r->pairs_planned, r->pairs_covered);
    write_pairs(w, "pairwise_all", r->pairs_all, r->pairs_all_covered);
    key_int(w, "copies_needed", SATURATION_ROWS);
}

static void write_axes(struct json_writer *w, const struct grid *grid)
{
    bool pinned = false;
    for (int a = 0; a < AXIS_COUNT; a++)
        pinned = pinned || grid->axes[a].pinned;
    json_write_key(w, "dimensions");
    if (!pinned) {
        json_write_null(w);
        return;
    }
    json_write_object(w);
    for (int a = 0; a < AXIS_COUNT; a++) {
        if (!grid->axes[a].pinned)
            continue;
        json_write_key(w, axis_name((enum axis)a));
        json_write_array(w);
        for (size_t i = 0; i < grid->axes[a].count; i++)
            json_write_span(w, grid->axes[a].items[i]);
        json_write_end_array(w);
    }
    json_write_end_object(w);
}

static void write_sizes(struct json_writer *w, const struct engine_setting *s)
{
    const struct topology *t = &s->topology;
    key_bool(w, "unique", t->unique);
    key_bool(w, "unique_situations", t->unique);
    key_int(w, "repeats", t->repeats);
    key_text(w, "mode", run_mode_name(t->mode));
    key_text(w, "repeat_policy", repeat_policy_name(t->policy));
    key_int(w, "first_batch", topology_first_batch(t));
    key_int(w, "requests_per_situation", t->phrasings);
    key_int(w, "rollouts_per_request", t->repeats);
    json_write_key(w, "n_situations");
    if (s->situations > 0)
        json_write_int(w, s->situations);
    else
        json_write_null(w);
    key_int(w, "runs", s->runs);
    key_int(w, "budget_per_run", s->budget);
    key_int(w, "concurrency", s->jobs);
    key_int(w, "round", s->round);
    key_int(w, "seed", s->seed);
    key_text(w, "until", s->saturate ? "saturation" : "compute");
    key_real(w, "time_budget", s->time_budget > 0 ? s->time_budget : NAN);
    key_bool(w, "reproducible", !(s->time_budget > 0));
    key_real(w, "hard_share", s->hard_share);
    key_real(w, "fault_rate", t->fault_rate);
}

const char *report_writer_model(const struct engine_setting *s)
{
    return s->tasks ? NULL : s->writer_name ? s->writer_name : "template";
}

static void write_sources(struct json_writer *w, const struct engine_setting *s,
                          const struct engine_report *r)
{
    const char *writer = s->tasks ? NULL : s->writer_name ? s->writer_name : "template";
    write_axes(w, s->grid);
    report_write_weights(w, "arm_weights", r->arm_start);
    key_text(w, "strategy", s->aim ? strategy_name(s->aim->strategy) : "broad");
    key_int(w, "tasks", s->tasks ? (int64_t)s->tasks->count : 0);
    key_int(w, "traces", s->aim ? (int64_t)s->aim->traces.count : 0);
    key_int(w, "seeds", s->seeds ? (int64_t)s->seeds->count : 0);
    key_text(w, "grader", s->judge ? s->judge->name : NULL);
    key_bool(w, "grade", s->graded);
    key_bool(w, "llm_grade", s->judged_by_model);
    key_text(w, "simulator", writer);
    key_text(w, "writer_model", writer);
    key_text(w, "agent_model", s->model_version);
    report_write_asked(w, s);
    json_write_key(w, "sampling");
    if (s->sampling.len)
        json_write_raw(w, s->sampling);
    else
        json_write_null(w);
    json_write_key(w, "knobs");
    json_write_object(w);
    knobs_write(&r->knobs, w);
    json_write_end_object(w);
    struct buf world = {0};
    world_options_write(s->world, &world);
    json_write_key(w, "world");
    json_write_raw(w, buf_span(&world));
    buf_free(&world);
    key_text(w, "world_note",
             "world.default_fault_rate is for a plan of faults that names no rate; how many "
             "situations keep their plan is fault_rate");
}

static void write_requested(struct json_writer *w, const struct engine_setting *s)
{
    const struct axis_values *stances = &s->grid->axes[AXIS_STANCE];
    json_write_key(w, "requested");
    json_write_object(w);
    key_real(w, "fault_rate", s->topology.fault_rate);
    key_real(w, "avg_turns", s->talk ? s->talk->avg_turns : NAN);
    json_write_key(w, "stance");
    if (stances->pinned) {
        json_write_array(w);
        for (size_t i = 0; i < stances->count; i++)
            json_write_span(w, stances->items[i]);
        json_write_end_array(w);
    } else {
        json_write_null(w);
    }
    json_write_end_object(w);
}

static void write_delivered(struct json_writer *w, const struct engine_report *r)
{
    json_write_key(w, "delivered");
    json_write_object(w);
    key_int(w, "rows", r->rows);
    key_share(w, "fault_share", r->fault_rows, r->rows);
    json_write_key(w, "tier_mix");
    json_write_object(w);
    for (int t = 0; t < TIER_COUNT; t++)
        if (r->row_tiers[t])
            key_int(w, tier_name((enum tier)t), r->row_tiers[t]);
    json_write_end_object(w);
    json_write_key(w, "stance_mix");
    json_write_object(w);
    for (size_t i = 0; i < r->stances.count; i++) {
        json_write_key_span(w, r->stances.keys[i]);
        json_write_int(w, r->stance_rows[i]);
    }
    json_write_end_object(w);
    key_share(w, "mean_user_turns", r->user_turns, r->rows);
    key_share(w, "user_turns_3plus_share", r->long_rows, r->rows);
    json_write_end_object(w);
}

void report_write_coverage(struct json_writer *w, const struct engine_setting *s,
                           const struct engine_report *r)
{
    int64_t over = r->rows + r->lost - r->requested * s->runs;
    json_write_key(w, "coverage");
    json_write_object(w);
    write_unique(w, s, r);
    key_int(w, "fault_cells", r->fault_cells);
    key_int(w, "fault_plans", r->fault_plans);
    write_sizes(w, s);
    write_sources(w, s, r);
    write_requested(w, s);
    write_delivered(w, r);
    key_int(w, "rollouts_requested", r->requested);
    key_int(w, "rollouts_completed", r->rows);
    key_int(w, "rollouts_lost", r->lost);
    json_write_key(w, "rollouts_lost_by");
    lost_write(w, r->lost_by);
    key_int(w, "rollouts_over_cap", over > 0 ? over : 0);
    report_write_tools(w, r);
    json_write_end_object(w);
}

void report_write_curve(struct json_writer *w, const struct engine_report *r)
{
    const struct learned *l = &r->learned;
    json_write_key(w, "coverage_curve");
    json_write_array(w);
    for (size_t i = 0; i < l->n_curve; i++) {
        const struct curve_point *p = &l->curve[i];
        bool last = i + 1 == l->n_curve;
        json_write_object(w);
        key_int(w, "n_rows", p->rows);
        key_int(w, "unique_prompts", p->prompts);
        key_int(w, "unique_scenario_ids", p->scenarios);
        key_int(w, "unique_behavior_signatures", p->signatures);
        key_int(w, "unique_cells", p->cells);
        key_int(w, "unique_action_shapes", p->shapes);
        report_write_weights(w, "arm_weights", p->weights);
        key_real(w, "batch_fresh_rate", p->fresh_rate);
        key_real(w, "mean_batch_novelty", p->novelty);
        key_text(w, "stopped_because", last ? stop_reason_name(r->stop) : NULL);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

void report_write_stages(struct json_writer *w, const struct engine_setting *s,
                         const struct engine_report *r)
{
    const struct {
        const char *name;
        bool went;
    } stages[] = {
        {"ingested", true},
        {"resumed", r->resumed > 0 || r->resumed_groups},
        {"candidates", !s->tasks && r->prompts.count > 0},
        {"selected", r->prompts.count > 0},
        {"world", r->rows > 0 && s->agent->uses_world},
        {"rollout", r->rows > 0},
        {"trajectory", r->rows > 0},
        {"signature", r->rows > 0},
        {"stored", r->rows > 0},
        {"rerolled", r->rerolled > 0},
        {"lost", r->lost > 0},
        {"cap_lifted", r->lifted},
        {"closing", r->closing},
        {"idle_on_judge", report_idle_on_judge(s, r)},
    };
    json_write_key(w, "stages");
    json_write_array(w);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (stages[i].went)
            json_write_text(w, stages[i].name);
    json_write_end_array(w);
}

static double seconds(double x)
{
    return isnan(x) ? x : number_round(x, REPORT_SECOND_PLACES);
}

void report_write_times(struct json_writer *w, const struct engine_setting *s,
                        const struct engine_report *r)
{
    const struct run_timings *t = &r->timings;
    report_write_stages(w, s, r);
    key_real(w, "elapsed_seconds", seconds(t->elapsed));
    json_write_key(w, "timings");
    json_write_object(w);
    key_real(w, "scenario_generation_seconds", seconds(t->opening));
    key_real(w, "embedding_selection_seconds", 0);
    key_real(w, "rollout_seconds", seconds(t->playing));
    key_real(w, "judge_seconds", seconds(t->judging));
    key_real(w, "scene_brief_seconds", 0);
    key_real(w, "first_row_seconds", seconds(t->first_row));
    json_write_end_object(w);
    json_write_key(w, "rows_by_minute");
    json_write_object(w);
    for (size_t i = 0; i < r->n_minutes; i++)
        if (r->minutes[i]) {
            struct buf name = {0};
            buf_format(&name, "%zu", i);
            json_write_key_span(w, buf_span(&name));
            json_write_int(w, r->minutes[i]);
            buf_free(&name);
        }
    json_write_end_object(w);
}
