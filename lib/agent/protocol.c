/* protocol.c: see protocol.h. */
#include "agent/protocol.h"

#include "agent/defaults.h"
#include "row/members.h"
#include "text/fold.h"
#include "text/term.h"
#include "text/utf8.h"
#include "json/write.h"

/* ---- lines ----------------------------------------------------------------------------------- */

static struct json_value member(struct json_value object, const char *key)
{
    struct json_value value;
    return json_get(object, span_text(key), &value) ? value : (struct json_value){0};
}

static bool is_text(struct json_value v)
{
    return v.text.ptr && v.type == JSON_VALUE_STRING;
}

static void refuse(struct agent_line *out, const char *what)
{
    out->says = AGENT_SAYS_NOTHING;
    out->what = what;
}

static void read_call(struct json_value line, struct agent_line *out)
{
    out->says = AGENT_SAYS_CALL;
    out->arguments = member(line, "arguments");
    out->call = member(line, "call");
    out->text = member(line, "text");
    if (!is_text(out->tool))
        refuse(out, "`tool` is not a name");
    else if (out->text.text.ptr && !json_value_null(out->text) && !is_text(out->text))
        refuse(out, "`text` is not a text");
}

static void read_step(struct agent_line *out)
{
    struct json_value tool = member(out->step, "tool"), text = member(out->step, "text");
    out->says = AGENT_SAYS_STEP;
    if (out->step.type != JSON_VALUE_OBJECT)
        refuse(out, "`step` is not an object");
    else if (!is_text(tool) && !is_text(text))
        refuse(out, "`step` names no tool and holds no text");
}

bool agent_json_deep(struct span json)
{
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < json.len; i++) {
        char c = json.ptr[i];
        if (quoted) {
            i += c == '\\';
            quoted = c != '"';
        } else if (c == '[' || c == '{') {
            if (++depth > AGENT_DEPTH_MAX)
                return true;
        } else {
            depth -= c == ']' || c == '}';
            quoted = c == '"';
        }
    }
    return false;
}

void agent_line_read(struct span line, struct agent_line *out)
{
    struct json_value value;
    struct json_fault fault;
    *out = (struct agent_line){0};
    if (json_scan(line, &value, NULL, &fault) || agent_json_deep(line)) {
        refuse(out, agent_json_deep(line) ? "is nested too deep" : "is no JSON");
        return;
    }
    out->done = value;
    if (value.type == JSON_VALUE_STRING) {
        out->says = AGENT_SAYS_DONE;
        return;
    }
    if (value.type != JSON_VALUE_OBJECT) {
        refuse(out, "is neither an object nor a text");
        return;
    }
    out->id = member(value, "id");
    out->tool = member(value, "tool");
    out->step = member(value, "step");
    struct json_value say = member(value, "say"), error = member(value, "error");
    if (member(value, "final_text").text.ptr || member(value, "steps").text.ptr) {
        out->says = AGENT_SAYS_DONE;
    } else if (out->tool.text.ptr) {
        read_call(value, out);
    } else if (out->step.text.ptr) {
        read_step(out);
    } else if (say.text.ptr || is_text(error)) {
        out->says = say.text.ptr ? AGENT_SAYS_LINE : AGENT_SAYS_ERROR;
        out->text = say.text.ptr ? say : error;
        if (!is_text(out->text))
            refuse(out, "`say` is not a text");
    } else {
        out->says = AGENT_SAYS_DONE; /* of the wrong shape: told apart there */
    }
}

bool agent_line_is_of(const struct agent_line *line, struct span id)
{
    struct buf scratch = {0};
    if (!line->id.text.ptr || json_value_null(line->id))
        return true;
    bool same = is_text(line->id) && span_equal(json_text(line->id, &scratch), id);
    buf_free(&scratch);
    return same;
}

void rollout_fail(struct rollout *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    out->fate = ROLLOUT_ERROR;
    buf_clear(&out->error);
    buf_vformat(&out->error, format, args);
    va_end(args);
}

