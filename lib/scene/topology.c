/* topology.c: see topology.h. */
#include "scene/topology.h"

#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "scene/defaults.h"
#include "scene/pace.h"
#include "text/digest.h"

static const char *const MODES[] = {"explore", "sft", "rl", "adaptive"};
static const char *const POLICIES[] = {"none", "adaptive", "successive", "fixed"};

/* Phrasings, repeats and policy of a mode. */
static const struct {
    int64_t phrasings, repeats;
    enum repeat_policy policy;
    bool unique;
} PRESETS[] = {
    [MODE_EXPLORE] = {1, 1, REPEAT_NONE, true},
    [MODE_SFT] = {3, 4, REPEAT_ADAPTIVE, false},
    [MODE_RL] = {1, 8, REPEAT_SUCCESSIVE, false},
    [MODE_ADAPTIVE] = {1, 1, REPEAT_ADAPTIVE, false},
};

const char *run_mode_name(enum run_mode mode)
{
    return MODES[mode];
}

const char *repeat_policy_name(enum repeat_policy policy)
{
    return POLICIES[policy];
}

static int word_of(const char *text, const char *const *words, int count)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    for (int i = 0; i < count; i++)
        if (strlen(words[i]) == n && strncasecmp(text, words[i], n) == 0)
            return i;
    return n ? -1 : -2;
}

static int read_policy(const struct topology_wish *wish, struct topology *t, bool *given,
                       struct error *error)
{
    static const char *const unique[] = {"unique"};
    int word = wish->policy ? word_of(wish->policy, POLICIES, 4) : -2;
    *given = word != -2;
    if (word == -1 && word_of(wish->policy, unique, 1) == 0) {
        word = REPEAT_NONE;
        t->unique = true;
    }
    if (word == -1)
        return error_set(
            error, ERROR_USAGE,
            "--repeat-policy is \"%s\"; it is none, adaptive, successive, fixed or unique",
            wish->policy);
    if (*given)
        t->policy = (enum repeat_policy)word;
    return 0;
}

int topology_resolve(const struct topology_wish *wish, struct topology *out, struct error *error)
{
    struct topology t = {.unique = wish->unique, .probe = wish->probe};
    bool policy_given;
    int mode = wish->mode ? word_of(wish->mode, MODES, 4) : -2;
    if (mode == -1)
        return error_set(error, ERROR_USAGE, "--mode is \"%s\"; it is explore, sft, rl or adaptive",
                         wish->mode);
    t.mode = mode == -2 ? MODE_EXPLORE : (enum run_mode)mode;
    int code = read_policy(wish, &t, &policy_given, error);
    if (code)
        return code;
    if (!policy_given) {
        t.policy = PRESETS[t.mode].policy;
        t.unique = t.unique || PRESETS[t.mode].unique;
        t.fixed_instead = t.mode == MODE_SFT && !t.unique;
    } else if (t.policy == REPEAT_NONE) {
        t.unique = true;
    }
    t.phrasings = t.unique ? 1 : PRESETS[t.mode].phrasings;
    t.repeats = t.unique ? 1 : PRESETS[t.mode].repeats;
    if (t.mode == MODE_ADAPTIVE && !t.unique) {
        struct adaptive_plan plan =
            adaptive_plan(wish->time_budget, wish->time_budget, wish->saturation);
        t.phrasings = plan.phrasings;
        t.repeats = plan.repeats;
    }
    if (wish->has_phrasings)
        t.phrasings = wish->phrasings < 1 ? 1 : wish->phrasings;
    if (wish->has_repeats)
        t.repeats = wish->repeats < 1 ? 1 : wish->repeats;
    t.immediate = t.policy == REPEAT_FIXED ||
                  (t.policy != REPEAT_SUCCESSIVE && (wish->has_repeats || t.mode == MODE_RL));
    t.fault_rate = wish->has_fault_rate ? wish->fault_rate
                   : t.mode == MODE_RL  ? SCENE_FAULT_RATE_RL
                                        : SCENE_FAULT_RATE;
    *out = t;
    return 0;
}

int64_t topology_first_batch(const struct topology *t)
{
    if (t->immediate || t->fixed_instead)
        return t->repeats;
    if (t->policy == REPEAT_SUCCESSIVE)
        return t->probe < t->repeats ? t->probe : t->repeats;
    return 1;
}

bool scene_keeps_fault(int64_t seed, struct span key, double rate)
{
    struct buf text = {0};
    if (rate <= 0 || rate >= 1)
        return rate >= 1;
    buf_format(&text, "fault-keep:%lld:", (long long)seed);
    buf_span_add(&text, key);
    double u = ((double)digest_number(buf_span(&text), 12) + 1) / (281474976710656.0 + 2);
    buf_free(&text);
    return u < rate;
}
