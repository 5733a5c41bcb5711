/* wire.h: the row as the reference saves and uploads it (rows 6), and the scrub of the teacher's
 * block from rows that leave (world 15.3). */
#ifndef WAI_ROW_WIRE_H
#define WAI_ROW_WIRE_H

#include "row/row.h"

/* The row without the members named privileged, principle, hidden_state, reference, rubric, vector
 * at any depth outside tool arguments, tool results and tool schemas. Every other byte as it was.
 */
void row_scrub(const struct row *row, struct buf *out);

/* The same at any depth, inside arguments and results too (rows 6.1). */
void row_scrub_deep(const struct row *row, struct buf *out);

/* The wire form: scrubbed deep, the members in the order of rows 6, stamped. The caller validates
 * it. */
void row_wire(const struct row *row, struct buf *out);

#endif
