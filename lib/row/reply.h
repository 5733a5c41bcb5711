/* reply.h: quantities of what the agent said (guard 2.3). Each takes the row and its conversation,
 * read beforehand by row_conversation_read. */
#ifndef WAI_ROW_REPLY_H
#define WAI_ROW_REPLY_H

#include "row/conversation.h"

/* final_text, then each assistant content that is not empty and differs from it, joined by
 * newlines. */
void row_said(const struct row *row, struct row_conversation *c, struct buf *out);

/* The same with repeats kept, lower-cased: for matching phrases. */
void row_assistant_text(const struct row *row, struct row_conversation *c, struct buf *out);

/* Code points of all assistant contents, and of final_text when it is not the last of them. */
size_t row_reply_length(const struct row *row, struct row_conversation *c);

size_t row_assistant_turns(const struct row_conversation *c);

/* Objects with a truthy tool in steps, or in tool_trace when steps is falsy. */
size_t row_tool_calls(const struct row *row);

/* The reply was cut: finish_reason length, a truncated step, a reason that says so (not negated),
 * or 200 characters and more that do not reach an end. */
bool row_is_truncated(const struct row *row);
struct row_steps;
bool row_is_truncated_of(const struct row *row, const struct row_steps *steps); /* read already */

#endif
