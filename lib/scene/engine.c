/* engine.c: the loop of rounds (situations 5.2), its stops (19), and replays in series (13). */
#include "scene/engine.h"

#include <math.h>
#include <stdlib.h>

#include "scene/defaults.h"
#include "scene/plan.h"
#include "scene/run.h"
#include "json/write.h"

const char *stop_reason_name(enum stop_reason reason)
{
    static const char *const names[] = {
        [STOP_BUDGET] = "budget",
        [STOP_SITUATIONS] = "situations_exhausted",
        [STOP_TASKS] = "tasks_done",
        [STOP_WRITER] = "writer_exhausted",
        [STOP_AGENT_FAILED] = "agent_failed",
        [STOP_EMPTY_REPLIES] = "empty_replies",
        [STOP_BAD_REPLIES] = "bad_replies",
        [STOP_INTERRUPTED] = "interrupted",
        [STOP_AUTH] = "agent_auth_failed",
        [STOP_QUOTA] = "agent_quota_exceeded",
        [STOP_HOST] = "agent_host_dead",
        [STOP_REPLAY] = "replay_miss",
        [STOP_COST] = "max_cost",
        [STOP_TIME] = "time_budget",
        [STOP_SATURATION] = "saturation",
        [STOP_ASKS] = "ask_exhausted",
        [STOP_WRITER_FAILED] = "writer_failed",
        [STOP_WRITER_AUTH] = "writer_auth_failed",
        [STOP_WRITER_QUOTA] = "writer_quota_exceeded",
        [STOP_WRITER_HOST] = "writer_host_dead",
    };
    return names[reason];
}

bool stop_is_failure(enum stop_reason reason)
{
    return reason == STOP_AGENT_FAILED || reason == STOP_EMPTY_REPLIES ||
           reason == STOP_BAD_REPLIES || stop_at_once(reason) || reason == STOP_COST ||
           reason == STOP_WRITER_FAILED;
}

bool stop_at_once(enum stop_reason reason)
{
    return reason == STOP_AUTH || reason == STOP_QUOTA || reason == STOP_HOST ||
           reason == STOP_REPLAY || reason == STOP_WRITER_AUTH || reason == STOP_WRITER_QUOTA ||
           reason == STOP_WRITER_HOST;
}

/* ---- scheduling ------------------------------------------------------------------------------ */

static void add_job(struct run *run, struct group *g)
{
    size_t old = run->jobs_cap;
    run->jobs = mem_grow(run->jobs, &run->jobs_cap, run->n_jobs + 1, sizeof *run->jobs);
    if (run->jobs_cap > old)
        memset(run->jobs + old, 0, (run->jobs_cap - old) * sizeof *run->jobs);
    struct job *job = &run->jobs[run->n_jobs++];
    job->group = g;
    job->index = g->scheduled++;
    job->ordinal = run->ordinals++;
    job->resumed = false;
    run->scheduled++;
}

/* The first batch of a prompt, as far as the room goes. */
static void open_group(struct run *run, struct group *g, int64_t room)
{
    int64_t batch = topology_first_batch(&run->setting->topology);
    if (run->k < batch)
        batch = run->k;
    for (; batch > 0 && (int64_t)run->n_jobs < room; batch--)
        add_job(run, g);
}

/* What the seeds that wait will need: a written prompt never takes a seed's rows. */
static int64_t promised(const struct run *run)
{
    return (int64_t)(run->n_seeds - run->next_seed) * run->k;
}

/* Rollouts that an earlier run has on file are not played again. */
static int take_resumed(struct run *run, struct error *error)
{
    struct checkpoint *c = run->setting->checkpoint;
    int code = 0;
    for (size_t i = 0; c && i < run->n_jobs && !code; i++) {
        struct job *job = &run->jobs[i];
        buf_clear(&job->line);
        code = checkpoint_take(c, run->eval_run, job->group->task.prompt, job->index, &job->line,
                               &job->resumed, error);
        run->report->resumed += job->resumed;
    }
    return code;
}

/* Is too little time left to begin anything new (situations 8.5)? */
static bool is_closing(const struct run *run)
{
    double left = run_time_left(run);
    return left < run->knobs->value[KNOB_CLOSING_MARGIN] * durations_median(&run->durations);
}

