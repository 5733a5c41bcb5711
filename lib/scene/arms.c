/* arms.c: see arms.h. */
#include "scene/arms.h"

#include <math.h>
#include <string.h>

#include "base/options.h"
#include "scene/defaults.h"
#include "stat/sum.h"
#include "text/fold.h"

static const char *const NAMES[ARM_COUNT] = {
    [ARM_STRUCTURED] = "structured",     [ARM_GUIDED] = "llm_guided",
    [ARM_OPEN] = "open_ended",           [ARM_TARGETED] = "behavior_targeted",
    [ARM_MUTATION] = "failure_mutation",
};

const double ARM_START[ARM_COUNT] = {
    [ARM_STRUCTURED] = 0.42, [ARM_GUIDED] = 0.42,   [ARM_OPEN] = 0.10,
    [ARM_TARGETED] = 0.03,   [ARM_MUTATION] = 0.03,
};

static const double FLOORS[ARM_COUNT] = {
    [ARM_STRUCTURED] = 0.15, [ARM_GUIDED] = 0.15,   [ARM_OPEN] = ARM_OPEN_MIN,
    [ARM_TARGETED] = 0.01,   [ARM_MUTATION] = 0.01,
};

const char *arm_name(enum arm arm)
{
    return NAMES[arm];
}

enum arm arm_of_name(struct span name)
{
    int a = 0;
    while (a < ARM_COUNT && !span_is(name, NAMES[a]))
        a++;
    return (enum arm)a;
}

/* ---- pinned ---------------------------------------------------------------------------------- */

static int read_share(struct span item, double weights[ARM_COUNT], struct error *error)
{
    char number[32];
    const char *equals = item.len ? memchr(item.ptr, '=', item.len) : NULL;
    size_t at = equals ? (size_t)(equals - item.ptr) : item.len;
    struct span name = text_strip(span_make(item.ptr, at)), value = {NULL, 0};
    enum arm arm = arm_of_name(name);
    if (arm == ARM_COUNT)
        return error_set(error, ERROR_USAGE,
                         "--arm-weights: \"%.*s\" is no arm; they are structured, llm_guided, "
                         "open_ended, behavior_targeted and failure_mutation",
                         (int)(name.len < 60 ? name.len : 60), name.ptr ? name.ptr : "");
    if (equals)
        value = text_strip(span_make(equals + 1, item.len - at - 1));
    if (value.len && value.len < sizeof number) {
        memcpy(number, value.ptr, value.len);
        number[value.len] = '\0';
    }
    if (!value.len || value.len >= sizeof number || option_read_real(number, &weights[arm]) ||
        weights[arm] < 0)
        return error_set(error, ERROR_USAGE, "--arm-weights: %s=%.*s is no number of 0 or more",
                         NAMES[arm], (int)(value.len < 40 ? value.len : 40),
                         value.ptr ? value.ptr : "");
    return 0;
}

int arms_read(const char *text, double weights[ARM_COUNT], struct error *error)
{
    double given[ARM_COUNT] = {0};
    for (struct span share; option_next_piece(&text, &share);) {
        int code = read_share(text_strip(share), given, error);
        if (code)
            return code;
    }
    double sum = sum_exact(given, ARM_COUNT);
    if (!(sum > 0) || isinf(sum))
        return error_set(error, ERROR_USAGE, "--arm-weights: one of them must be above 0");
    for (int a = 0; a < ARM_COUNT; a++)
        weights[a] = given[a] / sum;
    return 0;
}

/* ---- from round to round --------------------------------------------------------------------- */

/* Mean of the arms that had rows, for those that had none; 0 when no arm had any. */
static void complete(const double yields[ARM_COUNT], double out[ARM_COUNT])
{
    double known[ARM_COUNT];
    size_t n = 0;
    for (int a = 0; a < ARM_COUNT; a++)
        if (!isnan(yields[a]))
            known[n++] = yields[a];
    double mean = n ? sum_exact(known, n) / (double)n : 0;
    for (int a = 0; a < ARM_COUNT; a++)
        out[a] = isnan(yields[a]) ? mean : yields[a];
}

static void cap_open(double w[ARM_COUNT])
{
    double open = w[ARM_OPEN], others[ARM_COUNT];
    open = open < ARM_OPEN_MIN ? ARM_OPEN_MIN : open > ARM_OPEN_MAX ? ARM_OPEN_MAX : open;
    memcpy(others, w, sizeof others);
    others[ARM_OPEN] = 0;
    double rest = sum_exact(others, ARM_COUNT);
    for (int a = 0; a < ARM_COUNT; a++)
        w[a] = a == ARM_OPEN ? open : rest > 0 ? w[a] * (1 - open) / rest : 0;
}

static void cap_rare(double w[ARM_COUNT])
{
    double excess = 0;
    for (int a = ARM_TARGETED; a <= ARM_MUTATION; a++)
        if (w[a] > ARM_RARE_MAX) {
            excess += w[a] - ARM_RARE_MAX;
            w[a] = ARM_RARE_MAX;
        }
    double main = w[ARM_STRUCTURED] + w[ARM_GUIDED];
    for (int a = ARM_STRUCTURED; a <= ARM_GUIDED && excess > 0 && main > 0; a++)
        w[a] += excess * w[a] / main;
    double sum = sum_exact(w, ARM_COUNT);
    for (int a = 0; a < ARM_COUNT; a++)
        w[a] /= sum;
}

void arms_update(double weights[ARM_COUNT], const double yields[ARM_COUNT])
{
    double full[ARM_COUNT], raw[ARM_COUNT];
    double free = 1 - sum_exact(FLOORS, ARM_COUNT);
    complete(yields, full);
    for (int a = 0; a < ARM_COUNT; a++)
        raw[a] = weights[a] * (1 + ARM_LEARNING_RATE * (full[a] > 0 ? full[a] : 0));
    double sum = sum_exact(raw, ARM_COUNT);
    for (int a = 0; a < ARM_COUNT; a++)
        weights[a] = FLOORS[a] + (sum > 0 ? free * raw[a] / sum : 0);
    cap_open(weights);
    cap_rare(weights);
}

enum arm arms_next(const double weights[ARM_COUNT], const int64_t opened[ARM_COUNT], bool guided)
{
    enum arm best = ARM_STRUCTURED;
    double most = -INFINITY;
    int64_t all = 1;
    for (int a = 0; a < ARM_COUNT; a++)
        all += opened[a];
    for (int a = 0; a < ARM_COUNT; a++) {
        double share = weights[a], had = (double)opened[a];
        if (a == ARM_GUIDED && !guided)
            continue;
        if (a == ARM_STRUCTURED && !guided) {
            share += weights[ARM_GUIDED];
            had += (double)opened[ARM_GUIDED];
        }
        double behind = share * (double)all - had;
        if (behind > most) {
            most = behind;
            best = (enum arm)a;
        }
    }
    return best;
}
