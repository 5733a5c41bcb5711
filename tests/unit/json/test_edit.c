/* test_edit.c: splicing changes into an object. A case's changes are one text: `=key value`,
 * `-key`, or
 * `"key text`, separated by `;`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "help.h"
#include "json/edit.h"

static void add_changes(struct json_edit *e, const char *changes)
{
    struct span s = span_text(changes);
    for (size_t at = 0; at < s.len;) {
        size_t end = span_find(s, SPAN(";"), at);
        end = end < s.len ? end : s.len;
        struct span change = span_slice(s, at + 1, end);
        size_t space = span_find(change, SPAN(" "), 0);
        struct span key = span_slice(change, 0, space < change.len ? space : change.len);
        struct span value =
            space < change.len ? span_slice(change, space + 1, change.len) : span_make("", 0);
        if (s.ptr[at] == '=')
            json_edit_set(e, key, value);
        else if (s.ptr[at] == '-')
            json_edit_remove(e, key);
        else
            json_edit_text(e, key, value);
        at = end + 1;
    }
}

static const struct {
    const char *object, *changes, *want;
} CASES[] = {
    {"{ \"a\" : 1 }", "", "{ \"a\" : 1 }"},
    {"{}", "=a 1", "{\"a\":1}"},
    {"{ }", "=a 1", "{\"a\":1 }"},
    {"{}", "-a", "{}"},
    {"{\"a\":1}", "=a 2", "{\"a\":2}"},
    {"{\"a\":1}", "=b 2", "{\"a\":1,\"b\":2}"},
    {"{\"a\": 1}", "=b 2", "{\"a\": 1, \"b\": 2}"},
    {"{ \"a\":1 }", "=b 2", "{ \"a\":1,\"b\":2 }"},
    {"{\"a\" :\t1\n}", "=b 2", "{\"a\" :\t1, \"b\": 2\n}"},
    {"{\"a\":1,\"b\":2,\"c\":3}", "-a", "{\"b\":2,\"c\":3}"},
    {"{\"a\":1,\"b\":2,\"c\":3}", "-b", "{\"a\":1,\"c\":3}"},
    {"{\"a\":1,\"b\":2,\"c\":3}", "-c", "{\"a\":1,\"b\":2}"},
    {"{\"a\":1,\"b\":2,\"c\":3}", "-a;-b", "{\"c\":3}"},
    {"{\"a\":1,\"b\":2,\"c\":3}", "-a;-b;-c", "{}"},
    {"{\"a\":1,\"b\":2,\"c\":3}", "-a;-b;-c;=d 4", "{\"d\":4}"},
    {"{ \"a\": 1, \"b\": 2 }", "-a", "{ \"b\": 2 }"},
    {"{ \"a\": 1, \"b\": 2 }", "-b", "{ \"a\": 1 }"},
    {"{ \"a\": 1 , \"b\": 2 }", "-a;=c []", "{ \"b\": 2, \"c\": [] }"},
    {"{\"a\":1,\"b\":2,\"a\":3}", "=a 9", "{\"a\":1,\"b\":2,\"a\":9}"},
    {"{\"a\":1,\"b\":2,\"a\":3}", "-a", "{\"b\":2}"},
    {"{\"\\u0061\":1}", "=a 2", "{\"\\u0061\":2}"},
    {"{\"\\u0061\":1}", "-a", "{}"},
    {"{\"a\":1}", "=b 1;=b 2;=c 3;=b 4", "{\"a\":1,\"b\":4,\"c\":3}"},
    {"{\"a\":1}", "=a 2;-a", "{}"},
    {"{\"a\":1}", "-a;=a 2", "{\"a\":2}"},
    {"{\"a\":1}", "-b;=b 2", "{\"a\":1,\"b\":2}"},
    {"{\"a\":1}", "\"b say \"x\"", "{\"a\":1,\"b\":\"say \\\"x\\\"\"}"},
    {"{\"a\":1}", "\"a ", "{\"a\":\"\"}"},
    {"{\"a\":1}", "= 2", "{\"a\":1,\"\":2}"},
    {"{\"\":1}", "= 2", "{\"\":2}"},
    {"{\"a\":{\"b\":[1,{\"a\":2}]},\"b\":\"}\"}", "=b 0", "{\"a\":{\"b\":[1,{\"a\":2}]},\"b\":0}"},
    {"{\"a\":1}", "=q\"\\ 2", "{\"a\":1,\"q\\\"\\\\\":2}"},
    {" {\"a\":1} ", "=b 2", " {\"a\":1,\"b\":2} "},
};

/* The members told of the result are those that a scan of it finds, and lie in it. */
static void check_written(const struct json_edit *e, struct span object,
                          const struct json_members *members)
{
    struct json_members told = {0}, found = {0};
    struct json_value value;
    struct json_fault fault;
    struct buf out = {0};
    buf_text(&out, "before"); /* what is there stays */
    json_edit_apply_members(e, object, members, &out, &told);
    struct span result = span_slice(buf_span(&out), 6, out.len);
    assert_int_equal(json_scan(result, &value, &found, &fault), 0);
    assert_int_equal(told.count, found.count);
    for (size_t i = 0; i < found.count; i++) {
        assert_ptr_equal(told.items[i].key.ptr, found.items[i].key.ptr);
        assert_int_equal(told.items[i].key.len, found.items[i].key.len);
        assert_int_equal(told.items[i].key_escaped, found.items[i].key_escaped);
        assert_ptr_equal(told.items[i].value.text.ptr, found.items[i].value.text.ptr);
        assert_int_equal(told.items[i].value.text.len, found.items[i].value.text.len);
        assert_int_equal(told.items[i].value.type, found.items[i].value.type);
        assert_int_equal(told.items[i].value.flags, found.items[i].value.flags);
    }
    json_members_free(&told);
    json_members_free(&found);
    buf_free(&out);
}

