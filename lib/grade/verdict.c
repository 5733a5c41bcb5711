/* verdict.c: one normal form for whatever a scorer answers (grade 3.1, 3.3). */
#include "grade/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "row/value.h"
#include "text/fold.h"
#include "text/number.h"
#include "json/pytext.h"
#include "json/write.h"

static const char *const STATUS_NAMES[VERDICT_STATUS_COUNT] = {
    "ok", "invalid_result", "missing_reward", "error", "timeout"};
static const char *const TYPE_NAMES[] = {"null",   "boolean", "boolean", "number",
                                         "string", "array",   "object"};

const char *verdict_status_name(enum verdict_status status)
{
    return STATUS_NAMES[status];
}

void verdict_clear(struct verdict *v)
{
    v->status = VERDICT_OK;
    v->judged = false;
    v->value = 0;
    v->fault = VERDICT_FAULT_UNSAID;
    buf_clear(&v->reward);
    buf_clear(&v->reason);
    v->n_meta = 0;
    arena_clear(&v->arena);
    buf_clear(&v->log);
}

void verdict_free(struct verdict *v)
{
    buf_free(&v->reward);
    buf_free(&v->reason);
    free(v->meta);
    buf_free(&v->log);
    arena_free(&v->arena);
    *v = (struct verdict){0};
}

/* ---- judge_meta
 * --------------------------------------------------------------------------------------- */

static struct verdict_item *meta_item(const struct verdict *v, struct span key)
{
    for (size_t i = 0; i < v->n_meta; i++)
        if (span_equal(v->meta[i].key, key))
            return &v->meta[i];
    return NULL;
}

void verdict_meta(struct verdict *v, struct span key, struct span json)
{
    struct verdict_item *item = meta_item(v, key);
    if (!item) {
        v->meta = mem_grow(v->meta, &v->cap_meta, v->n_meta + 1, sizeof *v->meta);
        item = &v->meta[v->n_meta++];
        item->key = arena_span(&v->arena, key);
    }
    item->json = arena_span(&v->arena, json);
}

void verdict_meta_text(struct verdict *v, struct span key, const char *text)
{
    struct buf json = {0};
    json_quote(&json, span_text(text));
    verdict_meta(v, key, buf_span(&json));
    buf_free(&json);
}

struct span verdict_meta_find(const struct verdict *v, const char *key)
{
    const struct verdict_item *item = meta_item(v, span_text(key));
    return item ? item->json : (struct span){0};
}

void verdict_meta_remove(struct verdict *v, struct span key)
{
    for (size_t i = 0; i < v->n_meta; i++)
        if (span_equal(v->meta[i].key, key)) {
            memmove(v->meta + i, v->meta + i + 1, (v->n_meta - i - 1) * sizeof *v->meta);
            v->n_meta--;
            return;
        }
}

/* ---- values
 * ------------------------------------------------------------------------------------------- */

/* Recursion is bounded by the scanner's JSON_DEPTH_MAX. */
void verdict_copy_json(struct json_value value, struct buf *out)
{
    if (value.type == JSON_VALUE_NUMBER && (value.flags & JSON_FLAG_NONFINITE)) {
        buf_byte(out, '"');
        buf_span_add(out, value.text);
        buf_byte(out, '"');
    } else if (value.type == JSON_VALUE_ARRAY) {
        struct json_cursor c = json_enter(value);
        struct json_value item;
        buf_byte(out, '[');
        for (bool first = true; json_next_item(&c, &item); first = false) {
            if (!first)
                buf_byte(out, ',');
            verdict_copy_json(item, out);
        }
        buf_byte(out, ']');
    } else if (value.type == JSON_VALUE_OBJECT) {
        struct json_cursor c = json_enter(value);
        struct json_member member;
        buf_byte(out, '{');
        for (bool first = true; json_next_member(&c, &member); first = false) {
            if (!first)
                buf_byte(out, ',');
            buf_byte(out, '"');
            buf_span_add(out, member.key);
            buf_text(out, "\":");
            verdict_copy_json(member.value, out);
        }
        buf_byte(out, '}');
    } else {
        buf_span_add(out, value.text);
    }
}

static void meta_value(struct verdict *v, const char *key, struct json_value value)
{
    struct buf json = {0};
    verdict_copy_json(value, &json);
    verdict_meta(v, span_text(key), buf_span(&json));
    buf_free(&json);
}

