/* compare_sizing.c: is there room to move, did the training reward move alone, and what can this
 * many tasks show (measure 6.10, 6.11). */
#include <math.h>

#include "measure/compare_inside.h"
#include "measure/plan.h"

/* ---- ceiling ------------------------------------------------------------------------------------
 */

void compare_ceiling(struct compare_report *r)
{
    const struct compared *m = &r->metrics[0];
    struct map after = {0};
    for (size_t i = 0; i < m->n[AFTER]; i++)
        map_add(&after, m->tasks[AFTER][i].key, NULL);
    for (size_t i = 0; after.count && i < m->n[BEFORE]; i++) {
        if (map_find(&after, m->tasks[BEFORE][i].key) == MAP_NONE)
            continue;
        r->n_shared++;
        r->n_with_room += m->tasks[BEFORE][i].mean < 1.0;
    }
    map_free(&after);
    r->ceiling_rate = m->change.mean_a >= r->options->asked->ceiling;
    r->ceiling =
        r->ceiling_rate || (r->n_with_room < MEASURE_CEILING_TASKS &&
                            (double)r->n_with_room < MEASURE_CEILING_SHARE * (double)r->n_shared);
}

/* ---- proxy --------------------------------------------------------------------------------------
 */

static struct interval oriented(const struct compared *m)
{
    struct interval ci = m->change.ci95;
    return m->lower ? (struct interval){-ci.high, -ci.low} : ci;
}

/* Gao et al. 2022, arXiv:2210.10760: what was trained on moved, what was meant did not. */
void compare_proxy(struct compare_report *r)
{
    if (!r->options->proxy.ptr)
        return;
    const struct compared *proxy = r->proxy, *headline = r->headline;
    if (!proxy || proxy == headline) {
        r->proxy_word = proxy ? WORD_PROXY_IS_TARGET : WORD_PROXY_NOT_MEASURED;
        return;
    }
    r->proxy_word = proxy->gain == CHANGE_B_BETTER   ? WORD_MOVED
                    : proxy->gain == CHANGE_A_BETTER ? WORD_WRONG_WAY
                    : proxy->gain == CHANGE_NONE     ? WORD_NO_CHANGE
                                                     : WORD_INSUFFICIENT;
    bool proxy_up = proxy->gain == CHANGE_B_BETTER && !proxy->within_noise;
    bool target_up = headline->gain == CHANGE_B_BETTER && !headline->within_noise;
    struct interval p = oriented(proxy), t = oriented(headline);
    bool apart = interval_known(p) && interval_known(t) && p.low > t.high;
    r->over_optimized = proxy_up && (!target_up || apart);
    if (r->over_optimized)
        r->ok = false;
}

/* ---- sizing -------------------------------------------------------------------------------------
 */

static double tasks_for(const struct sizing_options *options, const struct sizing_rows *rows,
                        enum spread_source *source)
{
    struct holdout_report report;
    struct error error;
    double n = NAN;
    if (holdout_size(options, rows, &report, &error) == 0) {
        n = report.n_tasks;
        *source = report.source;
    }
    holdout_free(&report);
    return n;
}

static struct sizing_rows rows_of(const struct compared *m)
{
    return (struct sizing_rows){true,         true,       m->tasks[BEFORE], m->tasks[AFTER],
                                m->n[BEFORE], m->n[AFTER]};
}

void compare_sizing(struct compare_report *r)
{
    static const char *const SOURCES[] = {
        [SPREAD_MODEL] = "model", [SPREAD_GIVEN] = "given", [SPREAD_ROWS] = "rows"};
    const struct compare_request *asked = r->options->asked;
    const struct compared *pass = &r->metrics[0], *m = r->headline;
    double base = isnan(pass->change.mean_a) ? MEASURE_BASE_RATE : pass->change.mean_a;
    double k = (double)r->k[BEFORE], n = (double)m->change.n_paired;
    r->detectable = r->detectable_solved = r->tasks_needed = r->tasks_needed_target = NAN;
    if (m->change.n_paired >= 2) {
        r->detectable = detectable_effect(n, base, k, asked->power, asked->alpha);
        r->detectable_solved = detectable_effect_solved(
            &(struct detectable_options){n, base, k, asked->power, asked->alpha});
    }
    double gain = m->lower ? -m->change.delta : m->change.delta;
    if (!(gain > 0.0 && gain < 1.0))
        return;
    struct sizing_options options = {.effect = gain,
                                     .base = base,
                                     .k = k,
                                     .power = asked->power,
                                     .alpha = asked->alpha,
                                     .task_std = NAN,
                                     .ceiling = asked->ceiling,
                                     .no_range = true};
    struct sizing_rows rows = rows_of(pass), none = {.has_before = false};
    enum spread_source source = SPREAD_MODEL;
    r->tasks_needed = tasks_for(&options, &rows, &source);
    if (isnan(r->tasks_needed))
        r->tasks_needed = tasks_for(&options, &none, &source);
    if (!isnan(r->tasks_needed))
        r->tasks_needed_source = SOURCES[source];
    if (m == pass)
        return;
    rows = rows_of(m);
    options.ceiling = INFINITY; /* a marker has none */
    r->tasks_needed_target = tasks_for(&options, &rows, &source);
    if (source != SPREAD_ROWS)
        r->tasks_needed_target = NAN; /* its own differences do not spread */
}
