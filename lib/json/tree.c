/* tree.c: jansson trees from validated values and back; see tree.h. */
#include "json/tree.h"

#include <math.h>

#include "json/decode.h"
#include "json/defaults.h"
#include "json/scan_path.h"
#include "json/write.h"

#include "base/file.h"

/* ---- value to tree --------------------------------------------------------------------------- */

struct reading {
    const char *at, *end;
    struct buf scratch, key;
};

static void skip_space(struct reading *r)
{
    while (r->at < r->end && scan_space(*r->at))
        r->at++;
}

static struct span read_text(struct reading *r, struct buf *scratch)
{
    uint8_t flags;
    const char *start = r->at;
    r->at = string_skip(start, r->end, &flags);
    struct span raw = span_make(start + 1, (size_t)(r->at - start - 2));
    if (!(flags & JSON_FLAG_ESCAPED))
        return raw;
    buf_clear(scratch);
    decode_add(raw, scratch);
    return buf_span(scratch);
}

static json_t *own(json_t *tree)
{
    if (!tree)
        mem_out_of_memory(0);
    return tree;
}

static json_t *real(double x)
{
    return isfinite(x) ? own(json_real(x)) : json_null();
}

static json_t *text(struct span s)
{
    return own(json_stringn_nocheck(s.ptr ? s.ptr : "", s.len));
}

static json_t *number(struct json_value value)
{
    int64_t integer;
    if (json_int64(value, &integer))
        return own(json_integer(integer));
    return real(json_number(value));
}

static json_t *read_value(struct reading *r);

static json_t *read_array(struct reading *r)
{
    json_t *array = own(json_array());
    r->at++;
    for (skip_space(r); *r->at != ']'; skip_space(r)) {
        if (*r->at == ',')
            r->at++;
        if (json_array_append_new(array, read_value(r)) < 0)
            mem_out_of_memory(0);
    }
    r->at++;
    return array;
}

static json_t *read_object(struct reading *r)
{
    json_t *object = own(json_object());
    r->at++;
    for (skip_space(r); *r->at != '}'; skip_space(r)) {
        if (*r->at == ',')
            r->at++;
        skip_space(r);
        struct span name = read_text(r, &r->key);
        struct buf kept = {0};
        if (name.ptr == r->key.data) { /* decoded: the value's own names would overwrite it */
            kept = r->key;
            r->key = (struct buf){0};
        }
        skip_space(r);
        r->at++; /* the colon */
        if (json_object_setn_new_nocheck(object, name.ptr, name.len, read_value(r)) < 0)
            mem_out_of_memory(0);
        buf_free(&kept);
    }
    r->at++;
    return object;
}

/* Recursion is bounded by the depth that the scanner accepts. */
static json_t *read_value(struct reading *r)
{
    skip_space(r);
    const char *start = r->at;
    switch (*start) {
    case '{': return read_object(r);
    case '[': return read_array(r);
    case '"': return text(read_text(r, &r->scratch));
    }
    struct json_value value = {.type = JSON_VALUE_NUMBER};
    r->at = value_skip(start, r->end, &value.flags);
    value.text = span_make(start, (size_t)(r->at - start));
    switch (*start) {
    case 't': return json_true();
    case 'f': return json_false();
    case 'n': return json_null();
    default: return number(value);
    }
}

json_t *json_tree(struct json_value value)
{
    if (!value.text.ptr) /* a value that is not there */
        return json_null();
    struct reading r = {.at = value.text.ptr, .end = value.text.ptr + value.text.len};
    json_t *tree = read_value(&r);
    buf_free(&r.scratch);
    buf_free(&r.key);
    return tree;
}

/* ---- tree to text ---------------------------------------------------------------------------- */

static void write_tree(struct json_writer *w, const json_t *tree)
{
    switch (json_typeof(tree)) {
    case JSON_OBJECT: {
        json_write_object(w);
        json_t *object = (json_t *)tree; /* jansson's iterators are not const */
        for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
            json_write_key_span(w,
                                span_make(json_object_iter_key(at), json_object_iter_key_len(at)));
            write_tree(w, json_object_iter_value(at));
        }
        json_write_end_object(w);
        break;
    }
    case JSON_ARRAY:
        json_write_array(w);
        for (size_t i = 0; i < json_array_size(tree); i++)
            write_tree(w, json_array_get(tree, i));
        json_write_end_array(w);
        break;
    case JSON_STRING:
        json_write_span(w, span_make(json_string_value(tree), json_string_length(tree)));
        break;
    case JSON_INTEGER: json_write_int(w, json_integer_value(tree)); break;
    case JSON_REAL: json_write_real(w, json_real_value(tree)); break;
    case JSON_TRUE: json_write_bool(w, true); break;
    case JSON_FALSE: json_write_bool(w, false); break;
    case JSON_NULL: json_write_null(w); break;
    }
}

void json_tree_write(const json_t *tree, struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    if (tree)
        write_tree(&w, tree);
    else
        json_write_null(&w);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Line and column, both from 1, of a byte. */
static void place(struct span s, size_t offset, size_t *line, size_t *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset && i < s.len; i++) {
        if (s.ptr[i] == '\n') {
            ++*line;
            *column = 1;
        } else if (((unsigned char)s.ptr[i] & 0xC0) != 0x80) {
            ++*column;
        }
    }
}

static json_t *tree_json(struct span s, const char *name, struct error *error)
{
    struct json_value value;
    struct json_fault fault;
    if (span_starts(s, SPAN("\xEF\xBB\xBF")))
        s = span_slice(s, 3, s.len);
    if (json_scan(s, &value, NULL, &fault) == 0)
        return json_tree(value);
    size_t line, column;
    place(s, fault.offset, &line, &column);
    error_set(error, ERROR_INPUT, "%s:%zu: %s (column %zu); mend the JSON", name, line, fault.what,
              column);
    return NULL;
}

json_t *json_tree_file(const char *path, struct error *error)
{
    struct buf bytes = {0};
    json_t *tree = NULL;
    if (file_read(path, JSON_FILE_MAX, &bytes, error) == 0) {
        struct span name = span_text(path);
        if (span_ends(name, SPAN(".yaml")) || span_ends(name, SPAN(".yml")))
            tree = json_tree_yaml(buf_span(&bytes), path, error);
        else
            tree = tree_json(buf_span(&bytes), path, error);
    }
    buf_free(&bytes);
    return tree;
}
