/* plan_power.c: what a number of tasks can show (measure 9.2), and whether a held-out set can prove
 * a gain (9.3), asked on the rows of the base run before anything is trained. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/plan.h"
#include "measure/plan_write.h"

/* ---- detectable-effect --------------------------------------------------------------------------
 */

int detectable_check(const struct detectable_options *o, struct error *error)
{
    if (!(o->power > 0.0 && o->power < 1.0) || !(o->alpha > 0.0 && o->alpha < 1.0) ||
        1.0 - o->alpha / 2.0 == 1.0)
        return error_set(error, ERROR_USAGE,
                         "--power %g, --alpha %g: each lies between 0 and 1, both left out",
                         o->power, o->alpha);
    return 0;
}

double detectable_effect_solved(const struct detectable_options *o)
{
    if (!(o->n_tasks >= MEASURE_MIN_HOLDOUT))
        return NAN;
    double z = stat_normal_inverse(1.0 - o->alpha / 2.0) + stat_normal_inverse(o->power);
    double p = o->base;
    double c = o->n_tasks * o->k / (z * z);
    /* (c + 1) e^2 - (1 - 2p) e - 2p(1 - p) = 0, the larger root */
    double half = 1.0 - 2.0 * p;
    double root = sqrt(half * half + 8.0 * (c + 1.0) * p * (1.0 - p));
    double effect = (half + root) / (2.0 * (c + 1.0));
    return p + effect <= 1.0 ? effect : NAN;
}

static double detectable(const struct detectable_options *o)
{
    return detectable_effect(o->n_tasks, o->base, o->k, o->power, o->alpha);
}

void detectable_json(const struct detectable_options *o, struct json_writer *w)
{
    plan_write_report(w, "detectable-effect");
    plan_write_real(w, "detectable_effect", detectable(o));
    plan_write_real(w, "detectable_effect_solved", detectable_effect_solved(o));
    plan_write_whole(w, "n_tasks", o->n_tasks);
    plan_write_real(w, "base", o->base);
    plan_write_whole(w, "k", o->k);
    plan_write_real(w, "power", o->power);
    plan_write_real(w, "alpha", o->alpha);
    json_write_end_object(w);
}

void detectable_text(const struct detectable_options *o, struct buf *out)
{
    double effect = detectable(o), solved = detectable_effect_solved(o);
    if (isnan(effect)) {
        buf_format(out, "%.0f %s nothing: a change has a spread from %d tasks on\n", o->n_tasks,
                   o->n_tasks == 1.0 ? "task shows" : "tasks show", MEASURE_MIN_HOLDOUT);
        return;
    }
    buf_format(
        out, "%.0f tasks of %.0f tries show a gain of %.4f from a rate of %g, power %g, alpha %g\n",
        o->n_tasks, o->k, effect, o->base, o->power, o->alpha);
    if (isnan(solved))
        buf_format(out, "note: no gain that a rate of %g leaves room for can be shown by so few\n",
                   o->base);
    else if (fabs(solved - effect) > MEASURE_SETTLED)
        buf_format(out,
                   "note: the equation solved says %.4f: so few tries are past the iteration\n",
                   solved);
}

/* ---- eval-power ---------------------------------------------------------------------------------
 */

static void count_tasks(struct power_report *r, const struct task_rate *tasks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double rate = tasks[i].mean;
        r->n_rollouts += tasks[i].n;
        r->in_band += rate >= r->options.band_low && rate <= r->options.band_high;
        r->tied_pass += rate >= 1.0;
        r->tied_fail += rate <= 0.0;
        r->single_rollout += tasks[i].n == 1;
    }
}

static void judge(struct power_report *r, double base)
{
    double effect = r->options.effect;
    if (r->tied_fail == r->n_tasks) {
        r->verdict = "floored";
        buf_format(&r->reason, "every one of the %zu tasks fails every try", r->n_tasks);
        notes_add(&r->warnings, "verdict_fix",
                  "no task is ever solved, so a gain may be out of reach and nothing here would "
                  "show why; take easier tasks, or look at the checker first");
    } else if (1.0 - base < effect) {
        r->verdict = "saturated";
        buf_format(&r->reason, "a rate of %.3f leaves %.3f to gain, less than %g", base, 1.0 - base,
                   effect);
        notes_add(&r->warnings, "verdict_fix",
                  "the rate %.3f leaves no room for a gain of %g; take harder tasks", base, effect);
    } else if (!(r->resolvable <= effect)) {
        r->verdict = "underpowered";
        if (isnan(r->resolvable))
            buf_format(&r->reason, "%zu task shows no change at all", r->n_tasks);
        else
            buf_format(&r->reason, "%zu tasks of %.0f tries show %.4f, not %g", r->n_tasks, r->k,
                       r->resolvable, effect);
        notes_add(&r->warnings, "verdict_fix",
                  "these rows cannot prove a gain of %g; about %.0f tasks would (n_needed): add "
                  "tasks or tries before training, or give --effect the gain you expect",
                  effect, r->n_needed);
    } else {
        r->verdict = "usable";
        buf_format(&r->reason, "%zu tasks of %.0f tries show %.4f", r->n_tasks, r->k,
                   r->resolvable);
    }
}

/* Sentences pass from the sizing to the report. */
static void take_notes(struct holdout_report *sizing, struct power_report *r)
{
    r->notes = sizing->notes;
    sizing->notes = (struct notes){0};
    if (r->k == 1.0)
        notes_add(
            &r->notes, "k_is_one",
            "a task is tried once, so its rate is 0 or 1 and in_band, tied_pass and tied_fail "
            "say nothing about it; take several tries (--repeats)");
}

