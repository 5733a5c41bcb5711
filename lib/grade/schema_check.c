/* schema_check.c: applies a schema to a value (JSON Schema validation 6, core 10 and 11). A keyword is a row
 * of a table. What in-place applicators have looked at is kept as marks, one per item or member of the
 * instance, for unevaluatedItems and unevaluatedProperties. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "grade/canonical.h"
#include "grade/defaults.h"
#include "grade/numeric.h"
#include "grade/schema_parts.h"
#include "text/utf8.h"

struct run {
    const struct schema *s;
    size_t steps, depth;
    bool gave_up;
    int quiet; /* inside a branch that may fail */
    struct buf path;
    struct buf *where;
    size_t *scope; /* numbers of the resources that are being applied, the outermost first */
    size_t n_scope, cap_scope;
};

struct marks { /* of one instance; n 0: nobody asks */
    bool *seen;
    size_t n;
};

/* One application: the schema object, the instance, its marks. */
struct site {
    struct json_value schema, instance;
    struct marks *marks;
};

static bool check(struct run *r, struct json_value schema, struct json_value instance,
                  struct marks *marks);

/* ---- marks ---------------------------------------------------------------------------------------------- */

static struct marks marks_new(const struct run *r, struct json_value instance)
{
    struct marks m = {0};
    if (r->s->annotates) {
        m.n = json_count(instance);
        m.seen = mem_zero(m.n + 1, sizeof *m.seen);
    }
    return m;
}

static void mark(const struct site *at, size_t i)
{
    if (i < at->marks->n)
        at->marks->seen[i] = true;
}

/* Applies a schema in place; what it looked at counts when it holds. */
static bool check_here(struct run *r, struct json_value schema, const struct site *at)
{
    struct marks own = marks_new(r, at->instance);
    bool holds = check(r, schema, at->instance, &own);
    for (size_t i = 0; holds && i < own.n; i++)
        if (own.seen[i])
            mark(at, i);
    free(own.seen);
    return holds;
}

/* The same where failing is no failure of the whole. */
static bool try_here(struct run *r, struct json_value schema, const struct site *at)
{
    r->quiet++;
    bool holds = check_here(r, schema, at);
    r->quiet--;
    return holds;
}

/* Applies a schema to a part of the instance. */
static bool check_part(struct run *r, struct json_value schema, struct json_value part,
                       struct span name)
{
    struct marks own = marks_new(r, part);
    size_t from = r->path.len;
    buf_byte(&r->path, '/');
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '~' || name.ptr[i] == '/')
            buf_text(&r->path, name.ptr[i] == '~' ? "~0" : "~1");
        else
            buf_byte(&r->path, name.ptr[i]);
    }
    bool holds = check(r, schema, part, &own);
    r->path.len = from;
    free(own.seen);
    return holds;
}

static bool check_item(struct run *r, struct json_value schema, struct json_value item, size_t i)
{
    char name[24];
    int n = snprintf(name, sizeof name, "%zu", i);
    return check_part(r, schema, item, span_make(name, (size_t)n));
}

/* ---- any type ------------------------------------------------------------------------------------------- */

static bool get(const struct site *at, const char *key, struct json_value *value)
{
    return json_get(at->schema, span_text(key), value);
}

static bool whole_number(struct json_value value)
{
    struct numeric n;
    numeric_open(&n);
    bool whole = value.type == JSON_VALUE_NUMBER && numeric_decimal(&n, value.text) &&
                 numeric_multiple(&n, NULL);
    numeric_close(&n);
    return whole;
}

static bool has_type(struct json_value value, struct span name)
{
    switch (value.type) {
    case JSON_VALUE_NULL: return span_is(name, "null");
    case JSON_VALUE_TRUE:
    case JSON_VALUE_FALSE: return span_is(name, "boolean");
    case JSON_VALUE_STRING: return span_is(name, "string");
    case JSON_VALUE_ARRAY: return span_is(name, "array");
    case JSON_VALUE_OBJECT: return span_is(name, "object");
    default: return span_is(name, "number") || (span_is(name, "integer") && whole_number(value));
    }
}

