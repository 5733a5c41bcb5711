/* rubric_score.c: answers to criteria matched to them, and the reward they come to (grade 13.2). */
#include <stdlib.h>

#include "grade/rubric.h"
#include "row/value.h"
#include "text/fold.h"
#include "text/number.h"
#include "json/edit.h"

/* ---- answers ----------------------------------------------------------------------------------- */

/* The one truth rule: booleans, numbers above 0, the words for yes. */
static enum rubric_answer truth(struct json_value value)
{
    static const char *const YES[] = {"true", "yes", "met", "1", "pass"};
    struct buf scratch = {0}, lower = {0};
    enum rubric_answer answer = RUBRIC_UNANSWERED;
    switch (value.type) {
    case JSON_VALUE_TRUE: answer = RUBRIC_YES; break;
    case JSON_VALUE_FALSE: answer = RUBRIC_NO; break;
    case JSON_VALUE_NUMBER: answer = json_number(value) > 0 ? RUBRIC_YES : RUBRIC_NO; break;
    case JSON_VALUE_STRING:
        text_lower(text_strip(json_text(value, &scratch)), &lower);
        if (lower.len)
            answer = RUBRIC_NO;
        for (size_t i = 0; i < sizeof YES / sizeof *YES; i++)
            if (span_is(buf_span(&lower), YES[i]))
                answer = RUBRIC_YES;
        break;
    default: break;
    }
    buf_free(&scratch);
    buf_free(&lower);
    return answer;
}

/* "3", "3." or "3)": a criterion's number. */
static size_t by_number(const struct rubric *r, struct span key)
{
    size_t n = 0;
    key = text_strip(key);
    if (key.len && (key.ptr[key.len - 1] == '.' || key.ptr[key.len - 1] == ')'))
        key.len--;
    if (!key.len || key.len > 9)
        return r->count;
    for (size_t i = 0; i < key.len; i++) {
        if (key.ptr[i] < '0' || key.ptr[i] > '9')
            return r->count;
        n = n * 10 + (size_t)(key.ptr[i] - '0');
    }
    return n >= 1 && n <= r->count ? n - 1 : r->count;
}

/* The criterion that a key means, or r->count: by number, by its slug, or by a slug that one
 * criterion alone shares a beginning with or is contained in. */
static size_t criterion_of(const struct rubric *r, struct span key)
{
    struct buf slug = {0};
    size_t at = by_number(r, key), hits = 0, hit = r->count;
    rubric_slug(key, &slug);
    struct span s = buf_span(&slug);
    for (size_t i = 0; i < r->count && at == r->count; i++)
        if (s.len && span_equal(r->items[i].slug, s))
            at = i;
    for (size_t i = 0; i < r->count && at == r->count && s.len; i++)
        if (span_starts(r->items[i].slug, s) || span_has(s, r->items[i].slug)) {
            hits++;
            hit = i;
        }
    buf_free(&slug);
    return at < r->count ? at : hits == 1 ? hit : r->count;
}

static void take(const struct rubric *r, struct span key, struct json_value value,
                 enum rubric_answer *answers)
{
    size_t at = criterion_of(r, key);
    enum rubric_answer answer = truth(value);
    if (at < r->count && answer != RUBRIC_UNANSWERED)
        answers[at] = answer;
}

void rubric_answers(const struct rubric *r, struct json_value criteria, enum rubric_answer *answers)
{
    struct json_cursor c = json_enter(criteria);
    struct json_member member;
    struct json_value item, title, met;
    struct buf scratch = {0};
    if (criteria.type == JSON_VALUE_OBJECT)
        while (json_next_member(&c, &member))
            take(r, json_key(&member, &scratch), member.value, answers);
    if (criteria.type == JSON_VALUE_ARRAY)
        while (json_next_item(&c, &item))
            if (json_get(item, SPAN("title"), &title) &&
                (json_get(item, SPAN("met"), &met) || json_get(item, SPAN("value"), &met)))
                take(r, value_text(title, &scratch), met, answers);
    buf_free(&scratch);
}

size_t rubric_unanswered(const struct rubric *r, const enum rubric_answer *answers)
{
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++)
        n += answers[i] == RUBRIC_UNANSWERED;
    return n;
}

/* ---- the reward -------------------------------------------------------------------------------- */

static double reward_of(const struct rubric *r, const enum rubric_answer *answers)
{
    double principles = 0, met = 0, pitfalls = 0, hit = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct criterion *item = &r->items[i];
        bool yes = answers[i] == RUBRIC_YES;
        if (item->kind == RUBRIC_HARD && !yes)
            return 0;
        if (item->kind == RUBRIC_PRINCIPLE) {
            principles += item->weight;
            met += yes ? item->weight : 0;
        } else if (item->kind == RUBRIC_PITFALL) {
            pitfalls += item->weight;
            hit += yes ? item->weight : 0;
        }
    }
    double reward = principles > 0 ? (met - hit) / principles
                    : pitfalls > 0 ? 1 - hit / pitfalls
                                   : 1;
    return number_round(reward < 0 ? 0 : reward > 1 ? 1 : reward, 4);
}

