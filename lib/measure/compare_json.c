/* compare_json.c: the report of a comparison as one JSON object (measure 6.13). */
#include <math.h>

#include "measure/compare.h"
#include "measure/compare_inside.h"
#include "text/number.h"

static void write_real(struct json_writer *w, const char *key, double value)
{
    json_write_key(w, key);
    json_write_real(w, value);
}

/* A count that may be undefined. */
static void write_whole(struct json_writer *w, const char *key, double value)
{
    struct buf digits = {0};
    json_write_key(w, key);
    if (isfinite(value)) {
        buf_format(&digits, "%.0f", value);
        json_write_raw(w, buf_span(&digits));
    } else {
        json_write_null(w);
    }
    buf_free(&digits);
}

static void write_bool(struct json_writer *w, const char *key, bool value)
{
    json_write_key(w, key);
    json_write_bool(w, value);
}

static void write_text(struct json_writer *w, const char *key, const char *text)
{
    json_write_key(w, key);
    if (text)
        json_write_text(w, text);
    else
        json_write_null(w);
}

static void write_name(struct json_writer *w, const char *key, struct span name)
{
    json_write_key(w, key);
    if (name.ptr)
        json_write_span(w, name);
    else
        json_write_null(w);
}

static void write_interval(struct json_writer *w, const char *key, struct interval interval)
{
    json_write_key(w, key);
    interval_write(interval, w);
}

/* ---- lists of metrics ---------------------------------------------------------------------------
 */

enum list { LIST_IMPROVED, LIST_REGRESSIONS, LIST_SLIPPED, LIST_LOWER, LIST_WITHIN_NOISE };

static bool listed(const struct compared *m, enum list list)
{
    bool loud = !m->within_noise;
    switch (list) {
    case LIST_IMPROVED: return loud && m->gain == CHANGE_B_BETTER;
    case LIST_REGRESSIONS: return loud && m->gain == CHANGE_A_BETTER && m->guarded;
    case LIST_SLIPPED: return loud && m->gain == CHANGE_A_BETTER && !m->guarded;
    case LIST_LOWER: return m->lower;
    default: return m->within_noise;
    }
}

static void write_list(struct json_writer *w, const char *key, const struct compare_report *r,
                       enum list list)
{
    json_write_key(w, key);
    json_write_array(w);
    for (size_t i = 0; i < r->n_metrics; i++)
        if (listed(&r->metrics[i], list))
            json_write_span(w, r->metrics[i].name);
    json_write_end_array(w);
}

static void write_spans(struct json_writer *w, const char *key, const struct span *items, size_t n)
{
    json_write_key(w, key);
    json_write_array(w);
    for (size_t i = 0; i < n; i++)
        json_write_span(w, items[i]);
    json_write_end_array(w);
}

/* ---- parts --------------------------------------------------------------------------------------
 */

static void write_verdict(struct json_writer *w, const struct compare_report *r)
{
    struct interval none = INTERVAL_NONE;
    write_bool(w, "ok", r->ok);
    json_write_key(w, "not_comparable");
    json_write_array(w);
    for (size_t i = 0; i < r->n_causes; i++)
        json_write_text(w, r->causes[i]);
    json_write_end_array(w);
    write_text(w, "headline_word", r->headline_word);
    write_name(w, "target", r->options->target);
    write_text(w, "target_verdict", compare_word_text(r->target_word));
    write_text(w, "headline_verdict", compare_word_text(r->headline_verdict));
    write_real(w, "target_delta", r->target ? r->target->change.delta : NAN);
    write_interval(w, "target_ci95", r->target ? r->target->change.ci95 : none);
    write_spans(w, "unmeasured", r->unmeasured, r->n_unmeasured);
    json_write_count(w, "n_metrics", r->n_metrics);
    write_real(w, "alpha", r->options->asked->alpha);
    write_real(w, "level", r->options->level);
    write_real(
        w, "family_error",
        number_round(1.0 - pow(r->options->level, (double)r->n_metrics), MEASURE_SHARE_DIGITS));
    const struct metric_change *pass = &r->metrics[0].change;
    json_write_count(w, "n_paired_tasks", pass->n_paired);
    json_write_count(w, "n_unpaired_tasks", pass->n_only_a + pass->n_only_b);
    write_list(w, "improved", r, LIST_IMPROVED);
    write_list(w, "regressions", r, LIST_REGRESSIONS);
    write_list(w, "slipped", r, LIST_SLIPPED);
    write_list(w, "lower_is_better", r, LIST_LOWER);
    write_list(w, "within_noise", r, LIST_WITHIN_NOISE);
}

