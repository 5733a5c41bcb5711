/* fault.h: the one reader of failed tool results (rows 9.3; grade 2.6, 2.7). */
#ifndef WAI_ROW_FAULT_H
#define WAI_ROW_FAULT_H

#include "row/row.h"

/* A tool result that failed. result may be any value; JSON text of an object counts as the object.
 */
bool row_result_failed(struct json_value result);

/* Name of a result's fault ("deny", "timeout", "malformed", a status…) into out (cleared); false:
 * none. */
bool row_result_fault(struct json_value result, struct buf *out);

/* Fault of the row's first faulty step; of its fault plan when no step carries a result; else the
 * text `no fault`. out is cleared. */
void row_fault(const struct row *row, struct buf *out);
struct row_steps;
void row_fault_of(const struct row *row, const struct row_steps *steps,
                  struct buf *out); /* read already */

/* out holds the name of a fault, not `no fault`. */
bool row_fault_is(struct span name);

/* Normalised name of a fault or status ("permission_denied" is "deny"); "" when it means no fault.
 */
void row_fault_name(struct span status, struct buf *out);

#endif
