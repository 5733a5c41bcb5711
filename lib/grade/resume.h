/* resume.h: rows graded in an earlier run that was cut short, found again for the same input rows
 * (grade 3.6). A row is taken only when its identity and all that was not graded on it agree. */
#ifndef WAI_GRADE_RESUME_H
#define WAI_GRADE_RESUME_H

#include "base/error.h"
#include "row/row.h"

struct resume;

struct resume *resume_open(const char *path, struct error *error); /* NULL: ERROR_INPUT */

/* The line of the earlier run that belongs to the row, appended to out; false: there is none. Safe
 * to call from several threads. */
bool resume_find(struct resume *r, const struct row *row, struct buf *out);
void resume_close(struct resume *r);

#endif
