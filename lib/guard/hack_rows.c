/* hack_rows.c: reads rows into the columns of a hack scan, see hack_rows.h. */
#include "guard/hack_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "grade/trace_flags.h"
#include "guard/hack_inside.h"
#include "row/conversation.h"
#include "row/key.h"
#include "row/members.h"
#include "row/reply.h"
#include "row/value.h"
#include "text/digest.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/unicode.h"
#include "text/utf8.h"
#include "json/expr.h"

/* A feature of the row at hand. */
struct feature_value {
    struct span name;
    double value;
};

struct hack_reader {
    const struct hack_options *o;
    struct expr_program **programs; /* of o->features */
    struct span *names;
    struct row_conversation conversation;
    struct trace_reader *traces;
    struct arena arena; /* texts of the row at hand */
    struct feature_value *features;
    size_t n_features, cap_features;
    struct member_list markers;
    struct buf said, lower, scratch, key;
    uint32_t *row_terms; /* of the row at hand */
    size_t n_row_terms, cap_row_terms;
};

struct hack_reader *hack_reader_new(const struct hack_options *o, struct error *error)
{
    struct hack_reader *r = mem_zero(1, sizeof *r);
    r->o = o;
    r->traces = trace_reader_new();
    r->programs = mem_zero(o->n_features + 1, sizeof *r->programs);
    r->names = mem_zero(o->n_features + 1, sizeof *r->names);
    for (size_t i = 0; i < o->n_features; i++) {
        const char *text = o->features[i], *equals = strchr(text, '=');
        if (!equals || equals == text) {
            error_set(error, ERROR_USAGE, "--feature %s: NAME=EXPR is wanted", text);
            hack_reader_free(r);
            return NULL;
        }
        r->names[i] = span_make(text, (size_t)(equals - text));
        r->programs[i] = expr_compile(equals + 1, NULL, NULL, 0, false, error);
        if (!r->programs[i]) {
            error_prefix(error, "--feature %.*s", (int)r->names[i].len, text);
            hack_reader_free(r);
            return NULL;
        }
    }
    return r;
}

void hack_reader_free(struct hack_reader *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->o->n_features; i++)
        if (r->programs[i])
            expr_free(r->programs[i]);
    struct buf *bufs[] = {&r->said, &r->lower, &r->scratch, &r->key};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        buf_free(bufs[i]);
    trace_reader_free(r->traces);
    row_conversation_free(&r->conversation);
    member_list_free(&r->markers);
    arena_free(&r->arena);
    free(r->programs);
    free(r->names);
    free(r->features);
    free(r->row_terms);
    free(r);
}

void hack_rows_free(struct hack_rows *rows)
{
    for (size_t i = 0; i < rows->names.count; i++) {
        free(rows->columns[i].rows);
        free(rows->columns[i].values);
    }
    for (size_t i = 0; rows->said && i < rows->n; i++)
        buf_free(&rows->said[i]);
    free(rows->said);
    free(rows->columns);
    free(rows->reward);
    free(rows->group);
    free(rows->profile);
    free(rows->terms);
    free(rows->term_end);
    map_free(&rows->groups);
    map_free(&rows->profiles);
    map_free(&rows->names);
    map_free(&rows->tokens);
    map_free(&rows->pairs);
    *rows = (struct hack_rows){0};
}

/* ---- values of a row ----------------------------------------------------------------------------
 */

bool guard_path(const struct row *row, const char *path, struct json_value *value)
{
    if (json_get(row->value, span_text(path), value))
        return true;
    *value = row->value;
    for (const char *at = path; at; at = strchr(at, '.') ? strchr(at, '.') + 1 : NULL) {
        const char *dot = strchr(at, '.');
        struct span key = span_make(at, dot ? (size_t)(dot - at) : strlen(at));
        if (value->type != JSON_VALUE_OBJECT || !json_get(*value, key, value))
            return false;
    }
    return true;
}

struct span guard_group(const struct row *row, const char *group_by, struct buf *scratch)
{
    struct json_value value;
    if (strcmp(group_by, "task") == 0)
        return row_task_key(row, scratch);
    if (!guard_path(row, group_by, &value) || !json_truthy(value))
        return SPAN("");
    return value_text(value, scratch);
}

