/* compare_runs.c: what repeating says: the spread of re-runs and the band it makes (measure 6.4),
 * training seeds (6.6), and whether run by run the same change is seen (6.8). */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/compare_inside.h"
#include "measure/passat.h"
#include "text/fold.h"
#include "text/number.h"

/* ---- re-run floors (6.4) ------------------------------------------------------------------------
 */

static double mean_of(const struct passat *rows, struct span metric)
{
    size_t n;
    struct task_rate *tasks = passat_tasks(rows, metric, &n);
    double mean = tasks_mean(tasks, n);
    free(tasks);
    return mean;
}

/* Spread of the means of a side's runs to 4 decimals, as eval-variance reports it. */
static double spread_of(const struct row_groups *runs, struct span metric, size_t *n)
{
    double *means = mem_zero(runs->names.count, sizeof *means);
    *n = 0;
    for (size_t i = 0; i < runs->names.count; i++) {
        double mean = mean_of(runs->rows[i], metric);
        if (!isnan(mean))
            means[(*n)++] = mean;
    }
    double spread = stat_sd_pow(means, *n);
    free(means);
    return isnan(spread) ? NAN : number_round(spread, MEASURE_SHARE_DIGITS);
}

static double pooled_floor(const struct compare_rows *rows, struct span metric)
{
    double sum = 0.0, weight = 0.0;
    for (int i = 0; i < SIDES; i++) {
        size_t n;
        double spread = spread_of(&rows->sides[i].floors, metric, &n);
        if (n < 2)
            return NAN;
        sum += stat_pow2(spread) * (double)(n - 1);
        weight += (double)(n - 1);
    }
    return stat_root(sum / weight);
}

static double given_floor(const struct compare_options *o, struct span metric)
{
    if (!o->floors_given)
        return o->run_std;
    for (size_t i = 0; i < o->n_floors; i++)
        if (span_equal(o->floors[i].metric, metric))
            return o->floors[i].value;
    return NAN;
}

static void set_bands(struct compare_report *r)
{
    double n[SIDES];
    for (int i = 0; i < SIDES; i++)
        n[i] = r->eval_runs[i] > 1 ? (double)r->eval_runs[i] : 1.0;
    r->run_std_df = r->floor_source == FLOOR_EVAL_RUN ? (n[BEFORE] - 1.0) + (n[AFTER] - 1.0)
                    : r->floor_source == FLOOR_GIVEN  ? r->options->run_std_runs - 1.0
                                                      : NAN;
    for (size_t i = 0; i < r->n_metrics; i++) {
        struct compared *m = &r->metrics[i];
        m->noise_band = isnan(m->run_std) ? NAN
                                          : stat_noise_band(m->run_std, n[BEFORE], n[AFTER],
                                                            r->run_std_df, r->options->level);
        m->within_noise = fabs(m->change.delta) < m->noise_band;
        m->no_floor = r->floor_source != FLOOR_NONE && isnan(m->run_std);
    }
}

void compare_floors(struct compare_report *r)
{
    const struct compare_options *o = r->options;
    for (int i = 0; i < SIDES; i++) {
        const struct compare_side *side = &r->rows->sides[i];
        size_t stamped = side->runs.names.count;
        r->eval_runs[i] = stamped > side->n_trained ? stamped : side->n_trained;
    }
    bool given = o->floors_given || !isnan(o->run_std);
    bool repeated = r->eval_runs[BEFORE] >= 2 && r->eval_runs[AFTER] >= 2;
    r->floor_source = given ? FLOOR_GIVEN : FLOOR_NONE;
    for (size_t i = 0; i < r->n_metrics; i++) {
        struct compared *m = &r->metrics[i];
        m->run_std = given      ? given_floor(o, m->name)
                     : repeated ? pooled_floor(r->rows, m->name)
                                : NAN;
        if (!given && !isnan(m->run_std))
            r->floor_source = FLOOR_EVAL_RUN;
    }
    r->replicated = !isnan(r->headline->run_std);
    set_bands(r);
}

/* ---- training seeds (6.6) -----------------------------------------------------------------------
 */

