/* birth.c: see birth.h. The row is begun with what the agent brought, read once by the room `row`
 * for what follows from it (signature, conversation, finish reason), and finished. */
#include "scene/birth.h"

#include <stdlib.h>

#include "row/fault.h"
#include "row/reply.h"
#include "row/wire.h"
#include "text/digest.h"
#include "text/number.h"
#include "text/utf8.h"
#include "json/write.h"

enum { POLICY_HEAD = 120 };  /* characters (rows 9.6) */
enum { LOGPROB_PLACES = 6 }; /* decimals (world 8.7) */

struct birth_run {
    struct birth_setting setting;
    struct buf stamp;   /* model_version, policy_version, seed */
    struct buf lineage; /* "lineage":{…} */
};

void policy_hash(struct span policy, char out[POLICY_HASH_HEX + 1])
{
    uint8_t digest[SHA256_BYTES];
    digest_sha256(policy, digest);
    digest_hex(digest, POLICY_HASH_HEX / 2, out);
}

struct birth_run *birth_run_new(const struct birth_setting *setting)
{
    struct birth_run *run = mem_zero(1, sizeof *run);
    char sha[POLICY_HASH_HEX + 1];
    run->setting = *setting;
    policy_hash(setting->policy, sha);
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
    buf_free(&b->cell);
    buf_free(&b->shape);
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
    if (rollout->opener.len) {
        text_member(out, ",\"opener\":", buf_span(&rollout->opener));
        buf_text(out, ",\"opening\":\"agent\"");
    }
    if (rollout->ended_by.len)
        text_member(out, ",\"ended_by\":", buf_span(&rollout->ended_by));
    buf_byte(out, '}');
}

/* ---- sums over the steps (world 15.1) -------------------------------------------------------- */

struct sums {
    bool usage, logprob;
    int64_t input, output, tokens;
    double total;
};

static bool step_int(struct json_value step, const char *key, int64_t *n)
{
    struct json_value v;
    return json_get(step, span_text(key), &v) && json_int64(v, n);
}

static void add_step(struct json_value step, struct sums *sums, struct buf *tokens)
{
    struct json_value v, item;
    int64_t n;
    if (step_int(step, "input_tokens", &n)) {
        sums->usage = true;
        sums->input += n;
    }
    if (step_int(step, "output_tokens", &n)) {
        sums->usage = true;
        sums->output += n;
    }
    if (json_get(step, SPAN("logprob"), &v) && v.type == JSON_VALUE_NUMBER) {
        sums->logprob = true;
        sums->total += json_number(v);
        if (step_int(step, "n_tokens", &n))
            sums->tokens += n;
    }
    if (!json_get(step, SPAN("token_logprobs"), &v) || v.type != JSON_VALUE_ARRAY)
        return;
    for (struct json_cursor at = json_enter(v); json_next_item(&at, &item);) {
        if (tokens->len)
            buf_byte(tokens, ',');
        buf_span_add(tokens, item.text);
    }
}

static void write_sums(struct birth *b, const struct rollout *rollout, struct json_value steps,
                       struct buf *out)
{
    struct sums sums = {0};
    struct json_value step;
    struct json_cursor at = json_enter(steps);
    buf_clear(&b->scratch);
    while (json_next_item(&at, &step))
        add_step(step, &sums, &b->scratch);
    if (rollout->usage.len) {
        buf_text(out, ",\"usage\":");
        buf_span_add(out, buf_span(&rollout->usage));
    } else if (sums.usage) {
        buf_format(out, ",\"usage\":{\"input_tokens\":%lld,\"output_tokens\":%lld}",
                   (long long)sums.input, (long long)sums.output);
    }
    if (!sums.logprob)
        return;
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    buf_text(out, ",\"logprob\":");
    json_write_real(&w, number_round(sums.total, LOGPROB_PLACES));
    buf_format(out, ",\"n_tokens\":%lld", (long long)sums.tokens);
    if (b->scratch.len) {
        buf_text(out, ",\"token_logprobs\":[");
        buf_span_add(out, buf_span(&b->scratch));
        buf_byte(out, ']');
    }
}

/* An object of members, in scratch. */
static struct json_value object_of(struct span members, struct buf *scratch)
{
    struct json_value value = {0};
    struct json_fault fault;
    buf_byte(scratch, '{');
    buf_span_add(scratch, members);
    buf_byte(scratch, '}');
    return json_scan(buf_span(scratch), &value, NULL, &fault) == 0 ? value : (struct json_value){0};
}

/* The task's members and the agent's; of a key that both have, the agent's. */
static void write_members(const struct scene_task *task, const struct rollout *rollout,
                          struct buf *out)
{
    struct buf mine = {0}, theirs = {0};
    struct json_value agents = object_of(buf_span(&rollout->members), &theirs), unused;
    struct json_member m;
    struct json_cursor at = json_enter(object_of(task->members, &mine));
    while (rollout->members.len && json_next_member(&at, &m)) {
        if (json_get(agents, m.key, &unused))
            continue;
        buf_text(out, ",\"");
        buf_span_add(out, m.key);
        buf_text(out, "\":");
        buf_span_add(out, m.value.text);
    }
    struct span whole = rollout->members.len ? buf_span(&rollout->members) : task->members;
    if (whole.len) {
        buf_byte(out, ',');
        buf_span_add(out, whole);
    }
    buf_free(&mine);
    buf_free(&theirs);
}

/* A prompt that scripts later turns: its first turn stands where the prompt would (D22), or all of
 * them when the agent was told them at once. */
