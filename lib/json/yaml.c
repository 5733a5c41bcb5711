/* yaml.c: a YAML text as a tree, from libyaml's events. Depth, aliases and names are bounded and
 * checked here; libyaml sees to the syntax. */
#include "json/tree.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <yaml.h>

#include "base/map.h"
#include "text/number.h"
#include "json/defaults.h"

struct anchor {
    json_t *tree; /* owned; NULL while the value is still being read */
    size_t cost;  /* values in it, see YAML_ALIAS_MAX */
    int height;   /* levels of arrays and objects in it */
};

struct reading {
    yaml_parser_t parser;
    const char *name;
    struct error *error;
    struct map anchor_names;
    size_t *newest; /* by number of the name: the anchor that an alias means now */
    size_t newest_cap;
    struct anchor *anchors; /* in the order of the text; a name may come again */
    size_t count, cap;
    size_t cost;     /* values made so far, expanded ones included */
    size_t expanded; /* of which by aliases */
};

/* A node that was read: the tree (NULL: failed) and its height. */
struct node {
    json_t *tree;
    int height;
};

static const struct node FAILED = {NULL, 0};

static struct node read_node(struct reading *r, const yaml_event_t *event, int depth);

/* ---- errors and events ----------------------------------------------------------------------- */

static struct node fail(struct reading *r, yaml_mark_t mark, const char *what)
{
    error_set(r->error, ERROR_INPUT, "%s:%zu: %s (column %zu); mend the YAML", r->name,
              mark.line + 1, what, mark.column + 1);
    return FAILED;
}

static bool next_event(struct reading *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->parser, event))
        return true;
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR)
        mem_out_of_memory(0);
    if (p->error == YAML_READER_ERROR)
        error_set(r->error, ERROR_INPUT, "%s: byte %zu: %s; write the file as UTF-8", r->name,
                  p->problem_offset, p->problem);
    else
        fail(r, p->problem_mark, p->problem ? p->problem : "not YAML");
    return false;
}

static json_t *own(json_t *tree)
{
    if (!tree)
        mem_out_of_memory(0);
    return tree;
}

/* ---- scalars --------------------------------------------------------------------------------- */

static bool one_of(struct span s, const char *const *words)
{
    for (; *words; words++)
        if (span_is(s, *words))
            return true;
    return false;
}

static bool is_null(struct span s)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL", NULL};
    return one_of(s, words);
}

static bool is_true(struct span s)
{
    static const char *const words[] = {"true", "True", "TRUE", NULL};
    return one_of(s, words);
}

static bool is_false(struct span s)
{
    static const char *const words[] = {"false", "False", "FALSE", NULL};
    return one_of(s, words);
}

static size_t count_digits(struct span s, size_t at)
{
    size_t n = 0;
    while (at + n < s.len && s.ptr[at + n] >= '0' && s.ptr[at + n] <= '9')
        n++;
    return n;
}

