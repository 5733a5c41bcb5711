/* facts.c: see facts.h. One pass over a row; the row gates of selection (select 3.2) are decided
 * here. */
#include "select/facts.h"

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
#include "row/usable.h"
#include "row/value.h"
#include "select/defaults.h"
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
    struct regex *error_reply, *harness_words, *action_words;
    struct row_conversation conversation;
    struct buf prompt, folded, final, final_folded, key, text, field, needle;
};

static struct regex *pattern(const char *text)
{
    return regex_compile(span_text(text), REGEX_IGNORE_CASE, NULL);
}

static struct select_reader *reader_new(void)
{
    struct select_reader *reader = mem_zero(1, sizeof *reader);
    reader->error_reply = pattern(ERROR_REPLY);
    reader->harness_words = pattern(HARNESS_WORDS);
    reader->action_words = pattern(ACTION_WORDS);
    return reader;
}

static void reader_free(struct select_reader *reader)
{
    if (!reader)
        return;
    regex_free(reader->error_reply);
    regex_free(reader->harness_words);
    regex_free(reader->action_words);
    row_conversation_free(&reader->conversation);
    struct buf *bufs[] = {&reader->prompt, &reader->folded, &reader->final, &reader->final_folded,
                          &reader->key,    &reader->text,   &reader->field, &reader->needle};
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

double select_carried_rate(const struct row *row, double *tries)
{
    *tries = 0.0;
    for (int nested = 0; nested < 2; nested++) {
        struct json_value place = row->value, rate, n;
        if (nested &&
            (!json_get(row->value, SPAN("calibration"), &place) || place.type != JSON_VALUE_OBJECT))
            continue;
        double number;
        if (!json_get(place, SPAN("pass_rate"), &rate) ||
            (rate.type != JSON_VALUE_NUMBER && rate.type != JSON_VALUE_STRING) ||
            !value_float(rate, &number) || !(number >= 0.0 && number <= 1.0))
            continue;
        if (json_get(place, SPAN("n"), &n) && n.type == JSON_VALUE_NUMBER && json_number(n) > 0)
            *tries = trunc(json_number(n));
        return number;
    }
    return NAN;
}

static bool message_has_calls(const struct row_message *message)
{
    return message->own.text.ptr ? member_truthy(message->own, "tool_calls")
                                 : message->role == ROW_ROLE_ASSISTANT && message->tool.text.ptr;
}

static bool steps_have_tool(const struct row *row)
{
    const struct json_value *steps = row_get(row, SPAN("steps"));
    if (!steps || steps->type != JSON_VALUE_ARRAY)
        return false;
    struct json_cursor cursor = json_enter(*steps);
    struct json_value step;
    while (json_next_item(&cursor, &step))
        if (step.type == JSON_VALUE_OBJECT && member_truthy(step, "tool"))
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
static void visible_text(const struct row *row, struct select_reader *r)
{
    buf_clear(&r->text);
    buf_span_add(&r->text, buf_span(&r->final));
    const struct json_value *steps = row_get(row, SPAN("steps"));
    struct json_cursor cursor =
        steps && steps->type == JSON_VALUE_ARRAY ? json_enter(*steps) : (struct json_cursor){0};
    struct json_value step, text;
    while (json_next_item(&cursor, &step)) {
        if (!json_get(step, SPAN("text"), &text) || text.type != JSON_VALUE_STRING)
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
static bool is_junk(const struct row *row, struct select_reader *r, bool has_tool)
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
    visible_text(row, r);
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

static unsigned leak_flags(struct select_facts *facts, const struct row *row)
{
    struct select_reader *r = facts->reader;
    buf_clear(&r->field);
    buf_clear(&r->needle);
    enum leak_result leak = leak_find(row, &r->field, &r->needle);
    if (leak != LEAK_FOUND)
        return leak == LEAK_NONE ? SELECT_CHECKED : 0;
    if (facts->n_leaks_shown < SELECT_LEAKS_SHOWN) {
        facts->leaks = mem_grow(facts->leaks, &facts->cap_leaks, facts->n_leaks_shown + 1,
                                sizeof *facts->leaks);
        const struct json_value *id = row_get(row, SPAN("scenario_id"));
        const struct json_value *index = row_get(row, SPAN("rollout_index"));
        facts->leaks[facts->n_leaks_shown++] = (struct select_leak){
            .scenario_id = id ? arena_span(&facts->arena, id->text) : (struct span){0},
            .rollout_index = index ? arena_span(&facts->arena, index->text) : (struct span){0},
            .field = arena_span(&facts->arena, buf_span(&r->field)),
            .needle = arena_span(&facts->arena, buf_span(&r->needle)),
        };
    }
    return SELECT_CHECKED | SELECT_LEAKED;
}

static unsigned content_flags(const struct row *row, struct select_reader *r)
{
    struct row_conversation *c = &r->conversation;
    bool has_tool = steps_have_tool(row), speaks = false;
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
    flags |= is_junk(row, r, has_tool) ? SELECT_JUNK : 0;
    flags |= utf8_length(final) > SELECT_LONG_REPLY && !text_finished(final) ? SELECT_LONG : 0;
    flags |= wants_tool(row, r) ? SELECT_WANTS_TOOL : 0;
    flags |= content && is_trusted(row, r) ? SELECT_TRUSTED : 0;
    flags |= row_binary(row) == ROW_LABEL_FAIL ? SELECT_ZERO : 0;
    return flags;
}

/* Numbers of the texts that group rows. */
static void identify(struct select_facts *facts, const struct row *row, struct select_fact *fact)
{
    struct select_reader *r = facts->reader;
    fact->task = (uint32_t)map_add(&facts->tasks, row_task_key(row, &r->key), NULL);
    fact->prompt = (uint32_t)map_add(&facts->prompts, buf_span(&r->prompt), NULL);
    buf_clear(&r->folded);
    text_fold(buf_span(&r->prompt), &r->folded);
    fact->folded = (uint32_t)map_add(&facts->folded, buf_span(&r->folded), NULL);
    char signature[ROW_SIGNATURE_LENGTH + 1];
    row_signature(row, signature);
    fact->signature = (uint32_t)map_add(&facts->signatures, span_text(signature), NULL);
    row_fault(row, &r->text);
    fact->fault = (uint32_t)map_add(&facts->faults, buf_span(&r->text), NULL);

    /* Numbers stand for prompt and signature; a digest for the reply, so that memory stays small.
     */
    buf_clear(&r->final_folded);
    text_fold(buf_span(&r->final), &r->final_folded);
    struct {
        uint32_t prompt, signature;
        uint8_t reply[SHA256_BYTES];
    } key = {.prompt = fact->prompt, .signature = fact->signature};
    digest_sha256(buf_span(&r->final_folded), key.reply);
    fact->duplicate =
        (uint32_t)map_add(&facts->duplicates, span_make((const char *)&key, sizeof key), NULL);
}

static void quota_of(struct select_facts *facts, const struct row *row, struct select_fact *fact)
{
    struct json_value value;
    struct buf scratch = {0};
    if (!facts->quota_key)
        return;
    bool there = guard_path(row, facts->quota_key, &value) && !json_value_null(value);
    fact->quota =
        (uint32_t)map_add(&facts->quotas, there ? value_text(value, &scratch) : SPAN(""), NULL);
    buf_free(&scratch);
}

void select_facts_add(struct select_facts *facts, const struct row *row)
{
    if (!facts->reader)
        facts->reader = reader_new();
    struct select_reader *r = facts->reader;
    facts->items = mem_grow(facts->items, &facts->cap, facts->count + 1, sizeof *facts->items);
    struct select_fact *fact = &facts->items[facts->count++];
    *fact = (struct select_fact){.label = (int8_t)row_label(row), .scalar = scalar_of(row)};
    truthy_text(row, SPAN("prompt"), &r->prompt);
    truthy_text(row, SPAN("final_text"), &r->final);
    row_conversation_read(&r->conversation, row);
    identify(facts, row, fact);
    fact->carried_rate = select_carried_rate(row, &fact->carried_n);
    quota_of(facts, row, fact);
    unsigned flags = leak_flags(facts, row) | content_flags(row, r);
    flags |= truthy(row, SPAN("overlong")) ? SELECT_OVERLONG : 0;
    flags |= row_is_truncated(row) ? SELECT_TRUNCATED : 0;
    flags |= from_eval(row) ? SELECT_EVAL : 0;
    fact->flags = (uint16_t)flags;
    fact->reply_length = row_reply_length(row, &r->conversation);
}

void select_facts_free(struct select_facts *facts)
{
    reader_free(facts->reader);
    free(facts->items);
    free(facts->leaks);
    map_free(&facts->tasks);
    map_free(&facts->prompts);
    map_free(&facts->folded);
    map_free(&facts->duplicates);
    map_free(&facts->signatures);
    map_free(&facts->faults);
    map_free(&facts->quotas);
    arena_free(&facts->arena);
    *facts = (struct select_facts){0};
}

void select_stable(struct span text, struct span salt, char out[SELECT_STABLE_MAX])
{
    struct buf both = {0};
    uint8_t digest[SHA256_BYTES];
    buf_span_add(&both, salt);
    buf_byte(&both, ':');
    buf_span_add(&both, text);
    digest_sha256(buf_span(&both), digest);
    digest_hex(digest, sizeof digest, out);
    buf_free(&both);
}
