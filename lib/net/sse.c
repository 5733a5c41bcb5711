/* sse.c: see sse.h. */
#include "net/sse.h"

#include "net/defaults.h"

static const char BYTE_ORDER_MARK[] = "\xEF\xBB\xBF";

static bool dispatch(struct sse *s, sse_event *take, void *context)
{
    bool more = true;
    if (s->has_data) {
        struct span data = buf_span(&s->data);
        data.len--; /* the line feed behind its last field */
        more = take(context, buf_span(&s->event), data);
    }
    buf_clear(&s->data);
    buf_clear(&s->event);
    s->has_data = false;
    return more;
}

static bool line_end(struct sse *s, sse_event *take, void *context)
{
    struct span line = buf_span(&s->line);
    if (line.len == 0)
        return dispatch(s, take, context);
    size_t colon = span_find(line, SPAN(":"), 0);
    struct span field = colon == (size_t)-1 ? line : span_slice(line, 0, colon);
    struct span value =
        colon == (size_t)-1 ? (struct span){0} : span_slice(line, colon + 1, line.len);
    if (value.len && value.ptr[0] == ' ')
        value = span_slice(value, 1, value.len);
    if (span_is(field, "data")) {
        buf_span_add(&s->data, value);
        buf_byte(&s->data, '\n');
        s->has_data = true;
    } else if (span_is(field, "event")) {
        buf_clear(&s->event);
        buf_span_add(&s->event, value);
    }
    buf_clear(&s->line);
    return true;
}

/* The bytes behind a byte order mark at the very start. */
static struct span skip_mark(struct sse *s, struct span bytes)
{
    while (!s->began && bytes.len) {
        if (bytes.ptr[0] == BYTE_ORDER_MARK[s->mark]) {
            bytes = span_slice(bytes, 1, bytes.len);
            s->began = ++s->mark == strlen(BYTE_ORDER_MARK);
        } else {
            buf_add(&s->line, BYTE_ORDER_MARK, s->mark);
            s->began = true;
        }
    }
    return bytes;
}

bool sse_feed(struct sse *s, struct span bytes, sse_event *take, void *context)
{
    bytes = skip_mark(s, bytes);
    for (size_t at = 0; at < bytes.len && !s->too_long;) {
        size_t end = at;
        while (end < bytes.len && bytes.ptr[end] != '\n' && bytes.ptr[end] != '\r')
            end++;
        if (end > at)
            s->after_cr = false;
        buf_add(&s->line, bytes.ptr + at, end - at);
        s->too_long = s->line.len + s->data.len > SSE_EVENT_MAX;
        if (end == bytes.len)
            break;
        at = end + 1;
        bool second_half = bytes.ptr[end] == '\n' && s->after_cr;
        s->after_cr = bytes.ptr[end] == '\r';
        if (!second_half && !s->too_long && !line_end(s, take, context))
            return false;
    }
    return !s->too_long;
}

void sse_clear(struct sse *s)
{
    struct sse fresh = {.line = s->line, .data = s->data, .event = s->event};
    buf_clear(&fresh.line);
    buf_clear(&fresh.data);
    buf_clear(&fresh.event);
    *s = fresh;
}

void sse_free(struct sse *s)
{
    buf_free(&s->line);
    buf_free(&s->data);
    buf_free(&s->event);
    *s = (struct sse){0};
}
