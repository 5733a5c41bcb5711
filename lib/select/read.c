/* read.c: what selection wants to know of one row, see facts.h. The row gates of selection (select 3.2)
 * are decided here. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "grade/leak.h"
#include "guard/path.h"
#include "row/conversation.h"
#include "row/fault.h"
#include "row/key.h"
#include "row/reply.h"
#include "row/signature.h"
#include "row/step.h"
#include "row/usable.h"
#include "row/value.h"
#include "select/defaults.h"
#include "select/reading.h"
#include "text/digest.h"
#include "text/finished.h"
#include "text/fold.h"
#include "text/regex.h"
#include "text/utf8.h"

/* Patterns of the row gates, any case. */
static const char ERROR_REPLY[] =
    "^<agent error:|returned\\s+[45]\\d\\d\\b|^(https?://\\S+\\s+)?[45]\\d\\d(\\s|$)";
static const char HARNESS_WORDS[] =
    "<USER_TURN>|\\b(scene brief|scenario_dimensions|world_state|situation card|region_id)\\b";
static const char ACTION_WORDS[] =
    "\\b(merge|refund|schedule|commit|deploy|rebase|checkout)\\b|"
    "\\b([A-Z]{2,}[-_]\\d+|#\\d+|asin\\b|ord[-_]\\w+|pr\\s*#?\\s*\\d+)\\b";

struct select_reader {
    struct select_wants wants;
    struct regex *error_reply, *harness_words, *action_words;
    struct row_conversation conversation;
    struct row_steps steps;
    struct row_signer *signer;
    struct buf prompt, folded, final, final_folded, key, text, field, needle, fault, quota;
};

static struct regex *pattern(const char *text)
{
    return regex_compile(span_text(text), REGEX_IGNORE_CASE, NULL);
}

struct select_reader *select_reader_new(const struct select_wants *wants)
{
    struct select_reader *reader = mem_zero(1, sizeof *reader);
    reader->wants = *wants;
    reader->signer = row_signer_new();
    reader->error_reply = pattern(ERROR_REPLY);
    reader->harness_words = pattern(HARNESS_WORDS);
    reader->action_words = pattern(ACTION_WORDS);
    return reader;
}

void select_reader_free(struct select_reader *reader)
{
    if (!reader)
        return;
    regex_free(reader->error_reply);
    regex_free(reader->harness_words);
    regex_free(reader->action_words);
    row_conversation_free(&reader->conversation);
    row_steps_free(&reader->steps);
    row_signer_free(reader->signer);
    struct buf *bufs[] = {&reader->prompt, &reader->folded, &reader->final, &reader->final_folded,
                          &reader->key,    &reader->text,   &reader->field, &reader->needle,
                          &reader->fault,  &reader->quota};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        buf_free(bufs[i]);
    free(reader);
}

static bool matches(const struct regex *r, struct span text)
{
    return regex_search(r, text, 0, NULL, 0) == REGEX_MATCH;
}

/* Text of a truthy member, else "" (T of select 0.1). */
static void truthy_text(const struct row *row, struct span key, struct buf *out)
{
    const struct json_value *value = row_get(row, key);
    struct buf scratch = {0};
    buf_clear(out);
    if (value && json_truthy(*value))
        buf_span_add(out, value_text(*value, &scratch));
    buf_free(&scratch);
}

static bool truthy(const struct row *row, struct span key)
{
    const struct json_value *value = row_get(row, key);
    return value && json_truthy(*value);
}

/* The row's own message that stands in for a key which is absent: the first of the user for the prompt, the
 * last of all, when the assistant says it, for the final text. out is clear. */
