/* convert_steps.c: the steps and the calibration of a v1 row (rows 4.2, 4.3). */
#include "row/converter.h"
#include "row/value.h"
#include "text/number.h"

enum step_key {
    STEP_TOOL,
    STEP_ARGUMENTS,
    STEP_RESULT,
    STEP_TEXT,
    STEP_LOGPROB,
    STEP_N_TOKENS,
    STEP_TRUNCATED,
    STEP_INPUT_TOKENS,
    STEP_OUTPUT_TOKENS,
    STEP_USER,
    STEP_KEY_COUNT,
};

static const struct span STEP_NAMES[STEP_KEY_COUNT] = {
    {"tool", 4},     {"arguments", 9}, {"result", 6},        {"text", 4},           {"logprob", 7},
    {"n_tokens", 8}, {"truncated", 9}, {"input_tokens", 12}, {"output_tokens", 13}, {"user", 4},
};

struct step {
    struct json_value at[STEP_KEY_COUNT];
};

static void read_step(struct json_value object, struct step *step, struct member_list *rest)
{
    *step = (struct step){0};
    rest->count = 0;
    struct json_cursor c = json_enter(object);
    struct json_member m;
    while (json_next_member(&c, &m)) {
        size_t i = 0;
        while (i < STEP_KEY_COUNT && !json_key_is(&m, STEP_NAMES[i]))
            i++;
        if (i < STEP_KEY_COUNT)
            step->at[i] = m.value;
        else
            member_list_add(rest, &m);
    }
    member_list_settle(rest);
}

static void write_key(struct json_writer *w, enum step_key key)
{
    json_write_key_span(w, STEP_NAMES[key]);
}

static void write_raw(struct json_writer *w, enum step_key key, struct json_value value)
{
    write_key(w, key);
    json_write_raw(w, value.text.ptr ? value.text : SPAN("null"));
}

/* A count: an integer as it stands, other values as the integer they read as; none when that is 0
 * and zero means that nothing was counted. */
static void write_count(struct json_writer *w, enum step_key key, struct json_value value,
                        bool zero)
{
    int64_t n = value_int(value);
    if (!value_set(value) || (n == 0 && !zero))
        return;
    write_key(w, key);
    if (value.type == JSON_VALUE_NUMBER && value.flags & JSON_FLAG_INTEGER)
        json_write_raw(w, value.text);
    else
        json_write_int(w, n);
}

static void write_logprob(struct json_writer *w, struct json_value value)
{
    double x;
    if (!value_set(value))
        return;
    write_key(w, STEP_LOGPROB);
    if (!value_num(value, &x)) {
        json_write_raw(w, value.text);
        return;
    }
    struct buf text = {0};
    value_num_text(value, &text);
    json_write_raw(w, buf_span(&text));
    buf_free(&text);
}

static void write_agent_step(struct json_writer *w, const struct step *step)
{
    const struct json_value *at = step->at;
    bool call = value_set(at[STEP_TOOL]);
    if (call)
        write_raw(w, STEP_TOOL, at[STEP_TOOL]);
    /* A result without a call is no part of the form, but it is somebody's data. */
    if (call || value_set(at[STEP_ARGUMENTS]))
        write_raw(w, STEP_ARGUMENTS, at[STEP_ARGUMENTS]);
    if (call || value_set(at[STEP_RESULT]))
        write_raw(w, STEP_RESULT, at[STEP_RESULT]);
    if (value_set(at[STEP_TEXT]))
        write_raw(w, STEP_TEXT, at[STEP_TEXT]);
    write_logprob(w, at[STEP_LOGPROB]);
    write_count(w, STEP_N_TOKENS, at[STEP_N_TOKENS], false);
    if (value_truthy(at[STEP_TRUNCATED])) {
        write_key(w, STEP_TRUNCATED);
        json_write_bool(w, true);
    }
    write_count(w, STEP_INPUT_TOKENS, at[STEP_INPUT_TOKENS], true);
    write_count(w, STEP_OUTPUT_TOKENS, at[STEP_OUTPUT_TOKENS], true);
}

