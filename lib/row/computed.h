/* computed.h: keys that are computed from one row and added to it (rows 14, --add), and texts of
 * the agent without its thoughts (--strip-reasoning). */
#ifndef WAI_ROW_COMPUTED_H
#define WAI_ROW_COMPUTED_H

#include "base/error.h"
#include "row/row.h"
#include "json/edit.h"

#define ROW_COMPUTED_WORDS "fault, signature, usable, criteria, aim, reasoning, id, task"

/* "fault,id" as a set. 0, or ERROR_USAGE naming the word that is none. */
int row_computed_parse(const char *list, unsigned *set, struct error *error);

/* The keys of the set as changes to the row; `id` and `task` only where the row lacks them. */
void row_computed(const struct row *row, unsigned set, struct json_edit *edit);

/* rollout_id, task_id and the like of a row without one (rows 2.5): appended to out. */
void row_rollout_id(const struct row *row, struct buf *out);

/* final_text, step texts and assistant contents by their spoken part, and `reasoning` (rows 9.1),
 * as changes to the row. A row that was stripped before keeps its `reasoning`. */
void row_strip_reasoning(const struct row *row, struct json_edit *edit);

#endif
