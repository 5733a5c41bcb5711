/* judge_reply.c: see judge_reply.h. */
#include "grade/judge_reply.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>

#include "base/map.h"
#include "grade/defaults.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/reasoning.h"
#include "text/utf8.h"

static const size_t NOWHERE = (size_t)-1;

/* ---- parts of a reply -------------------------------------------------------------------------- */

/* What was said, without thoughts and one fence around it. false: it ends inside a thought. */
static bool spoken(struct span reply, struct buf *scratch, struct span *out)
{
    if (reply.len > JUDGE_REPLY_MAX) /* what decides stands at the end */
        reply = span_slice(reply, reply.len - JUDGE_REPLY_MAX, reply.len);
    struct text_reasoning r = text_split_reasoning(reply, scratch);
    struct span s = text_strip(r.spoken);
    if (span_starts(s, SPAN("```json")))
        s = span_slice(s, 7, s.len);
    else if (span_starts(s, SPAN("```")))
        s = span_slice(s, 3, s.len);
    s = text_strip(s);
    if (span_ends(s, SPAN("```")))
        s = span_slice(s, 0, s.len - 3);
    *out = text_strip(s);
    return !r.unclosed;
}

/* Words joined by one space, at most REASON_CHARS code points. */
static void collapse(struct span text, struct buf *out)
{
    struct buf joined = {0};
    struct span word;
    for (size_t at = 0; text_next_word(text, &at, &word);) {
        if (joined.len)
            buf_byte(&joined, ' ');
        buf_span_add(&joined, word);
    }
    buf_clear(out);
    buf_span_add(out, utf8_head(buf_span(&joined), REASON_CHARS));
    buf_free(&joined);
}

void judge_reason_of(struct json_value object, struct buf *reason)
{
    struct json_value value;
    struct buf scratch = {0};
    buf_clear(reason);
    if (json_get(object, SPAN("reason"), &value) && value.type == JSON_VALUE_STRING)
        collapse(json_text(value, &scratch), reason);
    buf_free(&scratch);
}

/* The end of the brace or bracket that opens at `at`, strings skipped; NOWHERE: it never closes.
 * steps counts what was read. */
static size_t closing(struct span s, size_t at, size_t *steps)
{
    size_t depth = 0, i = at;
    bool quoted = false;
    for (; i < s.len; i++) {
        char c = s.ptr[i];
        if (quoted) {
            if (c == '\\')
                i++;
            else if (c == '"')
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            *steps += i - at;
            return i + 1;
        }
    }
    *steps += s.len - at;
    return NOWHERE;
}

/* Whether a name stands twice in an object, at any depth (which the scanner has bounded). */
static bool doubled(struct json_value value)
{
    struct map names = {0};
    struct buf scratch = {0};
    struct json_member member;
    struct json_value item;
    struct json_cursor c = json_enter(value);
    bool twice = false;
    if (value.type == JSON_VALUE_OBJECT) {
        while (!twice && json_next_member(&c, &member)) {
            bool fresh;
            map_add(&names, json_key(&member, &scratch), &fresh);
            twice = !fresh || doubled(member.value);
        }
    } else if (value.type == JSON_VALUE_ARRAY) {
        while (!twice && json_next_item(&c, &item))
            twice = doubled(item);
    }
    map_free(&names);
    buf_free(&scratch);
    return twice;
}

/* The last complete object of the text. false: there is none. */
static bool last_object(struct span s, struct json_value *last)
{
    bool any = false;
    size_t steps = 0;
    for (size_t at = 0; steps < JUDGE_REPLY_STEPS;) {
        struct json_value value;
        struct json_fault fault;
        at = span_find(s, SPAN("{"), at);
        if (at == NOWHERE)
            break;
        size_t end = closing(s, at, &steps);
        if (end != NOWHERE && json_scan(span_slice(s, at, end), &value, NULL, &fault) == 0) {
            *last = value;
            any = true;
            at = end;
        } else {
            at++;
        }
    }
    return any && steps < JUDGE_REPLY_STEPS;
}

/* ---- 0 or 1 ------------------------------------------------------------------------------------ */

static int label_of_number(struct json_value value)
{
    double x = json_number(value);
    if (value.type != JSON_VALUE_NUMBER || (x != 0 && x != 1))
        return JUDGE_LABEL_NONE;
    return x == 1;
}

/* The same number, a boolean counting as 0 or 1. */
static bool same_value(struct json_value a, struct json_value b)
{
    double x = a.type == JSON_VALUE_TRUE ? 1 : a.type == JSON_VALUE_FALSE ? 0 : json_number(a);
    double y = b.type == JSON_VALUE_TRUE ? 1 : b.type == JSON_VALUE_FALSE ? 0 : json_number(b);
    return x == y;
}