/* One entry of the queue, one rollout. False: there is none. */
static bool serve_queue(struct run *run)
{
    while (run->queue_count) {
        struct group *g = run->queue[run->queue_first++];
        run->queue_count--;
        g->queued--;
        if (g->scheduled < run->k) {
            add_job(run, g);
            run->report->verified++;
            return true;
        }
    }
    return false;
}

static void open_pinned(struct run *run, int64_t width, int64_t room)
{
    struct group *g;
    while ((int64_t)run->n_jobs < width && (g = run_open_pinned(run))) {
        size_t before = run->n_jobs;
        open_group(run, g, room);
        run->report->explored += (int64_t)(run->n_jobs - before);
    }
}

/* Opens prompts until the round has so many jobs. */
static void open_written(struct run *run, enum search_want want, int64_t width, int64_t room)
{
    struct group *g;
    while ((int64_t)run->n_jobs < width && !run->tasks && !run->closing && !run->search_spent &&
           run->setting->budget - run->scheduled - promised(run) > 0) {
        size_t before = run->n_jobs;
        if (!(g = run_open_written(run, want))) {
            run->search_spent = want == SEARCH_ANY;
            return;
        }
        open_group(run, g, room);
        *(g->fresh ? &run->report->explored : &run->report->expanded) +=
            (int64_t)(run->n_jobs - before);
    }
}

/* Mode adaptive: new wordings of what is in use, new situations, further rollouts, by the time that
 * is left. */
static void plan_adaptive(struct run *run, int64_t width, int64_t room)
{
    struct adaptive_plan plan = run_plan(run);
    int64_t have = (int64_t)run->n_jobs;
    struct adaptive_slots slots = adaptive_slots(width - have, &plan);
    open_written(run, SEARCH_USED, have + slots.expand, room);
    open_written(run, SEARCH_FRESH, have + slots.expand + slots.explore, room);
}

static void plan_round(struct run *run)
{
    int64_t room = run->setting->budget - run->landed;
    int64_t width = run->setting->round < room ? run->setting->round : room;
    double before = run_now(run);
    run->n_jobs = 0;
    run->closing = run->closing || is_closing(run);
    run->report->closing |= run->closing;
    open_pinned(run, width, room);
    if (run->setting->topology.mode == MODE_ADAPTIVE && !run->setting->topology.unique)
        plan_adaptive(run, width, room);
    while ((int64_t)run->n_jobs < width && serve_queue(run))
        ;
    open_written(run, SEARCH_ANY, width, room);
    run_told_ahead(run);
    run->report->timings.opening += run_now(run) - before;
}

/* Groups that stopped because they agreed go on when nothing else is left. */
static bool resume_stopped(struct run *run)
{
    bool any = false;
    for (size_t i = 0; i < run->n_groups && run->successive; i++) {
        struct group *g = run->groups[i];
        if (g->state == GROUP_STOPPED && g->scheduled < run->k) {
            g->state = GROUP_PROBING;
            run_queue(run, g, 1);
            any = true;
        }
    }
    run->report->resumed_groups |= any;
    return any;
}

static bool all_complete(const struct run *run)
{
    for (size_t i = 0; i < run->n_groups; i++)
        if (run->groups[i]->landed < run->k)
            return false;
    return run->n_groups > 0;
}

/* A round without a job: go on (true), or the run is over. */
static bool without_job(struct run *run, enum stop_reason *stop)
{
    bool capped = run->setting->situations > 0 && !run->tasks &&
                  (!run->search || search_reached(run->search));
    if (capped && !run->report->lost && all_complete(run)) {
        *stop = STOP_SITUATIONS;
        return false;
    }
    if (run->closing) {
        *stop = STOP_TIME;
        return false;
    }
    if (resume_stopped(run))
        return true;
    if (run->tasks) {
        *stop = STOP_TASKS;
        return false;
    }
    if (capped && run->search && run->report->lost && !run->report->lifted) {
        run->report->lifted = true;
        search_lift(run->search);
        run->search_spent = false;
        return true;
    }
    *stop = capped ? STOP_SITUATIONS : run_told_stop(run);
    return false;
}

/* Why an agent that gave no row gave none: nine in ten of its losses are of one kind, or not. */
static enum stop_reason why_dead(const struct run *run)
{
    const struct engine_report *r = run->report;
    int64_t empty = r->lost_by[LOST_EMPTY] + r->rerolled_by[LOST_EMPTY];
    int64_t markup = r->lost_by[LOST_MARKUP] + r->rerolled_by[LOST_MARKUP];
    if (empty * 10 >= run->lost_attempts * 9)
        return STOP_EMPTY_REPLIES;
    return markup * 10 >= run->lost_attempts * 9 ? STOP_BAD_REPLIES : STOP_AGENT_FAILED;
}

