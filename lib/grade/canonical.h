/* canonical.h: one text for JSON values that are equal: numbers by value, objects whatever the order of
 * their members, the last of duplicate ones. */
#ifndef WAI_GRADE_CANONICAL_H
#define WAI_GRADE_CANONICAL_H

#include "json/scan.h"

void canonical_add(struct buf *out, struct json_value value);
bool canonical_equal(struct json_value a, struct json_value b);

#endif
