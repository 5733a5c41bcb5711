/* fold.h: lower case, white space and folding as Python 3.11's str does them (rows 2.6, 26.4). */
#ifndef WAI_TEXT_FOLD_H
#define WAI_TEXT_FOLD_H

#include "base/buf.h"

struct span text_strip(struct span s); /* white space off both ends; a slice of s */
struct span text_strip_right(struct span s);
bool text_blank(struct span s);                     /* nothing but white space */
void text_lower(struct span s, struct buf *out);    /* str.lower: full mapping, Final_Sigma */
void text_casefold(struct span s, struct buf *out); /* str.casefold */
void text_fold(struct span s,
               struct buf *out); /* lower, runs of white space to one space, trimmed */

/* Pieces of str.split(): *at starts at 0; false at the end. */
bool text_next_word(struct span s, size_t *at, struct span *word);
size_t text_word_count(struct span s);

/* Pieces of str.splitlines(): breaks at \n \r \r\n \v \f \x1c-\x1e U+0085 U+2028 U+2029,
 * no empty last piece. */
bool text_next_line(struct span s, size_t *at, struct span *line);

#endif
