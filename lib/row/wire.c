/* wire.c: the scrub of the teacher's block and the wire form (rows 6, world 15.3). */
#include "row/wire.h"

#include "row/conversation.h"
#include "row/known.h"
#include "row/value.h"
#include "json/write.h"

/* ---- scrub --------------------------------------------------------------------------------- */

/* Names that only a teacher may see. */
static const struct span SECRETS[] = {
    {"privileged", 10}, {"principle", 9}, {"hidden_state", 12},
    {"reference", 9},   {"rubric", 6},    {"vector", 6},
};

struct scrub {
    bool deep;      /* inside tool arguments and results too */
    const char *at; /* everything before it has been copied or left out */
    struct buf *out;
    bool changed;
};

static bool is_secret(const struct json_member *m)
{
    if (!m->key_escaped && (m->key.len < 6 || m->key.len > 12))
        return false;
    for (size_t i = 0; i < sizeof SECRETS / sizeof *SECRETS; i++)
        if (json_key_is(m, SECRETS[i]))
            return true;
    return false;
}

static bool string_is(struct json_value value, const char *text)
{
    if (value.type != JSON_VALUE_STRING)
        return false;
    struct buf scratch = {0};
    bool same = span_is(json_text(value, &scratch), text);
    buf_free(&scratch);
    return same;
}

/* What an object is, as far as the scrub has to know: which of its members carry what a tool was
 * given or gave back, or describe a tool's arguments. */
enum carrier {
    CARRIER_NONE = 0,
    CARRIER_STEP = 1,    /* a step: tool, arguments, result */
    CARRIER_CALL = 2,    /* a call: name, arguments */
    CARRIER_ANSWER = 4,  /* a tool's message or result block: content */
    CARRIER_USE = 8,     /* a call as a content block: input */
    CARRIER_SCHEMA = 16, /* a tool: name, parameters */
};

static unsigned carrier_of(struct json_value object)
{
    unsigned carrier = 0;
    struct json_cursor c = json_enter(object);
    struct json_member m;
    while (json_next_member(&c, &m)) {
        if (json_key_is(&m, SPAN("tool")))
            carrier |= CARRIER_STEP;
        else if (json_key_is(&m, SPAN("name")))
            carrier |= CARRIER_CALL | CARRIER_SCHEMA;
        else if (json_key_is(&m, SPAN("role")) &&
                 (string_is(m.value, "tool") || string_is(m.value, "function")))
            carrier |= CARRIER_ANSWER;
        else if (json_key_is(&m, SPAN("type")) && string_is(m.value, "tool_result"))
            carrier |= CARRIER_ANSWER;
        else if (json_key_is(&m, SPAN("type")) && string_is(m.value, "tool_use"))
            carrier |= CARRIER_USE;
    }
    return carrier;
}

static bool is_payload(unsigned carrier, const struct json_member *m)
{
    static const struct {
        const char *name;
        unsigned carriers;
    } PAYLOADS[] = {
        {"arguments", CARRIER_STEP | CARRIER_CALL},
        {"args", CARRIER_STEP},
        {"input", CARRIER_STEP | CARRIER_USE},
        {"parameters", CARRIER_STEP | CARRIER_SCHEMA},
        {"input_schema", CARRIER_SCHEMA},
        {"inputSchema", CARRIER_SCHEMA},
        {"result", CARRIER_STEP},
        {"output", CARRIER_STEP},
        {"response", CARRIER_STEP},
        {"content", CARRIER_ANSWER},
    };
    for (size_t i = 0; i < sizeof PAYLOADS / sizeof *PAYLOADS; i++)
        if (carrier & PAYLOADS[i].carriers && json_key_is(m, span_text(PAYLOADS[i].name)))
            return true;
    return false;
}

static void scrub_value(struct scrub *s, struct json_value value);

static const char *end_of(struct span s)
{
    return s.ptr + s.len;
}

/* Copies what was not copied yet, up to `to`. */
static void copy_to(struct scrub *s, const char *to)
{
    buf_add(s->out, s->at, (size_t)(to - s->at));
    s->at = to;
}

static void scrub_object(struct scrub *s, struct json_value object)
{
    unsigned carrier = s->deep ? 0 : carrier_of(object);
    struct json_cursor c = json_enter(object);
    struct json_member m;
    const char *open = object.text.ptr + 1, *first = NULL;
    const char *before = open;      /* end of the member before */
    bool kept = false, cut = false; /* a member was kept; the ones before were not */
    while (json_next_member(&c, &m)) {
        const char *name = m.key.ptr - 1;
        if (!first)
            first = name;
        if (is_secret(&m)) {
            copy_to(s, before);
            s->at = end_of(m.value.text);
            s->changed = cut = true;
        } else {
            if (!kept && cut) { /* it takes the place of the first one, without a comma */
                buf_add(s->out, open, (size_t)(first - open));
                s->at = name;
            }
            kept = true;
            if (!is_payload(carrier, &m))
                scrub_value(s, m.value);
        }
        before = end_of(m.value.text);
    }
}

