/* compare_text.c: the report of a comparison for people (measure 6.13): the word first, then the
 * target, what the numbers stand on, a line per metric, the slices, the warnings. */
#include <math.h>
#include <stdlib.h>

#include "measure/compare.h"
#include "measure/compare_inside.h"
#include "text/term.h"

static void name(struct buf *out, struct span text)
{
    term_add_head(out, text, MEASURE_REASON_MAX);
}

static void rate(struct buf *out, double value)
{
    if (isnan(value))
        buf_text(out, "n/a");
    else
        buf_format(out, "%.3f", value);
}

/* "+0.125 (95% +0.010..+0.240)" */
static void change_text(struct buf *out, const struct metric_change *c)
{
    if (isnan(c->delta))
        buf_text(out, "n/a");
    else
        buf_format(out, "%+.3f", c->delta);
    if (interval_known(c->ci95))
        buf_format(out, " (%g%% %+.3f..%+.3f)", 100.0 * c->level, c->ci95.low, c->ci95.high);
}

static void tasks_text(struct buf *out, const struct metric_change *c)
{
    buf_format(out, "%zu %s", c->n_used, c->paired ? "paired tasks" : "tasks a side, not paired");
}

/* ---- the head -----------------------------------------------------------------------------------
 */

/* Why the word is INCONCLUSIVE. */
static const char *unreplicated(const struct compare_report *r)
{
    bool before = r->eval_runs[BEFORE] < 2, after = r->eval_runs[AFTER] < 2;
    return before && after ? "one run on both sides"
           : before        ? "one run before"
           : after         ? "one run after"
                           : "no re-run floor";
}

void compare_headline(const struct compare_report *r, struct buf *out)
{
    buf_text(out, r->headline_word);
    if (r->n_causes) {
        buf_text(out, " (");
        for (size_t i = 0; i < r->n_causes; i++)
            buf_format(out, "%s%s", i ? ", " : "", r->causes[i]);
        buf_byte(out, ')');
    } else if (r->ok && r->headline_verdict == WORD_UNREPLICATED) {
        buf_format(out, " (%s)", unreplicated(r));
    }
    buf_text(out, ": ");
    name(out, r->headline->name);
    buf_byte(out, ' ');
    change_text(out, &r->headline->change);
    buf_text(out, ", ");
    tasks_text(out, &r->headline->change);
}

/* ok covers what was asked, and only that (15). */
static void ok_line(struct buf *out, const struct compare_report *r)
{
    const struct compare_options *o = r->options;
    buf_format(out, "ok %s", r->ok ? "yes" : "no");
    if (r->ok && !o->target.ptr && r->headline_verdict == WORD_WRONG_WAY)
        buf_text(out, ": nothing was asked of pass_at_1, which moved the wrong way; name it with "
                      "--target, or take --fail-on wrong-way");
    else if (r->ok && !o->target.ptr && o->n_guards == 0)
        buf_text(out, ": that the sides can be compared; no target and no guard was named");
    for (size_t i = 0; i < r->n_unmeasured; i++) {
        buf_text(out, i ? ", " : ": not measured on both sides: ");
        name(out, r->unmeasured[i]);
    }
    buf_byte(out, '\n');
}

static void verdict_lines(struct buf *out, const struct compare_report *r)
{
    if (r->options->target.ptr) {
        buf_text(out, "target ");
        name(out, r->options->target);
        buf_format(out, ": %s\n", compare_word_text(r->target_word));
    }
    if (r->options->proxy.ptr) {
        buf_text(out, "proxy ");
        name(out, r->options->proxy);
        buf_format(out, ": %s", compare_word_text(r->proxy_word));
        if (r->proxy) {
            buf_byte(out, ' ');
            change_text(out, &r->proxy->change);
        }
        buf_text(out, r->over_optimized ? ", over-optimized\n" : "\n");
    }
    ok_line(out, r);
}

/* ---- what the numbers stand on ------------------------------------------------------------------
 */

static void noise_line(struct buf *out, const struct compare_report *r)
{
    const struct compared *m = r->headline;
    if (isnan(m->noise_band))
        return;
    buf_format(out, "re-running the eval moves it by up to %.4f (run_std %.4f, ", m->noise_band,
               m->run_std);
    if (isnan(r->run_std_df))
        buf_text(out, "taken as exact; ");
    else
        buf_format(out, "df %.0f; ", r->run_std_df);
    if (r->floor_source == FLOOR_GIVEN)
        buf_text(out, "as given");
    else
        buf_format(out, "pooled over %zu and %zu runs", r->eval_runs[BEFORE], r->eval_runs[AFTER]);
    buf_text(out, ")\n");
}

