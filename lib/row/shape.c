/* shape.c: the forms of a row, and the one walk that finds what tells them apart. See shape.h,
 * look.h. */
#include "row/shape.h"

#include "row/look.h"

/* Names by length, so that most members cost one comparison of a number. */
struct look_name {
    enum look_key key;
    struct span name;
};

#define NAME(key, text)           \
    {                             \
        key,                      \
        {                         \
            text, sizeof text - 1 \
        }                         \
    }
enum { LONGEST = 15, SAME_LENGTH = 4 };
static const struct look_name NAMES[LONGEST + 1][SAME_LENGTH] = {
    [5] = {NAME(LOOK_STEPS, "steps"), NAME(LOOK_TOOLS, "tools")},
    [6] = {NAME(LOOK_PROMPT, "prompt"), NAME(LOOK_REWARD, "reward"), NAME(LOOK_CHOSEN, "chosen")},
    [7] = {NAME(LOOK_MARKERS, "markers")},
    [8] = {NAME(LOOK_MESSAGES, "messages"), NAME(LOOK_REJECTED, "rejected")},
    [9] = {NAME(LOOK_LOSS_MASK, "loss_mask")},
    [10] = {NAME(LOOK_FINAL_TEXT, "final_text"), NAME(LOOK_TOOL_TRACE, "tool_trace"),
            NAME(LOOK_STEPS_JSON, "steps_json")},
    [11] = {NAME(LOOK_SCENARIO_ID, "scenario_id"), NAME(LOOK_CALIBRATION, "calibration")},
    [13] = {NAME(LOOK_ROLLOUT_INDEX, "rollout_index"), NAME(LOOK_MESSAGES_JSON, "messages_json"),
            NAME(LOOK_METADATA_JSON, "metadata_json")},
    [14] = {NAME(LOOK_SCHEMA_VERSION, "schema_version")},
    [15] = {NAME(LOOK_CONVERSATION_ID, "conversation_id")},
};

static void look_at(struct span key, const struct json_value *value, struct row_look *look)
{
    if (key.len > LONGEST)
        return;
    for (const struct look_name *n = NAMES[key.len]; n < NAMES[key.len] + SAME_LENGTH; n++) {
        if (n->name.len && memcmp(n->name.ptr, key.ptr, key.len) == 0) {
            look->at[n->key] = value;
            return;
        }
    }
}

void row_look(const struct row *row, struct row_look *look)
{
    struct buf scratch = {0};
    memset(look, 0, sizeof *look);
    for (size_t i = 0; i < row->members.count; i++) {
        const struct json_member *member = &row->members.items[i];
        struct span key = member->key_escaped ? json_key(member, &scratch) : member->key;
        look_at(key, &member->value, look);
    }
    buf_free(&scratch);
}

bool look_filled_array(const struct json_value *value)
{
    struct json_value item;
    if (!look_is(value, JSON_VALUE_ARRAY))
        return false;
    struct json_cursor c = json_enter(*value);
    return json_next_item(&c, &item);
}

enum row_shape row_shape(const struct row *row)
{
    struct row_look l;
    if (row->value.type != JSON_VALUE_OBJECT)
        return ROW_SHAPE_LOOSE;
    row_look(row, &l);
    return look_shape(&l);
}

enum row_shape look_shape(const struct row_look *l)
{
    const struct json_value *const *at = l->at;
    bool steps = at[LOOK_STEPS] && json_truthy(*at[LOOK_STEPS]);
    if (at[LOOK_SCHEMA_VERSION])
        return ROW_SHAPE_V1;
    if (look_is(at[LOOK_STEPS_JSON], JSON_VALUE_STRING) ||
        look_is(at[LOOK_MESSAGES_JSON], JSON_VALUE_STRING) ||
        look_is(at[LOOK_METADATA_JSON], JSON_VALUE_STRING))
        return ROW_SHAPE_HF_FLAT;
    if (look_filled_array(at[LOOK_MESSAGES]) && !steps && !at[LOOK_FINAL_TEXT])
        return ROW_SHAPE_TRAINING;
    if (look_set(at[LOOK_SCENARIO_ID]))
        return ROW_SHAPE_ENGINE;
    if (look_is(at[LOOK_TOOL_TRACE], JSON_VALUE_ARRAY) && !steps)
        return ROW_SHAPE_PLATFORM_PULL;
    if (look_set(at[LOOK_CONVERSATION_ID]))
        return ROW_SHAPE_OTEL;
    return ROW_SHAPE_LOOSE;
}

const char *row_shape_name(enum row_shape shape)
{
    static const char *const SHAPE_NAMES[] = {
        [ROW_SHAPE_LOOSE] = "loose",     [ROW_SHAPE_V1] = "v1",
        [ROW_SHAPE_HF_FLAT] = "hf_flat", [ROW_SHAPE_TRAINING] = "training",
        [ROW_SHAPE_ENGINE] = "engine",   [ROW_SHAPE_PLATFORM_PULL] = "platform_pull",
        [ROW_SHAPE_OTEL] = "otel",
    };
    return SHAPE_NAMES[shape];
}