static void meta(struct verdict *v, const char *key, struct buf *json)
{
    verdict_meta(v, span_text(key), buf_span(json));
    buf_free(json);
}

/* Titles of the criteria of a kind whose answer is `answer`. */
static size_t titles(const struct rubric *r, const enum rubric_answer *answers, int kind,
                     bool (*wanted)(enum rubric_answer answer), struct buf *json)
{
    struct json_writer w;
    size_t n = 0;
    json_write_start(&w, json, JSON_STYLE_COMPACT);
    json_write_array(&w);
    for (size_t i = 0; i < r->count; i++)
        if ((kind < 0 || r->items[i].kind == (enum rubric_kind)kind) && wanted(answers[i])) {
            json_write_span(&w, r->items[i].title);
            n++;
        }
    json_write_end_array(&w);
    return n;
}

static bool not_met(enum rubric_answer answer)
{
    return answer != RUBRIC_YES;
}

static bool is_yes(enum rubric_answer answer)
{
    return answer == RUBRIC_YES;
}

static bool is_missing(enum rubric_answer answer)
{
    return answer == RUBRIC_UNANSWERED;
}

static void give(struct json_edit *edit, struct span key, struct json_value value)
{
    json_edit_set(edit, key, truth(value) == RUBRIC_YES ? SPAN("true") : SPAN("false"));
}

/* The answers as they came, as booleans; of a name that comes twice the later one. */
static void write_given(struct verdict *v, struct json_value given)
{
    struct buf json = {0}, scratch = {0};
    struct json_edit edit = {0};
    struct json_members none = {0};
    struct json_cursor c = json_enter(given);
    struct json_member member;
    struct json_value item, title, met;
    if (given.type == JSON_VALUE_OBJECT)
        while (json_next_member(&c, &member))
            give(&edit, json_key(&member, &scratch), member.value);
    if (given.type == JSON_VALUE_ARRAY)
        while (json_next_item(&c, &item))
            if (json_get(item, SPAN("title"), &title) &&
                (json_get(item, SPAN("met"), &met) || json_get(item, SPAN("value"), &met)))
                give(&edit, value_text(title, &scratch), met);
    json_edit_apply(&edit, SPAN("{}"), &none, &json);
    meta(v, "criteria", &json);
    json_edit_free(&edit);
    buf_free(&scratch);
}

static void write_markers(const struct rubric *r, const enum rubric_answer *answers,
                          struct verdict *v)
{
    struct buf json = {0}, name = {0};
    struct json_writer w;
    json_write_start(&w, &json, JSON_STYLE_COMPACT);
    json_write_object(&w);
    for (size_t i = 0; i < r->count; i++) {
        bool good = is_yes(answers[i]) != (r->items[i].kind == RUBRIC_PITFALL);
        buf_clear(&name);
        buf_text(&name, "rubric:");
        buf_span_add(&name, r->items[i].slug);
        json_write_key_span(&w, buf_span(&name));
        json_write_raw(&w, good ? SPAN("1.0") : SPAN("0.0"));
    }
    json_write_end_object(&w);
    meta(v, "markers", &json);
    buf_free(&name);
}

static void write_reason(const struct rubric *r, const enum rubric_answer *answers,
                         struct verdict *v)
{
    if (v->reason.len)
        return;
    for (size_t i = 0; i < r->count; i++) {
        bool pitfall = r->items[i].kind == RUBRIC_PITFALL;
        if (is_yes(answers[i]) != pitfall)
            continue;
        buf_text(&v->reason, v->reason.len ? "; " : "");
        buf_text(&v->reason, pitfall ? "pitfall: " : "missed: ");
        buf_span_add(&v->reason, r->items[i].title);
    }
    if (!v->reason.len)
        buf_text(&v->reason, "every criterion is met");
}

void rubric_score(const struct rubric *r, const enum rubric_answer *answers,
                  struct json_value given, bool miss, struct verdict *v)
{
    struct buf json = {0};
    size_t missing = rubric_unanswered(r, answers);
    bool judged = miss || !missing;
    if (given.text.ptr)
        write_given(v, given);
    verdict_meta_text(v, SPAN("rubric_version"), r->version);
    if (judged) {
        titles(r, answers, RUBRIC_HARD, not_met, &json);
        meta(v, "hard_failed", &json);
        titles(r, answers, RUBRIC_PRINCIPLE, not_met, &json);
        meta(v, "missed", &json);
        titles(r, answers, RUBRIC_PITFALL, is_yes, &json);
        meta(v, "pitfalls_hit", &json);
    }
    titles(r, answers, -1, is_missing, &json);
    meta(v, "unanswered", &json);
    buf_format(&json, "%zu", missing);
    meta(v, "n_unanswered", &json);
    if (!judged) {
        verdict_unjudged(v, "%zu of %zu criteria were not answered", missing, r->count);
        return;
    }
    write_reason(r, answers, v);
    write_markers(r, answers, v);
    verdict_score(v, reward_of(r, answers));
}