static void test_cases(void **state)
{
    (void)state;
    struct json_edit e = {0};
    struct json_members members = {0};
    struct buf out = {0};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct json_value value;
        struct json_fault fault;
        struct span object = span_text(CASES[i].object);
        assert_int_equal(json_scan(object, &value, &members, &fault), 0);
        json_edit_clear(&e);
        add_changes(&e, CASES[i].changes);
        buf_clear(&out);
        json_edit_apply(&e, object, &members, &out);
        assert_buf(&out, CASES[i].want);
        check_written(&e, object, &members);
    }
    buf_free(&out);
    json_members_free(&members);
    json_edit_free(&e);
}

/* More changes than fit the array on the stack. */
static void test_many(void **state)
{
    (void)state;
    struct json_edit e = {0};
    struct json_members members = {0};
    struct buf out = {0}, key = {0};
    for (int i = 0; i < 200; i++) {
        buf_clear(&key);
        buf_format(&key, "k%d", i);
        if (i % 2)
            json_edit_text(&e, buf_span(&key), buf_span(&key));
        else
            json_edit_remove(&e, buf_span(&key));
    }
    json_edit_apply(&e, SPAN("{}"), &members, &out);
    struct json_value value = parsed(buf_cstr(&out)), got;
    struct json_fault fault;
    assert_int_equal(json_count(value), 100);
    assert_true(json_get(value, SPAN("k199"), &got));
    assert_span(got.text, "\"k199\"");
    assert_int_equal(json_scan(SPAN("{\"k1\":\"\\n\",\"k2\":[1],\"x\":-1.5,\"k3\":{}}"), &value,
                               &members, &fault),
                     0);
    check_written(&e, SPAN("{\"k1\":\"\\n\",\"k2\":[1],\"x\":-1.5,\"k3\":{}}"), &members);
    buf_free(&out);
    buf_free(&key);
    json_edit_free(&e);
    json_members_free(&members);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
