/* test_reply.c: reasoning apart from speech (rows 9.1); replies that reach their end (grade 2.8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/finished.h"
#include "text/reasoning.h"

static void splits_reasoning(void **state)
{
    (void)state;
    static const struct {
        struct span text;
        struct span spoken;
        size_t closed;
        bool unclosed;
    } TABLE[] = {
        {SPAN(""), SPAN(""), 0, false},
        {SPAN("plain"), SPAN("plain"), 0, false},
        {SPAN("a<think>x</think> b"), SPAN("ab"), 1, false},
        {SPAN("<think> </think>hi"), SPAN("hi"), 0, false},
        {SPAN("<think>a</think><think>b"), SPAN(""), 1, true},
        {SPAN("<think>a<think>b</think>c</think>d"), SPAN("c</think>d"), 1, false},
        {SPAN("x <THINK>y</THINK> z <think>w"), SPAN("x z "), 1, true},
        {SPAN("<think>a\nb</think>\n\n\xe3\x80\x80hi"), SPAN("hi"), 1, false},
        {SPAN("</think>stays"), SPAN("</think>stays"), 0, false},
        {SPAN("<thi<think>a</think> k>b"), SPAN("<thik>b"), 1, false},
        {SPAN("<th<think>a</think>ink>rest"), SPAN(""), 1, true}, /* joined by the cut */
        {SPAN("<think"), SPAN("<think"), 0, false},
    };
    struct buf scratch = {0};
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++) {
        struct text_reasoning r = text_split_reasoning(TABLE[i].text, &scratch);
        assert_true(span_equal(r.spoken, TABLE[i].spoken));
        assert_int_equal(r.closed, TABLE[i].closed);
        assert_int_equal(r.unclosed, TABLE[i].unclosed);
    }
    buf_free(&scratch);
}

/* Many openings, many closings, none that match: linear, or this does not end. */
static void splits_in_linear_time(void **state)
{
    (void)state;
    struct buf text = {0}, scratch = {0};
    for (int i = 0; i < 300000; i++)
        buf_text(&text, "<think><");
    struct text_reasoning r = text_split_reasoning(buf_span(&text), &scratch);
    assert_true(r.unclosed && r.spoken.len == 0 && r.closed == 0);
    buf_clear(&text);
    for (int i = 0; i < 300000; i++)
        buf_text(&text, "<think>a</think>");
    r = text_split_reasoning(buf_span(&text), &scratch);
    assert_true(!r.unclosed && r.spoken.len == 0);
    assert_int_equal(r.closed, 300000);
    buf_free(&text);
    buf_free(&scratch);
}

static void knows_finished_replies(void **state)
{
    (void)state;
    static const struct {
        struct span text;
        bool want;
    } TABLE[] = {
        {SPAN(""), false},
        {SPAN("  \n"), false},
        {SPAN("Done."), true},
        {SPAN("Done.  \n"), true},
        {SPAN("Is it?"), true},
        {SPAN("and then it is cut of"), false},
        {SPAN("```\ncode\n```"), true},
        {SPAN("text\n```"), false},
        {SPAN("The answer:\n#### 1,234.5%"), true},
        {SPAN("so\n42"), true},
        {SPAN("so\n# 42"), false},
        {SPAN("so\n##### 42"), false},
        {SPAN("so\n-$42"), true},
        {SPAN("so\n42a"), false},
        {SPAN("Hope it helps\nBest regards"), true},
        {SPAN("Hope it helps\nBestow upon"), false},
        {SPAN("Hope it helps\nThanks for all of the many fine things"), false}, /* over six words */
        {SPAN("Hello\n-- Sam"), true},
        {SPAN("Hello\n\xe2\x80\x94 Sam"), true},
        {SPAN("Best,\nSam Jones"), true},
        {SPAN("See you soon,\nSam"), true},
        {SPAN("See you soon,\nsam"), false},
        {SPAN("See you soon\nSam"), false},
        {SPAN("a \"quoted\""), true},
        {SPAN("a\0"), false},
    };
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
        assert_int_equal(text_finished(TABLE[i].text), TABLE[i].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_reasoning),
        cmocka_unit_test(splits_in_linear_time),
        cmocka_unit_test(knows_finished_replies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
