/* report.c: see report.h. */
#include "scene/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scene/defaults.h"
#include "scene/progress.h"
#include "scene/report_keys.h"
#include "scene/report_search.h"
#include "scene/report_talk.h"
#include "scene/report_writer.h"
#include "stat/stat.h"

void warnings_add(struct warnings *w, const char *flag, const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_vformat(&text, format, args);
    va_end(args);
    w->items = mem_grow(w->items, &w->cap, w->count + 1, sizeof *w->items);
    w->items[w->count++] =
        (struct warning){.flag = flag, .text = arena_span(&w->arena, buf_span(&text))};
    buf_free(&text);
}

void warnings_free(struct warnings *w)
{
    free(w->items);
    arena_free(&w->arena);
}

bool tool_is_dead(const struct tool_outcome *tool)
{
    int64_t evidence = tool->n - tool->injected, ok = tool->ok < evidence ? tool->ok : evidence;
    if (evidence < SCENE_DEAD_TOOL_CALLS)
        return false;
    return stat_wilson((double)ok, (double)evidence, SCENE_DEAD_TOOL_Z).high < SCENE_DEAD_TOOL_RATE;
}

static double hard_share(const int64_t tiers[TIER_COUNT])
{
    int64_t all = 0;
    for (int t = 0; t < TIER_COUNT; t++)
        all += tiers[t];
    return all ? 1 - (double)tiers[TIER_ORDINARY] / (double)all : NAN;
}

/* ---- warnings -------------------------------------------------------------------------------- */

static void warn_lost(const struct engine_report *r, struct warnings *w)
{
    struct buf by = {0};
    struct buf mends = {0};
    for (int i = 0; i < LOST_COUNT; i++) {
        if (!r->lost_by[i])
            continue;
        buf_format(&by, "%s%s %lld", by.len ? ", " : "", lost_reason_name((enum lost_reason)i),
                   (long long)r->lost_by[i]);
        buf_format(&mends, "%s%s", mends.len ? "; " : "", lost_reason_mend((enum lost_reason)i));
    }
    if (r->lost)
        warnings_add(w, "rollouts_lost",
                     "%lld of %lld rollouts were lost (%s); rates are over the ones that are left, "
                     "and those are not a random part; %s, or raise --rerolls",
                     (long long)r->lost, (long long)r->requested, buf_cstr(&by), buf_cstr(&mends));
    buf_free(&mends);
    if (r->first_error)
        warnings_add(w, "agent_errors", "the agent failed %lld times, first: %.600s",
                     (long long)(r->lost_by[LOST_ERROR] + r->rerolled_by[LOST_ERROR]),
                     r->first_error);
    if (r->rerolled > r->rows)
        warnings_add(w, NULL,
                     "%lld rollouts were played again and %lld landed: most never became rows",
                     (long long)r->rerolled, (long long)r->rows);
    buf_free(&by);
}

static void warn_tools(const struct engine_setting *s, const struct engine_report *r,
                       struct warnings *w)
{
    struct buf dead = {0};
    if (s->tools->count && r->rows && !r->tool_called)
        warnings_add(w, "no_tool_calls",
                     "none of %lld rows called a tool, so the run says nothing about tool use; "
                     "name ids in the "
                     "tools' descriptions or in --seeds",
                     (long long)r->rows);
    for (size_t i = 0; i < r->n_tools; i++) {
        const struct tool_outcome *t = &r->tools[i];
        if (!tool_is_dead(t))
            continue;
        int64_t evidence = t->n - t->injected;
        buf_format(&dead, "%s%.*s (%lld of %lld)", dead.len ? ", " : "", (int)t->name.len,
                   t->name.ptr, (long long)(t->ok < evidence ? t->ok : evidence),
                   (long long)evidence);
    }
    if (dead.len)
        warnings_add(w, "dead_tools",
                     "tools whose calls hardly ever work: %s; put ids that exist in their "
                     "descriptions or in "
                     "--seeds, or raise exists_share in --world",
                     buf_cstr(&dead));
    buf_free(&dead);
}

