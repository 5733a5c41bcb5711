/* transcript.h: what coding agents write while they work, a stream of JSON events, as the steps and
 * the last words of a rollout (harness F.5). Lines that are no JSON objects are passed over. Results
 * are text, cut at TRANSCRIPT_RESULT characters; a cut one says so (result_truncated, result_chars). */
#ifndef WAI_AGENT_TRANSCRIPT_H
#define WAI_AGENT_TRANSCRIPT_H

#include "base/buf.h"

enum transcript_format { TRANSCRIPT_CLAUDE, TRANSCRIPT_CODEX, TRANSCRIPT_PI };

/* "claude", "codex", "pi": its format; -1: none of them. */
int transcript_format_of(const char *name);

/* Appends the steps (a JSON array) and the last words. failure (cleared): an error that the agent
 * reported, when it did and said nothing else; empty else. */
void transcript_read(enum transcript_format format, struct span text, struct buf *steps,
                     struct buf *final_text, struct buf *failure);

#endif
