/* knobs.c: see knobs.h. */
#include "scene/knobs.h"

#include <math.h>
#include <string.h>

#include "base/options.h"
#include "scene/defaults.h"
#include "text/fold.h"

enum kind { WHOLE, REAL };

#define ANY       INFINITY
#define WHOLE_MAX 1e9 /* of a count, so that products stay in 64 bits */

static const struct {
    const char *name;
    enum kind kind;
    double standard, least, most;
} TABLE[KNOB_COUNT] = {
    [KNOB_EMPTY_ROUNDS] = {"empty_rounds_to_stop", WHOLE, 8, 1, ANY},
    [KNOB_IDLE_RESTART] = {"writer_idle_rounds_to_restart", WHOLE, 4, 1, ANY},
    [KNOB_IDLE_REST] = {"writer_idle_rounds_to_rest", WHOLE, 2, 1, ANY},
    [KNOB_RESTART_WINDOW] = {"restart_avoid_window", WHOLE, 8, 1, ANY},
    [KNOB_ROWS_PER_RESTART] = {"rows_per_extra_restart", WHOLE, 100, 1, ANY},
    [KNOB_DEAD_ERRORS] = {"dead_agent_errors", WHOLE, SCENE_DEAD_MIN, 1, ANY},
    [KNOB_DEAD_BUDGETS] = {"dead_agent_budget_multiple", WHOLE, SCENE_DEAD_BUDGETS, 0, ANY},
    [KNOB_CLOSING_MARGIN] = {"closing_margin", REAL, SCENE_CLOSING_MARGIN, 0, ANY},
    [KNOB_CLOSING_WINDOW] = {"closing_window_rollouts", WHOLE, SCENE_CLOSING_WINDOW, 1, ANY},
    [KNOB_COLLECT_WAIT] = {"collect_wait_s", REAL, 0.35, 0, ANY},
    [KNOB_COLLECT_WAIT_FLOOR] = {"collect_wait_floor_s", REAL, 0.1, 0, ANY},
    [KNOB_WRITER_WAIT] = {"writer_wait_s", REAL, 0.5, 0, ANY},
    [KNOB_WRITER_WAIT_FLOOR] = {"writer_wait_floor_s", REAL, 0.2, 0, ANY},
    [KNOB_HOSTED_TOUCH] = {"hosted_touch_s", REAL, 5, 0, ANY},
    [KNOB_SCENE_JOIN] = {"scene_join_s", REAL, 8, 0, ANY},
    [KNOB_SCENE_JOIN_CLOCKED] = {"scene_join_clocked_s", REAL, 1, 0, ANY},
    [KNOB_BUFFER_WAVES] = {"writer_buffer_waves", WHOLE, 2, 1, ANY},
    [KNOB_BUFFER_CAP] = {"writer_buffer_cap", WHOLE, 96, 1, ANY},
    [KNOB_TYPICAL_COMPLETIONS] = {"writer_typical_completions", WHOLE, 3, 1, ANY},
    [KNOB_POOL_LOW_FLOOR] = {"pool_low_floor", WHOLE, 16, 0, ANY},
    [KNOB_POOL_LOW_CAP] = {"pool_low_cap", WHOLE, 64, 0, ANY},
    [KNOB_POOL_LOW_DIVISOR] = {"pool_low_flight_divisor", WHOLE, 4, 1, ANY},
    [KNOB_OFFLINE_TOPUP] = {"offline_topup_multiple", WHOLE, 2, 1, ANY},
    [KNOB_OFFLINE_BOUNCE] = {"offline_bounce_limit", WHOLE, 20, 0, ANY},
    [KNOB_OFFLINE_STRIDE] = {"offline_bounce_stride", WHOLE, 17, 1, ANY},
    [KNOB_RESTART_STRIDE] = {"restart_seed_stride", WHOLE, 997, 1, ANY},
    [KNOB_FIRST_WRITERS] = {"first_wave_writers", WHOLE, 2, 1, ANY},
    [KNOB_FIRST_CARDS] = {"first_wave_cards", WHOLE, 4, 1, ANY},
    [KNOB_FIRST_TOKENS] = {"first_wave_tokens", WHOLE, 320, 1, ANY},
    [KNOB_MIN_CARDS] = {"min_cards_per_wave", WHOLE, 2, 1, ANY},
    [KNOB_TOKENS_PER_CARD] = {"tokens_per_card", WHOLE, 130, 1, ANY},
    [KNOB_TOKENS_BASE] = {"wave_tokens_base", WHOLE, 128, 0, ANY},
    [KNOB_TOKENS_FLOOR] = {"wave_tokens_floor", WHOLE, 256, 1, ANY},
    [KNOB_TOKENS_CAP] = {"wave_tokens_cap", WHOLE, 2048, 1, ANY},
    [KNOB_FAILING_SEEDS] = {"failing_seeds_cap", WHOLE, SCENE_FAILING_ASKS, 0, ANY},
    [KNOB_OVERSAMPLE] = {"select_oversample", WHOLE, 3, 1, ANY},
    [KNOB_FAMILY_FLOOR] = {"family_cap_floor", WHOLE, 16, 1, ANY},
    [KNOB_FAMILY_PER_PHRASING] = {"family_cap_per_phrasing", WHOLE, 4, 1, ANY},
    [KNOB_CONTEXT_ITEMS] = {"writer_context_items", WHOLE, 8, 0, ANY},
    [KNOB_CONTEXT_PARENTS] = {"writer_context_parents", WHOLE, 10, 0, ANY},
    [KNOB_AVOID_ITEMS] = {"family_avoid_items", WHOLE, 6, 0, ANY},
    [KNOB_ALLOCATION_GAIN] = {"allocation_gain", REAL, REGION_GAIN, 0, ANY},
    [KNOB_TOOL_WEIGHT] = {"allocation_tool_weight", REAL, REGION_TOOL_WEIGHT, 0, 1},
    [KNOB_CONDITION_WEIGHT] = {"allocation_condition_weight", REAL, REGION_CONDITION_WEIGHT, 0, 1},
    [KNOB_NOVELTY_SMOOTHING] = {"region_novelty_smoothing", REAL, 0.5, 0, 1},
    [KNOB_GAP_ROWS] = {"gap_min_rows", WHOLE, 3, 1, ANY},
    [KNOB_GAP_SIGNATURES] = {"gap_rich_signatures", WHOLE, 3, 1, ANY},
    [KNOB_GAP_STUCK] = {"gap_value_stuck", REAL, 1, 0, 1},
    [KNOB_GAP_RICH] = {"gap_value_rich", REAL, 0.2, 0, 1},
    [KNOB_GAP_UNKNOWN] = {"gap_value_unknown", REAL, 0.5, 0, 1},
    [KNOB_GAP_WEIGHT] = {"gap_weight", REAL, 0.7, 0, 1},
    [KNOB_VERIFY_FLOOR] = {"adaptive_verify_explore_floor", REAL, 0.55, 0, 1},
    [KNOB_PASS_THRESHOLD] = {"pass_threshold", REAL, SCENE_PASS_THRESHOLD, 0, 1},
    [KNOB_SMOOTHING] = {"smoothing_alpha", REAL, SCENE_SMOOTHING, 0, ANY},
    [KNOB_SHORT_SHARE] = {"short_share_floor", REAL, 0.08, 0, 1},
    [KNOB_LONG_SHARE] = {"long_share_floor", REAL, 0.10, 0, 1},
    [KNOB_STARVED_MIN] = {"followup_starved_min", WHOLE, 8, 0, ANY},
    [KNOB_STARVED_DIVISOR] = {"followup_starved_divisor", WHOLE, 4, 1, ANY},
    [KNOB_DUPLICATE_NOVELTY] = {"semantic_duplicate_novelty", REAL, 0.05, 0, 1},
    [KNOB_IDLE_JUDGE] = {"idle_judge_share", REAL, 0.1, 0, 1},
    [KNOB_TIER_ROWS] = {"tier_mix_min_rows", WHOLE, SCENE_TIER_ROWS, 1, ANY},
    [KNOB_TIER_TOLERANCE] = {"tier_mix_tolerance", REAL, SCENE_TIER_TOLERANCE, 0, 1},
    [KNOB_PROGRESS_S] = {"progress_every_s", REAL, 10, 0, ANY},
    [KNOB_PROGRESS_ROWS] = {"progress_every_rows", WHOLE, 10, 1, ANY},
    [KNOB_FLUSH_ROWS] = {"flush_report_rows", WHOLE, 25, 1, ANY},
    [KNOB_FLUSH_S] = {"flush_report_s", REAL, 5, 0, ANY},
};