static bool stand_in(struct select_reader *r, const struct row *row, struct span key, bool last,
                     struct buf *out)
{
    struct row_conversation *c = &r->conversation;
    if (r->wants.strict_keys || row_get_set(row, key) || !truthy(row, SPAN("messages")))
        return false;
    row_conversation_read(c, row);
    size_t i = last && c->count ? c->count - 1 : 0;
    while (!last && i < c->count && c->items[i].role != ROW_ROLE_USER)
        i++;
    if (c->built || i >= c->count ||
        c->items[i].role != (last ? ROW_ROLE_ASSISTANT : ROW_ROLE_USER))
        return false;
    buf_span_add(out, row_message_text(c, &c->items[i]));
    return out->len > 0;
}

static bool member_truthy(struct json_value object, const char *key)
{
    struct json_value value;
    return json_get(object, span_text(key), &value) && json_truthy(value);
}

static double scalar_of(const struct row *row)
{
    static const char *const keys[] = {"reward", "qwen_reward"};
    for (size_t i = 0; i < 2; i++) {
        const struct json_value *value = row_get(row, span_text(keys[i]));
        double number;
        if (value && (value->type == JSON_VALUE_NUMBER || value->type == JSON_VALUE_STRING) &&
            value_float(*value, &number) && !isnan(number))
            return number;
    }
    return NAN;
}

static bool usable_rate(const struct json_value *rate, double *number)
{
    return rate && (rate->type == JSON_VALUE_NUMBER || rate->type == JSON_VALUE_STRING) &&
           value_float(*rate, number) && *number >= 0.0 && *number <= 1.0;
}

static double tries_of(const struct json_value *n)
{
    return n && n->type == JSON_VALUE_NUMBER && json_number(*n) > 0 ? trunc(json_number(*n)) : 0.0;
}

double select_carried_rate(const struct row *row, double *tries)
{
    static const struct span names[] = {{"pass_rate", 9}, {"n", 1}};
    double number;
    if (usable_rate(row_get(row, names[0]), &number)) {
        *tries = tries_of(row_get(row, names[1]));
        return number;
    }
    const struct json_value *calibration = row_get(row, SPAN("calibration"));
    struct json_value found[2] = {{{0}}};
    if (calibration)
        json_get_many(*calibration, names, 2, found);
    *tries = 0.0;
    if (!found[0].text.ptr || !usable_rate(&found[0], &number))
        return NAN;
    *tries = tries_of(&found[1]);
    return number;
}

static bool message_has_calls(const struct row_message *message)
{
    return message->own.text.ptr ? message->calls.text.ptr && json_truthy(message->calls)
                                 : message->role == ROW_ROLE_ASSISTANT && message->tool.text.ptr;
}

static bool steps_have_tool(const struct row_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i].tool.text.ptr && json_truthy(steps->items[i].tool))
            return true;
    return false;
}

/* One character SELECT_REPEATED times in a row. */
static bool repeats_itself(struct span text)
{
    size_t run = 0;
    uint32_t last = UINT32_MAX;
    for (size_t at = 0; at < text.len;) {
        uint32_t c = utf8_next(text, &at);
        run = c == last ? run + 1 : 1;
        last = c;
        if (run >= SELECT_REPEATED)
            return true;
    }
    return false;
}

/* Final text, step texts and assistant contents, a line each. */
static void visible_text(struct select_reader *r)
{
    buf_clear(&r->text);
    buf_span_add(&r->text, buf_span(&r->final));
    for (size_t i = 0; i < r->steps.count; i++) {
        struct json_value text = r->steps.items[i].text;
        if (!text.text.ptr || text.type != JSON_VALUE_STRING)
            continue;
        buf_byte(&r->text, '\n');
        json_text_add(text, &r->text);
    }
    for (size_t i = 0; i < r->conversation.count; i++) {
        if (r->conversation.items[i].role != ROW_ROLE_ASSISTANT)
            continue;
        buf_byte(&r->text, '\n');
        buf_span_add(&r->text, row_message_text(&r->conversation, &r->conversation.items[i]));
    }
}

