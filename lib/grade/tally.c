/* tally.c: counts of a grading run, its warnings and its report (grade 19). */
#include "grade/tally.h"

#include <math.h>
#include <stdlib.h>

#include "grade/defaults.h"
#include "row/calls.h"
#include "row/fault.h"
#include "row/key.h"
#include "row/value.h"
#include "stat/stat.h"
#include "text/fold.h"
#include "text/term.h"
#include "text/utf8.h"
#include "json/write.h"

void tally_open(struct tally *t, const struct row_tools *declared)
{
    t->declared = declared && declared->count ? declared : NULL;
}

void tally_close(struct tally *t)
{
    map_free(&t->tasks);
    map_free(&t->tasks_without_call);
    map_free(&t->repeats);
    map_free(&t->asks);
    map_free(&t->rewards);
    map_free(&t->reasons);
    map_free(&t->classes);
    map_free(&t->markers);
    map_free(&t->tools);
    free(t->reward_counts);
    free(t->reason_counts);
    free(t->class_counts);
    free(t->marker_counts);
    free(t->tool_counts);
}

/* Counts a text; beyond TALLY_DISTINCT different ones only those that are known. */
static void count(struct map *map, uint64_t **counts, size_t *cap, struct span text)
{
    bool fresh;
    if (map->count >= TALLY_DISTINCT && map_find(map, text) == MAP_NONE)
        return;
    size_t n = map_add(map, text, &fresh);
    *counts = mem_grow(*counts, cap, n + 1, sizeof **counts);
    if (fresh)
        (*counts)[n] = 0;
    (*counts)[n]++;
}

void tally_reward(struct tally *t, struct span text)
{
    count(&t->rewards, &t->reward_counts, &t->cap_rewards, text);
}

/* ---- one row
 * ------------------------------------------------------------------------------------------ */

static void add_markers(struct tally *t, const struct row *row)
{
    const struct json_value *markers = row_get(row, SPAN("markers"));
    if (!markers || markers->type != JSON_VALUE_OBJECT)
        return;
    struct json_cursor c = json_enter(*markers);
    struct json_member m;
    struct buf scratch = {0};
    while (json_next_member(&c, &m)) {
        struct span name = json_key(&m, &scratch);
        bool fresh;
        double x;
        if (t->markers.count >= TALLY_DISTINCT && map_find(&t->markers, name) == MAP_NONE)
            continue;
        size_t n = map_add(&t->markers, name, &fresh);
        t->marker_counts =
            mem_grow(t->marker_counts, &t->cap_markers, n + 1, sizeof *t->marker_counts);
        if (fresh)
            t->marker_counts[n] = (struct tally_marker){0};
        t->marker_counts[n].rows++;
        if (value_float(m.value, &x) && isfinite(x)) {
            t->marker_counts[n].n++;
            t->marker_counts[n].sum += x;
        }
    }
    buf_free(&scratch);
}

static struct tally_tool *tool_of(struct tally *t, struct span name)
{
    bool fresh;
    size_t n = map_add(&t->tools, name, &fresh);
    t->tool_counts = mem_grow(t->tool_counts, &t->cap_tools, n + 1, sizeof *t->tool_counts);
    if (fresh)
        t->tool_counts[n] = (struct tally_tool){0};
    return &t->tool_counts[n];
}

static bool planned(const struct row *row, struct span tool)
{
    const struct json_value *faults = row_get(row, SPAN("faults"));
    struct json_value any;
    return faults && faults->type == JSON_VALUE_OBJECT &&
           (json_get(*faults, tool, &any) || json_get(*faults, SPAN("*"), &any));
}

/* Results of the row's steps, by tool (grade 19.3). */
static void add_results(struct tally *t, const struct row *row)
{
    const struct json_value *steps = row_get(row, SPAN("steps"));
    struct json_cursor c = json_enter(steps ? *steps : (struct json_value){0});
    struct json_value step, tool, result;
    struct buf scratch = {0}, fault = {0};
    while (json_next_item(&c, &step)) {
        if (!json_get(step, SPAN("tool"), &tool) || tool.type != JSON_VALUE_STRING ||
            !json_get(step, SPAN("result"), &result) || json_value_null(result))
            continue;
        struct span name = json_text(tool, &scratch);
        struct tally_tool *count_of = tool_of(t, name);
        bool faulty = row_result_fault(result, &fault);
        count_of->n++;
        count_of->ok += !faulty && !row_result_failed(result);
        count_of->faults += faulty;
        count_of->injected += faulty && planned(row, name);
    }
    buf_free(&scratch);
    buf_free(&fault);
}