/* From a line's beginning when that leaves half of it. */
void rollout_lose(struct rollout *out, const char *what, struct span said)
{
    struct buf shown = {0};
    if (said.len >= CHILD_SAID_MAX) {
        said = span_slice(said, said.len - CHILD_SAID_MAX, said.len);
        size_t newline = span_find(said, SPAN("\n"), 0);
        if (newline < CHILD_SAID_MAX / 2)
            said = span_slice(said, newline + 1, said.len);
    }
    said = text_strip(said);
    if (said.len)
        buf_text(&shown, "; it said last: ");
    term_add(&shown, said);
    rollout_fail(out, "%s%s", what, buf_cstr(&shown));
    buf_free(&shown);
}

void rollout_fail_by_word(struct rollout *out, struct json_value text)
{
    struct buf shown = {0}, scratch = {0};
    term_add(&shown, json_text(text, &scratch));
    rollout_fail(out, "the agent failed: %s", buf_cstr(&shown));
    buf_free(&shown);
    buf_free(&scratch);
}

/* ---- the done line --------------------------------------------------------------------------- */

/* Members of a row that the engine writes (world 15.1); the first ones it takes from a done line. */
static const char *const TAKEN[] = {"id",    "final_text", "steps", "finish_reason",
                                    "usage", "ended_by",   "seeded"};
static const char *const ENGINES[] = {
    "schema_version", "prompt",
    "scenario_id",    "scenario_dimensions",
    "world_state",    "faults",
    "world_seed",     "opener",
    "opening",        "messages",
    "rollout_index",  "rollout_id",
    "seed",           "arm",
    "model_version",  "policy_version",
    "lineage",        "writer_model",
    "user_model",     "sampling",
    "tools_used",     "behavior_signature",
    "privileged",     "reward",
    "grader_reason",  "reason",
};
static const char *const SUMS[] = {"logprob", "n_tokens", "token_logprobs"};

#define AMONG(key, list) among(key, list, sizeof(list) / sizeof *(list))
static bool among(struct span key, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (span_is(key, list[i]))
            return true;
    return false;
}

/* A sum counts when it has the type that a row's has. */
static bool sum_is_sound(struct span key, struct json_value v)
{
    struct json_cursor c = json_enter(v);
    struct json_value item;
    if (!span_is(key, SUMS[2]))
        return v.type == JSON_VALUE_NUMBER && !(v.flags & JSON_FLAG_NONFINITE);
    while (json_next_item(&c, &item))
        if (item.type != JSON_VALUE_NUMBER)
            return false;
    return v.type == JSON_VALUE_ARRAY;
}

/* Some step has a sum of its own: the row's come from the steps then. */
static bool steps_sum(const struct rollout *r, bool recorded)
{
    struct buf array = {0};
    struct json_value steps, step;
    struct json_fault fault;
    bool found = false;
    if (!span_has(buf_span(&r->steps), SPAN("logprob")))
        return false;
    buf_span_add(&array, buf_span(&r->steps));
    buf_text(&array, recorded ? "]" : "");
    if (json_scan(buf_span(&array), &steps, NULL, &fault) == 0) {
        struct json_cursor c = json_enter(steps);
        while (!found && json_next_item(&c, &step))
            found = member(step, "logprob").text.ptr != NULL;
    }
    buf_free(&array);
    return found;
}

/* Keys of the agent's own. */
static void take_members(struct json_value done, bool recorded, struct rollout *r)
{
    struct member_list own = {0};
    struct json_cursor c = json_enter(done);
    struct json_member m;
    struct buf name = {0};
    bool summed = steps_sum(r, recorded);
    while (json_next_member(&c, &m)) {
        struct span key = json_key(&m, &name);
        if (!AMONG(key, TAKEN) && !AMONG(key, ENGINES) &&
            (!AMONG(key, SUMS) || (!summed && sum_is_sound(key, m.value))))
            member_list_add(&own, &m);
    }
    member_list_settle(&own);
    for (size_t i = 0; i < own.count; i++) {
        if (r->members.len)
            buf_byte(&r->members, ',');
        json_quote(&r->members, json_key(&own.items[i], &name));
        buf_byte(&r->members, ':');
        buf_span_add(&r->members, own.items[i].value.text);
    }
    member_list_free(&own);
    buf_free(&name);
}

