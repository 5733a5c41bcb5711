/* signature.h: behaviour signature, 12 hex characters that are equal when two rollouts did the same
 * (rows 9.4): the tools called, where each argument came from, each status, refusal, length class.
 */
#ifndef WAI_ROW_SIGNATURE_H
#define WAI_ROW_SIGNATURE_H

#include "row/row.h"

enum { ROW_SIGNATURE_LENGTH = 12 }; /* characters */

void row_signature(const struct row *row, char out[ROW_SIGNATURE_LENGTH + 1]);

/* The same for many rows whose steps are read already, with memory kept from one to the next. */
struct row_steps;
struct row_signer;
struct row_signer *row_signer_new(void);
void row_signer_free(struct row_signer *signer);
void row_signature_of(struct row_signer *signer, const struct row *row,
                      const struct row_steps *steps, char out[ROW_SIGNATURE_LENGTH + 1]);

/* The text that is hashed, appended to out; for tests. */
void row_signature_payload(const struct row *row, struct buf *out);

/* Where the value of an argument comes from: "absent" (no text), "user" (the prompt holds it),
 * "derived" (an earlier result does), else "invented". prompt and prior are lower-cased; the buffers
 * are scratch. */
const char *row_origin(struct json_value value, struct span prompt, struct span prior,
                       struct buf *text, struct buf *lowered);

#endif
