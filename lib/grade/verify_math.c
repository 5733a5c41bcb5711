/* verify_math.c: the verifier math-equal (grade 6). */
#include <stdlib.h>

#include "grade/defaults.h"
#include "grade/math_equal.h"
#include "grade/verify.h"
#include "text/utf8.h"

struct math_state {
    double timeout_s; /* of a comparison */
};

static int math_open_keys(struct verifier *v, struct error *error)
{
    struct math_state *state = mem_zero(1, sizeof *state);
    double timeout =
        verify_arg_number(v, "timeout", v->timeout_s > 0 ? v->timeout_s : MATH_TIMEOUT_S);
    v->state = state;
    state->timeout_s = timeout;
    if (timeout <= 0 || timeout > 3600)
        return error_set(
            error, ERROR_USAGE,
            "math-equal: timeout is %g; more than 0 and at most 3600 seconds are wanted", timeout);
    return 0;
}

static void math_close_keys(struct verifier *v)
{
    free(v->state);
}

static void say(enum math_verdict verdict, struct span answer, struct verdict *out)
{
    switch (verdict) {
    case MATH_EQUAL: verdict_reason(out, "equal to the reference"); break;
    case MATH_NO_ANSWER: verdict_reason(out, "no answer in the reply"); break;
    case MATH_BUDGET: verdict_reason(out, "budget: the comparison takes too long"); break;
    default: {
        struct span shown = utf8_head(answer, SHOWN_CHARS);
        verdict_reason(out, "answers \"%.*s\"", (int)shown.len, shown.ptr ? shown.ptr : "");
    }
    }
}

/* Any of the references; one that is no math expression counts as none. */
static int math_run(const struct verifier *v, const struct verify_input *in, struct verdict *out,
                    struct error *error)
{
    struct buf *text = &in->scratch[0], *answer = &in->scratch[1];
    size_t n = verify_reference_count(in->gold.value);
    const struct math_state *state = v->state;
    enum math_verdict verdict = MATH_NO_GOLD;
    (void)error;
    for (size_t i = 0; i < n && verdict != MATH_EQUAL; i++) {
        struct math_side *gold = math_gold(verify_reference(in->gold.value, i, text));
        if (!gold)
            continue;
        enum math_verdict one = math_compare(gold, in->candidate, state->timeout_s, answer);
        if (verdict == MATH_NO_GOLD || one == MATH_EQUAL || one == MATH_BUDGET)
            verdict = one;
        math_side_free(gold);
    }
    if (verdict == MATH_NO_GOLD) {
        verdict_unjudged(out, "%s: the reference is not a math expression", v->name);
        return 0;
    }
    verdict_score(out, verdict == MATH_EQUAL);
    say(verdict, buf_span(answer), out);
    return 0;
}

static const struct verify_key math_keys[] = {
    {"timeout", VERIFY_NUMBER, NULL}, {"engine", VERIFY_CHOICE, "native"}, {0}};
const struct verify_kind VERIFY_MATH = {.name = "math-equal",
                                        .recorded = "MathEqual",
                                        .keys = math_keys,
                                        .needs_gold = true,
                                        .open = math_open_keys,
                                        .run = math_run,
                                        .close = math_close_keys};