/* Mean over an arm's seeds, and what its spread adds to the variance of the difference. */
static void add_arm(struct compare_report *r, int i, double *variance)
{
    struct training *t = &r->training;
    const struct compare_side *side = &r->rows->sides[i];
    t->count[i] = side->n_trained;
    t->std[i] = NAN;
    if (side->n_trained == 0) {
        t->mean[i] = i == BEFORE ? r->headline->change.mean_a : r->headline->change.mean_b;
        return;
    }
    double *means = mem_zero(side->n_trained, sizeof *means);
    size_t n = 0;
    for (size_t j = 0; j < side->n_trained; j++) {
        double mean = mean_of(side->trained[j], r->headline->name);
        if (!isnan(mean))
            means[n++] = mean;
    }
    t->mean[i] = stat_mean(means, n);
    t->is_short |= side->n_trained < 2;
    if (n >= 2) {
        t->std[i] = stat_sd(means, n);
        *variance += stat_pow2(t->std[i]) / (double)n;
        t->df += (double)(n - 1);
    }
    free(means);
}

void compare_training(struct compare_report *r)
{
    struct training *t = &r->training;
    *t = (struct training){.ci95 = INTERVAL_NONE, .delta = NAN};
    for (int i = 0; i < SIDES; i++)
        t->asked |= r->rows->sides[i].n_trained > 0;
    if (!t->asked) {
        t->df = NAN;
        return;
    }
    double variance = 0.0;
    for (int i = 0; i < SIDES; i++)
        add_arm(r, i, &variance);
    struct interval ci = r->headline->change.ci95;
    double df = t->df;
    if (t->is_short)
        t->df = NAN;
    if (t->is_short || !interval_known(ci))
        return;
    double q = stat_t_quantile(df, r->options->level);
    double half = sqrt(stat_pow2((ci.high - ci.low) / 2.0) + q * q * variance);
    t->delta = t->mean[AFTER] - t->mean[BEFORE];
    if (isnan(t->delta))
        return;
    t->ci95 = (struct interval){t->delta - half, t->delta + half};
}

/* ---- order of runs ------------------------------------------------------------------------------
 */

/* A text as an integer of any size: blanks around it, a sign, digits with single '_' between. */
struct whole {
    bool is;
    bool negative;
    char *digits; /* without leading zeros; owned */
};

static struct whole whole_of(struct span text)
{
    struct span t = text_strip(text);
    struct whole w = {.is = false};
    struct buf digits = {0};
    size_t i = 0;
    if (t.len && (t.ptr[0] == '-' || t.ptr[0] == '+'))
        w.negative = t.ptr[i++] == '-';
    bool digit = false; /* the character before is one */
    for (; i < t.len; i++) {
        char c = t.ptr[i];
        bool more = i + 1 < t.len;
        if (c == '_' && digit && more) {
            digit = false;
        } else if (c >= '0' && c <= '9') {
            digit = true;
            if (digits.len || c != '0')
                buf_byte(&digits, c);
        } else {
            buf_free(&digits);
            return (struct whole){.is = false};
        }
    }
    w.is = digit;
    w.negative = w.negative && digits.len > 0;
    w.digits = buf_take(&digits);
    return w;
}

static int compare_wholes(const struct whole *a, const struct whole *b)
{
    if (a->negative != b->negative)
        return a->negative ? -1 : 1;
    size_t x = strlen(a->digits), y = strlen(b->digits);
    int order = x != y ? (x < y ? -1 : 1) : strcmp(a->digits, b->digits);
    return a->negative ? -order : order;
}

struct stamp {
    struct whole whole;
    struct span text;
    size_t number; /* first-seen order */
};

