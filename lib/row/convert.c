/* convert.c: any known shape to the v1 row, member by member (rows 4). The calibration and the
 * steps have their own files; the shapes' normalisation is in normalise.c. */
#include "row/convert.h"

#include <stdlib.h>

#include "row/converter.h"
#include "row/key.h"
#include "row/validate.h"
#include "row/value.h"
#include "text/number.h"

const char *row_repair_name(enum row_repair repair)
{
    static const char *const NAMES[ROW_REPAIR_COUNT] = {
        "reward_invalid",  "marker_not_number", "calibration_invalid",
        "step_not_object", "fault_not_object",  "arguments_invalid",
    };
    return NAMES[repair];
}

struct row_converter *row_converter_new(void)
{
    return mem_zero(1, sizeof(struct row_converter));
}

void row_converter_free(struct row_converter *c)
{
    if (!c)
        return;
    row_conversation_free(&c->conversation);
    row_tracer_free(&c->tracer);
    json_edit_free(&c->edit);
    json_members_free(&c->members);
    arena_free(&c->arena);
    buf_free(&c->text);
    buf_free(&c->scratch);
    buf_free(&c->task);
    member_list_free(&c->rest);
    member_list_free(&c->step_rest);
    free(c);
}

struct span row_converter_task(const struct row_converter *c)
{
    return buf_span(&c->task);
}

/* ---- small writers ------------------------------------------------------------------------- */

static void write_key(struct v1 *v, enum row_key_id id)
{
    json_write_key_span(&v->w, ROW_KEY_NAMES[id]);
}

static void write_raw(struct v1 *v, enum row_key_id id)
{
    write_key(v, id);
    json_write_raw(&v->w, v->known.at[id].text);
}

/* A text member: a string as it stands, another true value as its text, a false one as "". */
static void write_text(struct v1 *v, enum row_key_id id)
{
    struct json_value value = v->known.at[id];
    write_key(v, id);
    if (value.type == JSON_VALUE_STRING)
        json_write_raw(&v->w, value.text);
    else
        json_write_span(&v->w, value_truthy(value) ? value_text(value, &v->c->scratch) : SPAN(""));
}

static void write_truthy(struct v1 *v, enum row_key_id id)
{
    if (value_truthy(v->known.at[id]))
        write_raw(v, id);
}

static void write_set(struct v1 *v, enum row_key_id id)
{
    if (value_set(v->known.at[id]))
        write_raw(v, id);
}

static bool text_is(struct v1 *v, enum row_key_id id, const char *text)
{
    return v->known.at[id].type == JSON_VALUE_STRING &&
           span_is(json_text(v->known.at[id], &v->c->scratch), text);
}

/* A number of a reward: numbers keep their text, booleans and numeric text become one. */
static void write_number(struct v1 *v, enum row_key_id id)
{
    struct buf text = {0};
    value_num_text(v->known.at[id], &text);
    write_key(v, id);
    json_write_raw(&v->w, buf_span(&text));
    buf_free(&text);
}

/* ---- task and world ------------------------------------------------------------------------ */

/* The id that groups the row, kept in c->task. */
static struct span task_id(struct v1 *v)
{
    struct json_value id = v->known.at[KEY_SCENARIO_ID];
    if (!value_truthy(id))
        id = v->known.at[KEY_TASK_ID];
    buf_clear(&v->c->task);
    if (value_truthy(id)) {
        buf_span_add(&v->c->task, value_text(id, &v->c->scratch));
    } else {
        struct json_value prompt = v->known.at[KEY_PROMPT];
        row_task_id_of(value_truthy(prompt) ? value_text(prompt, &v->c->scratch) : SPAN(""),
                       &v->c->task);
    }
    return buf_span(&v->c->task);
}

static void write_scenario_id(struct v1 *v)
{
    struct json_value id = v->known.at[KEY_SCENARIO_ID];
    struct span text = task_id(v);
    write_key(v, KEY_SCENARIO_ID);
    if (id.type == JSON_VALUE_STRING && value_truthy(id))
        json_write_raw(&v->w, id.text);
    else
        json_write_span(&v->w, text);
}