static bool key_type(struct run *r, const struct site *at, struct json_value want)
{
    struct json_cursor c = json_enter(want);
    struct json_value name;
    struct buf scratch = {0};
    bool holds = false;
    (void)r;
    if (want.type == JSON_VALUE_STRING)
        holds = has_type(at->instance, json_text(want, &scratch));
    while (!holds && want.type == JSON_VALUE_ARRAY && json_next_item(&c, &name))
        holds = name.type == JSON_VALUE_STRING && has_type(at->instance, json_text(name, &scratch));
    buf_free(&scratch);
    return holds;
}

static bool key_enum(struct run *r, const struct site *at, struct json_value want)
{
    struct json_cursor c = json_enter(want);
    struct json_value item;
    (void)r;
    while (json_next_item(&c, &item))
        if (canonical_equal(item, at->instance))
            return true;
    return false;
}

static bool key_const(struct run *r, const struct site *at, struct json_value want)
{
    (void)r;
    return canonical_equal(want, at->instance);
}

/* ---- numbers and sizes ---------------------------------------------------------------------------------- */

/* Order of the instance against the keyword's number; 2: one of them is none. */
static int order_of(struct json_value instance, struct json_value want)
{
    struct numeric a, b;
    int order = 2;
    if (instance.type != JSON_VALUE_NUMBER || want.type != JSON_VALUE_NUMBER)
        return order;
    numeric_open(&a);
    numeric_open(&b);
    if (numeric_decimal(&a, instance.text) && numeric_decimal(&b, want.text)) {
        int compared = numeric_compare(&a, &b);
        order = (compared > 0) - (compared < 0);
    }
    numeric_close(&a);
    numeric_close(&b);
    return order;
}

static bool key_maximum(struct run *r, const struct site *at, struct json_value want)
{
    (void)r;
    return order_of(at->instance, want) != 1;
}

static bool key_minimum(struct run *r, const struct site *at, struct json_value want)
{
    (void)r;
    return order_of(at->instance, want) != -1;
}

static bool key_exclusive_maximum(struct run *r, const struct site *at, struct json_value want)
{
    int order = order_of(at->instance, want);
    (void)r;
    return order == 2 || order == -1;
}

static bool key_exclusive_minimum(struct run *r, const struct site *at, struct json_value want)
{
    int order = order_of(at->instance, want);
    (void)r;
    return order == 2 || order == 1;
}

static bool key_multiple_of(struct run *r, const struct site *at, struct json_value want)
{
    struct numeric a, b;
    (void)r;
    if (at->instance.type != JSON_VALUE_NUMBER || want.type != JSON_VALUE_NUMBER)
        return true;
    numeric_open(&a);
    numeric_open(&b);
    bool holds = numeric_decimal(&a, at->instance.text) && numeric_decimal(&b, want.text) &&
                 numeric_multiple(&a, &b);
    numeric_close(&a);
    numeric_close(&b);
    return holds;
}

/* The keyword's count as a double (2.0 is 2), or -1. */
static double limit_of(struct json_value want)
{
    return want.type == JSON_VALUE_NUMBER ? json_number(want) : -1;
}

static double length_of(struct json_value text)
{
    struct buf scratch = {0};
    double n = (double)utf8_length(json_text(text, &scratch));
    buf_free(&scratch);
    return n;
}

static bool within(const struct site *at, enum json_type type, struct json_value want, bool most)
{
    double limit = limit_of(want), n;
    if (at->instance.type != type || limit < 0)
        return true;
    n = type == JSON_VALUE_STRING ? length_of(at->instance) : (double)json_count(at->instance);
    return most ? n <= limit : n >= limit;
}

#define SIZE_KEYWORD(name, type, most)                                             \
    static bool name(struct run *r, const struct site *at, struct json_value want) \
    {                                                                              \
        (void)r;                                                                   \
        return within(at, type, want, most);                                       \
    }
