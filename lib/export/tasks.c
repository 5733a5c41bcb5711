/* tasks.c: see tasks.h. */
#include "export/tasks.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "export/defaults.h"
#include "export/turns.h"
#include "export/wire.h"
#include "row/value.h"
#include "select/decontam_report.h"
#include "text/digest.h"
#include "text/fold.h"
#include "text/number.h"

struct task {
    struct span prompt;   /* trimmed */
    struct span scenario; /* text of scenario_id, "" when there is none */
    struct span info;     /* members of info up to the calibration, without braces */
    uint64_t n;           /* graded rollouts */
    double sum, low, high;
    bool checkable;      /* its dimensions ask for an outcome */
    bool kept, held_out; /* after closing */
};

struct export_tasks {
    const struct export_tasks_options *options;
    struct map prompts, scenarios;
    struct task *tasks;
    size_t count, cap;
    struct arena arena;
    struct buf scratch;
    uint64_t n_rows, n_promptless, n_rephrased;
    uint64_t n_graded, n_mixed, n_dropped, n_checkable;
    size_t sides[2];
    struct decontam_counts overlap;
    struct buf examples; /* JSON texts, comma between */
    bool compared;       /* both sides have tasks */
};

static const struct span META[] = {
    {"scenario_dimensions", 19}, {"stance", 6},      {"tier", 4},          {"history", 7},
    {"tool_condition", 14},      {"ask_family", 10}, {"intent_known", 12}, {"tool_known", 10},
};

struct export_tasks *export_tasks_new(const struct export_tasks_options *options)
{
    struct export_tasks *t = mem_zero(1, sizeof *t);
    t->options = options;
    return t;
}

void export_tasks_free(struct export_tasks *t)
{
    if (!t)
        return;
    map_free(&t->prompts);
    map_free(&t->scenarios);
    free(t->tasks);
    arena_free(&t->arena);
    buf_free(&t->scratch);
    buf_free(&t->examples);
    decontam_counts_free(&t->overlap);
    free(t);
}

/* ---- rows -------------------------------------------------------------------------------------- */

static void put(struct json_writer *w, struct export_tasks *t, const struct row *row,
                struct span name, const char *otherwise)
{
    const struct json_value *value = row_get_set(row, name);
    struct json_value clean = {0};
    if (value)
        clean = export_finite(&t->arena, *value);
    if (!value || clean.type == JSON_VALUE_NULL) {
        if (!otherwise)
            return;
        json_write_key_span(w, name);
        json_write_raw(w, span_text(otherwise));
        return;
    }
    json_write_key_span(w, name);
    json_write_raw(w, clean.text);
}

static struct span task_id(struct export_tasks *t, const struct task *task, char *id)
{
    buf_clear(&t->scratch);
    buf_span_add(&t->scratch, task->scenario);
    buf_byte(&t->scratch, '\n');
    buf_span_add(&t->scratch, task->prompt);
    export_hash(buf_span(&t->scratch), id);
    return span_make(id, EXPORT_HASH_HEX);
}

/* What a world and a grader need to know, from the first row of the prompt. */
static struct span make_info(struct export_tasks *t, const struct task *task, const struct row *row)
{
    struct json_writer w;
    struct buf out = {0};
    char id[EXPORT_HASH_HEX + 1];
    const struct json_value *privileged = row_get(row, SPAN("privileged"));
    json_write_start(&w, &out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "task_id");
    json_write_span(&w, task_id(t, task, id));
    json_write_key(&w, "scenario_id"); /* as a text, as it was hashed */
    if (task->scenario.len)
        json_write_span(&w, task->scenario);
    else
        json_write_null(&w);
    put(&w, t, row, SPAN("seed"), "null");
    put(&w, t, row, SPAN("world_state"), "\"\"");
    put(&w, t, row, SPAN("faults"), "{}");
    for (size_t i = 0; i < sizeof META / sizeof *META; i++)
        put(&w, t, row, META[i], NULL);
    if (t->options->answers && privileged && privileged->type == JSON_VALUE_OBJECT &&
        json_truthy(*privileged))
        put(&w, t, row, SPAN("privileged"), NULL);
    struct span info = arena_span(&t->arena, buf_span(&out));
    buf_free(&out);
    return info; /* the object is left open: the calibration follows */
}

/* A word of the task: of its scenario_dimensions, else of the row itself (top NULL: not there). */
static struct span word_of(struct export_tasks *t, const struct row *row, const char *dimension,
                           const char *top)
{
    const struct json_value *own = row_get(row, SPAN("scenario_dimensions"));
    const struct json_value *member = top ? row_get(row, span_text(top)) : NULL;
    struct json_value value;
    if (!own || !dimension || !json_get(*own, span_text(dimension), &value) ||
        !json_truthy(value)) {
        if (!member)
            return SPAN("");
        value = *member;
    }
    if (value.type != JSON_VALUE_STRING)
        return SPAN("");
    return arena_span(&t->arena, json_text(value, &t->scratch));
}

