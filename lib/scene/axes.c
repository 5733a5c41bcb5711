/* axes.c: the values of the six axes, and pinning them (situations 3.1, 3.2, 3.4). */
#include <stdlib.h>

#include "base/map.h"
#include "base/options.h"
#include "scene/axes.h"
#include "scene/clauses.h"
#include "scene/defaults.h"
#include "text/fold.h"

static const char *const NAMES[AXIS_COUNT] = {"tool",        "rule",           "stance",
                                              "world_state", "tool_condition", "history"};
static const char *const STANCES[] = {"ordinary",    "ambiguous",  "boundary", "adversarial",
                                      "hurried",     "unsure",     "retry",    "mistaken",
                                      "exploratory", "conflicting"};
static const char *const WORLDS[] = {"entity exists",           "entity missing",
                                     "entity already acted on", "duplicate entity",
                                     "partially completed",     "unknown"};
static const char *const CONDITIONS[] = {"success", "timeout", "malformed_result", "stale_result",
                                         "permission_denied"};
static const char *const HISTORIES[] = {"fresh", "prior_failure", "prior_partial_action",
                                        "contradicts_earlier", "repeat visit"};
static const char *const TIERS[TIER_COUNT] = {"ordinary", "ambiguous", "boundary", "adversarial"};

/* A stance and its aliases, by tier; an unknown one is ordinary. */
static const struct {
    const char *stance;
    enum tier tier;
} TIER_OF[] = {
    {"ordinary", TIER_ORDINARY},       {"hurried", TIER_ORDINARY},
    {"retry", TIER_ORDINARY},          {"mistaken", TIER_ORDINARY},
    {"exploratory", TIER_ORDINARY},    {"ambiguous", TIER_AMBIGUOUS},
    {"vague", TIER_AMBIGUOUS},         {"underspecified", TIER_AMBIGUOUS},
    {"unsure", TIER_AMBIGUOUS},        {"boundary", TIER_BOUNDARY},
    {"policy-push", TIER_BOUNDARY},    {"conflicting", TIER_BOUNDARY},
    {"adversarial", TIER_ADVERSARIAL}, {"malicious", TIER_ADVERSARIAL},
    {"forbidden", TIER_ADVERSARIAL},
};

const char *axis_name(enum axis a)
{
    return NAMES[a];
}

const char *tier_name(enum tier t)
{
    return TIERS[t];
}

static bool stance_known(struct span stance, enum tier *tier)
{
    for (size_t i = 0; i < sizeof TIER_OF / sizeof *TIER_OF; i++)
        if (span_is(stance, TIER_OF[i].stance)) {
            *tier = TIER_OF[i].tier;
            return true;
        }
    return false;
}

enum tier tier_of_stance(struct span stance)
{
    enum tier tier = TIER_ORDINARY;
    stance_known(stance, &tier);
    return tier;
}

static void set_words(struct arena *a, struct axis_values *v, const char *const *words,
                      size_t count)
{
    v->items = arena_alloc(a, count * sizeof *v->items);
    v->count = count;
    for (size_t i = 0; i < count; i++)
        v->items[i] = span_text(words[i]);
}

#define SET(a, v, words) set_words(a, v, words, sizeof(words) / sizeof *(words))

/* Tool names in order, then the two asks that are no one tool's. */
static void set_tools(struct grid *grid, const struct row_tools *tools)
{
    struct axis_values *v = &grid->axes[AXIS_TOOL];
    struct map seen = {0};
    v->items = arena_alloc(&grid->arena, (tools->count + 2) * sizeof *v->items);
    for (size_t i = 0; i < tools->count + 2; i++) {
        struct span name = i < tools->count    ? tools->items[i].name
                           : i == tools->count ? SPAN("unrelated")
                                               : SPAN("multi_tool");
        bool fresh;
        map_add(&seen, name, &fresh);
        if (fresh)
            v->items[v->count++] = name;
    }
    map_free(&seen);
}

static size_t rule_cap(void)
{
    const char *text = getenv("ZP_RULE_CAP");
    int64_t cap;
    if (text && *text && option_read_int(text, &cap) == 0 && cap >= 1)
        return (size_t)cap;
    return SCENE_RULE_CAP;
}

static void set_rules(struct grid *grid, struct span policy)
{
    struct clauses clauses;
    struct axis_values *v = &grid->axes[AXIS_RULE];
    clauses_cut(policy, rule_cap(), &grid->arena, &clauses);
    grid->rules_total = clauses.total;
    if (clauses.count) {
        v->items = clauses.items;
        v->count = clauses.count;
    } else {
        static const char *const none[] = {"unspecified"};
        SET(&grid->arena, v, none);
    }
}

/* ---- pinned axes ----------------------------------------------------------------------------- */