static bool agent_is_dead(const struct run *run)
{
    int64_t limit = knob_int(run->knobs, KNOB_DEAD_BUDGETS) * run->setting->budget;
    int64_t least = knob_int(run->knobs, KNOB_DEAD_ERRORS);
    return !run->landed && run->lost_attempts >= (limit > least ? limit : least);
}

/* What there is to do between rounds. */
static int end_round(struct run *run, struct error *error)
{
    const struct engine_events *e = &run->setting->events;
    int code = e->flush ? e->flush(e->data, error) : 0;
    run_end_round(run);
    return code;
}

static int play_rounds(struct run *run, enum stop_reason *stop, struct error *error)
{
    const struct engine_events *e = &run->setting->events;
    int code = 0;
    *stop = STOP_BUDGET;
    for (;;) {
        if (run->landed >= run->setting->budget)
            break;
        if (run->setting->saturate && !run->tasks &&
            learned_saturated(&run->report->learned, run->setting->grid)) {
            run->report->saturated = true;
            *stop = STOP_SATURATION;
            break;
        }
        if (run_time_left(run) <= 0) {
            *stop = STOP_TIME;
            break;
        }
        if (e->interrupted && e->interrupted()) {
            *stop = STOP_INTERRUPTED;
            break;
        }
        plan_round(run);
        if (run->choose_code) {
            *error = run->choose_error;
            return run->choose_code;
        }
        if (run->n_jobs == 0) {
            if (without_job(run, stop))
                continue;
            break;
        }
        if ((code = take_resumed(run, error)))
            return code;
        double before = run_now(run);
        if ((code = run_play(run, error)) || (code = end_round(run, error)))
            return code;
        run->report->timings.playing += run_now(run) - before;
        if (run->halt.caught) {
            *stop = run->halt.reason;
            run->report->stop_error = run->halt.error;
            return 0;
        }
        if (agent_is_dead(run))
            break;
    }
    if (!run->landed && run->lost_attempts && *stop != STOP_INTERRUPTED && *stop != STOP_TIME)
        *stop = why_dead(run);
    return 0;
}

/* ---- one run --------------------------------------------------------------------------------- */

static int64_t requested(const struct engine_setting *s, const struct task_list *tasks)
{
    const struct topology *t = &s->topology;
    if (tasks)
        return (int64_t)tasks->count * t->repeats;
    if (s->situations > 0) {
        int64_t wanted = s->situations * t->phrasings * t->repeats;
        return wanted < s->budget ? wanted : s->budget;
    }
    return s->budget;
}

/* Only the budget can drop a seed; the others then have room for all their repeats. */
static void drop_seeds(struct run *run)
{
    const struct task_list *seeds = run->setting->seeds;
    struct engine_report *r = run->report;
    if (!seeds || run->tasks)
        return;
    int64_t room = run->setting->budget / run->k;
    if (room < 1)
        room = 1;
    run->n_seeds = (int64_t)seeds->count > room ? (size_t)room : seeds->count;
    r->n_seeds_dropped = seeds->count - run->n_seeds;
    r->seeds_dropped = arena_alloc(&r->arena, (r->n_seeds_dropped + 1) * sizeof *r->seeds_dropped);
    for (size_t i = run->n_seeds; i < seeds->count; i++)
        r->seeds_dropped[i - run->n_seeds] = arena_span(&r->arena, seeds->items[i].prompt);
}

