/* signature.h: behaviour signature, 12 hex characters that are equal when two rollouts did the same
 * (rows 9.4): the tools called, where each argument came from, each status, refusal, length class.
 */
#ifndef WAI_ROW_SIGNATURE_H
#define WAI_ROW_SIGNATURE_H

#include "row/row.h"

enum { ROW_SIGNATURE_LENGTH = 12 }; /* characters */

void row_signature(const struct row *row, char out[ROW_SIGNATURE_LENGTH + 1]);

/* The text that is hashed, appended to out; for tests. */
void row_signature_payload(const struct row *row, struct buf *out);

#endif
