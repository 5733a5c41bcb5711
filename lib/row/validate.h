/* validate.h: what is wrong with a row, by name (rows 7). The names are stable codes, never
 * sentences:
 *
 *   not_a_dict, empty_row, unknown_schema_version:TEXT                              (alone)
 *   kind row, version 1   prompt_not_str steps_not_list final_text_not_str reward_is_bool
 *                         reward_not_number calibration_invalid
 *   kind training         messages_missing message_without_role tools_not_list loss_mask_invalid
 *   kind preference       chosen_missing rejected_missing
 *   strict, kind row      reward_out_of_range reward_not_finite marker_not_number:NAME
 * step_not_object step_without_kind task_missing final_text_missing strict, every kind
 * duplicate_key:NAME (a member name twice in one object, at any depth)
 *
 * duplicate_rollout, which needs the rows before, is the check's (row/check.h). */
#ifndef WAI_ROW_VALIDATE_H
#define WAI_ROW_VALIDATE_H

#include "row/row.h"

enum row_kind { ROW_KIND_ROW, ROW_KIND_TRAINING, ROW_KIND_PREFERENCE };

#define ROW_KIND_CHOICES "row|training|preference"
const char *row_kind_name(enum row_kind kind);
enum row_kind row_kind_of(const char *name); /* one of ROW_KIND_CHOICES */

/* Problem names of one row, in the order of the table above. `struct row_problems p = {0}` is
 * empty. */
struct row_problems {
    struct buf text; /* the names, one behind the other */
    size_t *ends;    /* ends[i]: where name i ends in it */
    size_t count, cap;
};

/* Clears p and lists the problems of the row. */
void row_validate(const struct row *row, enum row_kind kind, bool strict, struct row_problems *p);

struct span row_problem(const struct row_problems *p, size_t i); /* borrows p */
void row_problem_add(struct row_problems *p, const char *name,
                     struct span detail);                              /* "NAME:DETAIL" */
void row_problems_list(const struct row_problems *p, struct buf *out); /* "a, b" */
void row_problems_free(struct row_problems *p);

/* The version of an object: "0" when schema_version is absent or null, else its text (rows 1.5);
 * borrows the row or scratch. */
struct span row_version(const struct row *row, struct buf *scratch);

/* A valid calibration (rows 4.3): an object with pass_rate in [0,1] and n of 1 or more. */
bool row_calibration_valid(struct json_value value);

#endif