/* A reward: a number or its text; booleans are none. */
static bool reward_of(const struct row *row, const char *path, bool *nonfinite, double *reward)
{
    struct json_value value;
    *nonfinite = false;
    if (!guard_path(row, path, &value) ||
        (value.type != JSON_VALUE_NUMBER && value.type != JSON_VALUE_STRING) ||
        !value_float(value, reward))
        return false;
    *nonfinite = !isfinite(*reward);
    return !*nonfinite;
}

static void feature(struct hack_reader *r, struct span name, double value)
{
    r->features = mem_grow(r->features, &r->cap_features, r->n_features + 1, sizeof *r->features);
    r->features[r->n_features++] = (struct feature_value){name, value};
}

static struct span prefixed(struct hack_reader *r, const char *prefix, struct span name)
{
    buf_clear(&r->key);
    buf_text(&r->key, prefix);
    buf_span_add(&r->key, name);
    return arena_span(&r->arena, buf_span(&r->key));
}

static void text_features(struct hack_reader *r, struct span said)
{
    size_t digits = 0, newlines = 0, punct = 0, upper = 0, length = 0;
    for (size_t at = 0; at < said.len; length++) {
        uint32_t c = utf8_next(said, &at);
        digits += unicode_isdigit(c);
        newlines += c == '\n';
        punct += !unicode_word(c) && !unicode_space(c);
        upper += c >= 'A' && c <= 'Z';
    }
    feature(r, SPAN("n:words"), (double)text_word_count(said));
    feature(r, SPAN("n:digits"), (double)digits);
    feature(r, SPAN("n:newlines"), (double)newlines);
    feature(r, SPAN("n:punct"), (double)punct);
    feature(r, SPAN("frac:upper"), length ? (double)upper / (double)length : 0.0);
}

static int by_text(const void *left, const void *right)
{
    return span_compare(*(const struct span *)left, *(const struct span *)right);
}

static void tool_features(struct hack_reader *r, const struct row *row)
{
    const struct json_value *steps = row_get(row, SPAN("steps"));
    if (!steps || !json_truthy(*steps))
        steps = row_get(row, SPAN("tool_trace"));
    if (!steps || steps->type != JSON_VALUE_ARRAY)
        return;
    struct json_cursor c = json_enter(*steps);
    struct json_value step, tool;
    struct span *names = NULL;
    size_t n = 0, cap = 0;
    while (json_next_item(&c, &step)) {
        if (!json_get(step, SPAN("tool"), &tool) || !json_truthy(tool))
            continue;
        names = mem_grow(names, &cap, n + 1, sizeof *names);
        names[n++] = arena_span(&r->arena, value_text(tool, &r->scratch));
    }
    if (n)
        qsort(names, n, sizeof *names, by_text);
    for (size_t i = 0; i < n; i++)
        if (!i || !span_equal(names[i], names[i - 1]))
            feature(r, prefixed(r, "tool:", names[i]), 1.0);
    free(names);
}

static void logprob_feature(struct hack_reader *r, const struct row *row)
{
    const struct json_value *logprob = row_get(row, SPAN("logprob"));
    const struct json_value *tokens = row_get(row, SPAN("n_tokens"));
    if (logprob && logprob->type == JSON_VALUE_NUMBER && tokens &&
        tokens->type == JSON_VALUE_NUMBER && (tokens->flags & JSON_FLAG_INTEGER) &&
        json_number(*tokens) > 0.0)
        feature(r, SPAN("logprob_mean"), json_number(*logprob) / json_number(*tokens));
}

static void marker_features(struct hack_reader *r, const struct row *row)
{
    const struct json_value *markers = row_get(row, SPAN("markers"));
    if (!markers || markers->type != JSON_VALUE_OBJECT)
        return;
    struct json_cursor c = json_enter(*markers);
    struct json_member m;
    r->markers.count = 0;
    while (json_next_member(&c, &m))
        member_list_add(&r->markers, &m);
    member_list_settle(&r->markers);
    for (size_t i = 0; i < r->markers.count; i++)
        if (r->markers.items[i].value.type == JSON_VALUE_NUMBER)
            feature(r, prefixed(r, "marker:", json_key(&r->markers.items[i], &r->scratch)),
                    json_number(r->markers.items[i].value));
}