static void add_calls(struct tally *t, const struct row *row, struct span task)
{
    struct row_calls calls = {0};
    row_calls_read(&calls, row);
    for (size_t i = 0; i < calls.count; i++)
        tool_of(t, calls.items[i].name);
    if (!calls.count) {
        const struct json_value *prompt = row_get(row, SPAN("prompt"));
        struct buf scratch = {0};
        t->without_call++;
        map_add(&t->tasks_without_call, task, NULL);
        if (prompt && prompt->type == JSON_VALUE_STRING && t->asks.count < TALLY_ASKS)
            map_add(&t->asks, utf8_head(text_strip(json_text(*prompt, &scratch)), TALLY_ASK_CHARS),
                    NULL);
        buf_free(&scratch);
    }
    row_calls_free(&calls);
    add_results(t, row);
}

void tally_row(struct tally *t, const struct row *row)
{
    struct buf scratch = {0};
    bool fresh;
    struct span task = row_task_key(row, &scratch);
    t->rows++;
    map_add(&t->tasks, task, &fresh);
    if (!fresh)
        map_add(&t->repeats, task, NULL);
    if (t->declared)
        add_calls(t, row, task);
    add_markers(t, row);
    if (row_label(row) == ROW_LABEL_FAIL) {
        const struct json_value *reason = row_get(row, SPAN("reason"));
        const struct json_value *class = row_get(row, SPAN("failure_class"));
        struct buf text = {0};
        if (reason && json_truthy(*reason))
            count(&t->reasons, &t->reason_counts, &t->cap_reasons,
                  utf8_head(value_text(*reason, &text), TALLY_REASON_CHARS));
        if (class && json_truthy(*class))
            count(&t->classes, &t->class_counts, &t->cap_classes, value_text(*class, &text));
        buf_free(&text);
    }
    buf_free(&scratch);
}

/* ---- warnings
 * ----------------------------------------------------------------------------------------- */

struct sink {
    void (*out)(void *data, const char *text);
    void *data;
};

static void say(const struct sink *s, struct buf *text)
{
    s->out(s->data, buf_cstr(text));
    buf_free(text);
}

static void warn_calls(const struct tally *t, const struct sink *s)
{
    struct buf text = {0};
    if (t->rows && t->without_call == t->rows) {
        buf_format(&text, "0 of %llu rows used a tool; the score says nothing about tool use",
                   (unsigned long long)t->rows);
        say(s, &text);
    } else if (t->without_call >= 2 || t->without_call * 10 >= t->rows) {
        if (!t->without_call)
            return;
        buf_format(&text, "%llu of %llu rows, over %zu situations, score without touching a tool",
                   (unsigned long long)t->without_call, (unsigned long long)t->rows,
                   t->tasks_without_call.count);
        for (size_t i = 0; i < t->asks.count; i++) {
            buf_text(&text, i ? "; " : ": ");
            term_add(&text, t->asks.keys[i]);
        }
        say(s, &text);
    }
}

static void warn_uncalled(const struct tally *t, const struct sink *s)
{
    struct buf text = {0};
    for (size_t i = 0; i < t->declared->count; i++) {
        if (map_find(&t->tools, t->declared->items[i].name) != MAP_NONE)
            continue;
        buf_text(&text, text.len ? ", " : "declared tools never called: ");
        term_add(&text, t->declared->items[i].name);
    }
    if (text.len) {
        buf_text(&text, "; the branches behind them are untested");
        say(s, &text);
    }
}

static int by_name(const void *a, const void *b)
{
    return span_compare(*(const struct span *)a, *(const struct span *)b);
}

/* Enough results that were not planned faults, and hardly a good one among them (grade 19.3). */
static bool dead(const struct tally_tool *tool)
{
    uint64_t evidence = tool->n - tool->injected;
    uint64_t good = tool->ok < evidence ? tool->ok : evidence;
    return evidence >= TALLY_DEAD_RESULTS &&
           stat_wilson((double)good, (double)evidence, TALLY_DEAD_Z).high < TALLY_DEAD_RATE;
}

static void warn_dead(const struct tally *t, const struct sink *s)
{
    struct span *names = mem_zero(t->tools.count + 1, sizeof *names);
    size_t n = 0;
    for (size_t i = 0; i < t->tools.count; i++)
        if (dead(&t->tool_counts[i]))
            names[n++] = t->tools.keys[i];
    if (n)
        qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n; i++) {
        const struct tally_tool *tool = &t->tool_counts[map_find(&t->tools, names[i])];
        struct buf text = {0};
        buf_text(&text, "tool ");
        term_add(&text, names[i]);
        buf_format(&text,
                   " hardly works: %llu good of %llu results; mend it before you read scores",
                   (unsigned long long)tool->ok, (unsigned long long)(tool->n - tool->injected));
        say(s, &text);
    }
    free(names);
}

