/* schema.c: reads a schema document: its identifiers, references and patterns (JSON Schema core 8, 9). */
#include "grade/schema.h"

#include <stdint.h>
#include <stdlib.h>

#include "grade/schema_parts.h"
#include "text/utf8.h"

/* A value's place in the document as a key. */
static struct span place_key(const struct json_value *value)
{
    return span_make((const char *)&value->text.ptr, sizeof value->text.ptr);
}

struct schema_reference schema_target(const struct schema *s, struct json_value reference)
{
    size_t n = map_find(&s->refs, place_key(&reference));
    return n == MAP_NONE ? (struct schema_reference){.uri = MAP_NONE} : s->references[n];
}

size_t schema_resource(const struct schema *s, struct json_value object)
{
    size_t n = map_find(&s->resources, place_key(&object));
    return n == MAP_NONE ? MAP_NONE : s->resource_uris[n];
}

struct json_value schema_dynamic(const struct schema *s, size_t uri, struct span name)
{
    struct buf key = {0};
    buf_span_add(&key, s->uris.keys[uri]);
    buf_byte(&key, '#');
    buf_span_add(&key, name);
    size_t n = map_find(&s->dynamic, buf_span(&key));
    buf_free(&key);
    return n == MAP_NONE ? (struct json_value){0} : s->dynamic_targets[n];
}

const struct regex *schema_regex(const struct schema *s, struct span pattern)
{
    size_t n = map_find(&s->patterns, pattern);
    return n == MAP_NONE ? NULL : s->regexes[n];
}

/* ---- URIs ----------------------------------------------------------------------------------------------- */

static bool has_scheme(struct span uri)
{
    for (size_t i = 0; i < uri.len; i++) {
        char c = uri.ptr[i];
        if (c == ':')
            return i > 0;
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.')))
            return false;
    }
    return false;
}

/* Where the path of an absolute URI begins: behind scheme and authority. */
static size_t path_start(struct span uri)
{
    size_t at = span_find(uri, SPAN(":"), 0);
    at = at == SIZE_MAX ? 0 : at + 1;
    if (span_starts(span_slice(uri, at, uri.len), SPAN("//"))) {
        for (at += 2; at < uri.len && uri.ptr[at] != '/'; at++)
            ;
    }
    return at;
}

/* reference (no fragment) against base (RFC 3986 5.2; `.` and `..` in front are taken off). */
static void resolve(struct span base, struct span reference, struct buf *out)
{
    buf_clear(out);
    if (has_scheme(reference) || !base.len) {
        buf_span_add(out, reference);
        return;
    }
    if (!reference.len) {
        buf_span_add(out, base);
        return;
    }
    size_t path = path_start(base), end = base.len;
    if (reference.ptr[0] == '/') {
        if (reference.len > 1 && reference.ptr[1] == '/')
            end = span_find(base, SPAN(":"), 0) + 1;
        else
            end = path;
    } else {
        while (end > path && base.ptr[end - 1] != '/')
            end--;
        while (span_starts(reference, SPAN("../")) || span_starts(reference, SPAN("./"))) {
            bool up = reference.ptr[1] == '.';
            reference = span_slice(reference, up ? 3 : 2, reference.len);
            if (up && end > path + 1)
                for (end--; end > path && base.ptr[end - 1] != '/'; end--)
                    ;
        }
    }
    buf_span_add(out, span_slice(base, 0, end));
    buf_span_add(out, reference);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static void percent_decode(struct span s, struct buf *out)
{
    buf_clear(out);
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '%' && i + 2 < s.len && hex_digit(s.ptr[i + 1]) >= 0 &&
            hex_digit(s.ptr[i + 2]) >= 0) {
            buf_byte(out, (char)(hex_digit(s.ptr[i + 1]) * 16 + hex_digit(s.ptr[i + 2])));
            i += 2;
        } else {
            buf_byte(out, s.ptr[i]);
        }
    }
}

/* ---- reading the document ------------------------------------------------------------------------------- */

static void register_uri(struct schema *s, struct span uri, struct json_value target)
{
    bool fresh;
    size_t n = map_add(&s->uris, uri, &fresh);
    s->targets = mem_grow(s->targets, &s->cap_targets, n + 1, sizeof *s->targets);
    if (fresh)
        s->targets[n] = target;
}

