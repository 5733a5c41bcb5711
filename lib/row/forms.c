/* forms.c: a v1 row as the four records it is a projection of, and as other forms (rows 1.6, 14).
 */
#include "row/forms.h"

#include "row/computed.h"
#include "row/known.h"
#include "row/usable.h"
#include "row/value.h"
#include "json/write.h"

struct form {
    const struct row *row;
    struct row_known known;
    struct json_writer w;
    struct buf scratch, id;
};

static void form_start(struct form *f, const struct row *row, struct buf *out)
{
    *f = (struct form){.row = row};
    row_known_read(row, &f->known);
    json_write_start(&f->w, out, row_spaced(row) ? JSON_STYLE_SPACED : JSON_STYLE_COMPACT);
}

static void form_end(struct form *f)
{
    buf_free(&f->scratch);
    buf_free(&f->id);
}

/* A member with the value of one of the row's own keys, or what stands for it when it is not there.
 */
static void put(struct form *f, const char *name, enum row_key_id id, const char *absent)
{
    struct json_value value = f->known.at[id];
    json_write_key(&f->w, name);
    json_write_raw(&f->w, value_set(value) ? value.text : span_text(absent));
}

static void put_raw(struct form *f, const char *name, const char *json)
{
    json_write_key(&f->w, name);
    json_write_raw(&f->w, span_text(json));
}

/* ---- task ---------------------------------------------------------------------------------- */

static const char *const TEACHER[][2] = {
    {"principle", "null"}, {"hidden_state", "{}"}, {"reference", "null"}, {"rubric", "{}"}};
enum { N_TEACHER = 4 };

static bool is_teacher_name(const struct json_member *m)
{
    for (size_t i = 0; i < N_TEACHER; i++)
        if (json_key_is(m, span_text(TEACHER[i][0])))
            return true;
    return false;
}

static void put_privileged(struct form *f, bool hide)
{
    struct json_value block = f->known.at[KEY_PRIVILEGED], value;
    if (hide || block.type != JSON_VALUE_OBJECT)
        block = (struct json_value){0};
    json_write_key(&f->w, "privileged");
    json_write_object(&f->w);
    for (size_t i = 0; i < N_TEACHER; i++) {
        bool there =
            block.text.ptr && json_get(block, span_text(TEACHER[i][0]), &value) && value_set(value);
        json_write_key(&f->w, TEACHER[i][0]);
        json_write_raw(&f->w, there ? value.text : span_text(TEACHER[i][1]));
    }
    struct json_cursor c = {0};
    if (block.text.ptr)
        c = json_enter(block);
    struct json_member m;
    while (json_next_member(&c, &m))
        if (!is_teacher_name(&m))
            json_write_member(&f->w, &m);
    json_write_end_object(&f->w);
}

static void put_task(struct form *f, bool hide)
{
    json_write_object(&f->w);
    put(f, "task_id", KEY_SCENARIO_ID, "\"\"");
    put(f, "spec_id", KEY_SPEC_ID, "\"\"");
    put(f, "prompt", KEY_PROMPT, "\"\"");
    put_raw(f, "prefix", "[]");
    json_write_key(&f->w, "world");
    json_write_object(&f->w);
    put(f, "seed", KEY_SEED, "null");
    put(f, "state", KEY_WORLD_STATE, "null");
    put(f, "faults", KEY_FAULTS, "{}");
    put_raw(f, "exemplars", "{}");
    json_write_end_object(&f->w);
    put_privileged(f, hide);
    json_write_key(&f->w, "axes");
    json_write_object(&f->w);
    for (int id = KEY_AXES_FIRST; id <= KEY_AXES_LAST; id++) {
        if (!value_set(f->known.at[id]))
            continue;
        json_write_key_span(&f->w, ROW_KEY_NAMES[id]);
        json_write_raw(&f->w, f->known.at[id].text);
    }
    json_write_end_object(&f->w);
    put_raw(f, "behaviors", "[]");
    json_write_key(&f->w, "lineage");
    json_write_object(&f->w);
    put_raw(f, "parent_task_id", "null");
    put_raw(f, "transform", "null");
    put_raw(f, "seed", "null");
    json_write_end_object(&f->w);
    json_write_end_object(&f->w);
}

