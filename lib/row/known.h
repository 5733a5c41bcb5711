/* known.h: the names of the row's own keys (rows 1.2) as numbers, so that one pass over a row's
 * members finds all of them. Internal to the room. */
#ifndef WAI_ROW_KNOWN_H
#define WAI_ROW_KNOWN_H

#include "row/members.h"
#include "row/row.h"

enum row_key_id {
    KEY_PROMPT,
    KEY_STEPS,
    KEY_FINAL_TEXT,
    KEY_SCENARIO_ID,
    KEY_TASK_ID,
    KEY_MESSAGES,
    KEY_OPENER,
    KEY_OPENING,
    KEY_SAMPLING,
    KEY_TOKEN_LOGPROBS,
    /* the 14 axes, in the order of AXES */
    KEY_TIER,
    KEY_ASK_FAMILY,
    KEY_INTENT_KNOWN,
    KEY_TOOL_KNOWN,
    KEY_STANCE,
    KEY_TONE,
    KEY_LENGTH,
    KEY_ASK,
    KEY_VAGUENESS,
    KEY_PHRASING,
    KEY_PRESSURE,
    KEY_USER,
    KEY_TEXTURE,
    KEY_HISTORY,
    KEY_WORLD_STATE,
    KEY_FAULTS,
    KEY_FAULT_DETECTED,
    KEY_ROLLOUT_INDEX,
    KEY_MODEL_VERSION,
    KEY_POLICY_VERSION,
    KEY_REWARD,
    KEY_REASON,
    KEY_JUDGE_NAME,
    KEY_LABEL_SOURCE,
    KEY_JUDGE_STATUS,
    KEY_JUDGE_META,
    KEY_FAILURE_CLASS,
    KEY_LLM_REWARD,
    KEY_LLM_REASON,
    KEY_QWEN_REWARD,
    KEY_MARKERS,
    KEY_CONVERSATION_ID,
    KEY_TS,
    KEY_LINEAGE,
    KEY_QUALITY,
    KEY_QUALITY_REASON,
    KEY_QUALITY_SCORES,
    KEY_TOOLS,
    KEY_GROUP_ID,
    KEY_LOGPROB,
    KEY_N_TOKENS,
    KEY_USAGE,
    KEY_WRITER_MODEL,
    KEY_USER_MODEL,
    KEY_SPEC_ID,
    KEY_CALIBRATION,
    KEY_SCHEMA_VERSION,
    /* read by some forms, otherwise passed through */
    KEY_GRADER_REASON,
    KEY_TOOL_TRACE,
    KEY_TRACE,
    KEY_ROLLOUT_ID,
    KEY_SEED,
    KEY_PRIVILEGED,
    KEY_ARM,
    ROW_KEY_COUNT,
    ROW_KEY_UNKNOWN = ROW_KEY_COUNT,
    KEY_AXES_FIRST = KEY_TIER,
    KEY_AXES_LAST = KEY_HISTORY,
};

extern const struct span ROW_KEY_NAMES[ROW_KEY_COUNT];

enum row_key_id row_key_id(const struct json_member *member);

/* The last value of each known key; text.ptr NULL: absent. */
struct row_known {
    struct json_value at[ROW_KEY_COUNT];
};

void row_known_read(const struct row *row, struct row_known *known);

/* The value is there and Python-true. */
static inline bool value_truthy(struct json_value value)
{
    return value.text.ptr && json_truthy(value);
}

/* There and not null. */
static inline bool value_set(struct json_value value)
{
    return value.type != JSON_VALUE_NULL;
}

/* The row was written with a space after its first colon. */
static inline bool row_spaced(const struct row *row)
{
    return row->members.count && row->members.items[0].value.text.ptr[-1] == ' ';
}

/* A reward that is no reward, as it was; NaN and the infinities, which JSON cannot hold, as texts.
 */
void raw_reward_add(struct json_value value, struct buf *out);

#endif