/* Whether the checklist can tell a good ending of the task from a bad one: what it says of itself
 * asks for an outcome (select 16.1). A tier stands in for a stance. */
static bool is_checkable(struct export_tasks *t, const struct row *row)
{
    static const char *const WORLDS[] = {"missing",      "entity missing",
                                         "already_done", "entity already acted on",
                                         "duplicate",    "duplicate entity"};
    const struct json_value *spoken = row_get(row, SPAN("stance"));
    const struct json_value *known = row_get(row, SPAN("intent_known"));
    bool has_stance = spoken && json_truthy(*spoken);
    struct span tool = word_of(t, row, "tool", NULL);
    struct span family = word_of(t, row, NULL, "ask_family");
    struct span world = word_of(t, row, "world_state", "world_state");
    if (span_is(word_of(t, row, "stance", has_stance ? "stance" : "tier"), "adversarial"))
        return true;
    if (span_is(tool, "multi_tool"))
        return false;
    if (span_is(tool, "unrelated") || span_is(family, "vague") ||
        (known && known->type == JSON_VALUE_FALSE))
        return true;
    for (size_t i = 0; i < sizeof WORLDS / sizeof *WORLDS; i++)
        if (span_is(world, WORLDS[i]))
            return true;
    return (tool.len && !span_is(tool, "unspecified")) || span_is(family, "tool");
}

static void add_label(struct task *task, const struct row *row)
{
    const struct json_value *value = row_get(row, SPAN("reward"));
    double reward = value && value->type == JSON_VALUE_NUMBER ? json_number(*value) : NAN;
    if (isnan(reward))
        return;
    reward = reward < 0 ? 0 : reward > 1 ? 1 : reward;
    task->low = task->n == 0 || reward < task->low ? reward : task->low;
    task->high = task->n == 0 || reward > task->high ? reward : task->high;
    task->sum += reward;
    task->n++;
}

static void start_task(struct export_tasks *t, size_t number, const struct row *row)
{
    const struct json_value *scenario = row_get_set(row, SPAN("scenario_id"));
    t->tasks = mem_grow(t->tasks, &t->cap, number + 1, sizeof *t->tasks);
    struct task *task = &t->tasks[t->count++];
    *task = (struct task){.prompt = t->prompts.keys[number], .kept = true};
    if (scenario && json_truthy(*scenario))
        task->scenario = arena_span(&t->arena, value_text(*scenario, &t->scratch));
    task->info = make_info(t, task, row);
    task->checkable = is_checkable(t, row);
    if (t->options->one_phrasing && task->scenario.len) {
        bool fresh;
        map_add(&t->scenarios, task->scenario, &fresh);
        task->kept = fresh;
        t->n_rephrased += !fresh;
    }
}

void export_tasks_row(struct export_tasks *t, const struct row *row)
{
    const struct json_value *value = row_get(row, SPAN("prompt"));
    struct span prompt = {0};
    t->n_rows++;
    if (value && json_truthy(*value))
        prompt = text_strip(value_text(*value, &t->scratch));
    if (!prompt.len) {
        t->n_promptless++;
        return;
    }
    bool fresh;
    size_t number = map_add(&t->prompts, prompt, &fresh);
    if (fresh)
        start_task(t, number, row);
    add_label(&t->tasks[number], row);
}

/* ---- band and split ---------------------------------------------------------------------------- */

static void apply_band(struct export_tasks *t, struct task *task)
{
    if (task->n < 2)
        return;
    double rate = task->sum / (double)task->n;
    t->n_graded++;
    t->n_mixed += task->low < task->high;
    if (t->options->band && (rate < t->options->low || rate > t->options->high)) {
        task->kept = false;
        t->n_dropped++;
    }
}

