/* validate.c: see validate.h. */
#include "row/validate.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "row/key.h"
#include "row/look.h"
#include "row/value.h"

static const char *const KIND_NAMES[] = {
    [ROW_KIND_ROW] = "row",
    [ROW_KIND_TRAINING] = "training",
    [ROW_KIND_PREFERENCE] = "preference",
};

const char *row_kind_name(enum row_kind kind)
{
    return KIND_NAMES[kind];
}

enum row_kind row_kind_of(const char *name)
{
    if (strcmp(name, KIND_NAMES[ROW_KIND_TRAINING]) == 0)
        return ROW_KIND_TRAINING;
    return strcmp(name, KIND_NAMES[ROW_KIND_PREFERENCE]) == 0 ? ROW_KIND_PREFERENCE : ROW_KIND_ROW;
}

/* ---- the list -------------------------------------------------------------------------------- */

void row_problem_add(struct row_problems *p, const char *name, struct span detail)
{
    buf_text(&p->text, name);
    if (detail.ptr) {
        buf_byte(&p->text, ':');
        buf_span_add(&p->text, detail);
    }
    p->ends = mem_grow(p->ends, &p->cap, p->count + 1, sizeof *p->ends);
    p->ends[p->count++] = p->text.len;
}

static void add(struct row_problems *p, const char *name)
{
    row_problem_add(p, name, (struct span){0});
}

struct span row_problem(const struct row_problems *p, size_t i)
{
    return span_slice(buf_span(&p->text), i ? p->ends[i - 1] : 0, p->ends[i]);
}

void row_problems_list(const struct row_problems *p, struct buf *out)
{
    for (size_t i = 0; i < p->count; i++) {
        buf_text(out, i ? ", " : "");
        buf_span_add(out, row_problem(p, i));
    }
}

void row_problems_free(struct row_problems *p)
{
    buf_free(&p->text);
    free(p->ends);
    *p = (struct row_problems){0};
}

/* ---- the rules of each kind ------------------------------------------------------------------ */

static bool is_boolean(const struct json_value *value)
{
    return look_is(value, JSON_VALUE_TRUE) || look_is(value, JSON_VALUE_FALSE);
}

bool row_calibration_valid(struct json_value value)
{
    struct json_value rate, n;
    double x;
    return value.type == JSON_VALUE_OBJECT && json_get(value, SPAN("pass_rate"), &rate) &&
           value_num(rate, &x) && x >= 0 && x <= 1 && json_get(value, SPAN("n"), &n) &&
           value_int(n) >= 1;
}

/* Is a member there and of another type? */
static bool wrong(const struct json_value *value, enum json_type type)
{
    return value && value->type != type;
}

static void check_row(const struct row_look *l, struct row_problems *p)
{
    const struct json_value *const *at = l->at;
    if (wrong(at[LOOK_PROMPT], JSON_VALUE_STRING))
        add(p, "prompt_not_str");
    if (wrong(at[LOOK_STEPS], JSON_VALUE_ARRAY))
        add(p, "steps_not_list");
    if (wrong(at[LOOK_FINAL_TEXT], JSON_VALUE_STRING))
        add(p, "final_text_not_str");
    if (is_boolean(at[LOOK_REWARD]))
        add(p, "reward_is_bool");
    else if (look_set(at[LOOK_REWARD]) && wrong(at[LOOK_REWARD], JSON_VALUE_NUMBER))
        add(p, "reward_not_number");
    if (look_set(at[LOOK_CALIBRATION]) && !row_calibration_valid(*at[LOOK_CALIBRATION]))
        add(p, "calibration_invalid");
}

static bool every_message_has_role(struct json_value messages)
{
    struct json_cursor c = json_enter(messages);
    struct json_value item, role;
    while (json_next_item(&c, &item)) {
        if (!json_get(item, SPAN("role"), &role))
            return false;
    }
    return true;
}

static bool loss_mask_valid(struct json_value mask, const struct json_value *messages)
{
    struct json_value item;
    if (mask.type != JSON_VALUE_ARRAY || !look_is(messages, JSON_VALUE_ARRAY) ||
        json_count(mask) != json_count(*messages))
        return false;
    struct json_cursor c = json_enter(mask);
    while (json_next_item(&c, &item)) {
        double x = json_number(item); /* not a number: NaN, which equals neither */
        if (x != 0.0 && x != 1.0)
            return false;
    }
    return true;
}

static void check_training(const struct row_look *l, struct row_problems *p)
{
    const struct json_value *const *at = l->at;
    if (!look_filled_array(at[LOOK_MESSAGES]))
        add(p, "messages_missing");
    else if (!every_message_has_role(*at[LOOK_MESSAGES]))
        add(p, "message_without_role");
    if (look_set(at[LOOK_TOOLS]) && wrong(at[LOOK_TOOLS], JSON_VALUE_ARRAY))
        add(p, "tools_not_list");
    if (look_set(at[LOOK_LOSS_MASK]) && !loss_mask_valid(*at[LOOK_LOSS_MASK], at[LOOK_MESSAGES]))
        add(p, "loss_mask_invalid");
}

static void check_preference(const struct row_look *l, struct row_problems *p)
{
    if (!look_filled_array(l->at[LOOK_CHOSEN]))
        add(p, "chosen_missing");
    if (!look_filled_array(l->at[LOOK_REJECTED]))
        add(p, "rejected_missing");
}

/* ---- strict ---------------------------------------------------------------------------------- */