static bool text_member(struct json_value object, const char *key, struct buf *scratch,
                        struct span *text)
{
    struct json_value value;
    if (!json_get(object, span_text(key), &value) || value.type != JSON_VALUE_STRING)
        return false;
    *text = json_text(value, scratch);
    return true;
}

/* Keywords whose value is data, not schemas. */
static bool holds_data(struct span key)
{
    return span_is(key, "enum") || span_is(key, "const") || span_is(key, "default") ||
           span_is(key, "examples");
}

static int add_pattern(struct schema *s, struct span pattern, struct error *error)
{
    bool fresh;
    size_t n = map_add(&s->patterns, pattern, &fresh);
    if (!fresh)
        return 0;
    s->regexes = mem_grow(s->regexes, &s->cap_regexes, n + 1, sizeof *s->regexes);
    s->regexes[n] = NULL;
    return (s->regexes[n] = regex_compile(pattern, 0, error)) ? 0 : ERROR_USAGE;
}

static int add_patterns(struct schema *s, struct json_value object, struct error *error)
{
    struct json_value value;
    struct buf scratch = {0};
    struct span text;
    int rc = 0;
    if (text_member(object, "pattern", &scratch, &text))
        rc = add_pattern(s, text, error);
    if (!rc && json_get(object, SPAN("patternProperties"), &value)) {
        struct json_cursor c = json_enter(value);
        struct json_member m;
        while (!rc && value.type == JSON_VALUE_OBJECT && json_next_member(&c, &m))
            rc = add_pattern(s, json_key(&m, &scratch), error);
    }
    buf_free(&scratch);
    return rc;
}

/* Registers what the object is called; *base becomes its own URI when it has one (owned by s). */
static void register_names(struct schema *s, struct json_value object, struct span *base)
{
    struct buf scratch = {0}, uri = {0};
    struct span text, fragment = {0};
    bool sibling_ref =
        s->draft == SCHEMA_DRAFT_07 && json_get(object, SPAN("$ref"), &(struct json_value){0});
    if (!sibling_ref && text_member(object, "$id", &scratch, &text)) {
        size_t hash = span_find(text, SPAN("#"), 0);
        if (hash != SIZE_MAX) {
            fragment = span_slice(text, hash + 1, text.len);
            text = span_slice(text, 0, hash);
        }
        resolve(*base, text, &uri);
        if (text.len) {
            register_uri(s, buf_span(&uri), object);
            size_t number = map_find(&s->uris, buf_span(&uri));
            *base = s->uris.keys[number];
            size_t n = map_add(&s->resources, place_key(&object), NULL);
            s->resource_uris =
                mem_grow(s->resource_uris, &s->cap_resources, n + 1, sizeof *s->resource_uris);
            s->resource_uris[n] = number;
        }
        if (fragment.len) {
            buf_byte(&uri, '#');
            buf_span_add(&uri, fragment);
            register_uri(s, buf_span(&uri), object);
        }
    }
    static const char *const anchors[] = {"$anchor", "$dynamicAnchor"};
    for (int i = 0; i < 2; i++)
        if (text_member(object, anchors[i], &scratch, &text)) {
            buf_clear(&uri);
            buf_span_add(&uri, *base);
            buf_byte(&uri, '#');
            buf_span_add(&uri, text);
            register_uri(s, buf_span(&uri), object);
            if (i == 1) {
                bool fresh;
                size_t n = map_add(&s->dynamic, buf_span(&uri), &fresh);
                s->dynamic_targets = mem_grow(s->dynamic_targets, &s->cap_dynamic, n + 1,
                                              sizeof *s->dynamic_targets);
                if (fresh)
                    s->dynamic_targets[n] = object;
            }
        }
    buf_free(&scratch);
    buf_free(&uri);
}

