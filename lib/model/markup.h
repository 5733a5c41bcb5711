/* markup.h: tool calls that a model wrote into its text, <tool_call>{…}</tool_call>, as servers
 * without a tool parser leave them (world 8.6); and a reply cut by its budget (world 8.7). */
#ifndef WAI_MODEL_MARKUP_H
#define WAI_MODEL_MARKUP_H

#include "model/chat.h"

/* The calls written in a text, ids by the number of the block ("call_0"), arguments as PYJSON.
 * Blocks that do not parse or name no tool are skipped. *calls lives in the arena. Returns how many.
 */
size_t markup_calls(struct arena *arena, struct span text, struct chat_call **calls);

/* The text without whole blocks, then without stray tags, trimmed; a slice of scratch or text. */
struct span markup_strip(struct span text, struct buf *scratch);

/* A reply cut by the token budget, up to its last whole sentence; only when that leaves more than 40
 * characters, and never for a text that begins as JSON. A slice. */
struct span markup_trim_cut(struct span text);

#endif
