/* compare_gate.c: what a comparison was asked to judge, as gates, so that JUnit, annotations and
 * the exit status say the same (measure 6.14, 11), and those outputs. What was asked for and was
 * not measured is red. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/compare.h"
#include "measure/compare_inside.h"
#include "text/term.h"

/* ---- what ok covers -----------------------------------------------------------------------------
 */

/* A gate on how a metric moved; metric NULL: it is not measured. */
static struct gate *add_move(struct compare_report *r, struct span name, const char *rule,
                             const struct compared *metric)
{
    struct gate *gate = gates_add(&r->gates, name, rule);
    struct buf text = {0};
    term_add_head(&text, name, MEASURE_REASON_MAX);
    if (compare_measured(metric)) {
        gate->value = metric->change.delta;
        gate->interval = metric->change.ci95;
        gate->n_tasks = metric->change.n_used;
        buf_format(&text, " %+.4g", gate->value);
        if (interval_known(gate->interval))
            buf_format(&text, " [%+.4g..%+.4g]", gate->interval.low, gate->interval.high);
        buf_format(&text, " on %zu %s", gate->n_tasks,
                   metric->change.paired ? "tasks of both" : "tasks a side, not paired");
    } else {
        gate->red = true;
        gate->reason = "not_measured";
        buf_text(&text, " is not measured on both sides");
    }
    buf_format(&text, "; %s", rule);
    gate->text = buf_take(&text);
    return gate;
}

static void turn_red(struct gate *gate, bool red, const char *reason)
{
    if (gate->red || !red) /* the first reason stays */
        return;
    gate->red = true;
    gate->reason = reason;
}

static void judge_asked(struct compare_report *r)
{
    const struct compare_options *o = r->options;
    if (o->target.ptr)
        turn_red(add_move(r, o->target, "target", r->target), r->gate_word == WORD_WRONG_WAY,
                 "wrong_way");
    for (size_t i = 0; i < o->n_guards; i++) {
        const struct compared *m = compare_find(r, o->guards[i]);
        turn_red(add_move(r, o->guards[i], "must-not-regress", m),
                 m && !m->within_noise && m->gain == CHANGE_A_BETTER, "regressed");
    }
    if (compare_measured(r->proxy))
        turn_red(add_move(r, o->proxy, "proxy", r->proxy), r->over_optimized, "over_optimized");
    for (size_t i = 0; i < r->n_causes; i++) {
        if (strcmp(r->causes[i], "prompt_hash") == 0) /* the prompt is often what was changed */
            continue;
        struct gate *gate = gates_add(&r->gates, span_text(r->causes[i]), "comparable");
        struct buf text = {0};
        turn_red(gate, true, "not_comparable");
        buf_format(&text, "not comparable: %s", r->causes[i]);
        gate->text = buf_take(&text);
    }
}

/* ---- --fail-on ----------------------------------------------------------------------------------
 */

static bool any_slipped(const struct compare_report *r)
{
    for (size_t i = 0; i < r->n_metrics; i++) {
        const struct compared *m = &r->metrics[i];
        if (!m->guarded && !m->within_noise && m->gain == CHANGE_A_BETTER)
            return true;
    }
    return false;
}

static bool any_slice(const struct compare_report *r, bool weak)
{
    for (size_t i = 0; i < r->n_slices; i++)
        if (weak ? r->slices[i].weak : r->slices[i].gain == CHANGE_A_BETTER)
            return true;
    return false;
}