SIZE_KEYWORD(key_max_length, JSON_VALUE_STRING, true)
SIZE_KEYWORD(key_min_length, JSON_VALUE_STRING, false)
SIZE_KEYWORD(key_max_items, JSON_VALUE_ARRAY, true)
SIZE_KEYWORD(key_min_items, JSON_VALUE_ARRAY, false)
SIZE_KEYWORD(key_max_properties, JSON_VALUE_OBJECT, true)
SIZE_KEYWORD(key_min_properties, JSON_VALUE_OBJECT, false)

static bool matches(struct run *r, struct span pattern, struct span text)
{
    const struct regex *regex = schema_regex(r->s, pattern);
    struct buf valid = {0};
    if (!utf8_valid(text)) {
        for (size_t at = 0; at < text.len;) {
            uint32_t c = utf8_next(text, &at);
            utf8_add(&valid, c >= 0xd800 && c <= 0xdfff ? 0xfffd : c);
        }
        text = buf_span(&valid);
    }
    enum regex_result found = regex ? regex_search(regex, text, 0, NULL, 0) : REGEX_NONE;
    r->gave_up = r->gave_up || found == REGEX_LIMIT;
    buf_free(&valid);
    return found == REGEX_MATCH;
}

static bool key_pattern(struct run *r, const struct site *at, struct json_value want)
{
    struct buf pattern = {0}, text = {0};
    bool holds = at->instance.type != JSON_VALUE_STRING || want.type != JSON_VALUE_STRING ||
                 matches(r, json_text(want, &pattern), json_text(at->instance, &text));
    buf_free(&pattern);
    buf_free(&text);
    return holds;
}

/* ---- arrays --------------------------------------------------------------------------------------------- */

/* Items by the schemas of a list, from the first on. */
static bool check_prefix(struct run *r, const struct site *at, struct json_value list)
{
    struct json_cursor c = json_enter(at->instance), d = json_enter(list);
    struct json_value item, schema;
    for (size_t i = 0; json_next_item(&c, &item) && json_next_item(&d, &schema); i++) {
        if (!check_item(r, schema, item, i))
            return false;
        mark(at, i);
    }
    return true;
}

/* Items from number `first` on by one schema. */
static bool check_rest(struct run *r, const struct site *at, struct json_value schema, size_t first)
{
    struct json_cursor c = json_enter(at->instance);
    struct json_value item;
    for (size_t i = 0; json_next_item(&c, &item); i++) {
        if (i < first)
            continue;
        if (!check_item(r, schema, item, i))
            return false;
        mark(at, i);
    }
    return true;
}

static bool key_prefix_items(struct run *r, const struct site *at, struct json_value want)
{
    return at->instance.type != JSON_VALUE_ARRAY || check_prefix(r, at, want);
}

static bool key_items(struct run *r, const struct site *at, struct json_value want)
{
    struct json_value prefix;
    if (at->instance.type != JSON_VALUE_ARRAY)
        return true;
    if (want.type == JSON_VALUE_ARRAY) /* draft-07 */
        return check_prefix(r, at, want);
    return check_rest(r, at, want, get(at, "prefixItems", &prefix) ? json_count(prefix) : 0);
}

static bool key_additional_items(struct run *r, const struct site *at, struct json_value want)
{
    struct json_value items;
    if (at->instance.type != JSON_VALUE_ARRAY || !get(at, "items", &items) ||
        items.type != JSON_VALUE_ARRAY)
        return true;
    return check_rest(r, at, want, json_count(items));
}

