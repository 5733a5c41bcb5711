/* wire.h: turns as JSON, in the spellings that trainers read (select 13.2). sharegpt.h has the fifth,
 * LLaMA-Factory's. */
#ifndef WAI_EXPORT_WIRE_H
#define WAI_EXPORT_WIRE_H

#include "export/turns.h"
#include "row/tools.h"

enum export_format {
    EXPORT_OPENAI,
    EXPORT_TRL,
    EXPORT_FIREWORKS,
    EXPORT_AXOLOTL,
    EXPORT_LLAMAFACTORY,
    EXPORT_FORMATS
};

/* The file holds what the trainer reads and nothing beside it. */
static inline bool export_format_bare(enum export_format format)
{
    return format >= EXPORT_FIREWORKS;
}

extern const char *const EXPORT_FORMAT_NAMES[EXPORT_FORMATS];

enum export_weight { EXPORT_WEIGHT_NONE = -1, EXPORT_WEIGHT_0, EXPORT_WEIGHT_1 };

/* openai and trl: role, content, tool_calls, name, tool_call_id; arguments are JSON text in openai
 * and fireworks, an object in trl; fireworks has no name, and weight on assistant turns; axolotl is
 * openai with `training`, true or false, on assistant turns. */
void export_write_turn(const struct export_turns *t, const struct export_turn *turn,
                       enum export_format format, enum export_weight weight, struct json_writer *w);

/* The same with role, content and tool_calls only (fireworks preference files). */
void export_write_bare_turn(const struct export_turns *t, const struct export_turn *turn,
                            struct json_writer *w);

/* Whether a trainer gets an object out of the call's arguments. */
bool export_call_is_sound(struct export_turns *t, const struct export_call *call);

/* Arguments as an object; a text that is none as it is. */
void export_write_object_arguments(const struct export_call *call, struct json_writer *w);

/* The tools as a member of the open object, unless there are none: a JSON text where the format has
 * them so (ragged schemas would not be one column), else an array. */
void export_write_tools(struct span tools, enum export_format format, struct json_writer *w);

/* Arguments as Python's json.dumps with separators "," and ": " gives them. */
void export_arguments_text(const struct export_call *call, struct buf *out);

/* The tools as an array of OpenAI envelopes without local keys; "" when there are none. */
void export_tools_json(const struct row_tools *tools, struct buf *out);

/* Lines of text as a member that is an array of them: the warnings of a report. */
void export_write_lines(const char *key, struct span lines, struct json_writer *w);

/* The first EXPORT_HASH_HEX characters of a SHA-1. */
void export_hash(struct span text, char out[]);

#endif