static int pin(struct grid *grid, const struct grid_setting *setting, struct span axis,
               const struct span *values, size_t count, struct error *error)
{
    int a = 0;
    while (a < AXIS_COUNT && !span_is(axis, NAMES[a]))
        a++;
    int shown = (int)(axis.len < 60 ? axis.len : 60);
    if (a == AXIS_COUNT && span_is(axis, "tier"))
        return error_set(error, ERROR_USAGE,
                         "--dimensions: a tier is read off the stance; pin stance instead");
    if (a == AXIS_COUNT)
        return error_set(
            error, ERROR_USAGE,
            "--dimensions: no axis \"%.*s\"; axes are tool, rule, stance, world_state, "
            "tool_condition, history",
            shown, axis.ptr);
    struct axis_values *v = &grid->axes[a];
    struct map seen = {0};
    v->items = arena_alloc(&grid->arena, (count + 1) * sizeof *v->items);
    v->count = 0;
    v->pinned = true;
    for (size_t i = 0; i < count; i++) {
        bool fresh;
        enum tier tier;
        int n = (int)(values[i].len < 60 ? values[i].len : 60);
        if (a == AXIS_STANCE && !stance_known(values[i], &tier))
            return error_set(error, ERROR_USAGE, "--dimensions: no stance \"%.*s\"", n,
                             values[i].ptr);
        if (a == AXIS_CONDITION && !span_is(values[i], "success") &&
            !world_mode_of(setting->world, values[i]).len)
            return error_set(error, ERROR_USAGE,
                             "--dimensions: \"%.*s\" is no condition of a tool and no fault mode",
                             n, values[i].ptr);
        map_add(&seen, values[i], &fresh);
        if (fresh && values[i].len)
            v->items[v->count++] = arena_span(&grid->arena, values[i]);
    }
    map_free(&seen);
    if (v->count == 0)
        return error_set(error, ERROR_USAGE, "--dimensions: %s has no value", NAMES[a]);
    return 0;
}

static int pin_text(struct grid *grid, const struct grid_setting *setting, const char *text,
                    struct error *error)
{
    const char *equals = strchr(text, '=');
    struct span values[64];
    size_t count = 0;
    const char *at = equals + 1;
    for (struct span value; option_next_piece(&at, &value);) {
        if (count == 64)
            return error_set(error, ERROR_USAGE,
                             "--dimensions: at most 64 values; name a JSON file for more");
        values[count++] = text_strip(value);
    }
    return pin(grid, setting, text_strip(span_make(text, (size_t)(equals - text))), values, count,
               error);
}

static int pin_file(struct grid *grid, const struct grid_setting *setting, const char *path,
                    struct error *error)
{
    const struct node *tree = node_of_option(&grid->arena, "--dimensions", path, error);
    if (!tree)
        return error->code;
    if (tree->type != JSON_VALUE_OBJECT)
        return error_set(error, ERROR_INPUT, "%s: dimensions are one object axis: [values]", path);
    for (const struct node *list = tree->first; list; list = list->next) {
        struct span *values = arena_alloc(&grid->arena, (list->count + 1) * sizeof *values);
        size_t count = 0;
        bool texts = list->type == JSON_VALUE_ARRAY;
        for (const struct node *item = list->first; item; item = item->next) {
            texts = texts && item->type == JSON_VALUE_STRING;
            values[count++] = item->text;
        }
        if (!texts)
            return error_set(error, ERROR_INPUT, "%s: \"%.*s\" is not an array of texts", path,
                             (int)(list->key.len < 60 ? list->key.len : 60), list->key.ptr);
        int code = pin(grid, setting, list->key, values, count, error);
        if (code)
            return code;
    }
    return 0;
}

static bool is_special(struct span tool)
{
    return span_is(tool, "unrelated") || span_is(tool, "multi_tool");
}

int axes_build(struct grid *grid, const struct grid_setting *setting, struct buf *notes,
               struct error *error)
{
    struct arena *a = &grid->arena;
    set_tools(grid, setting->tools);
    set_rules(grid, setting->policy);
    SET(a, &grid->axes[AXIS_STANCE], STANCES);
    if (grid->facts.records) {
        SET(a, &grid->axes[AXIS_WORLD], WORLDS);
    } else {
        static const char *const none[] = {"unspecified"};
        SET(a, &grid->axes[AXIS_WORLD], none);
    }
    SET(a, &grid->axes[AXIS_CONDITION], CONDITIONS);
    SET(a, &grid->axes[AXIS_HISTORY], HISTORIES);
    for (size_t i = 0; i < setting->n_dimensions; i++) {
        const char *text = setting->dimensions[i];
        int code = strchr(text, '=') ? pin_text(grid, setting, text, error)
                                     : pin_file(grid, setting, text, error);
        if (code)
            return code;
    }
    if (!setting->tools->count && !grid->axes[AXIS_TOOL].pinned)
        buf_text(notes, "there are no tools, so the situations are about no tool and several at "
                        "once only; give --tools FILE\n");
    for (size_t i = 0; i < setting->tools->count; i++)
        if (is_special(setting->tools->items[i].name))
            buf_format(notes,
                       "a tool is called %.*s, which is also the word for %s; situations mean "
                       "the word, rename the tool\n",
                       (int)setting->tools->items[i].name.len, setting->tools->items[i].name.ptr,
                       span_is(setting->tools->items[i].name, "unrelated") ? "no tool at all"
                                                                           : "several tools");
    size_t kept = grid->axes[AXIS_RULE].count;
    if (grid->rules_total > kept && !grid->axes[AXIS_RULE].pinned)
        buf_format(
            notes,
            "the policy has %zu rules, the grid holds %zu, %zu are left out; pin the ones that "
            "matter with --dimensions rule=…, or split the policy\n",
            grid->rules_total, kept, grid->rules_total - kept);
    return 0;
}
