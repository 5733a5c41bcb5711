/* Addresses: what is taken, what two readers could read differently and is refused, who is who. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "net/credentials.h"
#include "net/url.h"

static struct url parsed(const char *text)
{
    struct url url;
    struct error error = {0};
    assert_int_equal(url_parse(span_text(text), &url, &error), 0);
    return url;
}

static void test_pieces(void **state)
{
    (void)state;
    struct url u = parsed("HTTPS://Host.example:8443/a/b?x=1#frag");
    assert_true(u.secure);
    assert_true(span_is(u.host, "Host.example"));
    assert_int_equal(u.port, 8443);
    assert_true(span_is(u.path, "/a/b"));
    assert_true(span_is(u.query, "?x=1"));
    u = parsed("http://h?q");
    assert_int_equal(u.port, 80);
    assert_int_equal(u.path.len, 0);
    assert_true(span_is(u.query, "?q"));
    u = parsed("http://[2001:db8::1]:81/");
    assert_true(u.bracketed);
    assert_true(span_is(u.host, "2001:db8::1"));
    assert_int_equal(u.port, 81);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const BAD[] = {
        "",
        "host",
        "ftp://h/",
        "http:/h",
        "http://",
        "http:///p",
        "http://u@h/",
        "http://u:p@h/",
        "http://h:/",
        "http://h:0/",
        "http://h:65536/",
        "http://h:8a/",
        "http://h:123456/",
        "http://a b/",
        "http://h/a b",
        "http://h\\@evil/",
        "http://h\t/",
        "http://h/\x01",
        "http://h/\x80",
        "http://%68/",
        "http://[::1",
        "http://[::1]x/",
        "http://[h]/",
        "http://.h/",
        "http://-h/",
        "http://h,i/",
        "http://h'/",
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct url url;
        struct error error = {0};
        if (url_parse(span_text(BAD[i]), &url, &error) == 0)
            fail_msg("%s was taken", BAD[i]);
        assert_int_equal(error.code, ERROR_USAGE);
    }
}

static void test_loopback(void **state)
{
    (void)state;
    static const char *const YES[] = {"http://localhost/", "http://LOCALHOST:1/",
                                      "http://127.0.0.1/", "http://127.9.8.7/", "http://[::1]/"};
    static const char *const NO[] = {"http://localhost.evil/", "http://127.0.0.1.evil/",
                                     "http://127.0.0/",        "http://127.0.0.256/",
                                     "http://127.1/",          "http://0x7f.0.0.1/",
                                     "http://127.0.0.01/",     "http://10.0.0.1/",
                                     "http://[::2]/",          "http://1270.0.0.1/"};
    for (size_t i = 0; i < sizeof YES / sizeof *YES; i++) {
        struct url u = parsed(YES[i]);
        if (!url_loopback(&u))
            fail_msg("%s is loopback", YES[i]);
    }
    for (size_t i = 0; i < sizeof NO / sizeof *NO; i++) {
        struct url u = parsed(NO[i]);
        if (url_loopback(&u))
            fail_msg("%s is not loopback", NO[i]);
    }
}

static void test_who(void **state)
{
    (void)state;
    struct url a = parsed("https://API.while.ai/x"), b = parsed("https://api.while.ai:443/y");
    assert_true(url_same_origin(&a, &b));
    assert_true(url_platform(&a));
    b = parsed("http://api.while.ai:443/");
    assert_false(url_same_origin(&a, &b));
    static const char *const PLATFORM[] = {"https://while.ai", "https://a.b.zeroproofai.com",
                                           "https://withwhile.com",
                                           "https://zeroproofai--whileai-serve-x.modal.run/v1",
                                           "https://zeroproofai--zeroproof-serve-x.modal.run/v1"};
    static const char *const NOT[] = {"https://evilwhile.ai", "https://while.ai.evil.com",
                                      "https://other.modal.run",
                                      "https://zeroproofai--whileai-serve-x.modal.run.evil.com",
                                      "https://x.zeroproofai--whileai-serve-x.modal.run"};
    for (size_t i = 0; i < sizeof PLATFORM / sizeof *PLATFORM; i++) {
        struct url u = parsed(PLATFORM[i]);
        if (!url_platform(&u))
            fail_msg("%s is the platform's", PLATFORM[i]);
    }
    for (size_t i = 0; i < sizeof NOT / sizeof *NOT; i++) {
        struct url u = parsed(NOT[i]);
        if (url_platform(&u))
            fail_msg("%s is not the platform's", NOT[i]);
    }
}

static void test_texts(void **state)
{
    (void)state;
    struct buf out = {0};
    struct url u = parsed("https://[::1]:81/");
    url_host_add(&u, &out);
    assert_string_equal(buf_cstr(&out), "[::1]:81");
    buf_clear(&out);
    url_escape_add(SPAN("a:b/c d~\xc3\xa9"), &out);
    assert_string_equal(buf_cstr(&out), "a%3Ab%2Fc%20d~%C3%A9");
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_loopback), cmocka_unit_test(test_who), cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
