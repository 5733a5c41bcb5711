/* pytext.h: the text of a JSON value as Python 3.11's str() and repr() give it once json.loads has
 * read it (rows 2.4, 26.2, 26.3): True, None, [1, 'a'], {'k': 1.0}, 1e-07. */
#ifndef WAI_JSON_PYTEXT_H
#define WAI_JSON_PYTEXT_H

#include "json/scan.h"

void json_pystr(struct json_value value, struct buf *out);  /* a string is itself */
void json_pyrepr(struct json_value value, struct buf *out); /* a string is quoted */

/* repr() of a text. */
void py_repr(struct span utf8, struct buf *out);

#endif