static void scrub_value(struct scrub *s, struct json_value value)
{
    if (value.type == JSON_VALUE_OBJECT) {
        scrub_object(s, value);
    } else if (value.type == JSON_VALUE_ARRAY) {
        struct json_cursor c = json_enter(value);
        struct json_value item;
        while (json_next_item(&c, &item))
            if (item.type == JSON_VALUE_OBJECT || item.type == JSON_VALUE_ARRAY)
                scrub_value(s, item);
    }
}

/* Whether the text could hold one of the names: as it is, or with a letter or '_' behind an escape.
 */
static bool may_hold_secret(struct span text)
{
    static const struct span ESCAPES[] = {{"\\u005", 5}, {"\\u006", 5}, {"\\u007", 5}};
    for (size_t i = 0; i < sizeof SECRETS / sizeof *SECRETS; i++)
        if (span_has(text, SECRETS[i]))
            return true;
    for (size_t i = 0; i < sizeof ESCAPES / sizeof *ESCAPES; i++)
        if (span_has(text, ESCAPES[i]))
            return true;
    return false;
}

static bool scrub(const struct row *row, bool deep, struct buf *out)
{
    struct scrub s = {.deep = deep, .at = row->value.text.ptr, .out = out};
    if (may_hold_secret(row->value.text))
        scrub_value(&s, row->value);
    copy_to(&s, end_of(row->value.text));
    return s.changed;
}

void row_scrub(const struct row *row, struct buf *out)
{
    scrub(row, false, out);
}

void row_scrub_deep(const struct row *row, struct buf *out)
{
    scrub(row, true, out);
}

/* ---- wire form ----------------------------------------------------------------------------- */

struct wire {
    const struct row *row;
    struct row_known known;
    bool written[ROW_KEY_COUNT];
    struct json_writer w;
    struct buf scratch;
};

static void write_raw(struct wire *wire, enum row_key_id id, struct span json)
{
    json_write_key_span(&wire->w, ROW_KEY_NAMES[id]);
    json_write_raw(&wire->w, json);
    wire->written[id] = true;
}

static bool is_truthy(const struct wire *wire, enum row_key_id id)
{
    return value_truthy(wire->known.at[id]);
}

static void write_set(struct wire *wire, enum row_key_id id)
{
    if (value_set(wire->known.at[id]))
        write_raw(wire, id, wire->known.at[id].text);
}

static void write_or(struct wire *wire, enum row_key_id id, bool there, struct span otherwise)
{
    write_raw(wire, id, there ? wire->known.at[id].text : otherwise);
}

static void write_messages(struct wire *wire)
{
    if (is_truthy(wire, KEY_MESSAGES)) {
        write_raw(wire, KEY_MESSAGES, wire->known.at[KEY_MESSAGES].text);
        return;
    }
    struct row_conversation c = {0};
    row_conversation_build(&c, wire->row);
    json_write_key(&wire->w, "messages");
    row_conversation_write(&c, &wire->w);
    wire->written[KEY_MESSAGES] = true;
    row_conversation_free(&c);
}

static void write_final(struct wire *wire)
{
    struct json_value final = wire->known.at[KEY_FINAL_TEXT];
    json_write_key(&wire->w, "final_text");
    if (final.type == JSON_VALUE_STRING)
        json_write_raw(&wire->w, final.text);
    else
        json_write_span(&wire->w, value_set(final) ? value_text(final, &wire->scratch) : SPAN(""));
    wire->written[KEY_FINAL_TEXT] = true;
}

static void write_head(struct wire *wire)
{
    const struct json_value *at = wire->known.at;
    write_or(wire, KEY_PROMPT, at[KEY_PROMPT].text.ptr != NULL, SPAN("\"\""));
    write_messages(wire);
    write_or(wire, KEY_STEPS, is_truthy(wire, KEY_STEPS), SPAN("[]"));
    write_final(wire);
    write_or(wire, KEY_SCENARIO_ID, value_set(at[KEY_SCENARIO_ID]), SPAN("\"\""));
    if (is_truthy(wire, KEY_OPENER)) {
        write_raw(wire, KEY_OPENER, at[KEY_OPENER].text);
        write_or(wire, KEY_OPENING, is_truthy(wire, KEY_OPENING), SPAN("\"agent\""));
    }
}

static bool is_world(struct wire *wire)
{
    struct json_value state = wire->known.at[KEY_WORLD_STATE];
    return value_truthy(state) && !string_is(state, "unspecified") && !string_is(state, "unknown");
}