/* Keywords whose value names schemas: its members are no keywords. */
static bool holds_names(struct span key)
{
    static const char *const keys[] = {"properties",  "patternProperties", "$defs",
                                       "definitions", "dependentSchemas",  "dependencies"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (span_is(key, keys[i]))
            return true;
    return false;
}

/* Walks every object that may be a schema; names: the value's members are named schemas. Depth is bounded
 * by the scanner. */
static int walk(struct schema *s, struct json_value value, bool names, struct span base,
                int (*visit)(struct schema *, struct json_value, struct span *, struct error *),
                struct error *error)
{
    struct json_cursor c = json_enter(value);
    struct json_value item;
    struct json_member m;
    struct buf scratch = {0};
    int rc = 0;
    if (value.type == JSON_VALUE_OBJECT) {
        rc = names ? 0 : visit(s, value, &base, error);
        while (!rc && json_next_member(&c, &m)) {
            struct span key = json_key(&m, &scratch);
            if (names || !holds_data(key))
                rc = walk(s, m.value, !names && holds_names(key), base, visit, error);
        }
    } else if (value.type == JSON_VALUE_ARRAY) {
        while (!rc && json_next_item(&c, &item))
            rc = walk(s, item, false, base, visit, error);
    }
    buf_free(&scratch);
    return rc;
}

static int visit_names(struct schema *s, struct json_value object, struct span *base,
                       struct error *error)
{
    struct json_value value;
    register_names(s, object, base);
    s->annotates = s->annotates || json_get(object, SPAN("unevaluatedProperties"), &value) ||
                   json_get(object, SPAN("unevaluatedItems"), &value);
    return add_patterns(s, object, error);
}

/* ---- references ----------------------------------------------------------------------------------------- */

static bool follow_pointer(struct json_value *value, struct span pointer)
{
    struct buf part = {0};
    bool found = true;
    while (found && pointer.len) {
        if (pointer.ptr[0] != '/') {
            found = false;
            break;
        }
        size_t next = span_find(pointer, SPAN("/"), 1);
        struct span raw = span_slice(pointer, 1, next == SIZE_MAX ? pointer.len : next);
        buf_clear(&part);
        for (size_t i = 0; i < raw.len; i++) {
            bool escape = raw.ptr[i] == '~' && i + 1 < raw.len;
            buf_byte(&part, !escape ? raw.ptr[i] : raw.ptr[i + 1] == '1' ? '/' : '~');
            i += escape;
        }
        if (value->type == JSON_VALUE_OBJECT) {
            found = json_get(*value, buf_span(&part), value);
        } else if (value->type == JSON_VALUE_ARRAY) {
            char *end;
            unsigned long index = strtoul(buf_cstr(&part), &end, 10);
            struct json_cursor c = json_enter(*value);
            found = part.len && !*end && index < json_count(*value);
            while (found && json_next_item(&c, value) && index-- > 0)
                ;
        } else {
            found = false;
        }
        pointer = next == SIZE_MAX ? SPAN("") : span_slice(pointer, next, pointer.len);
    }
    buf_free(&part);
    return found;
}

static bool find_target(const struct schema *s, struct span base, struct span reference,
                        struct schema_reference *reference_to)
{
    struct json_value *target = &reference_to->target;
    struct buf uri = {0}, fragment = {0};
    size_t hash = span_find(reference, SPAN("#"), 0), n;
    struct span document = hash == SIZE_MAX ? reference : span_slice(reference, 0, hash);
    bool found;
    resolve(base, document, &uri);
    if (hash != SIZE_MAX)
        percent_decode(span_slice(reference, hash + 1, reference.len), &fragment);
    reference_to->uri = n = map_find(&s->uris, buf_span(&uri));
    if (!fragment.len || fragment.data[0] == '/') {
        found = n != MAP_NONE;
        if (found) {
            *target = s->targets[n];
            found = follow_pointer(target, buf_span(&fragment));
        }
    } else {
        buf_byte(&uri, '#');
        buf_span_add(&uri, buf_span(&fragment));
        n = map_find(&s->uris, buf_span(&uri));
        found = n != MAP_NONE;
        if (found)
            *target = s->targets[n];
    }
    buf_free(&uri);
    buf_free(&fragment);
    return found;
}

static int add_reference(struct schema *s, struct json_value value, struct span base,
                         struct error *error)
{
    struct buf scratch = {0};
    struct schema_reference target = {0};
    struct span text = json_text(value, &scratch);
    int rc = 0;
    if (!find_target(s, base, text, &target)) {
        rc = error_set(error, ERROR_USAGE,
                       "the schema refers to %.*s, which is not in it; put it under $defs",
                       (int)text.len, text.ptr);
    } else {
        size_t n = map_add(&s->refs, place_key(&value), NULL);
        s->references = mem_grow(s->references, &s->cap_refs, n + 1, sizeof *s->references);
        s->references[n] = target;
    }
    buf_free(&scratch);
    return rc;
}

static int visit_references(struct schema *s, struct json_value object, struct span *base,
                            struct error *error)
{
    static const char *const keys[] = {"$ref", "$dynamicRef"};
    struct json_value value;
    int rc = 0;
    register_names(s, object, base); /* again, for the base; what is known stays */
    for (int i = 0; i < 2 && !rc; i++)
        if (json_get(object, span_text(keys[i]), &value) && value.type == JSON_VALUE_STRING)
            rc = add_reference(s, value, *base, error);
    return rc;
}

/* ---- is it a schema ------------------------------------------------------------------------------------- */

enum {
    A_BOOLEAN = 1 << JSON_VALUE_TRUE | 1 << JSON_VALUE_FALSE,
    A_NUMBER = 1 << JSON_VALUE_NUMBER,
    A_TEXT = 1 << JSON_VALUE_STRING,
    A_LIST = 1 << JSON_VALUE_ARRAY,
    AN_OBJECT = 1 << JSON_VALUE_OBJECT,
    A_SCHEMA = A_BOOLEAN | AN_OBJECT,
};

/* What a keyword's value may be, and where schemas stand in it. */
static const struct shape {
    const char *name;
    int types;
    enum { HOLDS_NONE, HOLDS_SCHEMA, HOLDS_LIST, HOLDS_NAMES } holds;
} SHAPES[] = {
    {"type", A_TEXT | A_LIST, HOLDS_NONE},
    {"enum", A_LIST, HOLDS_NONE},
    {"multipleOf", A_NUMBER, HOLDS_NONE},
    {"maximum", A_NUMBER, HOLDS_NONE},
    {"minimum", A_NUMBER, HOLDS_NONE},
    {"exclusiveMaximum", A_NUMBER, HOLDS_NONE},
    {"exclusiveMinimum", A_NUMBER, HOLDS_NONE},
    {"maxLength", A_NUMBER, HOLDS_NONE},
    {"minLength", A_NUMBER, HOLDS_NONE},
    {"maxItems", A_NUMBER, HOLDS_NONE},
    {"minItems", A_NUMBER, HOLDS_NONE},
    {"maxContains", A_NUMBER, HOLDS_NONE},
    {"minContains", A_NUMBER, HOLDS_NONE},
    {"maxProperties", A_NUMBER, HOLDS_NONE},
    {"minProperties", A_NUMBER, HOLDS_NONE},
    {"pattern", A_TEXT, HOLDS_NONE},
    {"uniqueItems", A_BOOLEAN, HOLDS_NONE},
    {"required", A_LIST, HOLDS_NONE},
    {"dependentRequired", AN_OBJECT, HOLDS_NONE},
    {"$ref", A_TEXT, HOLDS_NONE},
    {"$dynamicRef", A_TEXT, HOLDS_NONE},
    {"prefixItems", A_LIST, HOLDS_LIST},
    {"items", A_SCHEMA | A_LIST, HOLDS_SCHEMA},
    {"additionalItems", A_SCHEMA, HOLDS_SCHEMA},
    {"unevaluatedItems", A_SCHEMA, HOLDS_SCHEMA},
    {"contains", A_SCHEMA, HOLDS_SCHEMA},
    {"properties", AN_OBJECT, HOLDS_NAMES},
    {"patternProperties", AN_OBJECT, HOLDS_NAMES},
    {"additionalProperties", A_SCHEMA, HOLDS_SCHEMA},
    {"unevaluatedProperties", A_SCHEMA, HOLDS_SCHEMA},
    {"propertyNames", A_SCHEMA, HOLDS_SCHEMA},
    {"dependentSchemas", AN_OBJECT, HOLDS_NAMES},
    {"dependencies", AN_OBJECT, HOLDS_NAMES},
    {"$defs", AN_OBJECT, HOLDS_NAMES},
    {"definitions", AN_OBJECT, HOLDS_NAMES},
    {"allOf", A_LIST, HOLDS_LIST},
    {"anyOf", A_LIST, HOLDS_LIST},
    {"oneOf", A_LIST, HOLDS_LIST},
    {"not", A_SCHEMA, HOLDS_SCHEMA},
    {"if", A_SCHEMA, HOLDS_SCHEMA},
    {"then", A_SCHEMA, HOLDS_SCHEMA},
    {"else", A_SCHEMA, HOLDS_SCHEMA},
};

static const struct shape *shape_of(struct span name)
{
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++)
        if (span_is(name, SHAPES[i].name))
            return &SHAPES[i];
    return NULL;
}