/* Section 3.2, rule 1, all but the length rule. */
static bool is_junk(struct select_reader *r, bool has_tool)
{
    struct span final = text_strip(buf_span(&r->final));
    const struct row_conversation *c = &r->conversation;
    if (!final.len)
        return true;
    static const char error_start[] = "<agent error";
    if (final.len >= sizeof error_start - 1 &&
        strncasecmp(final.ptr, error_start, sizeof error_start - 1) == 0)
        return true;
    if (!has_tool && matches(r->error_reply, final))
        return true;
    if (repeats_itself(final) || matches(r->harness_words, final))
        return true;
    visible_text(r);
    if (row_has_tool_markup(buf_span(&r->text)))
        return true;
    if (!c->count && !has_tool)
        return true;
    if (c->count) {
        enum row_role last = c->items[c->count - 1].role;
        if (last == ROW_ROLE_USER || last == ROW_ROLE_TOOL)
            return true;
    }
    return !has_tool && span_ends(final, SPAN("?")) && text_word_count(buf_span(&r->prompt)) <= 2;
}

/* Section 3.2, rule 2: does the situation want a tool? */
static bool wants_tool(const struct row *row, const struct select_reader *r)
{
    if (truthy(row, SPAN("tool_known")) || truthy(row, SPAN("faults")))
        return true;
    const struct json_value *family = row_get(row, SPAN("ask_family"));
    if (family && span_is(family->text, "\"tool\""))
        return true;
    const struct json_value *state = row_get(row, SPAN("world_state"));
    if (state && json_truthy(*state) && !span_is(state->text, "\"unspecified\"") &&
        !span_is(state->text, "\"unknown\""))
        return true;
    const struct json_value *cell = row_get(row, SPAN("scenario_dimensions"));
    if (cell && cell->type == JSON_VALUE_OBJECT &&
        (member_truthy(*cell, "intent") || member_truthy(*cell, "tool")))
        return true;
    return matches(r->action_words, buf_span(&r->prompt));
}

static bool is_trusted(const struct row *row, struct select_reader *r)
{
    const struct json_value *source = row_get(row, SPAN("label_source"));
    if (!source)
        return false;
    struct buf scratch = {0};
    buf_clear(&r->text);
    text_lower(value_text(*source, &scratch), &r->text);
    buf_free(&scratch);
    return span_starts(buf_span(&r->text), SPAN("claude")) ||
           span_starts(buf_span(&r->text), SPAN("gold"));
}

static bool from_eval(const struct row *row)
{
    const struct json_value *lineage = row_get(row, SPAN("lineage"));
    struct json_value source;
    return lineage && json_get(*lineage, SPAN("source"), &source) &&
           span_is(source.text, "\"eval\"");
}

static unsigned content_flags(const struct row *row, struct select_reader *r)
{
    struct row_conversation *c = &r->conversation;
    bool has_tool = steps_have_tool(&r->steps), speaks = false;
    for (size_t i = 0; i < c->count; i++) {
        has_tool = has_tool || message_has_calls(&c->items[i]);
        speaks =
            speaks || (c->items[i].role == ROW_ROLE_ASSISTANT && json_truthy(c->items[i].content));
    }
    bool content = has_tool || speaks || !text_blank(buf_span(&r->final));
    struct span final = text_strip_right(buf_span(&r->final));
    unsigned flags = 0;
    flags |= has_tool ? SELECT_HAS_TOOL : 0;
    flags |= content ? SELECT_CONTENT : 0;
    flags |= is_junk(r, has_tool) ? SELECT_JUNK : 0;
    flags |= utf8_length(final) > SELECT_LONG_REPLY && !text_finished(final) ? SELECT_LONG : 0;
    flags |= wants_tool(row, r) ? SELECT_WANTS_TOOL : 0;
    flags |= content && is_trusted(row, r) ? SELECT_TRUSTED : 0;
    flags |= row_binary(row) == ROW_LABEL_FAIL ? SELECT_ZERO : 0;
    return flags;
}

