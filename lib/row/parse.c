/* parse.c: JSON text inside a string, read as a value without a tree. */
#include "row/parse.h"

#include "row/defaults.h"

/* The scanner accepts what Python writes for non-finite numbers; a value inside a string must not
 * hold them. */
static bool has_nonfinite(struct json_value value)
{
    if (value.type == JSON_VALUE_NUMBER)
        return value.flags & JSON_FLAG_NONFINITE;
    if (value.type != JSON_VALUE_ARRAY && value.type != JSON_VALUE_OBJECT)
        return false;
    /* Outside strings only these names hold an N or an I. */
    bool inside = false;
    for (size_t i = 0; i < value.text.len; i++) {
        char c = value.text.ptr[i];
        if (inside && c == '\\')
            i++;
        else if (c == '"')
            inside = !inside;
        else if (!inside && (c == 'N' || c == 'I'))
            return true;
    }
    return false;
}

static bool too_deep(struct span text)
{
    if (text.len <= 2 * ROW_PARSE_DEPTH)
        return false;
    size_t depth = 0;
    bool inside = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (inside) {
            if (c == '\\')
                i++;
            else if (c == '"')
                inside = false;
        } else if (c == '"') {
            inside = true;
        } else if (c == '[' || c == '{') {
            if (++depth > ROW_PARSE_DEPTH)
                return true;
        } else if (c == ']' || c == '}') {
            depth--;
        }
    }
    return false;
}

/* Writes the three bytes of lone surrogates as escapes, which is how JSON can hold them. */
static bool escape_surrogates(struct span text, struct buf *out)
{
    bool found = false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == 0xed && i + 2 < text.len && (unsigned char)text.ptr[i + 1] >= 0xa0) {
            unsigned point = 0xd000u | ((unsigned char)text.ptr[i + 1] & 0x3fu) << 6 |
                             ((unsigned char)text.ptr[i + 2] & 0x3fu);
            buf_format(out, "\\u%04x", point);
            i += 2;
            found = true;
        } else {
            buf_byte(out, (char)c);
        }
    }
    return found;
}

static bool could_be_json(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
            return c == '{' || c == '[' || c == '"' || c == '-' || (c >= '0' && c <= '9') ||
                   c == 't' || c == 'f' || c == 'n';
    }
    return false;
}

static bool scan(struct span text, struct json_value *value)
{
    struct json_fault fault;
    return json_scan(text, value, NULL, &fault) == 0 && !has_nonfinite(*value) && !too_deep(text);
}

/* The text on one line: a value goes into a row, which is a line. Raw line ends stand only between
 * tokens. */
static struct span one_line(struct arena *arena, struct span text)
{
    if (!memchr(text.ptr, '\n', text.len) && !memchr(text.ptr, '\r', text.len))
        return text;
    char *to = arena_alloc(arena, text.len);
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '\n' && text.ptr[i] != '\r')
            to[n++] = text.ptr[i];
    return span_make(to, n);
}

/* text lives as long as the arena. */
static bool parse_kept(struct arena *arena, struct span text, struct json_value *value)
{
    text = one_line(arena, text);
    if (scan(text, value))
        return true;
    if (!memchr(text.ptr, 0xed, text.len))
        return false;
    struct buf escaped = {0};
    bool ok = false;
    if (escape_surrogates(text, &escaped))
        ok = scan(arena_span(arena, buf_span(&escaped)), value);
    buf_free(&escaped);
    return ok;
}

bool row_parse_span(struct arena *arena, struct span text, struct json_value *value)
{
    return could_be_json(text) && parse_kept(arena, arena_span(arena, text), value);
}

bool row_parse_text(struct arena *arena, struct json_value string, struct json_value *value)
{
    if (string.type != JSON_VALUE_STRING)
        return false;
    struct span inner = span_slice(string.text, 1, string.text.len - 1);
    if (!(string.flags & JSON_FLAG_ESCAPED))
        return could_be_json(inner) && parse_kept(arena, inner, value);
    /* An escape in front of the first character of a value cannot be told here: decode then. */
    if (inner.ptr[0] != '\\' && !could_be_json(inner))
        return false;
    struct buf decoded = {0};
    bool ok = row_parse_span(arena, json_text(string, &decoded), value);
    buf_free(&decoded);
    return ok;
}

bool row_parse_object(struct arena *arena, struct json_value value, struct json_value *object)
{
    *object = value;
    if (value.type == JSON_VALUE_OBJECT)
        return true;
    return row_parse_text(arena, value, object) && object->type == JSON_VALUE_OBJECT;
}
