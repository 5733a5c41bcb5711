/* config_text.c: a tree of keys as TOML (toml.io 1.0) and as flat YAML. */
#include <stdio.h>

#include "export/config_inside.h"
#include "text/number.h"
#include "text/utf8.h"
#include "json/write.h"

/* A TOML basic string: a JSON string but for U+007F and lone surrogates, which it may not hold. */
void config_toml_text(struct buf *out, const char *text, size_t len)
{
    struct buf quoted = {0};
    json_quote(&quoted, span_make(text, len));
    struct span s = buf_span(&quoted);
    for (size_t i = 0; i < s.len; i++) {
        bool surrogate = s.ptr[i] == '\\' && s.len - i >= 6 && s.ptr[i + 1] == 'u' &&
                         (s.ptr[i + 2] | 32) == 'd' && s.ptr[i + 3] >= '8';
        if (surrogate) {
            buf_text(out, "\\uFFFD");
            i += 5;
        } else if (s.ptr[i] == '\\') {
            buf_add(out, s.ptr + i, 2);
            i++;
        } else if (s.ptr[i] == 0x7f) {
            buf_text(out, "\\u007F");
        } else {
            buf_byte(out, s.ptr[i]);
        }
    }
    buf_free(&quoted);
}

static void toml_key(struct buf *out, const char *key, size_t len)
{
    bool bare = len > 0;
    for (size_t i = 0; i < len; i++) {
        char c = key[i];
        bare = bare && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '-');
    }
    if (bare)
        buf_add(out, key, len);
    else
        config_toml_text(out, key, len);
}

static bool is_table(const json_t *value)
{
    return json_is_object(value);
}

/* An array that stands as [[tables]]. */
static bool is_tables(const json_t *value)
{
    size_t n = json_is_array(value) ? json_array_size(value) : 0;
    for (size_t i = 0; i < n; i++)
        if (!json_is_object(json_array_get(value, i)))
            return false;
    return n > 0;
}

static void toml_value(struct buf *out, const json_t *value);

static void toml_inline(struct buf *out, const json_t *table)
{
    const char *key;
    size_t len;
    json_t *value;
    const char *between = "";
    buf_text(out, "{");
    json_object_keylen_foreach((json_t *)table, key, len, value)
    {
        buf_text(out, between);
        toml_key(out, key, len);
        buf_text(out, " = ");
        toml_value(out, value);
        between = ", ";
    }
    buf_text(out, "}");
}

/* The depth is that of JSON text that the scanner took, which bounds it. */
static void toml_value(struct buf *out, const json_t *value)
{
    if (json_is_string(value)) {
        config_toml_text(out, json_string_value(value), json_string_length(value));
    } else if (json_is_integer(value)) {
        buf_format(out, "%lld", (long long)json_integer_value(value));
    } else if (json_is_real(value)) {
        number_add(out, json_real_value(value));
    } else if (json_is_array(value)) {
        buf_byte(out, '[');
        for (size_t i = 0; i < json_array_size(value); i++) {
            buf_text(out, i ? ", " : "");
            toml_value(out, json_array_get(value, i));
        }
        buf_byte(out, ']');
    } else if (json_is_object(value)) {
        toml_inline(out, value);
    } else {
        buf_text(out, json_is_true(value) ? "true" : "false");
    }
}

static const char *comment_of(const char *const (*comments)[2], const char *path)
{
    for (size_t i = 0; comments[i][0]; i++)
        if (strcmp(comments[i][0], path) == 0)
            return comments[i][1];
    return NULL;
}

struct toml {
    struct buf *out;
    const char *const (*comments)[2]; /* dotted path, remark behind the value; ends with NULL */
};

static size_t enter(struct buf *path, const char *key, size_t len)
{
    size_t before = path->len;
    if (before)
        buf_byte(path, '.');
    toml_key(path, key, len);
    return before;
}

static void toml_line(struct toml *t, const char *name, const char *path, const json_t *value)
{
    const char *comment = comment_of(t->comments, path);
    buf_format(t->out, "%s = ", name);
    toml_value(t->out, value);
    if (comment)
        buf_format(t->out, "  # %s", comment);
    buf_byte(t->out, '\n');
}