void row_form_task(const struct row *row, bool hide, struct buf *out)
{
    struct form f;
    form_start(&f, row, out);
    put_task(&f, hide);
    form_end(&f);
}

/* ---- rollout ------------------------------------------------------------------------------- */

static void put_rollout_id(struct form *f)
{
    struct json_value id = f->known.at[KEY_ROLLOUT_ID];
    if (!f->id.len) {
        if (value_truthy(id))
            buf_span_add(&f->id, value_text(id, &f->scratch));
        else
            row_rollout_id(f->row, &f->id);
    }
    json_write_key(&f->w, "rollout_id");
    json_write_span(&f->w, buf_span(&f->id));
}

static void put_text(struct form *f, const char *name, struct json_value value)
{
    json_write_key(&f->w, name);
    json_write_span(&f->w, value_truthy(value) ? value_text(value, &f->scratch) : SPAN(""));
}

static void put_policy(struct form *f)
{
    json_write_key(&f->w, "policy");
    json_write_object(&f->w);
    put_text(f, "name", f->known.at[KEY_MODEL_VERSION]);
    put(f, "model", KEY_MODEL_VERSION, "null");
    put_raw(f, "prompt_hash", "null");
    put(f, "version", KEY_POLICY_VERSION, "null");
    json_write_end_object(&f->w);
}

static void put_ledger(struct form *f)
{
    struct json_value faults = f->known.at[KEY_FAULTS], mode, rate;
    struct json_cursor c = {0};
    struct json_member m;
    double x;
    if (faults.type == JSON_VALUE_OBJECT)
        c = json_enter(faults);
    json_write_key(&f->w, "ledger");
    json_write_array(&f->w);
    while (json_next_member(&c, &m)) {
        if (!json_get(m.value, SPAN("mode"), &mode) || !json_truthy(mode))
            continue;
        json_write_object(&f->w);
        json_write_key(&f->w, "tool");
        json_write_span(&f->w, json_key(&m, &f->scratch));
        put_text(f, "mode", mode);
        json_write_key(&f->w, "rate");
        if (json_get(m.value, SPAN("rate"), &rate) && value_num(rate, &x))
            json_write_real(&f->w, x);
        else
            json_write_null(&f->w);
        put_raw(f, "injected", "true");
        json_write_end_object(&f->w);
    }
    json_write_end_array(&f->w);
}

/* Members of the row that the rollout carries along under their own names. */
static const enum row_key_id EXTRA[] = {
    KEY_MESSAGES,       KEY_OPENER,          KEY_OPENING,      KEY_SAMPLING,   KEY_TOKEN_LOGPROBS,
    KEY_FAULT_DETECTED, KEY_CONVERSATION_ID, KEY_TS,           KEY_LINEAGE,    KEY_QUALITY,
    KEY_QUALITY_REASON, KEY_QUALITY_SCORES,  KEY_TOOLS,        KEY_GROUP_ID,   KEY_LOGPROB,
    KEY_N_TOKENS,       KEY_USAGE,           KEY_WRITER_MODEL, KEY_USER_MODEL, KEY_CALIBRATION,
};

