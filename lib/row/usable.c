/* usable.c: is a rollout fit to be counted, why it ended, what it failed (rows 9.2, 9.5, 9.7). */
#include "row/usable.h"

#include <stdlib.h>

#include "row/defaults.h"
#include "row/parse.h"
#include "row/value.h"
#include "text/fold.h"
#include "text/unicode.h"
#include "text/utf8.h"

/* A marker below it failed (rows 9.5). */
static const double MARKER_PASS = 0.5;

static bool equal_fold(const char *at, const char *lower, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = at[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != lower[i])
            return false;
    }
    return true;
}

/* First place of a text (given in lower case, first byte not a letter) in any ASCII case, or s.len.
 */
static size_t find_fold(struct span s, const char *lower, size_t from)
{
    size_t len = strlen(lower);
    while (s.len >= len && from <= s.len - len) {
        const char *hit = memchr(s.ptr + from, lower[0], s.len - len - from + 1);
        if (!hit)
            break;
        if (equal_fold(hit, lower, len))
            return (size_t)(hit - s.ptr);
        from = (size_t)(hit - s.ptr) + 1;
    }
    return s.len;
}

static size_t skip_space(struct span s, size_t at)
{
    while (at < s.len) {
        size_t next = at;
        if (!unicode_space(utf8_next(s, &next)))
            break;
        at = next;
    }
    return at;
}

/* A quoted key with its colon at or after from, not later than limit; *end is behind the colon.
 * Looks no further than it must: a text full of half schemas stays cheap. */
static bool find_key(struct span s, const char *quoted, size_t from, size_t limit, size_t *end)
{
    size_t len = strlen(quoted);
    struct span near =
        limit < s.len - (s.len < len ? s.len : len) ? span_slice(s, 0, limit + len) : s;
    for (size_t at = from; (at = find_fold(near, quoted, at)) < near.len; at++) {
        size_t colon = skip_space(s, at + len);
        if (colon < s.len && s.ptr[colon] == ':') {
            *end = colon + 1;
            return true;
        }
    }
    return false;
}

/* A string that is not empty, behind white space; *end is behind its closing quote. */
static bool string_at(struct span s, size_t at, size_t *end)
{
    at = skip_space(s, at);
    if (at >= s.len || s.ptr[at] != '"')
        return false;
    const char *close = memchr(s.ptr + at + 1, '"', s.len - at - 1);
    if (!close || close == s.ptr + at + 1)
        return false;
    *end = (size_t)(close - s.ptr) + 1;
    return true;
}

enum { UTF8_MOST = 4 }; /* bytes of a code point */

static size_t gap_from(struct span s, size_t at)
{
    size_t most = UTF8_MOST * ROW_SCHEMA_GAP;
    struct span near = span_slice(s, at, s.len - at > most ? at + most : s.len);
    return at + utf8_offset(near, ROW_SCHEMA_GAP);
}

/* "parameters" within the gap of any "description" that is itself within the gap of the name. */
static bool described_from(struct span s, size_t name_end)
{
    size_t limit = gap_from(s, name_end);
    size_t at = name_end, end, done;
    /* None as far as any description reaches, white space around its colon included: nothing to
     * look at. */
    if (!find_key(s, "\"parameters\"", name_end, gap_from(s, limit) + ROW_SCHEMA_GAP, &done))
        return false;
    while (find_key(s, "\"description\"", at, limit, &end)) {
        if (find_key(s, "\"parameters\"", end, gap_from(s, end), &done))
            return true;
        at = end;
    }
    return false;
}

static bool has_schema(struct span s)
{
    size_t at = 0, end;
    while (find_key(s, "\"name\"", at, s.len, &end)) {
        at = end;
        if (string_at(s, end, &end) && described_from(s, end))
            return true;
    }
    return false;
}

bool row_has_tool_markup(struct span text)
{
    return find_fold(text, "<tool_call>", 0) < text.len ||
           find_fold(text, "</tool_call>", 0) < text.len || has_schema(text);
}

const char *row_unusable_name(enum row_unusable why)
{
    static const char *const NAMES[] = {NULL, "agent_error", "empty_reply", "tool_markup"};
    return NAMES[why];
}

/* final_text, then the texts of the steps, joined by newlines. */
static void visible_text(const struct row *row, struct span final, struct buf *out)
{
    const struct json_value *steps = row_get(row, SPAN("steps"));
    buf_span_add(out, final);
    if (!steps || steps->type != JSON_VALUE_ARRAY)
        return;
    struct buf scratch = {0};
    struct json_cursor c = json_enter(*steps);
    struct json_value step, text;
    while (json_next_item(&c, &step)) {
        if (!json_get(step, SPAN("text"), &text) || json_value_null(text))
            continue;
        buf_byte(out, '\n');
        buf_span_add(out, value_text(text, &scratch));
    }
    buf_free(&scratch);
}

static struct span final_text(const struct row *row, struct buf *scratch)
{
    const struct json_value *final = row_get(row, SPAN("final_text"));
    return final && json_truthy(*final) ? value_text(*final, scratch) : SPAN("");
}

static bool starts_error(struct span text, const char *prefix)
{
    size_t len = strlen(prefix);
    return text.len >= len && equal_fold(text.ptr, prefix, len);
}