/* 0o17 and 0xFF. */
static json_t *based_integer(struct span s)
{
    if (s.len < 3 || s.ptr[0] != '0' || (s.ptr[1] != 'o' && s.ptr[1] != 'x'))
        return NULL;
    const int base = s.ptr[1] == 'o' ? 8 : 16;
    json_int_t sum = 0;
    double wide = 0;
    bool fits = true;
    for (size_t i = 2; i < s.len; i++) {
        char c = s.ptr[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : base;
        if (digit >= base)
            return NULL;
        wide = wide * base + digit;
        fits = fits && sum <= (LLONG_MAX - digit) / base;
        if (fits)
            sum = sum * base + digit;
    }
    if (fits)
        return own(json_integer(sum));
    return isfinite(wide) ? own(json_real(wide)) : json_null();
}

/* [-+]? ( digits | digits? '.' digits | digits '.' ) ( [eE] [-+]? digits )?, and .inf, .nan */
static json_t *decimal(struct span s)
{
    static const char *const infinite[] = {".inf", ".Inf", ".INF", NULL};
    static const char *const nan_words[] = {".nan", ".NaN", ".NAN", NULL};
    size_t at = s.len && (s.ptr[0] == '-' || s.ptr[0] == '+');
    if (one_of(span_slice(s, at, s.len), infinite) || one_of(s, nan_words))
        return json_null();
    size_t digits = count_digits(s, at), fraction = 0;
    bool integer = true;
    at += digits;
    if (at < s.len && s.ptr[at] == '.') {
        integer = false;
        fraction = count_digits(s, ++at);
        at += fraction;
    }
    if (digits + fraction == 0)
        return NULL;
    if (at < s.len && (s.ptr[at] == 'e' || s.ptr[at] == 'E')) {
        integer = false;
        at++;
        at += at < s.len && (s.ptr[at] == '-' || s.ptr[at] == '+');
        size_t exponent = count_digits(s, at);
        if (exponent == 0)
            return NULL;
        at += exponent;
    }
    if (at != s.len)
        return NULL;
    struct span token = s.ptr[0] == '+' ? span_slice(s, 1, s.len) : s;
    struct json_value value = {token, JSON_VALUE_NUMBER, JSON_FLAG_INTEGER};
    int64_t whole;
    if (integer && json_int64(value, &whole))
        return own(json_integer(whole));
    double x;
    if (!number_parse(token, &x) || !isfinite(x))
        return json_null();
    return own(json_real(x));
}

static json_t *number(struct span s)
{
    json_t *tree = based_integer(s);
    return tree ? tree : decimal(s);
}

static json_t *text(struct span s)
{
    return own(json_stringn_nocheck(s.ptr ? s.ptr : "", s.len));
}

static json_t *plain_scalar(struct span s)
{
    if (is_null(s))
        return json_null();
    if (is_true(s))
        return json_true();
    if (is_false(s))
        return json_false();
    json_t *tree = number(s);
    return tree ? tree : text(s);
}

/* A scalar under one of the tags of the core schema; NULL: its text does not fit the tag. */
static json_t *tagged_scalar(struct span s, const char *tag)
{
    if (strcmp(tag, YAML_STR_TAG) == 0 || strcmp(tag, "!") == 0)
        return text(s);
    if (strcmp(tag, YAML_NULL_TAG) == 0)
        return is_null(s) ? json_null() : NULL;
    if (strcmp(tag, YAML_BOOL_TAG) == 0)
        return is_true(s) ? json_true() : is_false(s) ? json_false() : NULL;
    json_t *tree = number(s);
    if (tree && strcmp(tag, YAML_FLOAT_TAG) == 0 && json_is_integer(tree)) {
        json_t *whole = tree;
        tree = own(json_real((double)json_integer_value(whole)));
        json_decref(whole);
    }
    if (tree && strcmp(tag, YAML_INT_TAG) == 0 && !json_is_integer(tree)) {
        json_decref(tree);
        return NULL;
    }
    return tree;
}

static bool known_tag(const char *tag)
{
    return strcmp(tag, YAML_STR_TAG) == 0 || strcmp(tag, YAML_NULL_TAG) == 0 ||
           strcmp(tag, YAML_BOOL_TAG) == 0 || strcmp(tag, YAML_INT_TAG) == 0 ||
           strcmp(tag, YAML_FLOAT_TAG) == 0 || strcmp(tag, "!") == 0;
}

static struct node read_scalar(struct reading *r, const yaml_event_t *event)
{
    const char *tag = (const char *)event->data.scalar.tag;
    struct span s = span_make((const char *)event->data.scalar.value, event->data.scalar.length);
    r->cost += 1 + s.len / YAML_TEXT_UNIT;
    if (tag && !known_tag(tag))
        return fail(r, event->start_mark, "a tag that is not of the core schema");
    if (!tag)
        return (struct node){event->data.scalar.plain_implicit ? plain_scalar(s) : text(s), 0};
    json_t *tree = tagged_scalar(s, tag);
    if (!tree)
        return fail(r, event->start_mark, "a value that does not fit its tag");
    return (struct node){tree, 0};
}

/* ---- anchors and aliases --------------------------------------------------------------------- */

/* Returns the number of the new anchor, or MAP_NONE without a name. */
static size_t open_anchor(struct reading *r, const yaml_char_t *name)
{
    if (!name)
        return MAP_NONE;
    size_t number = map_add(&r->anchor_names, span_text((const char *)name), NULL);
    r->newest = mem_grow(r->newest, &r->newest_cap, number + 1, sizeof *r->newest);
    r->anchors = mem_grow(r->anchors, &r->cap, r->count + 1, sizeof *r->anchors);
    r->anchors[r->count] = (struct anchor){0};
    r->newest[number] = r->count;
    return r->count++;
}

static void close_anchor(struct reading *r, size_t anchor, struct node node, size_t cost)
{
    if (anchor != MAP_NONE && node.tree)
        r->anchors[anchor] = (struct anchor){json_incref(node.tree), cost, node.height};
}

static struct node read_alias(struct reading *r, const yaml_event_t *event, int depth)
{
    const char *name = (const char *)event->data.alias.anchor;
    size_t number = map_find(&r->anchor_names, span_text(name));
    if (number == MAP_NONE)
        return fail(r, event->start_mark, "an alias without its anchor");
    const struct anchor *anchor = &r->anchors[r->newest[number]];
    if (!anchor->tree)
        return fail(r, event->start_mark, "an alias inside the value that it stands for");
    if (depth + anchor->height > JSON_DEPTH_MAX)
        return fail(r, event->start_mark, "the value is nested deeper than 512 levels");
    r->cost += anchor->cost;
    r->expanded += anchor->cost;
    if (r->expanded > YAML_ALIAS_MAX)
        return fail(r, event->start_mark, "the aliases expand to too much");
    return (struct node){own(json_deep_copy(anchor->tree)), anchor->height};
}

/* ---- collections ----------------------------------------------------------------------------- */

static struct node read_sequence(struct reading *r, int depth)
{
    struct node node = {own(json_array()), 1};
    for (;;) {
        yaml_event_t event;
        if (!next_event(r, &event))
            break;
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            return node;
        }
        struct node item = read_node(r, &event, depth);
        yaml_event_delete(&event);
        if (!item.tree)
            break;
        json_array_append_new(node.tree, item.tree);
        node.height = item.height >= node.height ? item.height + 1 : node.height;
    }
    json_decref(node.tree);
    return FAILED;
}

