/* compare_metric.c: one metric, before and after (measure 5): paired over the tasks of both sides
 * by the bootstrap of their differences and random flips of signs; unpaired when too few are
 * shared. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/compare_inside.h"

const char *change_verdict_text(enum change_verdict verdict)
{
    switch (verdict) {
    case CHANGE_B_BETTER: return "b_better";
    case CHANGE_A_BETTER: return "a_better";
    case CHANGE_NONE: return "no_difference_detected";
    default: return "insufficient_data";
    }
}

static double *means_of(const struct task_rate *tasks, size_t n)
{
    double *means = mem_zero(n, sizeof *means);
    for (size_t i = 0; i < n; i++)
        means[i] = tasks[i].mean;
    return means;
}

static int by_key(const void *left, const void *right)
{
    const struct task_rate *a = left, *b = right;
    return span_compare(a->key, b->key);
}

static struct task_rate *sorted(const struct task_rate *tasks, size_t n)
{
    struct task_rate *copy = mem_zero(n, sizeof *copy);
    if (n)
        memcpy(copy, tasks, n * sizeof *copy);
    qsort(copy, n, sizeof *copy, by_key);
    return copy;
}

/* The means of the tasks that both sides have, in the order of their keys. */
static size_t pair_up(const struct task_rate *a, size_t n_a, const struct task_rate *b, size_t n_b,
                      double *shared_a, double *shared_b)
{
    struct task_rate *left = sorted(a, n_a), *right = sorted(b, n_b);
    size_t n = 0;
    for (size_t i = 0, j = 0; i < n_a && j < n_b;) {
        int order = span_compare(left[i].key, right[j].key);
        if (order == 0) {
            shared_a[n] = left[i].mean;
            shared_b[n++] = right[j].mean;
        }
        i += order <= 0;
        j += order >= 0;
    }
    free(left);
    free(right);
    return n;
}

static void compare_paired(const double *shared_a, const double *shared_b, size_t n,
                           const struct change_options *options, struct metric_change *out)
{
    double *differences = mem_zero(n, sizeof *differences);
    for (size_t i = 0; i < n; i++)
        differences[i] = shared_b[i] - shared_a[i];
    out->n_used = n;
    out->delta = stat_mean(differences, n);
    struct boot_options boot = options->boot;
    boot.scheme = boot_scheme_of(boot.scheme, n, boot.draws, options->rates);
    if (boot.scheme == BOOT_POISSON)
        boot.scheme = BOOT_EXACT; /* differences of markers are too many values to count */
    out->scheme = boot.scheme;
    const double *lists[] = {differences};
    boot_sample_intervals(&(struct boot_sample){.lists = lists, .n_lists = 1, .n = n}, &boot,
                          &out->ci95);
    if (n)
        out->p_value = boot.scheme == BOOT_HIST
                           ? permutation_p_hist(differences, n, boot.start, boot.draws)
                           : permutation_p(differences, n, boot.start, boot.draws);
    free(differences);
}

static void compare_unpaired(const struct task_rate *a, const struct task_rate *b,
                             const struct change_options *options, struct metric_change *out)
{
    double *means_a = means_of(a, out->n_a), *means_b = means_of(b, out->n_b);
    out->n_used = out->n_a < out->n_b ? out->n_a : out->n_b;
    out->delta = out->mean_b - out->mean_a;
    out->ci95 = boot_difference(means_a, out->n_a, means_b, out->n_b, &options->boot);
    free(means_a);
    free(means_b);
}

static enum change_verdict verdict_of(const struct metric_change *change)
{
    if (isnan(change->delta) || !interval_known(change->ci95))
        return CHANGE_INSUFFICIENT;
    return change->ci95.low > 0    ? CHANGE_B_BETTER
           : change->ci95.high < 0 ? CHANGE_A_BETTER
                                   : CHANGE_NONE;
}

void change_judge(struct metric_change *out)
{
    out->verdict = verdict_of(out);
    bool moved = out->verdict == CHANGE_B_BETTER || out->verdict == CHANGE_A_BETTER;
    out->sign_agree = isnan(out->p_value) || out->verdict == CHANGE_INSUFFICIENT
                          ? -1
                          : (out->p_value <= 1.0 - out->level) == moved;
}

