/* groupwise_run.h: --groupwise and --check-spread of wai-grade: rows gathered into groups, the
 * grader asked about each, the shaped rewards written (grade 16). */
#ifndef WAI_GRADE_GROUPWISE_RUN_H
#define WAI_GRADE_GROUPWISE_RUN_H

#include "base/options.h"
#include "grade/defaults.h"
#include "grade/groupwise.h"
#include "grade/scorer.h"
#include "row/reader.h"
#include "row/writer.h"

struct groupwise_options {
    const char *mode, *group_by, *scores, *rubrics;
    int64_t group_size, score_groups;
    double pass_threshold, min_factor, cap, floor, min_std, band, cluster_share;
    bool keep_hacks, in_place, inline_verdicts, check_spread, json;
};

#define GROUPWISE_OPTIONS_DEFAULT                                                                \
    {                                                                                            \
        .score_groups = 1, .pass_threshold = GROUPWISE_PASS, .min_factor = GROUPWISE_MIN_FACTOR, \
        .cap = GROUPWISE_CAP, .min_std = SPREAD_MIN_STD, .band = SPREAD_BAND,                    \
        .cluster_share = SPREAD_CLUSTER_SHARE                                                    \
    }

/* clang-format off */
#define GROUPWISE_OPTIONS(type, field) \
    {.kind = OPTION_CHOICE, .name = "groupwise", .offset = offsetof(type, field.mode), .choices = "advantage|reward", \
     .help = "tell the passes of one group apart; the scorer is asked about a group"}, \
    {.kind = OPTION_TEXT, .name = "group-by", .offset = offsetof(type, field.group_by), .arg = "KEY", \
     .help = "key that makes a group (scenario_id, task_id, prompt)"}, \
    {.kind = OPTION_INT, .name = "group-size", .offset = offsetof(type, field.group_size), .arg = "N", .min = 1, .max = 1e9, \
     .help = "groups are N rows each, as they come"}, \
    {.kind = OPTION_REAL, .name = "pass-threshold", .offset = offsetof(type, field.pass_threshold), .arg = "R", .max = 1, \
     .help = "reward from which a row passes (0.5)"}, \
    {.kind = OPTION_REAL, .name = "min-factor", .offset = offsetof(type, field.min_factor), .arg = "F", .min = 1e-9, .max = 1, \
     .help = "factor of the last of a ranking (0.5)"}, \
    {.kind = OPTION_REAL, .name = "cap", .offset = offsetof(type, field.cap), .arg = "L", .min = 1, .max = 1e9, \
     .help = "most that the advantage of passes is scaled up by (3)"}, \
    {.kind = OPTION_REAL, .name = "floor", .offset = offsetof(type, field.floor), .arg = "F", .max = 0.999999999, \
     .help = "least that a score counts in mode reward (0)"}, \
    {.kind = OPTION_TEXT, .name = "rubrics", .offset = offsetof(type, field.rubrics), .arg = "FILE", .file = true, \
     .help = "a rubric per task for mode reward: an object from task to rubric"}, \
    {.kind = OPTION_FLAG, .name = "no-hack-zero", .offset = offsetof(type, field.keep_hacks), \
     .help = "passes that the grader calls hacks keep their reward"}, \
    {.kind = OPTION_FLAG, .name = "in-place", .offset = offsetof(type, field.in_place), \
     .help = "put the shaped reward in reward, the old one in reward_before_shaping"}, \
    {.kind = OPTION_FLAG, .name = "verdicts-inline", .offset = offsetof(type, field.inline_verdicts), \
     .help = "the input holds saved verdicts; no grader is asked"}, \
    {.kind = OPTION_FLAG, .name = "check-spread", .offset = offsetof(type, field.check_spread), \
     .help = "check whether the grader tells passes apart; no rows are written"}, \
    {.kind = OPTION_TEXT, .name = "scores", .offset = offsetof(type, field.scores), .arg = "FILE", .file = true, \
     .help = "a JSON list of scores for --check-spread, instead of a grader"}, \
    {.kind = OPTION_INT, .name = "groups", .offset = offsetof(type, field.score_groups), .arg = "N", .min = 1, .max = 1e15, \
     .help = "groups that the scores of --scores come from (1)"}, \
    {.kind = OPTION_REAL, .name = "min-std", .offset = offsetof(type, field.min_std), .arg = "S", .max = 1, \
     .help = "standard deviation that scores must have (0.05)"}, \
    {.kind = OPTION_REAL, .name = "band", .offset = offsetof(type, field.band), .arg = "B", .max = 1, \
     .help = "distance from the median that counts as clustered (0.05)"}, \
    {.kind = OPTION_REAL, .name = "cluster-share", .offset = offsetof(type, field.cluster_share), .arg = "P", .max = 1, \
     .help = "largest share of scores that may be clustered (0.9)"}, \
    {.kind = OPTION_FLAG, .name = "json", .offset = offsetof(type, field.json), \
     .help = "with --check-spread or --verdicts-inline: the report as one JSON object"}
/* clang-format on */

bool groupwise_asked(const struct groupwise_options *o); /* one of its modes */
bool groupwise_needs_scorer(const struct groupwise_options *o);

/* Runs it, with as many questions at a time as the scorer has threads; the output does not depend on it.
 * judge_log gets what a model judge said, or is NULL. Rows, or what --json prints, go to output (NULL:
 * standard output). say: called with each warning of the report. report: the stats as one JSON object with
 * its newline, also after a failure. ERROR_CHECK: the spread is too small. */
int groupwise_run(const struct groupwise_options *o, struct scorer *scorer,
                  struct row_writer *judge_log, const struct row_source *source, const char *output,
                  void (*say)(const char *text), struct buf *report, struct error *error);

#endif