static void write_messages(struct v1 *v)
{
    struct json_value own = v->known.at[KEY_MESSAGES];
    write_key(v, KEY_MESSAGES);
    if (value_truthy(own)) {
        json_write_raw(&v->w, own.text);
        return;
    }
    row_conversation_build(&v->c->conversation, v->row);
    row_conversation_write(&v->c->conversation, &v->w);
}

static bool is_no_world(struct v1 *v)
{
    return !value_truthy(v->known.at[KEY_WORLD_STATE]) ||
           text_is(v, KEY_WORLD_STATE, "unspecified") || text_is(v, KEY_WORLD_STATE, "unknown");
}

/* The members of an object into the list that is free, each name once. */
static const struct member_list *members_once(struct v1 *v, struct json_value object)
{
    struct member_list *list = &v->c->step_rest;
    struct json_cursor c = json_enter(object);
    struct json_member m;
    list->count = 0;
    while (json_next_member(&c, &m))
        member_list_add(list, &m);
    member_list_settle(list);
    return list;
}

/* Only members whose value is an object are faults. */
static void write_faults(struct v1 *v)
{
    struct json_value faults = v->known.at[KEY_FAULTS];
    const struct member_list *list = members_once(v, faults);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        kept += list->items[i].value.type == JSON_VALUE_OBJECT;
    v->repairs->count[ROW_REPAIR_FAULT] += (uint32_t)(list->count - kept);
    if (!kept)
        return;
    write_key(v, KEY_FAULTS);
    if (kept == list->count) {
        json_write_raw(&v->w, faults.text);
        return;
    }
    json_write_object(&v->w);
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].value.type == JSON_VALUE_OBJECT)
            json_write_member(&v->w, &list->items[i]);
    json_write_end_object(&v->w);
}

static void write_world(struct v1 *v)
{
    for (int id = KEY_AXES_FIRST; id <= KEY_AXES_LAST; id++)
        write_set(v, (enum row_key_id)id);
    if (!is_no_world(v))
        write_raw(v, KEY_WORLD_STATE);
    if (v->known.at[KEY_FAULTS].type == JSON_VALUE_OBJECT)
        write_faults(v);
    if (value_truthy(v->known.at[KEY_FAULT_DETECTED])) {
        write_key(v, KEY_FAULT_DETECTED);
        json_write_bool(&v->w, true);
    }
    struct json_value index = v->known.at[KEY_ROLLOUT_INDEX];
    if (value_set(index)) {
        write_key(v, KEY_ROLLOUT_INDEX);
        if (index.type == JSON_VALUE_NUMBER && index.flags & JSON_FLAG_INTEGER)
            json_write_raw(&v->w, index.text);
        else
            json_write_int(&v->w, value_int(index));
    }
    write_set(v, KEY_MODEL_VERSION);
    write_truthy(v, KEY_POLICY_VERSION);
}

/* ---- judgments ----------------------------------------------------------------------------- */

static bool has_verdict(struct v1 *v)
{
    const struct json_value *at = v->known.at;
    return at[KEY_REWARD].text.ptr || value_truthy(at[KEY_JUDGE_NAME]) ||
           value_truthy(at[KEY_LABEL_SOURCE]) ||
           (value_truthy(at[KEY_JUDGE_STATUS]) && !text_is(v, KEY_JUDGE_STATUS, "ok"));
}

/* judge_meta with what the reward was before it was found to be none. */
static void write_meta_with_raw_reward(struct v1 *v)
{
    struct json_value meta = v->known.at[KEY_JUDGE_META];
    struct json_members members = {0};
    struct buf raw = {0}, out = {0};
    struct span object = v->w.style == JSON_STYLE_SPACED ? SPAN("{ }") : SPAN("{}");
    json_edit_clear(&v->c->edit);
    raw_reward_add(v->known.at[KEY_REWARD], &raw);
    json_edit_set(&v->c->edit, SPAN("raw_reward"), buf_span(&raw));
    if (meta.type == JSON_VALUE_OBJECT) {
        json_members_of(meta, &members);
        object = meta.text;
    } else if (value_truthy(meta)) {
        json_edit_set(&v->c->edit, SPAN("raw_judge_meta"), meta.text);
    }
    json_edit_apply(&v->c->edit, object, &members, &out);
    write_key(v, KEY_JUDGE_META);
    json_write_raw(&v->w, buf_span(&out));
    json_members_free(&members);
    buf_free(&raw);
    buf_free(&out);
}

