/* passat_report.c: from what was kept of the rows to the report (measure 4.1 steps 2-9, 4.4, 4.5).
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/passat_rates.h"
#include "text/number.h"
#include "text/term.h"

/* ---- groups, signal, markers --------------------------------------------------------------------
 */

static void signal_make(const struct task_rate *tasks, size_t n,
                        const struct passat_settings *settings, struct signal_report *out)
{
    *out = (struct signal_report){0};
    for (size_t i = 0; i < n; i++) {
        double rate = tasks[i].mean;
        out->n_groups += tasks[i].times;
        if (tasks[i].n < 2) {
            out->n_single += tasks[i].times;
        } else if (rate == 0.0) {
            out->n_all_zero += tasks[i].times;
        } else if (rate == 1.0) {
            out->n_all_one += tasks[i].times;
        } else {
            bool inside = rate >= settings->band_low && rate <= settings->band_high;
            out->n_mixed += tasks[i].times;
            out->n_in_band += inside ? tasks[i].times : 0;
        }
    }
    size_t repeated = out->n_mixed + out->n_all_zero + out->n_all_one;
    out->mixed_rate = repeated ? (double)out->n_mixed / (double)repeated : NAN;
    struct rates_asked asked = {.tasks = tasks, .n = n, .min_k = MEASURE_MIN_K};
    rates_make(&asked, NULL, &out->rates);
}

/* By the Poisson scheme a value of 2^40 or more has no place in the sums. */
static void marker_interval(const struct task_rate *tasks, const double *means,
                            const struct boot_options *asked, struct marker_report *out)
{
    struct boot_options boot = *asked;
    boot.scheme = out->scheme = boot_scheme_of(asked->scheme, out->n_tasks, asked->draws, false);
    uint64_t *hashes = boot.scheme == BOOT_POISSON ? mem_zero(out->n_tasks, sizeof *hashes) : NULL;
    if (hashes)
        rates_hashes(tasks, out->n_tasks, hashes);
    struct boot_sample sample = {&means, 1, out->n_tasks, NULL, hashes};
    boot_sample_intervals(&sample, &boot, &out->ci95);
    if (!interval_known(out->ci95))
        notes_add(&out->notes, "too_large",
                  "a value of 2^40 or more has no interval by --scheme poisson; divide the marker "
                  "by a power of ten");
    free(hashes);
}

static void sketch_interval(const struct boot_sketch *sketch, const struct boot_options *boot,
                            struct marker_report *out)
{
    out->scheme = BOOT_POISSON;
    out->ci95 = boot_sketch_interval(sketch, boot->level);
    if (boot->kind != INTERVAL_PERCENTILE)
        notes_add(&out->notes, "percentile_only",
                  "a summary by hist keeps no values, so this interval is the percentile one");
}

static void marker_make(const struct passat *p, size_t number, const struct boot_options *boot,
                        struct marker_report *out)
{
    const struct marker_cells *m = &p->markers[number];
    *out = (struct marker_report){.name = p->marker_names.keys[number],
                                  .n_rows = m->n_rows,
                                  .n_rows_at_1 = m->n_at_1,
                                  .n_rows_at_0 = m->n_at_0,
                                  .n_nonfinite = m->n_nonfinite,
                                  .ci95 = INTERVAL_NONE};
    struct task_rate *tasks = rates_of(p, &m->cells, &out->n_tasks, &out->n_split);
    double *means = mem_zero(out->n_tasks, sizeof *means);
    for (size_t i = 0; i < out->n_tasks; i++)
        means[i] = tasks[i].mean;
    out->mean = m->sketch ? boot_sketch_mean(m->sketch) : stat_mean(means, out->n_tasks);
    out->n_tasks = m->sketch ? m->sketch->n : out->n_tasks;
    out->degenerate = m->n_rows > 0 && number_round(m->least, MEASURE_DEGENERATE_DIGITS) ==
                                           number_round(m->most, MEASURE_DEGENERATE_DIGITS);
    if (out->degenerate)
        notes_add(
            &out->notes, "degenerate",
            "all %llu values are %.4g: a guard that cannot fail; see that the marker fires, and "
            "do not put it in --must-not-regress",
            (unsigned long long)m->n_rows, m->least);
    else if (out->n_tasks < STAT_INTERVAL_VALUES)
        notes_add(&out->notes, "no_interval",
                  "%zu tasks carry it and an interval needs %d: measure more tasks", out->n_tasks,
                  STAT_INTERVAL_VALUES);
    else if (m->sketch)
        sketch_interval(m->sketch, boot, out);
    else
        marker_interval(tasks, means, boot, out);
    free(means);
    free(tasks);
}

