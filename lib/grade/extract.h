/* extract.h: JSON and code inside a reply's text (grade 5.5). */
#ifndef WAI_GRADE_EXTRACT_H
#define WAI_GRADE_EXTRACT_H

#include "base/buf.h"
#include "json/scan.h"

/* The JSON value a reply holds: inside its first fence, the whole text, or the widest span in
 * braces or brackets. Strict JSON (no NaN). The value borrows scratch, which is cleared. */
bool extract_json(struct span text, struct buf *scratch, struct json_value *value);

/* Body of the last closed ``` fence with that tag (any case); ptr NULL: none. Borrows text. */
struct span extract_fence(struct span text, struct span tag);

#endif