static int well_formed(struct json_value schema, struct error *error);

static int well_formed_inside(const struct shape *shape, struct json_value value,
                              struct error *error)
{
    struct json_cursor c = json_enter(value);
    struct json_value item;
    struct json_member m;
    int rc = 0;
    if (shape->holds == HOLDS_SCHEMA && value.type != JSON_VALUE_ARRAY)
        return well_formed(value, error);
    if (shape->holds == HOLDS_NAMES)
        while (!rc && json_next_member(&c, &m))
            rc = m.value.type == JSON_VALUE_ARRAY && span_is(span_text(shape->name), "dependencies")
                     ? 0
                     : well_formed(m.value, error);
    else if (shape->holds != HOLDS_NONE)
        while (!rc && json_next_item(&c, &item))
            rc = well_formed(item, error);
    return rc;
}

/* Every keyword of every schema in it has a value of its kind. Depth is bounded by the scanner. */
static int well_formed(struct json_value schema, struct error *error)
{
    struct json_cursor c = json_enter(schema);
    struct json_member m;
    struct buf scratch = {0};
    int rc = 0;
    if (!((1 << schema.type) & A_SCHEMA))
        return error_set(error, ERROR_USAGE, "a schema is an object, true or false, not %.*s",
                         (int)(schema.text.len < 60 ? schema.text.len : 60), schema.text.ptr);
    while (!rc && schema.type == JSON_VALUE_OBJECT && json_next_member(&c, &m)) {
        const struct shape *shape = shape_of(json_key(&m, &scratch));
        if (!shape)
            continue;
        if (!((1 << m.value.type) & shape->types))
            rc = error_set(error, ERROR_USAGE, "the schema's %s is %.*s, a value of another type",
                           shape->name, (int)(m.value.text.len < 60 ? m.value.text.len : 60),
                           m.value.text.ptr);
        else
            rc = well_formed_inside(shape, m.value, error);
    }
    buf_free(&scratch);
    return rc;
}