static void meta_float(struct verdict *v, const char *key, double x)
{
    struct buf json = {0};
    if (isfinite(x))
        number_add(&json, x);
    else
        buf_text(&json, isnan(x) ? "\"NaN\"" : x > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    verdict_meta(v, span_text(key), buf_span(&json));
    buf_free(&json);
}

static void set_reward(struct verdict *v, double value, struct span spelled)
{
    v->status = VERDICT_OK;
    v->judged = true;
    v->value = value == 0 ? 0 : value; /* -0 is 0 */
    buf_clear(&v->reward);
    if (value == 0 || value == 1)
        buf_byte(&v->reward, value == 0 ? '0' : '1');
    else
        buf_span_add(&v->reward, spelled);
}

static void set_diagnostic_text(struct verdict *v, enum verdict_status status, const char *key,
                                const char *text)
{
    v->status = status;
    verdict_meta_text(v, span_text(key), text);
}

static int by_bytes(const void *a, const void *b)
{
    return span_compare(*(const struct span *)a, *(const struct span *)b);
}

/* The object's distinct key names, sorted. */
static void set_missing(struct verdict *v, struct json_value object)
{
    struct arena names = {0};
    struct span *keys = NULL;
    size_t n = 0, cap = 0;
    struct buf scratch = {0}, json = {0};
    struct json_cursor c = json_enter(object);
    struct json_member member;
    while (json_next_member(&c, &member)) {
        keys = mem_grow(keys, &cap, n + 1, sizeof *keys);
        keys[n++] = arena_span(&names, json_key(&member, &scratch));
    }
    if (n)
        qsort(keys, n, sizeof *keys, by_bytes);
    buf_byte(&json, '[');
    for (size_t i = 0, written = 0; i < n; i++) {
        if (i && span_equal(keys[i], keys[i - 1]))
            continue;
        if (written++)
            buf_byte(&json, ',');
        json_quote(&json, keys[i]);
    }
    buf_byte(&json, ']');
    v->status = VERDICT_MISSING_REWARD;
    verdict_meta(v, SPAN("returned_keys"), buf_span(&json));
    free(keys);
    arena_free(&names);
    buf_free(&scratch);
    buf_free(&json);
}

/* ---- objects: reason, judge_meta and loose keys
 * ------------------------------------------------------- */

static bool key_in(struct span key, const char *const *names)
{
    for (; *names; names++)
        if (span_is(key, *names))
            return true;
    return false;
}

/* taken: names that do not land in judge_meta. */
static void read_object_keys(struct verdict *v, struct json_value object, const char *const *taken)
{
    struct buf scratch = {0}, json = {0};
    struct json_value nested = {0};
    bool has_nested = json_get(object, SPAN("judge_meta"), &nested);
    for (int pass = 0; pass < 2; pass++) {
        /* First the loose keys; then those of a judge_meta object, which win. */
        if (pass == 1 && (!has_nested || nested.type != JSON_VALUE_OBJECT))
            break;
        struct json_cursor c = json_enter(pass ? nested : object);
        struct json_member member;
        while (json_next_member(&c, &member)) {
            struct span key = json_key(&member, &scratch);
            if (!pass && key_in(key, taken))
                continue;
            if (!pass && span_is(key, "judge_meta") && member.value.type == JSON_VALUE_OBJECT)
                continue;
            buf_clear(&json);
            verdict_copy_json(member.value, &json);
            verdict_meta(v, key, buf_span(&json));
        }
    }
    struct json_value reason;
    if (json_get(object, SPAN("reason"), &reason) && json_truthy(reason)) {
        buf_clear(&v->reason);
        buf_span_add(&v->reason, value_text(reason, &scratch));
    }
    buf_free(&scratch);
    buf_free(&json);
}

/* An object may say which of the five states a null reward is in. */
static void read_status_override(struct verdict *v, struct json_value object)
{
    struct json_value status;
    if (v->judged || !json_get(object, SPAN("judge_status"), &status) ||
        status.type != JSON_VALUE_STRING)
        return;
    struct buf scratch = {0};
    struct span name = json_text(status, &scratch);
    for (int i = 0; i < VERDICT_STATUS_COUNT; i++)
        if (i != VERDICT_OK && span_is(name, STATUS_NAMES[i])) {
            v->status = (enum verdict_status)i;
            verdict_meta_remove(v, SPAN("judge_status"));
        }
    buf_free(&scratch);
}

/* The number of an object that has none of the keys is reported by the caller. */
static void read_number(struct verdict *v, struct json_value value)
{
    double x = json_number(value);
    if (value.type == JSON_VALUE_TRUE || value.type == JSON_VALUE_FALSE)
        set_reward(v, value.type == JSON_VALUE_TRUE, SPAN(""));
    else if (value.type != JSON_VALUE_NUMBER)
        set_diagnostic_text(v, VERDICT_INVALID_RESULT, "reward_type", TYPE_NAMES[value.type]);
    else if (x >= 0 && x <= 1)
        set_reward(v, x, value.text);
    else {
        v->status = VERDICT_INVALID_RESULT;
        meta_value(v, "reward_out_of_range", value);
    }
}

/* ---- ratings (grade 3.3)
 * ------------------------------------------------------------------------------ */

static void read_rating(struct verdict *v, struct json_value value,
                        const struct verdict_scale *scale)
{
    struct buf pair = {0};
    buf_byte(&pair, '[');
    number_add(&pair, scale->low);
    buf_byte(&pair, ',');
    number_add(&pair, scale->high);
    buf_byte(&pair, ']');
    double x = json_number(value);
    if (value.type != JSON_VALUE_NUMBER) {
        set_diagnostic_text(v, VERDICT_INVALID_RESULT, "reward_type", TYPE_NAMES[value.type]);
    } else if (!(x >= scale->low && x <= scale->high)) {
        v->status = VERDICT_INVALID_RESULT;
        meta_float(v, "rating_out_of_scale", x);
        verdict_meta(v, SPAN("scale"), buf_span(&pair));
    } else {
        double reward = (x - scale->low) / (scale->high - scale->low);
        char text[NUMBER_TEXT_MAX];
        if (reward != 0 && reward != 1)
            reward = number_round(reward, 6);
        size_t n = number_text(reward, text);
        set_reward(v, reward, span_make(text, n));
        meta_float(v, "rating", x);
        verdict_meta(v, SPAN("scale"), buf_span(&pair));
    }
    buf_free(&pair);
}

static void read_rated_object(struct verdict *v, struct json_value object,
                              const struct verdict_scale *scale)
{
    static const char *const taken[] = {"rating", "score", "reward", "reason", NULL};
    struct json_value number;
    read_object_keys(v, object, taken);
    bool found = json_get(object, SPAN("rating"), &number) ||
                 json_get(object, SPAN("score"), &number) ||
                 json_get(object, SPAN("reward"), &number);
    if (!found || json_value_null(number))
        set_missing(v, object);
    else
        read_rating(v, number, scale);
}

static void read_plain_object(struct verdict *v, struct json_value object)
{
    static const char *const taken[] = {"reward", "score", "reason", NULL};
    struct json_value number;
    read_object_keys(v, object, taken);
    if (json_get(object, SPAN("reward"), &number) || json_get(object, SPAN("score"), &number))
        read_number(v, number);
    else
        set_missing(v, object);
}

void verdict_read(struct verdict *v, struct json_value value, const struct verdict_scale *scale)
{
    bool rated = scale && scale->set;
    verdict_clear(v);
    if (value.type == JSON_VALUE_OBJECT) {
        if (rated)
            read_rated_object(v, value, scale);
        else
            read_plain_object(v, value);
        read_status_override(v, value);
    } else if (rated) {
        read_rating(v, value, scale);
    } else if (value.type == JSON_VALUE_NUMBER || value.type == JSON_VALUE_TRUE ||
               value.type == JSON_VALUE_FALSE) {
        read_number(v, value);
    } else {
        set_diagnostic_text(v, VERDICT_INVALID_RESULT, "returned_type", TYPE_NAMES[value.type]);
    }
}

void verdict_read_row(struct verdict *v, struct json_value value, const struct verdict_scale *scale)
{
    static const char *const keys[] = {
        "reward", "reason", "judge_status", "judge_meta", "failure_class", "markers", NULL};
    struct json_value part;
    if (value.type != JSON_VALUE_OBJECT || !json_get(value, SPAN("final_text"), &part) ||
        !json_get(value, SPAN("reward"), &part)) {
        verdict_read(v, value, scale);
        return;
    }
    struct buf text = {0};
    struct json_fault fault;
    struct json_value reduced;
    buf_byte(&text, '{');
    for (size_t i = 0; keys[i]; i++) {
        if (!json_get(value, span_text(keys[i]), &part))
            continue;
        buf_format(&text, "%s\"%s\":", text.len > 1 ? "," : "", keys[i]);
        buf_span_add(&text, part.text);
    }
    buf_byte(&text, '}');
    if (json_scan(buf_span(&text), &reduced, NULL, &fault) == 0)
        verdict_read(v, reduced, scale);
    verdict_meta_remove(v, SPAN("judge_status"));
    buf_free(&text);
}

/* ---- verdicts of our own making
 * ----------------------------------------------------------------------- */

void verdict_none(struct verdict *v)
{
    verdict_clear(v);
    v->status = VERDICT_MISSING_REWARD;
    verdict_meta(v, SPAN("returned_keys"), SPAN("[]"));
}

void verdict_failed(struct verdict *v, const char *format, ...)
{
    struct buf text = {0}, json = {0};
    va_list args;
    va_start(args, format);
    buf_vformat(&text, format, args);
    va_end(args);
    verdict_clear(v);
    v->status = VERDICT_ERROR;
    json_quote(&json, buf_span(&text));
    verdict_meta(v, SPAN("error"), buf_span(&json));
    buf_free(&text);
    buf_free(&json);
}

void verdict_timed_out(struct verdict *v, double seconds)
{
    verdict_clear(v);
    v->status = VERDICT_TIMEOUT;
    meta_float(v, "timeout_s", seconds);
}

void verdict_score(struct verdict *v, double score)
{
    char text[NUMBER_TEXT_MAX];
    if (isnan(score)) {
        v->status = VERDICT_INVALID_RESULT;
        v->judged = false;
        verdict_meta_text(v, SPAN("reward_out_of_range"), "NaN");
        return;
    }
    score = score < 0 ? 0 : score > 1 ? 1 : score;
    size_t n = number_text(score, text);
    set_reward(v, score, span_make(text, n));
}

void verdict_unjudged(struct verdict *v, const char *format, ...)
{
    va_list args;
    v->status = VERDICT_INVALID_RESULT;
    v->judged = false;
    buf_clear(&v->reason);
    va_start(args, format);
    buf_vformat(&v->reason, format, args);
    va_end(args);
    verdict_meta_text(v, SPAN("reward_type"), "null");
}

void verdict_reason(struct verdict *v, const char *format, ...)
{
    va_list args;
    buf_clear(&v->reason);
    va_start(args, format);
    buf_vformat(&v->reason, format, args);
    va_end(args);
}

/* ---- between processes
 * -------------------------------------------------------------------------------- */

static void meta_write(const struct verdict *v, struct buf *out)
{
    buf_byte(out, '{');
    for (size_t i = 0; i < v->n_meta; i++) {
        if (i)
            buf_byte(out, ',');
        json_quote(out, v->meta[i].key);
        buf_byte(out, ':');
        buf_span_add(out, v->meta[i].json);
    }
    buf_byte(out, '}');
}

void verdict_store(const struct verdict *v, struct buf *out)
{
    buf_format(out, "{\"status\":%d,\"reward\":", (int)v->status);
    if (v->judged)
        buf_span_add(out, buf_span(&v->reward));
    else
        buf_text(out, "null");
    buf_text(out, ",\"reason\":");
    json_quote(out, buf_span(&v->reason));
    buf_text(out, ",\"meta\":");
    meta_write(v, out);
    buf_byte(out, '}');
}

bool verdict_load(struct verdict *v, struct span text)
{
    struct json_value value, status, reward, reason, meta;
    struct json_fault fault;
    int64_t code;
    verdict_clear(v);
    if (json_scan(text, &value, NULL, &fault) || !json_get(value, SPAN("status"), &status) ||
        !json_get(value, SPAN("reward"), &reward) || !json_get(value, SPAN("reason"), &reason) ||
        !json_get(value, SPAN("meta"), &meta) || !json_int64(status, &code) || code < 0 ||
        code >= VERDICT_STATUS_COUNT)
        return false;
    if (reward.type == JSON_VALUE_NUMBER)
        set_reward(v, json_number(reward), reward.text);
    v->status = (enum verdict_status)code;
    json_text_add(reason, &v->reason);
    struct json_cursor c = json_enter(meta);
    struct json_member member;
    struct buf scratch = {0};
    while (json_next_member(&c, &member))
        verdict_meta(v, json_key(&member, &scratch), member.value.text);
    buf_free(&scratch);
    return true;
}