/* Scalars of a table and of the tables in it, dotted: the inside of one [[entry]]. */
static void toml_dotted(struct toml *t, const json_t *table, struct buf *path)
{
    const char *key;
    size_t len;
    json_t *value;
    json_object_keylen_foreach((json_t *)table, key, len, value)
    {
        size_t before = enter(path, key, len);
        if (is_table(value) && json_object_size(value))
            toml_dotted(t, value, path);
        else
            toml_line(t, buf_cstr(path), "", value);
        path->len = before;
    }
}

static void toml_table(struct toml *t, const json_t *table, struct buf *path)
{
    const char *key;
    size_t len;
    json_t *value;
    size_t scalars = 0;
    json_object_keylen_foreach((json_t *)table, key, len, value) scalars +=
        !is_table(value) && !is_tables(value);
    if (path->len && (scalars || !json_object_size(table)))
        buf_format(t->out, "\n[%s]\n", buf_cstr(path));
    json_object_keylen_foreach((json_t *)table, key, len, value)
    {
        struct buf name = {0};
        size_t before = enter(path, key, len);
        toml_key(&name, key, len);
        if (!is_table(value) && !is_tables(value))
            toml_line(t, buf_cstr(&name), buf_cstr(path), value);
        path->len = before;
        buf_free(&name);
    }
    json_object_keylen_foreach((json_t *)table, key, len, value)
    {
        size_t before = enter(path, key, len);
        if (is_table(value))
            toml_table(t, value, path);
        path->len = before;
    }
    json_object_keylen_foreach((json_t *)table, key, len, value)
    {
        size_t before = enter(path, key, len);
        for (size_t i = 0; is_tables(value) && i < json_array_size(value); i++) {
            struct buf inside = {0};
            buf_format(t->out, "\n[[%s]]\n", buf_cstr(path));
            toml_dotted(t, json_array_get(value, i), &inside);
            buf_free(&inside);
        }
        path->len = before;
    }
}

void config_toml(const json_t *tree, const char *const (*comments)[2], struct buf *out)
{
    struct toml t = {out, comments};
    struct buf path = {0};
    toml_table(&t, tree, &path);
    buf_free(&path);
}

/* ---- YAML: keys of one level; values as JSON, which YAML is a superset of ------------------------ */

/* YAML 1.1, which Python reads, takes 1e-05 for a text: a real needs its point. */
static void yaml_real(struct buf *out, double value)
{
    struct buf text = {0};
    number_add(&text, value);
    struct span s = buf_span(&text);
    size_t e = span_find(s, SPAN("e"), 0);
    if (e != (size_t)-1 && !span_has(s, SPAN("."))) {
        buf_span_add(out, span_slice(s, 0, e));
        buf_text(out, ".0");
        s = span_slice(s, e, s.len);
    }
    buf_span_add(out, s);
    buf_free(&text);
}

static void yaml_value(struct buf *out, const json_t *value)
{
    if (json_is_real(value)) {
        yaml_real(out, json_real_value(value));
    } else if (json_is_array(value)) {
        buf_byte(out, '[');
        for (size_t i = 0; i < json_array_size(value); i++) {
            buf_text(out, i ? ", " : "");
            yaml_value(out, json_array_get(value, i));
        }
        buf_byte(out, ']');
    } else if (json_is_object(value)) {
        const char *key, *between = "";
        size_t len;
        json_t *inner;
        buf_byte(out, '{');
        json_object_keylen_foreach((json_t *)value, key, len, inner)
        {
            buf_text(out, between);
            json_quote(out, span_make(key, len));
            buf_text(out, ": ");
            yaml_value(out, inner);
            between = ", ";
        }
        buf_byte(out, '}');
    } else if (json_is_null(value)) {
        buf_text(out, "null");
    } else {
        toml_value(out, value); /* texts, integers and booleans are written alike */
    }
}

void config_yaml(const json_t *tree, struct buf *out)
{
    const char *key;
    size_t len;
    json_t *value;
    json_object_keylen_foreach((json_t *)tree, key, len, value)
    {
        toml_key(out, key, len); /* a bare key, or a quoted one: the same in YAML */
        buf_text(out, ": ");
        yaml_value(out, value);
        buf_byte(out, '\n');
    }
}
