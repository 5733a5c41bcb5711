/* birth.c: see birth.h. The row is begun with what the agent brought, read once by the room `row`
 * for what follows from it (signature, conversation, finish reason), and finished. */
#include "scene/birth.h"

#include <stdlib.h>

#include "row/fault.h"
#include "row/reply.h"
#include "row/wire.h"
#include "text/digest.h"
#include "text/utf8.h"
#include "json/write.h"

enum { POLICY_HASH_HEX = 16, POLICY_HEAD = 120 }; /* hex digits; characters (rows 9.6) */

struct birth_run {
    struct birth_setting setting;
    struct buf stamp;   /* model_version, policy_version, seed */
    struct buf lineage; /* "lineage":{…} */
};

struct birth_run *birth_run_new(const struct birth_setting *setting)
{
    struct birth_run *run = mem_zero(1, sizeof *run);
    uint8_t digest[SHA256_BYTES];
    char sha[POLICY_HASH_HEX + 1];
    run->setting = *setting;
    digest_sha256(setting->policy, digest);
    digest_hex(digest, POLICY_HASH_HEX / 2, sha);
    struct buf *b = &run->stamp, version = {0};
    buf_text(b, "\"model_version\":");
    json_quote(b, span_text(setting->model_version));
    buf_format(&version, "%s@%s", setting->model_version, sha);
    buf_text(b, ",\"policy_version\":");
    json_quote(b, buf_span(&version));
    buf_format(b, ",\"seed\":%lld", (long long)setting->seed);
    buf_free(&version);
    b = &run->lineage;
    buf_format(b, "\"lineage\":{\"system_prompt_sha\":\"%s\",\"system_prompt_head\":", sha);
    json_quote(b, utf8_head(setting->policy, POLICY_HEAD));
    buf_format(b, ",\"system_prompt_chars\":%zu", utf8_length(setting->policy));
    if (setting->replayed || setting->replayed_first)
        buf_text(b, ",\"replayed\":true");
    if (setting->eval_run >= 0)
        buf_format(b, ",\"eval_run\":%lld", (long long)setting->eval_run);
    if (setting->replayed_first)
        buf_text(b, ",\"replayed_from_run\":0");
    buf_byte(b, '}');
    return run;
}

void birth_run_free(struct birth_run *run)
{
    if (!run)
        return;
    buf_free(&run->stamp);
    buf_free(&run->lineage);
    free(run);
}

void birth_free(struct birth *b)
{
    row_conversation_free(&b->conversation);
    json_members_free(&b->members);
    buf_free(&b->begun);
    buf_free(&b->scratch);
    buf_free(&b->fault);
}

/* ---- what is derived from the steps ---------------------------------------------------------- */

/* Walks the steps that call a tool. */
static bool next_call(struct json_cursor *at, struct json_value *tool, struct json_value *result,
                      bool *answered)
{
    struct json_value step;
    while (json_next_item(at, &step))
        if (step.type == JSON_VALUE_OBJECT && json_get(step, SPAN("tool"), tool) &&
            tool->type == JSON_VALUE_STRING) {
            *answered = json_get(step, SPAN("result"), result);
            return true;
        }
    return false;
}

static void write_tools_used(struct json_value steps, struct buf *out)
{
    struct json_cursor at = json_enter(steps);
    struct json_value tool, result;
    bool answered, first = true;
    buf_text(out, ",\"tools_used\":[");
    while (next_call(&at, &tool, &result, &answered)) {
        if (!first)
            buf_byte(out, ',');
        first = false;
        buf_span_add(out, tool.text);
    }
    buf_byte(out, ']');
}

static void count_calls(struct birth *b, const struct scene_task *task, struct json_value steps,
                        birth_call *call, void *data)
{
    struct json_cursor at = json_enter(steps);
    struct json_value tool, result;
    bool answered;
    while (next_call(&at, &tool, &result, &answered)) {
        if (!answered)
            continue;
        struct span name = json_text(tool, &b->scratch);
        bool fault = row_result_failed(result);
        bool planned = task->plan && (node_get(task->plan, name) || node_find(task->plan, "*"));
        call(data, name, fault, fault && planned);
    }
}

/* The condition that a prompt off the grid met: the first failed call's status, else the plan's
 * first mode. */
static void met_condition(struct birth *b, const struct scene_task *task, struct json_value steps,
                          struct buf *out)
{
    struct json_cursor at = json_enter(steps);
    struct json_value tool, result, status;
    bool answered;
    while (next_call(&at, &tool, &result, &answered)) {
        if (!answered || !row_result_failed(result))
            continue;
        if (json_get(result, SPAN("status"), &status) && status.type == JSON_VALUE_STRING &&
            !span_is(json_text(status, &b->scratch), "ok"))
            json_quote(out, json_text(status, &b->scratch));
        else if (row_result_fault(result, &b->fault))
            json_quote(out, buf_span(&b->fault));
        else
            continue;
        return;
    }
    const struct node *mode = task->plan ? node_find(task->plan->first, "mode") : NULL;
    json_quote(out, node_is(mode, JSON_VALUE_STRING) ? mode->text : SPAN("success"));
}

