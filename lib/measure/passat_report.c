/* passat_report.c: from what was kept of the rows to the report (measure 4.1 steps 2-9, 4.4, 4.5).
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/passat.h"
#include "text/number.h"
#include "text/term.h"

/* ---- the three rates ----------------------------------------------------------------------------
 */

/* pass^k and pass@k of the groups that count, the full ones first. */
struct kway {
    double *pow, *at;
    size_t count, eligible;
};

/* Binomials are worked out once per (n, c). */
struct binomials {
    struct map seen;
    double *pow, *at;
    size_t cap_pow, cap_at;
};

static size_t binomial(struct binomials *b, uint64_t n, uint64_t c, uint64_t k)
{
    uint64_t key[2] = {n, c};
    bool fresh;
    size_t i = map_add(&b->seen, span_make((const char *)key, sizeof key), &fresh);
    if (fresh) {
        b->pow = mem_grow(b->pow, &b->cap_pow, i + 1, sizeof *b->pow);
        b->at = mem_grow(b->at, &b->cap_at, i + 1, sizeof *b->at);
        b->pow[i] = stat_pass_pow_k(n, c, k);
        b->at[i] = stat_pass_at_k(n, c, k);
    }
    return i;
}

static void kway_make(const struct task_rate *tasks, size_t n, uint64_t k, bool unanimous_short,
                      struct kway *out)
{
    struct binomials known = {0};
    *out = (struct kway){mem_zero(n, sizeof(double)), mem_zero(n, sizeof(double)), 0, 0};
    for (size_t i = 0; i < n; i++) {
        if (tasks[i].n < k)
            continue;
        size_t at = binomial(&known, tasks[i].n, (uint64_t)tasks[i].sum, k);
        out->pow[out->count] = known.pow[at];
        out->at[out->count++] = known.at[at];
    }
    out->eligible = out->count;
    for (size_t i = 0; unanimous_short && i < n; i++) {
        if (tasks[i].n >= k || (tasks[i].sum != 0.0 && tasks[i].sum != (double)tasks[i].n))
            continue;
        out->pow[out->count] = out->at[out->count] = tasks[i].sum != 0.0;
        out->count++;
    }
    map_free(&known.seen);
    free(known.pow);
    free(known.at);
}

struct group_sizes {
    uint64_t least, most; /* of groups of two or more; 0: none */
    bool ragged;          /* more than one such size */
    size_t n_most;        /* groups of the largest size */
};

static struct group_sizes sizes_of(const struct task_rate *tasks, size_t n)
{
    struct group_sizes s = {0, 0, false, 0};
    for (size_t i = 0; i < n; i++) {
        uint64_t size = tasks[i].n;
        if (size < 2)
            continue;
        s.least = s.least == 0 || size < s.least ? size : s.least;
        s.n_most = size > s.most ? 1 : s.n_most + (size == s.most);
        s.most = size > s.most ? size : s.most;
    }
    s.ragged = s.least != s.most;
    return s;
}

static void intervals(const struct task_rate *tasks, const struct kway *kway,
                      const struct boot_options *boot, struct pass_rates *rates)
{
    double *means = mem_zero(rates->n_groups, sizeof *means);
    for (size_t i = 0; i < rates->n_groups; i++)
        means[i] = tasks[i].mean;
    const double *lists[] = {means, kway->pow, kway->at};
    struct interval found[3] = {INTERVAL_NONE, INTERVAL_NONE, INTERVAL_NONE};
    bool together = kway->count == rates->n_groups;
    boot_intervals(lists, together ? 3 : 1, rates->n_groups, boot, found);
    if (!together)
        boot_intervals(lists + 1, 2, kway->count, boot, found + 1);
    rates->ci95 = found[0];
    rates->pass_pow_k_ci95 = found[1];
    rates->pass_at_k_ci95 = found[2];
    free(means);
}

