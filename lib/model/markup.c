/* markup.c: see markup.h. */
#include "model/markup.h"

#include "model/defaults.h"
#include "row/parse.h"
#include "text/fold.h"
#include "text/utf8.h"
#include "json/pyjson.h"

static const struct span OPEN = {"<tool_call>", 11}, CLOSE = {"</tool_call>", 12};

enum { CUT_KEEPS = 40 }; /* characters; a shorter head is no reply (world 8.7) */

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The next block's inside. When no block of the text closes, each runs to the end (whole false). */
static bool next_block(struct span text, bool whole, size_t *at, struct span *inside)
{
    size_t open = span_find(text, OPEN, *at);
    if (open == (size_t)-1)
        return false;
    size_t from = open + OPEN.len;
    size_t close = whole ? span_find(text, CLOSE, from) : text.len;
    if (close == (size_t)-1)
        return false;
    *inside = span_slice(text, from, close);
    *at = whole ? close + CLOSE.len : from;
    return true;
}

/* ",  ," is one comma: a slip of small models that is worth reading over. */
static struct span without_double_commas(struct span s, struct buf *out)
{
    buf_clear(out);
    for (size_t i = 0; i < s.len; i++) {
        buf_byte(out, s.ptr[i]);
        if (s.ptr[i] != ',')
            continue;
        size_t next = i + 1;
        while (next < s.len && strchr(" \t\r\n\f\v", s.ptr[next]) && s.ptr[next])
            next++;
        if (next < s.len && s.ptr[next] == ',')
            i = next; /* the second comma of the pair */
    }
    return text_strip(buf_span(out));
}

static bool first_text(struct json_value object, const char *one, const char *other,
                       struct json_value *value)
{
    return (json_get(object, span_text(one), value) && json_truthy(*value)) ||
           (json_get(object, span_text(other), value) && json_truthy(*value));
}

static struct span arguments_text(struct arena *arena, struct json_value object)
{
    struct json_value value, inner;
    struct buf text = {0};
    if (!first_text(object, "arguments", "args", &value))
        buf_text(&text, "{}");
    else if (value.type != JSON_VALUE_STRING)
        json_pyjson(value, &text);
    else if (row_parse_text(arena, value, &inner))
        json_pyjson(inner, &text);
    else
        buf_text(&text, "{}");
    struct span kept = arena_span(arena, buf_span(&text));
    buf_free(&text);
    return kept;
}

static bool read_block(struct arena *arena, struct span inside, size_t number,
                       struct chat_call *call, struct buf *scratch)
{
    struct json_value object, name;
    struct json_fault fault;
    struct buf text = {0};
    struct span json = arena_span(arena, without_double_commas(inside, scratch));
    if (json_scan(json, &object, NULL, &fault) < 0 || object.type != JSON_VALUE_OBJECT ||
        !first_text(object, "name", "tool", &name) || name.type != JSON_VALUE_STRING)
        return false;
    json_text_add(name, &text);
    call->name = arena_span(arena, buf_span(&text));
    call->arguments = arguments_text(arena, object);
    buf_clear(&text);
    buf_format(&text, "call_%zu", number);
    call->id = arena_span(arena, buf_span(&text));
    buf_free(&text);
    return true;
}

size_t markup_calls(struct arena *arena, struct span text, struct chat_call **calls)
{
    struct buf scratch = {0};
    struct span inside;
    size_t at = 0, blocks = 0, found = 0;
    bool whole = next_block(text, true, &at, &inside);
    for (at = 0; blocks < CHAT_CALLS_MAX && next_block(text, whole, &at, &inside);)
        blocks++;
    *calls = blocks ? arena_zero(arena, blocks * sizeof **calls) : NULL;
    at = 0;
    for (size_t i = 0; i < blocks && next_block(text, whole, &at, &inside); i++)
        found += read_block(arena, inside, i, &(*calls)[found], &scratch);
    buf_free(&scratch);
    return found;
}

struct span markup_strip(struct span text, struct buf *scratch)
{
    struct span inside;
    size_t at = 0, from = 0;
    if (span_find(text, SPAN("tool_call>"), 0) == (size_t)-1)
        return text_strip(text);
    buf_clear(scratch);
    while (next_block(text, true, &at, &inside)) { /* whole blocks */
        size_t open = (size_t)(inside.ptr - text.ptr) - OPEN.len;
        buf_span_add(scratch, span_slice(text, from, open));
        from = at;
    }
    buf_span_add(scratch, span_slice(text, from, text.len));
    size_t kept = 0;
    for (size_t i = 0; i < scratch->len;) { /* stray tags */
        struct span rest = span_make(scratch->data + i, scratch->len - i);
        if (span_starts(rest, OPEN))
            i += OPEN.len;
        else if (span_starts(rest, CLOSE))
            i += CLOSE.len;
        else
            scratch->data[kept++] = scratch->data[i++];
    }
    scratch->len = kept;
    return text_strip(buf_span(scratch));
}

struct span markup_trim_cut(struct span text)
{
    struct span start = text_strip(text);
    if (start.len && (start.ptr[0] == '{' || start.ptr[0] == '['))
        return text;
    for (size_t i = text.len; i-- > 0;)
        if (strchr(".!?", text.ptr[i]) && text.ptr[i])
            return utf8_length(span_slice(text, 0, i)) > CUT_KEEPS ? span_slice(text, 0, i + 1)
                                                                   : text;
    return text;
}
