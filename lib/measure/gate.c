/* gate.c: see gate.h. */
#include "measure/gate.h"

#include <math.h>
#include <stdlib.h>

#include "text/term.h"

void gates_free(struct gates *gates)
{
    for (size_t i = 0; i < gates->count; i++) {
        free(gates->items[i].metric);
        free(gates->items[i].text);
    }
    free(gates->items);
    *gates = (struct gates){0};
}

size_t gates_red(const struct gates *gates)
{
    size_t red = 0;
    for (size_t i = 0; i < gates->count; i++)
        red += gates->items[i].red;
    return red;
}

struct gate *gates_add(struct gates *gates, struct span metric, const char *rule)
{
    gates->items = mem_grow(gates->items, &gates->cap, gates->count + 1, sizeof *gates->items);
    struct gate *gate = &gates->items[gates->count++];
    struct buf name = {0};
    buf_span_add(&name, metric);
    *gate = (struct gate){.metric = buf_take(&name),
                          .rule = rule,
                          .limit = NAN,
                          .on = "point",
                          .value = NAN,
                          .interval = INTERVAL_NONE,
                          .reason = ""};
    return gate;
}

static void turn_red(struct gate *gate, const char *reason)
{
    gate->red = true;
    gate->reason = reason;
}

/* ---- values against limits ----------------------------------------------------------------------
 */

int gate_read(const char *text, struct span *metric, double *limit, struct error *error)
{
    const char *equals = strrchr(text, '=');
    *metric = equals ? span_make(text, (size_t)(equals - text)) : SPAN("pass_at_1");
    if (option_read_real(equals ? equals + 1 : text, limit) == 0 && metric->len > 0)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "%s is no limit; write a number, or METRIC=NUMBER as in pass_at_1=0.8", text);
}

static void sentence(struct gate *gate)
{
    struct buf text = {0};
    term_add(&text, span_text(gate->metric));
    if (!isfinite(gate->value))
        buf_text(&text, " is not measured");
    else
        buf_format(&text, " is %.4g", gate->value);
    if (interval_known(gate->interval))
        buf_format(&text, " [%.4g..%.4g]", gate->interval.low, gate->interval.high);
    buf_format(&text, " on %zu tasks", gate->n_tasks);
    if (!isnan(gate->limit))
        buf_format(&text, "; --%s %.6g%s%s", gate->rule, gate->limit,
                   strcmp(gate->on, "point") == 0 ? "" : " on the interval's ",
                   strcmp(gate->on, "point") == 0 ? "" : gate->on);
    if (gate->red && strcmp(gate->reason, "no_interval") == 0)
        buf_text(&text, ", and there is no interval");
    if (gate->red && strcmp(gate->reason, "no_verdicts") == 0)
        buf_text(&text, ", and no row carries a verdict");
    gate->text = buf_take(&text);
}

/* under: red when less than the limit; else when more. */
static void judge(struct gate *gate, const struct metric_value *found, const char *on, double limit,
                  bool under)
{
    gate->limit = limit;
    gate->value = found->value;
    gate->interval = found->interval;
    gate->n_tasks = found->n_tasks;
    gate->on = found->resampled ? on : "point"; /* shares and counts have no interval to look at */
    double number = strcmp(gate->on, "lower") == 0   ? found->interval.low
                    : strcmp(gate->on, "upper") == 0 ? found->interval.high
                                                     : found->value;
    if (!isfinite(found->value))
        turn_red(gate, "not_measured");
    else if (!found->judged)
        turn_red(gate, "no_verdicts");
    else if (isnan(number))
        turn_red(gate, "no_interval");
    else if (under && number < limit - MEASURE_GATE_SLACK)
        turn_red(gate, "under_limit");
    else if (!under && number > limit + MEASURE_GATE_SLACK)
        turn_red(gate, "over_limit");
    sentence(gate);
}

static void judge_list(const struct option_list *list, const char *rule, const char *on, bool under,
                       gate_lookup *lookup, void *context, struct gates *gates)
{
    for (size_t i = 0; i < list->count; i++) {
        struct span metric;
        double limit;
        struct metric_value found;
        if (gate_read(list->items[i], &metric, &limit, NULL) < 0)
            continue; /* refused before the rows were read */
        lookup(context, metric, &found);
        judge(gates_add(gates, metric, rule), &found, on, limit, under);
    }
}

void gates_judge(const struct gate_options *options, gate_lookup *lookup, void *context,
                 struct gates *gates)
{
    struct metric_value found;
    judge_list(&options->fail_under, "fail-under", options->on, true, lookup, context, gates);
    judge_list(&options->fail_over, "fail-over", options->on, false, lookup, context, gates);
    if (options->min_tasks_given) {
        lookup(context, SPAN("pass_at_1"), &found);
        found.value = (double)found.n_tasks;
        found.resampled = false;
        found.interval = INTERVAL_NONE;
        judge(gates_add(gates, SPAN("n_tasks"), "min-tasks"), &found, "point",
              (double)options->min_tasks, true);
    }
    if (options->min_graded_given) {
        lookup(context, SPAN("graded_share"), &found);
        judge(gates_add(gates, SPAN("graded_share"), "min-graded"), &found, "point",
              options->min_graded, true);
    }
}