void v1_write_steps(struct v1 *v)
{
    struct json_value steps = v->known.at[KEY_STEPS], object;
    struct json_writer *w = &v->w;
    struct json_cursor c = {0};
    if (steps.type == JSON_VALUE_ARRAY)
        c = json_enter(steps);
    else
        v->repairs->count[ROW_REPAIR_STEP] += value_truthy(steps);
    json_write_key(w, "steps");
    json_write_array(w);
    while (json_next_item(&c, &object)) {
        struct step step;
        if (object.type != JSON_VALUE_OBJECT) {
            v->repairs->count[ROW_REPAIR_STEP]++;
            continue;
        }
        read_step(object, &step, &v->c->step_rest);
        json_write_object(w);
        if (value_set(step.at[STEP_USER]))
            write_raw(w, STEP_USER, step.at[STEP_USER]);
        else
            write_agent_step(w, &step);
        for (size_t i = 0; i < v->c->step_rest.count; i++)
            json_write_member(w, &v->c->step_rest.items[i]);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

/* ---- calibration --------------------------------------------------------------------------- */

static struct json_value member(struct json_value object, struct span key)
{
    struct json_value value;
    return json_get(object, key, &value) ? value : (struct json_value){0};
}

static bool is_one_of(const struct json_member *m, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (json_key_is(m, span_text(names[i])))
            return true;
    return false;
}

/* What else the object holds. */
static void write_others(struct json_value object, const char *const *names, size_t count,
                         struct json_writer *w)
{
    struct member_list rest = {0};
    struct json_cursor c = json_enter(object);
    struct json_member m;
    while (json_next_member(&c, &m))
        if (!is_one_of(&m, names, count))
            member_list_add(&rest, &m);
    member_list_settle(&rest);
    for (size_t i = 0; i < rest.count; i++)
        json_write_member(w, &rest.items[i]);
    member_list_free(&rest);
}

/* A number keeps its text, numeric text and booleans become a float. */
static void write_float(struct json_value value, struct json_writer *w)
{
    double x;
    if (!value.text.ptr || !value_num(value, &x))
        json_write_null(w);
    else if (value.type == JSON_VALUE_NUMBER)
        json_write_raw(w, value.text);
    else
        json_write_real(w, x);
}

static void write_student(struct json_value student, struct json_writer *w)
{
    static const char *const NAMES[] = {"name", "model", "prompt_hash", "version"};
    struct json_value object = student;
    if (student.type != JSON_VALUE_OBJECT)
        object = (struct json_value){0};
    json_write_key(w, "student");
    json_write_object(w);
    for (size_t i = 0; i < 4; i++) {
        struct json_value value = member(object, span_text(NAMES[i]));
        json_write_key(w, NAMES[i]);
        if (value_set(value))
            json_write_raw(w, value.text);
        else
            json_write_raw(w, i == 0 ? SPAN("\"\"") : SPAN("null"));
    }
    if (object.text.ptr)
        write_others(object, NAMES, 4, w);
    json_write_end_object(w);
}

static bool read_pair(struct json_value value, struct json_value pair[2])
{
    double x;
    if (value.type != JSON_VALUE_ARRAY || json_count(value) != 2)
        return false;
    struct json_cursor c = json_enter(value);
    for (int i = 0; i < 2; i++)
        if (!json_next_item(&c, &pair[i]) || !value_num(pair[i], &x))
            return false;
    return true;
}

void row_calibration_write(struct json_value calibration, struct span task, struct json_writer *w)
{
    static const char *const NAMES[] = {"task_id",   "student", "n",
                                        "pass_rate", "mean_kl", "pass_rate_ci95"};
    struct buf scratch = {0};
    struct json_value pair[2], id = member(calibration, SPAN("task_id"));
    json_write_object(w);
    json_write_key(w, "task_id");
    json_write_span(w, value_set(id) ? value_text(id, &scratch) : task);
    write_student(member(calibration, SPAN("student")), w);
    struct json_value n = member(calibration, SPAN("n"));
    json_write_key(w, "n");
    if (n.type == JSON_VALUE_NUMBER && n.flags & JSON_FLAG_INTEGER)
        json_write_raw(w, n.text);
    else
        json_write_int(w, value_int(n));
    json_write_key(w, "pass_rate");
    write_float(member(calibration, SPAN("pass_rate")), w);
    json_write_key(w, "mean_kl");
    write_float(member(calibration, SPAN("mean_kl")), w);
    json_write_key(w, "pass_rate_ci95");
    if (read_pair(member(calibration, SPAN("pass_rate_ci95")), pair)) {
        json_write_array(w);
        write_float(pair[0], w);
        write_float(pair[1], w);
        json_write_end_array(w);
    } else {
        json_write_null(w);
    }
    write_others(calibration, NAMES, 6, w);
    json_write_end_object(w);
    buf_free(&scratch);
}
