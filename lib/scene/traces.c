/* traces.c: reading traces, counting what they hold, aiming the axes by it. */
#include "scene/traces.h"

#include <stdlib.h>

#include "row/fault.h"
#include "row/parse.h"
#include "row/signature.h"
#include "row/trace.h"
#include "scene/defaults.h"
#include "scene/exemplars.h"
#include "text/fold.h"
#include "json/write.h"

const enum axis TRACE_AXIS[TRACE_AXES] = {AXIS_TOOL, AXIS_CONDITION, AXIS_WORLD, AXIS_STANCE,
                                          AXIS_HISTORY};

/* ---- reading --------------------------------------------------------------------------------- */

static struct span text_member(struct arena *a, struct json_value object, struct span key)
{
    struct json_value value;
    struct buf scratch = {0};
    struct span text = {0};
    if (json_get(object, key, &value) && value.type == JSON_VALUE_STRING)
        text = arena_span(a, text_strip(json_text(value, &scratch)));
    buf_free(&scratch);
    return text;
}

static bool told(struct span value)
{
    return value.len && !span_is(value, "unspecified");
}

static void read_dimensions(struct traces *t, struct trace *trace, const struct row *row)
{
    const struct json_value *dimensions = row_get(row, SPAN("scenario_dimensions"));
    if (!dimensions || dimensions->type != JSON_VALUE_OBJECT)
        return;
    for (int i = 0; i < TRACE_AXES; i++) {
        struct span value =
            text_member(&t->arena, *dimensions, span_text(axis_name(TRACE_AXIS[i])));
        if (told(value))
            trace->value[i] = value;
    }
}

static enum row_label label_of(const struct row *row)
{
    static const char *const keys[] = {"reward", "qwen_reward"};
    for (int k = 0; k < 2; k++) {
        const struct json_value *value = row_get(row, span_text(keys[k]));
        int label = value ? value_binary(*value) : -1;
        if (label >= 0)
            return (enum row_label)label;
    }
    return ROW_LABEL_NONE;
}

static void read_scores(struct traces *t, struct trace *trace, const struct row *row)
{
    const struct json_value *scores = row_get(row, SPAN("scores"));
    struct json_member member;
    struct buf scratch = {0};
    if (!scores || scores->type != JSON_VALUE_OBJECT)
        return;
    trace->scores = arena_alloc(&t->arena, (json_count(*scores) + 1) * sizeof *trace->scores);
    for (struct json_cursor at = json_enter(*scores); json_next_member(&at, &member);) {
        struct json_value value = member.value;
        if (value.type == JSON_VALUE_OBJECT && !json_get(value, SPAN("value"), &value))
            continue;
        int verdict = value_binary(value);
        if (verdict < 0)
            continue;
        trace->scores[trace->n_scores++] =
            (struct trace_score){arena_span(&t->arena, json_key(&member, &scratch)), verdict == 0};
    }
    buf_free(&scratch);
}

static int64_t *counted(struct map *names, int64_t **counts, size_t *cap, struct span name)
{
    bool fresh;
    size_t n = map_add(names, name, &fresh);
    *counts = mem_grow(*counts, cap, n + 1, sizeof **counts);
    if (fresh)
        (*counts)[n] = 0;
    return &(*counts)[n];
}

static struct trace_tool *tool_of(struct traces *t, struct span name)
{
    bool fresh;
    size_t n = map_add(&t->tools, name, &fresh);
    t->tool_counts = mem_grow(t->tool_counts, &t->tools_cap, n + 1, sizeof *t->tool_counts);
    if (fresh)
        t->tool_counts[n] = (struct trace_tool){0};
    return &t->tool_counts[n];
}

static void read_steps(struct traces *t, struct trace *trace, const struct row *row)
{
    const struct json_value *steps = row_get(row, SPAN("steps"));
    struct json_value step, result, arguments;
    struct buf fault = {0};
    if (!steps || steps->type != JSON_VALUE_ARRAY)
        return;
    trace->tools = arena_alloc(&t->arena, (json_count(*steps) + 1) * sizeof *trace->tools);
    for (struct json_cursor at = json_enter(*steps); json_next_item(&at, &step);) {
        struct span name = text_member(&t->arena, step, SPAN("tool"));
        if (!name.len)
            continue;
        struct trace_tool *tool = tool_of(t, name);
        trace->tools[trace->n_tools++] = name;
        tool->n++;
        drafts_add(&t->drafts, name,
                   json_get(step, SPAN("arguments"), &arguments) ? &arguments : NULL);
        if (!json_get(step, SPAN("result"), &result) || json_value_null(result))
            continue;
        bool failed = row_result_fault(result, &fault);
        tool->faults += failed;
        if (!failed && t->exemplars)
            exemplar_keep(t, name, result);
    }
    buf_free(&fault);
}