static bool is_merge_key(const yaml_event_t *event)
{
    return event->type == YAML_SCALAR_EVENT && event->data.scalar.plain_implicit &&
           !event->data.scalar.tag &&
           span_is(span_make((const char *)event->data.scalar.value, event->data.scalar.length),
                   "<<");
}

/* A member's name: the scalar as it is written, or the text that an alias stands for. */
static bool read_name(struct reading *r, const yaml_event_t *event, struct buf *name)
{
    buf_clear(name);
    buf_reserve(name, 1); /* an empty name is no NULL */
    if (event->type == YAML_SCALAR_EVENT) {
        size_t anchor = open_anchor(r, event->data.scalar.anchor);
        struct span s =
            span_make((const char *)event->data.scalar.value, event->data.scalar.length);
        buf_span_add(name, s);
        r->cost += 1 + s.len / YAML_TEXT_UNIT;
        if (anchor != MAP_NONE)
            r->anchors[anchor] = (struct anchor){text(s), 1 + s.len / YAML_TEXT_UNIT, 0};
        return true;
    }
    if (event->type == YAML_ALIAS_EVENT) {
        struct node node = read_alias(r, event, 0);
        if (!node.tree)
            return false;
        bool fits = json_is_string(node.tree);
        if (fits)
            buf_add(name, json_string_value(node.tree), json_string_length(node.tree));
        json_decref(node.tree);
        if (fits)
            return true;
    }
    fail(r, event->start_mark, "a member's name that is no text");
    return false;
}

static void merge_object(json_t *into, json_t *from)
{
    for (void *at = json_object_iter(from); at; at = json_object_iter_next(from, at)) {
        const char *key = json_object_iter_key(at);
        size_t len = json_object_iter_key_len(at);
        if (!json_object_getn(into, key, len))
            json_object_setn_nocheck(into, key, len, json_object_iter_value(at));
    }
}

/* The value of `<<`: an object or an array of objects, the earlier ones stronger. */
static bool merge(json_t *into, json_t *value)
{
    if (json_is_object(value)) {
        merge_object(into, value);
        return true;
    }
    if (!json_is_array(value))
        return false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (!json_is_object(json_array_get(value, i)))
            return false;
        merge_object(into, json_array_get(value, i));
    }
    return true;
}

struct mapping {
    json_t *merged; /* what merge keys brought; NULL: no merge key yet */
    json_t *own;
    struct buf name;
    int height;
};

