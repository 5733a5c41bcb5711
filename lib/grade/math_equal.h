/* math_equal.h: is the answer that a text gives the one wanted, however it is spelled (grade 6): numbers,
 * percents, roots, constants, formulas, tuples, sets, intervals, relations, matrices, words; in LaTeX or
 * plain. Numbers are exact; what is not rational is enclosed by intervals that shrink until they tell
 * two values apart or agree to 2048 bits. Work is bounded by steps, time and memory. */
#ifndef WAI_GRADE_MATH_EQUAL_H
#define WAI_GRADE_MATH_EQUAL_H

#include "base/buf.h"

enum math_verdict {
    MATH_EQUAL,
    MATH_DIFFERENT,
    MATH_NO_GOLD,   /* the reference is not a math expression */
    MATH_NO_ANSWER, /* the candidate holds none */
    MATH_BUDGET,    /* gave up */
};

struct math_side; /* an answer, extracted and parsed; not shared between threads */

/* A reference, read as if it stood between dollars. NULL: it is not a math expression. */
struct math_side *math_gold(struct span text);
void math_side_free(struct math_side *side);

/* Answers of a candidate against a reference; a candidate may be compared with several. timeout_s:
 * processor seconds of one comparison. answer, when not NULL, gets the source text of what was found. */
enum math_verdict math_compare(struct math_side *gold, struct span candidate, double timeout_s,
                               struct buf *answer);

#endif