void traces_add(struct traces *t, const struct row *row)
{
    struct buf scratch = {0};
    char signature[ROW_SIGNATURE_LENGTH + 1];
    const struct json_value *ts = row_get_set(row, SPAN("ts"));
    struct span world = text_member(&t->arena, row->value, SPAN("world_state"));
    t->items = mem_grow(t->items, &t->cap, t->count + 1, sizeof *t->items);
    struct trace *trace = &t->items[t->count++];
    *trace = (struct trace){.label = label_of(row)};
    trace->prompt = text_member(&t->arena, row->value, SPAN("prompt"));
    trace->version = text_member(&t->arena, row->value, SPAN("model_version"));
    if (ts && value_num(*ts, &trace->ts))
        t->dated = true;
    read_dimensions(t, trace, row);
    read_scores(t, trace, row);
    read_steps(t, trace, row);
    row_fault(row, &scratch);
    if (row_fault_is(buf_span(&scratch))) {
        trace->fault = arena_span(&t->arena, buf_span(&scratch));
        ++*counted(&t->faults, &t->fault_rows, &t->faults_cap, trace->fault);
    }
    if (told(world) && !span_is(world, "unknown"))
        ++*counted(&t->worlds, &t->world_rows, &t->worlds_cap, world);
    struct span opener = text_member(&t->arena, row->value, SPAN("opener"));
    t->opened += opener.len > 0;
    row_signature(row, signature);
    map_add(&t->signatures, span_text(signature), NULL);
    t->flaws += trace->fault.len || trace->label == ROW_LABEL_FAIL;
    buf_free(&scratch);
}

int traces_read(struct traces *t, const char *path, const struct row_options *options,
                struct error *error)
{
    struct row_source source = {.paths = &path, .n_paths = 1, .options = *options};
    source.options.jobs = 1;
    struct row_reader *reader = row_reader_open(&source, error);
    struct row_tracer tracer = {0};
    struct json_members members = {0};
    struct buf line = {0};
    struct row row, canonical;
    struct json_fault fault;
    const char *what;
    int got = reader ? 0 : error->code;
    t->exemplars = node_object(&t->arena);
    while (got >= 0 && (got = row_reader_next(reader, &row, error)) > 0) {
        t->read++;
        buf_clear(&line);
        enum row_trace_fate fate = row_trace(&tracer, &row, &line, &what);
        if (fate == ROW_TRACE_BAD)
            got = row_reader_reject(reader, &row, what, error);
        else if (fate == ROW_TRACE_OK &&
                 !row_of_text(buf_span(&line), &canonical, &members, &fault))
            traces_add(t, &canonical);
    }
    int closed = reader ? row_reader_close(reader, got < 0 ? NULL : error) : 0;
    int code = got < 0 ? got : closed;
    if (!code && !t->count)
        code =
            error_set(error, ERROR_INPUT,
                      "%s: no row with an ask or steps; convert the log with wai-rows load", path);
    row_tracer_free(&tracer);
    json_members_free(&members);
    buf_free(&line);
    return code;
}

void traces_free(struct traces *t)
{
    free(t->items);
    free(t->tool_counts);
    free(t->fault_rows);
    free(t->world_rows);
    map_free(&t->tools);
    map_free(&t->faults);
    map_free(&t->worlds);
    map_free(&t->signatures);
    map_free(&t->shapes_seen);
    drafts_free(&t->drafts);
    arena_free(&t->arena);
}

const struct span *traces_failing_asks(struct traces *t, size_t most, size_t *count)
{
    struct map asks = {0};
    for (size_t i = 0; i < t->count && asks.count < most; i++)
        if (t->items[i].label == ROW_LABEL_FAIL && t->items[i].prompt.len)
            map_add(&asks, t->items[i].prompt, NULL);
    struct span *list = arena_alloc(&t->arena, (asks.count + 1) * sizeof *list);
    for (size_t i = 0; i < asks.count; i++)
        list[i] = arena_span(&t->arena, asks.keys[i]);
    *count = asks.count;
    map_free(&asks);
    return list;
}

/* ---- aiming (situations 14.3) ---------------------------------------------------------------- */

static bool on_axis(const struct axis_values *axis, struct span value)
{
    for (size_t i = 0; i < axis->count; i++)
        if (span_equal(axis->items[i], value))
            return true;
    return false;
}

static void put(struct axis_values *axis, struct span value)
{
    if (!on_axis(axis, value))
        axis->items[axis->count++] = value;
}

struct ranked {
    size_t at;
    int64_t first, second;
    struct span name;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? 1 : -1;
    if (x->second != y->second)
        return x->second < y->second ? 1 : -1;
    return span_compare(x->name, y->name);
}