static int label_of_object(struct json_value object)
{
    struct json_value score, reward;
    bool has_score = json_get(object, SPAN("score"), &score);
    bool has_reward = json_get(object, SPAN("reward"), &reward);
    if (doubled(object) || (!has_score && !has_reward))
        return JUDGE_LABEL_NONE;
    int label = label_of_number(has_score ? score : reward);
    if (has_score && has_reward && !same_value(score, reward))
        return JUDGE_LABEL_NONE;
    return label;
}

static size_t skip_blank(struct span s, size_t at)
{
    while (at < s.len && isspace((unsigned char)s.ptr[at]))
        at++;
    return at;
}

/* Behind `"name" :` at or after `at`, blanks skipped; NOWHERE: no such thing. */
static size_t behind_key(struct span s, struct span quoted, size_t at)
{
    for (; (at = span_find(s, quoted, at)) != NOWHERE; at++) {
        size_t colon = skip_blank(s, at + quoted.len);
        if (colon < s.len && s.ptr[colon] == ':')
            return skip_blank(s, colon + 1);
    }
    return NOWHERE;
}

/* `0` or `1` (`1.0`), followed by a comma, a brace or the end. */
static int label_at(struct span s, size_t at)
{
    if (at >= s.len || (s.ptr[at] != '0' && s.ptr[at] != '1'))
        return JUDGE_LABEL_NONE;
    int label = s.ptr[at++] == '1';
    if (at + 1 < s.len && s.ptr[at] == '.' && s.ptr[at + 1] == '0')
        for (at++; at < s.len && s.ptr[at] == '0';)
            at++;
    at = skip_blank(s, at);
    return at == s.len || s.ptr[at] == ',' || s.ptr[at] == '}' ? label : JUDGE_LABEL_NONE;
}

/* A reply without a whole object: a bare number, or an object that was cut off. */
static int label_of_text(struct span s)
{
    static const struct span KEYS[] = {{"\"score\"", 7}, {"\"reward\"", 8}};
    struct json_value bare;
    struct json_fault fault;
    int label = JUDGE_LABEL_NONE;
    size_t place = NOWHERE;
    if (json_scan(s, &bare, NULL, &fault) == 0)
        return label_of_number(bare);
    for (int k = 0; k < 2; k++) { /* the first of either */
        int here = JUDGE_LABEL_NONE;
        size_t at = 0;
        while (here == JUDGE_LABEL_NONE && (at = behind_key(s, KEYS[k], at)) != NOWHERE)
            here = label_at(s, at);
        if (here != JUDGE_LABEL_NONE && at < place) {
            label = here;
            place = at;
        }
    }
    return label;
}

/* The first `"reason": "…"` of the text. */
static void find_reason(struct span s, struct buf *reason)
{
    struct buf words = {0};
    size_t at = 0;
    while ((at = behind_key(s, SPAN("\"reason\""), at)) != NOWHERE) {
        size_t end = at + 1;
        if (at >= s.len || s.ptr[at] != '"')
            continue;
        while (end < s.len && s.ptr[end] != '"')
            end += s.ptr[end] == '\\' ? 2 : 1;
        if (end >= s.len)
            break;
        struct json_value text;
        struct json_fault fault;
        if (json_scan(span_slice(s, at, end + 1), &text, NULL, &fault) == 0)
            json_text_add(text, &words);
        else
            buf_span_add(&words, span_slice(s, at + 1, end));
        break;
    }
    collapse(buf_span(&words), reason);
    buf_free(&words);
}

int judge_reply_label(struct span reply, struct buf *reason)
{
    struct buf scratch = {0};
    struct json_value object;
    struct span s;
    int label = JUDGE_LABEL_NONE;
    buf_clear(reason);
    if (spoken(reply, &scratch, &s)) {
        if (last_object(s, &object)) {
            label = label_of_object(object);
            judge_reason_of(object, reason);
        } else {
            label = label_of_text(s);
        }
        if (!reason->len)
            find_reason(s, reason);
    }
    buf_free(&scratch);
    return label;
}

/* ---- from 0 to 1 ------------------------------------------------------------------------------- */

static bool advice_number(struct json_value value, double *score)
{
    struct buf scratch = {0};
    bool good = value.type == JSON_VALUE_NUMBER;
    if (good)
        *score = json_number(value);
    else if (value.type == JSON_VALUE_STRING)
        good = number_parse(json_text(value, &scratch), score);
    buf_free(&scratch);
    return good;
}

/* A number from 0 to 1 at that place, followed by a comma, a brace or the end. */
static bool advice_at(struct span s, size_t at, double *score)
{
    size_t end = at;
    if (end < s.len && (s.ptr[end] == '0' || s.ptr[end] == '1'))
        end++;
    if (end > at && end + 1 < s.len && s.ptr[end] == '.' && isdigit((unsigned char)s.ptr[end + 1]))
        for (end++; end < s.len && isdigit((unsigned char)s.ptr[end]);)
            end++;
    struct span number = span_slice(s, at, end);
    end = skip_blank(s, end);
    return number.len && (end == s.len || s.ptr[end] == ',' || s.ptr[end] == '}') &&
           number_parse(number, score) && *score <= 1;
}

