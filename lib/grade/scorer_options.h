/* scorer_options.h: the options that name one scorer, for every tool that takes one that way (grade
 * 1), and the scorer that they come to. */
#ifndef WAI_GRADE_SCORER_OPTIONS_H
#define WAI_GRADE_SCORER_OPTIONS_H

#include "base/arena.h"
#include "base/options.h"
#include "grade/defaults.h"
#include "grade/scorer.h"

struct scorer_options {
    const char *expr, *expr_file, *cmd, *cmd_kind, *weights, *scale;
    struct option_list verify, args, json_args;
    bool expr_env, envelope, all, any, conduct, checklist;
    int64_t batch;
};

/* clang-format off */
#define SCORER_OPTIONS(type, field) \
    {.kind = OPTION_TEXT, .letter = 'e', .name = "expr", .offset = offsetof(type, field.expr), .arg = "PROG", \
     .help = "a jq program over the row; its one output is the verdict"},                           \
    {.kind = OPTION_TEXT, .name = "expr-file", .offset = offsetof(type, field.expr_file), .arg = "FILE", .file = true, \
     .help = "the same, read from FILE"},                                                           \
    {.kind = OPTION_LIST, .name = "arg", .offset = offsetof(type, field.args), .arg = "NAME=VALUE", \
     .help = "bind $NAME to a text in the program (NAME VALUE in two words too)"},                  \
    {.kind = OPTION_LIST, .name = "argjson", .offset = offsetof(type, field.json_args), .arg = "NAME=JSON", \
     .help = "bind $NAME to a JSON value in the program"},                                          \
    {.kind = OPTION_FLAG, .name = "expr-env", .offset = offsetof(type, field.expr_env),             \
     .help = "let the program see the environment ($ENV, env)"},                                    \
    {.kind = OPTION_TEXT, .letter = 'c', .name = "cmd", .offset = offsetof(type, field.cmd), .arg = "CMD", \
     .help = "a command that reads a row a line and answers a verdict a line"},                     \
    {.kind = OPTION_CHOICE, .name = "cmd-kind", .offset = offsetof(type, field.cmd_kind), .choices = "rule|judge|reward_model|human", \
     .help = "what the command is, for judge_meta.scorer_kind"},                                    \
    {.kind = OPTION_FLAG, .name = "cmd-envelope", .offset = offsetof(type, field.envelope),         \
     .help = "requests are {\"i\":N,\"row\":...}, replies {\"i\":N,\"verdict\":...} in any order"}, \
    {.kind = OPTION_INT, .name = "cmd-batch", .offset = offsetof(type, field.batch), .arg = "B", .min = 1, .max = CMD_THREADS_MAX, \
     .help = "requests under way per process with --cmd-envelope (16)"},                            \
    {.kind = OPTION_LIST, .letter = 'V', .name = "verify", .offset = offsetof(type, field.verify), .arg = "NAME[:ARGS]", \
     .help = "a verifier; given several times, they are combined"},                                 \
    {.kind = OPTION_FLAG, .name = "all", .offset = offsetof(type, field.all), .help = "several verifiers: the worst score (default)"}, \
    {.kind = OPTION_FLAG, .name = "any", .offset = offsetof(type, field.any), .help = "several verifiers: the best score"}, \
    {.kind = OPTION_TEXT, .name = "weights", .offset = offsetof(type, field.weights), .arg = "W,W", \
     .help = "several verifiers: the weighted mean, a weight each"},                                \
    {.kind = OPTION_FLAG, .name = "conduct", .offset = offsetof(type, field.conduct),               \
     .help = "the conduct rules: nothing invented, no failure hidden, no loop"},                    \
    {.kind = OPTION_FLAG, .name = "checklist", .offset = offsetof(type, field.checklist),           \
     .help = "conduct times what the task asks for (the default)"},                                 \
    {.kind = OPTION_TEXT, .name = "scale", .offset = offsetof(type, field.scale), .arg = "LO,HI",   \
     .help = "the verdict is a rating on that scale"}
/* clang-format on */

/* `--arg NAME VALUE`, as jq has it, becomes `--arg NAME=VALUE`, before the options are parsed. The
 * new text lives in the arena. Returns the new count of words. */
int scorer_options_join(int argc, char **argv, struct arena *texts);

size_t scorer_options_count(const struct scorer_options *o); /* how many scorers are named */

/* The scorer named. `struct scorer_choice c = {0}` is empty. */
struct scorer_choice {
    struct scorer *scorer;
    const char *backend; /* what a report calls it: "expr", "cmd", "verify", "conduct" … */
    bool by_default;     /* none was named */
    struct buf program;
    struct scorer_binding *bindings;
    size_t n_bindings;
    struct arena names;
};

/* Opens the one scorer named, the checklist when none is; setup gets the scale. 0, or ERROR_USAGE
 * (two scorers, options without theirs), or what the opener gives. */
int scorer_choice_open(struct scorer_choice *c, const struct scorer_options *o,
                       struct scorer_setup *setup, struct error *error);
void scorer_choice_close(struct scorer_choice *c);
void scorer_options_free(struct scorer_options *o); /* its lists */

#endif