/* Names by how often, the first seen first on a tie. */
static struct ranked *rank_counts(const struct map *names, const int64_t *counts)
{
    struct ranked *r = mem_zero(names->count + 1, sizeof *r);
    for (size_t i = 0; i < names->count; i++)
        r[i] = (struct ranked){i, counts[i], -(int64_t)i, names->keys[i]};
    qsort(r, names->count, sizeof *r, by_rank);
    return r;
}

static void aim_tools(const struct traces *t, struct axis_values *axis, bool narrow,
                      struct arena *a)
{
    struct ranked *seen = mem_zero(axis->count + 1, sizeof *seen);
    struct axis_values aimed = {.items = arena_alloc(a, (axis->count + 1) * sizeof *aimed.items)};
    size_t n = 0;
    for (size_t i = 0; i + 2 < axis->count; i++) { /* behind them: unrelated, multi_tool */
        size_t at = map_find(&t->tools, axis->items[i]);
        if (at != MAP_NONE)
            seen[n++] =
                (struct ranked){i, t->tool_counts[at].faults, t->tool_counts[at].n, axis->items[i]};
    }
    qsort(seen, n, sizeof *seen, by_rank);
    for (size_t i = 0; i < n; i++)
        put(&aimed, seen[i].name);
    for (size_t i = 0; i < axis->count; i++)
        if (!narrow || i + 2 >= axis->count)
            put(&aimed, axis->items[i]);
    if (n)
        *axis = aimed;
    free(seen);
}

static const struct {
    const char *fault, *condition, *world;
} AIMS[] = {
    {"timeout", "timeout", NULL},
    {"error", "timeout", NULL},
    {"malformed", "malformed_result", NULL},
    {"stale", "stale_result", NULL},
    {"deny", "permission_denied", NULL},
    {"not_found", NULL, "entity missing"},
    {"already_done", NULL, "entity already acted on"},
};

static void aim_faults(const struct traces *t, struct axis_values *condition,
                       struct axis_values *world, struct arena *a)
{
    size_t most = t->faults.count + t->worlds.count + 2;
    struct axis_values conditions = {.items = arena_alloc(a, most * sizeof *conditions.items)};
    struct axis_values worlds = {.items = arena_alloc(a, most * sizeof *worlds.items)};
    struct ranked *faults = rank_counts(&t->faults, t->fault_rows);
    struct ranked *states = rank_counts(&t->worlds, t->world_rows);
    put(&conditions, SPAN("success"));
    put(&worlds, SPAN("entity exists"));
    for (size_t i = 0; i < t->faults.count; i++) {
        struct span as_condition = faults[i].name, as_world = {0};
        for (size_t k = 0; k < sizeof AIMS / sizeof *AIMS; k++)
            if (span_is(faults[i].name, AIMS[k].fault)) {
                as_condition = span_text(AIMS[k].condition);
                as_world = span_text(AIMS[k].world);
            }
        if (as_condition.len && on_axis(condition, as_condition))
            put(&conditions, as_condition);
        if (as_world.len && on_axis(world, as_world))
            put(&worlds, as_world);
    }
    for (size_t i = 0; i < t->worlds.count; i++)
        if (on_axis(world, states[i].name))
            put(&worlds, arena_span(a, states[i].name));
    if (conditions.count > 1) {
        for (size_t i = 0; i < conditions.count; i++)
            conditions.items[i] = arena_span(a, conditions.items[i]);
        *condition = conditions;
    }
    if (worlds.count > 1 && on_axis(world, SPAN("entity exists")))
        *world = worlds;
    free(faults);
    free(states);
}

void traces_aim(const struct traces *t, struct axis_values axes[AXIS_COUNT], bool narrow,
                struct arena *a)
{
    aim_tools(t, &axes[AXIS_TOOL], narrow, a);
    aim_faults(t, &axes[AXIS_CONDITION], &axes[AXIS_WORLD], a);
}

/* ---- writing --------------------------------------------------------------------------------- */

void traces_write_tools(const struct traces *t, struct json_writer *w)
{
    json_write_object(w);
    for (size_t i = 0; i < t->tools.count; i++) {
        json_write_key_span(w, t->tools.keys[i]);
        json_write_object(w);
        json_write_key(w, "n");
        json_write_int(w, t->tool_counts[i].n);
        json_write_key(w, "fault_n");
        json_write_int(w, t->tool_counts[i].faults);
        json_write_end_object(w);
    }
    json_write_end_object(w);
}

void traces_write_faults(const struct traces *t, struct json_writer *w)
{
    json_write_object(w);
    for (size_t i = 0; i < t->faults.count; i++) {
        json_write_key_span(w, t->faults.keys[i]);
        json_write_int(w, t->fault_rows[i]);
    }
    json_write_end_object(w);
}