static void warn_programs(const struct engine_report *r, struct warnings *w)
{
    if (r->talk.execute_failed)
        warnings_add(w, "execute_failed",
                     "--execute left %lld calls unanswered, and the agent was told an error; its "
                     "standard error says why, --execute-timeout gives it longer",
                     (long long)r->talk.execute_failed);
    if (r->talk.steps_ignored)
        warnings_add(w, NULL,
                     "%lld rollouts brought steps beside the calls that were recorded; the "
                     "recorded ones stand",
                     (long long)r->talk.steps_ignored);
}

void report_warnings(const struct engine_setting *s, const struct engine_report *r, bool stand_in,
                     struct warnings *w)
{
    if (r->n_seeds_dropped)
        warnings_add(w, NULL,
                     "a budget of %lld at %lld rollouts each pays for %zu of %zu seeds; all of "
                     "them need --budget %lld",
                     (long long)s->budget, (long long)s->topology.repeats,
                     s->seeds->count - r->n_seeds_dropped, s->seeds->count,
                     (long long)((int64_t)s->seeds->count * s->topology.repeats));
    warn_lost(r, w);
    if (s->hard_share_given && !s->tasks && r->rows >= knob_int(&r->knobs, KNOB_TIER_ROWS) &&
        s->hard_share - hard_share(r->row_tiers) > r->knobs.value[KNOB_TIER_TOLERANCE])
        warnings_add(
            w, NULL,
            "--hard-share %g was asked and %.2f of %lld rows are hard; pin the stance axis "
            "with --dimensions stance=...",
            s->hard_share, hard_share(r->row_tiers), (long long)r->rows);
    if (s->checkpoint && checkpoint_left(s->checkpoint))
        warnings_add(w, NULL,
                     "%zu rows of %s belong to no rollout of this run; they stay in the file and "
                     "are left out here",
                     checkpoint_left(s->checkpoint), checkpoint_path(s->checkpoint));
    if (r->grader.unjudged)
        warnings_add(w, NULL,
                     "%lld of %lld rows are unjudged (%lld because the grader failed); "
                     "judge_meta says why, wai-grade --regrade unjudged tries again",
                     (long long)r->grader.unjudged, (long long)r->grader.scored,
                     (long long)r->grader.errors);
    report_warn_talk(s, r, w);
    report_warn_search(s, r, w);
    report_warn_writer(s, r, w);
    warn_programs(r, w);
    if (r->stop != STOP_INTERRUPTED)
        warn_tools(s, r, w);
    if (r->stop == STOP_WRITER && s->written)
        warnings_add(w, NULL, "%lld rows of the %lld asked for: the file holds no further prompt",
                     (long long)r->rows, (long long)s->budget);
    else if (r->stop == STOP_WRITER)
        warnings_add(
            w, NULL,
            "%lld rows of the %lld asked for: no new text can be written for %zu situations; "
            "take --mode rl or sft, --seeds, or a longer policy",
            (long long)r->rows, (long long)s->budget, r->unique_cells);
    size_t firm = w->count;
    if (stand_in && r->rows)
        warnings_add(w, NULL, "every row is the seeded agent's: a stand-in was tested, no model");
    if (!s->tasks && !s->writer_name && !(s->seeds && s->seeds->count) && r->rows)
        warnings_add(w, NULL,
                     "the prompts are the template writer's; bring --seeds or --tasks of your own "
                     "before you read anything into a score");
    for (; firm < w->count; firm++)
        w->items[firm].mild = true;
}

/* ---- the object ------------------------------------------------------------------------------ */

void report_write_rollouts(struct json_writer *w, const struct engine_setting *s,
                           const struct engine_report *r)
{
    json_write_key(w, "rollouts");
    json_write_object(w);
    key_int(w, "rows", r->rows);
    key_int(w, "cap", s->budget * s->runs);
    key_int(w, "landed", r->rows);
    key_int(w, "resumed", r->resumed);
    key_int(w, "rerolled", r->rerolled);
    json_write_key(w, "rerolled_by");
    lost_write(w, r->rerolled_by);
    key_int(w, "timed_out", r->timed_out);
    key_int(w, "lost", r->lost);
    json_write_key(w, "lost_by");
    lost_write(w, r->lost_by);
    json_write_end_object(w);
    key_int(w, "agent_errors", r->lost_by[LOST_ERROR] + r->rerolled_by[LOST_ERROR]);
    json_write_key(w, "first_agent_error");
    if (r->first_error)
        json_write_text(w, r->first_error);
    else
        json_write_null(w);
}

