/* judge_inside.h: what the files of the model judge share: judge_scorer.c opens it and labels,
 * judge_criteria.c answers criteria, judge_decide.c asks a decision service. Inside room `grade`. */
#ifndef WAI_GRADE_JUDGE_INSIDE_H
#define WAI_GRADE_JUDGE_INSIDE_H

#include <stdatomic.h>

#include "grade/classes.h"
#include "grade/judge.h"
#include "grade/judge_payload.h"

struct judge_worker {
    struct judge_sitting sitting;
    struct buf user, payload, reason, text;
    struct rubric own; /* of the row */
    enum rubric_answer *answers;
    size_t cap_answers;
};

struct judge_scorer {
    struct scorer head;
    struct scorer_judge_options o;
    struct judge_model *judge;
    struct payload_options payload;
    struct row_tools declared;
    struct rubric rubric;
    struct buf system, questions;
    enum prompt_kind kind;
    struct buf version;
    char prompt_digest[JUDGE_DIGEST + 1];
    struct failure_classes *classes;
    struct judge_worker *workers;
    struct arena arena;
    atomic_ullong unsure;
};

/* What every verdict of the judge says of it. */
void judge_meta(const struct judge_scorer *j, struct verdict *v, double temperature,
                int64_t max_tokens);

/* The verdict of a sitting that ended in trouble. */
void judge_trouble_verdict(const struct judge_scorer *j, const struct judge_sitting *s,
                           struct verdict *v);

/* reward, reason, and on a 0 the class of the failure: the one named, else by the reason. */
void judge_label_verdict(const struct judge_scorer *j, const struct row *row, int label,
                         struct span reason, const char *class, struct verdict *v);

int judge_criteria_verdict(struct judge_scorer *j, struct judge_worker *w, const struct row *row,
                           struct verdict *v, struct error *error);

/* A decision judge: the questions are made once; the record is w->payload. */
void judge_decide_questions(const struct judge_scorer *j, const struct rubric *rubric,
                            struct buf *out);
int judge_decide_label(struct judge_scorer *j, struct judge_worker *w, const struct row *row,
                       struct verdict *v, struct error *error);
int judge_decide_advice(struct judge_scorer *j, struct judge_worker *w, const struct row *row,
                        struct verdict *v, struct error *error);
/* Fills answers; *given gets them as a JSON object. false in *decided: trouble. */
int judge_decide_criteria(struct judge_scorer *j, struct judge_worker *w,
                          const struct rubric *rubric, struct verdict *v, struct buf *given,
                          bool *decided, struct error *error);

#endif
