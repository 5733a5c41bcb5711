/* judge_criteria.c: a judge that answers criteria one by one (grade 14.5), and programs that do
 * (13.2). */
#include <stdlib.h>

#include "grade/defaults.h"
#include "grade/judge_inside.h"
#include "grade/judge_reply.h"
#include "text/utf8.h"

bool rubric_of_row(const struct row *row, struct rubric *r, struct error *why)
{
    const struct json_value *block = row_get(row, SPAN("privileged"));
    struct json_value value;
    why->text[0] = '\0';
    if (!block || !json_get(*block, SPAN("rubric"), &value) || !json_truthy(value))
        return false;
    return rubric_of_value(r, value, "privileged.rubric", why) == 0;
}

static void answers_clear(struct judge_worker *w, const struct rubric *r)
{
    w->answers = mem_grow(w->answers, &w->cap_answers, r->count + 1, sizeof *w->answers);
    for (size_t i = 0; i < r->count; i++)
        w->answers[i] = RUBRIC_UNANSWERED;
}

/* ---- chatting ---------------------------------------------------------------------------------- */

struct criteria_reading {
    const struct rubric *rubric;
    enum rubric_answer *answers;
    struct buf scratch;
    struct buf *given, *reason; /* given: the answers as they came, a JSON object or array */
};

static bool read_criteria(void *data, struct span reply)
{
    struct criteria_reading *r = data;
    struct json_value object, criteria;
    if (!judge_reply_object(reply, &r->scratch, &object) ||
        !json_get(object, SPAN("criteria"), &criteria) ||
        (criteria.type != JSON_VALUE_OBJECT && criteria.type != JSON_VALUE_ARRAY))
        return false;
    rubric_answers(r->rubric, criteria, r->answers);
    if (!r->reason->len)
        judge_reason_of(object, r->reason);
    if (!r->given->len)
        buf_span_add(r->given, criteria.text);
    return true;
}

static void write_question(const struct rubric *rubric, const enum rubric_answer *only,
                           struct judge_worker *w)
{
    struct json_writer writer;
    struct buf list = {0};
    rubric_checklist(rubric, only, &list);
    buf_clear(&w->user);
    json_write_start(&writer, &w->user, JSON_STYLE_SPACED);
    json_write_object(&writer);
    json_write_key(&writer, "rubric");
    json_write_span(&writer, buf_span(&list));
    json_write_key(&writer, "reply");
    json_write_raw(&writer, buf_span(&w->payload));
    json_write_end_object(&writer);
    buf_free(&list);
}

/* Asks about all items, then once about those that were left out. */
static int ask(struct judge_scorer *j, struct judge_worker *w, const struct rubric *rubric,
               struct buf *given, bool *accepted, struct error *error)
{
    struct criteria_reading r = {
        .rubric = rubric, .answers = w->answers, .given = given, .reason = &w->reason};
    struct judge_question q = {
        .system = buf_span(&j->system), .max_tokens = JUDGE_RUBRIC_TOKENS, .kind = PROMPT_CRITERIA};
    bool more;
    buf_clear(&w->reason);
    write_question(rubric, NULL, w);
    q.user = buf_span(&w->user);
    int rc = judge_sitting_ask(&w->sitting, &q, read_criteria, &r, accepted, error);
    if (!rc && *accepted && !j->o.miss && rubric_unanswered(rubric, w->answers)) {
        write_question(rubric, w->answers, w);
        q.user = buf_span(&w->user);
        rc = judge_sitting_ask(&w->sitting, &q, read_criteria, &r, &more, error);
        /* A second call that fails leaves the items unanswered. */
        w->sitting.trouble = JUDGE_TROUBLE_NONE;
    }
    buf_free(&r.scratch);
    return rc;
}

static void settle(const struct judge_scorer *j, const struct judge_worker *w,
                   const struct rubric *rubric, struct span given, struct verdict *v)
{
    struct json_value value = {0};
    struct json_fault fault;
    if (given.len)
        json_scan(given, &value, NULL, &fault);
    buf_clear(&v->reason);
    buf_span_add(&v->reason, buf_span(&w->reason));
    rubric_score(rubric, w->answers, value, j->o.miss, v);
}

