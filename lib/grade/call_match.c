/* call_match.c: see call_match.h. */
#include "grade/call_match.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>

#include "grade/canonical.h"
#include "grade/defaults.h"
#include "text/fold.h"

/* ---- values ------------------------------------------------------------------------------------ */

enum call_type {
    TYPE_NONE,
    TYPE_TEXT,
    TYPE_INTEGER,
    TYPE_FLOAT,
    TYPE_BOOLEAN,
    TYPE_LIST,
    TYPE_OBJECT
};

static enum call_type type_of(struct json_value v)
{
    switch (v.type) {
    case JSON_VALUE_STRING: return TYPE_TEXT;
    case JSON_VALUE_NUMBER: return v.flags & JSON_FLAG_INTEGER ? TYPE_INTEGER : TYPE_FLOAT;
    case JSON_VALUE_TRUE:
    case JSON_VALUE_FALSE: return TYPE_BOOLEAN;
    case JSON_VALUE_ARRAY: return TYPE_LIST;
    case JSON_VALUE_OBJECT: return TYPE_OBJECT;
    default: return TYPE_NONE;
    }
}

/* The type that a tool declares; TYPE_NONE: none, or a word that is not known. */
static enum call_type declared(struct json_value schema)
{
    static const struct {
        const char *word;
        enum call_type type;
    } words[] = {
        {"string", TYPE_TEXT},   {"any", TYPE_TEXT},     {"integer", TYPE_INTEGER},
        {"float", TYPE_FLOAT},   {"number", TYPE_FLOAT}, {"boolean", TYPE_BOOLEAN},
        {"array", TYPE_LIST},    {"tuple", TYPE_LIST},   {"dict", TYPE_OBJECT},
        {"object", TYPE_OBJECT},
    };
    struct json_value value;
    struct buf scratch = {0};
    enum call_type type = TYPE_NONE;
    if (json_get(schema, SPAN("type"), &value) && value.type == JSON_VALUE_STRING) {
        struct span word = json_text(value, &scratch);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (span_is(word, words[i].word))
                type = words[i].type;
    }
    buf_free(&scratch);
    return type;
}

static bool is_empty_text(struct json_value v)
{
    return v.type == JSON_VALUE_STRING && v.text.len == 2;
}

/* Type of the first allowed value that is not "". */
static enum call_type allowed_type(struct json_value allowed)
{
    struct json_cursor c = json_enter(allowed);
    struct json_value item;
    while (json_next_item(&c, &item))
        if (!is_empty_text(item))
            return type_of(item);
    return TYPE_NONE;
}

static void loose_text(struct json_value v, struct buf *out)
{
    struct buf text = {0}, kept = {0};
    struct span s = json_text(v, &text);
    for (size_t i = 0; i < s.len; i++)
        if (!s.ptr[i] || !strchr(" ,./-_*^", s.ptr[i]))
            buf_byte(&kept, s.ptr[i] == '\'' ? '"' : s.ptr[i]);
    buf_clear(out);
    text_lower(buf_span(&kept), out);
    buf_free(&text);
    buf_free(&kept);
}

static bool same_loose_text(struct json_value a, struct json_value b)
{
    struct buf x = {0}, y = {0};
    loose_text(a, &x);
    loose_text(b, &y);
    bool same = span_equal(buf_span(&x), buf_span(&y));
    buf_free(&x);
    buf_free(&y);
    return same;
}

/* An item of a list or a member of an object: texts loosely, the rest as JSON. */
static bool same_item(struct json_value value, struct json_value want)
{
    if (value.type == JSON_VALUE_STRING && want.type == JSON_VALUE_STRING)
        return same_loose_text(value, want);
    return canonical_equal(value, want);
}

static bool object_matches(struct json_value value, struct json_value want, int depth);

