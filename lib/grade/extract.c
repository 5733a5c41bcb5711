/* extract.c: finds JSON and fenced code in a reply (grade 5.5). */
#include "grade/extract.h"

#include <ctype.h>
#include <stdint.h>

#include "text/fold.h"

static const struct span FENCE = {"```", 3};

/* NaN and infinities anywhere in a validated value. Depth is bounded by the scanner. */
static bool has_nonfinite(struct json_value value)
{
    if (value.type == JSON_VALUE_NUMBER)
        return value.flags & JSON_FLAG_NONFINITE;
    struct json_cursor c = json_enter(value);
    struct json_value item;
    struct json_member member;
    if (value.type == JSON_VALUE_ARRAY)
        while (json_next_item(&c, &item))
            if (has_nonfinite(item))
                return true;
    if (value.type == JSON_VALUE_OBJECT)
        while (json_next_member(&c, &member))
            if (has_nonfinite(member.value))
                return true;
    return false;
}

static bool parse(struct span text, struct json_value *value)
{
    struct json_fault fault;
    if (json_scan(text, value, NULL, &fault))
        return false;
    bool suspect = span_has(value->text, SPAN("N")) || span_has(value->text, SPAN("I"));
    return !suspect || !has_nonfinite(*value);
}

/* Inside of the first fence, its `json` tag taken off. */
static bool first_fence(struct span text, struct span *inside)
{
    size_t open = span_find(text, FENCE, 0);
    size_t close = open == SIZE_MAX ? SIZE_MAX : span_find(text, FENCE, open + 3);
    if (close == SIZE_MAX)
        return false;
    struct span s = text_strip(span_slice(text, open + 3, close));
    if (s.len >= 4 && tolower((unsigned char)s.ptr[0]) == 'j' &&
        tolower((unsigned char)s.ptr[1]) == 's' && tolower((unsigned char)s.ptr[2]) == 'o' &&
        tolower((unsigned char)s.ptr[3]) == 'n')
        s = span_slice(s, 4, s.len);
    *inside = text_strip(s);
    return true;
}

static bool widest(struct span text, char open, char close, struct span *found)
{
    const char *first = text.len ? memchr(text.ptr, open, text.len) : NULL;
    const char *last = first ? memrchr(text.ptr, close, text.len) : NULL;
    if (!last || last < first)
        return false;
    *found = span_make(first, (size_t)(last - first) + 1);
    return true;
}

bool extract_json(struct span text, struct buf *scratch, struct json_value *value)
{
    buf_clear(scratch);
    buf_span_add(scratch, text_strip(text));
    struct span s = buf_span(scratch), inside, object, array;
    if (first_fence(s, &inside) && parse(inside, value))
        return true;
    if (parse(s, value))
        return true;
    bool braces = widest(s, '{', '}', &object), brackets = widest(s, '[', ']', &array);
    if (braces && (!brackets || object.ptr < array.ptr))
        return parse(object, value);
    return brackets && parse(array, value);
}

static bool same_tag(struct span tag, struct span wanted)
{
    tag = text_strip(tag);
    if (tag.len != wanted.len)
        return false;
    for (size_t i = 0; i < tag.len; i++)
        if (tolower((unsigned char)tag.ptr[i]) != tolower((unsigned char)wanted.ptr[i]))
            return false;
    return true;
}

struct span extract_fence(struct span text, struct span wanted)
{
    struct span found = {0};
    size_t open = span_find(text, FENCE, 0);
    while (open != SIZE_MAX) {
        size_t close = span_find(text, FENCE, open + 3);
        if (close == SIZE_MAX)
            break;
        struct span inside = span_slice(text, open + 3, close);
        const char *line = inside.len ? memchr(inside.ptr, '\n', inside.len) : NULL;
        struct span tag = line ? span_make(inside.ptr, (size_t)(line - inside.ptr)) : SPAN("");
        struct span body = line ? span_slice(inside, tag.len + 1, inside.len) : inside;
        if (same_tag(tag, wanted))
            found = body;
        open = span_find(text, FENCE, close + 3);
    }
    return found;
}
