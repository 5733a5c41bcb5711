/* test_regex.c: Python's meaning of patterns where PCRE2's differs, and the bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/regex.h"

static enum regex_result search(const char *pattern, int flags, struct span text,
                                struct span *groups, size_t n)
{
    struct error error;
    struct regex *r = regex_compile(span_text(pattern), flags, &error);
    assert_non_null(r);
    enum regex_result result = regex_search(r, text, 0, groups, n);
    regex_free(r);
    return result;
}

static void matches_like_python(void **state)
{
    (void)state;
    struct {
        const char *pattern;
        int flags;
        struct span text;
        enum regex_result want;
    } table[] = {
        {"^\\s$", 0, SPAN("\x1c"), REGEX_MATCH},        /* Python's \s holds U+001C */
        {"^\\s$", 0, SPAN("\xe1\xa0\x8e"), REGEX_NONE}, /* U+180E is no space */
        {"^[\\s,]+$", 0, SPAN("\x1f,\xc2\x85"), REGEX_MATCH},
        {"^\\S+$", 0, SPAN("a\x1d"), REGEX_NONE},
        {"^\\w+$", 0, SPAN("\xc3\xa9t\xc3\xa9_9\xe2\x85\xa3"), REGEX_MATCH},
        {"^\\d$", 0, SPAN("\xd9\xa3"), REGEX_MATCH}, /* ARABIC-INDIC DIGIT THREE */
        {"a\\Z", 0, SPAN("a\n"), REGEX_NONE},        /* the very end */
        {"a$", 0, SPAN("a\n"), REGEX_MATCH},
        {"^b", 0, SPAN("a\nb"), REGEX_NONE},
        {"^b", REGEX_MULTILINE, SPAN("a\nb"), REGEX_MATCH},
        {"a.b", 0, SPAN("a\nb"), REGEX_NONE},
        {"a.b", 0, SPAN("a\rb"), REGEX_MATCH}, /* only \n ends a line */
        {"a.b", REGEX_DOT_ALL, SPAN("a\nb"), REGEX_MATCH},
        {"HELLO", REGEX_IGNORE_CASE, SPAN("say hello"), REGEX_MATCH},
        {"[[:x]+", 0, SPAN("[:x"), REGEX_MATCH}, /* no POSIX classes in Python */
        {"[]a]", 0, SPAN("]"), REGEX_MATCH},
        {"a\\0?", 0, SPAN("a"), REGEX_MATCH},
        {"x", 0, {NULL, 0}, REGEX_NONE},
        {"^$", 0, {NULL, 0}, REGEX_MATCH},
        {"x", 0, SPAN("\xffx\xff"), REGEX_MATCH},
        {"^x.$", 0, SPAN("x\xff"), REGEX_NONE}, /* no character */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (search(table[i].pattern, table[i].flags, table[i].text, NULL, 0) != table[i].want)
            fail_msg("pattern %zu: %s", i, table[i].pattern);
}

static void groups_are_slices(void **state)
{
    (void)state;
    struct span groups[4];
    assert_int_equal(search("(?P<a>x)|(y)(z)?", 0, SPAN("..y"), groups, 4), REGEX_MATCH);
    assert_true(span_is(groups[0], "y"));
    assert_null(groups[1].ptr);
    assert_true(span_is(groups[2], "y"));
    assert_null(groups[3].ptr);
    struct error error;
    struct regex *r = regex_compile(SPAN("(?P<a>x)(?P<b>y)"), 0, &error);
    assert_int_equal(regex_group_count(r), 2);
    assert_int_equal(regex_group_number(r, "b"), 2);
    assert_int_equal(regex_group_number(r, "c"), -1);
    regex_free(r);
}

static void runaway_patterns_end(void **state)
{
    (void)state;
    struct buf text = {0};
    for (int i = 0; i < 5000; i++)
        buf_byte(&text, 'a');
    buf_byte(&text, '!');
    assert_int_equal(search("^(a+)+$", 0, buf_span(&text), NULL, 0), REGEX_LIMIT);
    buf_free(&text);
}

static void bad_patterns_are_named(void **state)
{
    (void)state;
    struct error error;
    assert_null(regex_compile(SPAN("a(b"), 0, &error));
    assert_int_equal(error.code, ERROR_USAGE);
    assert_non_null(strstr(error.text, "regex at character 3"));
}

static void replaced(void **state)
{
    struct regex *digits = regex_compile(SPAN("[0-9]+"), 0, NULL);
    struct regex *nothing = regex_compile(SPAN("x*"), 0, NULL);
    struct buf text = {0};
    (void)state;
    buf_text(&text, "a12 b3");
    regex_replace(digits, &text, "#");
    assert_string_equal(buf_cstr(&text), "a# b#");
    regex_replace(digits, &text, "");
    assert_string_equal(buf_cstr(&text), "a# b#");
    regex_replace(nothing, &text, "y"); /* an empty match replaces nothing */
    assert_string_equal(buf_cstr(&text), "a# b#");
    buf_clear(&text);
    regex_replace(digits, &text, "#");
    assert_int_equal(text.len, 0);
    buf_free(&text);
    regex_free(digits);
    regex_free(nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_like_python),
        cmocka_unit_test(groups_are_slices),
        cmocka_unit_test(runaway_patterns_end),
        cmocka_unit_test(bad_patterns_are_named),
        cmocka_unit_test(replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