static void write_noise_rule(struct json_writer *w, const struct compare_report *r)
{
    struct buf text = {0};
    if (!isnan(r->headline->noise_band) && isnan(r->run_std_df))
        buf_format(&text, "normal quantile at %g%% x run_std x sqrt(1/runs before + 1/runs after)",
                   100.0 * r->options->level);
    else if (!isnan(r->headline->noise_band))
        buf_format(&text,
                   "t quantile at %g%%, df %.0f, x run_std x sqrt(1/runs before + 1/runs after)",
                   100.0 * r->options->level, r->run_std_df);
    write_text(w, "noise_rule", text.len ? buf_cstr(&text) : NULL);
    buf_free(&text);
}

static void write_noise(struct json_writer *w, const struct compare_report *r)
{
    static const char *const SOURCES[] = {NULL, "given", "eval_run"};
    write_real(w, "run_std", r->headline->run_std);
    json_write_key(w, "run_std_by_metric");
    json_write_object(w);
    for (size_t i = 0; i < r->n_metrics; i++) {
        json_write_key_span(w, r->metrics[i].name);
        json_write_real(w, r->metrics[i].run_std);
    }
    json_write_end_object(w);
    write_text(w, "run_std_source", SOURCES[r->floor_source]);
    write_whole(w, "run_std_runs", r->options->run_std_runs);
    write_whole(w, "run_std_df", r->run_std_df);
    write_real(w, "noise_band", r->headline->noise_band);
    write_noise_rule(w, r);
    json_write_key(w, "eval_runs");
    json_write_object(w);
    for (int i = 0; i < SIDES; i++)
        json_write_count(w, SIDE_NAMES[i], r->eval_runs[i]);
    json_write_end_object(w);
    write_bool(w, "replicated", r->replicated);
}

static void write_training(struct json_writer *w, const struct compare_report *r)
{
    const struct training *t = &r->training;
    json_write_key(w, "train_runs");
    if (t->asked)
        json_write_object(w);
    else
        json_write_null(w);
    for (int i = 0; t->asked && i < SIDES; i++)
        write_whole(w, SIDE_NAMES[i], t->count[i] ? (double)t->count[i] : NAN);
    if (t->asked)
        json_write_end_object(w);
    json_write_key(w, "train_std");
    if (t->asked)
        json_write_object(w);
    else
        json_write_null(w);
    for (int i = 0; t->asked && i < SIDES; i++)
        write_real(w, SIDE_NAMES[i], t->std[i]);
    if (t->asked)
        json_write_end_object(w);
    write_whole(w, "train_df", t->df);
    write_real(w, "train_delta", t->delta);
    write_interval(w, "train_ci95", t->ci95);
    struct buf rule = {0};
    if (interval_known(t->ci95))
        buf_format(&rule,
                   "sqrt(half width^2 + t(df %.0f, %g%%)^2 x sum of seed variance / seeds per arm)",
                   t->df, 100.0 * r->options->level);
    else if (t->is_short)
        buf_text(&rule, "an arm of one seed has no spread between seeds");
    write_text(w, "train_rule", rule.len ? buf_cstr(&rule) : NULL);
    buf_free(&rule);
}

static void write_sizing(struct json_writer *w, const struct compare_report *r)
{
    write_bool(w, "ceiling", r->ceiling);
    write_real(w, "detectable_effect", r->detectable);
    write_real(w, "detectable_effect_solved", r->detectable_solved);
    write_whole(w, "tasks_needed", r->tasks_needed);
    write_text(w, "tasks_needed_source", r->tasks_needed_source);
    write_whole(w, "tasks_needed_target", r->tasks_needed_target);
    write_spans(w, "degenerate_guards", r->degenerate, r->n_degenerate);
    write_name(w, "proxy", r->options->proxy);
    write_text(w, "proxy_verdict", compare_word_text(r->proxy_word));
    write_real(w, "proxy_delta", r->proxy ? r->proxy->change.delta : NAN);
    struct interval none = INTERVAL_NONE;
    write_interval(w, "proxy_ci95", r->proxy ? r->proxy->change.ci95 : none);
    write_bool(w, "over_optimized", r->over_optimized);
}

static void write_metric(struct json_writer *w, const struct compare_report *r,
                         const struct compared *m)
{
    json_write_key_span(w, m->name);
    json_write_object(w);
    metric_change_write(&m->change, m->name, w);
    write_bool(w, "lower_is_better", m->lower);
    write_text(w, "gain_verdict", change_verdict_text(m->gain));
    write_real(w, "run_std", m->run_std);
    write_real(w, "noise_band", m->noise_band);
    write_bool(w, "within_noise", m->within_noise);
    if (m->no_floor)
        write_text(w, "noise_note", "no_replicate_floor");
    write_real(w, "p_exact", m->p_exact);
    if (r->options->holm) {
        write_real(w, "p_adjusted", m->p_adjusted);
        write_text(w, "verdict_adjusted",
                   isnan(m->p_adjusted)                       ? "insufficient_data"
                   : m->p_adjusted > r->options->asked->alpha ? "no_difference_detected"
                   : m->change.delta > 0.0                    ? "b_better"
                                                              : "a_better");
    }
    json_write_end_object(w);
}