/* Reads the member whose name is `event`. */
static bool read_member(struct reading *r, struct mapping *m, const yaml_event_t *event, int depth)
{
    bool is_merge = is_merge_key(event);
    if (!is_merge && !read_name(r, event, &m->name))
        return false;
    if (is_merge ? m->merged != NULL
                 : json_object_getn(m->own, m->name.data, m->name.len) != NULL) {
        fail(r, event->start_mark, "a member's name that stands twice");
        return false;
    }
    yaml_event_t next;
    if (!next_event(r, &next))
        return false;
    struct node value = read_node(r, &next, depth);
    yaml_mark_t mark = next.start_mark;
    yaml_event_delete(&next);
    if (!value.tree)
        return false;
    m->height = value.height >= m->height ? value.height + 1 : m->height;
    if (!is_merge) {
        json_object_setn_new_nocheck(m->own, m->name.data, m->name.len, value.tree);
        return true;
    }
    m->merged = own(json_object());
    bool fits = merge(m->merged, value.tree);
    json_decref(value.tree);
    if (!fits)
        fail(r, mark, "a merge key whose value is no mapping");
    return fits;
}

static struct node read_mapping(struct reading *r, int depth)
{
    struct mapping m = {.own = own(json_object()), .height = 1};
    bool done = false;
    yaml_event_t event;
    while (!done && next_event(r, &event)) {
        done = event.type == YAML_MAPPING_END_EVENT;
        bool good = done || read_member(r, &m, &event, depth);
        yaml_event_delete(&event);
        if (!good)
            break;
    }
    buf_free(&m.name);
    if (done && m.merged) { /* a member's own value is stronger than a merged one */
        json_object_update(m.merged, m.own);
        json_decref(m.own);
        return (struct node){m.merged, m.height};
    }
    if (done)
        return (struct node){m.own, m.height};
    json_decref(m.merged);
    json_decref(m.own);
    return FAILED;
}

/* depth: arrays and objects around the node. Recursion is bounded by it. */
static struct node read_node(struct reading *r, const yaml_event_t *event, int depth)
{
    const size_t before = r->cost;
    const yaml_char_t *tag = NULL;
    const char *fitting = NULL;
    size_t anchor = MAP_NONE;
    struct node node;
    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(r, event, depth);
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = open_anchor(r, event->data.scalar.anchor);
        node = read_scalar(r, event);
        close_anchor(r, anchor, node, r->cost - before);
        return node;
    }
    if (depth == JSON_DEPTH_MAX)
        return fail(r, event->start_mark, "the value is nested deeper than 512 levels");
    bool mapping = event->type == YAML_MAPPING_START_EVENT;
    tag = mapping ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    fitting = mapping ? YAML_MAP_TAG : YAML_SEQ_TAG;
    if (tag && strcmp((const char *)tag, fitting) != 0 && strcmp((const char *)tag, "!") != 0)
        return fail(r, event->start_mark, "a tag that is not of the core schema");
    anchor = open_anchor(r, mapping ? event->data.mapping_start.anchor
                                    : event->data.sequence_start.anchor);
    r->cost++;
    node = mapping ? read_mapping(r, depth + 1) : read_sequence(r, depth + 1);
    close_anchor(r, anchor, node, r->cost - before);
    return node;
}

/* ---- documents ------------------------------------------------------------------------------- */

/* Takes events until one that begins a value or ends the stream; a second document is refused. */
static json_t *read_stream(struct reading *r)
{
    json_t *tree = NULL;
    for (bool ended = false; !ended;) {
        yaml_event_t event;
        if (!next_event(r, &event)) {
            json_decref(tree);
            return NULL;
        }
        bool good = true;
        switch (event.type) {
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT: break;
        case YAML_DOCUMENT_START_EVENT:
            if (tree) {
                fail(r, event.start_mark, "a second document; keep one in a file");
                good = false;
            }
            break;
        case YAML_STREAM_END_EVENT: ended = true; break;
        default: tree = read_node(r, &event, 0).tree; good = tree != NULL;
        }
        yaml_event_delete(&event);
        if (!good) {
            json_decref(tree);
            return NULL;
        }
    }
    return tree ? tree : json_null();
}

json_t *json_tree_yaml(struct span s, const char *name, struct error *error)
{
    struct reading r = {.name = name, .error = error};
    if (!yaml_parser_initialize(&r.parser))
        mem_out_of_memory(0);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)(s.ptr ? s.ptr : ""), s.len);
    json_t *tree = read_stream(&r);
    yaml_parser_delete(&r.parser);
    for (size_t i = 0; i < r.count; i++)
        json_decref(r.anchors[i].tree);
    free(r.anchors);
    free(r.newest);
    map_free(&r.anchor_names);
    return tree;
}