static bool is_passed_through(const struct form *f, enum row_key_id id, bool verdict)
{
    switch (id) {
    case ROW_KEY_UNKNOWN:
    case KEY_TASK_ID:
    case KEY_GRADER_REASON:
    case KEY_ROLLOUT_ID:
    case KEY_PRIVILEGED:
    case KEY_ARM:
    case KEY_TOOL_TRACE:
    case KEY_TRACE: return true;
    case KEY_REASON:
    case KEY_JUDGE_META:
    case KEY_FAILURE_CLASS: return !verdict;
    case KEY_LLM_REASON: return !f->known.at[KEY_LLM_REWARD].text.ptr;
    case KEY_MARKERS: return f->known.at[id].type != JSON_VALUE_OBJECT;
    case KEY_FAULTS: return f->known.at[id].type != JSON_VALUE_OBJECT;
    default: return false;
    }
}

static bool has_verdict(const struct form *f)
{
    return f->known.at[KEY_REWARD].text.ptr || value_truthy(f->known.at[KEY_JUDGE_NAME]) ||
           value_truthy(f->known.at[KEY_LABEL_SOURCE]) ||
           value_truthy(f->known.at[KEY_JUDGE_STATUS]);
}

/* Markers that are no numbers cannot be Marker records; they ride here. */
static void put_odd_markers(struct form *f)
{
    struct json_value markers = f->known.at[KEY_MARKERS];
    struct json_cursor c = {0};
    struct json_member m;
    double x;
    bool any = false;
    if (markers.type == JSON_VALUE_OBJECT)
        c = json_enter(markers);
    while (json_next_member(&c, &m)) {
        if (value_num(m.value, &x))
            continue;
        if (!any) {
            json_write_key(&f->w, "odd_markers");
            json_write_object(&f->w);
        }
        any = true;
        json_write_member(&f->w, &m);
    }
    if (any)
        json_write_end_object(&f->w);
}

static void put_extra(struct form *f, bool hide)
{
    json_write_key(&f->w, "extra");
    json_write_object(&f->w);
    for (size_t i = 0; i < sizeof EXTRA / sizeof *EXTRA; i++) {
        if (!f->known.at[EXTRA[i]].text.ptr)
            continue;
        json_write_key_span(&f->w, ROW_KEY_NAMES[EXTRA[i]]);
        json_write_raw(&f->w, f->known.at[EXTRA[i]].text);
    }
    put_odd_markers(f);
    if (f->known.at[KEY_ROLLOUT_INDEX].text.ptr)
        put_raw(f, "rollout_index_present", "true");
    bool verdict = has_verdict(f), any = false;
    for (size_t i = 0; i < f->row->members.count; i++) {
        const struct json_member *m = &f->row->members.items[i];
        enum row_key_id id = row_key_id(m);
        if (!is_passed_through(f, id, verdict) || (hide && id == KEY_PRIVILEGED))
            continue;
        if (!any) {
            json_write_key(&f->w, "passthrough");
            json_write_object(&f->w);
        }
        any = true;
        json_write_member(&f->w, m);
    }
    if (any)
        json_write_end_object(&f->w);
    json_write_end_object(&f->w);
}

static void put_rollout(struct form *f, bool hide)
{
    const char *why = row_unusable_name(row_unusable(f->row));
    json_write_object(&f->w);
    put_rollout_id(f);
    put(f, "task_id", KEY_SCENARIO_ID, "\"\"");
    put_policy(f);
    put(f, "index", KEY_ROLLOUT_INDEX, "0");
    put(f, "steps", KEY_STEPS, "[]");
    put(f, "final_text", KEY_FINAL_TEXT, "\"\"");
    put_ledger(f);
    put_raw(f, "usable", why ? "false" : "true");
    json_write_key(&f->w, "unusable_reason");
    if (why)
        json_write_text(&f->w, why);
    else
        json_write_null(&f->w);
    put_extra(f, hide);
    json_write_end_object(&f->w);
}

/* ---- judgments and markers ----------------------------------------------------------------- */

