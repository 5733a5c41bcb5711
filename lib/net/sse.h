/* sse.h: server-sent events (WHATWG HTML, "Server-sent events", 9.2.6): bytes in, in pieces of any
 * size; events out. Line ends CR, LF and CRLF; a byte order mark at the start; comments; `data`
 * fields joined by a line feed. `id` and `retry` are read past: nobody here reconnects. */
#ifndef WAI_NET_SSE_H
#define WAI_NET_SSE_H

#include "base/buf.h"

struct sse {
    struct buf line, data, event;
    bool after_cr; /* a line feed that follows belongs to the line before */
    bool has_data; /* the event in hand has a data field, be it empty */
    bool began;    /* past the place of a byte order mark */
    size_t mark;   /* bytes of a byte order mark seen so far */
    bool too_long; /* an event over SSE_EVENT_MAX: nothing is read any more */
};

/* event: its name, "" when it has none ("message" of the specification). Both borrow until it
 * returns. false: no more events are wanted. */
typedef bool sse_event(void *context, struct span event, struct span data);

/* `struct sse s = {0}` is at the start of a stream. false when the reader wanted no more, or when
 * an event is too long (s->too_long). An event that the end of the stream cuts is not given. */
bool sse_feed(struct sse *s, struct span bytes, sse_event *take, void *context);

/* Leaves it at the start of another stream. */
void sse_clear(struct sse *s);
void sse_free(struct sse *s);

#endif