/* Lists item by item; items that are objects by the rule of objects too. */
static bool list_matches(struct json_value value, struct json_value want, int depth)
{
    struct json_cursor a = json_enter(value), b = json_enter(want);
    struct json_value x, y;
    if (is_empty_text(want))
        return json_count(value) == 0;
    if (want.type != JSON_VALUE_ARRAY || json_count(value) != json_count(want))
        return false;
    while (json_next_item(&a, &x) && json_next_item(&b, &y)) {
        bool both = x.type == JSON_VALUE_OBJECT && y.type == JSON_VALUE_OBJECT;
        if (!same_item(x, y) && !(both && object_matches(x, y, depth + 1)))
            return false;
    }
    return true;
}

static bool among(struct json_value value, struct json_value allowed, int depth)
{
    struct json_cursor c = json_enter(allowed);
    struct json_value want;
    while (json_next_item(&c, &want)) {
        if (same_item(value, want) && !(is_empty_text(want) && !is_empty_text(value)))
            return true;
        if (value.type == JSON_VALUE_OBJECT && object_matches(value, want, depth + 1))
            return true;
        if (value.type == JSON_VALUE_ARRAY && want.type == JSON_VALUE_ARRAY &&
            list_matches(value, want, depth + 1))
            return true;
    }
    return false;
}

static bool may_be_left_out(struct json_value allowed)
{
    struct json_cursor c = json_enter(allowed);
    struct json_value item;
    while (json_next_item(&c, &item))
        if (is_empty_text(item))
            return true;
    return false;
}

/* Members that are given are allowed, and none is missing that may not be. */
static bool object_matches(struct json_value value, struct json_value want, int depth)
{
    struct json_cursor c = json_enter(value);
    struct json_member member;
    struct json_value allowed;
    struct buf scratch = {0};
    bool ok = want.type == JSON_VALUE_OBJECT && depth < CALL_DEPTH;
    while (ok && json_next_member(&c, &member)) {
        ok = json_get(want, json_key(&member, &scratch), &allowed);
        ok = ok && (allowed.type == JSON_VALUE_ARRAY ? among(member.value, allowed, depth)
                                                     : same_item(member.value, allowed));
    }
    c = json_enter(want);
    while (ok && json_next_member(&c, &member))
        ok = json_get(value, json_key(&member, &scratch), &allowed) ||
             (member.value.type == JSON_VALUE_ARRAY && may_be_left_out(member.value));
    buf_free(&scratch);
    return ok;
}

/* ---- one argument ------------------------------------------------------------------------------ */

/* One of the allowed values fits. canonical_equal: to the letter, as a variable's name is matched. */
static bool some(struct json_value value, struct json_value allowed,
                 bool (*fits)(struct json_value value, struct json_value want))
{
    struct json_cursor c = json_enter(allowed);
    struct json_value want;
    while (json_next_item(&c, &want))
        if (fits(value, want))
            return true;
    return false;
}

static bool fits_text(struct json_value value, struct json_value want)
{
    return want.type == JSON_VALUE_STRING && same_loose_text(value, want);
}

static bool fits_list(struct json_value value, struct json_value want)
{
    return list_matches(value, want, 0);
}

static bool fits_object(struct json_value value, struct json_value want)
{
    return object_matches(value, want, 0);
}

/* Items of a list have the declared type, or that of the items of this allowed list. */
static bool items_fit(struct json_value value, enum call_type item_type, struct json_value want)
{
    struct json_cursor c = json_enter(value);
    struct json_value item;
    enum call_type other = want.type == JSON_VALUE_ARRAY ? allowed_type(want) : TYPE_NONE;
    if (want.type != JSON_VALUE_ARRAY)
        return true;
    while (json_next_item(&c, &item)) {
        enum call_type type = type_of(item);
        if (type != item_type && (other == TYPE_NONE || type != other))
            return false;
    }
    return true;
}

static bool some_items_fit(struct json_value value, struct json_value schema,
                           struct json_value allowed)
{
    struct json_value items, want;
    struct json_cursor c = json_enter(allowed);
    enum call_type type = json_get(schema, SPAN("items"), &items) ? declared(items) : TYPE_NONE;
    if (type == TYPE_NONE)
        return true;
    while (json_next_item(&c, &want))
        if (items_fit(value, type, want))
            return true;
    return false;
}

/* A number that is declared as a float may be written without a point, and without a declaration
 * either way. */
