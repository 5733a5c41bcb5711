/* task.c: see task.h. */
#include "scene/task.h"

#include <stdlib.h>

#include "base/file.h"
#include "scene/defaults.h"
#include "scene/outcome.h"
#include "text/digest.h"
#include "text/fold.h"
#include "text/utf8.h"
#include "json/write.h"

enum { SEEDS_FILE_MAX = 256 << 20 }; /* bytes */

struct span probe_id(struct arena *a, struct span prompt)
{
    uint8_t digest[SHA256_BYTES];
    char text[32] = "probe_";
    digest_sha256(prompt, digest);
    digest_hex(digest, SCENE_PROBE_HEX / 2, text + 6);
    return arena_span(a, span_text(text));
}

void task_list_free(struct task_list *list)
{
    arena_free(&list->arena);
    map_free(&list->prompts);
    free(list->items);
    free(list->rows);
}

void task_finish(struct arena *a, struct scene_task *task)
{
    struct buf text = {0};
    const struct node *origin = task->dimensions ? node_find(task->dimensions, "origin") : NULL;
    if (task->privileged.len ||
        (node_is(origin, JSON_VALUE_STRING) && span_is(origin->text, "realized")))
        return; /* it has one; or its dimensions say what happened once, not what is expected */
    expected_outcome(task->dimensions, &text);
    task->reference = arena_span(a, buf_span(&text));
    const struct node *hidden = hidden_state(a, task->dimensions, task->plan);
    if (hidden) {
        buf_clear(&text);
        node_pyjson(hidden, true, &text);
        task->hidden_state = arena_span(a, buf_span(&text));
    }
    buf_clear(&text);
    if (hidden) {
        buf_text(&text, "{\"hidden_state\":");
        node_json(hidden, false, &text);
    }
    if (task->reference.len) {
        buf_text(&text, hidden ? ",\"reference\":" : "{\"reference\":");
        json_quote(&text, task->reference);
    }
    if (text.len) {
        buf_byte(&text, '}');
        task->privileged = arena_span(a, buf_span(&text));
    }
    buf_free(&text);
}

