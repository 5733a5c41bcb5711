/* Math answers: what is equal, what is not, what ends a comparison (grade 6). Truth by arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "grade/math_equal.h"

static enum math_verdict judge(const char *gold, const char *reply)
{
    struct math_side *g = math_gold(span_text(gold));
    if (!g)
        return MATH_NO_GOLD;
    enum math_verdict v = math_compare(g, span_text(reply), 5, NULL);
    math_side_free(g);
    return v;
}

struct pair {
    const char *gold, *reply;
};

static void all(const struct pair *pairs, size_t n, enum math_verdict wanted)
{
    for (size_t i = 0; i < n; i++) {
        enum math_verdict v = judge(pairs[i].gold, pairs[i].reply);
        if (v != wanted)
            fail_msg("%s and %s: %d", pairs[i].gold, pairs[i].reply, v);
    }
}

#define ALL(pairs, wanted) all(pairs, sizeof(pairs) / sizeof *(pairs), wanted)

static void equal_however_spelled(void **state)
{
    static const struct pair pairs[] = {
        {"\\frac{1}{2}", "$\\frac12$"},
        {"\\frac{1}{2}", "$\\dfrac{ 1 }{ 2 }$"},
        {"1.5", "$1\\frac12$"},
        {"\\sqrt{12}", "$2\\sqrt3$"},
        {"\\sqrt[3]{54}", "$3\\sqrt[3]{2}$"},
        {"\\frac{1}{1+\\sqrt{2}}", "$\\sqrt{2}-1$"},
        {"\\sqrt{3+2\\sqrt{2}}", "$1+\\sqrt{2}$"},
        {"\\cos\\frac{\\pi}{5}", "$\\frac{1+\\sqrt5}{4}$"},
        {"\\ln 8", "$3\\ln 2$"},
        {"\\log_4 8", "$\\frac32$"},
        {"e^{\\ln 3}", "$3$"},
        {"(a+b)^3", "$a^3+3a^2b+3ab^2+b^3$"},
        {"\\frac{x^2-1}{x-1}", "$x+1$"},
        {"\\sin 2x", "$2\\sin x\\cos x$"},
        {"1+\\tan^2 x", "$\\sec^2 x$"},
        {"2^{n+1}", "$2\\cdot 2^n$"},
        {"\\frac{n!}{(n-1)!}", "$\\frac{n!}{(n-1)!}$"},
        {"\\binom{n}{2}", "$\\frac{n(n-1)}{2}$"},
        {"\\sum_{k=1}^{10} k^2", "385"},
        {"\\prod_{k=1}^{5} k", "$5!$"},
        {"\\int_0^2 3x^2 dx", "$8$"},
        {"\\frac{d}{dx} x^3", "$3x^2$"},
        {"|{-3}|", "$3$"},
        {"\\lfloor 2.7 \\rfloor", "$2$"},
        {"\\gcd(12, 18)", "$6$"},
        {"0.1\\overline{6}", "$\\frac16$"},
        {"12{,}345.6", "12,345.6"},
        {"[0,1]\\cup[1,2]", "$[0,2]$"},
        {"(-\\infty,0)\\cup(0,\\infty)", "$\\mathbb{R}\\setminus\\{0\\}$"},
        {"x^2 \\le 4", "$[-2,2]$"},
        {"|x| > 1", "$(-\\infty,-1)\\cup(1,\\infty)$"},
        {"-2x < 6", "$(-3,\\infty)$"},
        {"2x+4y=6", "$x+2y=3$"},
        {"x\\in(0,1)", "$0<x<1$ means $(0,1)$"},
        {"\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}\\begin{pmatrix}0&1\\\\1&0\\end{pmatrix}",
         "$\\begin{pmatrix}2&1\\\\4&3\\end{pmatrix}$"},
        {"\\begin{vmatrix}1&2\\\\3&4\\end{vmatrix}", "$-2$"},
        {"(1,2),(3,4)", "$(3,4),(1,2)$"},
        {"1,2;3,4", "$(1,2),(3,4)$"},
        {"x=\\pm 3", "$x=3$ or $x=-3$"},
        {"\\frac{-1\\pm\\sqrt5}{2}", "$\\frac{\\sqrt5-1}{2}, \\frac{-1-\\sqrt5}{2}$"},
        {"\\text{odd}", "$odd$"},
        {"10", "$10$ meters per second"},
        {"5", "\\boxed{5\\text{ apples}}"},
        {"25\\%", "0.25"},
        {"17", "<think>maybe $3$</think> It is \\boxed{17}"},
        {"2\\times10^{-3}", "0.002"},
        {"3:4", "$\\frac34$"},
        {"x^{1/2}", "$\\sqrt{x}$"},
        {"\\$32,\\!348", "$32348"},
        {"\\begin{cases} x & x>0 \\\\ 0 & x<0 \\end{cases}",
         "$\\begin{cases} x & x>0 \\\\ 0 & x<0 \\end{cases}$"},
        {"\\overline{z}", "$\\bar{z}$"},
        {"\\mathbf{i}+2\\mathbf{j}", "$i+2j$"},
        {"(x,y)=(1,2)", "$x=1, y=2$"},
        {"x=1, y=2", "$(x,y)=(1,2)$"},
        {"{10 \\choose 3}", "$\\binom{10}{3}$"},
        {"f(x+1)", "$f(1+x)$"},
        {"7,8,9", "\\boxed{7}, \\boxed{8} and \\boxed{9}"},
    };
    (void)state;
    ALL(pairs, MATH_EQUAL);
}

static void different_although_alike(void **state)
{
    static const struct pair pairs[] = {
        {"\\frac{1}{2}", "$\\frac{1}{3}$"},
        {"0.333", "$\\frac13$"},
        {"\\pi", "$\\frac{22}{7}$"},
        {"\\pi", "$3.14159$"},
        {"2", "2.0000000001"},
        {"\\sqrt{2}", "$\\frac{140}{99}$"},
        {"\\frac{1}{2004!}", "$\\frac{1}{2006!}$"},
        {"\\frac{1}{2^{99}}", "$\\frac{1}{2^{98}}$"},
        {"10^{30}", "$10^{30}+1$"},
        {"1-\\frac1e", "$1+\\frac1e$"},
        {"\\sqrt{x^2}", "$x$"},
        {"\\ln x^2", "$2\\ln x$"},
        {"x+y", "$x+z$"},
        {"x(x-1)(x-2)", "$x^3$"},
        {"2x", "$x^2$"},
        {"3x+2m", "$3x+2$"},
        {"f(x)", "$f(y)$"},
        {"(1,2)", "$(2,1)$"},
        {"(x,y)=(1,2)", "$x=2, y=1$"},
        {"(1,2)", "$[1,2]$"},
        {"[1,2)", "$(1,2]$"},
        {"\\{1,2\\}", "$\\{1,2,3\\}$"},
        {"\\{1,2,3\\}", "$\\{1,2\\}$"},
        {"x>3", "$[3,\\infty)$"},
        {"x>3", "$x<3$"},
        {"x=2", "$2x=4$"},
        {"2x<4", "$x<2$"},
        {"x^2=4", "$x=2$"},
        {"\\pm 2", "$2$"},
        {"\\begin{pmatrix}1\\\\2\\end{pmatrix}", "$\\begin{pmatrix}1&2\\end{pmatrix}$"},
        {"\\text{red}", "$\\text{blue}$"},
        {"\\text{Monday}", "$Tuesday$"},
        {"28", "$0.28$"},
        {"-\\infty", "$\\infty$"},
        {"12", "$1\\,2$ and then $21$"},
        {"32349", "$32, 349$"},
        {"7a+c=1", "$1$"},
        {"\\sin 30", "$\\frac12$"},
        {"1.000001", "$1$"},
        {"5\\%", "$0.5$"},
    };
    (void)state;
    ALL(pairs, MATH_DIFFERENT);
}

/* Spellings that the reference package does not read (D20). */
static void more_spellings(void **state)
{
    static const struct pair pairs[] = {
        {"5", "\\$5"},
        {"-5", "\xe2\x88\x92"
               "5"},
        {"5", "+5"},
        {"1000", "1e3"},
        {"4", "so it is \\boxed{4"},
        {"(1,2)", "(1, 2)"},
        {"1,2", "1 and 2"},
        {"x^2", "x^2"},
        {"\\frac13", "$0.\\overline{3}$"},
        {"\\frac12", "$\\sin 30^\\circ$"},
        {"-1", "$i^2$"},
        {"1000000", "1 000 000"},
        {"1 000 000", "1000000"},
        {"18", "The answer is:18"},
        {"42", "\\boxed{42.}"},
        {"Yes", "Yes."},
        {"Yes", "The answer is **Yes**."},
    };
    (void)state;
    ALL(pairs, MATH_EQUAL);
}