static bool type_fits(enum call_type type, enum call_type expected, bool known)
{
    bool number = type == TYPE_INTEGER || type == TYPE_FLOAT;
    if (type == expected || (type == TYPE_INTEGER && expected == TYPE_FLOAT))
        return true;
    return !known && number && expected == TYPE_INTEGER;
}

/* NULL, or what is wrong. */
static const char *argument_wrong(struct json_value value, struct json_value allowed,
                                  struct json_value schema)
{
    enum call_type type = type_of(value), other = allowed_type(allowed);
    enum call_type expected = declared(schema);
    bool known = expected != TYPE_NONE;
    if (!known)
        expected = other;
    bool variable = other != TYPE_NONE && other != expected;
    if (!type_fits(type, expected, known)) {
        if (other == TYPE_NONE || type != other)
            return "has another type";
        variable = true;
    } else if (known && expected == TYPE_LIST && !some_items_fit(value, schema, allowed)) {
        return "holds an item of another type";
    }
    if (variable)
        return some(value, allowed, canonical_equal) ? NULL : "has another value";
    bool ok = expected == TYPE_OBJECT ? some(value, allowed, fits_object)
              : expected == TYPE_TEXT ? some(value, allowed, fits_text)
              : expected == TYPE_LIST ? some(value, allowed, fits_list)
                                      : some(value, allowed, canonical_equal);
    return ok ? NULL : "has another value";
}

/* ---- literals of other languages --------------------------------------------------------------- */

/* A text that is a number or boolean of Java or JavaScript ("50L", "2.5f", "true") as JSON. */
static bool literal(struct json_value *value, struct buf *text)
{
    struct json_fault fault;
    struct span s = json_text(*value, text);
    buf_clear(text);
    buf_span_add(text, s);
    bool number = text->len > 1 && isdigit((unsigned char)text->data[text->len - 2]);
    if (number && strchr("lLfFdD", text->data[text->len - 1]))
        text->len--;
    struct json_value read;
    if (json_scan(buf_span(text), &read, NULL, &fault) || read.type == JSON_VALUE_STRING ||
        read.type == JSON_VALUE_NULL)
        return false;
    *value = read;
    return true;
}

/* ---- one call ---------------------------------------------------------------------------------- */

static bool same_name(struct span want, struct span name)
{
    if (want.len != name.len)
        return false;
    for (size_t i = 0; i < want.len; i++)
        if (want.ptr[i] != name.ptr[i] && !(want.ptr[i] == '.' && name.ptr[i] == '_'))
            return false;
    return true;
}

/* The schema of one argument; false: the tool declares its arguments and this is none. */
static bool schema_of(struct json_value parameters, struct span name, struct json_value *schema)
{
    struct json_value properties;
    *schema = (struct json_value){0};
    if (!json_get(parameters, SPAN("properties"), &properties))
        return true;
    return json_get(properties, name, schema);
}

static bool fail(struct buf *why, struct span argument, const char *what)
{
    buf_clear(why);
    buf_format(why, "argument %.*s %s", (int)argument.len, argument.ptr, what);
    return false;
}

static bool given_fits(const struct call_wish *wish, struct span name, struct json_value value,
                       bool literals, struct buf *why)
{
    struct json_value allowed, schema, list;
    struct json_fault fault;
    struct buf text = {0}, spelled = {0};
    if (!json_get(wish->arguments, name, &allowed))
        return wish->subset || fail(why, name, "is not wanted");
    if (!schema_of(wish->schema, name, &schema))
        return fail(why, name, "is not declared");
    if (wish->plain) { /* the one value allowed */
        buf_byte(&text, '[');
        buf_span_add(&text, allowed.text);
        buf_byte(&text, ']');
        json_scan(buf_span(&text), &list, NULL, &fault);
        allowed = list;
    }
    const char *wrong = argument_wrong(value, allowed, schema);
    if (wrong && literals && value.type == JSON_VALUE_STRING && literal(&value, &spelled))
        wrong = argument_wrong(value, allowed, schema);
    if (wrong && wish->plain && some(value, allowed, canonical_equal))
        wrong = NULL; /* "" and null are values here */
    buf_free(&text);
    buf_free(&spelled);
    return wrong ? fail(why, name, wrong) : true;
}

