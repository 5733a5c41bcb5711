/* known.c: finds the row's own keys by their names. */
#include "row/known.h"

const struct span ROW_KEY_NAMES[ROW_KEY_COUNT] = {
    {"prompt", 6},
    {"steps", 5},
    {"final_text", 10},
    {"scenario_id", 11},
    {"task_id", 7},
    {"messages", 8},
    {"opener", 6},
    {"opening", 7},
    {"sampling", 8},
    {"token_logprobs", 14},
    {"tier", 4},
    {"ask_family", 10},
    {"intent_known", 12},
    {"tool_known", 10},
    {"stance", 6},
    {"tone", 4},
    {"length", 6},
    {"ask", 3},
    {"vagueness", 9},
    {"phrasing", 8},
    {"pressure", 8},
    {"user", 4},
    {"texture", 7},
    {"history", 7},
    {"world_state", 11},
    {"faults", 6},
    {"fault_detected", 14},
    {"rollout_index", 13},
    {"model_version", 13},
    {"policy_version", 14},
    {"reward", 6},
    {"reason", 6},
    {"judge_name", 10},
    {"label_source", 12},
    {"judge_status", 12},
    {"judge_meta", 10},
    {"failure_class", 13},
    {"llm_reward", 10},
    {"llm_reason", 10},
    {"qwen_reward", 11},
    {"markers", 7},
    {"conversation_id", 15},
    {"ts", 2},
    {"lineage", 7},
    {"quality", 7},
    {"quality_reason", 14},
    {"quality_scores", 14},
    {"tools", 5},
    {"group_id", 8},
    {"logprob", 7},
    {"n_tokens", 8},
    {"usage", 5},
    {"writer_model", 12},
    {"user_model", 10},
    {"spec_id", 7},
    {"calibration", 11},
    {"schema_version", 14},
    {"grader_reason", 13},
    {"tool_trace", 10},
    {"trace", 5},
    {"rollout_id", 10},
    {"seed", 4},
    {"privileged", 10},
    {"arm", 3},
};

/* All names, shorter ones first, then by bytes. */
static const uint8_t BY_LENGTH[ROW_KEY_COUNT] = {
    KEY_TS,
    KEY_ARM,
    KEY_ASK,
    KEY_SEED,
    KEY_TIER,
    KEY_TONE,
    KEY_USER,
    KEY_STEPS,
    KEY_TOOLS,
    KEY_TRACE,
    KEY_USAGE,
    KEY_FAULTS,
    KEY_LENGTH,
    KEY_OPENER,
    KEY_PROMPT,
    KEY_REASON,
    KEY_REWARD,
    KEY_STANCE,
    KEY_HISTORY,
    KEY_LINEAGE,
    KEY_LOGPROB,
    KEY_MARKERS,
    KEY_OPENING,
    KEY_QUALITY,
    KEY_SPEC_ID,
    KEY_TASK_ID,
    KEY_TEXTURE,
    KEY_GROUP_ID,
    KEY_MESSAGES,
    KEY_N_TOKENS,
    KEY_PHRASING,
    KEY_PRESSURE,
    KEY_SAMPLING,
    KEY_VAGUENESS,
    KEY_ASK_FAMILY,
    KEY_FINAL_TEXT,
    KEY_JUDGE_META,
    KEY_JUDGE_NAME,
    KEY_LLM_REASON,
    KEY_LLM_REWARD,
    KEY_PRIVILEGED,
    KEY_ROLLOUT_ID,
    KEY_TOOL_KNOWN,
    KEY_TOOL_TRACE,
    KEY_USER_MODEL,
    KEY_CALIBRATION,
    KEY_QWEN_REWARD,
    KEY_SCENARIO_ID,
    KEY_WORLD_STATE,
    KEY_INTENT_KNOWN,
    KEY_JUDGE_STATUS,
    KEY_LABEL_SOURCE,
    KEY_WRITER_MODEL,
    KEY_FAILURE_CLASS,
    KEY_GRADER_REASON,
    KEY_MODEL_VERSION,
    KEY_ROLLOUT_INDEX,
    KEY_FAULT_DETECTED,
    KEY_POLICY_VERSION,
    KEY_QUALITY_REASON,
    KEY_QUALITY_SCORES,
    KEY_SCHEMA_VERSION,
    KEY_TOKEN_LOGPROBS,
    KEY_CONVERSATION_ID,
};

/* Longer names than these are not the row's own. */
enum { NAME_MAX_LENGTH = 15 };

/* FIRST[n]: place in BY_LENGTH of the first name of n bytes or more. */
static const uint8_t FIRST[NAME_MAX_LENGTH + 2] = {
    0, 0, 0, 1, 3, 7, 11, 18, 27, 33, 34, 45, 49, 53, 57, 63, 64,
};

static enum row_key_id id_of(struct span name)
{
    if (name.len > NAME_MAX_LENGTH)
        return ROW_KEY_UNKNOWN;
    for (size_t i = FIRST[name.len]; i < FIRST[name.len + 1]; i++)
        if (memcmp(ROW_KEY_NAMES[BY_LENGTH[i]].ptr, name.ptr, name.len) == 0)
            return (enum row_key_id)BY_LENGTH[i];
    return ROW_KEY_UNKNOWN;
}

enum row_key_id row_key_id(const struct json_member *member)
{
    if (!member->key_escaped)
        return id_of(member->key);
    struct buf scratch = {0};
    enum row_key_id id = id_of(json_key(member, &scratch));
    buf_free(&scratch);
    return id;
}

void row_known_read(const struct row *row, struct row_known *known)
{
    *known = (struct row_known){0};
    for (size_t i = 0; i < row->members.count; i++) {
        const struct json_member *member = &row->members.items[i];
        enum row_key_id id = row_key_id(member);
        if (id != ROW_KEY_UNKNOWN)
            known->at[id] = member->value;
    }
}

void raw_reward_add(struct json_value value, struct buf *out)
{
    if (value.type == JSON_VALUE_NUMBER && value.flags & JSON_FLAG_NONFINITE)
        buf_format(out, "\"%.*s\"", (int)value.text.len, value.text.ptr);
    else
        buf_span_add(out, value.text);
}