static bool happened(const struct compare_report *r, enum fail_on what)
{
    enum compare_word word = r->headline_verdict;
    switch (what) {
    case FAIL_WRONG_WAY: return word == WORD_WRONG_WAY;
    case FAIL_NO_GAIN: return word != WORD_MOVED && word != WORD_UNREPLICATED;
    case FAIL_UNREPLICATED: return word == WORD_UNREPLICATED;
    case FAIL_WITHIN_NOISE: return word == WORD_WITHIN_NOISE;
    case FAIL_INSUFFICIENT: return word == WORD_INSUFFICIENT;
    case FAIL_UNRESOLVED: return word == WORD_UNRESOLVED;
    case FAIL_SLIPPED: return any_slipped(r);
    case FAIL_GROUP_DOWN: return any_slice(r, false);
    case FAIL_WEAK_SLICE: return any_slice(r, true);
    case FAIL_CEILING: return r->ceiling;
    case FAIL_DEGENERATE_GUARD: return r->n_degenerate > 0;
    default: break;
    }
    for (size_t i = 0; i < r->n_causes; i++)
        if (strcmp(r->causes[i], "prompt_hash") == 0)
            return true;
    return false;
}

/* Whether the report can tell at all; a question without an answer is red. */
static bool answered(const struct compare_report *r, enum fail_on what)
{
    switch (what) {
    case FAIL_GROUP_DOWN:
    case FAIL_WEAK_SLICE: return r->n_slices > 0;
    case FAIL_CEILING: return compare_measured(&r->metrics[0]);
    case FAIL_DEGENERATE_GUARD: return r->options->n_guards > 0;
    case FAIL_PROMPT_HASH:
        return r->config[BEFORE].settings[SETTING_PROMPT_HASH].json.ptr &&
               r->config[AFTER].settings[SETTING_PROMPT_HASH].json.ptr;
    default: return compare_measured(r->headline);
    }
}

static void judge_fail_on(struct compare_report *r)
{
    for (int what = 0; what < FAIL_ONS; what++) {
        if (!(r->options->fail_on & 1u << what))
            continue;
        bool of_headline = what <= FAIL_UNRESOLVED;
        struct gate *gate = of_headline
                                ? add_move(r, r->headline->name, FAIL_ON_NAMES[what], r->headline)
                                : gates_add(&r->gates, span_text(FAIL_ON_NAMES[what]), "fail-on");
        turn_red(gate, !answered(r, (enum fail_on)what), "not_measured");
        turn_red(gate, happened(r, (enum fail_on)what), "happened");
        if (of_headline)
            continue;
        struct buf text = {0};
        buf_format(&text, "--fail-on %s: %s", FAIL_ON_NAMES[what],
                   !gate->red                                  ? "no"
                   : strcmp(gate->reason, "not_measured") == 0 ? "not measured in these rows"
                                                               : "yes, see the warnings");
        gate->text = buf_take(&text);
    }
}

/* ---- limits -------------------------------------------------------------------------------------
 */

static void after_metric(void *context, struct span name, struct metric_value *out)
{
    const struct compare_report *r = context;
    passat_metric(&r->config[AFTER], name, out);
}

void compare_judge(struct compare_report *r)
{
    judge_asked(r);
    judge_fail_on(r);
    const struct gate_options *limits = &r->options->asked->gates;
    gates_judge(limits, after_metric, r, &r->gates);
    if (!limits->strict)
        return;
    struct notes all = {0};
    for (size_t i = 0; i < r->warnings.count + r->notes.count; i++) {
        const struct note *note =
            i < r->warnings.count ? &r->warnings.items[i] : &r->notes.items[i - r->warnings.count];
        notes_add(&all, note->code, "%s", note->text);
    }
    gates_strict(&all, compare_measured(r->headline), &r->gates);
    notes_free(&all);
}

/* ---- CI outputs ---------------------------------------------------------------------------------
 */

enum { PROPERTIES = 2 * SETTINGS + 4, TEXTS = 2 * SETTINGS + 2 };

