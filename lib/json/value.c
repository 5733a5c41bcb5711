/* value.c: reading of values that the scanner has validated. */
#include <math.h>
#include <string.h>

#include "text/number.h"
#include "json/decode.h"
#include "json/scan_path.h"

static const char *space_skip(const char *p, const char *end)
{
    while (p < end && scan_space(*p))
        p++;
    return p;
}

/* ---- walking --------------------------------------------------------------------------------- */

static struct json_value value_at(const char **p, const char *end)
{
    struct json_value value;
    const char *start = *p;
    *p = value_skip(start, end, &value.flags);
    value.text = span_make(start, (size_t)(*p - start));
    value.type = scan_type(*start);
    if (value.type < JSON_VALUE_NUMBER || value.type == SCAN_NO_VALUE)
        value.flags = 0;
    return value;
}

struct json_cursor json_enter(struct json_value value)
{
    if ((value.type != JSON_VALUE_ARRAY && value.type != JSON_VALUE_OBJECT) || value.text.len < 2)
        return (struct json_cursor){NULL, NULL};
    return (struct json_cursor){value.text.ptr + 1, value.text.ptr + value.text.len - 1};
}

/* Moves to the next token behind white space and at most one comma; false at the end. */
static bool cursor_ready(struct json_cursor *c)
{
    if (c->at == c->end)
        return false;
    c->at = space_skip(c->at, c->end);
    if (c->at < c->end && *c->at == ',')
        c->at = space_skip(c->at + 1, c->end);
    return c->at < c->end;
}

bool json_next_item(struct json_cursor *c, struct json_value *item)
{
    if (!cursor_ready(c))
        return false;
    *item = value_at(&c->at, c->end);
    return true;
}

bool json_next_member(struct json_cursor *c, struct json_member *member)
{
    if (!cursor_ready(c))
        return false;
    uint8_t flags;
    const char *key = c->at + 1;
    c->at = string_skip(c->at, c->end, &flags);
    member->key = span_make(key, (size_t)(c->at - key - 1));
    member->key_escaped = flags & JSON_FLAG_ESCAPED;
    c->at = space_skip(c->at, c->end);
    if (c->at < c->end)
        c->at = space_skip(c->at + 1, c->end); /* the colon */
    if (c->at == c->end)
        return false;
    member->value = value_at(&c->at, c->end);
    return true;
}

size_t json_count(struct json_value value)
{
    struct json_cursor c = json_enter(value);
    size_t count = 0;
    if (value.type == JSON_VALUE_OBJECT)
        for (struct json_member member; json_next_member(&c, &member);)
            count++;
    else
        for (struct json_value item; json_next_item(&c, &item);)
            count++;
    return count;
}

void json_members_of(struct json_value object, struct json_members *members)
{
    members->count = 0;
    if (object.type != JSON_VALUE_OBJECT)
        return;
    struct json_cursor c = json_enter(object);
    for (struct json_member member; json_next_member(&c, &member);)
        *scan_member_add(members) = member;
}

/* ---- names and texts ------------------------------------------------------------------------- */

bool json_escaped_key_is(const struct json_member *member, struct span key)
{
    const char *p = member->key.ptr, *end = p + member->key.len;
    size_t matched = 0;
    while (p < end) {
        char bytes[4] = {*p};
        size_t len = 1;
        if (*p == '\\')
            len = decode_escape(&p, end, bytes);
        else
            p++;
        if (key.len - matched < len || memcmp(key.ptr + matched, bytes, len) != 0)
            return false;
        matched += len;
    }
    return matched == key.len;
}

const struct json_member *json_find(const struct json_members *members, struct span key)
{
    for (size_t i = members->count; i-- > 0;)
        if (json_key_is(&members->items[i], key))
            return &members->items[i];
    return NULL;
}

bool json_get(struct json_value object, struct span key, struct json_value *value)
{
    bool found = false;
    if (object.type != JSON_VALUE_OBJECT)
        return false;
    struct json_cursor c = json_enter(object);
    for (struct json_member member; json_next_member(&c, &member);) {
        if (json_key_is(&member, key)) {
            *value = member.value;
            found = true;
        }
    }
    return found;
}

void json_get_many(struct json_value object, const struct span *keys, size_t n,
                   struct json_value *values)
{
    for (size_t i = 0; i < n; i++)
        values[i] = (struct json_value){0};
    if (object.type != JSON_VALUE_OBJECT)
        return;
    struct json_cursor c = json_enter(object);
    for (struct json_member member; json_next_member(&c, &member);)
        for (size_t i = 0; i < n; i++)
            if (json_key_is(&member, keys[i]))
                values[i] = member.value;
}

struct span json_key(const struct json_member *member, struct buf *scratch)
{
    if (!member->key_escaped)
        return member->key;
    buf_clear(scratch);
    decode_add(member->key, scratch);
    return buf_span(scratch);
}

/* The bytes between the quotes; empty for other types. */
static struct span between_quotes(struct json_value string)
{
    if (string.type != JSON_VALUE_STRING || string.text.len < 2)
        return span_make("", 0);
    return span_slice(string.text, 1, string.text.len - 1);
}

struct span json_text(struct json_value string, struct buf *scratch)
{
    struct span raw = between_quotes(string);
    if (!(string.flags & JSON_FLAG_ESCAPED))
        return raw;
    buf_clear(scratch);
    decode_add(raw, scratch);
    return buf_span(scratch);
}

void json_text_add(struct json_value string, struct buf *out)
{
    struct span raw = between_quotes(string);
    if (string.flags & JSON_FLAG_ESCAPED)
        decode_add(raw, out);
    else
        buf_span_add(out, raw);
}

/* ---- numbers and truth ----------------------------------------------------------------------- */

double json_number(struct json_value value)
{
    if (value.type != JSON_VALUE_NUMBER)
        return NAN;
    if (value.flags & JSON_FLAG_NONFINITE) {
        char first = value.text.ptr[0];
        return first == 'N' ? NAN : first == '-' ? -INFINITY : INFINITY;
    }
    double x = number_of_json(value.text);
    return value.flags & JSON_FLAG_INTEGER ? x + 0.0 : x; /* the integer -0 is 0 */
}

bool json_int64(struct json_value value, int64_t *out)
{
    if (value.type != JSON_VALUE_NUMBER || !(value.flags & JSON_FLAG_INTEGER))
        return false;
    const char *p = value.text.ptr, *end = p + value.text.len;
    bool negative = *p == '-';
    const uint64_t limit = (uint64_t)INT64_MAX + negative;
    uint64_t sum = 0;
    for (p += negative; p < end; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (sum > (limit - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *out = negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return true;
}

bool json_truthy(struct json_value value)
{
    switch (value.type) {
    case JSON_VALUE_NULL:
    case JSON_VALUE_FALSE: return false;
    case JSON_VALUE_NUMBER: return json_number(value) != 0; /* NaN differs from 0 */
    case JSON_VALUE_STRING: return value.text.len > 2;
    case JSON_VALUE_ARRAY:
    case JSON_VALUE_OBJECT: {
        struct json_cursor c = json_enter(value);
        return space_skip(c.at, c.end) < c.end;
    }
    default: return true;
    }
}
