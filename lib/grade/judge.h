/* judge.h: a model as the scorer of a row (grade 14): by conduct alone, by a task's rubric in prose, by
 * criteria, or as a second opinion beside the reward. Model access is handed in with scorer_setup. */
#ifndef WAI_GRADE_JUDGE_H
#define WAI_GRADE_JUDGE_H

#include "grade/judge_model.h"
#include "grade/judge_payload.h"
#include "grade/rubric.h"
#include "grade/scorer.h"

struct scorer_judge_options {
    const char *spec;            /* a model spec */
    const char *key_env, *model; /* as judge_model_options */
    struct span prompt;          /* instead of our own words; ptr NULL: none */
    struct span prose;           /* a task's rubric; ptr NULL: none */
    const struct rubric *rubric; /* criteria, copied; NULL: none */
    bool row_rubric;             /* criteria of each row's privileged.rubric */
    const char *trait;           /* id of the principle that prose is; NULL: none */
    bool advisory;               /* a score from 0 to 1 for llm_reward */
    bool audit;                  /* the user message carries the label that the row has */
    bool privileged;             /* show the teacher's block */
    bool miss;                   /* an unanswered criterion is not met */
    int64_t payload_chars;       /* 0: the default */
    int retries, votes;          /* votes: 0 or an odd number of samples */
};

/* NULL: ERROR_USAGE, ERROR_REMOTE (no key). */
struct scorer *scorer_judge_open(const struct scorer_judge_options *options,
                                 const struct scorer_setup *setup, struct error *error);

/* The model of the options, for those who ask it something else than a row's verdict: JUDGE_TIMEOUT_S per
 * call unless setup says otherwise. chats: a decision service is refused. NULL as above. */
struct judge_model *judge_model_of(const struct scorer_judge_options *options, bool chats,
                                   const struct scorer_setup *setup, struct error *error);

/* How rows are shown to it: declared tools (read into *declared from setup), policy, length. */
int judge_payload_of(const struct scorer_judge_options *options, const struct scorer_setup *setup,
                     struct row_tools *declared, struct payload_options *payload,
                     struct error *error);

/* The grader of --groupwise: asked about a group it answers with a ranking of its passes, which it is
 * shown in two orders (where they disagree there is a tie); with synthesis, about one pass, with its two
 * scores. */
struct scorer *scorer_judge_groups_open(const struct scorer_judge_options *options, bool synthesis,
                                        const struct scorer_setup *setup, struct error *error);

/* --rubric with a program: its {"criteria": {…}, "reason"} becomes the rubric's verdict. inner is taken
 * over. */
struct scorer *scorer_rubric_open(struct scorer *inner, const struct rubric *rubric, bool miss);

/* Criteria of the row's privileged.rubric into r. false: it has none; *why says what is wrong with what
 * it has, or is "". */
bool rubric_of_row(const struct row *row, struct rubric *r, struct error *why);

#endif