/* A new task for the prompt, or NULL when it is there already or blank. */
static struct scene_task *add_task(struct task_list *list, struct span prompt)
{
    bool fresh;
    prompt = text_strip(prompt);
    if (!prompt.len) {
        list->skipped++;
        return NULL;
    }
    size_t n = map_add(&list->prompts, prompt, &fresh);
    list->rows = mem_grow(list->rows, &list->rows_cap, n + 1, sizeof *list->rows);
    if (fresh)
        list->rows[n] = 0;
    if (++list->rows[n] > list->most_rows)
        list->most_rows = list->rows[n];
    if (!fresh)
        return NULL;
    list->items = mem_grow(list->items, &list->cap, list->count + 1, sizeof *list->items);
    struct scene_task *task = &list->items[list->count++];
    *task = (struct scene_task){.prompt = arena_span(&list->arena, prompt)};
    return task;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

/* Members that belong to one rollout or its verdict: a task's rows do not inherit them. */
static const char *const OWNED[] = {
    "schema_version",
    "prompt",
    "scenario_id",
    "scenario_dimensions",
    "world_state",
    "faults",
    "world_seed",
    "steps",
    "final_text",
    "opener",
    "opening",
    "messages",
    "rollout_index",
    "rollout_id",
    "seed",
    "model_version",
    "policy_version",
    "lineage",
    "writer_model",
    "user_model",
    "sampling",
    "finish_reason",
    "ended_by",
    "usage",
    "logprob",
    "n_tokens",
    "token_logprobs",
    "tools_used",
    "behavior_signature",
    "seeded",
    "privileged",
    "reward",
    "reason",
    "grader_reason",
    "label_source",
    "judge_name",
    "judge_status",
    "judge_meta",
    "failure_class",
    "markers",
    "fault_detected",
    "llm_reward",
    "llm_reason",
    "qwen_reward",
    "quality",
    "quality_reason",
    "quality_scores",
    "gold_reward",
    "gold_labels",
    "group_cut",
    "arm",
    "parent_failure_id",
    "selection_reason",
    "semantic_cluster",
    "semantic_novelty",
    "trace_flags",
    "fault",
    "truncated",
    "leak",
    "tools_called",
};

static bool owned(struct span key)
{
    for (size_t i = 0; i < sizeof OWNED / sizeof *OWNED; i++)
        if (span_is(key, OWNED[i]))
            return true;
    return false;
}

static void inherit_members(struct task_list *list, struct scene_task *task, const struct row *row)
{
    struct buf members = {0}, scratch = {0};
    struct map names = {0};
    size_t count = row->members.count, *last = mem_alloc((count + 1) * sizeof *last);
    for (size_t i = 0; i < count; i++) /* of a name that stands twice, the last one counts */
        last[map_add(&names, json_key(&row->members.items[i], &scratch), NULL)] = i;
    for (size_t i = 0; i < count; i++) {
        const struct json_member *m = &row->members.items[i];
        struct span key = json_key(m, &scratch);
        if (owned(key) || last[map_find(&names, key)] != i)
            continue;
        if (members.len)
            buf_byte(&members, ',');
        json_quote(&members, key);
        buf_byte(&members, ':');
        buf_span_add(&members, m->value.text);
    }
    task->members = arena_span(&list->arena, buf_span(&members));
    map_free(&names);
    free(last);
    buf_free(&members);
    buf_free(&scratch);
}

/* The text of a member, in the arena; empty when it is no text or blank. */
static struct span text_member(struct task_list *list, const struct row *row, const char *key)
{
    const struct json_value *v = row_get(row, span_text(key));
    struct buf scratch = {0};
    struct span text = {NULL, 0};
    if (v && v->type == JSON_VALUE_STRING)
        text = arena_span(&list->arena, json_text(*v, &scratch));
    buf_free(&scratch);
    return text;
}

static bool means_no_state(struct span state)
{
    return !state.len || span_is(state, "unspecified") || span_is(state, "unknown");
}

static struct span state_of_task(struct task_list *list, const struct scene_task *task,
                                 const struct row *row)
{
    struct span state = text_member(list, row, "world_state");
    if (means_no_state(state)) {
        const struct node *v = node_find(task->dimensions, "world_state");
        state = node_is(v, JSON_VALUE_STRING) ? v->text : (struct span){NULL, 0};
    }
    return means_no_state(state) ? (struct span){NULL, 0} : state;
}

/* Entries of a fault plan that are objects; NULL: none. */
static const struct node *object_entries(struct arena *a, struct json_value faults)
{
    struct node *plan = node_object(a), *all = node_parse(a, faults);
    for (struct node *entry = all->first, *next; entry; entry = next) {
        next = entry->next;
        if (entry->type == JSON_VALUE_OBJECT)
            node_append(plan, entry);
    }
    return plan->count ? plan : NULL;
}

static void read_privileged(struct task_list *list, struct scene_task *task, const struct row *row)
{
    const struct json_value *v = row_get_set(row, SPAN("privileged"));
    struct buf text = {0};
    if (!v || v->type != JSON_VALUE_OBJECT || json_count(*v) == 0)
        return;
    const struct node *tree = node_parse(&list->arena, *v);
    const struct node *reference = node_find(tree, "reference"),
                      *hidden = node_find(tree, "hidden_state");
    task->privileged = arena_span(&list->arena, v->text);
    if (node_is(reference, JSON_VALUE_STRING))
        task->reference = reference->text;
    if (node_truthy(hidden)) {
        node_pyjson(hidden, true, &text);
        task->hidden_state = arena_span(&list->arena, buf_span(&text));
    }
    buf_free(&text);
}

static const char *read_task(struct task_list *list, struct scene_task *task, const struct row *row,
                             struct error *error)
{
    struct arena *a = &list->arena;
    const struct json_value *dimensions = row_get_set(row, SPAN("scenario_dimensions"));
    const struct json_value *faults = row_get_set(row, SPAN("faults"));
    const struct json_value *seed = row_get_set(row, SPAN("world_seed"));
    if (dimensions && dimensions->type == JSON_VALUE_OBJECT && json_count(*dimensions))
        task->dimensions = node_parse(a, *dimensions);
    if (faults && faults->type == JSON_VALUE_OBJECT)
        task->plan = object_entries(a, *faults);
    if (task->plan && world_plan_check(task->plan, error))
        return error->text;
    task->scenario_id = text_member(list, row, "scenario_id");
    if (!task->scenario_id.len)
        task->scenario_id = text_member(list, row, "task_id");
    if (!task->scenario_id.len)
        task->scenario_id = probe_id(a, task->prompt);
    task->world_state = state_of_task(list, task, row);
    task->arm = text_member(list, row, "arm");
    if (!task->arm.len)
        task->arm = SPAN("pinned");
    task->writer_model = text_member(list, row, "writer_model");
    if (!task->writer_model.len)
        task->writer_model = SPAN("pinned");
    task->has_world_seed = seed && json_int64(*seed, &task->world_seed);
    const struct node *stance = node_find(task->dimensions, "stance");
    task->tier = node_is(stance, JSON_VALUE_STRING) ? tier_of_stance(stance->text) : TIER_ORDINARY;
    read_privileged(list, task, row);
    inherit_members(list, task, row);
    task_finish(a, task);
    return NULL;
}

/* NULL, or what is wrong with the line. */
static const char *add_row(struct task_list *list, const struct row *row, struct buf *scratch,
                           struct error *error)
{
    const struct json_value *prompt = &row->value;
    if (prompt->type == JSON_VALUE_OBJECT)
        prompt = row_get_set(row, SPAN("prompt"));
    else if (prompt->type != JSON_VALUE_STRING)
        return "a task is an object with a prompt, or a JSON text";
    if (!prompt || prompt->type != JSON_VALUE_STRING) {
        list->skipped++;
        return NULL;
    }
    struct span text = json_text(*prompt, scratch);
    if (memchr(text.ptr, '\0', text.len))
        return "the prompt holds a NUL character";
    struct scene_task *task = add_task(list, text);
    return task ? read_task(list, task, row, error) : NULL;
}

int tasks_read(struct task_list *list, const char *path, const struct row_options *options,
               struct error *error)
{
    struct row_source source = {
        .paths = &path, .n_paths = 1, .options = *options, .any_value = true};
    source.options.jobs = 1;
    struct row_reader *reader = row_reader_open(&source, error);
    struct error reason;
    struct row row;
    struct buf scratch = {0};
    int got = reader ? 0 : error->code;
    while (got >= 0 && (got = row_reader_next(reader, &row, error)) > 0) {
        const char *what = add_row(list, &row, &scratch, &reason);
        if (what)
            got = row_reader_reject(reader, &row, what, error);
    }
    buf_free(&scratch);
    if (reader) {
        int closed = row_reader_close(reader, got < 0 ? NULL : error);
        got = got < 0 ? got : closed;
    }
    if (got >= 0 && list->count == 0)
        got = error_set(error, ERROR_INPUT, "%s: no row has a prompt, so there is nothing to play",
                        path);
    return got;
}

/* ---- seeds ----------------------------------------------------------------------------------- */

static const char *add_seed(struct task_list *list, struct span line, struct buf *scratch)
{
    struct json_members members = {0};
    struct json_fault fault;
    struct row row;
    struct span text = line;
    const char *wrong = NULL;
    if (line.ptr[0] == '{' || line.ptr[0] == '"') {
        const struct json_value *v = &row.value;
        if (row_of_text(line, &row, &members, &fault))
            wrong = fault.what;
        else if (row.value.type == JSON_VALUE_OBJECT)
            v = row_get_set(&row, SPAN("prompt"));
        if (!wrong && (!v || v->type != JSON_VALUE_STRING))
            wrong = "a seed is a line of text, a JSON text, or an object with a prompt";
        if (!wrong)
            text = json_text(*v, scratch);
    }
    if (!wrong && memchr(text.ptr, '\0', text.len))
        wrong = "the ask holds a NUL character";
    struct scene_task *task = wrong ? NULL : add_task(list, text);
    if (task) {
        task->scenario_id = probe_id(&list->arena, task->prompt);
        task->arm = SPAN("open_ended");
        task->writer_model = SPAN("seed");
        task_finish(&list->arena, task);
    }
    json_members_free(&members);
    return wrong;
}

int seeds_parse(struct task_list *list, struct span text, const char *name, struct error *error)
{
    struct buf scratch = {0};
    size_t number = 0;
    int code = 0;
    if (span_starts(text, SPAN("\xef\xbb\xbf")))
        text = span_slice(text, 3, text.len);
    while (!code && text.len) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t n = end ? (size_t)(end - text.ptr) : text.len;
        struct span line = text_strip(span_slice(text, 0, n));
        text = span_slice(text, n + (end != NULL), text.len);
        number++;
        if (!utf8_valid(line))
            code =
                error_set(error, ERROR_INPUT, "%s:%zu: not UTF-8; convert the file", name, number);
        const char *wrong = !code && line.len ? add_seed(list, line, &scratch) : NULL;
        if (wrong)
            code = error_set(error, ERROR_INPUT, "%s:%zu: %s", name, number, wrong);
    }
    buf_free(&scratch);
    return code;
}

int seeds_read(struct task_list *list, const char *path, struct error *error)
{
    struct buf text = {0};
    int code = file_read(path, SEEDS_FILE_MAX, &text, error);
    if (!code)
        code = seeds_parse(list, buf_span(&text), path, error);
    buf_free(&text);
    return code;
}