static int by_name(const void *left, const void *right)
{
    const struct marker_report *a = left, *b = right;
    return span_compare(a->name, b->name);
}

static void markers_make(const struct passat *p, const struct boot_options *boot,
                         struct passat_report *report)
{
    report->has_markers = p->keep_markers;
    report->n_markers = p->marker_names.count;
    report->markers = mem_zero(report->n_markers, sizeof *report->markers);
    for (size_t i = 0; i < report->n_markers; i++)
        marker_make(p, i, boot, &report->markers[i]);
    qsort(report->markers, report->n_markers, sizeof *report->markers, by_name);
}

/* ---- sentences ----------------------------------------------------------------------------------
 */

static void note_degenerate(const struct passat *p, struct notes *notes)
{
    if (p->n_graded < 2 || p->reward_least != p->reward_most)
        return;
    bool whole = p->reward_least == trunc(p->reward_least);
    notes_add(notes, "degenerate",
              "all %llu graded rows score %.*f: look at the checker before the agent",
              (unsigned long long)p->n_graded, whole ? 0 : 2, p->reward_least);
}

static void note_unjudged(const struct passat *p, struct notes *notes)
{
    if (p->n_judged == 0 || p->n_judge_failed < p->n_judged) {
        notes_add(notes, "no_binary_rewards",
                  "no row carries a verdict of 0 or 1: grade the rows first (wai-grade)");
        return;
    }
    struct buf text = {0};
    for (size_t i = 0; i < p->n_statuses; i++) {
        if (i)
            buf_text(&text, ", ");
        term_add(&text, p->statuses[i]);
    }
    if (p->reason.ptr && p->reason.len) {
        buf_text(&text, ": ");
        term_add(&text, p->reason);
    }
    notes_add(notes, "judge_failed",
              "the judge failed on all %llu rows that it saw (%s); run it again",
              (unsigned long long)p->n_judge_failed, buf_cstr(&text));
    buf_free(&text);
}

static void notes_after(const struct passat *p, const struct passat_report *report,
                        struct notes *notes)
{
    if (report->rates.n_groups < STAT_INTERVAL_VALUES)
        notes_add(
            notes, "no_interval",
            "%zu %s, and an interval needs %d: intervals resample tasks, so measure more tasks, "
            "or give separate items their own task_id",
            report->rates.n_groups, report->rates.n_groups == 1 ? "task" : "tasks",
            STAT_INTERVAL_VALUES);
    if (p->n_partial)
        notes_add(
            notes, "partial_rewards",
            "rows that score neither 0 nor 1, left out: %llu; pass rates count verdicts of 0 and "
            "1 (wai-grade --threshold makes them)",
            (unsigned long long)p->n_partial);
}