static void write_config(struct json_writer *w, const struct compare_report *r)
{
    json_write_key(w, "config");
    json_write_object(w);
    for (int i = 0; i < SIDES; i++) {
        json_write_key(w, SIDE_NAMES[i]);
        config_write(&r->config[i], r->n_tasks[i], r->k[i], w);
    }
    json_write_end_object(w);
    const struct balancing *b = &r->rows->balancing;
    json_write_key(w, "balanced");
    if (!b->asked) {
        json_write_null(w);
        return;
    }
    json_write_object(w);
    json_write_key(w, "rows_dropped");
    json_write_object(w);
    for (int i = 0; i < SIDES; i++)
        json_write_count(w, SIDE_NAMES[i], b->dropped[i]);
    json_write_end_object(w);
    json_write_count(w, "tasks_trimmed", b->trimmed);
    json_write_end_object(w);
}

/* ---- slices -------------------------------------------------------------------------------------
 */

static void write_slice(struct json_writer *w, const struct compared_slice *s)
{
    const struct metric_change *c = &s->change;
    json_write_key_span(w, s->name);
    json_write_object(w);
    write_real(w, "delta", c->delta);
    write_interval(w, "ci95", c->ci95);
    write_text(w, "verdict", change_verdict_text(c->verdict));
    write_real(w, "mean_a", c->mean_a);
    write_real(w, "mean_b", c->mean_b);
    json_write_count(w, "n_used", c->n_used);
    json_write_count(w, "n_paired", c->n_paired);
    write_bool(w, "paired", c->paired);
    json_write_count(w, "rows_a", s->rows[BEFORE]);
    json_write_count(w, "rows_b", s->rows[AFTER]);
    write_bool(w, "lower_is_better", s->lower);
    write_text(w, "gain_verdict", change_verdict_text(s->gain));
    write_bool(w, "low_n", s->low_n);
    json_write_key(w, "weak_reasons");
    json_write_array(w);
    if (s->weak_low)
        json_write_text(w, "low");
    if (s->weak_no_gain)
        json_write_text(w, "no_gain");
    json_write_end_array(w);
    write_bool(w, "weak", s->weak);
    json_write_end_object(w);
}

static void write_slices(struct json_writer *w, const struct compare_report *r)
{
    write_text(w, "by", r->by);
    json_write_key(w, "groups");
    if (r->by) {
        json_write_object(w);
        for (size_t i = 0; i < r->n_slices; i++)
            write_slice(w, &r->slices[i]);
        json_write_end_object(w);
    } else {
        json_write_null(w);
    }
    json_write_key(w, "groups_down");
    json_write_array(w);
    for (size_t i = 0; i < r->n_slices; i++)
        if (r->slices[i].gain == CHANGE_A_BETTER)
            json_write_span(w, r->slices[i].name);
    json_write_end_array(w);
}

static void write_weak(struct json_writer *w, const struct compare_report *r)
{
    json_write_key(w, "groups_weak");
    json_write_array(w);
    for (size_t i = 0; i < r->n_slices; i++)
        if (r->slices[r->slice_order[i]].weak)
            json_write_span(w, r->slices[r->slice_order[i]].name);
    json_write_end_array(w);
    write_text(w, "by_source", !r->by ? NULL : r->by_given ? "given" : "auto");
    write_whole(w, "slice_min_tasks", r->by ? (double)r->slice_min_tasks : NAN);
}

/* ---- repeats ------------------------------------------------------------------------------------
 */

static void write_run_means(struct json_writer *w, const struct repeats *p)
{
    json_write_key(w, "n_runs");
    json_write_object(w);
    for (int i = 0; i < SIDES; i++)
        json_write_count(w, SIDE_NAMES[i], p->n_runs[i]);
    json_write_end_object(w);
    json_write_key(w, "run_means");
    json_write_object(w);
    for (int i = 0; i < SIDES; i++) {
        json_write_key(w, SIDE_NAMES[i]);
        json_write_array(w);
        for (size_t j = 0; j < p->n_runs[i]; j++)
            json_write_real(w, p->runs[i][j].mean);
        json_write_end_array(w);
    }
    json_write_end_object(w);
    json_write_key(w, "range");
    json_write_object(w);
    for (int i = 0; i < SIDES; i++)
        write_interval(w, SIDE_NAMES[i], p->range[i]);
    json_write_end_object(w);
    json_write_key(w, "spread");
    json_write_object(w);
    for (int i = 0; i < SIDES; i++)
        write_real(w, SIDE_NAMES[i], p->range[i].high - p->range[i].low);
    json_write_end_object(w);
}