static int decide(struct judge_scorer *j, struct judge_worker *w, const struct rubric *rubric,
                  struct verdict *v, struct error *error)
{
    struct buf given = {0};
    bool decided;
    int rc = judge_decide_criteria(j, w, rubric, v, &given, &decided, error);
    if (!rc && decided)
        settle(j, w, rubric, buf_span(&given), v);
    buf_free(&given);
    return rc;
}

int judge_criteria_verdict(struct judge_scorer *j, struct judge_worker *w, const struct row *row,
                           struct verdict *v, struct error *error)
{
    const struct rubric *rubric = &j->rubric;
    struct buf given = {0};
    struct error why;
    bool accepted = false;
    if (j->o.row_rubric && !rubric_of_row(row, &w->own, &why)) {
        verdict_unjudged(v, "%s", why.text[0] ? why.text : "the row has no privileged.rubric");
        return 0;
    }
    if (j->o.row_rubric)
        rubric = &w->own;
    answers_clear(w, rubric);
    if (judge_model_decides(j->judge))
        return decide(j, w, rubric, v, error);
    int rc = ask(j, w, rubric, &given, &accepted, error);
    if (!rc && w->sitting.trouble) {
        judge_trouble_verdict(j, &w->sitting, v);
    } else if (!rc) {
        judge_meta(j, v, 0, JUDGE_RUBRIC_TOKENS);
        if (accepted) {
            settle(j, w, rubric, buf_span(&given), v);
        } else {
            struct buf json = {0};
            verdict_unjudged(v, "the judge's reply holds no answers to the criteria");
            json_quote(&json, utf8_head(w->sitting.said, JUDGE_QUOTE_CHARS));
            verdict_meta(v, SPAN("reply"), buf_span(&json));
            buf_free(&json);
        }
    }
    buf_free(&given);
    return rc;
}

/* ---- a program that answers -------------------------------------------------------------------- */

struct rubric_scorer {
    struct scorer head;
    struct scorer *inner;
    const struct rubric *rubric; /* borrow */
    bool miss;
};

static int rubric_verdict(struct scorer *head, int worker, const struct row *row, struct verdict *v,
                          struct error *error)
{
    struct rubric_scorer *s = (struct rubric_scorer *)head;
    struct json_value criteria;
    struct json_fault fault;
    int rc = s->inner->kind->verdict(s->inner, worker, row, v, error);
    struct span json = verdict_meta_find(v, "criteria");
    if (rc < 0 || v->status == VERDICT_ERROR || v->status == VERDICT_TIMEOUT)
        return rc;
    if (!json.ptr || json_scan(json, &criteria, NULL, &fault) < 0 ||
        (criteria.type != JSON_VALUE_OBJECT && criteria.type != JSON_VALUE_ARRAY)) {
        if (!v->reason.len)
            verdict_reason(v, "the program gave no criteria: an object of answers is wanted");
        v->judged = false;
        v->status = v->status == VERDICT_OK ? VERDICT_INVALID_RESULT : v->status;
        return 0;
    }
    enum rubric_answer *answers = mem_zero(s->rubric->count + 1, sizeof *answers);
    rubric_answers(s->rubric, criteria, answers);
    verdict_meta_remove(v, SPAN("returned_keys"));
    rubric_score(s->rubric, answers, criteria, s->miss, v);
    free(answers);
    return 0;
}

static void rubric_close(struct scorer *head)
{
    struct rubric_scorer *s = (struct rubric_scorer *)head;
    scorer_close(s->inner);
    free(head->name);
    free(s);
}

struct scorer *scorer_rubric_open(struct scorer *inner, const struct rubric *rubric, bool miss)
{
    static const struct scorer_kind kind = {rubric_verdict, rubric_close, NULL};
    struct rubric_scorer *s = mem_zero(1, sizeof *s);
    s->head = *inner;
    s->head.kind = &kind;
    s->head.criteria = true;
    s->head.name = mem_text(inner->name);
    s->inner = inner;
    s->rubric = rubric;
    s->miss = miss;
    return &s->head;
}