static void warnings_make(const struct passat *p, struct passat_report *report)
{
    struct notes *warnings = &report->warnings;
    struct buf names = {0};
    if (p->n_bad)
        notes_add(warnings, "bad_lines", "bad lines left out: %llu", (unsigned long long)p->n_bad);
    if (p->n_boolean)
        notes_add(
            warnings, "boolean_rewards",
            "rows with true or false for a reward, not counted: %llu; --bool-rewards reads them "
            "as 1 and 0",
            (unsigned long long)p->n_boolean);
    for (size_t i = 0; i < report->n_markers; i++) {
        const struct marker_report *m = &report->markers[i];
        buf_clear(&names);
        term_add(&names, m->name);
        if (m->n_nonfinite)
            notes_add(warnings, "nonfinite_marker",
                      "values of marker:%s that are infinite or not a number, left out: %llu",
                      buf_cstr(&names), (unsigned long long)m->n_nonfinite);
    }
    buf_free(&names);
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

static double share(uint64_t part, uint64_t whole)
{
    return whole ? number_round((double)part / (double)whole, MEASURE_SHARE_DIGITS) : NAN;
}

static void config_make(const struct passat *p, struct passat_report *report)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting_values *values = &p->settings[i];
        report->settings[i].mixed = values->count > 1 || values->more;
        report->settings[i].json =
            values->count == 1 && !values->more ? values->items[0].json : (struct span){NULL, 0};
    }
    report->truncated_share = share(p->n_cut, p->n_finish);
    report->answered_share = share(p->n_answered, p->n_replies);
    report->unclosed_think_share = share(p->n_unclosed, p->n_replies);
    report->graded_share = share(p->n_graded, p->n_input);
}

/* A zero-width interval is not certainty: what the number of tasks alone allows. */
static struct interval rule_of(const struct pass_rates *rates, double level)
{
    if (!interval_known(rates->ci95) || rates->ci95.low != rates->ci95.high)
        return INTERVAL_NONE;
    double n = (double)rates->n_groups;
    return stat_wilson(rates->pass_at_1 * n, n, stat_z(level));
}

/* The three rates, by the scheme that the number of tasks asks for. */
static void labels_make(const struct passat *p, const struct passat_settings *settings, size_t n,
                        struct passat_report *report)
{
    struct boot_options boot = settings->boot;
    size_t n_tasks = 0;
    for (size_t i = 0; i < n; i++)
        n_tasks += report->tasks[i].times;
    boot.scheme = report->scheme =
        p->by_hist ? BOOT_HIST : boot_scheme_of(boot.scheme, n_tasks, boot.draws, true);
    struct rates_asked asked = {.tasks = report->tasks,
                                .n = n,
                                .k = settings->k,
                                .min_k = settings->min_k,
                                .unanimous_short = settings->unanimous_short,
                                .boot = &boot,
                                .counted = p->by_hist};
    rates_make(&asked, n ? &report->notes : NULL, &report->rates);
    report->checked = report->rates.n_groups > STAT_CHECK_VALUES;
}

void passat_report_make(const struct passat *p, const struct passat_settings *settings,
                        struct passat_report *report)
{
    *report = (struct passat_report){.n_rows = p->n_labelled,
                                     .n_partial = p->n_partial,
                                     .n_boolean = p->n_boolean,
                                     .n_unjudged =
                                         p->n_input - p->n_labelled - p->n_partial - p->n_boolean,
                                     .n_fallback = p->n_fallback,
                                     .n_input = p->n_input,
                                     .n_bad = p->n_bad};
    size_t n;
    report->tasks = rates_of_labels(p, &n);
    note_degenerate(p, &report->notes);
    labels_make(p, settings, n, report);
    if (n) {
        notes_after(p, report, &report->notes);
    } else {
        note_unjudged(p, &report->notes);
    }
    report->ci95_rule = rule_of(&report->rates, settings->boot.level);
    config_make(p, report);
    markers_make(p, &settings->boot, report);
    report->has_signal = settings->signal;
    if (settings->signal)
        signal_make(report->tasks, n, settings, &report->signal);
    report->n_tasks = p->by_hist ? 0 : n;
    warnings_make(p, report);
    if (settings->anytime)
        anytime_make(settings->boot.level, report);
    if (settings->cluster) {
        cluster_make(p, settings->boot.level, report);
        cluster_warn(settings->cluster, report);
    }
}

void passat_report_free(struct passat_report *report)
{
    for (size_t i = 0; i < report->n_markers; i++)
        notes_free(&report->markers[i].notes);
    free(report->markers);
    free(report->tasks);
    notes_free(&report->notes);
    notes_free(&report->warnings);
}
