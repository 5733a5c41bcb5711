/* call_text.h: calls written as a program writes them: [f(a=1, b="x"), g.h(c=[1, 2])]. */
#ifndef WAI_GRADE_CALL_TEXT_H
#define WAI_GRADE_CALL_TEXT_H

#include "base/buf.h"

/* Appends the calls as a JSON array of {"name": …, "arguments": {…}}: one call, several one after
 * another, or a list of them, the whole text or the inside of its last fenced block. Values are
 * Python's literals; what is none (a variable, an expression) becomes its text. Arguments without a
 * name are named by their number. False, and nothing appended, when the text is no such list. */
bool call_text_json(struct span text, struct buf *out);

#endif