static void user_features(struct hack_reader *r, const struct row *row)
{
    for (size_t i = 0; i < r->o->n_features; i++) {
        int count = 0;
        struct json_value value;
        struct json_fault fault;
        buf_clear(&r->scratch);
        if (!expr_run_value(r->programs[i], row->value, (int64_t)row->index, &r->scratch, &count,
                            NULL) &&
            count == 1 && json_scan(buf_span(&r->scratch), &value, NULL, &fault) == 0 &&
            value.type == JSON_VALUE_NUMBER)
            feature(r, r->names[i], json_number(value));
    }
}

/* All features of the row, hand and user, in the order of the specification. */
static void read_features(struct hack_reader *r, const struct row *row)
{
    struct trace_found found;
    r->n_features = 0;
    arena_clear(&r->arena);
    row_conversation_read(&r->conversation, row);
    buf_clear(&r->said);
    row_said(row, &r->conversation, &r->said);
    feature(r, SPAN("reply_length"), (double)row_reply_length(row, &r->conversation));
    feature(r, SPAN("tool_calls"), (double)row_tool_calls(row));
    feature(r, SPAN("assistant_turns"), (double)row_assistant_turns(&r->conversation));
    feature(r, SPAN("truncated"), row_is_truncated(row) ? 1.0 : 0.0);
    text_features(r, buf_span(&r->said));
    tool_features(r, row);
    trace_flags_read(r->traces, row, &found);
    for (size_t i = 0; i < found.count; i++)
        feature(r, prefixed(r, "trace:", span_text(TRACE_FLAG_NAMES[found.flags[i]])), 1.0);
    logprob_feature(r, row);
    marker_features(r, row);
    user_features(r, row);
}

static int by_feature(const void *left, const void *right)
{
    const struct feature_value *a = left, *b = right;
    int order = span_compare(a->name, b->name);
    return order ? order : (a->value > b->value) - (a->value < b->value);
}

/* Number of what was said together with all features: rollouts that are alike have one. */
static uint32_t profile_of(struct hack_rows *rows, struct hack_reader *r)
{
    uint8_t digest[SHA256_BYTES];
    if (r->n_features)
        qsort(r->features, r->n_features, sizeof *r->features, by_feature);
    buf_clear(&r->scratch);
    for (size_t i = 0; i < r->n_features; i++) {
        double value = r->features[i].value + 0.0; /* -0 is 0 */
        buf_span_add(&r->scratch, r->features[i].name);
        buf_byte(&r->scratch, '\0');
        buf_add(&r->scratch, &value, sizeof value);
    }
    buf_span_add(&r->scratch, buf_span(&r->said));
    digest_sha256(buf_span(&r->scratch), digest);
    return (uint32_t)map_add(&rows->profiles, span_make((const char *)digest, sizeof digest), NULL);
}

static void add_value(struct hack_rows *rows, struct span name, uint32_t row, double value)
{
    size_t number = map_add(&rows->names, name, NULL), old = rows->cap_columns;
    rows->columns = mem_grow(rows->columns, &rows->cap_columns, number + 1, sizeof *rows->columns);
    if (rows->cap_columns > old)
        memset(rows->columns + old, 0, (rows->cap_columns - old) * sizeof *rows->columns);
    struct hack_column *c = &rows->columns[number];
    if (c->count && c->rows[c->count - 1] == row) {
        c->values[c->count - 1] = value; /* the same name twice: the later value */
        return;
    }
    c->rows = mem_grow(c->rows, &c->cap, c->count + 1, sizeof *c->rows);
    c->values = mem_grow(c->values, &c->cap_values, c->count + 1, sizeof *c->values);
    c->rows[c->count] = row;
    c->values[c->count++] = value;
}

/* ---- words --------------------------------------------------------------------------------------
 */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

/* Tokens: two or more of a-z and _; digits; any other single character that is neither blank nor
 * one of those. A lone letter is none, so a pair bridges it. */
