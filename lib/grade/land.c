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

/* Members of `added` over those of base, an object or NULL or anything else, which counts as none;
 * appended to out. */
static void merge(struct verdict_landing *l, const struct json_value *base, struct json_value added,
                  struct buf *out)
{
    struct buf scratch = {0};
    struct span object = SPAN("{}");
    l->members.count = 0;
    json_edit_clear(&l->inner);
    if (base && base->type == JSON_VALUE_OBJECT) {
        object = base->text;
        json_members_of(*base, &l->members);
    }
    struct json_cursor c = json_enter(added);
    struct json_member member;
    while (json_next_member(&c, &member))
        json_edit_set(&l->inner, json_key(&member, &scratch), member.value.text);
    json_edit_apply(&l->inner, object, &l->members, out);
    buf_free(&scratch);
}

static void land_classes(struct verdict_landing *l, const struct verdict *v, const struct row *row)
{
    struct json_value value;
    if (v->judged && meta_value(v, "failure_class", &value) && json_truthy(value)) {
        buf_clear(&l->json);
        quote_text(value, &l->json);
        json_edit_set(&l->row, SPAN("failure_class"), buf_span(&l->json));
    } else {
        json_edit_remove(&l->row, SPAN("failure_class"));
    }
    if (v->judged && meta_value(v, "markers", &value) && value.type == JSON_VALUE_OBJECT &&
        json_truthy(value)) {
        buf_clear(&l->json);
        merge(l, row_get(row, SPAN("markers")), value, &l->json);
        json_edit_set(&l->row, SPAN("markers"), buf_span(&l->json));
    }
}

static void add_parent(struct verdict_landing *l, const struct row *row)
{
    static const struct span keys[] = {{"scenario_id", 11}, {"id", 2}};
    buf_clear(&l->json);
    for (size_t i = 0; i < 2 && !l->json.len; i++) {
        const struct json_value *value = row_get(row, keys[i]);
        if (value && json_truthy(*value))
            quote_text(*value, &l->json);
    }
    if (!l->json.len)
        buf_format(&l->json, "\"row_%llu\"", (unsigned long long)row->index);
    json_edit_set(&l->inner, SPAN("parent"), buf_span(&l->json));
}

static void land_lineage(struct verdict_landing *l, const struct verdict_stamp *stamp,
                         const struct row *row)
{
    struct span object = SPAN("{}");
    const struct json_member *prior = NULL;
    const struct json_value *old = row_get(row, SPAN("lineage"));
    l->members.count = 0;
    json_edit_clear(&l->inner);
    if (old && old->type == JSON_VALUE_OBJECT) {
        object = old->text;
        json_members_of(*old, &l->members);
        prior = json_find(&l->members, SPAN("scoring_run_id"));
    }
    json_edit_text(&l->inner, SPAN("scoring_run_id"), stamp->run_id);
    json_edit_text(&l->inner, SPAN("source"), stamp->source);
    json_edit_text(&l->inner, SPAN("judge"), stamp->judge_name);
    add_parent(l, row);
    if (stamp->model.len)
        json_edit_text(&l->inner, SPAN("model"), stamp->model);
    if (stamp->judge_version.len)
        json_edit_text(&l->inner, SPAN("judge_version"), stamp->judge_version);
    if (prior && json_truthy(prior->value))
        json_edit_set(&l->inner, SPAN("prior_scoring_run_id"), prior->value.text);
    buf_clear(&l->json);
    json_edit_apply(&l->inner, object, &l->members, &l->json);
    json_edit_set(&l->row, SPAN("lineage"), buf_span(&l->json));
}

/* The label of an earlier grader stays beside the new one. */
static void keep_prior(const struct row *row, struct json_edit *edit)
{
    const struct json_value *reward = row_get(row, SPAN("reward"));
    if (row_get_set(row, SPAN("qwen_reward")) || !reward || reward->type != JSON_VALUE_NUMBER)
        return;
    if (json_number(*reward) == 0 || json_number(*reward) == 1)
        json_edit_set(edit, SPAN("qwen_reward"), reward->text);
}

void verdict_land_row(struct verdict_landing *l, const struct verdict *v,
                      const struct verdict_stamp *stamp, const struct row *row, struct buf *out,
                      struct json_members *written)
{
    struct json_edit *edit = &l->row;
    json_edit_clear(edit);
    json_edit_set(edit, SPAN("reward"), v->judged ? buf_span(&v->reward) : SPAN("null"));
    if (v->reason.len)
        json_edit_text(edit, SPAN("reason"), buf_span(&v->reason));
    else
        json_edit_remove(edit, SPAN("reason"));
    json_edit_text(edit, SPAN("judge_status"), span_text(verdict_status_name(v->status)));
    json_edit_text(edit, SPAN("judge_name"), stamp->judge_name);
    if (v->n_meta) {
        buf_clear(&l->json);
        write_meta(v, &l->json);
        json_edit_set(edit, SPAN("judge_meta"), buf_span(&l->json));
    } else {
        json_edit_remove(edit, SPAN("judge_meta"));
    }
    land_classes(l, v, row);
    land_lineage(l, stamp, row);
    if (stamp->keep_prior)
        keep_prior(row, edit);
    if (v->fault == VERDICT_FAULT_DETECTED)
        json_edit_set(edit, SPAN("fault_detected"), SPAN("true"));
    else if (v->fault == VERDICT_FAULT_NONE)
        json_edit_remove(edit, SPAN("fault_detected"));
    json_edit_apply_members(edit, row->line, &row->members, out, written);
}

void verdict_land_advice(struct verdict_landing *l, const struct verdict *v, const struct row *row,
                         struct buf *out, struct json_members *written)
{
    struct json_edit *edit = &l->row;
    json_edit_clear(edit);
    json_edit_set(edit, SPAN("llm_reward"), v->judged ? buf_span(&v->reward) : SPAN("null"));
    buf_clear(&l->json);
    if (v->reason.len)
        buf_span_add(&l->json, buf_span(&v->reason));
    else
        buf_format(&l->json, "not judged: %s", verdict_status_name(v->status));
    json_edit_text(edit, SPAN("llm_reason"), buf_span(&l->json));
    json_edit_apply_members(edit, row->line, &row->members, out, written);
}

void verdict_land(const struct verdict *v, const struct verdict_stamp *stamp, const struct row *row,
                  struct buf *out)
{
    struct verdict_landing l = {0};
    verdict_land_row(&l, v, stamp, row, out, NULL);
    verdict_landing_free(&l);
}

void verdict_landing_free(struct verdict_landing *l)
{
    json_edit_free(&l->row);
    json_edit_free(&l->inner);
    json_members_free(&l->members);
    buf_free(&l->json);
}