/* The hash of the reference: the first 8 hex digits of a SHA-1 as a share of all of them. */
static double bucket(struct span key)
{
    uint8_t digest[SHA1_BYTES];
    digest_sha1(key, digest);
    uint32_t n = (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 | (uint32_t)digest[2] << 8 |
                 digest[3];
    return n / 4294967295.0;
}

static int read_prompts(const char *path, struct map *listed, struct error *error)
{
    struct buf text = {0}, folded = {0};
    int code = file_read(path, EXPORT_PROMPTS_MAX, &text, error);
    struct span line;
    size_t at = 0;
    while (code == 0 && text_next_line(buf_span(&text), &at, &line)) {
        buf_clear(&folded);
        text_fold(line, &folded);
        if (folded.len)
            map_add(listed, buf_span(&folded), NULL);
    }
    buf_free(&text);
    buf_free(&folded);
    return code;
}

static bool is_held_out(struct export_tasks *t, const struct task *task, const struct map *listed)
{
    if (!t->options->prompts)
        return bucket(task->scenario.len ? task->scenario : task->prompt) < t->options->holdout;
    buf_clear(&t->scratch);
    text_fold(task->prompt, &t->scratch);
    return map_find(listed, buf_span(&t->scratch)) != MAP_NONE;
}

/* ---- overlap of the two sides: reported, not applied ------------------------------------------- */

/* A row that holds the prompt alone. */
static void prompt_row(struct span prompt, struct buf *text, struct json_members *members,
                       struct row *row)
{
    struct json_fault fault;
    struct json_writer w;
    buf_clear(text);
    json_write_start(&w, text, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "prompt");
    json_write_span(&w, prompt);
    json_write_end_object(&w);
    row_of_text(buf_span(text), row, members, &fault);
}

static void add_example(struct export_tasks *t, const struct decontam_finding *finding,
                        const struct decontam_index *index, const struct decontam_options *options,
                        const struct row *row, struct decontam_scratch *s)
{
    struct json_writer w;
    struct buf text = {0};
    struct json_value object, match;
    struct json_fault fault;
    json_write_start(&w, &text, JSON_STYLE_COMPACT);
    json_write_object(&w);
    decontam_finding_write(finding, index, options, row, s, &w);
    json_write_end_object(&w);
    if (json_scan(buf_span(&text), &object, NULL, &fault) == 0 &&
        json_get(object, SPAN("match"), &match)) {
        buf_text(&t->examples, t->examples.len ? "," : "");
        buf_span_add(&t->examples, match.text);
    }
    buf_free(&text);
}

static int compare_sides(struct export_tasks *t, struct error *error)
{
    static const struct span FIELD = {"prompt", 6};
    struct decontam_options options = {.ngram = (size_t)t->options->ngram,
                                       .overlap = EXPORT_OVERLAP,
                                       .fields = &FIELD,
                                       .n_fields = 1};
    struct decontam_index *index = decontam_index_new(options.ngram, DECONTAM_ASCII);
    struct buf text = {0};
    struct json_members members = {0};
    struct row row = {0};
    int code = 0;
    for (size_t i = 0; i < t->count && code == 0; i++) {
        if (!t->tasks[i].kept || !t->tasks[i].held_out)
            continue;
        prompt_row(t->tasks[i].prompt, &text, &members, &row);
        code = decontam_index_add(index, &row, error);
    }
    if (code == 0) {
        decontam_index_seal(index);
        struct decontam_scratch *s = decontam_scratch_new(index);
        for (size_t i = 0; i < t->count; i++) {
            if (!t->tasks[i].kept || t->tasks[i].held_out)
                continue;
            prompt_row(t->tasks[i].prompt, &text, &members, &row);
            struct decontam_finding finding = decontam_check(index, &options, &row, true, s);
            decontam_count(&t->overlap, options.n_fields, &finding);
            if (finding.rule != DECONTAM_CLEAN &&
                decontam_flagged(&t->overlap) <= EXPORT_OVERLAPS_SHOWN)
                add_example(t, &finding, index, &options, &row, s);
        }
        decontam_scratch_free(s);
    }
    decontam_index_free(index);
    json_members_free(&members);
    buf_free(&text);
    return code;
}

int export_tasks_close(struct export_tasks *t, struct error *error)
{
    struct map listed = {0};
    int code = t->options->prompts ? read_prompts(t->options->prompts, &listed, error) : 0;
    for (size_t i = 0; i < t->count && code == 0; i++) {
        struct task *task = &t->tasks[i];
        if (task->kept)
            apply_band(t, task);
        if (!task->kept)
            continue;
        task->held_out = is_held_out(t, task, &listed);
        t->sides[task->held_out ? EXPORT_HOLDOUT : EXPORT_TRAIN]++;
        t->n_checkable += task->checkable;
    }
    map_free(&listed);
    if (code == 0 && !t->sides[EXPORT_TRAIN])
        code = error_set(error, ERROR_INPUT,
                         "no training task is left of %zu prompts (%llu outside the band, %zu held "
                         "out); widen --band, hold out less, or give more rows",
                         t->count, (unsigned long long)t->n_dropped, t->sides[EXPORT_HOLDOUT]);
    t->compared = t->sides[EXPORT_TRAIN] && t->sides[EXPORT_HOLDOUT];
    return code == 0 && t->compared ? compare_sides(t, error) : code;
}

/* ---- writing ------------------------------------------------------------------------------------ */

size_t export_tasks_count(const struct export_tasks *t, enum export_split split)
{
    return t->sides[split];
}

static void write_task(const struct task *task, struct buf *out)
{
    struct json_writer w;
    buf_text(out, "{\"prompt\":");
    json_quote(out, task->prompt);
    buf_text(out, ",\"info\":");
    buf_span_add(out, task->info);
    if (task->n >= 2) {
        buf_text(out, ",\"calibration\":");
        json_write_start(&w, out, JSON_STYLE_COMPACT);
        json_write_object(&w);
        json_write_key(&w, "pass_rate");
        json_write_real(&w, number_round(task->sum / (double)task->n, 4));
        json_write_key(&w, "n");
        json_write_int(&w, (int64_t)task->n);
        json_write_end_object(&w);
    }
    buf_format(out, ",\"split\":\"%s\"}", task->held_out ? "holdout" : "train");
    /* task_id is the first member of info: {"task_id":"…" */
    struct span id = span_slice(task->info, sizeof "{\"task_id\":" - 1,
                                sizeof "{\"task_id\":" - 1 + EXPORT_HASH_HEX + 2);
    buf_text(out, ",\"example_id\":");
    buf_span_add(out, id);
    buf_text(out, "}\n");
}

void export_tasks_write(const struct export_tasks *t, enum export_split split, struct buf *lines)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->tasks[i].kept && t->tasks[i].held_out == (split == EXPORT_HOLDOUT))
            write_task(&t->tasks[i], lines);
}