static size_t properties(const struct compare_report *r, struct buf texts[TEXTS],
                         struct ci_property out[PROPERTIES])
{
    size_t n = 0, used = 0;
    for (int side = 0; side < SIDES; side++)
        for (size_t i = 0; i < SETTINGS; i++) {
            struct span json = r->config[side].settings[i].json;
            if (!json.ptr)
                continue;
            buf_format(&texts[used], "%s.%s", SIDE_NAMES[side], SETTING_NAMES[i]);
            out[n++] = (struct ci_property){buf_cstr(&texts[used++]), json};
        }
    buf_format(&texts[used], "%lld", (long long)r->options->asked->draws);
    out[n++] = (struct ci_property){"n_boot", buf_span(&texts[used++])};
    buf_format(&texts[used], "%g", r->options->level);
    out[n++] = (struct ci_property){"level", buf_span(&texts[used++])};
    out[n++] = (struct ci_property){"seed", buf_span(&r->options->seed)};
    out[n++] = (struct ci_property){
        "scheme", span_text(r->headline->change.scheme == BOOT_HIST ? "hist" : "cpython-mt19937")};
    return n;
}

/* A line of the summary's table. */
static void add_row(struct ci_row *rows, size_t *count, struct arena *arena, const char *what,
                    struct span name, struct ci_row row)
{
    struct buf text = {0};
    buf_text(&text, what);
    term_add_head(&text, name, MEASURE_REASON_MAX);
    row.metric = arena_span(arena, buf_span(&text)).ptr;
    rows[(*count)++] = row;
    buf_free(&text);
}

/* The changes of metrics, of slices, and of the tasks that moved, the worst first. */
static struct ci_row *table(const struct compare_report *r, struct arena *arena, size_t *count)
{
    struct ci_row *rows =
        mem_zero(r->n_metrics + r->n_slices + COMPARE_SUMMARY_TASKS, sizeof *rows);
    *count = 0;
    for (size_t i = 0; i < r->n_metrics; i++) {
        const struct metric_change *c = &r->metrics[i].change;
        add_row(rows, count, arena, "change of ", r->metrics[i].name,
                (struct ci_row){NULL, c->delta, c->ci95, c->n_used});
    }
    for (size_t i = 0; i < r->n_slices; i++) {
        const struct metric_change *c = &r->slices[i].change;
        add_row(rows, count, arena, "change in slice ", r->slices[i].name,
                (struct ci_row){NULL, c->delta, c->ci95, c->n_used});
    }
    size_t shown = 0;
    for (size_t i = 0; i < r->n_per_task && shown < COMPARE_SUMMARY_TASKS; i++) {
        const struct task_change *task = &r->tasks[i];
        if (task->after == task->before)
            continue;
        shown++;
        add_row(rows, count, arena, "change of task ", task->key,
                (struct ci_row){NULL, task->after - task->before, INTERVAL_NONE, 1});
    }
    return rows;
}

int compare_ci_write(const struct compare_report *r, const struct ci_options *options,
                     struct error *error)
{
    struct ci_property made[PROPERTIES];
    struct buf texts[TEXTS] = {{0}}, headline = {0};
    struct arena arena = {0};
    if (r->headline_word)
        compare_headline(r, &headline);
    else
        compare_one_text(r, &headline);
    while (headline.len && headline.data[headline.len - 1] == '\n')
        headline.len--;
    struct ci_report ci = {.tool = "wai-compare",
                           .headline = buf_cstr(&headline),
                           .gates = &r->gates,
                           .notes = &r->notes,
                           .warnings = &r->warnings,
                           .properties = made,
                           .tasks = r->metrics[0].tasks[AFTER],
                           .n_tasks = r->metrics[0].tasks[AFTER] ? r->metrics[0].n[AFTER] : 0};
    ci.n_properties = properties(r, texts, made);
    struct ci_row *rows = table(r, &arena, &ci.n_rows);
    ci.rows = rows;
    int code = ci_write(&ci, options, error);
    free(rows);
    for (size_t i = 0; i < TEXTS; i++)
        buf_free(&texts[i]);
    buf_free(&headline);
    arena_free(&arena);
    return code;
}