static unsigned leak_flags(struct select_reader *r, const struct row *row,
                           struct select_reading *reading)
{
    buf_clear(&r->field);
    buf_clear(&r->needle);
    enum leak_result leak = leak_find(row, &r->field, &r->needle);
    if (leak != LEAK_FOUND)
        return leak == LEAK_NONE ? SELECT_CHECKED : 0;
    const struct json_value *id = row_get(row, SPAN("scenario_id"));
    const struct json_value *index = row_get(row, SPAN("rollout_index"));
    reading->texts[READING_LEAK_ID] = id ? id->text : (struct span){0};
    reading->texts[READING_LEAK_INDEX] = index ? index->text : (struct span){0};
    reading->texts[READING_LEAK_FIELD] = buf_span(&r->field);
    reading->texts[READING_LEAK_NEEDLE] = buf_span(&r->needle);
    return SELECT_CHECKED | SELECT_LEAKED;
}

/* The texts that group rows. */
static void identify(struct select_reader *r, const struct row *row, struct select_reading *reading)
{
    reading->texts[READING_TASK] = row_task_key(row, &r->key);
    if (!reading->texts[READING_TASK].len)
        reading->texts[READING_TASK] = buf_span(&r->prompt);
    reading->texts[READING_PROMPT] = buf_span(&r->prompt);
    row_signature_of(r->signer, row, &r->steps, reading->signature);
    row_fault_of(row, &r->steps, &r->fault);
    reading->texts[READING_FAULT] = buf_span(&r->fault);
    buf_clear(&r->final_folded);
    text_fold(buf_span(&r->final), &r->final_folded);
    digest_sha256(buf_span(&r->final_folded), reading->reply);
}

static void read_quota(struct select_reader *r, const struct row *row,
                       struct select_reading *reading)
{
    struct json_value value;
    if (r->wants.quota_key && guard_path(row, r->wants.quota_key, &value) &&
        !json_value_null(value))
        reading->texts[READING_QUOTA] = value_text(value, &r->quota);
}

/* What only a row that may leave is asked. */
static void read_more(struct select_reader *r, const struct row *row,
                      struct select_reading *reading)
{
    truthy_text(row, SPAN("final_text"), &r->final);
    if (stand_in(r, row, SPAN("final_text"), true, &r->final))
        reading->fact.flags |= SELECT_FINAL_STANDS;
    row_conversation_read(&r->conversation, row);
    row_steps_read(&r->steps, row);
    identify(r, row, reading);
    read_quota(r, row, reading);
    reading->fact.carried_rate = select_carried_rate(row, &reading->fact.carried_n);
    reading->fact.reply_length = row_reply_length(row, &r->conversation);
    unsigned flags = content_flags(row, r);
    flags |= truthy(row, SPAN("overlong")) ? SELECT_OVERLONG : 0;
    flags |= row_is_truncated_of(row, &r->steps) ? SELECT_TRUNCATED : 0;
    flags |= from_eval(row) ? SELECT_EVAL : 0;
    reading->fact.flags |= (uint16_t)flags;
}

void select_read(struct select_reader *r, const struct row *row, struct buf *note)
{
    const double scalar = scalar_of(row);
    struct select_reading reading = {.fact = {.label = (int8_t)row_label(row), .scalar = scalar}};
    truthy_text(row, SPAN("prompt"), &r->prompt);
    const bool stands = stand_in(r, row, SPAN("prompt"), false, &r->prompt);
    buf_clear(&r->folded);
    text_fold(buf_span(&r->prompt), &r->folded);
    reading.texts[READING_FOLDED] = buf_span(&r->folded);
    reading.fact.flags =
        (uint16_t)(leak_flags(r, row, &reading) | (stands ? SELECT_PROMPT_STANDS : 0));
    if (r->wants.passing_only && !(scalar >= r->wants.min_reward))
        reading.fact.flags |= SELECT_OUT;
    else
        read_more(r, row, &reading);
    select_reading_store(&reading, note);
}