static void write_dimensions(struct birth *b, const struct scene_task *task,
                             struct json_value steps, struct buf *out)
{
    buf_text(out, ",\"scenario_dimensions\":");
    if (task->dimensions) {
        node_json(task->dimensions, false, out);
        return;
    }
    struct json_cursor at = json_enter(steps);
    struct json_value tool, result;
    bool answered;
    buf_text(out, "{\"tool\":");
    if (next_call(&at, &tool, &result, &answered))
        buf_span_add(out, tool.text);
    else
        buf_text(out, "\"unrelated\"");
    buf_text(out, ",\"tool_condition\":");
    met_condition(b, task, steps, out);
    buf_text(out, ",\"origin\":\"realized\"}");
}

/* ---- the row --------------------------------------------------------------------------------- */

static void text_member(struct buf *out, const char *key, struct span text)
{
    buf_text(out, key);
    json_quote(out, text);
}

static void begin_row(const struct scene_task *task, const struct rollout *rollout, struct buf *out)
{
    buf_text(out, "{\"schema_version\":\"1\"");
    text_member(out, ",\"scenario_id\":", task->scenario_id);
    text_member(out, ",\"arm\":", task->arm);
    text_member(out, ",\"prompt\":", task->prompt);
    if (task->world_state.len)
        text_member(out, ",\"world_state\":", task->world_state);
    else
        buf_text(out, ",\"world_state\":null");
    buf_text(out, ",\"faults\":");
    if (task->plan)
        node_json(task->plan, false, out);
    else
        buf_text(out, "null");
    buf_text(out, ",\"steps\":");
    buf_span_add(out, rollout->steps.len ? buf_span(&rollout->steps) : SPAN("[]"));
    text_member(out, ",\"final_text\":", buf_span(&rollout->final_text));
    buf_byte(out, '}');
}

static void write_messages(struct birth *b, const struct row *row, struct buf *out)
{
    struct json_writer w;
    buf_text(out, ",\"messages\":");
    row_conversation_build(&b->conversation, row);
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    row_conversation_write(&b->conversation, &w);
}

static void scrub(struct birth *b, struct buf *line)
{
    struct row row;
    struct json_fault fault;
    struct buf clean = {0};
    if (row_of_text(buf_span(line), &row, &b->members, &fault) == 0) {
        row_scrub(&row, &clean);
        buf_clear(line);
        buf_span_add(line, buf_span(&clean));
    }
    buf_free(&clean);
}

void birth_read(struct birth *b, const struct scene_task *task, const struct row *row,
                struct born *born, birth_call *call, void *data)
{
    const struct json_value *steps = row_get(row, SPAN("steps"));
    born->unusable = ROW_USABLE;
    born->truncated = row_is_truncated(row);
    born->worthy = row_mutation_worthy(row);
    row_signature(row, born->signature);
    if (steps)
        count_calls(b, task, *steps, call, data);
}

void birth_row(struct birth *b, const struct birth_run *run, const struct scene_task *task,
               const struct rollout *rollout, int64_t rollout_index, struct buf *line,
               struct born *born, birth_call *call, void *data)
{
    struct row row;
    struct json_fault fault;
    *born = (struct born){.unusable = ROW_AGENT_ERROR};
    buf_clear(&b->begun);
    begin_row(task, rollout, &b->begun);
    if (row_of_text(buf_span(&b->begun), &row, &b->members, &fault))
        return; /* the agent's steps are no JSON */
    born->unusable = row_unusable(&row);
    if (born->unusable != ROW_USABLE)
        return;
    const struct json_value *steps = row_get(&row, SPAN("steps"));
    birth_read(b, task, &row, born, call, data);
    buf_clear(line);
    buf_add(line, b->begun.data, b->begun.len - 1);
    write_dimensions(b, task, *steps, line);
    buf_format(line, ",\"behavior_signature\":\"%s\"", born->signature);
    buf_text(line, ",\"reward\":null,\"grader_reason\":null,\"reason\":null");
    buf_format(line, ",\"rollout_index\":%lld,", (long long)rollout_index);
    buf_span_add(line, buf_span(&run->stamp));
    if (run->setting.uses_world)
        buf_format(line, ",\"world_seed\":%lld", (long long)rollout->world_seed);
    text_member(line, ",\"writer_model\":", task->writer_model);
    buf_text(line, ",\"user_model\":null,");
    buf_span_add(line, buf_span(&run->lineage));
    if (!run->setting.scrub && task->privileged.len) {
        buf_text(line, ",\"privileged\":");
        buf_span_add(line, task->privileged);
    }
    if (rollout->seeded.len) {
        buf_text(line, ",\"seeded\":");
        buf_span_add(line, buf_span(&rollout->seeded));
    }
    if (task->members.len) {
        buf_byte(line, ',');
        buf_span_add(line, task->members);
    }
    buf_format(line, ",\"finish_reason\":\"%s\",\"sampling\":null", row_finish_reason(&row));
    write_tools_used(*steps, line);
    write_messages(b, &row, line);
    buf_byte(line, '}');
    if (run->setting.scrub && task->members.len)
        scrub(b, line);
}
