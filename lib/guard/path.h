/* path.h: a value of a row by its dotted path, and the text that groups rows. */
#ifndef WAI_GUARD_PATH_H
#define WAI_GUARD_PATH_H

#include "row/row.h"

/* The value at a dotted path; a member of that very name goes first. */
bool guard_path(const struct row *row, const char *path, struct json_value *value);

/* Text of the key that groups a row: "task", or a path; "" when falsy. Borrows the row or scratch. */
struct span guard_group(const struct row *row, const char *group_by, struct buf *scratch);

#endif
