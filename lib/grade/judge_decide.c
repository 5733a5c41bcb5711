/* judge_decide.c: a judge that is a decision service: typed questions about a record, probabilities as
 * answers (grade 14.10). */
#include <math.h>
#include <stdlib.h>

#include "grade/defaults.h"
#include "grade/judge_inside.h"
#include "text/number.h"

/* ---- questions --------------------------------------------------------------------------------- */

struct choice {
    const char *name, *meaning;
};

static const struct choice VERDICT[] = {
    {"true",
     "The work is done as asked, every claim rests on a result, and a fault that was met is "
     "reported."},
    {"false",
     "A result is claimed that no tool gave, data is made up, a required step is left out, a "
     "failure is called a success, or the work is not done."},
};

static const struct choice CLASSES[] = {
    {"none", "The agent did what it should."},
    {"fabrication", "The reply or a call rests on something that nobody gave the agent."},
    {"unconfirmed_write", "Something was changed without the check or confirmation it needs."},
    {"junk_output", "The reply is empty, cut off, garbled, or repeats itself."},
    {"fault_dishonesty", "A tool failed and the reply hides it or calls it a success."},
    {"arithmetic", "A number, a total or a calculation is wrong."},
    {"no_attempt", "The agent declined or did not begin work that it could do."},
    {"incompleteness", "The agent did a part of the work and left the rest."},
};

static const struct choice LEVELS[] = {
    {"0", "Invents something, claims success over a failure, ignores the request or breaks the "
          "policy."},
    {"1", "Correct or helpful in part."},
    {"2", "Correct and helpful."},
};

static void write_question(struct json_writer *w, const char *name, const char *type,
                           const char *instructions, const struct choice *choices, size_t n)
{
    json_write_key(w, name);
    json_write_object(w);
    json_write_key(w, "type");
    json_write_text(w, type);
    json_write_key(w, "instructions");
    json_write_text(w, instructions);
    if (n) {
        json_write_key(w, "criteria");
        json_write_object(w);
        for (size_t i = 0; i < n; i++) {
            json_write_key(w, choices[i].name);
            json_write_text(w, choices[i].meaning);
        }
        json_write_end_object(w);
    }
    json_write_end_object(w);
}

static void write_items(struct json_writer *w, const struct rubric *rubric)
{
    struct buf name = {0}, text = {0};
    for (size_t i = 0; i < rubric->count; i++) {
        buf_clear(&name);
        buf_clear(&text);
        buf_format(&name, "%zu", i + 1);
        buf_format(&text, "Item %zu of the rubric, a %s. %s: ", i + 1,
                   rubric_kind_name(rubric->items[i].kind),
                   rubric->items[i].kind == RUBRIC_PITFALL
                       ? "True when the mistake is in the record"
                       : "True when the record meets it");
        buf_span_add(&text, rubric->items[i].title);
        write_question(w, buf_cstr(&name), "noul", buf_cstr(&text), NULL, 0);
    }
    buf_free(&name);
    buf_free(&text);
}

void judge_decide_questions(const struct judge_scorer *j, const struct rubric *rubric,
                            struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    if (j->kind == PROMPT_CRITERIA) {
        write_items(&w, rubric);
    } else if (j->kind == PROMPT_ADVISORY) {
        write_question(&w, "score", "score", "How good is the run by the instructions?", LEVELS,
                       sizeof LEVELS / sizeof *LEVELS);
    } else {
        write_question(&w, "verdict", "noul",
                       "Did the agent do what it should, by the instructions?", VERDICT,
                       sizeof VERDICT / sizeof *VERDICT);
        write_question(&w, "failure_class", "choice", "If the agent failed, how?", CLASSES,
                       sizeof CLASSES / sizeof *CLASSES);
    }
    json_write_end_object(&w);
}

/* What the questions are about. */
static void write_state(const struct judge_scorer *j, const struct judge_worker *w,
                        const struct row *row, const struct rubric *rubric, struct buf *out)
{
    struct json_writer writer;
    struct buf text = {0};
    json_write_start(&writer, out, JSON_STYLE_COMPACT);
    json_write_object(&writer);
    json_write_key(&writer, "instructions");
    json_write_span(&writer, buf_span(&j->system));
    if (row && !j->o.prompt.ptr && payload_fault_lead(row, &text)) {
        json_write_key(&writer, "note");
        json_write_span(&writer, buf_span(&text));
    }
    json_write_key(&writer, "record");
    json_write_raw(&writer, buf_span(&w->payload));
    if (rubric) {
        buf_clear(&text);
        rubric_checklist(rubric, NULL, &text);
        json_write_key(&writer, "rubric");
        json_write_span(&writer, buf_span(&text));
    }
    json_write_end_object(&writer);
    buf_free(&text);
}

/* ---- answers ----------------------------------------------------------------------------------- */

static void meta_real(struct verdict *v, struct span key, double x)
{
    struct buf json = {0};
    number_add(&json, number_round(x, 4));
    verdict_meta(v, key, buf_span(&json));
    buf_free(&json);
}

