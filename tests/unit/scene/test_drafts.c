/* test_drafts.c: tool schemas drafted from calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene/drafts.h"

static void add(struct drafts *d, const char *tool, const char *arguments)
{
    struct json_value value;
    struct json_fault fault;
    if (arguments)
        assert_int_equal(json_scan(span_text(arguments), &value, NULL, &fault), 0);
    drafts_add(d, span_text(tool), arguments ? &value : NULL);
}

static void is(struct drafts *d, int what, const char *wanted)
{
    struct buf out = {0};
    struct json_writer w;
    json_write_start(&w, &out, JSON_STYLE_COMPACT);
    if (what == 2)
        drafts_write_calls(d, &w);
    else
        drafts_write(d, what == 1, &w);
    assert_string_equal(buf_cstr(&out), wanted);
    buf_free(&out);
}

static void drafted(void **state)
{
    struct drafts d = {0};
    (void)state;
    is(&d, 0, "[]");
    add(&d, " refund ", "{\"order_id\":\"A1\",\"amount\":3}");
    add(&d, "refund", "\"{\\\"order_id\\\":\\\"A2\\\"}\"");
    add(&d, "look", "{\"b\":true,\"a\":null,\"b\":false,\"n\":1.5,\"l\":[],\"o\":{}}");
    add(&d, "look", "{\"b\":false,\"a\":1,\"n\":2,\"l\":[1],\"o\":{}}");
    add(&d, "bare", NULL);
    add(&d, "bare", "\"no object\"");
    add(&d, "bare", "[1]");
    add(&d, "  ", "{}");
    is(&d, 2, "{\"bare\":3,\"look\":2,\"refund\":2}");
    is(&d, 0,
       "[{\"type\":\"function\",\"function\":{\"name\":\"bare\",\"parameters\":{\"type\":"
       "\"object\","
       "\"properties\":{},\"required\":[]}}},"
       "{\"type\":\"function\",\"function\":{\"name\":\"look\",\"parameters\":{\"type\":\"object\","
       "\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"boolean\"},"
       "\"l\":{\"type\":\"array\"},\"n\":{\"type\":\"number\"},\"o\":{\"type\":\"object\"}},"
       "\"required\":[\"a\",\"b\",\"l\",\"n\",\"o\"]}}},"
       "{\"type\":\"function\",\"function\":{\"name\":\"refund\",\"parameters\":{\"type\":"
       "\"object\",\"properties\":{\"amount\":{\"type\":\"number\"},\"order_id\":{\"type\":"
       "\"string\"}},\"required\":[\"order_id\"]}}}]");
    drafts_free(&d);
    add(&d, "x", "{\"q\":1}");
    is(&d, 1,
       "[{\"type\":\"function\",\"function\":{\"name\":\"x\",\"description\":\"Called in the "
       "traces; "
       "nothing more is known of it.\",\"parameters\":{\"type\":\"object\",\"properties\":{\"q\":"
       "{\"type\":\"string\"}}}},\"drafted\":true}]");
    drafts_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drafted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
