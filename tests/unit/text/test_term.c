/* test_term.c: nothing that a text holds reaches a terminal as a command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/term.h"
#include "text/unicode.h"
#include "text/utf8.h"

static void expect(void (*function)(struct buf *, struct span), struct span in, const char *want)
{
    struct buf out = {0};
    function(&out, in);
    assert_string_equal(buf_cstr(&out), want);
    buf_free(&out);
}

static void escapes_in_one_line(void **state)
{
    (void)state;
    expect(term_add, SPAN("plain, h\xc3\xa9 \xe4\xbd\xa0 \xf0\x9f\x98\x80\xc2\xa0."),
           "plain, h\xc3\xa9 \xe4\xbd\xa0 \xf0\x9f\x98\x80\xc2\xa0.");
    expect(term_add, SPAN("a\nb\tc\rd"), "a\\nb\\tc\\rd");
    expect(term_add, SPAN("\x1b]0;title\x07\x1b[2J\x7f\x00z"),
           "\\x1b]0;title\\x07\\x1b[2J\\x7f\\x00z");
    expect(term_add,
           SPAN("\xc2\x9b"
                "2J\xc2\x85"),
           "\\x9b2J\\x85"); /* C1 in UTF-8 */
    expect(term_add,
           SPAN("\x9b"
                "2J\xff\xc3"),
           "\\x9b2J\\xff\\xc3"); /* C1 as a bare byte */
    expect(term_add,
           SPAN("user\xe2\x80\xae"
                "nimda\xe2\x81\xa6\xe2\x80\x8b\xc2\xad\xef\xbb\xbf"),
           "user\\u202enimda\\u2066\\u200b\\xad\\ufeff");
    expect(term_add, SPAN("\xf3\xa0\x81\x81\xe2\x80\xa8\xee\x80\x80\xed\xa0\x80"),
           "\\U000e0041\\u2028\\ue000\\ud800");
    expect(term_add, SPAN("\\x1b"), "\\\\x1b"); /* never mistaken for an escape */
    expect(term_add, SPAN(""), "");
}

static void keeps_lines(void **state)
{
    (void)state;
    expect(term_add_lines, SPAN("a\r\n\tb\\n\rc\x1b[A\xe2\x80\xa9"), "a\n\tb\\n\\rc\\x1b[A\\u2029");
}

static void cuts(void **state)
{
    (void)state;
    struct buf out = {0};
    term_add_head(&out, SPAN("\xc3\xa9\nabc"), 3);
    assert_string_equal(buf_cstr(&out), "\xc3\xa9\\na\xe2\x80\xa6");
    buf_clear(&out);
    term_add_head(&out, SPAN("\xc3\xa9\nabc"), 5);
    assert_string_equal(buf_cstr(&out), "\xc3\xa9\\nabc");
    buf_free(&out);
}

/* Whatever the bytes, the output is UTF-8 of printable characters and spaces. */
static void output_is_harmless(void **state)
{
    (void)state;
    struct buf out = {0}, in = {0};
    for (uint32_t c = 0; c < 0x110000; c++)
        utf8_add(&in, c);
    for (int c = 0; c < 256; c++)
        buf_byte(&in, (char)c);
    term_add(&out, buf_span(&in));
    assert_true(utf8_valid(buf_span(&out)));
    for (size_t at = 0; at < out.len;) {
        uint32_t c = utf8_next(buf_span(&out), &at);
        assert_true(unicode_printable(c) || (unicode_space(c) && c >= 0xa0 && c != 0x2028));
    }
    buf_free(&in);
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_in_one_line),
        cmocka_unit_test(keeps_lines),
        cmocka_unit_test(cuts),
        cmocka_unit_test(output_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
