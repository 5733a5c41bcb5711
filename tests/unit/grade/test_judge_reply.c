/* What a judge has written, read (grade 14.4-14.8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "grade/judge_reply.h"

static void labels(void **state)
{
    static const struct {
        const char *reply;
        int label;
        const char *reason;
    } table[] = {
        {"{\"reason\":\"ok\",\"score\":1}", 1, "ok"},
        {"{\"score\":0}", 0, ""},
        {"{\"score\":\"1\"}", -1, ""},
        {"{\"score\":true}", -1, ""},
        {"{\"score\":0.5}", -1, ""},
        {"{\"score\":1.0,\"reason\":\"a  b\\n c\"}", 1, "a b c"},
        {"{\"reward\":1}", 1, ""},
        {"{\"score\":1,\"reward\":0}", -1, ""},
        {"{\"score\":1,\"reward\":1}", 1, ""},
        {"{\"score\":1,\"score\":0}", -1, ""},
        {"{\"score\":1,\"x\":{\"a\":1,\"a\":2}}", -1, ""},
        {"{\"score\":1} then {\"reason\":\"r\",\"score\":0}", 0, "r"},
        {"{\"score\":0} then {\"note\":1}", -1, ""},
        {"say {\"score\": 1} in a text: {\"reason\":\"it says {\\\"score\\\": 1}\",\"score\":0}", 0,
         "it says {\"score\": 1}"},
        {"<think>{\"score\":0}</think>{\"score\":1}", 1, ""},
        {"<think>{\"score\":0}", -1, ""},
        {"{\"score\":1}<think>and", -1, ""},
        {"<THINK>x</THINK> 1", 1, ""},
        {"```json\n{\"score\":0}\n```", 0, ""},
        {"1", 1, ""},
        {" 0 ", 0, ""},
        {"true", -1, ""},
        {"10", -1, ""},
        {"\"1\"", -1, ""},
        {"[1]", -1, ""},
        {"{\"reason\":\"cut off mid", -1, ""},
        {"{\"reason\":\"x\",\"score\":1", 1, "x"},
        {"{\"reason\":\"x\",\"score\": 1.0", 1, "x"},
        {"{\"reason\":\"x\",\"score\": 1.5", -1, "x"},
        {"{\"reason\":\"x\",\"score\": 1 or 0", -1, "x"},
        {"{{\"score\": 1}", 1, ""},
        {"", -1, ""},
        {"{}", -1, ""},
        {"{\"score\": 1e400}", -1, ""},
        {"{\"score\": NaN}", -1, ""},
        {"\xff{\"score\":1}\xfe", 1, ""},
    };
    struct buf reason = {0};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int label = judge_reply_label(span_text(table[i].reply), &reason);
        if (label != table[i].label || !span_is(buf_span(&reason), table[i].reason))
            fail_msg("%s: %d %s", table[i].reply, label, buf_cstr(&reason));
    }
    buf_free(&reason);
}

/* A reply that would cost the square of its length is given up, in time. */
static void bounded(void **state)
{
    struct buf reply = {0}, reason = {0};
    (void)state;
    for (size_t i = 0; i < 1 << 20; i++)
        buf_text(&reply, "{\"");
    assert_int_equal(judge_reply_label(buf_span(&reply), &reason), JUDGE_LABEL_NONE);
    buf_clear(&reply);
    for (size_t i = 0; i < 1 << 20; i++)
        buf_text(&reply, "{[");
    buf_text(&reply, " {\"score\": 1}");
    judge_reply_label(buf_span(&reply), &reason);
    buf_free(&reply);
    buf_free(&reason);
}

static void second_opinions(void **state)
{
    static const struct {
        const char *reply;
        double score; /* negative: none */
    } table[] = {
        {"{\"score\": 0.25}", 0.25},
        {"{\"score\": \"0.5\"}", 0.5},
        {"{\"reward\": 1}", 1},
        {"{\"score\": true}", -1},
        {"{\"score\": 2}", -1},
        {"{\"score\": -0.5}", -1},
        {"```json\n{\"score\": 1}\n```", 1},
        {"so: {\"score\": 0.75, \"reason\": \"a", 0.75},
        {"nothing", -1},
        {"{\"score\": \"NaN\"}", -1},
        {"<think>{\"score\": 1}", -1},
        {"{\"score\": null, \"reward\": 0.5}", 0.5},
    };
    struct buf reason = {0};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double score;
        bool found = judge_reply_advice(span_text(table[i].reply), &score, &reason);
        if (found != (table[i].score >= 0) || (found && score != table[i].score))
            fail_msg("%s", table[i].reply);
    }
    buf_free(&reason);
}

static void winners(void **state)
{
    static const struct {
        const char *reply;
        enum judge_winner winner;
    } table[] = {
        {"{\"winner\":\"A\",\"reason\":\"x\"}", JUDGE_WINNER_A},
        {"{\"winner\":\" b \"}", JUDGE_WINNER_B},
        {"{\"winner\":\"TIE\"}", JUDGE_WINNER_TIE},
        {"{\"winner\":\"Apple\"}", JUDGE_WINNER_NONE},
        {"winner: B", JUDGE_WINNER_B},
        {"winner: Apple", JUDGE_WINNER_NONE},
        {"winner is A", JUDGE_WINNER_NONE},
        {"the \"winner\": \"tie\", clearly", JUDGE_WINNER_TIE},
        {"winner: \xc3\x84", JUDGE_WINNER_NONE},
        {"", JUDGE_WINNER_NONE},
    };
    struct buf reason = {0};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (judge_reply_winner(span_text(table[i].reply), &reason) != table[i].winner)
            fail_msg("%s", table[i].reply);
    buf_free(&reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels),
        cmocka_unit_test(bounded),
        cmocka_unit_test(second_opinions),
        cmocka_unit_test(winners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