void report_write_tools(struct json_writer *w, const struct engine_report *r)
{
    json_write_key(w, "tools");
    json_write_object(w);
    for (size_t i = 0; i < r->n_tools; i++) {
        const struct tool_outcome *t = &r->tools[i];
        if (!t->n)
            continue;
        json_write_key_span(w, t->name);
        json_write_object(w);
        key_int(w, "n", t->n);
        key_int(w, "ok", t->ok);
        key_int(w, "fault_n", t->faults);
        key_int(w, "injected", t->injected);
        json_write_end_object(w);
    }
    json_write_end_object(w);
    json_write_key(w, "dead_tools");
    json_write_array(w);
    for (size_t i = 0; i < r->n_tools; i++)
        if (tool_is_dead(&r->tools[i]))
            json_write_span(w, r->tools[i].name);
    json_write_end_array(w);
}

void report_write_groups(struct json_writer *w, const struct engine_setting *s,
                         const struct engine_report *r)
{
    json_write_key(w, "groups");
    if (!r->grouped) {
        json_write_null(w);
        return;
    }
    int64_t k = s->topology.repeats;
    json_write_object(w);
    key_int(w, "k", k);
    key_int(w, "probe", s->topology.probe < k ? s->topology.probe : k);
    key_int(w, "groups", r->groups.groups);
    key_int(w, "mixed", r->groups.mixed);
    key_int(w, "stopped_unanimous", r->groups.stopped);
    key_int(w, "complete", r->groups.complete);
    key_int(w, "partial", r->groups.partial);
    key_int(w, "rollouts_saved", r->groups.saved);
    key_real(w, "mixed_rate", number_round(r->mixed_rate, 4));
    json_write_key(w, "hazard");
    json_write_object(w);
    for (size_t n = 0; n < r->n_hazard; n++)
        if (!isnan(r->hazard[n])) {
            char text[24];
            snprintf(text, sizeof text, "%zu", n);
            key_real(w, text, number_round(r->hazard[n], 4));
        }
    json_write_end_object(w);
    key_int(w, "truncated_skipped", r->groups.truncated);
    key_real(w, "idle_on_judge_s", number_round(r->timings.judging, REPORT_SECOND_PLACES));
    key_bool(w, "closing", r->closing);
    json_write_end_object(w);
}

static void write_prompts(struct json_writer *w, const struct engine_report *r)
{
    if (r->prompts.count > SCENE_PROMPTS_LISTED)
        return;
    json_write_key(w, "prompt_rollouts");
    json_write_object(w);
    for (size_t i = 0; i < r->prompts.count; i++) {
        json_write_key_span(w, r->prompts.keys[i]);
        json_write_int(w, r->prompt_rows[i]);
    }
    json_write_end_object(w);
}

static int by_text(const void *a, const void *b)
{
    return span_compare(*(const struct span *)a, *(const struct span *)b);
}

/* The tasks of a replay, by their ids; the first `opened` of them were played. */
static void write_pinned(struct json_writer *w, const struct task_list *tasks, size_t opened)
{
    struct map ids = {0};
    size_t ran = 0;
    for (size_t i = 0; i < tasks->count; i++) {
        map_add(&ids, tasks->items[i].scenario_id, NULL);
        ran = i < opened ? ids.count : ran;
    }
    size_t n_missing = ids.count - ran;
    struct span *missing = mem_alloc((n_missing + 1) * sizeof *missing);
    memcpy(missing, ids.keys + ran, n_missing * sizeof *missing);
    qsort(missing, n_missing, sizeof *missing, by_text);
    json_write_key(w, "pinned_tasks");
    json_write_object(w);
    key_int(w, "prompts", (int64_t)tasks->count);
    key_int(w, "tasks", (int64_t)ids.count);
    key_int(w, "ran", (int64_t)ran);
    json_write_key(w, "missing");
    json_write_array(w);
    for (size_t i = 0; i < n_missing && i < SCENE_MISSING_LISTED; i++)
        json_write_span(w, missing[i]);
    json_write_end_array(w);
    key_int(w, "skipped", (int64_t)tasks->skipped);
    json_write_end_object(w);
    free(missing);
    map_free(&ids);
}