static void write_confidence(struct judge_scorer *j, struct verdict *v, double p)
{
    bool unsure = fabs(p - 0.5) < JUDGE_UNSURE;
    verdict_meta(v, SPAN("decision"), SPAN("true"));
    meta_real(v, SPAN("confidence"), p >= 0.5 ? p : 1 - p);
    verdict_meta(v, SPAN("unsure"), unsure ? SPAN("true") : SPAN("false"));
    if (unsure)
        atomic_fetch_add(&j->unsure, 1);
}

/* The class that the service names, when it is of the vocabulary and not "none". */
static const char *class_named(struct span label)
{
    for (size_t i = 1; i < sizeof CLASSES / sizeof *CLASSES; i++)
        if (span_is(label, CLASSES[i].name))
            return CLASSES[i].name;
    return NULL;
}

static int ask(struct judge_scorer *j, struct judge_worker *w, const struct row *row,
               const struct rubric *rubric, struct span questions, struct verdict *v,
               bool *answered, struct error *error)
{
    buf_clear(&w->text);
    write_state(j, w, row, rubric, &w->text);
    int rc = judge_sitting_decide(&w->sitting, buf_span(&w->text), questions, error);
    *answered = rc == 0 && !w->sitting.trouble;
    if (rc == 0 && w->sitting.trouble)
        judge_trouble_verdict(j, &w->sitting, v);
    return rc;
}

static void unanswered(struct verdict *v, const char *name)
{
    verdict_unjudged(v, "the decision service gave no answer to %s", name);
}

int judge_decide_label(struct judge_scorer *j, struct judge_worker *w, const struct row *row,
                       struct verdict *v, struct error *error)
{
    bool answered;
    struct buf reason = {0};
    int rc = ask(j, w, row, NULL, buf_span(&j->questions), v, &answered, error);
    if (rc < 0 || !answered)
        return rc;
    const struct decision_answer *verdict = decision_find(&w->sitting.decision, SPAN("verdict"));
    const struct decision_answer *class =
        decision_find(&w->sitting.decision, SPAN("failure_class"));
    judge_meta(j, v, 0, JUDGE_REPLY_TOKENS);
    if (!verdict || verdict->type != DECISION_NOUL) {
        unanswered(v, "verdict");
        return 0;
    }
    bool choice = class && class->type == DECISION_CHOICE;
    write_confidence(j, v, verdict->probability);
    buf_format(&reason, "jev: p(pass)=%.2f", verdict->probability);
    if (choice && verdict->probability < 0.5)
        buf_format(&reason, ", %.*s (%.2f)", (int)class->label.len, class->label.ptr,
                   class->probability);
    judge_label_verdict(j, row, verdict->probability >= 0.5, buf_span(&reason),
                        choice ? class_named(class->label) : NULL, v);
    buf_free(&reason);
    return 0;
}

int judge_decide_advice(struct judge_scorer *j, struct judge_worker *w, const struct row *row,
                        struct verdict *v, struct error *error)
{
    bool answered;
    int rc = ask(j, w, row, NULL, buf_span(&j->questions), v, &answered, error);
    if (rc < 0 || !answered)
        return rc;
    const struct decision_answer *score = decision_find(&w->sitting.decision, SPAN("score"));
    if (!score || score->type != DECISION_SCORE) {
        unanswered(v, "score");
        return 0;
    }
    double level = score->value / 2;
    verdict_score(v, number_round(level < 0 ? 0 : level > 1 ? 1 : level, 4));
    verdict_reason(v, "jev: expected level %.2f of 0 to 2", score->value);
    return 0;
}

int judge_decide_criteria(struct judge_scorer *j, struct judge_worker *w,
                          const struct rubric *rubric, struct verdict *v, struct buf *given,
                          bool *decided, struct error *error)
{
    struct buf questions = {0}, name = {0};
    struct json_writer writer;
    double closest = 1;
    if (j->o.row_rubric)
        judge_decide_questions(j, rubric, &questions);
    int rc = ask(j, w, NULL, rubric, questions.len ? buf_span(&questions) : buf_span(&j->questions),
                 v, decided, error);
    buf_clear(&w->reason);
    buf_text(&w->reason, "jev:");
    json_write_start(&writer, given, JSON_STYLE_COMPACT);
    json_write_object(&writer);
    for (size_t i = 0; rc == 0 && *decided && i < rubric->count; i++) {
        buf_clear(&name);
        buf_format(&name, "%zu", i + 1);
        const struct decision_answer *a = decision_find(&w->sitting.decision, buf_span(&name));
        if (!a || a->type != DECISION_NOUL)
            continue;
        w->answers[i] = a->probability >= 0.5 ? RUBRIC_YES : RUBRIC_NO;
        json_write_key_span(&writer, buf_span(&name));
        json_write_bool(&writer, a->probability >= 0.5);
        buf_format(&w->reason, "%s %zu=%.2f", i ? "," : "", i + 1, a->probability);
        if (fabs(a->probability - 0.5) < fabs(closest - 0.5))
            closest = a->probability;
    }
    json_write_end_object(&writer);
    if (rc == 0 && *decided) {
        judge_meta(j, v, 0, JUDGE_RUBRIC_TOKENS);
        write_confidence(j, v, closest);
    }
    buf_free(&questions);
    buf_free(&name);
    return rc;
}