static void script_in_words(struct birth *b, struct span prompt, bool first_only,
                            struct buf *quoted)
{
    struct arena arena = {0};
    struct json_value words;
    struct json_fault fault;
    struct span *turns;
    size_t n = turn_scripted(prompt, &arena, &turns);
    struct buf text = {0};
    for (size_t i = 0; i < (first_only ? 1 : n); i++) {
        buf_text(&text, i ? "\n\n" : "");
        buf_span_add(&text, turns[i]);
    }
    json_quote(quoted, buf_span(&text));
    for (size_t i = 0; n > 1 && i < b->conversation.count; i++) {
        struct row_message *m = &b->conversation.items[i];
        if (m->role != ROW_ROLE_USER || json_scan(buf_span(quoted), &words, NULL, &fault) != 0)
            continue;
        m->content = words;
        break;
    }
    buf_free(&text);
    arena_free(&arena);
}

static void write_messages(struct birth *b, const struct scene_task *task, bool turns_played,
                           const struct row *row, struct buf *out)
{
    struct json_writer w;
    struct buf quoted = {0};
    buf_text(out, ",\"messages\":");
    row_conversation_build(&b->conversation, row);
    if (span_has(task->prompt, SPAN("<USER_TURN>")))
        script_in_words(b, task->prompt, turns_played, &quoted);
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    row_conversation_write(&b->conversation, &w);
    buf_free(&quoted);
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

/* What the steps say of the thread: how long it is, what was cut, whether it ends on a question. */
static void read_thread(struct birth *b, const struct row *row, struct json_value steps,
                        struct born *born)
{
    struct json_value step, v, part, last = {0};
    int64_t all, sent;
    born->utterances = born->user_turns = 1;
    born->cut_chars = -1;
    for (struct json_cursor at = json_enter(steps); json_next_item(&at, &step);) {
        bool text = json_get(step, SPAN("text"), &v) && v.type == JSON_VALUE_STRING;
        if (text)
            last = v;
        born->utterances += text || json_get(step, SPAN("tool"), &part);
        bool user = json_get(step, SPAN("user"), &part);
        born->utterances += user;
        born->user_turns += user;
        if (json_get(step, SPAN("prompt_truncated"), &v) &&
            json_get(v, SPAN("prompt_chars"), &part) && json_int64(part, &all) &&
            json_get(v, SPAN("prompt_chars_sent"), &part) && json_int64(part, &sent) &&
            all - sent > born->cut_chars)
            born->cut_chars = all - sent;
    }
    const struct json_value *final = row_get(row, SPAN("final_text"));
    const struct json_value *ended = row_get(row, SPAN("ended_by"));
    if (final && final->type == JSON_VALUE_STRING && json_truthy(*final))
        last = *final;
    born->asked = last.text.ptr && span_has(json_text(last, &b->scratch), SPAN("?"));
    born->user_left = ended && ended->type == JSON_VALUE_STRING &&
                      span_is(json_text(*ended, &b->scratch), "user_left");
}

void birth_read(struct birth *b, const struct scene_task *task, const struct row *row,
                struct born *born, birth_call *call, void *data)
{
    const struct json_value *steps = row_get(row, SPAN("steps"));
    read_thread(b, row, steps ? *steps : (struct json_value){0}, born);
    born->unusable = ROW_USABLE;
    born->truncated = row_is_truncated(row);
    born->worthy = row_mutation_worthy(row);
    row_signature(row, born->signature);
    if (steps)
        count_calls(b, task, *steps, call, data);
    const struct json_value *dimensions = row_get(row, SPAN("scenario_dimensions"));
    buf_clear(&b->cell);
    buf_clear(&b->shape);
    if (dimensions)
        buf_span_add(&b->cell, dimensions->text);
    if (b->shapes)
        shape_of_row(b->shapes, b->tools, row, &b->shape);
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
    size_t before = line->len + sizeof ",\"scenario_dimensions\":" - 1;
    write_dimensions(b, task, *steps, line);
    buf_add(&b->cell, line->data + before, line->len - before);
    buf_format(line, ",\"behavior_signature\":\"%s\"", born->signature);
    buf_text(line, ",\"reward\":null,\"grader_reason\":null,\"reason\":null");
    buf_format(line, ",\"rollout_index\":%lld,", (long long)rollout_index);
    buf_span_add(line, buf_span(&run->stamp));
    if (run->setting.uses_world)
        buf_format(line, ",\"world_seed\":%lld", (long long)rollout->world_seed);
    text_member(line, ",\"writer_model\":", task->writer_model);
    buf_text(line, ",\"user_model\":");
    if (run->setting.user_model)
        json_quote(line, span_text(run->setting.user_model));
    else
        buf_text(line, "null");
    buf_byte(line, ',');
    buf_span_add(line, buf_span(&run->lineage));
    if (!run->setting.scrub && task->privileged.len) {
        buf_text(line, ",\"privileged\":");
        buf_span_add(line, task->privileged);
    }
    if (rollout->seeded.len) {
        buf_text(line, ",\"seeded\":");
        buf_span_add(line, buf_span(&rollout->seeded));
    }
    write_members(task, rollout, line);
    buf_text(line, ",\"finish_reason\":");
    json_quote(line, rollout->finish_reason.len ? buf_span(&rollout->finish_reason)
                                                : span_text(row_finish_reason(&row)));
    buf_text(line, ",\"sampling\":");
    buf_span_add(line, rollout->sampling.len       ? buf_span(&rollout->sampling)
                       : run->setting.sampling.len ? run->setting.sampling
                                                   : SPAN("null"));
    write_sums(b, rollout, *steps, line);
    write_tools_used(*steps, line);
    write_messages(b, task, rollout->turns_played, &row, line);
    buf_byte(line, '}');
    if (run->setting.scrub && task->members.len)
        scrub(b, line);
}