static int measure(const struct task_rate *tasks, size_t n, struct power_report *r,
                   struct error *error)
{
    const struct power_options *o = &r->options;
    struct sizing_options sizing = {.effect = o->effect,
                                    .base = MEASURE_BASE_RATE,
                                    .k = MEASURE_TRIES_PER_TASK,
                                    .power = o->power,
                                    .alpha = o->alpha,
                                    .task_std = NAN,
                                    .ceiling = MEASURE_CEILING};
    struct sizing_rows rows = {.has_before = true, .before = tasks, .n_before = n};
    struct sizing_rows none = {0};
    struct holdout_report holdout;
    int code = holdout_size(&sizing, n ? &rows : &none, &holdout, error);
    if (code == 0 && n) {
        r->k = holdout.k;
        r->base = holdout.base;
        r->base_ci95 = holdout.base_ci95;
        r->task_spread = holdout.base_spread;
        r->task_std = holdout.task_std;
        r->n_needed = holdout.n_tasks;
        r->resolvable = detectable_effect((double)n, holdout.base, holdout.k, o->power, o->alpha);
        count_tasks(r, tasks, n);
        judge(r, holdout.base);
        take_notes(&holdout, r);
    }
    holdout_free(&holdout);
    return code;
}

int eval_power(const struct power_options *options, const struct task_rate *tasks, size_t n,
               struct power_report *report, struct error *error)
{
    *report = (struct power_report){.options = *options,
                                    .n_tasks = n,
                                    .k = NAN,
                                    .base = NAN,
                                    .task_spread = NAN,
                                    .task_std = NAN,
                                    .resolvable = NAN,
                                    .n_needed = NAN,
                                    .base_ci95 = INTERVAL_NONE,
                                    .verdict = "empty"};
    if (!(options->band_low >= 0.0 && options->band_low < options->band_high &&
          options->band_high <= 1.0))
        return error_set(error, ERROR_USAGE, "--band %g,%g: write LO,HI with 0 <= LO < HI <= 1",
                         options->band_low, options->band_high);
    int code = measure(tasks, n, report, error);
    if (code == 0 && n == 0) {
        buf_text(&report->reason, "no row carries a verdict of 0 or 1");
        notes_add(&report->warnings, "verdict_fix",
                  "no row carries a verdict of 0 or 1: grade the rows first (wai-grade)");
    }
    return code;
}

void power_free(struct power_report *report)
{
    buf_free(&report->reason);
    notes_free(&report->notes);
    notes_free(&report->warnings);
}

void power_json(const struct power_report *r, struct json_writer *w)
{
    plan_write_report(w, "eval-power");
    plan_write_whole(w, "n_tasks", (double)r->n_tasks);
    plan_write_whole(w, "n_rollouts", (double)r->n_rollouts);
    plan_write_whole(w, "k", r->k);
    plan_write_rounded(w, "base", r->base, MEASURE_SHARE_DIGITS);
    plan_write_interval(w, "base_ci95", r->base_ci95);
    plan_write_rounded(w, "task_spread", r->task_spread, MEASURE_SHARE_DIGITS);
    json_write_key(w, "band");
    json_write_array(w);
    json_write_real(w, r->options.band_low);
    json_write_real(w, r->options.band_high);
    json_write_end_array(w);
    plan_write_whole(w, "in_band", (double)r->in_band);
    plan_write_whole(w, "tied_pass", (double)r->tied_pass);
    plan_write_whole(w, "tied_fail", (double)r->tied_fail);
    plan_write_whole(w, "single_rollout", (double)r->single_rollout);
    plan_write_real(w, "effect", r->options.effect);
    plan_write_real(w, "power", r->options.power);
    plan_write_real(w, "alpha", r->options.alpha);
    plan_write_rounded(w, "task_std", r->task_std, MEASURE_SHARE_DIGITS);
    plan_write_real(w, "resolvable", r->resolvable);
    plan_write_whole(w, "n_needed", r->n_needed);
    plan_write_text(w, "verdict", r->verdict);
    json_write_key(w, "reason");
    json_write_span(w, buf_span(&r->reason));
    plan_write_notes(w, &r->notes, &r->warnings);
    json_write_end_object(w);
}

void power_text(const struct power_report *r, struct buf *out)
{
    buf_format(out, "%s: ", r->verdict);
    buf_span_add(out, buf_span(&r->reason));
    buf_byte(out, '\n');
    if (r->n_tasks) {
        buf_text(out, "base rate ");
        plan_rate(out, r->base, r->base_ci95);
        buf_format(out, "  %zu %s, %llu tries, k %.0f\n", r->n_tasks,
                   r->n_tasks == 1 ? "task" : "tasks", (unsigned long long)r->n_rollouts, r->k);
        buf_format(out,
                   "a gain of %g needs %.0f tasks at power %g, alpha %g\n"
                   "%zu in the band %g..%g, %zu pass always, %zu fail always, %zu tried once\n",
                   r->options.effect, r->n_needed, r->options.power, r->options.alpha, r->in_band,
                   r->options.band_low, r->options.band_high, r->tied_pass, r->tied_fail,
                   r->single_rollout);
    }
    plan_note_lines(out, &r->notes, &r->warnings);
}
