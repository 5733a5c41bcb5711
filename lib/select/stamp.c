/* stamp.c: what selection writes on a row that leaves: its task's calibration (select 3.6) and,
 * when the reply was cut, what the truncation policy did (select 3.3). Every other byte stays. */
#include "row/value.h"
#include "select/select.h"
#include "stat/stat.h"
#include "text/number.h"
#include "json/edit.h"

/* What is added looks like the rest of the row. */
static enum json_style style_of(const struct row *row)
{
    return json_written_spaced(&row->members) ? JSON_STYLE_SPACED : JSON_STYLE_COMPACT;
}

static void stamp_calibration(const struct row *row, struct span task, const struct rl_task *t,
                              struct json_edit *edit)
{
    struct buf value = {0}, scratch = {0};
    struct json_writer w;
    json_write_start(&w, &value, style_of(row));
    json_write_object(&w);
    json_write_key(&w, "task_id");
    json_write_span(&w, task);
    json_write_key(&w, "student");
    json_write_object(&w);
    json_write_key(&w, "name");
    json_write_text(&w, "");
    json_write_key(&w, "model");
    json_write_null(&w);
    json_write_key(&w, "prompt_hash");
    json_write_null(&w);
    json_write_key(&w, "version");
    const struct json_value *version = row_get(row, SPAN("policy_version"));
    if (!version || !json_truthy(*version))
        version = row_get(row, SPAN("model_version"));
    if (version && json_truthy(*version))
        json_write_span(&w, value_text(*version, &scratch));
    else
        json_write_null(&w);
    json_write_end_object(&w);
    json_write_key(&w, "n");
    json_write_int(&w, (int64_t)t->n);
    json_write_key(&w, "pass_rate");
    json_write_real(&w, (double)t->passes / (double)t->n);
    json_write_key(&w, "mean_kl");
    json_write_null(&w);
    json_write_key(&w, "pass_rate_ci95");
    struct interval ci = stat_wilson((double)t->passes, (double)t->n, STAT_Z95);
    json_write_array(&w);
    json_write_real(&w, number_round(ci.low, 4));
    json_write_real(&w, number_round(ci.high, 4));
    json_write_end_array(&w);
    json_write_end_object(&w);
    json_edit_set(edit, SPAN("calibration"), buf_span(&value));
    buf_free(&scratch);
    buf_free(&value);
}

/* The row's value as it was, or null. */
static struct span as_it_was(const struct row *row, struct span key)
{
    const struct json_value *value = row_get(row, key);
    return value ? value->text : SPAN("null");
}

static void stamp_penalty(const struct row *row, struct json_edit *edit)
{
    struct buf meta = {0};
    struct json_writer w;
    struct span before = as_it_was(row, SPAN("reward"));
    json_write_start(&w, &meta, style_of(row));
    json_write_object(&w);
    json_write_key(&w, "reward_before_penalty");
    json_write_raw(&w, before);
    json_write_key(&w, "judge_before");
    json_write_raw(&w, as_it_was(row, SPAN("judge_name")));
    json_write_key(&w, "reason_before");
    json_write_raw(&w, as_it_was(row, SPAN("reason")));
    json_write_key(&w, "scorer_kind");
    json_write_text(&w, "rule");
    json_write_end_object(&w);
    json_edit_set(edit, SPAN("reward_before_penalty"), before);
    json_edit_set(edit, SPAN("reward"), SPAN("0"));
    json_edit_text(
        edit, SPAN("reason"),
        SPAN("truncated: the reply reached the token cap before its end and is scored 0 for it"));
    json_edit_remove(edit, SPAN("failure_class"));
    json_edit_text(edit, SPAN("judge_name"), SPAN("overlong_penalty"));
    json_edit_text(edit, SPAN("judge_status"), SPAN("ok"));
    json_edit_set(edit, SPAN("judge_meta"), buf_span(&meta));
    buf_free(&meta);
}

static void stamp_overlong(const struct row *row, struct json_edit *edit)
{
    json_edit_set(edit, SPAN("overlong"), SPAN("true"));
    struct buf markers = {0};
    const struct json_value *old = row_get(row, SPAN("markers"));
    if (old && old->type == JSON_VALUE_OBJECT) {
        struct json_members members = {0};
        struct json_edit inner = {0};
        json_members_of(*old, &members);
        json_edit_set(&inner, SPAN("finished"), SPAN("0.0"));
        json_edit_apply(&inner, old->text, &members, &markers);
        json_edit_free(&inner);
        json_members_free(&members);
    } else {
        buf_text(&markers,
                 json_written_spaced(&row->members) ? "{\"finished\": 0.0}" : "{\"finished\":0.0}");
    }
    json_edit_set(edit, SPAN("markers"), buf_span(&markers));
    buf_free(&markers);
}

void select_rl_stamp(const struct select_facts *facts, const struct rl_options *o,
                     const struct rl_result *r, const struct row *row, size_t number,
                     struct buf *out)
{
    struct json_edit edit = {0};
    if (r->marked[number]) {
        stamp_overlong(row, &edit);
        if (o->truncated == RL_TRUNCATED_PENALIZE)
            stamp_penalty(row, &edit);
    }
    uint32_t task = facts->items[number].task;
    if (r->graded[task].n)
        stamp_calibration(row, facts->tasks.keys[task], &r->graded[task], &edit);
    json_edit_apply(&edit, row->line, &row->members, out);
    json_edit_free(&edit);
}