static const char *scorer_kind(struct form *f)
{
    static const char *const KINDS[] = {"rule", "judge", "reward_model", "human"};
    struct json_value stamped;
    if (json_get(f->known.at[KEY_JUDGE_META], SPAN("scorer_kind"), &stamped) &&
        stamped.type == JSON_VALUE_STRING) {
        struct span text = json_text(stamped, &f->scratch);
        for (size_t i = 0; i < 4; i++)
            if (span_is(text, KINDS[i]))
                return KINDS[i];
    }
    return value_truthy(f->known.at[KEY_JUDGE_NAME]) ? "judge" : "rule";
}

static void put_version(struct form *f)
{
    struct json_value version;
    json_write_key(&f->w, "version");
    if ((json_get(f->known.at[KEY_JUDGE_META], SPAN("version"), &version) &&
         json_truthy(version)) ||
        (json_get(f->known.at[KEY_LINEAGE], SPAN("judge_version"), &version) &&
         json_truthy(version)))
        json_write_span(&f->w, value_text(version, &f->scratch));
    else
        json_write_null(&f->w);
}

static void put_primary(struct form *f)
{
    struct json_value judge = f->known.at[KEY_JUDGE_NAME], source = f->known.at[KEY_LABEL_SOURCE];
    struct json_value raw;
    bool judged = value_truthy(judge), sourced = value_truthy(source);
    const char *kind = scorer_kind(f);
    bool is_rule = strcmp(kind, "rule") == 0;
    json_write_object(&f->w);
    put_rollout_id(f);
    json_write_key(&f->w, "scorer");
    json_write_object(&f->w);
    json_write_key(&f->w, "name");
    json_write_span(&f->w, judged || sourced ? value_text(judged ? judge : source, &f->scratch)
                                             : SPAN("unlabeled"));
    json_write_key(&f->w, "kind");
    json_write_text(&f->w, kind);
    put_version(f);
    json_write_end_object(&f->w);
    put(f, "reward", KEY_REWARD, "null");
    put(f, "status", KEY_JUDGE_STATUS, "\"ok\"");
    put(f, "reason", KEY_REASON, "\"\"");
    put(f, "failure_class", KEY_FAILURE_CLASS, "null");
    json_write_key(&f->w, "evidence");
    json_write_object(&f->w);
    if (json_get(f->known.at[KEY_JUDGE_META], SPAN("raw_reward"), &raw)) {
        json_write_key(&f->w, "raw_reward");
        json_write_raw(&f->w, raw.text);
    }
    if (value_truthy(f->known.at[KEY_JUDGE_META]))
        put(f, "judge_meta", KEY_JUDGE_META, "{}");
    if (judged && sourced)
        put(f, "label_source", KEY_LABEL_SOURCE, "null");
    else if (judged || sourced)
        if (judged == is_rule) /* the kind alone would name the wrong key */
            put_raw(f, "named_by", judged ? "\"judge_name\"" : "\"label_source\"");
    struct json_value grader = f->known.at[KEY_GRADER_REASON];
    if (value_truthy(grader) && !span_equal(grader.text, f->known.at[KEY_REASON].text))
        put(f, "grader_reason", KEY_GRADER_REASON, "null");
    if (f->known.at[KEY_REWARD].text.ptr)
        put_raw(f, "reward_present", "true");
    json_write_end_object(&f->w);
    json_write_end_object(&f->w);
}

static void put_advice(struct form *f, const char *name, enum row_key_id reward,
                       struct json_value reason)
{
    json_write_object(&f->w);
    put_rollout_id(f);
    json_write_key(&f->w, "scorer");
    json_write_object(&f->w);
    json_write_key(&f->w, "name");
    json_write_text(&f->w, name);
    put_raw(f, "kind", "\"judge\"");
    put_raw(f, "version", "null");
    json_write_end_object(&f->w);
    put(f, "reward", reward, "null");
    put_raw(f, "status", "\"ok\"");
    put_text(f, "reason", reason);
    put_raw(f, "failure_class", "null");
    put_raw(f, "evidence", "{}");
    json_write_end_object(&f->w);
}

