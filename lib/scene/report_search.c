/* report_search.c: how a run searched: the arms and their shares, what each cell and shape got, what was
 * left out, how traces aimed it (situations 20.4), and what there is to warn of in that (21). */
#include "scene/report_search.h"

#include <math.h>
#include <stdlib.h>

#include "scene/defaults.h"
#include "scene/report_keys.h"
#include "scene/report_talk.h"

/* ---- arms ------------------------------------------------------------------------------------ */

void report_write_arms(struct json_writer *w, const struct engine_setting *s,
                       const struct engine_report *r)
{
    json_write_key(w, "arms");
    json_write_object(w);
    for (int a = 0; a < ARM_COUNT; a++) {
        json_write_key(w, arm_name((enum arm)a));
        json_write_object(w);
        key_int(w, "prompts", r->arm_prompts[a]);
        key_int(w, "rows", r->arm_rows[a]);
        key_share(w, "share", r->arm_rows[a], r->rows);
        json_write_end_object(w);
    }
    json_write_end_object(w);
    report_write_weights(w, "arm_weights", r->arm_weights);
    key_bool(w, "arm_weights_pinned", s->arm_weights != NULL);
    json_write_key(w, "arm_yield");
    json_write_object(w);
    for (int a = 0; a < ARM_COUNT; a++)
        if (!isnan(r->learned.yields[a]))
            key_real(w, arm_name((enum arm)a), r->learned.yields[a]);
    json_write_end_object(w);
    json_write_key(w, "allocator");
    json_write_object(w);
    key_int(w, "explore", r->explored);
    key_int(w, "expand", r->expanded);
    key_int(w, "verify", r->verified);
    json_write_end_object(w);
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* As long as a person could read it. */
static void write_counts(struct json_writer *w, const char *key, const struct map *names,
                         const int64_t *counts)
{
    if (names->count > SCENE_PROMPTS_LISTED)
        return;
    json_write_key(w, key);
    json_write_object(w);
    for (size_t i = 0; i < names->count; i++) {
        json_write_key_span(w, names->keys[i]);
        json_write_int(w, counts[i]);
    }
    json_write_end_object(w);
}

static void write_cells(struct json_writer *w, const struct engine_setting *s,
                        const struct engine_report *r)
{
    const struct learned *l = &r->learned;
    int64_t *rows = mem_alloc((l->cells.count + 1) * sizeof *rows);
    for (size_t i = 0; i < l->cells.count; i++)
        rows[i] = l->facts[i].rows;
    write_counts(w, "cell_counts", &l->cells, rows);
    free(rows);
    write_counts(w, "shape_counts", &l->shapes, l->shape_rows);
    write_counts(w, "region_counts", &l->scenarios, l->scenario_rows);
    json_write_key(w, "axis_gaps");
    json_write_array(w);
    for (size_t v = 0, last = SIZE_MAX; v < s->grid->n_values && !s->tasks; v++)
        for (size_t i = 0; i < s->grid->count && !l->value_rows[v] && last != v; i++) {
            const struct cell *cell = &s->grid->cells[i];
            enum axis a = s->grid->axis_of_value[v];
            if (cell->pair_value[a] != v)
                continue;
            struct buf text = {0};
            buf_format(&text, "%s=", axis_name(a));
            buf_span_add(&text, cell->value[a]);
            json_write_span(w, buf_span(&text));
            buf_free(&text);
            last = v;
        }
    json_write_end_array(w);
}

/* A prompt of each of the first cells with that many rows. */
static void write_prompts(struct json_writer *w, const char *key, const struct engine_report *r,
                          int64_t least, int64_t most)
{
    const struct learned *l = &r->learned;
    size_t n = 0;
    json_write_key(w, key);
    json_write_array(w);
    for (size_t i = 0; i < l->cells.count && n < SCENE_UNDEREXPLORED; i++)
        if (l->facts[i].rows >= least && l->facts[i].rows <= most) {
            json_write_span(w, r->prompts.keys[l->facts[i].prompt]);
            n++;
        }
    json_write_end_array(w);
}

/* ---- failures -------------------------------------------------------------------------------- */

struct criterion {
    struct span name;
    int64_t rows;
};

static int most_first(const void *a, const void *b)
{
    const struct criterion *x = a, *y = b;
    if (x->rows != y->rows)
        return x->rows < y->rows ? 1 : -1;
    return span_compare(x->name, y->name);
}

static void write_failures(struct json_writer *w, const struct engine_report *r)
{
    static const char *const aims[AIM_COUNT] = {"world_fault", "graded_failure", "unattributed"};
    size_t n = r->criteria.count;
    struct criterion *all = mem_alloc((n + 1) * sizeof *all);
    json_write_key(w, "mutation_aims");
    json_write_object(w);
    for (int i = 0; i < AIM_COUNT; i++) {
        json_write_key(w, aims[i]);
        json_write_object(w);
        key_int(w, "parents", r->aims[i].parents);
        key_int(w, "rows", r->aims[i].rows);
        json_write_end_object(w);
    }
    json_write_end_object(w);
    json_write_key(w, "mutations");
    json_write_object(w);
    for (int i = 0; i < MUTATION_COUNT; i++)
        if (r->mutations[i])
            key_int(w, mutation_name((enum mutation)i), r->mutations[i]);
    json_write_end_object(w);
    for (size_t i = 0; i < n; i++)
        all[i] = (struct criterion){r->criteria.keys[i], r->criteria_rows[i]};
    if (n)
        qsort(all, n, sizeof *all, most_first);
    json_write_key(w, "failure_criteria");
    json_write_object(w);
    for (size_t i = 0; i < n; i++) {
        json_write_key_span(w, all[i].name);
        json_write_int(w, all[i].rows);
    }
    json_write_end_object(w);
    free(all);
}

/* ---- aim ------------------------------------------------------------------------------------- */

static void write_strategy(struct json_writer *w, const struct engine_setting *s)
{
    const char *resolved = s->aim ? strategy_name(s->aim->strategy) : "broad";
    json_write_key(w, "strategy");
    json_write_object(w);
    key_text(w, "requested", s->strategy ? s->strategy : "auto");
    key_text(w, "resolved", resolved);
    key_bool(w, "broaden", !s->aim || s->aim->strategy != STRATEGY_TARGETED);
    key_text(w, "reason",
             !s->aim                                 ? "no traces: the whole grid"
             : s->aim->strategy == STRATEGY_BROAD    ? "the axes stay, weights follow the traces"
             : s->aim->strategy == STRATEGY_TARGETED ? "only tools that the traces called"
                                                     : "axes and weights follow the traces");
    key_real(w, "opening", s->talk ? s->talk->opening : 0);
    key_real(w, "steering_weight", s->steering > 0 ? s->steering : NAN);
    json_write_end_object(w);
}

static void write_grader(struct json_writer *w, const struct engine_setting *s,
                         const struct engine_report *r)
{
    const struct grader_counts *g = &r->grader;
    json_write_key(w, "grader");
    json_write_object(w);
    key_text(w, "judge", s->judge->name);
    key_int(w, "judged_in_loop", g->scored);
    key_int(w, "judged_after", 0);
    key_int(w, "errors", g->errors);
    key_int(w, "scored", g->scored);
    key_int(w, "passes", g->passes);
    key_int(w, "failures", g->failures);
    key_int(w, "partials", g->partials);
    key_int(w, "unjudged", g->unjudged);
    json_write_end_object(w);
}

/* How the traces aimed the run, and what came of it. */
static void write_aim(struct json_writer *w, const struct engine_setting *s,
                      const struct engine_report *r)
{
    static const enum axis focused[] = {AXIS_TOOL, AXIS_WORLD, AXIS_CONDITION};
    const struct aim *aim = s->aim;
    json_write_key(w, "trace_mining");
    json_write_object(w);
    key_int(w, "n_traces", (int64_t)aim->traces.count);
    key_int(w, "n_flaw_rows", aim->traces.flaws);
    key_int(w, "failure_seeds", (int64_t)aim->n_asks);
    json_write_key(w, "faults");
    traces_write_faults(&aim->traces, w);
    json_write_key(w, "tools");
    traces_write_tools(&aim->traces, w);
    key_int(w, "result_exemplars", (int64_t)aim->traces.shapes_seen.count);
    json_write_key(w, "focused_dimensions");
    json_write_object(w);
    for (size_t a = 0; a < sizeof focused / sizeof *focused; a++) {
        const struct axis_values *axis = &s->grid->axes[focused[a]];
        json_write_key(w, axis_name(focused[a]));
        json_write_array(w);
        for (size_t i = 0; i < axis->count; i++)
            json_write_span(w, axis->items[i]);
        json_write_end_array(w);
    }
    json_write_end_object(w);
    json_write_end_object(w);
    json_write_key(w, "trace_leakage");
    json_write_object(w);
    key_int(w, "n", r->rows);
    key_int(w, "n_sources", (int64_t)aim->n_vectors);
    key_real(w, "threshold", SCENE_LEAK);
    key_int(w, "n_leaky", r->leaks);
    key_int(w, "n_refused", r->leaks);
    key_int(w, "n_dropped", 0);
    key_real(w, "max_similarity", r->leak_most);
    json_write_end_object(w);
    json_write_key(w, "behavior_state");
    json_write_object(w);
    regions_write_members(&aim->regions, w);
    json_write_key(w, "applied");
    json_write_bool(w, aim_boosted(aim, s->grid) > 0);
    key_real(w, "allocation_gain", aim->regions.gain);
    json_write_key(w, "region_progress");
    regions_write_progress(&aim->regions, &r->generated, w);
    json_write_end_object(w);
}

/* Seeds that a writer's model added to those that were given. */
static void write_grown(struct json_writer *w, const struct engine_setting *s)
{
    json_write_key(w, "seed_amplification");
    json_write_object(w);
    key_int(w, "given", (int64_t)s->seeds_given);
    key_int(w, "target", (int64_t)s->seeds_wanted);
    key_int(w, "total", s->seeds ? (int64_t)s->seeds->count : 0);
    key_int(w, "minted", s->seeds ? (int64_t)(s->seeds->count - s->seeds_given) : 0);
    json_write_end_object(w);
}

/* How messages were chosen among; null when there was no choice. */
static void write_choice(struct json_writer *w, const struct engine_report *r)
{
    json_write_key(w, "selection");
    if (!r->embedder) {
        json_write_null(w);
        return;
    }
    json_write_object(w);
    key_text(w, "embedder", r->embedder);
    key_bool(w, "semantic", r->semantic);
    key_int(w, "candidates", r->candidates);
    key_int(w, "chosen", r->chosen);
    key_share(w, "semantic_duplicate_rate", r->doubled_rows, r->rows);
    json_write_end_object(w);
}

void report_write_search(struct json_writer *w, const struct engine_setting *s,
                         const struct engine_report *r)
{
    json_write_key(w, "search");
    json_write_object(w);
    write_cells(w, s, r);
    report_write_weights(w, "arm_weights", r->arm_weights);
    write_prompts(w, "underexplored", r, 1, 1);
    write_prompts(w, "avoid", r, SATURATION_ROWS, INT64_MAX);
    key_int(w, "min_cell_copies", learned_least(&r->learned));
    key_int(w, "copy_deficit", learned_missing(&r->learned));
    key_int(w, "copies_needed", SATURATION_ROWS);
    key_int(w, "uncovered_shapes", (int64_t)r->shapes_listed);
    key_int(w, "plateau_batches", r->learned.flat);
    write_failures(w, r);
    report_write_rollouts(w, s, r);
    report_write_groups(w, s, r);
    write_strategy(w, s);
    report_write_tier_mix(w, s, r);
    if (s->aim)
        write_aim(w, s, r);
    if (s->judge)
        write_grader(w, s, r);
    write_choice(w, r);
    json_write_key(w, "writer_errors");
    json_write_array(w);
    if (r->writing.first_error.len)
        json_write_span(w, r->writing.first_error);
    json_write_end_array(w);
    if (s->seeds_wanted)
        write_grown(w, s);
    json_write_end_object(w);
}

/* ---- warnings -------------------------------------------------------------------------------- */

static double idle_share(const struct engine_setting *s, const struct engine_report *r)
{
    double jobs = (double)(s->jobs < s->round ? s->jobs : s->round);
    return r->timings.playing > 0 ? r->timings.judging / jobs / r->timings.playing : 0;
}

bool report_idle_on_judge(const struct engine_setting *s, const struct engine_report *r)
{
    return s->judge && r->grouped && r->rows && idle_share(s, r) > r->knobs.value[KNOB_IDLE_JUDGE];
}

static int64_t stance_rows(const struct engine_setting *s, const struct engine_report *r)
{
    const struct axis_values *stances = &s->grid->axes[AXIS_STANCE];
    int64_t rows = 0;
    for (size_t i = 0; i < stances->count; i++) {
        size_t n = map_find(&r->stances, stances->items[i]);
        rows += n == MAP_NONE ? 0 : r->stance_rows[n];
    }
    return rows;
}

static void warn_undelivered(const struct engine_setting *s, const struct engine_report *r,
                             struct warnings *w)
{
    double rate = s->topology.fault_rate, turns = s->talk ? s->talk->avg_turns : 0;
    double kept = r->fault_cells ? (double)r->fault_plans / (double)r->fault_cells : 0;
    double spoken = r->rows ? (double)r->user_turns / (double)r->rows : 0;
    if (s->fault_rate_given && !s->tasks && r->fault_cells >= SCENE_FAULT_CELLS &&
        (kept < DELIVERED_FAULT_LEAST * rate || (rate <= 0 && kept > DELIVERED_FAULT_LEAK)))
        warnings_add(w, NULL,
                     "a fault rate of %g was asked; %lld of %lld situations with a fault kept it "
                     "(%.2f), which is %.3f of all rows",
                     rate, (long long)r->fault_plans, (long long)r->fault_cells, kept,
                     (double)r->fault_rows / (double)r->rows);
    if (s->agent->user_model && r->rows && turns >= DELIVERED_TURNS_FROM &&
        spoken < DELIVERED_TURNS_LEAST * turns && s->avg_turns_given)
        warnings_add(w, NULL,
                     "--avg-turns %g was asked and a row has %.2f turns of the person; raise "
                     "--min-user-turns or --max-turns",
                     turns, spoken);
    if (s->grid->axes[AXIS_STANCE].pinned && !s->tasks && r->rows &&
        (double)stance_rows(s, r) < DELIVERED_STANCE_LEAST * (double)r->rows)
        warnings_add(w, NULL,
                     "stances were pinned and %lld of %lld rows have one of them; seeds and "
                     "probes have none",
                     (long long)stance_rows(s, r), (long long)r->rows);
}

void report_warn_search(const struct engine_setting *s, const struct engine_report *r,
                        struct warnings *w)
{
    int64_t probe =
        s->topology.probe < s->topology.repeats ? s->topology.probe : s->topology.repeats;
    warn_undelivered(s, r, w);
    if (r->embedder_fell_back)
        warnings_add(w, "semantic_embedding_unavailable",
                     "the embedder could not be reached; messages were chosen by hash vectors, "
                     "which see words and not what they mean");
    if (report_idle_on_judge(s, r))
        warnings_add(w, NULL,
                     "%.0f %% of the time went to verdicts; with --situations %lld or more the "
                     "others have something to do meanwhile",
                     100 * idle_share(s, r), (long long)((s->jobs + probe - 1) / probe));
}