/* The first `"score": 0.5` or `"reward": 0.5` of the text. */
static bool advice_in_text(struct span s, double *score)
{
    static const struct span KEYS[] = {{"\"score\"", 7}, {"\"reward\"", 8}};
    size_t place = NOWHERE;
    for (int k = 0; k < 2; k++) {
        bool found = false;
        double here;
        size_t at = 0;
        while (!found && (at = behind_key(s, KEYS[k], at)) != NOWHERE)
            found = advice_at(s, at, &here);
        if (found && at < place) {
            *score = here;
            place = at;
        }
    }
    return place != NOWHERE;
}

bool judge_reply_advice(struct span reply, double *score, struct buf *reason)
{
    struct buf scratch = {0};
    struct json_value object, value;
    struct json_fault fault;
    struct span s;
    bool good = false;
    buf_clear(reason);
    if (spoken(reply, &scratch, &s)) {
        bool whole = json_scan(s, &object, NULL, &fault) == 0 && object.type == JSON_VALUE_OBJECT;
        bool named = whole && (json_get(object, SPAN("score"), &value) ||
                               json_get(object, SPAN("reward"), &value));
        good = named && advice_number(value, score);
        /* A boolean is an answer to another question. */
        if (!good && !(named && (value.type == JSON_VALUE_TRUE || value.type == JSON_VALUE_FALSE)))
            good = advice_in_text(s, score);
        if (whole)
            judge_reason_of(object, reason);
        if (!reason->len)
            find_reason(s, reason);
    }
    buf_free(&scratch);
    return good && *score >= 0 && *score <= 1;
}

/* ---- A, B or a tie ----------------------------------------------------------------------------- */

static enum judge_winner winner_word(struct span word)
{
    struct buf lower = {0};
    text_lower(text_strip(word), &lower);
    struct span s = buf_span(&lower);
    enum judge_winner winner = span_is(s, "a")     ? JUDGE_WINNER_A
                               : span_is(s, "b")   ? JUDGE_WINNER_B
                               : span_is(s, "tie") ? JUDGE_WINNER_TIE
                                                   : JUDGE_WINNER_NONE;
    buf_free(&lower);
    return winner;
}

enum judge_winner judge_winner_of(struct json_value object)
{
    struct json_value value;
    struct buf scratch = {0};
    enum judge_winner winner = JUDGE_WINNER_NONE;
    if (json_get(object, SPAN("winner"), &value) && value.type == JSON_VALUE_STRING)
        winner = winner_word(json_text(value, &scratch));
    buf_free(&scratch);
    return winner;
}

static bool word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* `winner: A` in running text. */
static enum judge_winner winner_in_text(struct span s)
{
    struct buf lower = {0};
    enum judge_winner winner = JUDGE_WINNER_NONE;
    text_lower(s, &lower);
    struct span t = buf_span(&lower);
    for (size_t at = 0; !winner && (at = span_find(t, SPAN("winner"), at)) != NOWHERE;) {
        at += 6;
        at += at < t.len && (t.ptr[at] == '"' || t.ptr[at] == '\'');
        size_t from = skip_blank(t, at);
        if (from >= t.len || t.ptr[from] != ':')
            continue;
        from = skip_blank(t, from + 1);
        from += from < t.len && (t.ptr[from] == '"' || t.ptr[from] == '\'');
        size_t end = from;
        while (end < t.len && word_byte(t.ptr[end]))
            end++;
        winner = winner_word(span_slice(t, from, end));
    }
    buf_free(&lower);
    return winner;
}

enum judge_winner judge_reply_winner(struct span reply, struct buf *reason)
{
    struct buf scratch = {0};
    struct json_value object;
    enum judge_winner winner = JUDGE_WINNER_NONE;
    struct span s;
    buf_clear(reason);
    if (judge_reply_object(reply, &scratch, &object)) {
        winner = judge_winner_of(object);
        if (winner)
            judge_reason_of(object, reason);
    } else if (spoken(reply, &scratch, &s)) {
        winner = winner_in_text(s);
    }
    buf_free(&scratch);
    return winner;
}

/* ---- one object or array ----------------------------------------------------------------------- */

static bool between(struct span reply, char open, char close, struct buf *scratch,
                    struct json_value *value)
{
    struct json_fault fault;
    struct span s;
    if (!spoken(reply, scratch, &s))
        return false;
    size_t from = 0, to = s.len;
    while (from < s.len && s.ptr[from] != open)
        from++;
    while (to > from && s.ptr[to - 1] != close)
        to--;
    return to > from && json_scan(span_slice(s, from, to), value, NULL, &fault) == 0;
}

bool judge_reply_object(struct span reply, struct buf *scratch, struct json_value *object)
{
    return between(reply, '{', '}', scratch, object) && object->type == JSON_VALUE_OBJECT;
}

bool judge_reply_array(struct span reply, struct buf *scratch, struct json_value *array)
{
    return between(reply, '[', ']', scratch, array) && array->type == JSON_VALUE_ARRAY;
}