static void write_verdict(struct v1 *v)
{
    struct json_value reward = v->known.at[KEY_REWARD];
    double x;
    bool readable = value_set(reward) && value_num(reward, &x);
    bool invalid = value_set(reward) && !readable;
    if (readable) {
        write_number(v, KEY_REWARD);
    } else if (reward.text.ptr) {
        write_key(v, KEY_REWARD);
        json_write_null(&v->w);
    }
    if (value_truthy(v->known.at[KEY_REASON]))
        write_text(v, KEY_REASON);
    write_truthy(v, KEY_JUDGE_NAME);
    write_truthy(v, KEY_LABEL_SOURCE);
    if (invalid) {
        v->repairs->count[ROW_REPAIR_REWARD]++;
        write_key(v, KEY_JUDGE_STATUS);
        json_write_text(&v->w, "invalid_result");
        write_meta_with_raw_reward(v);
    } else {
        if (!text_is(v, KEY_JUDGE_STATUS, "ok"))
            write_truthy(v, KEY_JUDGE_STATUS);
        write_truthy(v, KEY_JUDGE_META);
    }
    write_truthy(v, KEY_FAILURE_CLASS);
}

/* A number where the value is one, the value as it was where it is none. */
static void write_num_or_raw(struct v1 *v, enum row_key_id id)
{
    double x;
    if (value_set(v->known.at[id]) && value_num(v->known.at[id], &x))
        write_number(v, id);
    else
        write_raw(v, id);
}

static void write_advice(struct v1 *v)
{
    if (v->known.at[KEY_LLM_REWARD].text.ptr) {
        write_num_or_raw(v, KEY_LLM_REWARD);
        write_text(v, KEY_LLM_REASON);
    }
    if (value_set(v->known.at[KEY_QWEN_REWARD]))
        write_num_or_raw(v, KEY_QWEN_REWARD);
}

static void write_markers(struct v1 *v)
{
    struct json_value markers = v->known.at[KEY_MARKERS];
    if (markers.type != JSON_VALUE_OBJECT || !json_truthy(markers))
        return;
    const struct member_list *list = members_once(v, markers);
    struct buf text = {0};
    write_key(v, KEY_MARKERS);
    json_write_object(&v->w);
    for (size_t i = 0; i < list->count; i++) {
        struct json_member m = list->items[i];
        double x;
        bool number = value_num(m.value, &x);
        v->repairs->count[ROW_REPAIR_MARKER] += !number;
        if (number && m.value.type != JSON_VALUE_NUMBER) {
            buf_clear(&text);
            number_add(&text, x);
            m.value.text = buf_span(&text);
        }
        json_write_member(&v->w, &m);
    }
    json_write_end_object(&v->w);
    buf_free(&text);
}

/* ---- the rest ------------------------------------------------------------------------------ */

static void write_records(struct v1 *v)
{
    static const enum row_key_id SET[] = {
        KEY_CONVERSATION_ID, KEY_TS,           KEY_LINEAGE,    KEY_QUALITY, KEY_QUALITY_REASON,
        KEY_QUALITY_SCORES,  KEY_TOOLS,        KEY_GROUP_ID,   KEY_LOGPROB, KEY_N_TOKENS,
        KEY_USAGE,           KEY_WRITER_MODEL, KEY_USER_MODEL,
    };
    for (size_t i = 0; i < sizeof SET / sizeof *SET; i++)
        write_set(v, SET[i]);
    write_truthy(v, KEY_SPEC_ID);
    struct json_value calibration = v->known.at[KEY_CALIBRATION];
    if (!value_set(calibration))
        return;
    write_key(v, KEY_CALIBRATION);
    if (row_calibration_valid(calibration)) {
        struct json_value task = v->known.at[KEY_SCENARIO_ID];
        if (!value_truthy(task))
            task = v->known.at[KEY_PROMPT];
        row_calibration_write(
            calibration, value_truthy(task) ? value_text(task, &v->c->scratch) : SPAN(""), &v->w);
    } else {
        v->repairs->count[ROW_REPAIR_CALIBRATION]++;
        json_write_raw(&v->w, calibration.text);
    }
}