static void open_run(struct run *run, const struct engine_setting *setting,
                     struct engine_report *report, const struct task_list *tasks, int64_t eval_run)
{
    *run = (struct run){.setting = setting, .report = report, .tasks = tasks, .eval_run = eval_run};
    run->k = setting->topology.repeats;
    run->mean_utterances = NAN;
    run->successive = setting->topology.policy == REPEAT_SUCCESSIVE;
    struct birth_setting birth = {
        .policy = setting->policy,
        .model_version = setting->model_version,
        .user_model = setting->agent->user_model,
        .sampling = setting->sampling,
        .seed = setting->seed,
        .scrub = setting->scrub,
        .replayed = setting->tasks != NULL,
        .uses_world = setting->agent->uses_world,
        .eval_run = setting->runs > 1 ? eval_run : -1,
        .replayed_first = eval_run > 0 && !setting->tasks,
    };
    run->birth = birth_run_new(&birth);
    run->knobs = &report->knobs;
    succession_open(&run->succession, run->k, setting->topology.probe,
                    run->knobs->value[KNOB_SMOOTHING]);
    run->started = run->progress_at = run_now(run);
    memcpy(run->arm_weights, report->arm_start, sizeof run->arm_weights);
    report->aims[AIM_OTHER].parents = setting->aim ? (int64_t)setting->aim->n_asks : 0;
    drop_seeds(run);
    plan_pairs(setting->grid, &run->planned);
    pairs_open(&run->covered, setting->grid->n_values);
    pairs_open(&run->met, setting->grid->n_values);
    if (setting->tools->count) {
        run->scale = shape_scale(setting->time_budget);
        shapes_enumerate(&run->shapes, setting->tools, run->scale.longest, run->scale.most);
        run->shape_tries = mem_zero(run->shapes.count + 1, 1);
    }
    if (!tasks) {
        int64_t situations = setting->situations;
        if (situations > 0 && situations < (int64_t)run->n_seeds)
            situations = (int64_t)run->n_seeds; /* the number grows to hold the seeds */
        int64_t cells = situations > 0 ? situations - (int64_t)run->n_seeds : 0;
        if (situations == 0 || cells > 0) {
            struct search_setting search = {
                .grid = setting->grid,
                .seed = setting->seed,
                .unique = setting->topology.unique,
                .situations = cells,
                .phrasings = setting->topology.phrasings,
                .wordings = setting->topology.phrasings,
                .hard_share = setting->hard_share,
                .even = setting->saturate,
                .steering = setting->steering,
                .regions = setting->aim && setting->aim->strategy != STRATEGY_BROAD
                               ? &setting->aim->regions
                               : NULL,
            };
            run->search = search_open(&search);
            run->writer = template_open(setting->grid, setting->tools);
            run->teller = setting->writer ? scene_writer_open(setting->writer) : NULL;
        } else {
            run->search_spent = true;
        }
    }
    if (!tasks && (setting->writer || setting->written))
        run->chooser = chooser_open(setting->embedder, setting->seed);
    run_start_workers(run);
}

/* Pairs of all axis values that say something, whether some cell of the grid holds them or not. */
static size_t count_all_pairs(const struct grid *grid)
{
    size_t told[AXIS_COUNT], pairs = 0;
    for (int a = 0; a < AXIS_COUNT; a++) {
        told[a] = 0;
        for (size_t i = 0; i < grid->axes[a].count; i++)
            told[a] += !span_is(grid->axes[a].items[i], "unspecified");
        for (int b = 0; b < a; b++)
            pairs += told[a] * told[b];
    }
    return pairs;
}

/* Action shapes that no row has shown, as far as a report lists them. */
static size_t count_gaps(const struct run *run)
{
    size_t n = 0;
    for (size_t i = 0; i < run->shapes.count && n < run->scale.listed; i++)
        n += map_find(&run->shown, run->shapes.items[i].calls) == MAP_NONE;
    return n;
}

static void collect(struct run *run)
{
    struct engine_report *r = run->report;
    run_told_collect(run);
    r->pairs_all = count_all_pairs(run->setting->grid);
    r->pairs_all_covered = run->met.count;
    r->shapes_listed = count_gaps(run);
    if (run->chooser && r->candidates) {
        r->embedder = arena_text(&r->arena, chooser_name(run->chooser));
        r->semantic = chooser_semantic(run->chooser);
        r->embedder_fell_back = chooser_fell_back(run->chooser);
    }
    memcpy(r->arm_weights, run->arm_weights, sizeof r->arm_weights);
    r->pairs_planned = run->planned.count;
    r->pairs_covered = run->covered.count;
    r->unique_cells = run->search ? search_situations(run->search) : 0;
    r->grown_cells = run->search ? search_grown(run->search) : 0;
    r->reused = run->search ? search_reused(run->search) : 0;
    r->grouped = run->successive;
    r->mixed_rate = succession_rate(&run->succession);
    r->n_hazard = (size_t)run->k + 1;
    r->hazard = arena_alloc(&r->arena, r->n_hazard * sizeof *r->hazard);
    for (size_t n = 0; n < r->n_hazard; n++)
        r->hazard[n] =
            run->succession.seen[n] ? succession_hazard(&run->succession, (int64_t)n) : NAN;
    r->tasks_ran += run->tasks ? run->next_task : 0;
}

