/* numeric.h: the number that a text answers with, exactly (grade 5.6). */
#ifndef WAI_GRADE_NUMERIC_H
#define WAI_GRADE_NUMERIC_H

#include <gmp.h>

#include "base/buf.h"

/* Held exactly as a rational where the decimal is of a sane size, else as the nearest long double.
 */
struct numeric {
    bool exact;
    bool percent; /* a % stood behind it */
    mpq_t q;      /* exact */
    long double approximate;
};

void numeric_open(struct numeric *n);
void numeric_close(struct numeric *n);

/* The part of a text that holds its answer: the last \boxed{…}; else what follows the last "answer
 * is" and the like; else the last non-blank line; else all of it. Borrows text. */
struct span numeric_span(struct span text);

/* The number of a span: a LaTeX fraction, else a fraction a/b that stands alone, else the last
 * number. */
bool numeric_find(struct numeric *n, struct span span);

/* A plain decimal and nothing else ("-1.5e3"), as options give it. */
bool numeric_decimal(struct numeric *n, struct span text);

/* |got - want| <= max(tolerance, relative * |want|); relative NULL: the tolerance alone. A percent
 * side counts as a hundredth when percent_value. */
bool numeric_close_to(const struct numeric *got, const struct numeric *want,
                      const struct numeric *tolerance, const struct numeric *relative,
                      bool percent_value);

/* Order of two numbers, as qsort wants it. */
int numeric_compare(const struct numeric *a, const struct numeric *b);

/* a is a whole number of times b; a whole number itself when b is NULL. */
bool numeric_multiple(const struct numeric *a, const struct numeric *b);

double numeric_double(const struct numeric *n);

/* The one number that the text is, once `$ , %` and blanks at its ends are gone ("$1,234.50",
 * "-5"). */
bool numeric_whole(struct numeric *n, struct span text);

#endif