void gates_strict(const struct notes *warnings, bool judged, struct gates *gates)
{
    if (!judged) {
        struct gate *gate = gates_add(gates, SPAN("verdicts"), "strict");
        turn_red(gate, "no_verdicts");
        gate->text = mem_text("no row carries a verdict");
    }
    for (size_t i = 0; i < warnings->count; i++) {
        struct gate *gate = gates_add(gates, span_text(warnings->items[i].code), "strict");
        turn_red(gate, "warning");
        gate->text = mem_text(warnings->items[i].text);
    }
    if (warnings->count == 0 && judged)
        gates_add(gates, SPAN("warnings"), "strict")->text = mem_text("no warning");
}

/* ---- against a baseline -------------------------------------------------------------------------
 */

static void judge_change(struct gate *gate, const struct metric_change *change,
                         const struct baseline_options *options)
{
    struct interval ci = change->ci95;
    double band =
        stat_noise_band(options->run_std, 1.0, 1.0, options->run_std_runs - 1.0, change->level);
    bool within = fabs(change->delta) < band; /* false without a band */
    switch (options->rule) {
    case BASELINE_REGRESS:
        if (change->verdict == CHANGE_INSUFFICIENT) /* what cannot be judged is not green */
            turn_red(gate, isnan(change->delta) ? "not_measured" : "insufficient_data");
        else if (change->verdict == CHANGE_A_BETTER && !within)
            turn_red(gate, "regressed");
        break;
    case BASELINE_NONINFERIOR:
        gate->limit = -options->margin;
        if (!interval_known(ci))
            turn_red(gate, "no_interval");
        else if (!(ci.low > -options->margin))
            turn_red(gate, "loss_not_excluded");
        break;
    case BASELINE_DROP:
        gate->limit = -options->margin;
        if (isnan(change->delta))
            turn_red(gate, "not_measured");
        else if (change->delta < -options->margin - MEASURE_GATE_SLACK)
            turn_red(gate, "dropped");
        break;
    }
}

void gate_baseline(const struct metric_change *change, const char *metric,
                   const struct baseline_options *options, struct gates *gates)
{
    static const char *const RULES[] = {"regress", "noninferior", "drop"};
    struct gate *gate = gates_add(gates, span_text(metric), RULES[options->rule]);
    gate->value = change->delta;
    gate->interval = change->ci95;
    gate->n_tasks = change->n_used;
    judge_change(gate, change, options);
    struct buf text = {0};
    buf_format(&text, "%s against the baseline: ", metric);
    if (isnan(change->delta)) {
        buf_text(&text, "not measured on both sides");
    } else {
        buf_format(&text, "%+.4g", change->delta);
        if (interval_known(change->ci95))
            buf_format(&text, " [%+.4g..%+.4g]", change->ci95.low, change->ci95.high);
        buf_format(&text, " on %zu %s", change->n_used,
                   change->paired ? "tasks of both" : "tasks a side, not paired");
    }
    if (!isnan(gate->limit))
        buf_format(&text, "; limit %+.4g", gate->limit);
    if (!interval_known(change->ci95))
        buf_format(&text, "; an interval needs %d tasks", STAT_INTERVAL_VALUES);
    gate->text = buf_take(&text);
}

/* ---- as JSON ------------------------------------------------------------------------------------
 */

static void write_real(struct json_writer *w, const char *key, double value)
{
    json_write_key(w, key);
    json_write_real(w, value);
}

static void write_text(struct json_writer *w, const char *key, const char *text)
{
    json_write_key(w, key);
    json_write_text(w, text);
}

void gates_write(const struct gates *gates, struct json_writer *w)
{
    json_write_key(w, "gates");
    json_write_array(w);
    for (size_t i = 0; i < gates->count; i++) {
        const struct gate *gate = &gates->items[i];
        json_write_object(w);
        write_text(w, "metric", gate->metric);
        write_text(w, "rule", gate->rule);
        write_real(w, "limit", gate->limit);
        write_text(w, "on", gate->on);
        write_real(w, "value", gate->value);
        write_real(w, "lower", gate->interval.low);
        write_real(w, "upper", gate->interval.high);
        json_write_key(w, "n_tasks");
        json_write_int(w, (int64_t)gate->n_tasks);
        json_write_key(w, "red");
        json_write_bool(w, gate->red);
        write_text(w, "reason", gate->reason);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}
