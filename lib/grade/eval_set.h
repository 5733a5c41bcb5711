/* eval_set.h: asks that the rows must cover (grade 19.2): which of them do. */
#ifndef WAI_GRADE_EVAL_SET_H
#define WAI_GRADE_EVAL_SET_H

#include "base/error.h"
#include "row/row.h"
#include "json/write.h"

struct eval_set;

/* Lines of a file: JSON strings, rows with a prompt, or plain text. NULL: ERROR_INPUT. */
struct eval_set *eval_set_open(const char *path, struct error *error);
void eval_set_close(struct eval_set *set);

void eval_set_row(struct eval_set *set, const struct row *row);

/* The value {eval_set, covered, missing}. */
void eval_set_write(const struct eval_set *set, struct json_writer *w);

/* How many asks there are, and how many of them a row has. */
void eval_set_counts(const struct eval_set *set, size_t *asks, size_t *covered);

#endif