static void write_repeats(struct json_writer *w, const struct compare_report *r)
{
    const struct repeats *p = &r->repeats;
    json_write_key(w, "repeats");
    json_write_object(w);
    write_name(w, "metric", r->headline->name);
    write_run_means(w, p);
    write_text(w, "spread_stat", "range of the runs' means");
    write_text(w, "pairing", p->pairing);
    json_write_key(w, "run_deltas");
    json_write_array(w);
    for (size_t i = 0; i < p->n_pairs; i++)
        json_write_real(w, p->deltas[i]);
    json_write_end_array(w);
    json_write_key(w, "run_tags");
    json_write_array(w);
    for (size_t i = 0; i < p->n_pairs; i++)
        json_write_text(w, p->tags[i]);
    json_write_end_array(w);
    json_write_key(w, "run_tasks");
    json_write_array(w);
    for (size_t i = 0; i < p->n_pairs; i++)
        json_write_int(w, (int64_t)p->shared[i]);
    json_write_end_array(w);
    write_text(w, "pooled_tag", p->pooled_tag);
    write_whole(w, "agree", p->n_pairs ? (double)p->agree : NAN);
    json_write_count(w, "n", p->n_pairs ? p->n_pairs : 1);
    write_text(w, "note",
               p->n_pairs      ? ""
               : r->replicated ? "one run a side: the given floor stands for re-running"
                               : "one run a side, and no floor: nothing says what re-running does");
    json_write_end_object(w);
}

static void write_tasks(struct json_writer *w, const struct compare_report *r)
{
    if (!r->options->asked->per_task)
        return;
    json_write_key(w, "per_task");
    json_write_object(w);
    for (size_t i = 0; i < r->n_per_task; i++) {
        json_write_key_span(w, r->tasks[i].key);
        json_write_object(w);
        write_real(w, "before", r->tasks[i].before);
        write_real(w, "after", r->tasks[i].after);
        json_write_end_object(w);
    }
    json_write_end_object(w);
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

void compare_write_notes(struct json_writer *w, const struct notes *notes)
{
    json_write_key(w, "notes");
    json_write_array(w);
    for (size_t i = 0; i < notes->count; i++)
        json_write_text(w, notes->items[i].text);
    json_write_end_array(w);
    json_write_key(w, "note_codes");
    json_write_array(w);
    for (size_t i = 0; i < notes->count; i++)
        json_write_text(w, notes->items[i].code);
    json_write_end_array(w);
}

void compare_write_draws(struct json_writer *w, const struct compare_report *r)
{
    json_write_count(w, "n_boot", (uint64_t)r->options->asked->draws);
    json_write_key(w, "seed");
    json_write_raw(w, buf_span(&r->options->seed));
    write_text(w, "interval", interval_kind_name(r->options->interval));
    write_text(w, "interval_scheme",
               r->headline->change.scheme == BOOT_HIST ? "hist" : "cpython-mt19937");
    gates_write(&r->gates, w);
}

void compare_json(const struct compare_report *r, struct json_writer *w)
{
    json_write_object(w);
    write_text(w, "wai_report", "wai-compare");
    write_verdict(w, r);
    write_noise(w, r);
    write_training(w, r);
    write_sizing(w, r);
    json_write_key(w, "metrics");
    json_write_object(w);
    for (size_t i = 0; i < r->n_metrics; i++)
        write_metric(w, r, &r->metrics[i]);
    json_write_end_object(w);
    notes_write_warnings(&r->warnings, w);
    compare_write_notes(w, &r->notes);
    write_config(w, r);
    write_slices(w, r);
    write_repeats(w, r);
    write_weak(w, r);
    write_tasks(w, r);
    compare_write_draws(w, r);
    json_write_end_object(w);
}

void compare_one_json(const struct compare_report *r, struct json_writer *w)
{
    json_write_object(w);
    write_text(w, "wai_report", "wai-compare");
    metric_change_write(&r->metrics[0].change, r->metrics[0].name, w);
    write_real(w, "p_exact", r->metrics[0].p_exact);
    notes_write_warnings(&r->notes, w); /* "note" is the comparison's own */
    compare_write_draws(w, r);
    json_write_end_object(w);
}