static void repeats_line(struct buf *out, const struct compare_report *r)
{
    const struct repeats *p = &r->repeats;
    if (!p->n_pairs)
        return;
    buf_format(out, "runs %zu before, %zu after, %s:", p->n_runs[BEFORE], p->n_runs[AFTER],
               p->n_runs[BEFORE] == p->n_runs[AFTER]  ? "run against run"
               : p->n_runs[AFTER] > p->n_runs[BEFORE] ? "each after against all before"
                                                      : "each before against all after");
    for (size_t i = 0; i < p->n_pairs; i++)
        if (isnan(p->deltas[i]))
            buf_text(out, " n/a");
        else
            buf_format(out, " %+.3f %s/%zu", p->deltas[i], p->tags[i], p->shared[i]);
    buf_format(out, " tasks; %zu of %zu say %s, as the whole does\n", p->agree, p->n_pairs,
               p->pooled_tag);
}

static void training_line(struct buf *out, const struct compare_report *r)
{
    const struct training *t = &r->training;
    if (!t->asked)
        return;
    buf_text(out, "training seeds");
    for (int i = 0; i < SIDES; i++) {
        if (t->count[i])
            buf_format(out, " %zu %s", t->count[i], SIDE_NAMES[i]);
        else
            buf_format(out, " none %s", SIDE_NAMES[i]);
        if (!isnan(t->std[i]))
            buf_format(out, " (sd %.4f)", t->std[i]);
        buf_text(out, i == BEFORE ? "," : "");
    }
    if (interval_known(t->ci95))
        buf_format(out, ": %+.3f (%g%% %+.3f..%+.3f) with their spread", t->delta,
                   100.0 * r->options->level, t->ci95.low, t->ci95.high);
    buf_byte(out, '\n');
}

static void share_lines(struct buf *out, const struct compare_report *r)
{
    const struct passat_report *a = &r->config[BEFORE], *b = &r->config[AFTER];
    if (a->graded_share < 1.0 || b->graded_share < 1.0) {
        buf_text(out, "graded ");
        rate(out, a->graded_share);
        buf_text(out, " before, ");
        rate(out, b->graded_share);
        buf_text(out, " after");
        if (r->graded_bias > 0.0)
            buf_format(out, ": the rest can move the difference by up to %.3f", r->graded_bias);
        buf_byte(out, '\n');
    }
    if (a->answered_share < 1.0 || b->answered_share < 1.0) {
        buf_text(out, "answered ");
        rate(out, a->answered_share);
        buf_text(out, " before, ");
        rate(out, b->answered_share);
        buf_text(out, " after\n");
    }
}

static void basis_lines(struct buf *out, const struct compare_report *r)
{
    noise_line(out, r);
    repeats_line(out, r);
    training_line(out, r);
    if (r->n_metrics >= 2)
        buf_format(out,
                   "%zu metrics at %g%%: one or more moves by accident with a chance of up to "
                   "%.0f%%\n",
                   r->n_metrics, 100.0 * r->options->level,
                   100.0 * (1.0 - pow(r->options->level, (double)r->n_metrics)));
    share_lines(out, r);
    size_t lower = 0;
    for (size_t i = 0; i < r->n_metrics; i++)
        if (r->metrics[i].lower) {
            buf_text(out, lower++ ? ", " : "lower is better: ");
            name(out, r->metrics[i].name);
        }
    if (lower)
        buf_byte(out, '\n');
}

/* ---- metrics and slices -------------------------------------------------------------------------
 */

/* up and DOWN say which way the number went; the capitals, that it is the bad way. */
static const char *tag_of(const struct metric_change *c, bool lower)
{
    if (isnan(c->delta))
        return "n/a";
    if (c->verdict == CHANGE_B_BETTER)
        return lower ? "UP" : "up";
    if (c->verdict == CHANGE_A_BETTER)
        return lower ? "down" : "DOWN";
    return "flat";
}

void compare_metric_line(struct buf *out, const struct compare_report *r, const struct compared *m)
{
    const struct metric_change *c = &m->change;
    buf_text(out, "  ");
    name(out, m->name);
    buf_byte(out, ' ');
    rate(out, c->mean_a);
    buf_text(out, " -> ");
    rate(out, c->mean_b);
    buf_text(out, "  ");
    change_text(out, c);
    buf_format(out, "  %s", m->within_noise ? "noise" : tag_of(c, m->lower));
    if (!isnan(c->p_value))
        buf_format(out, "  p %.3g", c->p_value);
    if (r->options->holm && !isnan(m->p_adjusted))
        buf_format(out, " (adjusted %.3g)", m->p_adjusted);
    buf_text(out, "  ");
    tasks_text(out, c);
    if (c->paired && c->n_only_a + c->n_only_b > 0 && !isnan(c->delta)) {
        buf_text(out, ", on them ");
        rate(out, c->mean_a_paired);
        buf_text(out, " -> ");
        rate(out, c->mean_b_paired);
    }
    if (!isnan(m->noise_band))
        buf_format(out, ", band %.4f", m->noise_band);
    buf_text(out, m->guarded ? ", guarded\n" : "\n");
}

