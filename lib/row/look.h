/* look.h: the members that shapes and validation ask for, found in one walk over a row's members:
 * twenty searches of their own would cost as much as the scan. */
#ifndef WAI_ROW_LOOK_H
#define WAI_ROW_LOOK_H

#include "row/shape.h"
#include "row/validate.h"

enum look_key {
    LOOK_STEPS,
    LOOK_TOOLS,
    LOOK_PROMPT,
    LOOK_REWARD,
    LOOK_CHOSEN,
    LOOK_MARKERS,
    LOOK_MESSAGES,
    LOOK_REJECTED,
    LOOK_LOSS_MASK,
    LOOK_FINAL_TEXT,
    LOOK_TOOL_TRACE,
    LOOK_STEPS_JSON,
    LOOK_SCENARIO_ID,
    LOOK_CALIBRATION,
    LOOK_ROLLOUT_INDEX,
    LOOK_MESSAGES_JSON,
    LOOK_METADATA_JSON,
    LOOK_SCHEMA_VERSION,
    LOOK_CONVERSATION_ID,
    LOOK_COUNT,
};

struct row_look {
    const struct json_value *at[LOOK_COUNT]; /* the last member of that name, or NULL */
};

void row_look(const struct row *row, struct row_look *look);

/* There and not null. */
static inline bool look_set(const struct json_value *value)
{
    return value && value->type != JSON_VALUE_NULL;
}

static inline bool look_is(const struct json_value *value, enum json_type type)
{
    return value && value->type == type;
}

bool look_filled_array(const struct json_value *value); /* an array with an item */

/* row_shape of an object and row_validate, for a caller that has looked already. */
enum row_shape look_shape(const struct row_look *look);
void look_validate(const struct row *row, const struct row_look *look, enum row_kind kind,
                   bool strict, struct row_problems *p);

#endif
