/* judge_options.h: the options that name a rubric or a model judge (grade 1, 13, 14), beside those of
 * scorer_options.h, and the one scorer that all of them come to. */
#ifndef WAI_GRADE_JUDGE_OPTIONS_H
#define WAI_GRADE_JUDGE_OPTIONS_H

#include "grade/constitution.h"
#include "grade/defaults.h"
#include "grade/judge.h"
#include "grade/scorer_options.h"

struct judge_options {
    const char *rubric, *judge, *prompt, *key_env, *unanswered;
    const char *constitution, *spec_id, *trait;
    bool row_rubric, advisory, privileged, list;
    int64_t payload_chars, retries, votes;
    struct model_options models;
};

#define JUDGE_OPTIONS_DEFAULT     \
    {                             \
        .retries = JUDGE_RETRIES, \
    }

/* clang-format off */
#define JUDGE_OPTIONS(type, field) \
    {.kind = OPTION_TEXT, .letter = 'r', .name = "rubric", .offset = offsetof(type, field.rubric), .arg = "FILE", .file = true, \
     .help = "what a good run is: prose (.md, .txt), or criteria (.json, .yaml) answered one by one"}, \
    {.kind = OPTION_FLAG, .name = "row-rubric", .offset = offsetof(type, field.row_rubric), \
     .help = "criteria from each row's privileged.rubric"}, \
    {.kind = OPTION_TEXT, .name = "judge", .offset = offsetof(type, field.judge), .arg = "SPEC", \
     .help = "a model judges: openai:MODEL, vllm:MODEL@URL, typesafe:, exec:CMD, replay:FILE, default"}, \
    {.kind = OPTION_FLAG, .name = "advisory", .offset = offsetof(type, field.advisory), \
     .help = "the judge's score goes to llm_reward; the reward stays"}, \
    {.kind = OPTION_TEXT, .name = "prompt", .offset = offsetof(type, field.prompt), .arg = "FILE", .file = true, \
     .help = "system prompt of the judge, instead of the built-in one"}, \
    {.kind = OPTION_FLAG, .name = "privileged", .offset = offsetof(type, field.privileged), \
     .help = "show the judge the row's privileged block"}, \
    {.kind = OPTION_INT, .name = "payload-chars", .offset = offsetof(type, field.payload_chars), .arg = "N", .min = JUDGE_PAYLOAD_LEAST, .max = 1e7, \
     .help = "longest record of a row that the judge is shown (8000 characters)"}, \
    {.kind = OPTION_INT, .name = "retries", .offset = offsetof(type, field.retries), .arg = "N", .min = 0, .max = 9, \
     .help = "times that the judge is asked again for a verdict that can be read (1)"}, \
    {.kind = OPTION_INT, .name = "votes", .offset = offsetof(type, field.votes), .arg = "N", .min = 1, .max = JUDGE_VOTES_MAX, \
     .help = "samples of which the majority is the verdict, an odd number"}, \
    {.kind = OPTION_CHOICE, .name = "unanswered", .offset = offsetof(type, field.unanswered), .choices = "ask|miss", \
     .help = "a criterion without an answer is asked about once more, or is not met (ask)"}, \
    {.kind = OPTION_TEXT, .name = "judge-key-env", .offset = offsetof(type, field.key_env), .arg = "NAME", \
     .help = "environment variable that holds the judge's key (by provider)"}, \
    {.kind = OPTION_TEXT, .name = "constitution", .offset = offsetof(type, field.constitution), .arg = "FILE", .file = true, \
     .help = "principles; rows get spec_id and spec_version"}, \
    {.kind = OPTION_TEXT, .name = "spec-id", .offset = offsetof(type, field.spec_id), .arg = "ID", \
     .help = "spec_id of the constitution (its own)"}, \
    {.kind = OPTION_TEXT, .name = "trait", .offset = offsetof(type, field.trait), .arg = "ID", \
     .help = "judge by this principle of the constitution alone"}, \
    {.kind = OPTION_FLAG, .name = "list", .offset = offsetof(type, field.list), \
     .help = "print the ids of the constitution's traits and stop"}, \
    MODEL_OPTIONS(type, field.models)
/* clang-format on */

/* The judge that the options mean: --judge, else wai.yaml and the environment, else the hosted one
 * (an advisory one has its own). *told: a sentence about where it came from, or NULL. */
const char *judge_spec(const struct judge_options *o, struct model_access *models,
                       const char **told);

/* Whether a model or a rubric is asked for. */
bool judge_options_asked(const struct judge_options *o);

/* `struct judge_choice c = {0}` is empty. */
struct judge_choice {
    struct scorer_choice program; /* one of scorer_options.h */
    struct scorer *scorer;        /* of all */
    const char *backend;
    struct constitution constitution;
    struct rubric rubric;
    struct buf prose, prompt;
    struct scorer_judge_options
        judge;        /* what the options say, for those who open judges themselves */
    const char *told; /* a sentence for people, or NULL */
};

/* Reads the files that the options name: rubric, prompt, constitution. 0, ERROR_USAGE, ERROR_INPUT. */
int judge_choice_read(struct judge_choice *c, const struct judge_options *o,
                      struct model_access *models, struct error *error);

/* Opens the one scorer of both groups of options; setup->models is set. A program beside a rubric of
 * criteria answers it. ERROR_USAGE: two scorers. */
int judge_choice_open(struct judge_choice *c, const struct judge_options *o,
                      const struct scorer_options *programs, struct scorer_setup *setup,
                      struct error *error);
void judge_choice_close(struct judge_choice *c);

#endif