void change_note(const struct change_options *options, struct metric_change *out)
{
    if (!out->paired) {
        notes_add(
            &out->notes, "unpaired_fallback",
            "%zu tasks are on both sides and pairing needs %lld, so the two sets of tasks are "
            "compared as if they were unrelated; run both sides on the same tasks",
            out->n_paired, (long long)options->min_paired);
        return;
    }
    if (out->n_only_a + out->n_only_b == 0)
        return;
    if (out->paired_share < MEASURE_UNPAIRED_MAJORITY)
        notes_add(&out->notes, "most_tasks_unpaired",
                  "only %.0f%% of the tasks are on both sides; run both sides on the same tasks",
                  100.0 * out->paired_share);
    notes_add(&out->notes, "unpaired_tasks_dropped",
              "%zu tasks are only before and %zu only after: the change is that of the %zu on both "
              "sides",
              out->n_only_a, out->n_only_b, out->n_paired);
}

void compare_metric(const struct task_rate *a, size_t n_a, const struct task_rate *b, size_t n_b,
                    const struct change_options *options, struct metric_change *out)
{
    double *shared_a = mem_zero(n_a, sizeof *shared_a), *shared_b = mem_zero(n_a, sizeof *shared_b);
    double *means_a = means_of(a, n_a), *means_b = means_of(b, n_b);
    size_t n = pair_up(a, n_a, b, n_b, shared_a, shared_b);
    *out = (struct metric_change){.n_a = n_a,
                                  .n_b = n_b,
                                  .n_paired = n,
                                  .n_only_a = n_a - n,
                                  .n_only_b = n_b - n,
                                  .mean_a = stat_mean(means_a, n_a),
                                  .mean_b = stat_mean(means_b, n_b),
                                  .mean_a_paired = stat_mean(shared_a, n),
                                  .mean_b_paired = stat_mean(shared_b, n),
                                  .level = options->boot.level,
                                  .p_value = NAN};
    size_t either = n_a + n_b - n;
    out->paired_share = either ? (double)n / (double)either : NAN;
    out->paired = (int64_t)n >= options->min_paired;
    if (out->paired)
        compare_paired(shared_a, shared_b, n, options, out);
    else
        compare_unpaired(a, b, options, out);
    change_judge(out);
    change_note(options, out);
    free(shared_a);
    free(shared_b);
    free(means_a);
    free(means_b);
}

void interval_write(struct interval interval, struct json_writer *w)
{
    if (!interval_known(interval)) {
        json_write_null(w);
        return;
    }
    json_write_array(w);
    json_write_real(w, interval.low);
    json_write_real(w, interval.high);
    json_write_end_array(w);
}

static void write_real(struct json_writer *w, const char *key, double value)
{
    json_write_key(w, key);
    json_write_real(w, value);
}

void metric_change_write(const struct metric_change *change, struct span metric,
                         struct json_writer *w)
{
    json_write_key(w, "metric");
    json_write_span(w, metric);
    json_write_key(w, "paired");
    json_write_bool(w, change->paired);
    json_write_count(w, "n_paired", change->n_paired);
    json_write_count(w, "n_only_a", change->n_only_a);
    json_write_count(w, "n_only_b", change->n_only_b);
    write_real(w, "paired_share", change->paired_share);
    json_write_count(w, "n_used", change->n_used);
    write_real(w, "mean_a", change->mean_a);
    write_real(w, "mean_b", change->mean_b);
    write_real(w, "mean_a_paired", change->mean_a_paired);
    write_real(w, "mean_b_paired", change->mean_b_paired);
    write_real(w, "delta", change->delta);
    json_write_key(w, "ci95");
    interval_write(change->ci95, w);
    write_real(w, "level", change->level);
    write_real(w, "p_value", change->p_value);
    json_write_key(w, "verdict");
    json_write_text(w, change_verdict_text(change->verdict));
    json_write_key(w, "sign_agree");
    if (change->sign_agree < 0)
        json_write_null(w);
    else
        json_write_bool(w, change->sign_agree);
    notes_write_note(&change->notes, w);
}