void knobs_default(struct knobs *k)
{
    for (int i = 0; i < KNOB_COUNT; i++)
        k->value[i] = TABLE[i].standard;
}

static int refuse_bounds(int i, const char *value, struct error *error)
{
    if (isinf(TABLE[i].most))
        return error_set(error, ERROR_USAGE, "--set %s=%.40s: it is %g or more; the default is %g",
                         TABLE[i].name, value, TABLE[i].least, TABLE[i].standard);
    return error_set(error, ERROR_USAGE, "--set %s=%.40s: it is from %g to %g; the default is %g",
                     TABLE[i].name, value, TABLE[i].least, TABLE[i].most, TABLE[i].standard);
}

int knobs_set(struct knobs *k, const char *setting, struct error *error)
{
    size_t len = strcspn(setting, "=");
    struct span name = text_strip(span_make(setting, len));
    const char *value = setting + len + (setting[len] == '=');
    double x;
    int i = 0;
    while (i < KNOB_COUNT && !span_is(name, TABLE[i].name))
        i++;
    if (i == KNOB_COUNT)
        return error_set(error, ERROR_USAGE,
                         "--set %.60s: there is no such setting; the report's coverage.knobs names "
                         "all of them",
                         setting);
    if (option_read_real(value, &x))
        return error_set(error, ERROR_USAGE, "--set %s=%.40s: it is %s; the default is %g",
                         TABLE[i].name, value,
                         TABLE[i].kind == WHOLE ? "a whole number" : "a number", TABLE[i].standard);
    if (TABLE[i].kind == WHOLE && (x != floor(x) || fabs(x) > WHOLE_MAX))
        return error_set(error, ERROR_USAGE,
                         "--set %s=%.40s: it is a whole number; the default is %g", TABLE[i].name,
                         value, TABLE[i].standard);
    if (x < TABLE[i].least || x > TABLE[i].most)
        return refuse_bounds(i, value, error);
    k->value[i] = x;
    return 0;
}

void knobs_write(const struct knobs *k, struct json_writer *w)
{
    for (int i = 0; i < KNOB_COUNT; i++) {
        json_write_key(w, TABLE[i].name);
        if (TABLE[i].kind == WHOLE)
            json_write_int(w, (int64_t)k->value[i]);
        else
            json_write_real(w, k->value[i]);
    }
}
