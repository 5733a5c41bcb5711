/* forms.h: other forms of a v1 row, for other programs (rows 1.6, 14). Each takes a row that
 * row_convert_v1 wrote, scanned again, and appends one line without its newline. */
#ifndef WAI_ROW_FORMS_H
#define WAI_ROW_FORMS_H

#include "row/row.h"

/* {"task", "rollout", "judgments", "markers"}. hide: no privileged block anywhere. */
void row_form_objects(const struct row *row, bool hide, struct buf *out);

/* The Task alone: no model output in it. */
void row_form_task(const struct row *row, bool hide, struct buf *out);

/* A line of a sheet for people who write the right answer; false when the row needs none (its
 * reward is not below 1) and `all` is not asked for. */
bool row_form_correction(const struct row *row, bool all, struct buf *out);

/* {"messages", "task_id", "reward"?} */
void row_form_messages(const struct row *row, struct buf *out);

/* Back from row_form_objects (or the reference's objects of the same names): a flat row that
 * row_convert_v1 takes. 0, or -1 with *what. */
int row_from_objects(const struct row *objects, struct buf *out, const char **what);

#endif
