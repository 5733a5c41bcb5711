/* verify_json.c: the verifiers of JSON replies: json-valid, json-field, json-schema (grade 5.5, 5.7). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "grade/canonical.h"
#include "grade/defaults.h"
#include "grade/extract.h"
#include "grade/numeric.h"
#include "grade/schema.h"
#include "grade/verify.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/utf8.h"

/* ---- json-valid
 * ----------------------------------------------------------------------------------------- */

static const char TOP_TYPES[] = "object|array|string|number|integer|boolean|null";
enum { TOP_OBJECT, TOP_ARRAY, TOP_STRING, TOP_NUMBER, TOP_INTEGER, TOP_BOOLEAN, TOP_NULL };

static bool is_type(struct json_value value, int type)
{
    switch (type) {
    case TOP_OBJECT: return value.type == JSON_VALUE_OBJECT;
    case TOP_ARRAY: return value.type == JSON_VALUE_ARRAY;
    case TOP_STRING: return value.type == JSON_VALUE_STRING;
    case TOP_NUMBER: return value.type == JSON_VALUE_NUMBER;
    case TOP_INTEGER:
        return value.type == JSON_VALUE_NUMBER && (value.flags & JSON_FLAG_INTEGER) != 0;
    case TOP_BOOLEAN: return value.type == JSON_VALUE_TRUE || value.type == JSON_VALUE_FALSE;
    case TOP_NULL: return value.type == JSON_VALUE_NULL;
    default: return true;
    }
}

struct valid {
    int top_type; /* -1: any */
};

static int valid_open(struct verifier *v, struct error *error)
{
    struct valid *s = mem_zero(1, sizeof *s);
    (void)error;
    v->state = s;
    s->top_type = verify_arg_choice(v, "top_type", -1);
    return 0;
}

static void valid_close(struct verifier *v)
{
    free(v->state);
}

static int valid_run(const struct verifier *v, const struct verify_input *in, struct verdict *out,
                     struct error *error)
{
    const struct valid *s = v->state;
    struct json_value value;
    (void)error;
    if (!extract_json(in->candidate, &in->scratch[0], &value)) {
        verdict_score(out, 0);
        verdict_reason(out, "no JSON in the reply");
        return 0;
    }
    bool fits = is_type(value, s->top_type);
    verdict_score(out, fits);
    verdict_reason(out, fits ? "valid JSON" : "JSON of another type");
    return 0;
}

static const struct verify_key valid_keys[] = {{"top_type", VERIFY_CHOICE, TOP_TYPES}, {0}};
const struct verify_kind VERIFY_JSON_VALID = {.name = "json-valid",
                                              .recorded = "JSONValid",
                                              .keys = valid_keys,
                                              .open = valid_open,
                                              .run = valid_run,
                                              .close = valid_close};

/* ---- equality
 * ------------------------------------------------------------------------------------------- */

static bool same_number(struct span a, struct span b)
{
    struct numeric x, y, zero;
    numeric_open(&x);
    numeric_open(&y);
    numeric_open(&zero);
    bool same = numeric_decimal(&zero, SPAN("0")) && numeric_decimal(&x, a) &&
                numeric_decimal(&y, b) && numeric_close_to(&x, &y, &zero, NULL, false);
    numeric_close(&x);
    numeric_close(&y);
    numeric_close(&zero);
    return same;
}

static bool spelled(struct json_value value, struct span text)
{
    switch (value.type) {
    case JSON_VALUE_NULL: return span_is(text, "null") || span_is(text, "none");
    case JSON_VALUE_TRUE: return span_is(text, "true");
    case JSON_VALUE_FALSE: return span_is(text, "false");
    case JSON_VALUE_NUMBER: return same_number(value.text, text);
    default: return false;
    }
}

/* Texts trimmed and without case; a value also equals its spelling; the rest by JSON equality. */
static bool matches(struct json_value got, struct json_value want)
{
    if (got.type != JSON_VALUE_STRING && want.type != JSON_VALUE_STRING)
        return canonical_equal(got, want);
    struct buf x = {0}, y = {0}, work = {0};
    struct json_value *sides[] = {&got, &want};
    struct buf *texts[] = {&x, &y};
    bool same;
    for (int i = 0; i < 2; i++)
        if (sides[i]->type == JSON_VALUE_STRING)
            text_lower(text_strip(json_text(*sides[i], &work)), texts[i]);
    if (got.type == want.type)
        same = span_equal(buf_span(&x), buf_span(&y));
    else
        same = got.type == JSON_VALUE_STRING ? spelled(want, buf_span(&x))
                                             : spelled(got, buf_span(&y));
    buf_free(&x);
    buf_free(&y);
    buf_free(&work);
    return same;
}

/* ---- json-field
 * ----------------------------------------------------------------------------------------- */

/* A part of digits in range. */
static bool array_index(struct span part, size_t count, size_t *index)
{
    *index = 0;
    for (size_t i = 0; i < part.len; i++) {
        if (part.ptr[i] < '0' || part.ptr[i] > '9' || *index > count)
            return false;
        *index = *index * 10 + (size_t)(part.ptr[i] - '0');
    }
    return part.len > 0 && *index < count;
}