static bool key_contains(struct run *r, const struct site *at, struct json_value want)
{
    struct json_cursor c = json_enter(at->instance);
    struct json_value item, limit;
    double hits = 0, least = 1;
    if (at->instance.type != JSON_VALUE_ARRAY)
        return true;
    r->quiet++;
    for (size_t i = 0; json_next_item(&c, &item); i++)
        if (check_item(r, want, item, i)) {
            hits++;
            mark(at, i);
        }
    r->quiet--;
    if (get(at, "minContains", &limit) && limit_of(limit) >= 0)
        least = limit_of(limit);
    return hits >= least &&
           !(get(at, "maxContains", &limit) && limit_of(limit) >= 0 && hits > limit_of(limit));
}

static bool key_unique_items(struct run *r, const struct site *at, struct json_value want)
{
    struct json_cursor c = json_enter(at->instance);
    struct json_value item;
    struct map seen = {0};
    struct buf text = {0};
    bool unique = true;
    (void)r;
    while (want.type == JSON_VALUE_TRUE && at->instance.type == JSON_VALUE_ARRAY && unique &&
           json_next_item(&c, &item)) {
        buf_clear(&text);
        canonical_add(&text, item);
        map_add(&seen, buf_span(&text), &unique);
    }
    map_free(&seen);
    buf_free(&text);
    return unique;
}

static bool key_unevaluated_items(struct run *r, const struct site *at, struct json_value want)
{
    struct json_cursor c = json_enter(at->instance);
    struct json_value item;
    if (at->instance.type != JSON_VALUE_ARRAY)
        return true;
    for (size_t i = 0; json_next_item(&c, &item); i++) {
        if (i < at->marks->n && at->marks->seen[i])
            continue;
        if (!check_item(r, want, item, i))
            return false;
        mark(at, i);
    }
    return true;
}

/* ---- objects -------------------------------------------------------------------------------------------- */

static bool key_properties(struct run *r, const struct site *at, struct json_value want)
{
    struct json_cursor c = json_enter(at->instance);
    struct json_member m;
    struct json_value schema;
    struct buf scratch = {0};
    bool holds = true;
    for (size_t i = 0; at->instance.type == JSON_VALUE_OBJECT && holds && json_next_member(&c, &m);
         i++) {
        struct span name = json_key(&m, &scratch);
        if (!json_get(want, name, &schema))
            continue;
        holds = check_part(r, schema, m.value, name);
        mark(at, i);
    }
    buf_free(&scratch);
    return holds;
}

static bool key_pattern_properties(struct run *r, const struct site *at, struct json_value want)
{
    struct json_cursor c = json_enter(at->instance);
    struct json_member m, p;
    struct buf scratch = {0}, pattern = {0};
    bool holds = true;
    for (size_t i = 0; at->instance.type == JSON_VALUE_OBJECT && holds && json_next_member(&c, &m);
         i++) {
        struct span name = json_key(&m, &scratch);
        struct json_cursor d = json_enter(want);
        while (holds && json_next_member(&d, &p)) {
            if (!matches(r, json_key(&p, &pattern), name))
                continue;
            holds = check_part(r, p.value, m.value, name);
            mark(at, i);
        }
    }
    buf_free(&scratch);
    buf_free(&pattern);
    return holds;
}

/* Named beside: by properties or patternProperties of the same schema. */
static bool named(struct run *r, const struct site *at, struct span name)
{
    struct json_value list, schema;
    struct buf pattern = {0};
    bool found = get(at, "properties", &list) && json_get(list, name, &schema);
    if (!found && get(at, "patternProperties", &list) && list.type == JSON_VALUE_OBJECT) {
        struct json_cursor c = json_enter(list);
        struct json_member p;
        while (!found && json_next_member(&c, &p))
            found = matches(r, json_key(&p, &pattern), name);
    }
    buf_free(&pattern);
    return found;
}

static bool key_additional_properties(struct run *r, const struct site *at, struct json_value want)
{
    struct json_cursor c = json_enter(at->instance);
    struct json_member m;
    struct buf scratch = {0};
    bool holds = true;
    for (size_t i = 0; at->instance.type == JSON_VALUE_OBJECT && holds && json_next_member(&c, &m);
         i++) {
        struct span name = json_key(&m, &scratch);
        if (named(r, at, name))
            continue;
        holds = check_part(r, want, m.value, name);
        mark(at, i);
    }
    buf_free(&scratch);
    return holds;
}