static void collect_talk(struct run *run)
{
    struct rollout_counts *t = &run->report->talk;
    for (int i = 0; i < run->n_workers; i++)
        rollout_counts_add(t, &run->workers[i].talk);
}

/* Tool counts of all threads, the declared tools first, in their order. */
static void collect_tools(struct run *run)
{
    struct engine_report *r = run->report;
    struct map names = {0};
    size_t cap = 0;
    for (size_t i = 0; i < r->n_tools; i++)
        map_add(&names, r->tools[i].name, NULL);
    for (size_t i = 0; i < run->setting->tools->count; i++)
        map_add(&names, run->setting->tools->items[i].name, NULL);
    for (int w = 0; w < run->n_workers; w++)
        for (size_t i = 0; i < run->workers[w].tools.count; i++)
            map_add(&names, run->workers[w].tools.keys[i], NULL);
    struct tool_outcome *all = mem_grow(NULL, &cap, names.count + 1, sizeof *all);
    memset(all, 0, cap * sizeof *all);
    if (r->n_tools)
        memcpy(all, r->tools, r->n_tools * sizeof *all);
    for (size_t i = 0; i < names.count; i++)
        all[i].name = arena_span(&r->arena, names.keys[i]);
    for (int w = 0; w < run->n_workers; w++)
        for (size_t i = 0; i < run->workers[w].tools.count; i++) {
            struct tool_outcome *t = &all[map_find(&names, run->workers[w].tools.keys[i])];
            const struct tool_count *c = &run->workers[w].counts[i];
            t->n += c->n;
            t->faults += c->faults;
            t->injected += c->injected;
            t->ok = t->n - t->faults;
            r->tool_called = true;
        }
    free(r->tools);
    r->tools = all;
    r->n_tools = names.count;
    map_free(&names);
}

static void close_run(struct run *run)
{
    run_stop_workers(run);
    for (size_t i = 0; i < run->n_groups; i++) {
        group_free(run->groups[i]);
        free(run->groups[i]);
    }
    for (size_t i = 0; i < run->jobs_cap; i++) {
        buf_free(&run->jobs[i].line);
        buf_free(&run->jobs[i].error);
        buf_free(&run->jobs[i].cell);
        buf_free(&run->jobs[i].shape);
        embedding_free(&run->jobs[i].vector);
    }
    free(run->groups);
    free(run->queue);
    free(run->jobs);
    search_close(run->search);
    template_close(run->writer);
    scene_writer_close(run->teller);
    chooser_close(run->chooser);
    free(run->written_order);
    free(run->written_choice);
    succession_close(&run->succession);
    birth_run_free(run->birth);
    pairs_free(&run->covered);
    pairs_free(&run->planned);
    pairs_free(&run->met);
    near_free(&run->near);
    shapes_free(&run->shapes);
    map_free(&run->shown);
    map_free(&run->changes);
    durations_free(&run->durations);
    free(run->shape_tries);
    free(run->parents.items);
    free(run->failed.items);
    free(run->retried.items);
    buf_free(&run->text);
    arena_free(&run->arena);
}

/* Makes the set that the first run drew, for the later ones to replay. */
static void keep_tasks(const struct run *run, struct task_list *drawn)
{
    drawn->items = mem_grow(NULL, &drawn->cap, run->n_groups + 1, sizeof *drawn->items);
    for (size_t i = 0; i < run->n_groups; i++)
        drawn->items[drawn->count++] = run->groups[i]->task;
}

static bool ends_all(enum stop_reason stop)
{
    return stop == STOP_INTERRUPTED || stop == STOP_COST || stop_at_once(stop);
}

static void open_report(struct engine_report *r, const struct engine_setting *s)
{
    *r = (struct engine_report){0};
    r->timings.first_row = NAN;
    if (s->knobs)
        r->knobs = *s->knobs;
    else
        knobs_default(&r->knobs);
    memcpy(r->arm_start, s->arm_weights ? s->arm_weights : ARM_START, sizeof r->arm_start);
    memcpy(r->arm_weights, r->arm_start, sizeof r->arm_start);
    learned_open(&r->learned, s->grid);
}