static bool take_steps(struct json_value steps, struct rollout *out)
{
    struct json_cursor c = json_enter(steps);
    struct json_value step;
    size_t n = 0;
    if (steps.type != JSON_VALUE_ARRAY) {
        rollout_fail(out, "the agent's `steps` is not an array");
        return false;
    }
    while (json_next_item(&c, &step)) {
        if (step.type != JSON_VALUE_OBJECT) {
            rollout_fail(
                out, "the agent's `steps` holds something else than an object, at place %zu", n);
            return false;
        }
        buf_byte(&out->steps, n++ ? ',' : '[');
        buf_span_add(&out->steps, step.text);
    }
    buf_text(&out->steps, n ? "]" : "[]");
    return true;
}

static void take_text(struct json_value v, struct buf *out)
{
    buf_clear(out);
    if (is_text(v))
        json_text_add(v, out);
}

/* "a", "b" and "c", as many as AGENT_KEYS_NAMED. */
static void name_keys(struct json_value object, struct buf *out)
{
    struct json_cursor c = json_enter(object);
    struct json_member m;
    struct buf name = {0};
    size_t n = 0, all = json_count(object);
    while (n < AGENT_KEYS_NAMED && json_next_member(&c, &m)) {
        buf_text(out, n == 0 ? "" : ", ");
        term_add_head(out, json_key(&m, &name), AGENT_KEY_CHARACTERS);
        n++;
    }
    if (all > n)
        buf_format(out, " and %zu more", all - n);
    if (all == 0)
        buf_text(out, "none");
    buf_free(&name);
}

static bool wrong_shape(struct json_value done, struct rollout *out)
{
    struct buf keys = {0};
    name_keys(done, &keys);
    rollout_fail(out, "the agent's reply has no final_text and no steps (its keys: %s)",
                 buf_cstr(&keys));
    buf_free(&keys);
    return false;
}

bool agent_done_read(struct json_value done, bool recorded, struct rollout *out, bool *ignored)
{
    static const char *const REASONS[] = {"stop", "length", "tool", "error"};
    struct json_value text = member(done, "final_text"), steps = member(done, "steps");
    struct json_value usage = member(done, "usage"), seeded = member(done, "seeded");
    bool brings = steps.text.ptr && !json_value_null(steps);
    *ignored = recorded && json_count(steps) > 0;
    if (!recorded)
        buf_clear(&out->steps);
    if (done.type == JSON_VALUE_STRING)
        text = done;
    else if (!text.text.ptr && !steps.text.ptr)
        return wrong_shape(done, out);
    if (text.text.ptr && !is_text(text) && !json_value_null(text)) {
        rollout_fail(out, "the agent's `final_text` is not a text");
        return false;
    }
    if (!recorded && brings && !take_steps(steps, out))
        return false;
    if (!recorded && !brings)
        buf_text(&out->steps, "[]");
    take_text(text, &out->final_text);
    take_text(member(done, "finish_reason"), &out->finish_reason);
    if (!AMONG(buf_span(&out->finish_reason), REASONS))
        buf_clear(&out->finish_reason);
    if (is_text(member(done, "ended_by")))
        take_text(member(done, "ended_by"), &out->ended_by);
    if (usage.text.ptr && usage.type == JSON_VALUE_OBJECT)
        buf_span_add(&out->usage, usage.text);
    if (seeded.text.ptr && seeded.type == JSON_VALUE_ARRAY)
        buf_span_add(&out->seeded, seeded.text);
    take_members(done, recorded, out);
    return true;
}
