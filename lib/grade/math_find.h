/* math_find.h: where in a text its answer stands, inside room `grade` (6.1). */
#ifndef WAI_GRADE_MATH_FIND_H
#define WAI_GRADE_MATH_FIND_H

#include "base/arena.h"
#include "base/buf.h"

/* What stands at a place of a text and could be the answer. */
struct math_match {
    size_t from, to;  /* bytes of the text */
    struct span body; /* to be normalised; lives in the arena or the text */
    bool latex;       /* between LaTeX's marks; else a plain number or expression */
};

enum { MATH_MARKS = 5 }; /* kinds of marks that LaTeX stands between */

struct math_matches {
    struct math_match *items;
    size_t n, cap;
    struct {
        size_t from, to;
    } open[MATH_MARKS]; /* of each kind: where no closing mark was found */
    size_t work;        /* bytes looked at for plain expressions */
};

enum { MATH_TIERS = 5 };

/* Matches of one tier, the last to end first. Clears list. */
void math_find(struct span text, int tier, struct arena *arena, struct math_matches *list);
void math_matches_free(struct math_matches *list);

/* The rest of the last line that is not blank, behind "answer is" or a colon where it has them. */
struct span math_last_line(struct span text);

#endif