static void what_cannot_be_judged(void **state)
{
    (void)state;
    assert_int_equal(judge("", "5"), MATH_NO_GOLD);
    assert_int_equal(judge("  \n", "5"), MATH_NO_GOLD);
    assert_int_equal(judge("5", ""), MATH_NO_ANSWER);
    assert_int_equal(judge("5", "I do not know"), MATH_NO_ANSWER);
    assert_int_equal(judge("5", "$ $"), MATH_NO_ANSWER);
}

/* The answer is taken from the place that says most clearly that it is one. */
static void places(void **state)
{
    static const struct pair right[] = {
        {"7", "It was $3$. The final answer is $7$. I hope it is correct. Or $9$?"},
        {"7", "\\boxed{7}, as $2+5$ says: $8-1$"},
        {"7", "Answer: 7\nChecked with 8."},
        {"7", "$3$, no: 7"},
        {"7", "[ 7 ]"},
        {"7", "\\[\n7\n\\]"},
    };
    static const struct pair wrong[] = {
        {"3", "It was $3$. The final answer is $7$."},
        {"9", "\\boxed{7} and not $9$"},
        {"8", "Answer: 7\nChecked with 8."},
    };
    (void)state;
    ALL(right, MATH_EQUAL);
    ALL(wrong, MATH_DIFFERENT);
}

