/* The number a text answers with, and exact comparison (grade 5.6). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grade/numeric.h"

static double answer(const char *text)
{
    struct numeric n;
    numeric_open(&n);
    double x = numeric_find(&n, numeric_span(span_text(text))) ? numeric_double(&n) : NAN;
    numeric_close(&n);
    return x;
}

static void finds_the_answer(void **state)
{
    static const struct {
        const char *text;
        double value; /* NaN: none */
    } table[] = {
        {"The answer is 42", 42},
        {"so 1,234 items", 1234},
        {"it costs $15", 15},
        {"half: 1/2", 0.5},
        {"\\boxed{\\frac{3}{4}}", 0.75},
        {"first \\boxed{1} then \\boxed{12}", 12},
        {"\\boxed{a{b}3} 9", 3},
        {"\\boxed{5", 5},
        {"line one 5\nline two 7\n\n", 7},
        {"no digits", NAN},
        {"", NAN},
        {"1e3", 1000},
        {"-8", -8},
        {"\xe2\x88\x92"
         "8",
         -8},
        {"50%", 50},
        {"value = 2.5E-3", 0.0025},
        {"The answer is 3.14159. Page 7", 3.14159},
        {"The answer is .5", 0.5},
        {"The answer is\n5", 5},
        {"answer is: 5\n6", 5},
        {"answer = 7\n9", 7},
        {"the answer is 5. No: the answer is 6.", 6},
        {"answer is $5$", 5},
        {"7.0/2", 3.5},
        {"\\tfrac{1.5}{2} and 9", 0.75},
        {"-\\frac{1}{2}", -0.5},
        {"3/0", NAN},
        {"3/0 or 8", 8},
        {"5-3", 3},
        {"5 -3", -3},
        {"1_000", 1000},
        {"12/5/2024", 2024},
        {"1/2/3", 3},
        {"3 / 4", 0.75},
        {"1/2 then 3/4 then 9", 0.75},
        {"--5", -5},
        {"\xd9\xa3", 3}, /* U+0663 */
        {"a1b2", 2},
        {"1.2.3", 0.3},
        {"5.e3", 5000},
        {"1e", 1},
        {"$1,234.56.", 1234.56},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double got = answer(table[i].text);
        if (isnan(table[i].value) ? !isnan(got) : got != table[i].value)
            fail_msg("%s: %.17g, not %.17g", table[i].text, got, table[i].value);
    }
}

static bool near(const char *got, const char *want, const char *tol, const char *rel, bool percent)
{
    struct numeric n[4];
    for (int i = 0; i < 4; i++)
        numeric_open(&n[i]);
    assert_true(numeric_find(&n[0], span_text(got)));
    assert_true(numeric_find(&n[1], span_text(want)));
    assert_true(numeric_decimal(&n[2], span_text(tol)));
    if (rel)
        assert_true(numeric_decimal(&n[3], span_text(rel)));
    bool close = numeric_close_to(&n[0], &n[1], &n[2], rel ? &n[3] : NULL, percent);
    for (int i = 0; i < 4; i++)
        numeric_close(&n[i]);
    return close;
}

static void compares_exactly(void **state)
{
    (void)state;
    assert_true(
        near("1.01", "1", "0.01", NULL, false)); /* in doubles the difference is a little more */
    assert_false(near("1.0100000000000000000000000001", "1", "0.01", NULL, false));
    assert_true(near("1/3", "2/6", "0", NULL, false));
    assert_true(near("100", "100.9", "1e-6", "0.01", false));
    assert_false(near("100", "101.1", "1e-6", "0.01", false));
    assert_true(near("-101", "-100", "0", "0.01", false));
    assert_true(near("50%", "0.5", "0", NULL, true));
    assert_false(near("50%", "0.5", "0", NULL, false));
    assert_true(near("9007199254740993", "9007199254740993", "0", NULL, false));
    assert_false(near("9007199254740993", "9007199254740992", "0", NULL, false));
    assert_false(near("1e5000", "1e5000", "0", NULL, false) &&
                 near("1e5000", "1", "0", NULL, false));
    assert_true(near("1e-5000", "0", "0.1", NULL, false));
}

static void reads_whole_numbers(void **state)
{
    static const struct {
        const char *text;
        bool number;
    } table[] = {{"$ 1,234.50 %", true}, {"-5", true},   {"5 apples", false}, {"", false},
                 {"1/2", false},         {"3.14", true}, {"..", false},       {"$", false}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct numeric n;
        numeric_open(&n);
        if (numeric_whole(&n, span_text(table[i].text)) != table[i].number)
            fail_msg("%s", table[i].text);
        numeric_close(&n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_answer),
        cmocka_unit_test(compares_exactly),
        cmocka_unit_test(reads_whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
