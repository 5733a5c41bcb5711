/* request.h: what was asked of wai-select, as its options table fills it, and the one call that does it. */
#ifndef WAI_SELECT_REQUEST_H
#define WAI_SELECT_REQUEST_H

#include "base/options.h"
#include "model/embedder_options.h"
#include "row/reader.h"
#include "select/defaults.h"

struct select_request {
    struct row_options rows;
    const char *mode, *output, *report, *seed;
    bool json;
    /* sft, rl */
    const char *rule, *band, *truncated, *order, *text_gates, *prior, *audit, *max_per, *explain;
    struct option_list endorsed;
    int64_t target, k, fail_under;
    double min_reward, low, high;
    bool low_given, high_given;
    bool no_enforce_band, no_dedupe, no_tools, keep_order, no_scan;
    /* pairs */
    int64_t max_pairs;
    double min_margin;
    bool no_length_match;
    /* curriculum, retire, next-round */
    double solved, floor;
    int64_t tiers, min_rollouts;
    const char *emit, *tasks;
    /* gate, calibrate */
    const char *gate_mode, *student, *model, *ref;
    bool no_strict, strict_hacks;
    /* sft, rl, filter; rl, gate; rl */
    bool strict_keys, calibration_excludes_leaks;
    const char *group_by;
    /* trim */
    int64_t trim, draws, first;
    const char *by, *curve, *dev;
    struct embedder_options embedder;
    double base, min_gain, growth;
    bool trim_given, base_given, index_order, sizes;
    /* stage, filter */
    const char *stage;
    bool fail_on_leak, no_trim_unanimous;
};

#define SELECT_REQUEST_DEFAULT                                                                     \
    {                                                                                              \
        .rows = ROW_OPTIONS_DEFAULT, .mode = "rl", .group_by = "prompt", .rule = "top_per_prompt", \
        .seed = "0", .truncated = "drop", .order = "spread", .text_gates = "auto",                 \
        .target = SELECT_TARGET, .min_reward = SELECT_MIN_REWARD, .low = SELECT_BAND_LOW,          \
        .high = SELECT_BAND_HIGH, .fail_under = -1, .max_pairs = SELECT_PAIRS_PER_PROMPT,          \
        .min_margin = SELECT_MIN_MARGIN, .solved = SELECT_SOLVED, .floor = SELECT_FLOOR,           \
        .tiers = SELECT_TIERS, .min_rollouts = SELECT_MIN_ROLLOUTS, .by = "random",                \
        .draws = TRIM_DRAWS, .first = TRIM_FIRST, .growth = TRIM_GROWTH, .min_gain = TRIM_MIN_GAIN \
    }

/* The result beside the rows: the report, and what people read. {0} is empty. */
struct select_output {
    struct buf report; /* one JSON object, no newline behind it */
    struct buf text;   /* a report mode's lines for standard output */
    struct buf notes;  /* for standard error, a line each */
};
void select_output_free(struct select_output *output);

/* Whether this mode, asked like this, writes rows to --output. */
bool select_writes_rows(const struct select_request *request);

/* 0; ERROR_CHECK (all is written, and a check that was asked for is red); another negative code. */
int select_run(const struct select_request *request, const struct operands *operands,
               struct select_output *output, struct error *error);

#endif