static bool key_unevaluated_properties(struct run *r, const struct site *at, struct json_value want)
{
    struct json_cursor c = json_enter(at->instance);
    struct json_member m;
    struct buf scratch = {0};
    bool holds = true;
    for (size_t i = 0; at->instance.type == JSON_VALUE_OBJECT && holds && json_next_member(&c, &m);
         i++) {
        if (i < at->marks->n && at->marks->seen[i])
            continue;
        holds = check_part(r, want, m.value, json_key(&m, &scratch));
        mark(at, i);
    }
    buf_free(&scratch);
    return holds;
}

static bool key_property_names(struct run *r, const struct site *at, struct json_value want)
{
    struct json_cursor c = json_enter(at->instance);
    struct json_member m;
    bool holds = true;
    while (at->instance.type == JSON_VALUE_OBJECT && holds && json_next_member(&c, &m)) {
        struct json_value name = {.text = span_make(m.key.ptr - 1, m.key.len + 2),
                                  .type = JSON_VALUE_STRING,
                                  .flags = m.key_escaped ? JSON_FLAG_ESCAPED : 0};
        struct marks none = {0};
        holds = check(r, want, name, &none);
    }
    return holds;
}

/* Every text of a list is a member of the instance. */
static bool has_all(struct json_value object, struct json_value list)
{
    struct json_cursor c = json_enter(list);
    struct json_value name, value;
    struct buf scratch = {0};
    bool all = true;
    while (all && list.type == JSON_VALUE_ARRAY && json_next_item(&c, &name))
        all = name.type != JSON_VALUE_STRING || json_get(object, json_text(name, &scratch), &value);
    buf_free(&scratch);
    return all;
}

static bool key_required(struct run *r, const struct site *at, struct json_value want)
{
    (void)r;
    return at->instance.type != JSON_VALUE_OBJECT || has_all(at->instance, want);
}

/* dependentRequired, dependentSchemas and draft-07's dependencies, which is either. */
static bool key_dependencies(struct run *r, const struct site *at, struct json_value want)
{
    struct json_cursor c = json_enter(want);
    struct json_member m;
    struct json_value value;
    struct buf scratch = {0};
    bool holds = true;
    while (at->instance.type == JSON_VALUE_OBJECT && want.type == JSON_VALUE_OBJECT && holds &&
           json_next_member(&c, &m))
        if (json_get(at->instance, json_key(&m, &scratch), &value))
            holds = m.value.type == JSON_VALUE_ARRAY ? has_all(at->instance, m.value)
                                                     : check_here(r, m.value, at);
    buf_free(&scratch);
    return holds;
}

/* ---- applicators in place ------------------------------------------------------------------------------- */

static bool key_all_of(struct run *r, const struct site *at, struct json_value want)
{
    struct json_cursor c = json_enter(want);
    struct json_value schema;
    while (json_next_item(&c, &schema))
        if (!check_here(r, schema, at))
            return false;
    return true;
}

static size_t count_that_hold(struct run *r, const struct site *at, struct json_value want,
                              size_t enough)
{
    struct json_cursor c = json_enter(want);
    struct json_value schema;
    size_t hold = 0;
    while (hold < enough && json_next_item(&c, &schema))
        hold += try_here(r, schema, at);
    return hold;
}

static bool key_any_of(struct run *r, const struct site *at, struct json_value want)
{
    /* All of them when somebody asks what they looked at. */
    return count_that_hold(r, at, want, at->marks->n ? (size_t)-1 : 1) > 0;
}

static bool key_one_of(struct run *r, const struct site *at, struct json_value want)
{
    return count_that_hold(r, at, want, 2) == 1;
}

static bool key_not(struct run *r, const struct site *at, struct json_value want)
{
    struct marks none = marks_new(r, at->instance);
    r->quiet++;
    bool holds = check(r, want, at->instance, &none);
    r->quiet--;
    free(none.seen);
    return !holds;
}

