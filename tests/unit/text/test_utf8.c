/* test_utf8.c: code points, also of bytes that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/utf8.h"

static void reads_code_points(void **state)
{
    (void)state;
    static const struct {
        struct span text;
        uint32_t want;
        size_t width;
    } TABLE[] = {
        {SPAN("a"), 'a', 1},
        {SPAN("\0b"), 0, 1},
        {SPAN("\xc3\xa9"), 0xe9, 2},
        {SPAN("\xe2\x82\xac"), 0x20ac, 3},
        {SPAN("\xf0\x9f\x98\x80"), 0x1f600, 4},
        {SPAN("\xf4\x8f\xbf\xbf"), 0x10ffff, 4},
        {SPAN("\xed\xa0\x80"), 0xd800, 3},     /* the lone surrogate of an escape */
        {SPAN("\x80"), 0xdc80, 1},             /* a stray continuation */
        {SPAN("\xc3"), 0xdcc3, 1},             /* cut short */
        {SPAN("\xe2\x82"), 0xdce2, 1},         /* cut short */
        {SPAN("\xf0\x9f\x98x"), 0xdcf0, 1},    /* broken off */
        {SPAN("\xc0\xaf"), 0xdcc0, 1},         /* overlong */
        {SPAN("\xe0\x80\xaf"), 0xdce0, 1},     /* overlong */
        {SPAN("\xf0\x80\x80\xaf"), 0xdcf0, 1}, /* overlong */
        {SPAN("\xf4\x90\x80\x80"), 0xdcf4, 1}, /* above U+10FFFF */
        {SPAN("\xff"), 0xdcff, 1},
    };
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++) {
        size_t at = 0;
        assert_int_equal(utf8_next(TABLE[i].text, &at), TABLE[i].want);
        assert_int_equal(at, TABLE[i].width);
    }
}

static void writes_what_it_reads(void **state)
{
    (void)state;
    struct buf out = {0};
    for (uint32_t c = 0; c <= 0x10ffff; c += c < 0x3000 ? 1 : 37) {
        buf_clear(&out);
        utf8_add(&out, c);
        size_t at = 0;
        assert_int_equal(utf8_next(buf_span(&out), &at), c);
        assert_int_equal(at, out.len);
        assert_int_equal(utf8_valid(buf_span(&out)), c < 0xd800 || c > 0xdfff);
    }
    buf_free(&out);
}

static void counts_and_cuts(void **state)
{
    (void)state;
    struct span s = SPAN("0123456789 h\xc3\xa9llo \xf0\x9f\x98\x80 \xff end of the text");
    assert_int_equal(utf8_length(s), s.len - 1 - 3);
    assert_int_equal(utf8_length((struct span){0}), 0);
    assert_int_equal(utf8_offset(s, 0), 0);
    assert_int_equal(utf8_offset(s, 12), 12);
    assert_int_equal(utf8_offset(s, 13), 14);
    assert_int_equal(utf8_offset(s, 1000), s.len);
    assert_true(span_equal(utf8_head(s, 13), SPAN("0123456789 h\xc3\xa9")));
    for (size_t n = 0; n < 40; n++)
        assert_int_equal(utf8_length(utf8_head(s, n)), n < utf8_length(s) ? n : utf8_length(s));
}

static void knows_strict_utf8(void **state)
{
    (void)state;
    assert_true(utf8_valid(SPAN("")));
    assert_true(utf8_valid(SPAN("plain ascii text \xe2\x82\xac and more of it")));
    assert_false(utf8_valid(SPAN("plain ascii text \xed\xa0\x80")));
    assert_false(utf8_valid(SPAN("plain ascii text \xe2\x82")));
    assert_false(utf8_valid(SPAN("\xc1\x81")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_code_points),
        cmocka_unit_test(writes_what_it_reads),
        cmocka_unit_test(counts_and_cuts),
        cmocka_unit_test(knows_strict_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
