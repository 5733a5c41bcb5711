/* usable.h: is a rollout fit to be counted (rows 9.2), why it ended (9.7), what it failed (9.5). */
#ifndef WAI_ROW_USABLE_H
#define WAI_ROW_USABLE_H

#include "row/row.h"
#include "json/write.h"

enum row_unusable { ROW_USABLE, ROW_AGENT_ERROR, ROW_EMPTY_REPLY, ROW_TOOL_MARKUP };

enum row_unusable row_unusable(const struct row *row);
const char *row_unusable_name(enum row_unusable why); /* "agent_error", …; NULL for ROW_USABLE */

/* Tool-call tags or a dumped tool schema in a text meant for people. */
bool row_has_tool_markup(struct span text);

/* `stop`, `length`, `tool` or `error`: what the row says, else derived. */
const char *row_finish_reason(const struct row *row);

/* Writes the sorted array of the markers that failed. */
void row_failed_criteria(const struct row *row, struct json_writer *w);

bool row_mutation_worthy(const struct row *row);

#endif