static void slice_line(struct buf *out, const struct compared_slice *s)
{
    const struct metric_change *c = &s->change;
    buf_text(out, "  ");
    name(out, s->name);
    buf_byte(out, ' ');
    rate(out, c->mean_a);
    buf_text(out, " -> ");
    rate(out, c->mean_b);
    buf_text(out, "  ");
    change_text(out, c);
    buf_format(out, "  %s  n %zu", tag_of(c, s->lower), c->n_paired);
    if (s->low_n)
        buf_text(out, " (few)");
    if (s->weak)
        buf_format(out, "  WEAK: %s%s%s", s->weak_low ? "low" : "",
                   s->weak_low && s->weak_no_gain ? ", " : "", s->weak_no_gain ? "no gain" : "");
    buf_byte(out, '\n');
}

static void slice_lines(struct buf *out, const struct compare_report *r)
{
    if (!r->by || r->n_slices == 0)
        return;
    buf_text(out, "by ");
    name(out, span_text(r->by));
    buf_format(out, ", weakest first; under %lld tasks a slice shows nothing:\n",
               (long long)r->slice_min_tasks);
    for (size_t i = 0; i < r->n_slices; i++)
        slice_line(out, &r->slices[r->slice_order[i]]);
}

static void task_lines(struct buf *out, const struct compare_report *r)
{
    if (!r->options->asked->per_task)
        return;
    buf_format(out, "of %zu tasks of both sides %zu fell and %zu rose%s\n", r->n_per_task,
               r->n_fell, r->n_rose, r->n_fell + r->n_rose ? ":" : "");
    for (size_t i = 0; i < r->n_per_task; i++) {
        const struct task_change *task = &r->tasks[i];
        if (task->after == task->before)
            continue;
        buf_text(out, "  ");
        name(out, task->key);
        buf_format(out, " %.3f -> %.3f  %+.3f\n", task->before, task->after,
                   task->after - task->before);
    }
}

/* ---- the end ------------------------------------------------------------------------------------
 */

void compare_end_lines(struct buf *out, const struct compare_report *r)
{
    for (size_t i = 0; i < r->warnings.count; i++)
        buf_format(out, "! %s\n", r->warnings.items[i].text);
    for (size_t i = 0; i < r->notes.count; i++)
        buf_format(out, "note: %s\n", r->notes.items[i].text);
    for (size_t i = 0; i < r->gates.count; i++) {
        const struct gate *gate = &r->gates.items[i];
        buf_format(out, "%s: %s\n", gate->red ? "red" : "ok", gate->text);
    }
}

void compare_text(const struct compare_report *r, struct buf *out)
{
    compare_headline(r, out);
    buf_byte(out, '\n');
    verdict_lines(out, r);
    basis_lines(out, r);
    buf_text(out, "before -> after:\n");
    for (size_t i = 0; i < r->n_metrics; i++)
        compare_metric_line(out, r, &r->metrics[i]);
    const struct balancing *b = &r->rows->balancing;
    if (b->asked)
        buf_format(out, "balanced: %llu tasks trimmed, %llu rows left out before, %llu after\n",
                   (unsigned long long)b->trimmed, (unsigned long long)b->dropped[BEFORE],
                   (unsigned long long)b->dropped[AFTER]);
    slice_lines(out, r);
    task_lines(out, r);
    compare_end_lines(out, r);
}

void compare_one_text(const struct compare_report *r, struct buf *out)
{
    const struct metric_change *c = &r->metrics[0].change;
    name(out, r->metrics[0].name);
    buf_byte(out, ' ');
    rate(out, c->mean_a);
    buf_text(out, " -> ");
    rate(out, c->mean_b);
    buf_text(out, "  ");
    change_text(out, c);
    if (!isnan(c->p_value))
        buf_format(out, "  p %.3g", c->p_value);
    buf_format(out, "  %s  ", change_verdict_text(c->verdict));
    tasks_text(out, c);
    buf_byte(out, '\n');
    for (size_t i = 0; i < c->notes.count; i++)
        buf_format(out, "note: %s\n", c->notes.items[i].text);
    compare_end_lines(out, r);
}
