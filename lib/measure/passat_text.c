/* passat_text.c: the report of pass rates for people (measure 4.3). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure/gate.h"
#include "measure/measure.h"
#include "text/term.h"

/* "NAME 0.62 [0.51..0.73]" */
static void number(struct buf *out, double value, struct interval interval)
{
    if (isnan(value))
        buf_text(out, "n/a");
    else
        buf_format(out, "%.2f", value);
    if (interval_known(interval))
        buf_format(out, " [%.2f..%.2f]", interval.low, interval.high);
}

static const char *plural(size_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

static void rates_text(struct buf *out, const struct pass_rates *rates)
{
    char k[24] = "k"; /* of one try there is no pass^1 beside pass@1 */
    if (rates->k > 1 || !isnan(rates->pass_pow_k))
        snprintf(k, sizeof k, "%lld", (long long)rates->k);
    buf_text(out, "pass@1 ");
    number(out, rates->pass_at_1, rates->ci95);
    buf_format(out, "  pass^%s ", k);
    number(out, rates->pass_pow_k, rates->pass_pow_k_ci95);
    buf_format(out, "  pass@%s ", k);
    number(out, rates->pass_at_k, rates->pass_at_k_ci95);
    buf_text(out, "  headroom ");
    number(out, rates->headroom, INTERVAL_NONE);
    buf_format(out, "  %zu %s, k %lld", rates->n_groups, plural(rates->n_groups, "task", "tasks"),
               (long long)rates->k);
}

void passat_headline(const struct passat_report *report, struct buf *out)
{
    rates_text(out, &report->rates);
}

static void interval_lines(struct buf *out, const struct passat_view *view)
{
    const struct passat_report *report = view->report;
    const struct boot_options *boot = &view->settings->boot;
    if (boot->level != STAT_LEVEL)
        buf_format(out, "the intervals are at %g %%\n", 100.0 * boot->level);
    if (report->checked && boot->kind != INTERVAL_T)
        buf_format(out,
                   "intervals by the %s scheme; the normal approximation gives pass@1 "
                   "[%.4f..%.4f], standard error %.2g\n",
                   boot_scheme_name(report->scheme), report->rates.normal.ci95.low,
                   report->rates.normal.ci95.high, report->rates.normal.se);
    if (interval_known(report->ci95_rule)) {
        buf_format(
            out,
            "an interval without width is not certainty: from %zu tasks alone pass@1 lies in "
            "%.2f..%.2f (Wilson)\n",
            report->rates.n_groups, report->ci95_rule.low, report->ci95_rule.high);
    } else if (boot->kind == INTERVAL_PERCENTILE && interval_known(report->rates.ci95) &&
               report->n_tasks == report->rates.n_groups &&
               report->rates.n_groups < MEASURE_NARROW_TASKS) {
        struct boot_options t = *boot;
        t.kind = INTERVAL_T;
        double *means = mem_zero(report->rates.n_groups, sizeof *means);
        for (size_t i = 0; i < report->n_tasks; i++)
            means[i] = report->tasks[i].mean;
        struct interval wide = boot_interval(means, report->rates.n_groups, &t);
        buf_format(out,
                   "under %d tasks a percentile interval runs narrow: --interval t gives pass@1 "
                   "[%.2f..%.2f]\n",
                   MEASURE_NARROW_TASKS, wide.low, wide.high);
        free(means);
    }
}

static void anytime_line(struct buf *out, const struct passat_report *report)
{
    const struct anytime_report *a = &report->anytime;
    if (!interval_known(a->interval))
        return;
    buf_format(out, "at every look: pass@1 [%.2f..%.2f] after %zu %s", a->interval.low,
               a->interval.high, report->n_tasks, plural(report->n_tasks, "task", "tasks"));
    if (a->decided > 0)
        buf_format(out, "; the gate was decided after %zu", a->decided_at);
    else if (a->decided == 0)
        buf_text(out, "; the gate is not decided yet");
    buf_byte(out, '\n');
}

static void cluster_line(struct buf *out, const struct passat_view *view)
{
    const struct cluster_report *c = &view->report->cluster;
    buf_text(out, "clustered by ");
    term_add_head(out, span_text(view->settings->cluster), MEASURE_REASON_MAX);
    buf_text(out, ": pass@1 ");
    number(out, view->report->rates.pass_at_1, c->error.ci95);
    if (!isnan(c->error.se))
        buf_format(out, ", standard error %.2g", c->error.se);
    buf_format(out, ", %zu %s\n", c->n_clusters, plural(c->n_clusters, "cluster", "clusters"));
}

static void share_lines(struct buf *out, const struct passat_report *report)
{
    if (report->truncated_share > 0)
        buf_format(out, "%.0f%% of the replies were cut by the token cap\n",
                   100.0 * report->truncated_share);
    if (report->answered_share < 1)
        buf_format(out, "%.0f%% of the rows have no spoken reply\n",
                   100.0 * (1.0 - report->answered_share));
}

static void note_lines(struct buf *out, const struct notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        buf_format(out, "note: %s\n", notes->items[i].text);
}

static void marker_line(struct buf *out, const struct marker_report *m, const char *indent)
{
    buf_format(out, "%smarker:", indent);
    term_add(out, m->name);
    buf_byte(out, ' ');
    number(out, m->mean, m->ci95);
    buf_format(out, "  %zu %s, %llu rows", m->n_tasks, plural(m->n_tasks, "task", "tasks"),
               (unsigned long long)m->n_rows);
    if (m->notes.count) {
        buf_text(out, "  ");
        notes_text(&m->notes, out);
    }
    buf_byte(out, '\n');
}

static void signal_line(struct buf *out, const struct passat_view *view)
{
    const struct signal_report *s = &view->report->signal;
    buf_format(out,
               "signal: %zu of %zu tasks are mixed, %zu of them in the band %g..%g; %zu all fail, "
               "%zu all pass, %zu tried once\n",
               s->n_mixed, s->n_groups, s->n_in_band, view->settings->band_low,
               view->settings->band_high, s->n_all_zero, s->n_all_one, s->n_single);
}

static void task_lines(struct buf *out, const struct passat_report *report)
{
    for (size_t i = 0; i < report->n_tasks; i++) {
        const struct task_rate *task = &report->tasks[i];
        buf_text(out, "task ");
        term_add(out, task->key);
        buf_format(out, " %.2f  %.0f of %llu\n", task->mean, task->sum,
                   (unsigned long long)task->n);
    }
}

static void slice_lines(struct buf *out, const struct passat_view *view)
{
    for (size_t i = 0; i < view->n_slices; i++) {
        const struct passat_slice *slice = &view->slices[i];
        buf_text(out, "slice ");
        term_add(out, slice->name);
        buf_text(out, ": ");
        rates_text(out, &slice->report.rates);
        buf_byte(out, '\n');
        if (view->markers)
            for (size_t m = 0; m < slice->report.n_markers; m++)
                marker_line(out, &slice->report.markers[m], "  ");
    }
}

static void gate_lines(struct buf *out, const struct gates *gates)
{
    for (size_t i = 0; i < gates->count; i++)
        buf_format(out, "%s %s: %s\n", gates->items[i].red ? "RED" : "ok ", gates->items[i].rule,
                   gates->items[i].text);
}

void passat_text(const struct passat_view *view, struct buf *out)
{
    const struct passat_report *report = view->report;
    rates_text(out, &report->rates);
    if (!isnan(report->rates.pass_pow_k)) /* said once: the key in --json has no k in its name */
        buf_format(out, "  (pass^%lld is pass_pow_k)", (long long)report->rates.k);
    buf_byte(out, '\n');
    interval_lines(out, view);
    if (report->has_anytime)
        anytime_line(out, report);
    if (report->has_cluster)
        cluster_line(out, view);
    share_lines(out, report);
    note_lines(out, &report->notes);
    for (size_t i = 0; i < report->warnings.count; i++)
        buf_format(out, "warning: %s\n", report->warnings.items[i].text);
    if (view->markers)
        for (size_t i = 0; i < report->n_markers; i++)
            marker_line(out, &report->markers[i], "");
    if (report->has_signal)
        signal_line(out, view);
    slice_lines(out, view);
    if (view->per_task)
        task_lines(out, report);
    if (view->change)
        note_lines(out, &view->change->notes);
    gate_lines(out, view->gates);
}