static char *repeated(const char *unit, size_t n, const char *end)
{
    struct buf text = {0};
    for (size_t i = 0; i < n; i++)
        buf_text(&text, unit);
    buf_text(&text, end);
    return buf_take(&text);
}

static void hostile_texts_end(void **state)
{
    static const struct {
        const char *unit;
        size_t n;
        const char *end;
    } texts[] = {
        {"(", 5000, "1"},        {"\\frac{1}{", 3000, "1"},
        {"-", 19000, "1"},       {"x", 19000, ""},
        {"^", 3000, ""},         {"{", 9000, ""},
        {"|", 3001, ""},         {"$", 9001, ""},
        {"\\boxed{", 3000, "1"}, {"\\sqrt{", 3000, "x"},
        {"\\pm", 4000, "1"},     {"1,", 9000, "1"},
        {"\\text{", 3000, ""},   {"\\begin{pmatrix}", 900, ""},
        {"9", 19000, ""},        {"[ ", 9000, ""},
        {"9^{", 60, "9"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *text = repeated(texts[i].unit, texts[i].n, texts[i].end);
        struct buf reply = {0};
        buf_format(&reply, "$%s$", text);
        enum math_verdict v = judge("5", buf_cstr(&reply));
        assert_true(v == MATH_DIFFERENT || v == MATH_NO_ANSWER || v == MATH_BUDGET);
        judge(text, text);
        buf_free(&reply);
        free(text);
    }
    assert_int_equal(judge("9^{9^{9^{9}}}", "$1$"), MATH_DIFFERENT);
    assert_int_equal(judge("1", "$(a+b+c+d+e+f+g)^{60}$"), MATH_DIFFERENT);
    assert_int_equal(judge("1", "$1000000!$"), MATH_DIFFERENT);
    assert_int_equal(judge("\\sin x", "$\\sin(x+10^{-400})$"), MATH_DIFFERENT);
}

/* A budget of next to nothing ends a long comparison, and says so. */
static void a_budget_is_kept(void **state)
{
    struct math_side *g = math_gold(SPAN("\\prod_{k=1}^{1000} (x+k)"));
    (void)state;
    assert_int_equal(
        math_compare(g, SPAN("$\\prod_{k=1}^{999} (x+k) \\cdot (1000+x)$"), 1e-3, NULL),
        MATH_BUDGET);
    math_side_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_however_spelled),
        cmocka_unit_test(different_although_alike),
        cmocka_unit_test(more_spellings),
        cmocka_unit_test(what_cannot_be_judged),
        cmocka_unit_test(places),
        cmocka_unit_test(hostile_texts_end),
        cmocka_unit_test(a_budget_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
