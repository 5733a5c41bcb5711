/* inputs.h: what every kind of export is told beside its rows: the agent's system prompt and its
 * tools. */
#ifndef WAI_EXPORT_INPUTS_H
#define WAI_EXPORT_INPUTS_H

#include "base/buf.h"
#include "base/error.h"

/* --system-prompt TEXT|@FILE and --policy FILE, two ways to say one thing (world 1.1); NULL where not
 * given. ERROR_USAGE when they differ. */
int export_read_prompt(const char *system_prompt, const char *policy, struct buf *out,
                       struct error *error);

/* --tools FILE|JSON as an array of OpenAI envelopes; nothing when file is NULL. notes: a line for
 * each thing that was passed over. */
int export_read_tools(const char *file, struct buf *out, struct buf *notes, struct error *error);

#endif
