/* Server-sent events: fields, line ends, and pieces cut at any byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "net/defaults.h"
#include "net/sse.h"

static struct buf got;
static size_t events, stop_at;

static bool take(void *context, struct span event, struct span data)
{
    (void)context;
    buf_byte(&got, '[');
    buf_span_add(&got, event);
    buf_byte(&got, '|');
    buf_span_add(&got, data);
    buf_byte(&got, ']');
    return ++events != stop_at;
}

static const char *fed(struct span stream, size_t piece)
{
    struct sse s = {0};
    buf_clear(&got);
    events = 0;
    for (size_t at = 0; at < stream.len; at += piece) {
        size_t end = at + piece < stream.len ? at + piece : stream.len;
        if (!sse_feed(&s, span_slice(stream, at, end), take, NULL))
            break;
    }
    sse_free(&s);
    return buf_cstr(&got);
}

static void test_streams(void **state)
{
    (void)state;
    static const struct {
        const char *stream, *events;
    } CASES[] = {
        {"data: a\n\n", "[|a]"},
        {"data:a\n\ndata: b\n\n", "[|a][|b]"},
        {"data: a\ndata: b\n\n", "[|a\nb]"},
        {"data:  a\n\n", "[| a]"},
        {"event: x\ndata: a\n\ndata: b\n\n", "[x|a][|b]"},
        {"event: x\n\ndata: b\n\n", "[|b]"},
        {"data\n\n", "[|]"},
        {"data:\ndata:\n\n", "[|\n]"},
        {": comment\nid: 3\nretry: 5\nother: z\ndata: a\n\n", "[|a]"},
        {"data: a\r\n\r\ndata: b\r\rdata: c\n\n", "[|a][|b][|c]"},
        {"\xEF\xBB\xBF"
         "data: a\n\n",
         "[|a]"},
        {"\xEF\xBB"
         "data: a\n\ndata: b\n\n",
         "[|b]"},
        {"data: cut", ""},
        {"data: cut\n", ""},
        {"\n\n\n", ""},
        {"data: {\"a\": \"b: c\"}\n\n", "[|{\"a\": \"b: c\"}]"},
    };
    stop_at = 0;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        for (size_t piece = 1; piece < 40; piece++)
            assert_string_equal(fed(span_text(CASES[i].stream), piece), CASES[i].events);
}

static void test_stops(void **state)
{
    (void)state;
    stop_at = 2;
    assert_string_equal(fed(SPAN("data: a\n\ndata: b\n\ndata: c\n\n"), 100), "[|a][|b]");
    stop_at = 0;
    buf_free(&got);
}

static void test_too_long(void **state)
{
    (void)state;
    struct sse s = {0};
    size_t size = (size_t)1 << 20;
    char *piece = malloc(size);
    bool more = true;
    memset(piece, 'a', size);
    for (size_t sent = 0; more && sent <= SSE_EVENT_MAX; sent += size)
        more = sse_feed(&s, span_make(piece, size), take, NULL);
    assert_false(more);
    assert_true(s.too_long);
    sse_clear(&s);
    assert_true(sse_feed(&s, SPAN("data: a\n\n"), take, NULL));
    assert_string_equal(buf_cstr(&got), "[|a]");
    sse_free(&s);
    buf_free(&got);
    free(piece);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_streams), cmocka_unit_test(test_stops),
                                       cmocka_unit_test(test_too_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