static bool key_if(struct run *r, const struct site *at, struct json_value want)
{
    struct json_value branch;
    bool holds = try_here(r, want, at);
    return !get(at, holds ? "then" : "else", &branch) || check_here(r, branch, at);
}

static void enter(struct run *r, size_t uri)
{
    r->scope = mem_grow(r->scope, &r->cap_scope, r->n_scope + 1, sizeof *r->scope);
    r->scope[r->n_scope++] = uri;
}

static bool key_ref(struct run *r, const struct site *at, struct json_value want)
{
    struct schema_reference to = schema_target(r->s, want);
    if (!to.target.text.ptr)
        return true;
    enter(r, to.uri);
    bool holds = check_here(r, to.target, at);
    r->n_scope--;
    return holds;
}

/* The outermost resource in scope that has the anchor, when what the reference names is such an anchor. */
static bool key_dynamic_ref(struct run *r, const struct site *at, struct json_value want)
{
    struct schema_reference to = schema_target(r->s, want);
    struct buf scratch = {0};
    struct span text = json_text(want, &scratch);
    size_t hash = span_find(text, SPAN("#"), 0);
    struct span name = hash < text.len ? span_slice(text, hash + 1, text.len) : SPAN("");
    if (to.target.text.ptr && name.len &&
        schema_dynamic(r->s, to.uri, name).text.ptr == to.target.text.ptr) {
        for (size_t i = 0; i < r->n_scope; i++) {
            struct json_value outer = schema_dynamic(r->s, r->scope[i], name);
            if (!outer.text.ptr)
                continue;
            to = (struct schema_reference){outer, r->scope[i]};
            break;
        }
    }
    buf_free(&scratch);
    if (!to.target.text.ptr)
        return true;
    enter(r, to.uri);
    bool holds = check_here(r, to.target, at);
    r->n_scope--;
    return holds;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

static const struct keyword {
    const char *name;
    bool (*holds)(struct run *r, const struct site *at, struct json_value want);
    bool last;           /* after all others */
    enum json_type kind; /* of its value, where a walk over it needs one; 0: any */
} KEYWORDS[] = {
    {"type", key_type, false, 0},
    {"enum", key_enum, false, JSON_VALUE_ARRAY},
    {"const", key_const, false, 0},
    {"multipleOf", key_multiple_of, false, 0},
    {"maximum", key_maximum, false, 0},
    {"minimum", key_minimum, false, 0},
    {"exclusiveMaximum", key_exclusive_maximum, false, 0},
    {"exclusiveMinimum", key_exclusive_minimum, false, 0},
    {"maxLength", key_max_length, false, 0},
    {"minLength", key_min_length, false, 0},
    {"pattern", key_pattern, false, JSON_VALUE_STRING},
    {"prefixItems", key_prefix_items, false, JSON_VALUE_ARRAY},
    {"items", key_items, false, 0},
    {"additionalItems", key_additional_items, false, 0},
    {"contains", key_contains, false, 0},
    {"maxItems", key_max_items, false, 0},
    {"minItems", key_min_items, false, 0},
    {"uniqueItems", key_unique_items, false, 0},
    {"properties", key_properties, false, JSON_VALUE_OBJECT},
    {"patternProperties", key_pattern_properties, false, JSON_VALUE_OBJECT},
    {"additionalProperties", key_additional_properties, false, 0},
    {"propertyNames", key_property_names, false, 0},
    {"required", key_required, false, JSON_VALUE_ARRAY},
    {"maxProperties", key_max_properties, false, 0},
    {"minProperties", key_min_properties, false, 0},
    {"dependentRequired", key_dependencies, false, JSON_VALUE_OBJECT},
    {"dependentSchemas", key_dependencies, false, JSON_VALUE_OBJECT},
    {"dependencies", key_dependencies, false, JSON_VALUE_OBJECT},
    {"allOf", key_all_of, false, JSON_VALUE_ARRAY},
    {"anyOf", key_any_of, false, JSON_VALUE_ARRAY},
    {"oneOf", key_one_of, false, JSON_VALUE_ARRAY},
    {"not", key_not, false, 0},
    {"if", key_if, false, 0},
    {"$ref", key_ref, false, JSON_VALUE_STRING},
    {"$dynamicRef", key_dynamic_ref, false, JSON_VALUE_STRING},
    {"unevaluatedItems", key_unevaluated_items, true, 0},
    {"unevaluatedProperties", key_unevaluated_properties, true, 0},
};

static const struct keyword *find_keyword(struct span name)
{
    for (size_t i = 0; i < sizeof KEYWORDS / sizeof *KEYWORDS; i++)
        if (span_is(name, KEYWORDS[i].name))
            return &KEYWORDS[i];
    return NULL;
}

static void note_failure(struct run *r, const char *keyword)
{
    if (r->quiet || r->where->len)
        return;
    if (r->path.len)
        buf_span_add(r->where, buf_span(&r->path));
    else
        buf_text(r->where, "(the whole)");
    buf_text(r->where, ": ");
    buf_text(r->where, keyword);
}

/* A reference may lead to what is no schema; there a keyword of the wrong kind says nothing. */
static bool of_kind(const struct keyword *k, struct json_value value)
{
    return !k->kind || value.type == k->kind;
}

static bool check_keywords(struct run *r, const struct site *at, bool last)
{
    struct json_cursor c = json_enter(at->schema);
    struct json_member m;
    struct json_value final;
    struct buf scratch = {0};
    bool holds = true;
    while (holds && !r->gave_up && json_next_member(&c, &m)) {
        struct span name = json_key(&m, &scratch);
        const struct keyword *k = find_keyword(name);
        if (!k || k->last != last || !of_kind(k, m.value))
            continue;
        if (json_get(at->schema, name, &final) && final.text.ptr != m.value.text.ptr)
            continue; /* a later one of that name counts */
        holds = k->holds(r, at, m.value);
        if (!holds)
            note_failure(r, k->name);
    }
    buf_free(&scratch);
    return holds;
}

static bool check(struct run *r, struct json_value schema, struct json_value instance,
                  struct marks *marks)
{
    struct json_value ref;
    if (r->gave_up || ++r->steps > SCHEMA_STEPS || r->depth >= SCHEMA_DEPTH) {
        r->gave_up = true;
        return false;
    }
    if (schema.type == JSON_VALUE_FALSE)
        note_failure(r, "false");
    if (schema.type != JSON_VALUE_OBJECT)
        return schema.type != JSON_VALUE_FALSE;
    const struct site at = {schema, instance, marks};
    size_t resource = schema_resource(r->s, schema), scope = r->n_scope;
    if (resource != MAP_NONE)
        enter(r, resource);
    r->depth++;
    bool holds;
    if (r->s->draft == SCHEMA_DRAFT_07 && json_get(schema, SPAN("$ref"), &ref) &&
        ref.type == JSON_VALUE_STRING) { /* its siblings do not count */
        holds = key_ref(r, &at, ref);
    } else {
        holds = check_keywords(r, &at, false);
        if (holds && r->s->annotates)
            holds = check_keywords(r, &at, true);
    }
    r->depth--;
    r->n_scope = scope;
    return holds;
}

enum schema_result schema_validate(const struct schema *s, struct json_value instance,
                                   struct buf *where)
{
    struct run r = {.s = s, .where = where};
    buf_clear(where);
    struct marks marks = marks_new(&r, instance);
    enter(&r, 0); /* the document itself, URI "" */
    bool holds = check(&r, s->root, instance, &marks);
    free(marks.seen);
    free(r.scope);
    buf_free(&r.path);
    return r.gave_up ? SCHEMA_GAVE_UP : holds ? SCHEMA_VALID : SCHEMA_INVALID;
}
