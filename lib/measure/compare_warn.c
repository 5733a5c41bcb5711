/* compare_warn.c: what a reader should know before believing the numbers, in the order of measure
 * 6.12: replication, floors, guards, room, sizing, slices. How the sides were made is in
 * compare_warn_config.c. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/compare_inside.h"
#include "text/term.h"

/* A name from outside, safe to show; the text lives in the report. */
static const char *shown(struct compare_report *r, struct span name)
{
    struct buf text = {0};
    term_add_head(&text, name, MEASURE_REASON_MAX);
    const char *kept = arena_span(&r->arena, buf_span(&text)).ptr;
    buf_free(&text);
    return kept;
}

static double percent(const struct compare_report *r)
{
    return 100.0 * r->options->level;
}

/* "+0.125 (95% +0.010..+0.240)" */
static void add_change(struct buf *out, const struct compare_report *r,
                       const struct metric_change *change)
{
    if (isnan(change->delta))
        buf_text(out, "n/a");
    else
        buf_format(out, "%+.3f", change->delta);
    if (interval_known(change->ci95))
        buf_format(out, " (%g%% %+.3f..%+.3f)", percent(r), change->ci95.low, change->ci95.high);
}

/* ---- repeats ------------------------------------------------------------------------------------
 */

static const char *single_sides(const struct compare_report *r)
{
    bool before = r->eval_runs[BEFORE] < 2, after = r->eval_runs[AFTER] < 2;
    return before && after ? "both sides have" : before ? "before has" : "after has";
}

static void warn_training(struct compare_report *r)
{
    const struct training *t = &r->training;
    if (t->is_short)
        notes_add(&r->warnings, "unresolved_one_seed",
                  "an arm was trained on one seed, and its luck cannot be told from the change; "
                  "train another seed or two and give each file (before %zu, after %zu)",
                  t->count[BEFORE], t->count[AFTER]);
    if (interval_known(t->ci95) && t->ci95.low <= 0.0 && t->ci95.high >= 0.0 &&
        !isnan(r->headline->change.delta))
        notes_add(
            &r->warnings, "seed_spread_covers_zero",
            "with the spread between training seeds the change is %+.3f (%+.3f..%+.3f), which "
            "covers 0: it is not told from another seed; train more seeds",
            t->delta, t->ci95.low, t->ci95.high);
}

static void warn_replication(struct compare_report *r)
{
    if (r->target_word != WORD_UNREPLICATED || r->headline->no_floor)
        return;
    if (r->eval_runs[BEFORE] < 2 || r->eval_runs[AFTER] < 2)
        notes_add(&r->warnings, "single_run",
                  "%s one run, so the gain is not told from re-running the eval; run the eval two "
                  "or three times a side (each with its own lineage.eval_run), or give --run-std",
                  single_sides(r));
    else
        notes_add(&r->warnings, "runs_without_floor",
                  "both sides have several runs (%zu and %zu) but no re-run floor comes of them; "
                  "stamp the rows of each run with lineage.eval_run, or give --run-std",
                  r->eval_runs[BEFORE], r->eval_runs[AFTER]);
}

static void warn_no_floor(struct compare_report *r)
{
    struct buf names = {0};
    for (size_t i = 0; i < r->n_metrics; i++)
        if (r->metrics[i].no_floor) {
            buf_text(&names, names.len ? ", " : "");
            term_add_head(&names, r->metrics[i].name, MEASURE_REASON_MAX);
        }
    if (names.len)
        notes_add(&r->warnings, "no_floor_for_metric",
                  "no re-run floor for %s: what they moved is not held against re-running; %s",
                  buf_cstr(&names),
                  r->floor_source == FLOOR_GIVEN ? "name them in --run-std METRIC=SPREAD"
                                                 : "two runs a side have to carry them");
    buf_free(&names);
}

static void warn_floors(struct compare_report *r)
{
    const struct compare_options *o = r->options;
    size_t least =
        r->eval_runs[BEFORE] < r->eval_runs[AFTER] ? r->eval_runs[BEFORE] : r->eval_runs[AFTER];
    if (r->floor_source == FLOOR_EVAL_RUN && least < MEASURE_MIN_RERUNS)
        notes_add(&r->warnings, "two_runs_rough",
                  "the re-run floor rests on %zu runs of a side, and two are a difference, not a "
                  "distribution: the band is wide; run the eval %d times a side",
                  least, MEASURE_MIN_RERUNS);
    if (r->floor_source == FLOOR_GIVEN && o->run_std_runs < MEASURE_MIN_RERUNS)
        notes_add(&r->warnings, "run_std_runs_rough",
                  "--run-std rests on %.0f re-runs: the band is wide; re-run the eval %d times",
                  o->run_std_runs, MEASURE_MIN_RERUNS);
    if (r->floor_source == FLOOR_GIVEN && r->replicated && isnan(o->run_std_runs))
        notes_add(
            &r->warnings, "run_std_bare",
            "--run-std stands without --run-std-runs, so the band reads it as exact and takes "
            "%.2f of it; a spread of 3 re-runs takes %.2f",
            stat_z(o->level), stat_t_quantile(2.0, o->level));
}

