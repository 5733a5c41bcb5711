/* Server-sent events: the first byte says where the stream is cut in pieces; the events must not
 * depend on it. */
#include <stdint.h>
#include <stdlib.h>

#include "net/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool take(void *context, struct span event, struct span bytes)
{
    struct buf *out = context;
    buf_span_add(out, event);
    buf_byte(out, '|');
    buf_span_add(out, bytes);
    buf_byte(out, '\n');
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct buf whole = {0}, pieces = {0};
    struct sse a = {0}, b = {0};
    size_t step = data[0] % 17 + 1;
    struct span stream = {(const char *)data + 1, size - 1};
    sse_feed(&a, stream, take, &whole);
    for (size_t at = 0; at < stream.len; at += step)
        sse_feed(&b, span_slice(stream, at, at + step < stream.len ? at + step : stream.len), take,
                 &pieces);
    if (!span_equal(buf_span(&whole), buf_span(&pieces)))
        abort();
    buf_free(&whole);
    buf_free(&pieces);
    sse_free(&a);
    sse_free(&b);
    return 0;
}
