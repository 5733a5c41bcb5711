/* scan_run.h: from what was asked of wai-scan to its report: reads the rows, scans, writes the
 * report both ways. A request is what a verb's options table fills. Every function returns 0,
 * ERROR_CHECK (the report is made, and a check that was asked for is red: *error says which) or
 * another negative code. */
#ifndef WAI_GUARD_SCAN_RUN_H
#define WAI_GUARD_SCAN_RUN_H

#include "base/options.h"
#include "guard/findings.h"
#include "measure/ci.h"
#include "row/reader.h"

/* What every verb takes (guard 1.1). */
struct scan_common {
    bool json, findings, gate, strict;
    const char *report, *where, *by, *group_by, *seed;
    struct ci_options ci;
    struct row_options rows;
};

/* clang-format off */
#define SCAN_OPTIONS(type, field)                                                                     \
    {.kind = OPTION_FLAG, .name = "json", .offset = offsetof(type, field.json),                       \
     .help = "the report as one JSON object"},                                                        \
    {.kind = OPTION_TEXT, .name = "report", .offset = offsetof(type, field.report), .arg = "FILE",    \
     .help = "that object in FILE too", .file = true},                                                \
    {.kind = OPTION_FLAG, .name = "findings", .offset = offsetof(type, field.findings),               \
     .help = "print only the findings, one a line: LEVEL CODE TEXT"},                                 \
    {.kind = OPTION_FLAG, .name = "gate", .offset = offsetof(type, field.gate),                       \
     .help = "exit 1 when the report is red"},                                                        \
    {.kind = OPTION_FLAG, .name = "strict", .offset = offsetof(type, field.strict),                   \
     .help = "exit 1 on any finding that is no note"},                                                \
    {.kind = OPTION_TEXT, .name = "junit", .offset = offsetof(type, field.ci.junit), .arg = "FILE",   \
     .help = "write the check and the findings as JUnit XML to FILE", .file = true},                  \
    {.kind = OPTION_FLAG, .name = "github", .offset = offsetof(type, field.ci.github),                \
     .help = "GitHub annotations on standard error (on when GITHUB_ACTIONS is true)"},                \
    {.kind = OPTION_FLAG, .name = "no-github", .offset = offsetof(type, field.ci.github), .negative = true, \
     .help = "no annotations"},                                                                       \
    {.kind = OPTION_OPTIONAL, .name = "summary", .offset = offsetof(type, field.ci.summary), .arg = "FILE", \
     .help = "write a Markdown table to FILE; without a name it is added to $GITHUB_STEP_SUMMARY", .file = true}, \
    {.kind = OPTION_TEXT, .name = "where", .offset = offsetof(type, field.where), .arg = "EXPR",      \
     .help = "use only rows for which the jq expression is true"},                                    \
    {.kind = OPTION_TEXT, .name = "group-by", .offset = offsetof(type, field.group_by), .arg = "KEY", \
     .help = "what makes rows one ask: prompt, task (scenario_id, task_id, prompt), or a dotted path (prompt)"}, \
    ROW_OPTIONS(type, field.rows)
/* clang-format on */

#define SCAN_COMMON_DEFAULT                                            \
    {                                                                  \
        .group_by = "prompt", .seed = "0", .rows = ROW_OPTIONS_DEFAULT \
    }

/* A report as one JSON object and as lines for people. {0} is empty; free both. */
struct scan_output {
    struct buf json, text;
    struct findings findings;
};
void scan_output_free(struct scan_output *output);

struct hacks_request {
    struct scan_common common;
    struct option_list endorsed, features, show;
    bool no_auto;
    int64_t top_k, n_perm, min_obs, seeds;
    double alpha;
    const char *reward, *top_features, *red;
    int64_t top; /* diff: entries of a list */
    bool paired; /* diff: only the asks of both */
};
#define HACKS_REQUEST_DEFAULT                                                                  \
    {                                                                                          \
        .common = SCAN_COMMON_DEFAULT, .top_k = HACK_TOP_K, .n_perm = HACK_PERMUTATIONS,       \
        .min_obs = HACK_MIN_OBS, .seeds = HACK_SEEDS, .alpha = HACK_ALPHA, .reward = "reward", \
        .red = "reward_hack", .top = HACK_DIFF_TOP                                             \
    }

int scan_hacks(const struct hacks_request *request, const struct operands *operands,
               struct scan_output *output, struct error *error);
int scan_diff(const struct hacks_request *request, const struct operands *operands,
              struct scan_output *output, struct error *error);

struct hygiene_request {
    struct scan_common common;
    double near, max_spread, threshold, max_duplicates, max_truncated;
    bool max_duplicates_given, max_truncated_given;
    const char *tools, *dedupe_out;
};
#define HYGIENE_REQUEST_DEFAULT                                                                \
    {                                                                                          \
        .common = SCAN_COMMON_DEFAULT, .near = HYGIENE_NEAR, .max_spread = HYGIENE_MAX_SPREAD, \
        .threshold = HYGIENE_CORRELATION                                                       \
    }

int scan_hygiene(const struct hygiene_request *request, const struct operands *operands,
                 struct scan_output *output, struct error *error);

#endif
