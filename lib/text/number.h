/* number.h: floats to text and back as Python 3.11 does (rows 26.2, measure 1.2, 1.6). */
#ifndef WAI_TEXT_NUMBER_H
#define WAI_TEXT_NUMBER_H

#include "base/buf.h"

enum { NUMBER_TEXT_MAX = 32 }; /* bytes, NUL counted */

/* repr(float): the shortest digits that read back, "1.0", "1e-07", "1e+16", "nan", "inf", "-inf". Returns
 * the length. */
size_t number_text(double x, char out[NUMBER_TEXT_MAX]);
void number_add(struct buf *out, double x);

/* round(x, digits): correctly rounded from the exact binary value, ties to even. digits may be < 0. */
double number_round(double x, int digits);
double number_round_even(double x); /* round(x): nearest integer, ties to even */

/* float(text): white space trimmed (not U+001C-001F, as Python has it), underscores between digits,
 * inf/infinity/nan in any case, decimal digits of any script. false when the text is no number. */
bool number_parse(struct span text, double *out);

/* strtod of a JSON number's text, without needing a NUL behind it; locale-independent. */
double number_of_json(struct span token);

#endif
