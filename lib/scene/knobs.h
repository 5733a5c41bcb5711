/* knobs.h: the numbers of the engine that `--set NAME=VALUE` changes (situations 22), each with its
 * default and its bounds. */
#ifndef WAI_SCENE_KNOBS_H
#define WAI_SCENE_KNOBS_H

#include "base/error.h"
#include "json/write.h"

enum knob {
    KNOB_EMPTY_ROUNDS,
    KNOB_IDLE_RESTART,
    KNOB_IDLE_REST,
    KNOB_RESTART_WINDOW,
    KNOB_ROWS_PER_RESTART,
    KNOB_DEAD_ERRORS,
    KNOB_DEAD_BUDGETS,
    KNOB_CLOSING_MARGIN,
    KNOB_CLOSING_WINDOW,
    KNOB_COLLECT_WAIT,
    KNOB_COLLECT_WAIT_FLOOR,
    KNOB_WRITER_WAIT,
    KNOB_WRITER_WAIT_FLOOR,
    KNOB_HOSTED_TOUCH,
    KNOB_SCENE_JOIN,
    KNOB_SCENE_JOIN_CLOCKED,
    KNOB_BUFFER_WAVES,
    KNOB_BUFFER_CAP,
    KNOB_TYPICAL_COMPLETIONS,
    KNOB_POOL_LOW_FLOOR,
    KNOB_POOL_LOW_CAP,
    KNOB_POOL_LOW_DIVISOR,
    KNOB_OFFLINE_TOPUP,
    KNOB_OFFLINE_BOUNCE,
    KNOB_OFFLINE_STRIDE,
    KNOB_RESTART_STRIDE,
    KNOB_FIRST_WRITERS,
    KNOB_FIRST_CARDS,
    KNOB_FIRST_TOKENS,
    KNOB_MIN_CARDS,
    KNOB_TOKENS_PER_CARD,
    KNOB_TOKENS_BASE,
    KNOB_TOKENS_FLOOR,
    KNOB_TOKENS_CAP,
    KNOB_FAILING_SEEDS,
    KNOB_OVERSAMPLE,
    KNOB_FAMILY_FLOOR,
    KNOB_FAMILY_PER_PHRASING,
    KNOB_CONTEXT_ITEMS,
    KNOB_CONTEXT_PARENTS,
    KNOB_AVOID_ITEMS,
    KNOB_ALLOCATION_GAIN,
    KNOB_TOOL_WEIGHT,
    KNOB_CONDITION_WEIGHT,
    KNOB_NOVELTY_SMOOTHING,
    KNOB_GAP_ROWS,
    KNOB_GAP_SIGNATURES,
    KNOB_GAP_STUCK,
    KNOB_GAP_RICH,
    KNOB_GAP_UNKNOWN,
    KNOB_GAP_WEIGHT,
    KNOB_VERIFY_FLOOR,
    KNOB_PASS_THRESHOLD,
    KNOB_SMOOTHING,
    KNOB_SHORT_SHARE,
    KNOB_LONG_SHARE,
    KNOB_STARVED_MIN,
    KNOB_STARVED_DIVISOR,
    KNOB_DUPLICATE_NOVELTY,
    KNOB_IDLE_JUDGE,
    KNOB_TIER_ROWS,
    KNOB_TIER_TOLERANCE,
    KNOB_PROGRESS_S,
    KNOB_PROGRESS_ROWS,
    KNOB_FLUSH_ROWS,
    KNOB_FLUSH_S,
    KNOB_COUNT
};

struct knobs {
    double value[KNOB_COUNT];
};

void knobs_default(struct knobs *k);

/* NAME=VALUE. ERROR_USAGE: no such name, no number, a fraction where a whole number is wanted, or out
 * of bounds. */
int knobs_set(struct knobs *k, const char *setting, struct error *error);

/* Members of an object, every knob as resolved. */
void knobs_write(const struct knobs *k, struct json_writer *w);

static inline int64_t knob_int(const struct knobs *k, enum knob knob)
{
    return (int64_t)k->value[knob];
}

#endif
