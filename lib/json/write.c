/* write.c: see write.h. */
#include "json/write.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "text/number.h"

enum { INDENT = 2 }; /* spaces a level */

void json_write_start(struct json_writer *w, struct buf *out, enum json_style style)
{
    *w = (struct json_writer){.out = out, .style = style, .first = true};
}

static void new_line(struct json_writer *w)
{
    size_t spaces = (size_t)w->depth * INDENT;
    char *to = buf_reserve(w->out, spaces + 1);
    to[0] = '\n';
    memset(to + 1, ' ', spaces);
    w->out->len += spaces + 1;
}

/* What stands between the element before and this one. */
static void separate(struct json_writer *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (!w->first)
        buf_byte(w->out, ',');
    if (w->style == JSON_STYLE_INDENTED && w->depth > 0)
        new_line(w);
    else if (w->style == JSON_STYLE_SPACED && !w->first)
        buf_byte(w->out, ' ');
    w->first = false;
}

static void open_container(struct json_writer *w, char bracket)
{
    separate(w);
    buf_byte(w->out, bracket);
    w->depth++;
    w->first = true;
}

static void close_container(struct json_writer *w, char bracket)
{
    w->depth--;
    if (w->style == JSON_STYLE_INDENTED && !w->first)
        new_line(w);
    buf_byte(w->out, bracket);
    w->first = false;
}

void json_write_object(struct json_writer *w)
{
    open_container(w, '{');
}

void json_write_array(struct json_writer *w)
{
    open_container(w, '[');
}

void json_write_end_object(struct json_writer *w)
{
    close_container(w, '}');
}

void json_write_end_array(struct json_writer *w)
{
    close_container(w, ']');
}

void json_write_key_span(struct json_writer *w, struct span key)
{
    separate(w);
    json_quote(w->out, key);
    buf_byte(w->out, ':');
    if (w->style != JSON_STYLE_COMPACT)
        buf_byte(w->out, ' ');
    w->after_key = true;
}

void json_write_key(struct json_writer *w, const char *key)
{
    json_write_key_span(w, span_text(key));
}

void json_write_raw(struct json_writer *w, struct span json)
{
    separate(w);
    buf_span_add(w->out, json);
}

void json_write_member(struct json_writer *w, const struct json_member *m)
{
    separate(w);
    buf_byte(w->out, '"');
    buf_span_add(w->out, m->key);
    buf_text(w->out, w->style == JSON_STYLE_COMPACT ? "\":" : "\": ");
    w->after_key = true;
    json_write_raw(w, m->value.text);
}

void json_write_null(struct json_writer *w)
{
    json_write_raw(w, SPAN("null"));
}

void json_write_bool(struct json_writer *w, bool value)
{
    json_write_raw(w, value ? SPAN("true") : SPAN("false"));
}

void json_write_int(struct json_writer *w, int64_t value)
{
    separate(w);
    buf_format(w->out, "%" PRId64, value);
}

void json_write_count(struct json_writer *w, const char *key, uint64_t count)
{
    json_write_key(w, key);
    json_write_int(w, (int64_t)count);
}

void json_write_real(struct json_writer *w, double value)
{
    if (!isfinite(value)) {
        json_write_null(w);
        return;
    }
    separate(w);
    number_add(w->out, value);
}

void json_write_span(struct json_writer *w, struct span utf8)
{
    separate(w);
    json_quote(w->out, utf8);
}

void json_write_text(struct json_writer *w, const char *utf8)
{
    json_write_span(w, span_text(utf8));
}

void json_compact(struct span json, struct buf *out)
{
    bool quoted = false;
    char *to = buf_reserve(out, json.len);
    for (size_t i = 0; i < json.len; i++) {
        char c = json.ptr[i];
        if (!quoted && (c == ' ' || c == '\n' || c == '\r' || c == '\t'))
            continue;
        *to++ = c;
        if (quoted && c == '\\' && i + 1 < json.len)
            *to++ = json.ptr[++i];
        else if (c == '"')
            quoted = !quoted;
    }
    out->len = (size_t)(to - out->data);
}
