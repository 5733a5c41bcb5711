/* test_write.c: the writer and the quoting of texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "help.h"
#include "json/write.h"

static void write_sample(struct buf *out, enum json_style style)
{
    struct json_writer w;
    buf_clear(out);
    json_write_start(&w, out, style);
    json_write_object(&w);
    json_write_key(&w, "list");
    json_write_array(&w);
    json_write_null(&w);
    json_write_bool(&w, true);
    json_write_int(&w, INT64_MIN);
    json_write_real(&w, 0.1);
    json_write_real(&w, 1e16);
    json_write_real(&w, NAN);
    json_write_real(&w, -INFINITY);
    json_write_array(&w);
    json_write_end_array(&w);
    json_write_object(&w);
    json_write_end_object(&w);
    json_write_end_array(&w);
    json_write_key_span(&w, SPAN("a\"b"));
    json_write_text(&w, "x\n");
    json_write_key(&w, "raw");
    json_write_raw(&w, SPAN("[1, 2]"));
    json_write_key(&w, "o");
    json_write_object(&w);
    json_write_key(&w, "k");
    json_write_bool(&w, false);
    json_write_end_object(&w);
    json_write_end_object(&w);
}

static void test_styles(void **state)
{
    (void)state;
    struct buf out = {0};
    write_sample(&out, JSON_STYLE_COMPACT);
    assert_buf(&out, "{\"list\":[null,true,-9223372036854775808,0.1,1e+16,null,null,[],{}],"
                     "\"a\\\"b\":\"x\\n\",\"raw\":[1, 2],\"o\":{\"k\":false}}");
    write_sample(&out, JSON_STYLE_SPACED);
    assert_buf(&out,
               "{\"list\": [null, true, -9223372036854775808, 0.1, 1e+16, null, null, [], {}], "
               "\"a\\\"b\": \"x\\n\", \"raw\": [1, 2], \"o\": {\"k\": false}}");
    write_sample(&out, JSON_STYLE_INDENTED);
    assert_buf(&out, "{\n"
                     "  \"list\": [\n"
                     "    null,\n"
                     "    true,\n"
                     "    -9223372036854775808,\n"
                     "    0.1,\n"
                     "    1e+16,\n"
                     "    null,\n"
                     "    null,\n"
                     "    [],\n"
                     "    {}\n"
                     "  ],\n"
                     "  \"a\\\"b\": \"x\\n\",\n"
                     "  \"raw\": [1, 2],\n"
                     "  \"o\": {\n"
                     "    \"k\": false\n"
                     "  }\n"
                     "}");
    buf_free(&out);
}

static void test_lone_values(void **state)
{
    (void)state;
    struct buf out = {0};
    struct json_writer w;
    json_write_start(&w, &out, JSON_STYLE_INDENTED);
    json_write_span(&w, SPAN("a\0b"));
    assert_buf(&out, "\"a\\u0000b\"");
    buf_clear(&out);
    json_write_start(&w, &out, JSON_STYLE_INDENTED);
    json_write_array(&w);
    json_write_end_array(&w);
    assert_buf(&out, "[]");
    buf_free(&out);
}

static void test_quote(void **state)
{
    (void)state;
    static const struct {
        struct span text;
        const char *want;
    } cases[] = {
        {SPAN(""), "\"\""},
        {SPAN("a/b'c\x7f"), "\"a/b'c\x7f\""},
        {SPAN("\"\\\b\f\n\r\t\x01\x1f"), "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\""},
        {SPAN("\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80"), "\"\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80\""},
        {SPAN("\xed\xa0\x80|\xed\xbf\xbf"), "\"\\ud800|\\udfff\""},
        {SPAN("a\xff"
              "b\xc3"),
         "\"a\\ufffdb\\ufffd\""},
        {SPAN("\xc0\x80"), "\"\\ufffd\\ufffd\""},
        {SPAN("\xe6\xbc"), "\"\\ufffd\\ufffd\""},
    };
    struct buf out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buf_clear(&out);
        json_quote(&out, cases[i].text);
        assert_buf(&out, cases[i].want);
        parsed(buf_cstr(&out));
    }
    buf_free(&out);
}

static void test_compact(void **state)
{
    (void)state;
    static const char *const TEXTS[][2] = {
        {"{ \"a\" : [ 1 ,\n\t2 ] ,\r\n \"b c\" : \"x  y\" }", "{\"a\":[1,2],\"b c\":\"x  y\"}"},
        {" \"\\\" \\\\\" ", "\"\\\" \\\\\""},
        {"-1.50e3", "-1.50e3"},
        {"[ ]", "[]"},
    };
    struct buf out = {0};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        buf_clear(&out);
        json_compact(span_text(TEXTS[i][0]), &out);
        assert_string_equal(buf_cstr(&out), TEXTS[i][1]);
    }
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_styles),
        cmocka_unit_test(test_lone_values),
        cmocka_unit_test(test_quote),
        cmocka_unit_test(test_compact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