/* ---- report ------------------------------------------------------------------------------------- */

static void write_overlap(const struct export_tasks *t, struct json_writer *w)
{
    json_write_key(w, "decontamination");
    json_write_object(w);
    if (t->compared) {
        struct buf list = {0};
        buf_byte(&list, '[');
        buf_span_add(&list, buf_span(&t->examples));
        buf_byte(&list, ']');
        json_write_count(w, "n_contaminated", decontam_flagged(&t->overlap));
        json_write_key(w, "contamination_rate");
        json_write_real(w, decontam_rate(&t->overlap));
        json_write_count(w, "ngram", (uint64_t)t->options->ngram);
        json_write_key(w, "examples");
        json_write_raw(w, buf_span(&list));
        buf_free(&list);
    }
    json_write_end_object(w);
}

void export_tasks_report(const struct export_tasks *t, struct json_writer *w)
{
    json_write_count(w, "n_rows", t->n_rows);
    json_write_count(w, "promptless_dropped", t->n_promptless);
    if (t->options->one_phrasing)
        json_write_count(w, "rephrased_dropped", t->n_rephrased);
    json_write_count(w, "prompts", t->count);
    json_write_count(w, "tasks", t->sides[EXPORT_TRAIN] + t->sides[EXPORT_HOLDOUT]);
    json_write_count(w, "train", t->sides[EXPORT_TRAIN]);
    json_write_count(w, "holdout", t->sides[EXPORT_HOLDOUT]);
    json_write_count(w, "graded_prompts", t->n_graded);
    json_write_key(w, "band");
    if (t->options->band) {
        json_write_array(w);
        json_write_real(w, t->options->low);
        json_write_real(w, t->options->high);
        json_write_end_array(w);
    } else {
        json_write_null(w);
    }
    json_write_count(w, "band_dropped", t->n_dropped);
    json_write_count(w, "graded_mixed", t->n_mixed);
    write_overlap(t, w);
    if (t->options->conduct_alone)
        json_write_count(w, "outcome_checkable", t->n_checkable);
}

void export_tasks_notes(const struct export_tasks *t, struct buf *lines)
{
    size_t tasks = t->sides[EXPORT_TRAIN] + t->sides[EXPORT_HOLDOUT];
    bool repeated = t->n_graded > 0;
    bool any_graded = false;
    for (size_t i = 0; i < t->count; i++)
        any_graded = any_graded || t->tasks[i].n;
    if (any_graded && (!repeated || !t->n_mixed))
        buf_format(lines,
                   "no task has rollouts with different rewards, so a group-relative update "
                   "has nothing to learn from; %s\n",
                   repeated ? "take harder or easier tasks" : "grade several rollouts of each");
    if (t->options->conduct_alone && t->n_checkable < tasks)
        buf_format(lines,
                   "%zu of %zu tasks say nothing of their outcome, so the checklist sees conduct "
                   "alone there, and a policy learns to call nothing; give --reward a scorer that "
                   "checks the outcome\n",
                   tasks - (size_t)t->n_checkable, tasks);
    if (t->compared && decontam_flagged(&t->overlap))
        buf_format(lines,
                   "%llu of %zu training prompts overlap a held-out one; drop them with "
                   "wai-decontam\n",
                   (unsigned long long)decontam_flagged(&t->overlap), t->sides[EXPORT_TRAIN]);
    if (t->n_promptless)
        buf_format(lines, "%llu of %llu rows have no prompt and were left out\n",
                   (unsigned long long)t->n_promptless, (unsigned long long)t->n_rows);
}