static void write_sets(struct json_writer *w, const struct engine_setting *s,
                       const struct engine_report *r)
{
    json_write_key(w, "seeds_dropped");
    json_write_array(w);
    for (size_t i = 0; i < r->n_seeds_dropped; i++)
        json_write_span(w, r->seeds_dropped[i]);
    json_write_end_array(w);
    if (s->tasks)
        write_pinned(w, s->tasks, r->tasks_ran < s->tasks->count ? r->tasks_ran : s->tasks->count);
    if (s->runs > 1) {
        json_write_key(w, "eval_runs");
        json_write_object(w);
        key_int(w, "runs", (int64_t)r->n_runs);
        json_write_key(w, "per_run");
        json_write_array(w);
        for (size_t i = 0; i < r->n_runs; i++) {
            json_write_object(w);
            key_int(w, "rows", r->runs[i].rows);
            key_text(w, "stopped_because", stop_reason_name(r->runs[i].stop));
            json_write_end_object(w);
        }
        json_write_end_array(w);
        json_write_end_object(w);
    }
}

static void write_run_tiers(struct json_writer *w, const struct engine_report *r)
{
    json_write_key(w, "per_run");
    json_write_array(w);
    for (size_t i = 0; i < r->n_runs; i++) {
        json_write_object(w);
        for (int t = 0; t < TIER_COUNT; t++)
            if (r->runs[i].tiers[t])
                key_int(w, tier_name((enum tier)t), r->runs[i].tiers[t]);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

/* Asked and got, of rows and of prompts; counts from the largest, then by name. */
void report_write_tier_mix(struct json_writer *w, const struct engine_setting *s,
                           const struct engine_report *r)
{
    enum tier order[TIER_COUNT] = {0};
    for (int t = 0; t < TIER_COUNT; t++) {
        int at = t;
        for (; at > 0 && (r->row_tiers[order[at - 1]] < r->row_tiers[t] ||
                          (r->row_tiers[order[at - 1]] == r->row_tiers[t] &&
                           strcmp(tier_name(order[at - 1]), tier_name((enum tier)t)) > 0));
             at--)
            order[at] = order[at - 1];
        order[at] = (enum tier)t;
    }
    json_write_key(w, "tier_mix");
    json_write_object(w);
    key_real(w, "hard_share_requested", number_round(s->hard_share, 4));
    key_real(w, "hard_share_realized", number_round(hard_share(r->row_tiers), 4));
    key_real(w, "hard_share_prompts", number_round(hard_share(r->tiers), 4));
    json_write_key(w, "counts");
    json_write_object(w);
    for (int t = 0; t < TIER_COUNT; t++)
        if (r->row_tiers[order[t]])
            key_int(w, tier_name(order[t]), r->row_tiers[order[t]]);
    json_write_end_object(w);
    key_int(w, "rows", r->rows);
    if (s->runs > 1)
        write_run_tiers(w, r);
    json_write_end_object(w);
}

static void write_tier_prompts(struct json_writer *w, const struct engine_report *r)
{
    json_write_key(w, "tier_prompts");
    json_write_object(w);
    for (int i = 0; i < TIER_COUNT; i++)
        key_int(w, tier_name((enum tier)i), r->tiers[i]);
    json_write_end_object(w);
}

static void write_setting(struct json_writer *w, const struct engine_setting *s)
{
    struct buf world = {0};
    world_options_write(s->world, &world);
    json_write_key(w, "world");
    json_write_raw(w, buf_span(&world));
    buf_free(&world);
    key_text(w, "agent_model", s->model_version);
    report_write_asked(w, s);
    key_text(w, "mode", run_mode_name(s->topology.mode));
    key_text(w, "repeat_policy", repeat_policy_name(s->topology.policy));
    key_int(w, "requests_per_situation", s->topology.phrasings);
    key_int(w, "rollouts_per_request", s->topology.repeats);
    json_write_key(w, "unique");
    json_write_bool(w, s->topology.unique);
    key_int(w, "probe", s->topology.probe);
    key_real(w, "fault_rate", s->topology.fault_rate);
    key_int(w, "budget", s->budget);
    key_int(w, "round", s->round);
    key_int(w, "n_situations", s->situations);
    key_int(w, "rerolls", s->rerolls);
    key_int(w, "seed", s->seed);
    key_int(w, "world_seed", s->world_seed);
}

void report_write_told(struct json_writer *w, const struct warnings *warnings)
{
    json_write_key(w, "degraded");
    json_write_array(w);
    for (size_t i = 0; i < warnings->count; i++)
        if (warnings->items[i].flag)
            json_write_text(w, warnings->items[i].flag);
    json_write_end_array(w);
    json_write_key(w, "warnings");
    json_write_array(w);
    for (size_t i = 0; i < warnings->count; i++)
        json_write_span(w, warnings->items[i].text);
    json_write_end_array(w);
}

void report_write(const struct engine_setting *s, const struct engine_report *r,
                  const struct warnings *warnings, struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    key_text(&w, "wai_report", "wai-simulate");
    key_text(&w, "stopped_because", stop_reason_name(r->stop));
    key_int(&w, "rows", r->rows);
    key_int(&w, "rollouts_requested", r->requested);
    write_prompts(&w, r);
    write_sets(&w, s, r);
    report_write_groups(&w, s, r);
    report_write_rollouts(&w, s, r);
    report_write_talk(&w, s, r);
    report_write_writer(&w, s, r);
    report_write_tools(&w, r);
    report_write_tier_mix(&w, s, r);
    report_write_coverage(&w, s, r);
    report_write_curve(&w, r);
    report_write_arms(&w, s, r);
    key_int(&w, "grown_cells", (int64_t)r->grown_cells);
    key_int(&w, "phrasings_reused", (int64_t)r->reused);
    write_tier_prompts(&w, r);
    report_write_search(&w, s, r);
    report_write_times(&w, s, r);
    report_write_told(&w, warnings);
    write_setting(&w, s);
    json_write_end_object(&w);
}

/* ---- the screen ------------------------------------------------------------------------------ */

/* Prompts by the arm that they came from. */
static void write_arms_line(const struct engine_setting *s, const struct engine_report *r,
                            struct buf *out)
{
    bool first = true;
    if (s->tasks || !r->rows)
        return;
    buf_text(out, "prompts by arm: ");
    for (int a = 0; a < ARM_COUNT; a++)
        if (r->arm_prompts[a]) {
            buf_format(out, "%s%s %lld", first ? "" : ", ", arm_name((enum arm)a),
                       (long long)r->arm_prompts[a]);
            first = false;
        }
    buf_byte(out, '\n');
}

void report_screen(const struct engine_setting *s, const struct engine_report *r, struct buf *out)
{
    buf_format(out, "%lld rows of %lld, %zu prompts; stopped: %s\n", (long long)r->rows,
               (long long)(s->budget * s->runs), r->prompts.count, stop_reason_name(r->stop));
    if (!s->tasks && r->pairs_planned)
        buf_format(out,
                   "pairs of the grid: %zu of %zu (%.2f); prompts: %lld ordinary, %lld ambiguous, "
                   "%lld boundary, %lld adversarial\n",
                   r->pairs_covered, r->pairs_planned,
                   (double)r->pairs_covered / (double)r->pairs_planned,
                   (long long)r->tiers[TIER_ORDINARY], (long long)r->tiers[TIER_AMBIGUOUS],
                   (long long)r->tiers[TIER_BOUNDARY], (long long)r->tiers[TIER_ADVERSARIAL]);
    write_arms_line(s, r, out);
    if (r->grouped)
        buf_format(out,
                   "groups: %lld, mixed %lld, stopped alike %lld, complete %lld, cut %lld; %lld "
                   "rollouts saved\n",
                   (long long)r->groups.groups, (long long)r->groups.mixed,
                   (long long)r->groups.stopped, (long long)r->groups.complete,
                   (long long)r->groups.partial, (long long)r->groups.saved);
}