static bool required_given(const struct call_wish *wish, struct json_value arguments,
                           struct buf *why)
{
    struct json_value list, item, value;
    struct buf scratch = {0};
    bool ok = true;
    if (!json_get(wish->schema, SPAN("required"), &list))
        return true;
    struct json_cursor c = json_enter(list);
    while (ok && json_next_item(&c, &item)) {
        struct span name = item.type == JSON_VALUE_STRING ? json_text(item, &scratch) : SPAN("");
        ok = json_get(arguments, name, &value) || fail(why, name, "is missing");
    }
    buf_free(&scratch);
    return ok;
}

bool call_matches(const struct call_wish *wish, const struct row_call *call, bool literals,
                  struct buf *why)
{
    struct json_member member;
    struct json_value value;
    struct buf scratch = {0};
    if (!same_name(wish->name, call->name)) {
        buf_clear(why);
        buf_format(why, "%.*s is called instead", (int)call->name.len, call->name.ptr);
        return false;
    }
    bool ok = required_given(wish, call->arguments, why);
    struct json_cursor c = json_enter(call->arguments);
    while (ok && json_next_member(&c, &member))
        ok = given_fits(wish, json_key(&member, &scratch), member.value, literals, why);
    c = json_enter(wish->arguments);
    while (ok && json_next_member(&c, &member)) {
        struct span name = json_key(&member, &scratch);
        ok = json_get(call->arguments, name, &value) ||
             (!wish->plain && may_be_left_out(member.value)) || fail(why, name, "is missing");
    }
    buf_free(&scratch);
    return ok;
}

/* ---- several calls ----------------------------------------------------------------------------- */

struct pairing {
    const bool *fits; /* n x n */
    size_t n;
    size_t *wish_of; /* of a call; SIZE_MAX: none */
    bool *tried;
};

/* Gives wish i a call, moving others when need be (Kuhn). Depth: the number of wishes. */
static bool pair(const struct pairing *p, size_t i)
{
    for (size_t j = 0; j < p->n; j++) {
        if (!p->fits[i * p->n + j] || p->tried[j])
            continue;
        p->tried[j] = true;
        if (p->wish_of[j] == SIZE_MAX || pair(p, p->wish_of[j])) {
            p->wish_of[j] = i;
            return true;
        }
    }
    return false;
}

static bool match_any_order(const struct call_wish *wishes, size_t n, const struct row_calls *calls,
                            bool literals, struct buf *why)
{
    bool *fits = mem_zero(n * n, sizeof *fits), *tried = mem_zero(n, sizeof *tried), ok = true;
    size_t *wish_of = mem_zero(n, sizeof *wish_of);
    for (size_t i = 0; i < n; i++) {
        wish_of[i] = SIZE_MAX;
        for (size_t j = 0; j < n; j++)
            fits[i * n + j] = call_matches(&wishes[i], &calls->items[j], literals, why);
    }
    const struct pairing p = {fits, n, wish_of, tried};
    for (size_t i = 0; ok && i < n; i++) {
        memset(tried, 0, n * sizeof *tried);
        ok = pair(&p, i);
        if (!ok && n > 1) {
            buf_clear(why);
            buf_format(why, "no call fits wanted call %zu", i + 1);
        }
    }
    free(fits);
    free(tried);
    free(wish_of);
    return ok;
}

bool calls_match(const struct call_wish *wishes, size_t n, const struct row_calls *calls,
                 bool ordered, bool literals, struct buf *why)
{
    buf_clear(why);
    if (calls->count != n) {
        buf_format(why, "%zu calls instead of %zu", calls->count, n);
        return false;
    }
    if (n > CALLS_PAIRED_MAX)
        ordered = true;
    if (!ordered)
        return match_any_order(wishes, n, calls, literals, why);
    for (size_t i = 0; i < n; i++)
        if (!call_matches(&wishes[i], &calls->items[i], literals, why))
            return false;
    return true;
}
