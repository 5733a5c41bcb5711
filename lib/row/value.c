/* value.c: the readers of a number in a row, strict (measure 1.2) and lenient (rows 2.1-2.3). */
#include "row/value.h"

#include <math.h>

#include "text/number.h"
#include "json/pytext.h"

static const struct span REWARD_KEYS[] = {{"reward", 6}, {"qwen_reward", 11}};
enum { N_REWARD_KEYS = 2 };

static bool is_boolean(struct json_value v)
{
    return v.type == JSON_VALUE_TRUE || v.type == JSON_VALUE_FALSE;
}

bool value_float(struct json_value v, double *out)
{
    switch (v.type) {
    case JSON_VALUE_FALSE:
    case JSON_VALUE_TRUE: *out = v.type == JSON_VALUE_TRUE; return true;
    case JSON_VALUE_NUMBER: *out = json_number(v); return true;
    case JSON_VALUE_STRING: {
        struct buf scratch = {0};
        bool ok = number_parse(json_text(v, &scratch), out);
        buf_free(&scratch);
        return ok;
    }
    default: return false;
    }
}

void value_reward(const struct json_value *const *values, size_t count, bool booleans_count,
                  struct reward_reading *out)
{
    *out = (struct reward_reading){.label = ROW_LABEL_NONE};
    bool numeric = false;
    for (size_t i = 0; i < count; i++) {
        double x;
        if (!values[i])
            continue;
        if (is_boolean(*values[i]) && !booleans_count) {
            out->boolean = true;
            continue;
        }
        if (!value_float(*values[i], &x))
            continue;
        numeric = true;
        if (!out->graded && isfinite(x)) {
            out->graded = true;
            out->value = x;
        }
        if (out->label == ROW_LABEL_NONE && (x == 0.0 || x == 1.0)) {
            out->label = x == 1.0 ? ROW_LABEL_PASS : ROW_LABEL_FAIL;
            out->label_key = i;
        }
    }
    out->partial = numeric && out->label == ROW_LABEL_NONE;
}

static struct reward_reading reward_of(const struct row *row)
{
    const struct json_value *values[N_REWARD_KEYS];
    for (size_t i = 0; i < N_REWARD_KEYS; i++)
        values[i] = row_get(row, REWARD_KEYS[i]);
    struct reward_reading reading;
    value_reward(values, N_REWARD_KEYS, false, &reading);
    return reading;
}

enum row_label row_label(const struct row *row)
{
    return reward_of(row).label;
}

bool row_graded(const struct row *row, double *out)
{
    struct reward_reading reading = reward_of(row);
    *out = reading.graded ? reading.value : *out;
    return reading.graded;
}

bool row_partial(const struct row *row)
{
    return reward_of(row).partial;
}

enum row_label row_binary(const struct row *row)
{
    const struct json_value *value = row_get(row, REWARD_KEYS[0]);
    struct reward_reading reading;
    value_reward(&value, 1, false, &reading);
    return reading.label;
}

bool row_marker(const struct row *row, struct span name, double *out)
{
    const struct json_value *markers = row_get(row, SPAN("markers"));
    struct json_value value;
    return markers && json_get(*markers, name, &value) && value_float(value, out);
}

bool value_num(struct json_value v, double *out)
{
    double x;
    if (!value_float(v, &x) || !isfinite(x))
        return false;
    *out = x;
    return true;
}

void value_num_text(struct json_value v, struct buf *out)
{
    double x;
    if (v.type == JSON_VALUE_NUMBER) {
        buf_span_add(out, v.text);
        return;
    }
    if (!value_num(v, &x))
        x = 0;
    if (x == trunc(x))
        buf_format(out, "%.0f", x == 0 ? 0.0 : x); /* no "-0" */
    else
        number_add(out, x);
}

int64_t value_int(struct json_value v)
{
    int64_t whole;
    if (v.type == JSON_VALUE_NUMBER && json_int64(v, &whole))
        return whole;
    double x;
    if (!value_float(v, &x) || !isfinite(x))
        return 0;
    x = trunc(x);
    if (x >= 0x1p63)
        return INT64_MAX;
    if (x < -0x1p63)
        return INT64_MIN;
    return (int64_t)x;
}

int value_binary(struct json_value v)
{
    double x;
    if (!value_float(v, &x))
        return -1;
    return x == 1.0 ? 1 : x == 0.0 ? 0 : -1;
}

struct span value_text(struct json_value v, struct buf *scratch)
{
    buf_clear(scratch);
    if (v.type == JSON_VALUE_STRING)
        return json_text(v, scratch);
    json_pystr(v, scratch);
    return buf_span(scratch);
}