/* The member was written above, or stands for nothing. */
static bool is_consumed(const struct v1 *v, enum row_key_id id)
{
    const struct json_value *at = v->known.at;
    switch (id) {
    case ROW_KEY_UNKNOWN:
    case KEY_TASK_ID:
    case KEY_GRADER_REASON:
    case KEY_ROLLOUT_ID:
    case KEY_SEED:
    case KEY_PRIVILEGED:
    case KEY_ARM: return false;
    case KEY_TOOL_TRACE: return v->c->steps_from == ROW_TRACE_TOOL_TRACE;
    case KEY_TRACE: return v->c->steps_from == ROW_TRACE_TRACE;
    case KEY_REASON:
    case KEY_JUDGE_META:
    case KEY_FAILURE_CLASS: return v->verdict;
    case KEY_LLM_REASON: return at[KEY_LLM_REWARD].text.ptr != NULL;
    case KEY_MARKERS:
    case KEY_FAULTS: return at[id].type == JSON_VALUE_OBJECT || !json_truthy(at[id]);
    default: return true;
    }
}

static void write_rest(struct v1 *v, bool task_key)
{
    struct member_list *rest = &v->c->rest;
    rest->count = 0;
    for (size_t i = 0; i < v->row->members.count; i++) {
        const struct json_member *m = &v->row->members.items[i];
        if (!is_consumed(v, row_key_id(m)))
            member_list_add(rest, m);
    }
    member_list_settle(rest);
    for (size_t i = 0; i < rest->count; i++) {
        if (task_key && json_key_is(&rest->items[i], SPAN("task_id"))) {
            json_write_key(&v->w, "task_id");
            json_write_span(&v->w, task_id(v));
        } else {
            json_write_member(&v->w, &rest->items[i]);
        }
    }
    if (task_key && !v->known.at[KEY_TASK_ID].text.ptr) {
        json_write_key(&v->w, "task_id");
        json_write_span(&v->w, task_id(v));
    }
}

static bool is_known_version(struct v1 *v)
{
    struct span version = row_version(v->row, &v->c->scratch);
    return span_is(version, "0") || span_is(version, "1");
}

int row_convert_v1(struct row_converter *c, const struct row *row, bool task_key, struct buf *out,
                   struct row_repairs *repairs, const char **what)
{
    struct v1 v = {.c = c, .row = row, .repairs = repairs};
    if (!is_known_version(&v)) {
        *what = "schema_version is neither \"0\" nor \"1\"; convert it with the tool that wrote it";
        return -1;
    }
    row_known_read(row, &v.known);
    v.verdict = has_verdict(&v);
    json_write_start(&v.w, out, row_spaced(row) ? JSON_STYLE_SPACED : JSON_STYLE_COMPACT);
    json_write_object(&v.w);
    write_text(&v, KEY_PROMPT);
    v1_write_steps(&v);
    write_text(&v, KEY_FINAL_TEXT);
    write_scenario_id(&v);
    write_messages(&v);
    write_truthy(&v, KEY_OPENER);
    write_truthy(&v, KEY_OPENING);
    write_truthy(&v, KEY_SAMPLING);
    write_truthy(&v, KEY_TOKEN_LOGPROBS);
    write_world(&v);
    if (v.verdict)
        write_verdict(&v);
    write_advice(&v);
    write_markers(&v);
    write_records(&v);
    write_rest(&v, task_key);
    write_key(&v, KEY_SCHEMA_VERSION);
    json_write_text(&v.w, "1");
    json_write_end_object(&v.w);
    return 0;
}
