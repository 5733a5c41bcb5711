/* The record that a judge sees: whole JSON under any cap (grade 14.2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "grade/judge_payload.h"
#include "text/utf8.h"

static void write_record(const char *line, const struct payload_options *o, struct buf *out)
{
    struct row row;
    struct json_members members = {0};
    struct json_fault fault;
    struct json_value value;
    assert_int_equal(row_of_text(span_text(line), &row, &members, &fault), 0);
    buf_clear(out);
    payload_write(o, &row, out);
    if (json_scan(buf_span(out), &value, NULL, &fault) < 0 || value.type != JSON_VALUE_OBJECT)
        fail_msg("no JSON: %.300s", buf_cstr(out));
    json_members_free(&members);
}

static void whole(void **state)
{
    struct buf out = {0};
    (void)state;
    write_record(
        "{\"prompt\":\"p\",\"final_text\":\"f\",\"steps\":[{\"tool\":\"a\",\"result\":null},"
        "{\"tool\":\"b\",\"input\":{\"x\":1}},5,{\"text\":\"t\"}]}",
        &(struct payload_options){0}, &out);
    assert_string_equal(
        buf_cstr(&out),
        "{\"tools\": [], \"tools_called\": [\"a\"], \"tools_not_called\": [], \"situation\": "
        "\"p\", "
        "\"world_state\": null, \"injected_faults\": null, \"final_text\": \"f\", \"steps\": "
        "[{\"tool\": \"a\", \"arguments\": null, \"result\": null}, {\"tool\": \"b\", "
        "\"arguments\": "
        "{\"x\":1}, \"result\": null}, {\"text\": \"t\"}]}");
    write_record("{\"final_text\":null,\"world_state\":{\"n\":NaN},\"steps\":{}}",
                 &(struct payload_options){0}, &out);
    assert_non_null(strstr(buf_cstr(&out), "{\"n\":\"NaN\"}"));
    buf_free(&out);
}

/* A row whose every part is far too long, under every cap that can be asked for. */
static void capped(void **state)
{
    struct buf line = {0}, out = {0};
    (void)state;
    buf_text(&line, "{\"prompt\":\"");
    for (int i = 0; i < 5000; i++)
        buf_text(&line, "\xc3\xa9\\\"\\ud800");
    buf_text(&line, "\",\"world_state\":{\"a\":\"");
    for (int i = 0; i < 20000; i++)
        buf_byte(&line, 'w');
    buf_text(&line, "\"},\"final_text\":\"");
    for (int i = 0; i < 20000; i++)
        buf_text(&line, "\xf0\x9f\x98\x80");
    buf_text(&line, "\",\"steps\":[");
    for (int i = 0; i < 500; i++)
        buf_format(&line,
                   "%s{\"tool\":\"a_rather_long_name_of_a_tool_%d\",\"arguments\":{\"k\":[1,2,3]},"
                   "\"result\":{\"status\":\"error\"}}",
                   i ? "," : "", i);
    buf_text(&line, "]}");
    for (size_t cap = 600; cap < 100000; cap = cap * 5 / 3) {
        const struct payload_options o = {.cap = cap};
        write_record(buf_cstr(&line), &o, &out);
        size_t length = 0;
        for (size_t at = 0; at < out.len;) {
            uint32_t c = utf8_next(buf_span(&out), &at);
            length += c < 0x80 ? 1 : c < 0x10000 ? 6 : 12;
        }
        if (length > cap)
            fail_msg("cap %zu: %zu characters", cap, length);
        assert_non_null(strstr(buf_cstr(&out), "payload_reduced"));
    }
    buf_free(&line);
    buf_free(&out);
}

static void leads(void **state)
{
    static const struct {
        const char *row, *mode; /* NULL: no lead */
    } table[] = {
        {"{\"faults\":{\"get\":{\"mode\":\"denied\"}}}", "\"permission_denied\""},
        {"{\"faults\":{\"get\":\"stale_result\"}}", "\"stale\""},
        {"{\"faults\":{\"a\":{\"mode\":\"ok\"},\"b\":\"Timeout\"}}", "\"timeout\""},
        {"{\"faults\":{\"a\":\"none\"}}", NULL},
        {"{\"steps\":[{\"tool\":\"a\",\"result\":{\"status\":\"timeout\"}}]}", "\"timeout\""},
        {"{\"steps\":[{\"tool\":\"a\",\"result\":{\"status\":\"ok\"}}]}", NULL},
        {"{}", NULL},
    };
    struct buf out = {0};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct row row;
        struct json_members members = {0};
        struct json_fault fault;
        row_of_text(span_text(table[i].row), &row, &members, &fault);
        buf_clear(&out);
        bool found = payload_fault_lead(&row, &out);
        if (found != (table[i].mode != NULL) || (found && !strstr(buf_cstr(&out), table[i].mode)))
            fail_msg("%s: %s", table[i].row, buf_cstr(&out));
        json_members_free(&members);
    }
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),
        cmocka_unit_test(capped),
        cmocka_unit_test(leads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
