/* test_fold.c: white space, words, lines and case as Python 3.11's str has them; what the characters
 * are comes from the interpreter in tests/interop/text_rng.py, here stand the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/fold.h"
#include "text/unicode.h"
#include "text/utf8.h"

typedef void fold_function(struct span, struct buf *);

static void expect(fold_function *function, struct span in, struct span want)
{
    struct buf out = {0};
    buf_text(&out, "kept");
    function(in, &out);
    assert_int_equal(out.len, 4 + want.len);
    assert_memory_equal(out.data, "kept", 4);
    if (want.len)
        assert_memory_equal(out.data + 4, want.ptr, want.len);
    buf_free(&out);
}

#define LOWER(in, want) expect(text_lower, SPAN(in), SPAN(want))

static void lowers(void **state)
{
    (void)state;
    LOWER("", "");
    LOWER("Already low 123 [@`{]", "already low 123 [@`{]");
    LOWER("A long run of ASCII \xc3\x89 AND MORE", "a long run of ascii \xc3\xa9 and more");
    LOWER("\xc4\xb0", "i\xcc\x87"); /* U+0130 gives two */
    LOWER("\xe2\x84\xaa", "k");     /* Kelvin sign */
    LOWER("\xc3\x9f\xe1\xba\x9e", "\xc3\x9f\xc3\x9f");
    LOWER("\xf0\x90\x90\x80", "\xf0\x90\x90\xa8"); /* Deseret */
    LOWER("A\xff"
          "B",
          "a\xff"
          "b"); /* stray bytes stay */
}

static void final_sigma(void **state)
{
    (void)state;
    LOWER("\xce\xa3", "\xcf\x83"); /* nothing before it */
    LOWER("A\xce\xa3", "a\xcf\x82");
    LOWER("A\xce\xa3 B", "a\xcf\x82 b");
    LOWER("A\xce\xa3"
          "B",
          "a\xcf\x83"
          "b");
    LOWER("A\xce\xa3'B", "a\xcf\x83'b"); /* the apostrophe is looked through */
    LOWER("A.\xce\xa3.", "a.\xcf\x82.");
    LOWER("\xce\xa3\xce\xa3\xce\xa3", "\xcf\x83\xcf\x83\xcf\x82");
    LOWER("1\xce\xa3", "1\xcf\x83");
    LOWER("\xff'\xce\xa3", "\xff'\xcf\x83");
}

static void casefolds(void **state)
{
    (void)state;
    expect(text_casefold,
           SPAN("Stra\xc3\x9f"
                "E"),
           SPAN("strasse"));
    expect(text_casefold, SPAN("\xef\xac\x83"), SPAN("ffi")); /* one character, three */
    expect(text_casefold, SPAN("A\xce\xa3"), SPAN("a\xcf\x83"));
    expect(text_casefold, SPAN("\xe1\x8f\xb8"), SPAN("\xe1\x8f\xb0")); /* Cherokee folds upwards */
}

static void folds(void **state)
{
    (void)state;
    expect(text_fold,
           SPAN("  Two \t\n WORDS\xc2\xa0"
                "a "),
           SPAN("two words a"));
    expect(text_fold, SPAN(" \x1c\xe3\x80\x80 "), SPAN(""));
    expect(text_fold, SPAN("one"), SPAN("one"));
    expect(text_fold, SPAN(""), SPAN(""));
}

static void knows_29_spaces(void **state)
{
    (void)state;
    size_t count = 0;
    for (uint32_t c = 0; c <= 0x110000; c++)
        count += unicode_space(c);
    assert_int_equal(count, 29);
    assert_false(unicode_space(0x180e));
    assert_false(unicode_space(0x200b));
    assert_false(unicode_space(0xfeff));
}

static void strips(void **state)
{
    (void)state;
    struct span s = SPAN("\xe3\x80\x80\x1f a b \xc2\x85\n");
    assert_true(span_equal(text_strip(s), SPAN("a b")));
    assert_true(span_equal(text_strip_right(s), SPAN("\xe3\x80\x80\x1f a b")));
    assert_true(span_equal(text_strip(SPAN(" \xe2\x80\x8b ")), SPAN("\xe2\x80\x8b")));
    assert_int_equal(text_strip((struct span){0}).len, 0);
    assert_int_equal(text_strip(SPAN(" \t")).len, 0);
    assert_true(span_equal(text_strip_right(SPAN("x\xc2")), SPAN("x\xc2")));
    assert_true(
        span_equal(text_strip_right(SPAN("x \x85")), SPAN("x \x85"))); /* a byte, no U+0085 */
    assert_true(text_blank(SPAN("")));
    assert_true(text_blank(SPAN(" \xe2\x80\x83\r")));
    assert_false(text_blank(SPAN(" .")));
}

static void walks_words(void **state)
{
    (void)state;
    struct span s = SPAN(" one\xe2\x80\xa8two\x1dthree ");
    static const struct span WANT[] = {{"one", 3}, {"two", 3}, {"three", 5}};
    size_t at = 0;
    struct span word;
    for (size_t i = 0; i < 3; i++) {
        assert_true(text_next_word(s, &at, &word));
        assert_true(span_equal(word, WANT[i]));
    }
    assert_false(text_next_word(s, &at, &word));
    assert_false(text_next_word(s, &at, &word));
    assert_int_equal(text_word_count(s), 3);
    assert_int_equal(text_word_count(SPAN("  ")), 0);
}

static size_t lines_of(struct span s, struct buf *joined)
{
    size_t at = 0, n = 0;
    struct span line;
    buf_clear(joined);
    for (; text_next_line(s, &at, &line); n++) {
        buf_span_add(joined, line);
        buf_byte(joined, '|');
    }
    return n;
}

static void walks_lines(void **state)
{
    (void)state;
    struct buf joined = {0};
    assert_int_equal(lines_of(SPAN("a\nb\r\nc\rd\x0b"
                                   "e\x0c"
                                   "f\x1c"
                                   "g\x1d"
                                   "h\x1e"
                                   "i\xc2\x85"
                                   "j\xe2\x80\xa8k\xe2\x80\xa9"),
                              &joined),
                     11);
    assert_string_equal(buf_cstr(&joined), "a|b|c|d|e|f|g|h|i|j|k|");
    assert_int_equal(lines_of(SPAN("\n\r\r\n\n"), &joined), 4);
    assert_int_equal(lines_of(SPAN("no end\x1f"), &joined), 1); /* U+001F breaks words, not lines */
    assert_int_equal(lines_of(SPAN(""), &joined), 0);
    buf_free(&joined);
}

/* Sigmas with long runs of case-ignorable characters between them: linear, or this does not end. */
static void sigma_is_linear(void **state)
{
    (void)state;
    struct buf text = {0}, out = {0};
    for (int i = 0; i < 200000; i++)
        buf_text(&text, i % 1000 ? "'" : "\xce\xa3");
    for (int i = 0; i < 200000; i++)
        buf_text(&text, "\xcd\x85\xce\xa3");
    text_lower(buf_span(&text), &out);
    assert_int_equal(out.len, text.len);
    buf_free(&text);
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lowers),          cmocka_unit_test(final_sigma),
        cmocka_unit_test(casefolds),       cmocka_unit_test(folds),
        cmocka_unit_test(knows_29_spaces), cmocka_unit_test(strips),
        cmocka_unit_test(walks_words),     cmocka_unit_test(walks_lines),
        cmocka_unit_test(sigma_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
