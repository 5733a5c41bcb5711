/* classes.h: what kind of failure a failed row is (grade 12), read from the reason it was given. */
#ifndef WAI_GRADE_CLASSES_H
#define WAI_GRADE_CLASSES_H

#include "row/row.h"

struct failure_classes; /* compiled hints; safe to use from several threads */

struct failure_classes *failure_classes_new(void);
/* The class of a row that has just been failed for that reason, whatever the row says of itself. */
const char *failure_class_by_reason(const struct failure_classes *c, const struct row *row,
                                    struct span reason);

void failure_classes_free(struct failure_classes *c);

bool failure_row(const struct row *row); /* reward is exactly 0 (or false) */

/* The class of a failed row: the one it has when it is of the vocabulary, else by its reply and its
 * reason; NULL: none fits. */
const char *failure_class_of(const struct failure_classes *c, const struct row *row);

#endif