static int by_stamp(const void *left, const void *right)
{
    const struct stamp *a = left, *b = right;
    int order = 0;
    if (a->whole.is != b->whole.is)
        return a->whole.is ? -1 : 1;
    order = a->whole.is ? compare_wholes(&a->whole, &b->whole) : span_compare(a->text, b->text);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

static size_t *run_order(const struct map *names)
{
    struct stamp *stamps = mem_zero(names->count, sizeof *stamps);
    size_t *order = mem_zero(names->count, sizeof *order);
    for (size_t i = 0; i < names->count; i++)
        stamps[i] = (struct stamp){whole_of(names->keys[i]), names->keys[i], i};
    qsort(stamps, names->count, sizeof *stamps, by_stamp);
    for (size_t i = 0; i < names->count; i++) {
        order[i] = stamps[i].number;
        free(stamps[i].whole.digits);
    }
    free(stamps);
    return order;
}

/* ---- repeats (6.8) ------------------------------------------------------------------------------
 */

static void set_run(struct run_rates *run, const struct passat *rows, struct span label,
                    struct span metric)
{
    run->label = label;
    run->tasks = passat_tasks(rows, metric, &run->n);
    run->mean = tasks_mean(run->tasks, run->n);
}

static void split_side(struct compare_report *r, int i)
{
    const struct compare_side *side = &r->rows->sides[i];
    struct repeats *p = &r->repeats;
    size_t stamped = side->runs.names.count;
    size_t n = stamped >= 2 ? stamped : side->n_trained >= 2 ? side->n_trained : 1;
    struct run_rates *runs = p->runs[i] = mem_zero(n, sizeof *runs);
    p->n_runs[i] = n;
    if (stamped >= 2) {
        size_t *order = run_order(&side->runs.names);
        for (size_t j = 0; j < n; j++)
            set_run(&runs[j], side->runs.rows[order[j]], side->runs.names.keys[order[j]],
                    r->headline->name);
        free(order);
    } else if (side->n_trained >= 2) {
        for (size_t j = 0; j < n; j++)
            set_run(&runs[j], side->trained[j], (struct span){NULL, 0}, r->headline->name);
    } else {
        set_run(&runs[0], side->rows, (struct span){NULL, 0}, r->headline->name);
    }
    double low = NAN, high = NAN;
    size_t known = 0;
    for (size_t j = 0; j < n; j++) {
        known += !isnan(runs[j].mean);
        low = fmin(low, runs[j].mean);
        high = fmax(high, runs[j].mean);
    }
    p->range[i] = known >= 2 ? (struct interval){low, high} : INTERVAL_NONE;
}

/* The runs of a side as one, in run order. */
static struct run_rates all_runs(const struct run_rates *runs, size_t n)
{
    struct map tasks = {0};
    struct run_rates all = {.label = {NULL, 0}};
    size_t cap = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < runs[i].n; j++) {
            bool fresh;
            const struct task_rate *task = &runs[i].tasks[j];
            size_t at = map_add(&tasks, task->key, &fresh);
            all.tasks = mem_grow(all.tasks, &cap, at + 1, sizeof *all.tasks);
            if (fresh)
                all.tasks[at] = (struct task_rate){.key = task->key};
            all.tasks[at].n += task->n;
            all.tasks[at].sum += task->sum;
        }
    all.n = tasks.count;
    for (size_t i = 0; i < all.n; i++)
        all.tasks[i].mean = all.tasks[i].sum / (double)all.tasks[i].n;
    map_free(&tasks);
    return all;
}

static const char *tag(double delta, double band, enum change_verdict gain)
{
    if (isnan(delta))
        return "n/a";
    if (fabs(delta) < band) /* false without a band */
        return "flat";
    return gain == CHANGE_B_BETTER ? "up" : gain == CHANGE_A_BETTER ? "DOWN" : "flat";
}

static void compare_pair(struct compare_report *r, size_t i, const struct run_rates *a,
                         const struct run_rates *b)
{
    struct repeats *p = &r->repeats;
    struct metric_change change;
    compare_tasks(r->options, MEASURE_SEED_RUNS + i, r->headline->name, a->tasks, a->n, b->tasks,
                  b->n, &change);
    p->deltas[i] = change.delta;
    p->shared[i] = change.n_paired;
    p->tags[i] = tag(change.delta, NAN, compare_gain(change.verdict, r->headline->lower));
    p->agree += strcmp(p->tags[i], p->pooled_tag) == 0;
    notes_free(&change.notes);
}

void compare_repeats(struct compare_report *r)
{
    struct repeats *p = &r->repeats;
    for (int i = 0; i < SIDES; i++)
        split_side(r, i);
    const struct compared *m = r->headline;
    p->pooled_tag = tag(m->change.delta, m->noise_band, m->gain);
    size_t a = p->n_runs[BEFORE], b = p->n_runs[AFTER];
    if (a == 1 && b == 1) {
        p->n_pairs = 0;
        return;
    }
    p->n_pairs = a > b ? a : b;
    p->deltas = mem_zero(p->n_pairs, sizeof *p->deltas);
    p->tags = mem_zero(p->n_pairs, sizeof *p->tags);
    p->shared = mem_zero(p->n_pairs, sizeof *p->shared);
    p->pairing = a == b ? "run_to_run" : b > a ? "after_vs_all_before" : "before_vs_all_after";
    struct run_rates all = a == b  ? (struct run_rates){.n = 0}
                           : b > a ? all_runs(p->runs[BEFORE], a)
                                   : all_runs(p->runs[AFTER], b);
    for (size_t i = 0; i < p->n_pairs; i++)
        compare_pair(r, i, b > a ? &all : &p->runs[BEFORE][i], a > b ? &all : &p->runs[AFTER][i]);
    free(all.tasks);
}