static void check_reward_range(const struct json_value *reward, struct row_problems *p)
{
    if (!look_is(reward, JSON_VALUE_NUMBER))
        return;
    double x = json_number(*reward);
    if (!isfinite(x))
        add(p, "reward_not_finite");
    else if (x < 0 || x > 1)
        add(p, "reward_out_of_range");
}

/* Each name once, however often it comes. */
static void add_once(struct map *seen, struct row_problems *p, const char *name, struct span detail)
{
    bool fresh;
    map_add(seen, detail, &fresh);
    if (fresh)
        row_problem_add(p, name, detail);
}

static void check_markers(const struct json_value *markers, struct row_problems *p)
{
    struct json_member member;
    struct map seen = {0};
    struct buf scratch = {0};
    if (!look_is(markers, JSON_VALUE_OBJECT))
        return;
    struct json_cursor c = json_enter(*markers);
    while (json_next_member(&c, &member)) {
        double x;
        if (member.value.type != JSON_VALUE_NULL && !value_num(member.value, &x))
            add_once(&seen, p, "marker_not_number", json_key(&member, &scratch));
    }
    map_free(&seen);
    buf_free(&scratch);
}

static void check_steps(const struct json_value *steps, struct row_problems *p)
{
    static const struct span KINDS[] = {{"user", 4}, {"tool", 4}, {"text", 4}};
    bool not_object = false, without_kind = false;
    struct json_value step, value;
    if (!look_is(steps, JSON_VALUE_ARRAY))
        return;
    struct json_cursor c = json_enter(*steps);
    while (json_next_item(&c, &step)) {
        if (step.type != JSON_VALUE_OBJECT) {
            not_object = true;
            continue;
        }
        bool has_kind = false;
        for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
            has_kind = has_kind || (json_get(step, KINDS[i], &value) && look_set(&value));
        without_kind = without_kind || !has_kind;
    }
    if (not_object)
        add(p, "step_not_object");
    if (without_kind)
        add(p, "step_without_kind");
}

/* Depth is bounded by the scanner (JSON_DEPTH_MAX). */
static void check_duplicates(struct json_value value, struct map *seen, struct row_problems *p)
{
    struct json_member member;
    struct json_value item;
    struct json_cursor c = json_enter(value);
    if (value.type == JSON_VALUE_ARRAY) {
        while (json_next_item(&c, &item))
            if (item.type >= JSON_VALUE_ARRAY)
                check_duplicates(item, seen, p);
        return;
    }
    struct map names = {0};
    struct buf scratch = {0};
    while (json_next_member(&c, &member)) {
        bool fresh;
        struct span name = json_key(&member, &scratch);
        map_add(&names, name, &fresh);
        if (!fresh)
            add_once(seen, p, "duplicate_key", name);
        if (member.value.type >= JSON_VALUE_ARRAY)
            check_duplicates(member.value, seen, p);
    }
    map_free(&names);
    buf_free(&scratch);
}

static void check_strict(const struct row *row, const struct row_look *l, enum row_kind kind,
                         struct row_problems *p)
{
    struct map seen = {0};
    if (kind == ROW_KIND_ROW) {
        struct buf scratch = {0};
        check_reward_range(l->at[LOOK_REWARD], p);
        check_markers(l->at[LOOK_MARKERS], p);
        check_steps(l->at[LOOK_STEPS], p);
        if (row_task_key(row, &scratch).len == 0)
            add(p, "task_missing");
        if (!look_set(l->at[LOOK_FINAL_TEXT]))
            add(p, "final_text_missing");
        buf_free(&scratch);
    }
    check_duplicates(row->value, &seen, p);
    map_free(&seen);
}

/* ---- all
 * ------------------------------------------------------------------------------------------ */

static struct span version_of(const struct json_value *version, struct buf *scratch)
{
    return look_set(version) ? value_text(*version, scratch) : SPAN("0");
}

struct span row_version(const struct row *row, struct buf *scratch)
{
    return version_of(row_get(row, SPAN("schema_version")), scratch);
}

/* false: the row has one problem that stands alone. */
static bool check_form(const struct row *row, const struct json_value *schema_version,
                       struct row_problems *p, bool *version_one)
{
    if (row->value.type != JSON_VALUE_OBJECT) {
        add(p, "not_a_dict");
        return false;
    }
    if (row->members.count == 0) {
        add(p, "empty_row");
        return false;
    }
    struct buf scratch = {0};
    struct span version = version_of(schema_version, &scratch);
    *version_one = span_is(version, "1");
    bool known = *version_one || span_is(version, "0");
    if (!known)
        row_problem_add(p, "unknown_schema_version", version);
    buf_free(&scratch);
    return known;
}

void row_validate(const struct row *row, enum row_kind kind, bool strict, struct row_problems *p)
{
    struct row_look look;
    row_look(row, &look);
    look_validate(row, &look, kind, strict, p);
}

void look_validate(const struct row *row, const struct row_look *look, enum row_kind kind,
                   bool strict, struct row_problems *p)
{
    bool version_one = false;
    buf_clear(&p->text);
    p->count = 0;
    if (!check_form(row, look->at[LOOK_SCHEMA_VERSION], p, &version_one))
        return;
    if (kind == ROW_KIND_TRAINING)
        check_training(look, p);
    else if (kind == ROW_KIND_PREFERENCE)
        check_preference(look, p);
    else if (version_one)
        check_row(look, p);
    if (strict)
        check_strict(row, look, kind, p);
}