static void warn_markers(const struct tally *t, const struct sink *s)
{
    for (size_t i = 0; i < t->markers.count; i++) {
        if (t->marker_counts[i].n)
            continue;
        struct buf text = {0};
        buf_text(&text, "marker ");
        term_add(&text, t->markers.keys[i]);
        buf_text(&text, " is on rows but a number on none; its rate is not a measurement");
        say(s, &text);
    }
}

static void warn_unjudged(const struct grade_counts *c, const struct sink *s)
{
    struct buf text = {0};
    if (c->graded == c->scored)
        return;
    buf_format(&text, "%llu of %llu rows unjudged:", (unsigned long long)(c->scored - c->graded),
               (unsigned long long)c->scored);
    bool first = true;
    for (int i = 0; i < VERDICT_STATUS_COUNT; i++) {
        if (i == VERDICT_OK || !c->statuses[i])
            continue;
        buf_format(&text, "%s %llu %s", first ? "" : ",", (unsigned long long)c->statuses[i],
                   verdict_status_name((enum verdict_status)i));
        first = false;
    }
    say(s, &text);
}

/* A judge that grades its own work, without a rubric, or by criteria that add up. */
static void warn_judge(const struct grade_counts *c, const struct scorer *scorer,
                       const struct sink *s)
{
    struct buf text = {0};
    if (c->self_judged) {
        buf_format(&text,
                   "%llu rows were judged by the model that made them; models prefer their own "
                   "work, so name another judge",
                   (unsigned long long)c->self_judged);
        say(s, &text);
    }
    if (scorer && scorer->judge && scorer->floor && c->graded) {
        buf_text(&text, "no rubric: the judge knows the floor of conduct and not what this job is; "
                        "give --rubric FILE");
        say(s, &text);
    }
    if (scorer && scorer->criteria && c->partials) {
        buf_text(&text,
                 "rewards of principles are fractions, which agreement with labels of 0 and 1 "
                 "leaves out; \"kind\": \"hard\" makes a criterion a gate");
        say(s, &text);
    }
}

static void warn_uncovered(const struct eval_set *set, const struct sink *s)
{
    struct buf text = {0};
    size_t asks, covered;
    eval_set_counts(set, &asks, &covered);
    if (covered == asks)
        return;
    buf_format(&text, "%zu of %zu asks of the eval set have no row; the report lists them",
               asks - covered, asks);
    say(s, &text);
}

void tally_warnings(const struct tally *t, const struct grade_counts *c,
                    const struct grade_options *options, void (*out)(void *data, const char *text),
                    void *data)
{
    const struct sink sink = {out, data}, *s = &sink;
    struct buf text = {0};
    if (t->declared && t->rows) {
        warn_calls(t, s);
        warn_uncalled(t, s);
        warn_dead(t, s);
    }
    warn_markers(t, s);
    if (c->graded >= 2 && t->rewards.count == 1) {
        buf_format(&text, "all %llu graded rows have the reward %.*s; check the scorer first",
                   (unsigned long long)c->graded, (int)t->rewards.keys[0].len,
                   t->rewards.keys[0].ptr);
        say(s, &text);
    }
    warn_unjudged(c, s);
    warn_judge(c, options->scorer, s);
    if (options->eval_set && t->rows)
        warn_uncovered(options->eval_set, s);
    if (t->rows >= 2 && !t->repeats.count) {
        buf_text(&text, "every task has one row; pass@1 is all that can be measured, and no group "
                        "can teach");
        say(s, &text);
    }
    if (c->partials) {
        buf_format(&text, "%llu rewards are partial; pass rates count only 0 and 1",
                   (unsigned long long)c->partials);
        say(s, &text);
    }
}

struct ranked {
    size_t at;
    uint64_t n;
};

static int most_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->at > y->at) - (x->at < y->at);
}

void tally_reasons(const struct tally *t, size_t n, void (*out)(void *data, const char *text),
                   void *data)
{
    const struct sink s = {out, data};
    struct ranked *ranks = mem_zero(t->reasons.count + 1, sizeof *ranks);
    for (size_t i = 0; i < t->reasons.count; i++)
        ranks[i] = (struct ranked){i, t->reason_counts[i]};
    if (t->reasons.count)
        qsort(ranks, t->reasons.count, sizeof *ranks, most_first);
    for (size_t i = 0; i < t->reasons.count && i < n; i++) {
        struct buf text = {0};
        buf_format(&text, "%llu x ", (unsigned long long)ranks[i].n);
        term_add(&text, t->reasons.keys[ranks[i].at]);
        say(&s, &text);
    }
    free(ranks);
}

/* ---- report
 * ------------------------------------------------------------------------------------------- */

static void write_counts(struct json_writer *w, const char *key, const struct map *map,
                         const uint64_t *counts)
{
    json_write_key(w, key);
    json_write_object(w);
    for (size_t i = 0; i < map->count; i++) {
        json_write_key_span(w, map->keys[i]);
        json_write_int(w, (int64_t)counts[i]);
    }
    json_write_end_object(w);
}