/* ---- opening -------------------------------------------------------------------------------------------- */

static int open_document(struct schema *s, struct error *error)
{
    struct json_fault fault;
    struct buf scratch = {0};
    struct span name;
    if (json_scan(buf_span(&s->text), &s->root, NULL, &fault))
        return error_set(error, ERROR_USAGE, "the schema is no JSON: byte %zu: %s", fault.offset,
                         fault.what);
    int rc = well_formed(s->root, error);
    if (rc)
        return rc;
    if (text_member(s->root, "$schema", &scratch, &name))
        s->draft = span_has(name, SPAN("draft-07")) || span_has(name, SPAN("draft-06")) ||
                           span_has(name, SPAN("draft-04"))
                       ? SCHEMA_DRAFT_07
                       : SCHEMA_2020_12;
    buf_free(&scratch);
    register_uri(s, SPAN(""), s->root);
    rc = walk(s, s->root, false, SPAN(""), visit_names, error);
    return rc ? rc : walk(s, s->root, false, SPAN(""), visit_references, error);
}

struct schema *schema_open(struct span text, enum schema_draft draft, struct error *error)
{
    struct schema *s = mem_zero(1, sizeof *s);
    s->draft = draft;
    buf_span_add(&s->text, text);
    if (open_document(s, error) == 0)
        return s;
    schema_free(s);
    return NULL;
}

void schema_free(struct schema *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->patterns.count && s->regexes; i++)
        regex_free(s->regexes[i]);
    free(s->regexes);
    free(s->targets);
    free(s->references);
    free(s->resource_uris);
    free(s->dynamic_targets);
    map_free(&s->resources);
    map_free(&s->dynamic);
    map_free(&s->uris);
    map_free(&s->refs);
    map_free(&s->patterns);
    buf_free(&s->text);
    free(s);
}