static void write_faults(struct wire *wire)
{
    struct json_value faults = wire->known.at[KEY_FAULTS];
    struct member_list kept = {0};
    struct json_cursor c = {0};
    struct json_member m;
    if (faults.type == JSON_VALUE_OBJECT)
        c = json_enter(faults);
    while (json_next_member(&c, &m))
        if (m.value.type == JSON_VALUE_OBJECT)
            member_list_add(&kept, &m);
    member_list_settle(&kept);
    if (kept.count) {
        json_write_key(&wire->w, "faults");
        json_write_object(&wire->w);
        for (size_t i = 0; i < kept.count; i++)
            json_write_member(&wire->w, &kept.items[i]);
        json_write_end_object(&wire->w);
    }
    member_list_free(&kept);
}

static void write_world(struct wire *wire)
{
    static const enum row_key_id FACTS[] = {
        KEY_ROLLOUT_INDEX, KEY_MODEL_VERSION, KEY_POLICY_VERSION, KEY_WRITER_MODEL, KEY_USER_MODEL,
        KEY_LOGPROB,       KEY_N_TOKENS,      KEY_TOKEN_LOGPROBS, KEY_SAMPLING,     KEY_USAGE,
    };
    for (int id = KEY_AXES_FIRST; id <= KEY_AXES_LAST; id++)
        write_set(wire, (enum row_key_id)id);
    if (is_world(wire))
        write_raw(wire, KEY_WORLD_STATE, wire->known.at[KEY_WORLD_STATE].text);
    write_faults(wire);
    wire->written[KEY_WORLD_STATE] = wire->written[KEY_FAULTS] = true;
    if (is_truthy(wire, KEY_FAULT_DETECTED))
        write_raw(wire, KEY_FAULT_DETECTED, SPAN("true"));
    for (size_t i = 0; i < sizeof FACTS / sizeof *FACTS; i++)
        write_set(wire, FACTS[i]);
}

static void write_verdict(struct wire *wire)
{
    const struct json_value *at = wire->known.at;
    if (value_set(at[KEY_REWARD])) {
        write_set(wire, KEY_REWARD);
        enum row_key_id reason =
            is_truthy(wire, KEY_GRADER_REASON) ? KEY_GRADER_REASON : KEY_REASON;
        if (is_truthy(wire, reason))
            write_raw(wire, KEY_REASON, at[reason].text);
        if (is_truthy(wire, KEY_LABEL_SOURCE))
            write_set(wire, KEY_LABEL_SOURCE);
    }
    write_set(wire, KEY_QWEN_REWARD);
    if (at[KEY_LLM_REWARD].text.ptr) {
        write_raw(wire, KEY_LLM_REWARD, at[KEY_LLM_REWARD].text);
        write_or(wire, KEY_LLM_REASON, at[KEY_LLM_REASON].text.ptr != NULL, SPAN("null"));
    }
    if (value_set(at[KEY_QUALITY])) {
        write_set(wire, KEY_QUALITY);
        write_or(wire, KEY_QUALITY_REASON, is_truthy(wire, KEY_QUALITY_REASON), SPAN("\"\""));
        if (is_truthy(wire, KEY_QUALITY_SCORES))
            write_set(wire, KEY_QUALITY_SCORES);
    }
}

static bool is_scratch_name(const struct json_member *m)
{
    struct buf scratch = {0};
    bool yes = span_starts(json_key(m, &scratch), SPAN("_"));
    buf_free(&scratch);
    return yes;
}

static void write_rest(struct wire *wire)
{
    struct member_list rest = {0};
    for (size_t i = 0; i < wire->row->members.count; i++) {
        const struct json_member *m = &wire->row->members.items[i];
        enum row_key_id id = row_key_id(m);
        if ((id == ROW_KEY_UNKNOWN || !wire->written[id]) && !is_scratch_name(m))
            member_list_add(&rest, m);
    }
    member_list_settle(&rest);
    for (size_t i = 0; i < rest.count; i++)
        if (value_set(rest.items[i].value))
            json_write_member(&wire->w, &rest.items[i]);
    member_list_free(&rest);
    if (!value_set(wire->known.at[KEY_SCHEMA_VERSION])) {
        json_write_key(&wire->w, "schema_version");
        json_write_text(&wire->w, "1");
    }
}

static void write_wire(const struct row *row, struct buf *out)
{
    struct wire wire = {.row = row};
    row_known_read(row, &wire.known);
    json_write_start(&wire.w, out, row_spaced(row) ? JSON_STYLE_SPACED : JSON_STYLE_COMPACT);
    json_write_object(&wire.w);
    write_head(&wire);
    write_world(&wire);
    write_verdict(&wire);
    write_rest(&wire);
    json_write_end_object(&wire.w);
    buf_free(&wire.scratch);
}

void row_wire(const struct row *row, struct buf *out)
{
    struct buf clean = {0};
    struct json_members members = {0};
    struct json_fault fault;
    struct row scrubbed;
    if (!scrub(row, true, &clean))
        write_wire(row, out);
    else if (row_of_text(buf_span(&clean), &scrubbed, &members, &fault) == 0)
        write_wire(&scrubbed, out);
    json_members_free(&members);
    buf_free(&clean);
}