static bool step_into(struct json_value *value, struct span part)
{
    size_t index;
    if (value->type == JSON_VALUE_OBJECT)
        return json_get(*value, part, value);
    if (value->type != JSON_VALUE_ARRAY || !array_index(part, json_count(*value), &index))
        return false;
    struct json_cursor c = json_enter(*value);
    while (json_next_item(&c, value) && index-- > 0)
        ;
    return true;
}

static bool dig(struct json_value *value, struct span path)
{
    for (;;) {
        size_t dot = span_find(path, SPAN("."), 0);
        struct span part = dot < path.len ? span_slice(path, 0, dot) : path;
        if (!step_into(value, part))
            return false;
        if (dot >= path.len)
            return true;
        path = span_slice(path, dot + 1, path.len);
    }
}

struct field {
    struct span path;
    struct json_value equals; /* text.ptr NULL: none */
};

static int field_open(struct verifier *v, struct error *error)
{
    struct field *f = mem_zero(1, sizeof *f);
    const struct json_value *equals = verify_arg(v, "equals");
    v->state = f;
    f->path = verify_arg_text(v, "path");
    if (equals)
        f->equals = *equals;
    return f->path.ptr ? 0
                       : error_set(error, ERROR_USAGE,
                                   "json-field: no path; write json-field:path=order.id");
}

static void field_close(struct verifier *v)
{
    free(v->state);
}

static int field_run(const struct verifier *v, const struct verify_input *in, struct verdict *out,
                     struct error *error)
{
    const struct field *f = v->state;
    struct json_value value, want = f->equals.text.ptr ? f->equals : in->gold.value;
    (void)error;
    verdict_score(out, 0);
    if (!extract_json(in->candidate, &in->scratch[0], &value)) {
        verdict_reason(out, "no JSON in the reply");
    } else if (!dig(&value, f->path)) {
        verdict_reason(out, "the JSON has no %.*s", (int)f->path.len, f->path.ptr);
    } else if (want.text.ptr ? matches(value, want) : !json_value_null(value)) {
        verdict_score(out, 1);
        verdict_reason(out, want.text.ptr ? "%.*s is as wanted" : "%.*s is there", (int)f->path.len,
                       f->path.ptr);
    } else {
        verdict_reason(out, want.text.ptr ? "%.*s is another value" : "%.*s is null",
                       (int)f->path.len, f->path.ptr);
    }
    return 0;
}

static const struct verify_key field_keys[] = {
    {"path", VERIFY_TEXT, NULL}, {"equals", VERIFY_JSON, NULL}, {0}};
const struct verify_kind VERIFY_JSON_FIELD = {.name = "json-field",
                                              .recorded = "JSONField",
                                              .keys = field_keys,
                                              .open = field_open,
                                              .run = field_run,
                                              .close = field_close};

/* ---- json-schema ---------------------------------------------------------------------------------------- */

/* The schema's text: an object among the arguments, JSON in a text, else a file's name. */
static int read_schema(const struct verifier *v, struct buf *text, struct error *error)
{
    const struct json_value *given = verify_arg(v, "schema");
    struct span value = verify_arg_text(v, "schema");
    if (!given)
        return error_set(error, ERROR_USAGE,
                         "json-schema: no schema; write json-schema:schema=FILE");
    if (given->type == JSON_VALUE_STRING &&
        (!value.len || !strchr("{tf", value.ptr[0]) || access(value.ptr, R_OK) == 0))
        return file_read(value.ptr, GRADE_TEXT_MAX, text, error);
    buf_span_add(text, value);
    return 0;
}

static int schema_open_keys(struct verifier *v, struct error *error)
{
    struct buf text = {0};
    int rc = read_schema(v, &text, error);
    if (!rc) {
        v->state =
            schema_open(buf_span(&text),
                        verify_arg_choice(v, "draft", 0) ? SCHEMA_DRAFT_07 : SCHEMA_2020_12, error);
        rc = v->state ? 0 : error_prefix(error, "json-schema");
    }
    buf_free(&text);
    return rc ? ERROR_USAGE : 0;
}

static int schema_run(const struct verifier *v, const struct verify_input *in, struct verdict *out,
                      struct error *error)
{
    struct json_value value;
    struct buf *where = &in->scratch[1];
    (void)error;
    verdict_score(out, 0);
    if (!extract_json(in->candidate, &in->scratch[0], &value)) {
        verdict_reason(out, "no JSON in the reply");
        return 0;
    }
    switch (schema_validate(v->state, value, where)) {
    case SCHEMA_VALID:
        verdict_score(out, 1);
        verdict_reason(out, "fits the schema");
        break;
    case SCHEMA_INVALID:
        verdict_reason(out, "does not fit the schema at %s", buf_cstr(where));
        break;
    case SCHEMA_GAVE_UP:
        verdict_failed(out, "%s: the schema takes too many steps on this reply", v->name);
        break;
    }
    return 0;
}

static void schema_close(struct verifier *v)
{
    schema_free(v->state);
}

static const struct verify_key schema_keys[] = {
    {"schema", VERIFY_JSON, NULL}, {"draft", VERIFY_CHOICE, "2020-12|7"}, {0}};
const struct verify_kind VERIFY_JSON_SCHEMA = {.name = "json-schema",
                                               .recorded = "JSONSchema",
                                               .keys = schema_keys,
                                               .open = schema_open_keys,
                                               .run = schema_run,
                                               .close = schema_close};
