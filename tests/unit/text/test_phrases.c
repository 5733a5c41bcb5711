/* test_phrases.c: a bank of phrases against a search for each of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rng/rng.h"
#include "text/phrases.h"

static uint64_t find(const struct phrase *items, size_t count, enum phrases_case how,
                     const char *text)
{
    struct phrases *p = phrases_new(items, count, how);
    uint64_t found = phrases_find(p, span_text(text));
    phrases_free(p);
    return found;
}

static void test_cases(void **state)
{
    (void)state;
    static const struct phrase items[] = {
        {"he", 0}, {"she", 1}, {"his", 2}, {"hers", 3}, {"s", 63}};
    assert_int_equal(find(items, 5, PHRASES_EXACT, ""), 0);
    assert_int_equal(find(items, 5, PHRASES_EXACT, "xyz"), 0);
    assert_true(find(items, 5, PHRASES_EXACT, "ushers") == (0xbull | 1ull << 63));
    assert_int_equal(find(items, 4, PHRASES_EXACT, "ahishe"), 7);
    assert_int_equal(find(items, 4, PHRASES_EXACT, "HE"), 0);
    assert_int_equal(find(items, 4, PHRASES_ANY_CASE, "hE"), 1);
    assert_int_equal(find(items, 4, PHRASES_ANY_CASE, "HI\xc5\xbf"), 4);
    assert_int_equal(find(items, 4, PHRASES_EXACT, "hi\xc5\xbf"), 0);
    static const struct phrase kelvin[] = {{"ok!", 5}};
    assert_int_equal(find(kelvin, 1, PHRASES_ANY_CASE, "o\xe2\x84\xaa!"), 1 << 5);
    assert_int_equal(find(kelvin, 1, PHRASES_ANY_CASE, "o\xe2\x84\xab!"), 0);
    assert_int_equal(find(NULL, 0, PHRASES_EXACT, "text"), 0);
    static const struct phrase same[] = {{"a", 1}, {"a", 2}, {"\xc3\xa4", 3}};
    assert_int_equal(find(same, 3, PHRASES_EXACT, "bab"), 6);
    assert_int_equal(find(same, 3, PHRASES_EXACT, "b\xc3\xa4"), 8);
}

/* Texts over a few letters, where phrases lie in each other and overlap. */
static void test_against_search(void **state)
{
    (void)state;
    enum { PHRASES = 64, LONGEST = 6, TEXT = 40 };
    static char words[PHRASES][LONGEST + 1], text[TEXT];
    struct rng rng;
    rng_seed(&rng, 5);
    for (int round = 0; round < 2000; round++) {
        struct phrase items[PHRASES];
        size_t count = 1 + (size_t)rng_below(&rng, PHRASES),
               len = (size_t)rng_below(&rng, TEXT + 1);
        for (size_t i = 0; i < count; i++) {
            size_t n = 1 + (size_t)rng_below(&rng, LONGEST);
            for (size_t k = 0; k < n; k++)
                words[i][k] = "abc"[rng_below(&rng, 3)];
            words[i][n] = '\0';
            items[i] = (struct phrase){words[i], (unsigned)rng_below(&rng, PHRASES_SETS)};
        }
        for (size_t i = 0; i < len; i++)
            text[i] = "abcd"[rng_below(&rng, 4)];
        uint64_t want = 0;
        for (size_t i = 0; i < count; i++)
            if (span_has(span_make(text, len), span_text(words[i])))
                want |= (uint64_t)1 << items[i].set;
        struct phrases *p = phrases_new(items, count, PHRASES_EXACT);
        assert_true(phrases_find(p, span_make(text, len)) == want);
        phrases_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_against_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