static void put_judgments(struct form *f)
{
    json_write_array(&f->w);
    if (has_verdict(f))
        put_primary(f);
    if (f->known.at[KEY_LLM_REWARD].text.ptr)
        put_advice(f, "llm", KEY_LLM_REWARD, f->known.at[KEY_LLM_REASON]);
    if (f->known.at[KEY_QWEN_REWARD].text.ptr)
        put_advice(f, "qwen", KEY_QWEN_REWARD, (struct json_value){0});
    json_write_end_array(&f->w);
}

static void put_markers(struct form *f)
{
    struct json_value markers = f->known.at[KEY_MARKERS];
    struct json_cursor c = {0};
    struct json_member m;
    double x;
    if (markers.type == JSON_VALUE_OBJECT)
        c = json_enter(markers);
    json_write_array(&f->w);
    while (json_next_member(&c, &m)) {
        if (!value_num(m.value, &x))
            continue;
        json_write_object(&f->w);
        put_rollout_id(f);
        json_write_key(&f->w, "name");
        json_write_span(&f->w, json_key(&m, &f->scratch));
        json_write_key(&f->w, "value");
        json_write_raw(&f->w, m.value.text);
        put_raw(f, "evidence", "{}");
        json_write_end_object(&f->w);
    }
    json_write_end_array(&f->w);
}

void row_form_objects(const struct row *row, bool hide, struct buf *out)
{
    struct form f;
    form_start(&f, row, out);
    json_write_object(&f.w);
    json_write_key(&f.w, "task");
    put_task(&f, hide);
    json_write_key(&f.w, "rollout");
    put_rollout(&f, hide);
    json_write_key(&f.w, "judgments");
    put_judgments(&f);
    json_write_key(&f.w, "markers");
    put_markers(&f);
    json_write_end_object(&f.w);
    form_end(&f);
}

/* ---- sheets and messages ------------------------------------------------------------------- */

static void put_calls(struct form *f)
{
    struct json_value steps = f->known.at[KEY_STEPS], step, tool;
    struct json_cursor c = {0};
    if (steps.type == JSON_VALUE_ARRAY)
        c = json_enter(steps);
    json_write_key(&f->w, "tool_trace");
    json_write_array(&f->w);
    while (json_next_item(&c, &step))
        if (json_get(step, SPAN("tool"), &tool) && json_truthy(tool))
            json_write_raw(&f->w, step.text);
    json_write_end_array(&f->w);
}

bool row_form_correction(const struct row *row, bool all, struct buf *out)
{
    struct form f;
    double x;
    form_start(&f, row, out);
    struct json_value reward = f.known.at[KEY_REWARD];
    bool wanted = all || (reward.type == JSON_VALUE_NUMBER && value_num(reward, &x) && x < 1.0);
    if (wanted) {
        bool grader = value_truthy(f.known.at[KEY_GRADER_REASON]);
        json_write_object(&f.w);
        put(&f, "prompt", KEY_PROMPT, "\"\"");
        put(&f, "rejected_response", KEY_FINAL_TEXT, "\"\"");
        put_raw(&f, "chosen_response", "null");
        put_calls(&f);
        put(&f, "reward", KEY_REWARD, "null");
        put(&f, "reason", grader ? KEY_GRADER_REASON : KEY_REASON, "\"\"");
        put(&f, "arm", KEY_ARM, "null");
        json_write_end_object(&f.w);
    }
    form_end(&f);
    return wanted;
}

void row_form_messages(const struct row *row, struct buf *out)
{
    struct form f;
    form_start(&f, row, out);
    json_write_object(&f.w);
    put(&f, "messages", KEY_MESSAGES, "[]");
    put(&f, "task_id", KEY_SCENARIO_ID, "\"\"");
    if (value_set(f.known.at[KEY_REWARD]))
        put(&f, "reward", KEY_REWARD, "null");
    json_write_end_object(&f.w);
    form_end(&f);
}