/* ---- what moved ---------------------------------------------------------------------------------
 */

static bool loud(const struct compared *m, enum change_verdict gain)
{
    return !m->within_noise && m->gain == gain;
}

static void warn_guards(struct compare_report *r)
{
    for (size_t i = 0; i < r->n_degenerate; i++)
        notes_add(&r->warnings, "degenerate_guard",
                  "%s has one value in all rows of each side: a guard that cannot fail here; see "
                  "that it fires, or drop it from --must-not-regress",
                  shown(r, r->degenerate[i]));
}

static void warn_family(struct compare_report *r)
{
    bool any = false;
    for (size_t i = 0; i < r->n_metrics; i++)
        any |= loud(&r->metrics[i], CHANGE_A_BETTER) || loud(&r->metrics[i], CHANGE_B_BETTER);
    if (r->n_metrics >= MEASURE_FAMILY_METRICS && any)
        notes_add(&r->warnings, "family_error",
                  "%zu metrics are each tested at %g%%: the chance that one or more moves by "
                  "accident is up to %.0f%%; name the one that counts with --target, or take "
                  "--adjust holm",
                  r->n_metrics, percent(r),
                  100.0 * (1.0 - pow(r->options->level, (double)r->n_metrics)));
}

static void warn_ceiling(struct compare_report *r)
{
    if (r->ceiling_rate)
        notes_add(&r->warnings, "ceiling_rate",
                  "before passes at %.2f already, at or above %.2f: little is left to gain; take "
                  "harder tasks",
                  r->metrics[0].change.mean_a, r->options->asked->ceiling);
    else if (r->ceiling)
        notes_add(&r->warnings, "ceiling_tasks",
                  "only %zu of the %zu shared tasks do not pass every time before: the others "
                  "cannot gain; take harder tasks",
                  r->n_with_room, r->n_shared);
}

static void warn_proxy(struct compare_report *r)
{
    if (r->proxy_word == WORD_PROXY_NOT_MEASURED)
        notes_add(&r->warnings, "proxy_not_measured",
                  "the proxy %s is not on both sides, so over-optimization is not looked for; "
                  "stamp it on both",
                  shown(r, r->options->proxy));
    if (r->proxy_word == WORD_PROXY_IS_TARGET)
        notes_add(&r->warnings, "proxy_is_target",
                  "the proxy %s is the metric of the headline, and over-optimization shows only "
                  "between two; name another --proxy or --target",
                  shown(r, r->options->proxy));
    if (r->over_optimized) {
        struct buf proxy = {0}, target = {0};
        add_change(&proxy, r, &r->proxy->change);
        add_change(&target, r, &r->headline->change);
        notes_add(&r->warnings, "over_optimized",
                  "%s, which was trained on, moved by %s and %s by %s: the policy learned what the "
                  "target does not credit; stop earlier, or mend the reward",
                  shown(r, r->proxy->name), buf_cstr(&proxy), shown(r, r->headline->name),
                  buf_cstr(&target));
        buf_free(&proxy);
        buf_free(&target);
    }
}

static void warn_moves(struct compare_report *r)
{
    struct buf text = {0};
    for (int guarded = 1; guarded >= 0; guarded--)
        for (size_t i = 0; i < r->n_metrics; i++) {
            const struct compared *m = &r->metrics[i];
            if (m->guarded != guarded || !loud(m, CHANGE_A_BETTER))
                continue;
            buf_clear(&text);
            add_change(&text, r, &m->change);
            if (guarded)
                notes_add(&r->warnings, "regression", "%s must not regress and moved by %s%s",
                          shown(r, m->name), buf_cstr(&text),
                          m->lower ? ": lower is better, so the rise is the regression" : "");
            else
                notes_add(&r->warnings, "slipped", "%s %s by %s%s", shown(r, m->name),
                          m->change.delta > 0 ? "rose" : "fell", buf_cstr(&text),
                          m->lower ? "; lower is better" : "");
        }
    buf_free(&text);
}

/* ---- tasks --------------------------------------------------------------------------------------
 */

static void warn_headline(struct compare_report *r)
{
    const struct metric_change *c = &r->headline->change;
    if (c->notes.count) {
        struct buf text = {0};
        notes_text(&c->notes, &text);
        notes_add(&r->warnings, "headline_note", "%s: %s", shown(r, r->headline->name),
                  buf_cstr(&text));
        buf_free(&text);
    }
    const struct metric_change *pass = &r->metrics[0].change;
    if (pass->paired_share < MEASURE_UNPAIRED_MAJORITY && pass->n_only_a + pass->n_only_b > 0) {
        compare_cause(r, "situations", true);
        notes_add(&r->warnings, "not_comparable_situations",
                  "NOT COMPARABLE: the sides were run on different tasks: %zu of %zu are on both; "
                  "run both on one task set",
                  pass->n_paired, pass->n_paired + pass->n_only_a + pass->n_only_b);
    }
}