static bool next_token(struct span text, size_t *at, struct span *token)
{
    while (*at < text.len) {
        size_t start = *at;
        if (is_letter(text.ptr[start])) {
            while (*at < text.len && is_letter(text.ptr[*at]))
                ++*at;
            *token = span_slice(text, start, *at);
            if (token->len >= 2)
                return true;
            continue;
        }
        uint32_t c = utf8_next(text, at);
        if (unicode_space(c))
            continue;
        for (size_t next = *at; unicode_digit(c) && next < text.len && (*at = next, true);) {
            if (!unicode_digit(utf8_next(text, &next)))
                break;
            *at = next;
        }
        *token = span_slice(text, start, *at);
        return true;
    }
    return false;
}

static void add_term(struct hack_reader *r, uint32_t term)
{
    r->row_terms =
        mem_grow(r->row_terms, &r->cap_row_terms, r->n_row_terms + 1, sizeof *r->row_terms);
    r->row_terms[r->n_row_terms++] = term;
}

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void read_terms(struct hack_rows *rows, struct hack_reader *r)
{
    struct span token;
    uint32_t pair[2] = {0, 0};
    bool started = false;
    buf_clear(&r->lower);
    text_lower(buf_span(&r->said), &r->lower);
    r->n_row_terms = 0;
    for (size_t at = 0; next_token(buf_span(&r->lower), &at, &token); started = true) {
        pair[0] = pair[1];
        pair[1] = (uint32_t)map_add(&rows->tokens, token, NULL);
        add_term(r, pair[1] * 2);
        if (started)
            add_term(r, (uint32_t)map_add(&rows->pairs, span_make((const char *)pair, sizeof pair),
                                          NULL) *
                                2 +
                            1);
    }
    if (r->n_row_terms)
        qsort(r->row_terms, r->n_row_terms, sizeof *r->row_terms, by_number);
    rows->terms = mem_grow(rows->terms, &rows->cap_terms, rows->n_terms + r->n_row_terms,
                           sizeof *rows->terms);
    for (size_t i = 0; i < r->n_row_terms; i++)
        if (!i || r->row_terms[i] != r->row_terms[i - 1])
            rows->terms[rows->n_terms++] = r->row_terms[i];
}

void hack_term_name(const struct hack_rows *rows, uint32_t term, struct buf *out)
{
    if (!(term & 1)) {
        buf_span_add(out, rows->tokens.keys[term / 2]);
        return;
    }
    uint32_t pair[2];
    memcpy(pair, rows->pairs.keys[term / 2].ptr, sizeof pair);
    buf_span_add(out, rows->tokens.keys[pair[0]]);
    buf_byte(out, ' ');
    buf_span_add(out, rows->tokens.keys[pair[1]]);
}

/* ---- one row ------------------------------------------------------------------------------------
 */

void hack_rows_add(struct hack_rows *rows, struct hack_reader *r, const struct row *row)
{
    bool nonfinite;
    double reward;
    bool graded = reward_of(row, r->o->reward, &nonfinite, &reward);
    rows->n_rows++;
    rows->n_nonfinite += nonfinite;
    if (!graded)
        return;
    uint32_t number = (uint32_t)rows->n;
    size_t n = rows->n + 1;
    rows->reward = mem_grow(rows->reward, &rows->cap_reward, n, sizeof *rows->reward);
    rows->group = mem_grow(rows->group, &rows->cap_group, n, sizeof *rows->group);
    rows->profile = mem_grow(rows->profile, &rows->cap_profile, n, sizeof *rows->profile);
    rows->term_end = mem_grow(rows->term_end, &rows->cap_term_end, n, sizeof *rows->term_end);
    rows->reward[number] = reward;
    rows->group[number] =
        (uint32_t)map_add(&rows->groups, guard_group(row, r->o->group_by, &r->scratch), NULL);
    read_features(r, row);
    for (size_t i = 0; i < r->n_features; i++)
        if (r->features[i].value != 0.0 && isfinite(r->features[i].value))
            add_value(rows, r->features[i].name, number, r->features[i].value);
    if (r->o->automatic)
        read_terms(rows, r);
    rows->term_end[number] = rows->n_terms;
    rows->profile[number] = profile_of(rows, r); /* sorts the features: last */
    if (r->o->texts) {
        rows->said = mem_grow(rows->said, &rows->cap_said, n, sizeof *rows->said);
        rows->said[number] = (struct buf){0};
        buf_span_add(&rows->said[number], buf_span(&r->said));
    }
    rows->n = n;
}