/* notes: NULL when nobody reads them. boot NULL: no intervals. */
static void rates_make(const struct task_rate *tasks, size_t n, int64_t given_k, int64_t min_k,
                       bool unanimous_short, const struct boot_options *boot, struct notes *notes,
                       struct pass_rates *rates)
{
    struct group_sizes sizes = sizes_of(tasks, n);
    int64_t k = given_k > 0 ? given_k : sizes.least ? (int64_t)sizes.least : 1;
    *rates = (struct pass_rates){
        .k = k, .pass_pow_k = NAN, .pass_at_k = NAN, .headroom = NAN, .n_groups = n};
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += tasks[i].mean;
    rates->pass_at_1 = n ? sum / (double)n : NAN;
    bool uneven = given_k <= 0 && sizes.ragged;
    struct kway kway = {0};
    if (k < (min_k > 1 ? min_k : 1)) {
        if (notes && uneven)
            notes_add(
                notes, "uneven_below_min_k",
                "tasks have %llu to %llu tries, so k falls to %llu, under %lld, and pass^k and "
                "pass@k are withheld; %zu of %zu tasks have %llu: take -k %llu, or finish the "
                "others",
                (unsigned long long)sizes.least, (unsigned long long)sizes.most,
                (unsigned long long)sizes.least, (long long)min_k, sizes.n_most, n,
                (unsigned long long)sizes.most, (unsigned long long)sizes.most);
        else if (notes)
            notes_add(
                notes, "below_min_k",
                "k is %lld, under %lld, so pass^k and pass@k are withheld; take more tries of "
                "each task, or lower --min-k",
                (long long)k, (long long)min_k);
    } else {
        kway_make(tasks, n, (uint64_t)k, unanimous_short, &kway);
        if (kway.count == 0 && notes)
            notes_add(
                notes, "no_group_at_k",
                "no task has %lld graded tries, which pass^%lld and pass@%lld need; take more "
                "tries of each task, or a smaller -k",
                (long long)k, (long long)k, (long long)k);
        else if (uneven && notes)
            notes_add(notes, "uneven",
                      "tasks have %llu to %llu tries and k is the smallest, %llu; -k sets another",
                      (unsigned long long)sizes.least, (unsigned long long)sizes.most,
                      (unsigned long long)sizes.least);
        rates->n_groups_at_k = kway.count;
        rates->n_groups_imputed = kway.count - kway.eligible;
        rates->pass_pow_k = stat_mean(kway.pow, kway.count);
        rates->pass_at_k = stat_mean(kway.at, kway.count);
        rates->headroom = rates->pass_at_k - rates->pass_at_1;
    }
    rates->ci95 = rates->pass_pow_k_ci95 = rates->pass_at_k_ci95 = INTERVAL_NONE;
    if (boot)
        intervals(tasks, &kway, boot, rates);
    free(kway.pow);
    free(kway.at);
}

/* ---- groups, signal, markers --------------------------------------------------------------------
 */

static struct task_rate *rates_of(const struct passat *p, const struct cells *cells, size_t *count,
                                  size_t *n_split)
{
    struct cell *groups = cells_groups(cells, p->tasks.keys, count, n_split);
    struct task_rate *tasks = mem_zero(*count, sizeof *tasks);
    for (size_t i = 0; i < *count; i++) {
        const struct cell *cell = &groups[i];
        tasks[i] = (struct task_rate){p->tasks.keys[cell->task], cell->n, cell->sum,
                                      cell->sum / (double)cell->n};
    }
    free(groups);
    return tasks;
}

static void signal_make(const struct task_rate *tasks, size_t n,
                        const struct passat_settings *settings, struct signal_report *out)
{
    *out = (struct signal_report){.n_groups = n};
    for (size_t i = 0; i < n; i++) {
        double rate = tasks[i].mean;
        if (tasks[i].n < 2) {
            out->n_single++;
        } else if (rate == 0.0) {
            out->n_all_zero++;
        } else if (rate == 1.0) {
            out->n_all_one++;
        } else {
            out->n_mixed++;
            out->n_in_band += rate >= settings->band_low && rate <= settings->band_high;
        }
    }
    size_t repeated = out->n_mixed + out->n_all_zero + out->n_all_one;
    out->mixed_rate = repeated ? (double)out->n_mixed / (double)repeated : NAN;
    rates_make(tasks, n, 0, MEASURE_MIN_K, false, NULL, NULL, &out->rates);
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
    out->mean = stat_mean(means, out->n_tasks);
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
    else
        out->ci95 = boot_interval(means, out->n_tasks, boot);
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
    size_t n, n_split;
    report->tasks = rates_of(p, &p->labels, &n, &n_split);
    note_degenerate(p, &report->notes);
    rates_make(report->tasks, n, settings->k, settings->min_k, settings->unanimous_short,
               &settings->boot, n ? &report->notes : NULL, &report->rates);
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
    warnings_make(p, report);
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