static void write_text(struct json_writer *w, const char *key, struct span text)
{
    json_write_key(w, key);
    if (text.len)
        json_write_span(w, text);
    else
        json_write_null(w);
}

static void add_warning(void *data, const char *text)
{
    json_write_text(data, text);
}

static void write_maps(struct json_writer *w, const struct tally *t)
{
    if (t->declared) {
        json_write_key(w, "tools");
        json_write_object(w);
        for (size_t i = 0; i < t->tools.count; i++) {
            const struct tally_tool *tool = &t->tool_counts[i];
            json_write_key_span(w, t->tools.keys[i]);
            json_write_object(w);
            json_write_count(w, "n", tool->n);
            json_write_count(w, "ok", tool->ok);
            json_write_count(w, "fault_n", tool->faults);
            json_write_count(w, "injected", tool->injected);
            json_write_key(w, "dead");
            json_write_bool(w, dead(tool));
            json_write_end_object(w);
        }
        json_write_end_object(w);
    }
    write_counts(w, "failure_classes", &t->classes, t->class_counts);
    json_write_key(w, "markers");
    json_write_object(w);
    for (size_t i = 0; i < t->markers.count; i++) {
        const struct tally_marker *m = &t->marker_counts[i];
        json_write_key_span(w, t->markers.keys[i]);
        json_write_object(w);
        json_write_key(w, "mean");
        json_write_real(w, m->n ? m->sum / (double)m->n : NAN);
        json_write_count(w, "n", m->n);
        json_write_end_object(w);
    }
    json_write_end_object(w);
}

static void write_head(struct json_writer *w, const struct grade_counts *c)
{
    bool all_failed = c->scored && c->statuses[VERDICT_ERROR] == c->scored;
    json_write_key(w, "wai_report");
    json_write_text(w, "wai-grade");
    json_write_key(w, "status");
    json_write_text(w, !c->rows ? "empty" : all_failed ? "unreachable" : "judged");
    json_write_count(w, "rows", c->rows);
    json_write_count(w, "bad_lines", c->bad);
    json_write_count(w, "scored", c->scored);
    json_write_count(w, "graded", c->graded);
    json_write_count(w, "unjudged", c->scored - c->graded);
    json_write_count(w, "skipped", c->skipped);
    json_write_count(w, "resumed", c->resumed);
    json_write_count(w, "skipped_truncated", c->skipped_truncated);
    json_write_key(w, "statuses");
    json_write_object(w);
    for (int i = 0; i < VERDICT_STATUS_COUNT; i++)
        if (c->statuses[i])
            json_write_count(w, verdict_status_name((enum verdict_status)i), c->statuses[i]);
    json_write_end_object(w);
    json_write_count(w, "passes", c->passes);
    json_write_count(w, "failures", c->failures);
    json_write_count(w, "partials", c->partials);
    json_write_count(w, "n0", c->failures);
    json_write_count(w, "n1", c->passes);
    json_write_key(w, "mean");
    json_write_real(w, c->graded ? c->sum / (double)c->graded : NAN);
}

void tally_report(const struct tally *t, const struct grade_counts *c,
                  const struct grade_options *options, struct buf *out)
{
    struct json_writer writer, *w = &writer;
    json_write_start(w, out, JSON_STYLE_COMPACT);
    json_write_object(w);
    write_head(w, c);
    write_counts(w, "reward_distribution", &t->rewards, t->reward_counts);
    write_text(w, "judge_name", options->stamp.judge_name);
    write_text(w, "judge_version", options->stamp.judge_version);
    write_text(w, "scoring_run_id", options->stamp.run_id);
    write_text(w, "source", options->stamp.source);
    write_text(w, "model", options->stamp.model);
    write_text(w, "backend", span_text(options->backend));
    json_write_key(w, "warnings");
    json_write_array(w);
    tally_warnings(t, c, options, add_warning, w);
    json_write_end_array(w);
    if (options->scorer && options->scorer->kind->report) {
        json_write_key(w, "self_judged");
        json_write_bool(w, c->self_judged > 0);
        options->scorer->kind->report(options->scorer, w);
    }
    if (options->eval_set) {
        json_write_key(w, "eval_coverage");
        eval_set_write(options->eval_set, w);
    }
    if (options->report)
        options->report(options->data, w);
    if (options->models && options->scorer && options->scorer->judge)
        model_access_report(options->models, w);
    write_maps(w, t);
    json_write_key(w, "seconds");
    json_write_real(w, c->seconds);
    json_write_key(w, "seconds_per_row");
    json_write_real(w, c->scored ? c->seconds / (double)c->scored : NAN);
    json_write_end_object(w);
}
