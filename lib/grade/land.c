/* land.c: a verdict spliced into its row (grade 3.2, 3.4, 3.5). Every other byte of the row stays.
 */
#include "grade/verdict.h"
#include "row/value.h"
#include "json/edit.h"
#include "json/pytext.h"
#include "json/write.h"

#include <stdlib.h>

static void write_meta(const struct verdict *v, struct buf *out)
{
    buf_byte(out, '{');
    for (size_t i = 0; i < v->n_meta; i++) {
        if (i)
            buf_byte(out, ',');
        json_quote(out, v->meta[i].key);
        buf_byte(out, ':');
        buf_span_add(out, v->meta[i].json);
    }
    buf_byte(out, '}');
}

/* Text of a value as a JSON string. */
static void quote_text(struct json_value value, struct buf *out)
{
    struct buf scratch = {0};
    json_quote(out, value_text(value, &scratch));
    buf_free(&scratch);
}

/* The item of judge_meta as a value, when there is one. */
static bool meta_value(const struct verdict *v, const char *key, struct json_value *value)
{
    struct json_fault fault;
    struct span json = verdict_meta_find(v, key);
    return json.ptr && json_scan(json, value, NULL, &fault) == 0;
}

void verdict_merge(const struct json_value *base, struct json_value added, struct buf *out)
{
    struct json_edit edit = {0};
    struct json_members members = {0};
    struct buf scratch = {0};
    struct span object = SPAN("{}");
    if (base && base->type == JSON_VALUE_OBJECT) {
        object = base->text;
        json_members_of(*base, &members);
    }
    struct json_cursor c = json_enter(added);
    struct json_member member;
    while (json_next_member(&c, &member))
        json_edit_set(&edit, json_key(&member, &scratch), member.value.text);
    json_edit_apply(&edit, object, &members, out);
    json_edit_free(&edit);
    json_members_free(&members);
    buf_free(&scratch);
}

static void land_classes(const struct verdict *v, const struct row *row, struct json_edit *edit)
{
    struct json_value value;
    struct buf json = {0};
    if (v->judged && meta_value(v, "failure_class", &value) && json_truthy(value)) {
        quote_text(value, &json);
        json_edit_set(edit, SPAN("failure_class"), buf_span(&json));
    } else {
        json_edit_remove(edit, SPAN("failure_class"));
    }
    if (v->judged && meta_value(v, "markers", &value) && value.type == JSON_VALUE_OBJECT &&
        json_count(value) > 0) {
        buf_clear(&json);
        verdict_merge(row_get(row, SPAN("markers")), value, &json);
        json_edit_set(edit, SPAN("markers"), buf_span(&json));
    }
    buf_free(&json);
}

static void add_parent(const struct row *row, struct json_edit *edit)
{
    static const struct span keys[] = {{"scenario_id", 11}, {"id", 2}};
    struct buf json = {0};
    for (size_t i = 0; i < 2 && !json.len; i++) {
        const struct json_value *value = row_get(row, keys[i]);
        if (value && json_truthy(*value))
            quote_text(*value, &json);
    }
    if (!json.len)
        buf_format(&json, "\"row_%llu\"", (unsigned long long)row->index);
    json_edit_set(edit, SPAN("parent"), buf_span(&json));
    buf_free(&json);
}

static void land_lineage(const struct verdict_stamp *stamp, const struct row *row,
                         struct json_edit *row_edit)
{
    struct json_edit edit = {0};
    struct json_members members = {0};
    struct buf json = {0};
    struct span object = SPAN("{}");
    struct json_value prior;
    bool has_prior = false;
    const struct json_value *old = row_get(row, SPAN("lineage"));
    if (old && old->type == JSON_VALUE_OBJECT) {
        object = old->text;
        json_members_of(*old, &members);
        has_prior = json_get(*old, SPAN("scoring_run_id"), &prior) && json_truthy(prior);
    }
    json_edit_text(&edit, SPAN("scoring_run_id"), stamp->run_id);
    json_edit_text(&edit, SPAN("source"), stamp->source);
    json_edit_text(&edit, SPAN("judge"), stamp->judge_name);
    add_parent(row, &edit);
    if (stamp->model.len)
        json_edit_text(&edit, SPAN("model"), stamp->model);
    if (stamp->judge_version.len)
        json_edit_text(&edit, SPAN("judge_version"), stamp->judge_version);
    if (has_prior)
        json_edit_set(&edit, SPAN("prior_scoring_run_id"), prior.text);
    json_edit_apply(&edit, object, &members, &json);
    json_edit_set(row_edit, SPAN("lineage"), buf_span(&json));
    json_edit_free(&edit);
    json_members_free(&members);
    buf_free(&json);
}

void verdict_land(const struct verdict *v, const struct verdict_stamp *stamp, const struct row *row,
                  struct buf *out)
{
    struct json_edit edit = {0};
    struct buf json = {0};
    json_edit_set(&edit, SPAN("reward"), v->judged ? buf_span(&v->reward) : SPAN("null"));
    if (v->reason.len)
        json_edit_text(&edit, SPAN("reason"), buf_span(&v->reason));
    else
        json_edit_remove(&edit, SPAN("reason"));
    json_edit_text(&edit, SPAN("judge_status"), span_text(verdict_status_name(v->status)));
    json_edit_text(&edit, SPAN("judge_name"), stamp->judge_name);
    if (v->n_meta) {
        write_meta(v, &json);
        json_edit_set(&edit, SPAN("judge_meta"), buf_span(&json));
    } else {
        json_edit_remove(&edit, SPAN("judge_meta"));
    }
    land_classes(v, row, &edit);
    land_lineage(stamp, row, &edit);
    if (v->fault == VERDICT_FAULT_DETECTED)
        json_edit_set(&edit, SPAN("fault_detected"), SPAN("true"));
    else if (v->fault == VERDICT_FAULT_NONE)
        json_edit_remove(&edit, SPAN("fault_detected"));
    json_edit_apply(&edit, row->line, &row->members, out);
    json_edit_free(&edit);
    buf_free(&json);
}
