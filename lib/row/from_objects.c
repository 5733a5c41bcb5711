/* from_objects.c: the four records back into one flat row (rows 14, --from objects). */
#include "row/forms.h"
#include "row/known.h"
#include "row/value.h"
#include "json/write.h"

static struct json_value member(struct json_value object, const char *key)
{
    struct json_value value;
    return json_get(object, span_text(key), &value) ? value : (struct json_value){0};
}

static void put(struct json_writer *w, const char *key, struct json_value value)
{
    if (!value.text.ptr)
        return;
    json_write_key(w, key);
    json_write_raw(w, value.text);
}

static void put_set(struct json_writer *w, const char *key, struct json_value value)
{
    if (value_set(value))
        put(w, key, value);
}

static void put_truthy(struct json_writer *w, const char *key, struct json_value value)
{
    if (value_truthy(value))
        put(w, key, value);
}

static void put_members(struct json_writer *w, struct json_value object)
{
    struct json_cursor c = {0};
    struct json_member m;
    if (object.type == JSON_VALUE_OBJECT)
        c = json_enter(object);
    while (json_next_member(&c, &m))
        json_write_member(w, &m);
}

/* Everything the rollout carried along but the members that are this format's own. */
static void put_extra(struct json_writer *w, struct json_value extra)
{
    struct json_cursor c = {0};
    struct json_member m;
    if (extra.type == JSON_VALUE_OBJECT)
        c = json_enter(extra);
    while (json_next_member(&c, &m))
        if (!json_key_is(&m, SPAN("passthrough")) && !json_key_is(&m, SPAN("odd_markers")) &&
            !json_key_is(&m, SPAN("rollout_index_present")))
            json_write_member(w, &m);
    put_members(w, member(extra, "passthrough"));
}

static bool string_is(struct json_value value, const char *text)
{
    struct buf scratch = {0};
    bool same = value.type == JSON_VALUE_STRING && span_is(json_text(value, &scratch), text);
    buf_free(&scratch);
    return same;
}

static bool is_advice(struct json_value judgment, const char *name)
{
    struct json_value evidence = member(judgment, "evidence");
    return string_is(member(member(judgment, "scorer"), "name"), name) && !value_truthy(evidence);
}

static void put_primary(struct json_writer *w, struct json_value judgment)
{
    struct json_value scorer = member(judgment, "scorer"), evidence = member(judgment, "evidence");
    struct json_value name = member(scorer, "name"), raw = member(evidence, "raw_reward");
    struct json_value source = member(evidence, "label_source");
    struct json_value named_by = member(evidence, "named_by");
    bool by_source = named_by.text.ptr ? string_is(named_by, "label_source")
                                       : string_is(member(scorer, "kind"), "rule");
    if (raw.text.ptr && string_is(member(judgment, "status"), "invalid_result"))
        put(w, "reward", raw);
    else if (member(evidence, "reward_present").text.ptr || value_set(member(judgment, "reward")))
        put(w, "reward", member(judgment, "reward"));
    put_truthy(w, "reason", member(judgment, "reason"));
    if (value_truthy(source)) {
        put(w, "judge_name", name);
        put(w, "label_source", source);
    } else if (!string_is(name, "unlabeled")) {
        put(w, by_source ? "label_source" : "judge_name", name);
    }
    if (!string_is(member(judgment, "status"), "ok"))
        put_truthy(w, "judge_status", member(judgment, "status"));
    put_truthy(w, "judge_meta", member(evidence, "judge_meta"));
    put_truthy(w, "failure_class", member(judgment, "failure_class"));
}

static void put_judgments(struct json_writer *w, struct json_value judgments)
{
    struct json_cursor c = {0};
    struct json_value judgment;
    bool primary = false;
    if (judgments.type == JSON_VALUE_ARRAY)
        c = json_enter(judgments);
    while (json_next_item(&c, &judgment)) {
        if (is_advice(judgment, "llm")) {
            put(w, "llm_reward", member(judgment, "reward"));
            put(w, "llm_reason", member(judgment, "reason"));
        } else if (is_advice(judgment, "qwen")) {
            put(w, "qwen_reward", member(judgment, "reward"));
        } else if (!primary) {
            put_primary(w, judgment);
            primary = true;
        }
    }
}

static void put_markers(struct json_writer *w, struct json_value markers, struct json_value odd)
{
    struct json_cursor c = {0};
    struct json_value marker;
    struct buf scratch = {0};
    if (markers.type == JSON_VALUE_ARRAY)
        c = json_enter(markers);
    json_write_key(w, "markers");
    json_write_object(w);
    while (json_next_item(&c, &marker)) {
        struct json_value name = member(marker, "name"), value = member(marker, "value");
        if (name.type != JSON_VALUE_STRING || !value.text.ptr)
            continue;
        json_write_key_span(w, json_text(name, &scratch));
        json_write_raw(w, value.text);
    }
    put_members(w, odd);
    json_write_end_object(w);
    buf_free(&scratch);
}

int row_from_objects(const struct row *objects, struct buf *out, const char **what)
{
    struct json_value task = member(objects->value, "task");
    struct json_value rollout = member(objects->value, "rollout");
    if (task.type != JSON_VALUE_OBJECT || rollout.type != JSON_VALUE_OBJECT) {
        *what = "no \"task\" and \"rollout\" object in it; --from objects reads what --to objects "
                "wrote";
        return -1;
    }
    struct json_writer w;
    struct json_value world = member(task, "world"), policy = member(rollout, "policy");
    struct json_value extra = member(rollout, "extra"), index = member(rollout, "index");
    json_write_start(&w, out, row_spaced(objects) ? JSON_STYLE_SPACED : JSON_STYLE_COMPACT);
    json_write_object(&w);
    put(&w, "prompt", member(task, "prompt"));
    put(&w, "steps", member(rollout, "steps"));
    put(&w, "final_text", member(rollout, "final_text"));
    put(&w, "scenario_id", member(task, "task_id"));
    put_truthy(&w, "spec_id", member(task, "spec_id"));
    put_members(&w, member(task, "axes"));
    put_set(&w, "seed", member(world, "seed"));
    put_set(&w, "world_state", member(world, "state"));
    put_truthy(&w, "faults", member(world, "faults"));
    if (value_truthy(index) || member(extra, "rollout_index_present").text.ptr)
        put(&w, "rollout_index", index);
    put_set(&w, "model_version", member(policy, "model"));
    put_truthy(&w, "policy_version", member(policy, "version"));
    put_judgments(&w, member(objects->value, "judgments"));
    put_markers(&w, member(objects->value, "markers"), member(extra, "odd_markers"));
    put_extra(&w, extra);
    put(&w, "schema_version",
        (struct json_value){.text = SPAN("\"1\""), .type = JSON_VALUE_STRING});
    json_write_end_object(&w);
    return 0;
}
