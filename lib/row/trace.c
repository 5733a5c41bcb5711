/* trace.c: the members that make a row of a log row (rows 11.2). Steps out of messages are in
 * trace_messages.c. */
#include "row/trace.h"

#include <stdlib.h>

#include "row/known.h"
#include "row/trace_steps.h"
#include "row/value.h"

void row_tracer_free(struct row_tracer *t)
{
    arena_free(&t->arena);
    json_edit_free(&t->edit);
    free(t->steps);
    map_free(&t->ids);
    map_free(&t->names);
    free(t->step_of_id);
    free(t->lines);
    buf_free(&t->json);
    buf_free(&t->scratch);
    *t = (struct row_tracer){0};
}

static const struct json_value *first_truthy(const struct row *row, const char *const *names,
                                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct json_value *value = row_get(row, span_text(names[i]));
        if (value && json_truthy(*value))
            return value;
    }
    return NULL;
}

/* ---- steps that are there ------------------------------------------------------------------ */

/* Other names of a call's arguments and of its result, in order of preference. */
static const char *const ARGUMENT_NAMES[] = {"input", "args", "parameters"};
static const char *const RESULT_NAMES[] = {"output", "response"};

static bool has(struct json_value object, const char *key)
{
    struct json_value value;
    return json_get(object, span_text(key), &value);
}

static const char *other_name(struct json_value step, const char *name, const char *const *others,
                              size_t count)
{
    if (has(step, name))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (has(step, others[i]))
            return others[i];
    return NULL;
}

static bool key_named(const struct json_member *m, const char *name)
{
    return name && json_key_is(m, span_text(name));
}

/* Writes the step with its aliases renamed; false when it has none. */
static bool rename_step(struct json_value step, struct json_writer *w)
{
    if (!has(step, "tool"))
        return false;
    const char *arguments = other_name(step, "arguments", ARGUMENT_NAMES, 3);
    const char *result = other_name(step, "result", RESULT_NAMES, 2);
    if (!arguments && !result)
        return false;
    json_write_object(w);
    struct json_cursor c = json_enter(step);
    struct json_member m;
    while (json_next_member(&c, &m)) {
        if (key_named(&m, arguments) || key_named(&m, result)) {
            json_write_key(w, key_named(&m, arguments) ? "arguments" : "result");
            json_write_raw(w, m.value.text);
        } else {
            json_write_member(w, &m);
        }
    }
    json_write_end_object(w);
    return true;
}

/* The objects of an array as steps; true when they differ from the array. */
static bool rewrite_steps(struct json_value array, struct json_writer *w, size_t *count)
{
    bool changed = false;
    struct json_cursor c = json_enter(array);
    struct json_value step;
    json_write_array(w);
    while (json_next_item(&c, &step)) {
        if (step.type != JSON_VALUE_OBJECT) {
            changed = true;
            continue;
        }
        ++*count;
        if (rename_step(step, w))
            changed = true;
        else
            json_write_raw(w, step.text);
    }
    json_write_end_array(w);
    return changed;
}

static const struct json_value *find_steps(struct row_tracer *t, const struct row *row)
{
    static const struct {
        const char *name;
        enum row_trace_source source;
    } PLACES[] = {
        {"steps", ROW_TRACE_STEPS},
        {"tool_trace", ROW_TRACE_TOOL_TRACE},
        {"trace", ROW_TRACE_TRACE},
    };
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
        const struct json_value *value = row_get(row, span_text(PLACES[i].name));
        if (value && value->type == JSON_VALUE_ARRAY && json_truthy(*value)) {
            t->source = PLACES[i].source;
            return value;
        }
    }
    return NULL;
}

/* What the row has under that name, scanned; the steps written anew in t->json when *fresh. */
static bool set_steps(struct row_tracer *t, const struct row *row, enum json_style style,
                      size_t *count, struct json_value *steps, const char **what)
{
    struct json_writer w;
    bool changed = true;
    const struct json_value *there = find_steps(t, row);
    const struct json_value *messages = row_get(row, SPAN("messages"));
    buf_clear(&t->json);
    json_write_start(&w, &t->json, style);
    if (there) {
        changed = rewrite_steps(*there, &w, count) || t->source != ROW_TRACE_STEPS;
        if (!changed)
            *steps = *there;
    } else if (messages && messages->type == JSON_VALUE_ARRAY) {
        t->source = ROW_TRACE_MESSAGES;
        if (!trace_messages(t, *messages, what))
            return false;
        *count = t->n_steps;
        trace_write_steps(t, &w);
    } else {
        json_write_array(&w);
        json_write_end_array(&w);
    }
    if (changed) {
        struct json_fault fault;
        struct span text = arena_span(&t->arena, buf_span(&t->json));
        json_edit_set(&t->edit, SPAN("steps"), text);
        json_scan(text, steps, NULL, &fault);
    }
    return true;
}

/* ---- ask and reply ------------------------------------------------------------------------- */

/* First or last member of that name among the steps. */
static bool step_member(struct json_value steps, const char *key, bool last,
                        struct json_value *found)
{
    struct json_cursor c = json_enter(steps);
    struct json_value step, value;
    bool any = false;
    while (json_next_item(&c, &step)) {
        if (!json_get(step, span_text(key), &value))
            continue;
        *found = value;
        any = true;
        if (!last)
            break;
    }
    return any;
}