/* What one run of a series was. */
static void close_of_series(struct run *run, int64_t rows, const int64_t *tiers,
                            enum stop_reason stop)
{
    struct engine_report *r = run->report;
    run_tell(run, true);
    r->timings.elapsed += run_now(run) - run->started;
    r->runs[r->n_runs].rows = r->rows - rows;
    for (int t = 0; t < TIER_COUNT; t++)
        r->runs[r->n_runs].tiers[t] = r->row_tiers[t] - tiers[t];
    r->runs[r->n_runs++].stop = stop;
}

int engine_run(const struct engine_setting *setting, struct engine_report *report,
               struct error *error)
{
    int64_t tiers[TIER_COUNT] = {0};
    struct run first, later;
    struct task_list drawn = {0};
    enum stop_reason stop;
    open_report(report, setting);
    report->runs = mem_zero((size_t)setting->runs, sizeof *report->runs);
    report->requested = requested(setting, setting->tasks);
    open_run(&first, setting, report, setting->tasks, 0);
    int code = play_rounds(&first, &stop, error);
    if (!code)
        code = run_close_groups(&first, error);
    collect(&first);
    collect_tools(&first);
    collect_talk(&first);
    report->stop = stop;
    close_of_series(&first, 0, tiers, stop);
    if (setting->runs > 1 && !setting->tasks)
        keep_tasks(&first, &drawn);
    for (int64_t n = 1; n < setting->runs && !code && !ends_all(report->stop); n++) {
        int64_t before = report->rows;
        memcpy(tiers, report->row_tiers, sizeof tiers);
        open_run(&later, setting, report, setting->tasks ? setting->tasks : &drawn, n);
        code = play_rounds(&later, &stop, error);
        if (!code)
            code = run_close_groups(&later, error);
        collect_tools(&later);
        collect_talk(&later);
        close_of_series(&later, before, tiers, stop);
        if (ends_all(stop))
            report->stop = stop;
        close_run(&later);
    }
    free(drawn.items);
    close_run(&first);
    return code;
}

void engine_report_free(struct engine_report *r)
{
    map_free(&r->prompts);
    map_free(&r->criteria);
    map_free(&r->stances);
    free(r->stance_rows);
    free(r->minutes);
    learned_free(&r->learned);
    free(r->criteria_rows);
    free(r->prompt_rows);
    free(r->tools);
    free(r->lost_list);
    free(r->runs);
    free(r->first_error);
    traces_free(&r->generated);
    arena_free(&r->arena);
}

/* ---- what would be played -------------------------------------------------------------------- */

static int write_task(struct run *run, const struct group *g, struct error *error)
{
    const struct scene_task *t = &g->task;
    struct buf *b = &run->text;
    buf_clear(b);
    buf_text(b, "{\"prompt\":");
    json_quote(b, t->prompt);
    buf_text(b, ",\"scenario_id\":");
    json_quote(b, t->scenario_id);
    buf_text(b, ",\"scenario_dimensions\":");
    if (t->dimensions)
        node_json(t->dimensions, false, b);
    else
        buf_text(b, "null");
    buf_text(b, ",\"arm\":");
    json_quote(b, t->arm);
    buf_text(b, ",\"writer_model\":");
    json_quote(b, t->writer_model);
    buf_text(b, ",\"faults\":");
    if (t->plan)
        node_json(t->plan, false, b);
    else
        buf_text(b, "null");
    if (!t->members.len || !span_has(t->members, SPAN("\"tier\":")))
        buf_format(b, ",\"tier\":\"%s\"", tier_name(t->tier));
    if (t->members.len) {
        buf_byte(b, ',');
        buf_span_add(b, t->members);
    }
    buf_byte(b, '}');
    return run->setting->events.row(run->setting->events.data, buf_span(b), error);
}

int engine_dry_run(const struct engine_setting *setting, struct error *error)
{
    struct engine_report report;
    struct run run;
    struct group *g;
    int code = 0;
    open_report(&report, setting);
    open_run(&run, setting, &report, setting->tasks, 0);
    int64_t batch = topology_first_batch(&setting->topology);
    for (int64_t rows = 0; rows < setting->budget && !code; rows += batch) {
        if (!(g = run_open_pinned(&run)) && !(g = run_open_written(&run, SEARCH_ANY)))
            break;
        code = write_task(&run, g, error);
    }
    close_run(&run);
    engine_report_free(&report);
    return code;
}
