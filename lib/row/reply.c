/* reply.c: what the agent said, how much, and whether it was cut (guard 2.3). */
#include "row/reply.h"

#include "row/defaults.h"
#include "row/step.h"
#include "row/value.h"
#include "text/finished.h"
#include "text/fold.h"
#include "text/unicode.h"
#include "text/utf8.h"

static struct span text_of(const struct row *row, struct span key, struct buf *scratch)
{
    const struct json_value *value = row_get(row, key);
    return value && json_truthy(*value) ? value_text(*value, scratch) : SPAN("");
}

static void add_part(struct buf *out, size_t start, struct span part)
{
    if (out->len > start)
        buf_byte(out, '\n');
    buf_span_add(out, part);
}

/* All parts, those equal to final_text once or every time. */
static void add_said(const struct row *row, struct row_conversation *c, bool repeats,
                     struct buf *out)
{
    struct buf scratch = {0};
    size_t start = out->len;
    struct span final = text_of(row, SPAN("final_text"), &scratch);
    if (final.len)
        buf_span_add(out, final);
    for (size_t i = 0; i < c->count; i++) {
        if (c->items[i].role != ROW_ROLE_ASSISTANT)
            continue;
        struct span text = row_message_text(c, &c->items[i]);
        if (text.len && (repeats || !span_equal(text, final)))
            add_part(out, start, text);
    }
    buf_free(&scratch);
}

void row_said(const struct row *row, struct row_conversation *c, struct buf *out)
{
    add_said(row, c, false, out);
}

void row_assistant_text(const struct row *row, struct row_conversation *c, struct buf *out)
{
    struct buf said = {0};
    add_said(row, c, true, &said);
    text_lower(buf_span(&said), out);
    buf_free(&said);
}

size_t row_reply_length(const struct row *row, struct row_conversation *c)
{
    size_t length = 0;
    struct span last = SPAN("");
    struct buf scratch = {0};
    for (size_t i = 0; i < c->count; i++) {
        if (c->items[i].role != ROW_ROLE_ASSISTANT)
            continue;
        last = row_message_text(c, &c->items[i]);
        length += utf8_length(last);
    }
    struct span final = text_of(row, SPAN("final_text"), &scratch);
    if (final.len && !span_equal(final, last))
        length += utf8_length(final);
    buf_free(&scratch);
    return length;
}

size_t row_assistant_turns(const struct row_conversation *c)
{
    size_t turns = 0;
    for (size_t i = 0; i < c->count; i++)
        turns += c->items[i].role == ROW_ROLE_ASSISTANT;
    return turns;
}

size_t row_tool_calls(const struct row *row)
{
    const struct json_value *steps = row_get(row, SPAN("steps"));
    if (!steps || !json_truthy(*steps))
        steps = row_get(row, SPAN("tool_trace"));
    size_t calls = 0;
    if (!steps || steps->type != JSON_VALUE_ARRAY)
        return 0;
    struct json_cursor cursor = json_enter(*steps);
    struct json_value step, tool;
    while (json_next_item(&cursor, &step))
        calls += json_get(step, SPAN("tool"), &tool) && json_truthy(tool);
    return calls;
}

/* ---- was it cut ---------------------------------------------------------------------------- */

static bool is_negation(struct span word)
{
    static const char *const WORDS[] = {"not", "no", "never", "without"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (span_is(word, WORDS[i]))
            return true;
    return span_ends(word, SPAN("n't")) || span_ends(word, SPAN("n\xe2\x80\x99t"));
}

static bool is_clause_end(uint32_t c)
{
    return c == '.' || c == ',' || c == ';' || c == ':' || c == '!' || c == '?' || c == '(' ||
           c == ')' || c == 0x2014;
}

static bool is_word_point(uint32_t c)
{
    return unicode_word(c) || c == '\'' || c == 0x2019;
}

static bool cut_word_at(struct span text, size_t at)
{
    struct span rest = span_slice(text, at, text.len);
    return span_starts(rest, SPAN("truncat")) || span_starts(rest, SPAN("cut off"));
}

/* A word for cut with no negation in front of it in the same clause. */
static bool says_cut(struct span text)
{
    if (!span_has(text, SPAN("truncat")) && !span_has(text, SPAN("cut off")))
        return false; /* as nearly always */
    bool negated = false, inside = false;
    size_t start = 0;
    for (size_t at = 0; at < text.len;) {
        if (!negated && cut_word_at(text, at))
            return true;
        size_t here = at;
        uint32_t c = utf8_next(text, &at);
        bool word = is_word_point(c);
        if (word && !inside)
            start = here;
        if (!word && inside && is_negation(span_slice(text, start, here)))
            negated = true;
        inside = word;
        if (is_clause_end(c))
            negated = false;
    }
    return false;
}

static bool reason_says_cut(const struct row *row)
{
    struct buf scratch = {0}, folded = {0};
    struct span reason = text_of(row, SPAN("reason"), &scratch);
    if (!reason.len)
        reason = text_of(row, SPAN("grader_reason"), &scratch);
    text_fold(reason, &folded);
    bool cut = says_cut(buf_span(&folded));
    buf_free(&scratch);
    buf_free(&folded);
    return cut;
}

static bool has_truncated_step(const struct row_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i].truncated.text.ptr && json_truthy(steps->items[i].truncated))
            return true;
    return false;
}

bool row_is_truncated_of(const struct row *row, const struct row_steps *steps)
{
    struct buf scratch = {0};
    const struct json_value *finish = row_get(row, SPAN("finish_reason"));
    bool cut = finish && finish->type == JSON_VALUE_STRING &&
               span_is(json_text(*finish, &scratch), "length");
    cut = cut || has_truncated_step(steps) || reason_says_cut(row);
    if (!cut) {
        struct span final = text_strip_right(text_of(row, SPAN("final_text"), &scratch));
        cut = utf8_length(final) >= ROW_TRUNCATED_CHARS && !text_finished(final);
    }
    buf_free(&scratch);
    return cut;
}

bool row_is_truncated(const struct row *row)
{
    struct row_steps steps = {0};
    row_steps_read(&steps, row);
    bool cut = row_is_truncated_of(row, &steps);
    row_steps_free(&steps);
    return cut;
}
