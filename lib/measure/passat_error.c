/* passat_error.c: what else is known of the error of pass_at_1: at every look (--anytime), and when tasks
 * come in clusters (--cluster). */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/gate.h"
#include "measure/passat_rates.h"
#include "text/term.h"

static double *means_of(const struct passat_report *report)
{
    double *means = mem_zero(report->n_tasks, sizeof *means);
    for (size_t i = 0; i < report->n_tasks; i++)
        means[i] = report->tasks[i].mean;
    return means;
}

void anytime_make(double level, struct passat_report *report)
{
    double *means = means_of(report);
    report->has_anytime = true;
    report->anytime =
        (struct anytime_report){anytime_interval(means, report->n_tasks, level), -1, 0};
    free(means);
}

/* Tasks after which the sequence lies beside the limit; 0: it does not. */
static size_t decided_after(const double *means, size_t n, double limit, double level)
{
    struct anytime_test test;
    anytime_test_start(&test, limit, level);
    for (size_t i = 0; i < n; i++) {
        anytime_test_add(&test, means[i]);
        if (test.above || test.below)
            return i + 1;
    }
    return 0;
}

void gates_decide(const struct gate_options *options, double level, struct passat_report *report)
{
    const struct option_list *lists[] = {&options->fail_under, &options->fail_over};
    struct anytime_report *a = &report->anytime;
    double *means = means_of(report);
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < lists[l]->count; i++) {
            struct span metric;
            double limit;
            if (gate_read(lists[l]->items[i], &metric, &limit, NULL) < 0 ||
                !span_is(metric, "pass_at_1"))
                continue;
            size_t after = decided_after(means, report->n_tasks, limit, level);
            a->decided = after && a->decided != 0;
            a->decided_at = after > a->decided_at ? after : a->decided_at;
        }
    free(means);
}

void cluster_make(const struct passat *p, double level, struct passat_report *report)
{
    struct cluster_report *out = &report->cluster;
    double *means = means_of(report);
    size_t *clusters = mem_zero(report->n_tasks, sizeof *clusters);
    size_t *seen = mem_zero(p->cluster_names.count, sizeof *seen); /* number in use, plus one */
    report->has_cluster = true;
    *out = (struct cluster_report){.n_rows = p->n_astray};
    for (size_t i = 0; i < report->n_tasks; i++) {
        size_t task = map_find(&p->tasks, report->tasks[i].key);
        size_t number = task < p->cap_cluster_of ? p->cluster_of[task] : 0;
        out->n_alone += number == 0;
        if (number == 0)
            clusters[i] = out->n_clusters++;
        else if (seen[number - 1])
            clusters[i] = seen[number - 1] - 1;
        else
            clusters[i] = (seen[number - 1] = ++out->n_clusters) - 1;
    }
    out->error = stat_clustered(means, clusters, report->n_tasks, out->n_clusters, level);
    free(means);
    free(clusters);
    free(seen);
}

void cluster_warn(const char *key, struct passat_report *report)
{
    const struct cluster_report *c = &report->cluster;
    struct buf name = {0};
    term_add_head(&name, span_text(key), MEASURE_REASON_MAX);
    if (c->n_alone)
        notes_add(&report->warnings, "no_cluster",
                  "tasks without %s, each taken for a cluster of its own: %zu", buf_cstr(&name),
                  c->n_alone);
    if (c->n_rows)
        notes_add(&report->warnings, "mixed_clusters",
                  "rows that name another %s than the first row of their task: %llu; a task is of "
                  "the first",
                  buf_cstr(&name), (unsigned long long)c->n_rows);
    buf_free(&name);
}