enum row_unusable row_unusable(const struct row *row)
{
    struct buf scratch = {0}, visible = {0};
    enum row_unusable why = ROW_USABLE;
    struct span final = final_text(row, &scratch);
    struct span stripped = text_strip(final);
    if (starts_error(stripped, "<agent error")) {
        why = ROW_AGENT_ERROR;
    } else if (!stripped.len) {
        why = ROW_EMPTY_REPLY;
    } else {
        visible_text(row, final, &visible);
        if (row_has_tool_markup(buf_span(&visible)))
            why = ROW_TOOL_MARKUP;
    }
    buf_free(&scratch);
    buf_free(&visible);
    return why;
}

/* ---- why it ended -------------------------------------------------------------------------- */

static const char *told_reason(const struct row *row)
{
    static const char *const REASONS[] = {"stop", "length", "tool", "error"};
    const struct json_value *told = row_get(row, SPAN("finish_reason"));
    if (!told || told->type != JSON_VALUE_STRING)
        return NULL;
    const char *reason = NULL;
    struct buf scratch = {0};
    struct span text = json_text(*told, &scratch);
    for (size_t i = 0; i < sizeof REASONS / sizeof *REASONS && !reason; i++)
        if (span_is(text, REASONS[i]))
            reason = REASONS[i];
    buf_free(&scratch);
    return reason;
}

const char *row_finish_reason(const struct row *row)
{
    const char *told = told_reason(row);
    if (told)
        return told;
    struct buf scratch = {0};
    struct span final = final_text(row, &scratch);
    bool error = span_starts(final, SPAN("<agent error:")), blank = text_blank(final);
    buf_free(&scratch);
    if (error)
        return "error";
    bool call_last = false;
    const struct json_value *steps = row_get(row, SPAN("steps"));
    if (steps && steps->type == JSON_VALUE_ARRAY) {
        struct json_cursor c = json_enter(*steps);
        struct json_value step, value;
        while (json_next_item(&c, &step)) {
            if (json_get(step, SPAN("truncated"), &value) && json_truthy(value))
                return "length";
            call_last = json_get(step, SPAN("tool"), &value) && json_truthy(value);
        }
    }
    return blank && call_last ? "tool" : "stop";
}

/* ---- what it failed ------------------------------------------------------------------------ */

struct marker {
    struct span name;
    size_t index; /* in the text */
    bool failed;
};

static int compare_markers(const void *a, const void *b)
{
    const struct marker *x = a, *y = b;
    int order = span_compare(x->name, y->name);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static bool marker_failed(struct json_value value)
{
    double x;
    if (value.type == JSON_VALUE_FALSE)
        return true;
    return value.type != JSON_VALUE_TRUE && value_float(value, &x) && x < MARKER_PASS;
}

static void read_markers(struct json_value object, struct arena *arena, struct marker **items,
                         size_t *count)
{
    size_t cap = 0;
    struct buf scratch = {0};
    struct json_cursor c = json_enter(object);
    struct json_member m;
    while (json_next_member(&c, &m)) {
        *items = mem_grow(*items, &cap, *count + 1, sizeof **items);
        struct span name = m.key_escaped ? arena_span(arena, json_key(&m, &scratch)) : m.key;
        (*items)[*count] = (struct marker){name, *count, marker_failed(m.value)};
        ++*count;
    }
    buf_free(&scratch);
}

void row_failed_criteria(const struct row *row, struct json_writer *w)
{
    struct arena arena = {0};
    struct marker *items = NULL;
    size_t count = 0;
    const struct json_value *markers = row_get(row, SPAN("markers"));
    if (markers && markers->type == JSON_VALUE_OBJECT)
        read_markers(*markers, &arena, &items, &count);
    if (count)
        qsort(items, count, sizeof *items, compare_markers);
    json_write_array(w);
    for (size_t i = 0; i < count; i++) {
        /* Of names that come twice the last value counts. */
        bool last = i + 1 == count || !span_equal(items[i].name, items[i + 1].name);
        if (last && items[i].failed)
            json_write_span(w, items[i].name);
    }
    json_write_end_array(w);
    free(items);
    arena_free(&arena);
}

static bool result_went_wrong(struct json_value result)
{
    static const char *const STATUSES[] = {"error", "timeout", "not_found", "denied", "malformed"};
    struct arena arena = {0};
    struct json_value object, status;
    bool wrong = false;
    if (row_parse_object(&arena, result, &object) && json_get(object, SPAN("status"), &status)) {
        struct buf scratch = {0}, lowered = {0};
        text_lower(value_text(status, &scratch), &lowered);
        for (size_t i = 0; i < sizeof STATUSES / sizeof *STATUSES; i++)
            wrong = wrong || span_is(buf_span(&lowered), STATUSES[i]);
        buf_free(&scratch);
        buf_free(&lowered);
    }
    arena_free(&arena);
    return wrong;
}

bool row_mutation_worthy(const struct row *row)
{
    const struct json_value *faults = row_get(row, SPAN("faults"));
    if (faults && json_truthy(*faults))
        return true;
    const struct json_value *steps = row_get(row, SPAN("steps"));
    if (!steps || steps->type != JSON_VALUE_ARRAY)
        return false;
    struct json_cursor c = json_enter(*steps);
    struct json_value step, result;
    while (json_next_item(&c, &step))
        if (json_get(step, SPAN("result"), &result) && result_went_wrong(result))
            return true;
    return false;
}