/* The words of a value that stands for an ask or a reply: a text itself, the text blocks of a list,
 * the content of one message, anything else as compact JSON. */
static struct span words(struct row_tracer *t, struct json_value value)
{
    buf_clear(&t->scratch);
    if (value.type == JSON_VALUE_STRING)
        return json_text(value, &t->scratch);
    if (trace_blocks_text(value, &t->scratch))
        return buf_span(&t->scratch);
    struct json_value content;
    if (value.type == JSON_VALUE_OBJECT && has(value, "role") &&
        json_get(value, SPAN("content"), &content))
        return trace_content_text(content, &t->scratch);
    return value.text;
}

/* Sets a text member unless it is that text already. Returns whether it is blank-empty. */
static bool set_text(struct row_tracer *t, const struct row *row, struct span key,
                     const struct json_value *value)
{
    const struct json_value *there = row_get(row, key);
    if (value && value == there && value->type == JSON_VALUE_STRING)
        return value->text.len > 2;
    struct span text = value && json_truthy(*value) ? words(t, *value) : SPAN("");
    json_edit_text(&t->edit, key, text);
    return text.len > 0;
}

static bool set_prompt(struct row_tracer *t, const struct row *row, struct json_value steps)
{
    static const char *const NAMES[] = {"prompt", "question", "input", "task", "ask"};
    const struct json_value *value = first_truthy(row, NAMES, sizeof NAMES / sizeof *NAMES);
    struct json_value ask;
    if (value && value->type == JSON_VALUE_ARRAY && trace_first_user(*value, &ask)) {
        struct span text = trace_content_text(ask, &t->scratch);
        json_edit_text(&t->edit, SPAN("prompt"), text);
        return text.len > 0;
    }
    if (!value && step_member(steps, "user", false, &ask))
        value = &ask;
    return set_text(t, row, SPAN("prompt"), value);
}

static void set_final(struct row_tracer *t, const struct row *row, struct json_value steps)
{
    static const char *const NAMES[] = {"final_text", "final", "output", "response", "answer"};
    const struct json_value *value = first_truthy(row, NAMES, sizeof NAMES / sizeof *NAMES);
    struct json_value text;
    if (!value && step_member(steps, "text", true, &text))
        value = &text;
    set_text(t, row, SPAN("final_text"), value);
}

/* ---- reward -------------------------------------------------------------------------------- */

static void set_number(struct row_tracer *t, struct json_value value, double x)
{
    t->rewards_kept++;
    if (x == 0.0 || x == 1.0)
        json_edit_set(&t->edit, SPAN("reward"), x == 0.0 ? SPAN("0") : SPAN("1"));
    else if (value.type != JSON_VALUE_NUMBER) {
        buf_clear(&t->scratch);
        value_num_text(value, &t->scratch);
        json_edit_set(&t->edit, SPAN("reward"), buf_span(&t->scratch));
    }
}

static void set_invalid(struct row_tracer *t, const struct row *row, struct json_value value)
{
    json_edit_text(&t->edit, SPAN("judge_status"), SPAN("invalid_result"));
    const struct json_value *meta = row_get(row, SPAN("judge_meta"));
    struct json_edit edit = {0};
    struct json_members members = {0};
    struct span object = SPAN("{}");
    if (meta && meta->type == JSON_VALUE_OBJECT) {
        json_members_of(*meta, &members);
        object = meta->text;
    }
    buf_clear(&t->scratch);
    raw_reward_add(value, &t->scratch);
    json_edit_set(&edit, SPAN("raw_reward"), buf_span(&t->scratch));
    if (meta && meta->type != JSON_VALUE_OBJECT && json_truthy(*meta))
        json_edit_set(&edit, SPAN("raw_judge_meta"), meta->text);
    buf_clear(&t->json);
    json_edit_apply(&edit, object, &members, &t->json);
    json_edit_set(&t->edit, SPAN("judge_meta"), buf_span(&t->json));
    json_edit_free(&edit);
    json_members_free(&members);
}

static void set_reward(struct row_tracer *t, const struct row *row)
{
    const struct json_value *reward = row_get(row, SPAN("reward"));
    double x;
    if (!reward)
        return;
    int binary = value_binary(*reward);
    bool number = value_num(*reward, &x) && x >= 0.0 && x <= 1.0;
    if (t->binary_rewards ? binary >= 0 : number) {
        set_number(t, *reward, t->binary_rewards ? binary : x);
        return;
    }
    t->rewards_removed++;
    json_edit_remove(&t->edit, SPAN("reward"));
    if (!t->binary_rewards && !json_value_null(*reward))
        set_invalid(t, row, *reward);
}

enum row_trace_fate row_trace(struct row_tracer *t, const struct row *row, struct buf *out,
                              const char **what)
{
    arena_clear(&t->arena);
    json_edit_clear(&t->edit);
    t->source = ROW_TRACE_NONE;
    size_t count = 0;
    struct json_value steps = {0};
    enum json_style style = row_spaced(row) ? JSON_STYLE_SPACED : JSON_STYLE_COMPACT;
    if (!set_steps(t, row, style, &count, &steps, what))
        return ROW_TRACE_BAD;
    bool asked = set_prompt(t, row, steps);
    if (!asked && count == 0)
        return ROW_TRACE_EMPTY;
    set_final(t, row, steps);
    set_reward(t, row);
    json_edit_apply(&t->edit, row->value.text, &row->members, out);
    return ROW_TRACE_OK;
}
