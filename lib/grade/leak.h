/* leak.h: did the agent say what only its teacher or grader was told? (trust-and-guard 14)
 *
 * Needles: every string under privileged.reference, .principle, .hidden_state, in that order, white
 * space folded and lower-cased, of at least LEAK_MIN_LENGTH code points. A row leaks when its
 * assistant's text, folded alike, holds one of them. Numbers and booleans are no needles. */
#ifndef WAI_GRADE_LEAK_H
#define WAI_GRADE_LEAK_H

#include "row/row.h"

enum {
    LEAK_MIN_LENGTH = 12, /* code points; a shorter text says nothing about where it came from */
    LEAK_SHOWN = 80,      /* code points of a needle that a report shows */
};

enum leak_result {
    LEAK_UNCHECKED, /* no needle: nothing can be said */
    LEAK_NONE,
    LEAK_FOUND,
};

/* On LEAK_FOUND field is the needle's dotted path and needle its first LEAK_SHOWN code points; both
 * are appended to. */
enum leak_result leak_find(const struct row *row, struct buf *field, struct buf *needle);

#endif
