/* jq_value.c: see jq_value.h. libjq's own parser is not used: it stops at 256 levels, knows no NaN
 * and no Infinity, and would check again what the scanner has checked. */
#include "json/jq_value.h"

#include <inttypes.h>
#include <math.h>

#include "json/decode.h"
#include "json/scan_path.h"
#include "json/write.h"

/* Integers up to here are written without an exponent: a double holds each of them (2^53). */
#define EXACT_INTEGER 9007199254740992.0

struct reading {
    const char *at, *end;
    struct buf scratch;
};

static void skip_space(struct reading *r)
{
    while (r->at < r->end && scan_space(*r->at))
        r->at++;
}

jv jq_value_text(struct span s)
{
    return jv_string_sized(s.ptr ? s.ptr : "", (int)s.len);
}

static jv read_text(struct reading *r)
{
    uint8_t flags;
    const char *start = r->at;
    r->at = string_skip(start, r->end, &flags);
    struct json_value string = {span_make(start, (size_t)(r->at - start)), JSON_VALUE_STRING,
                                flags};
    return jq_value_text(json_text(string, &r->scratch));
}

static jv read_value(struct reading *r);

static jv read_array(struct reading *r)
{
    jv array = jv_array();
    r->at++;
    for (skip_space(r); *r->at != ']'; skip_space(r)) {
        if (*r->at == ',')
            r->at++;
        array = jv_array_append(array, read_value(r));
    }
    r->at++;
    return array;
}

static jv read_object(struct reading *r)
{
    jv object = jv_object();
    r->at++;
    for (skip_space(r); *r->at != '}'; skip_space(r)) {
        if (*r->at == ',')
            r->at++;
        skip_space(r);
        jv key = read_text(r);
        skip_space(r);
        r->at++; /* the colon */
        object = jv_object_set(object, key, read_value(r));
    }
    r->at++;
    return object;
}

/* Recursion is bounded by the depth that the scanner accepts. */
static jv read_value(struct reading *r)
{
    skip_space(r);
    const char *start = r->at;
    switch (*start) {
    case '{': return read_object(r);
    case '[': return read_array(r);
    case '"': return read_text(r);
    }
    struct json_value value = {.type = JSON_VALUE_NUMBER};
    r->at = value_skip(start, r->end, &value.flags);
    value.text = span_make(start, (size_t)(r->at - start));
    switch (*start) {
    case 't': return jv_true();
    case 'f': return jv_false();
    case 'n': return jv_null();
    default: return jv_number(json_number(value));
    }
}

jv jq_value_read(struct json_value value)
{
    if (!value.text.ptr)
        return jv_null();
    struct reading r = {.at = value.text.ptr, .end = value.text.ptr + value.text.len};
    jv read = read_value(&r);
    buf_free(&r.scratch);
    return read;
}

static void write_number(struct json_writer *w, double x)
{
    if (x == trunc(x) && fabs(x) <= EXACT_INTEGER)
        json_write_int(w, (int64_t)x);
    else
        json_write_real(w, x); /* null for NaN and the infinities */
}

static bool write_value(struct json_writer *w, jv value)
{
    bool good = w->depth <= JSON_DEPTH_MAX;
    switch (good ? jv_get_kind(value) : JV_KIND_INVALID) {
    case JV_KIND_FALSE: json_write_bool(w, false); break;
    case JV_KIND_TRUE: json_write_bool(w, true); break;
    case JV_KIND_NUMBER: write_number(w, jv_number_value(value)); break;
    case JV_KIND_STRING:
        json_write_span(
            w, span_make(jv_string_value(value), (size_t)jv_string_length_bytes(jv_copy(value))));
        break;
    case JV_KIND_ARRAY:
        json_write_array(w);
        for (int i = 0, n = jv_array_length(jv_copy(value)); good && i < n; i++)
            good = write_value(w, jv_array_get(jv_copy(value), i));
        json_write_end_array(w);
        good = good && w->depth < JSON_DEPTH_MAX;
        break;
    case JV_KIND_OBJECT:
        json_write_object(w);
        for (int at = jv_object_iter(value); good && jv_object_iter_valid(value, at);
             at = jv_object_iter_next(value, at)) {
            jv key = jv_object_iter_key(value, at);
            json_write_key_span(
                w, span_make(jv_string_value(key), (size_t)jv_string_length_bytes(jv_copy(key))));
            jv_free(key);
            good = write_value(w, jv_object_iter_value(value, at));
        }
        json_write_end_object(w);
        good = good && w->depth < JSON_DEPTH_MAX;
        break;
    default: json_write_null(w); break;
    }
    jv_free(value);
    return good;
}

bool jq_value_write(jv value, struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    return write_value(&w, value);
}