static void warn_sizing(struct compare_report *r)
{
    if (r->headline_verdict != WORD_NO_CHANGE || isnan(r->detectable))
        return;
    const struct compare_request *asked = r->options->asked;
    struct buf text = {0};
    if (!isnan(r->tasks_needed))
        buf_format(&text, "; the change seen would need %.0f tasks", r->tasks_needed);
    notes_add(&r->warnings, "sizing",
              "no change is not proof of none: %zu paired tasks show a gain of %.3f or more in "
              "%.0f%% of such runs%s",
              r->headline->change.n_paired, r->detectable, 100.0 * asked->power, buf_cstr(&text));
    buf_free(&text);
}

static void warn_unequal_k(struct compare_report *r)
{
    if (r->k[BEFORE] == r->k[AFTER])
        return;
    int shorter = r->k[BEFORE] < r->k[AFTER] ? BEFORE : AFTER;
    const struct compared *m = &r->metrics[0];
    struct map other = {0};
    size_t few = 0, paired = 0;
    for (size_t i = 0; i < m->n[!shorter]; i++)
        map_add(&other, m->tasks[!shorter][i].key, NULL);
    for (size_t i = 0; other.count && i < m->n[shorter]; i++) {
        if (map_find(&other, m->tasks[shorter][i].key) == MAP_NONE)
            continue;
        paired++;
        few += (int64_t)m->tasks[shorter][i].n < r->k[!shorter];
    }
    map_free(&other);
    notes_add(&r->warnings, "unequal_k",
              "%s has %lld graded rows a task and %s %lld: %zu of the %zu paired tasks fall short. "
              "That costs precision, and biases only if rows went missing for a reason; see what "
              "became of them, or take --balance-rollouts",
              SIDE_NAMES[shorter], (long long)r->k[shorter], SIDE_NAMES[!shorter],
              (long long)r->k[!shorter], few, paired);
}

static void warn_rows(struct compare_report *r)
{
    const struct balancing *b = &r->rows->balancing;
    warn_unequal_k(r);
    if (b->dropped[BEFORE] + b->dropped[AFTER] > 0)
        notes_add(&r->warnings, "balanced",
                  "%llu tasks were trimmed to the rows that both sides have: %llu rows left out "
                  "before, %llu after",
                  (unsigned long long)b->trimmed, (unsigned long long)b->dropped[BEFORE],
                  (unsigned long long)b->dropped[AFTER]);
    if (r->options->target.ptr && !r->target)
        notes_add(&r->warnings, "target_not_measured",
                  "the target %s is not on both sides; spell it as the rows do, or stamp it on "
                  "both",
                  shown(r, r->options->target));
}

static void warn_slices(struct compare_report *r)
{
    struct buf text = {0};
    for (size_t i = 0; i < r->n_slices; i++) {
        const struct compared_slice *s = &r->slices[i];
        if (s->gain != CHANGE_A_BETTER)
            continue;
        buf_clear(&text);
        add_change(&text, r, &s->change);
        notes_add(&r->warnings, "group_down", "%s %s: %s moved the wrong way, %s on %zu tasks",
                  shown(r, span_text(r->by)), shown(r, s->name), shown(r, r->headline->name),
                  buf_cstr(&text), s->change.n_used);
    }
    buf_free(&text);
    if (r->by && r->n_slices == 0)
        notes_add(&r->warnings, "no_shared_group",
                  "no value of %s is on both sides, so nothing is split; see how the rows spell it",
                  shown(r, span_text(r->by)));
}

void compare_cause(struct compare_report *r, const char *cause, bool fails)
{
    if (r->n_causes < CAUSES_MAX)
        r->causes[r->n_causes++] = cause;
    if (fails)
        r->ok = false;
}

void compare_warn(struct compare_report *r)
{
    warn_training(r);
    warn_replication(r);
    warn_no_floor(r);
    warn_guards(r);
    warn_floors(r);
    warn_family(r);
    warn_ceiling(r);
    warn_proxy(r);
    if (r->target_word == WORD_WITHIN_NOISE)
        notes_add(&r->warnings, "within_band",
                  "%s moved by %+.3f, inside the %.3f that re-running the eval moves it; more runs "
                  "a side narrow the band",
                  shown(r, r->headline->name), r->headline->change.delta, r->headline->noise_band);
    warn_moves(r);
    warn_headline(r);
    warn_sizing(r);
    warn_rows(r);
    warn_slices(r);
    compare_warn_config(r);
}
