/* pace.c: see pace.h. */
#include "scene/pace.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scene/defaults.h"
#include "text/number.h"

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

struct adaptive_plan adaptive_plan(double total, double left, bool saturation)
{
    double clock = total > 0 ? left : PACE_NO_CLOCK;
    if (saturation && clock < PACE_SATURATION_MIN)
        clock = PACE_SATURATION_MIN;
    double scale = clamp((clock - PACE_SHORTEST) / PACE_SPAN, 0, 1);
    struct adaptive_plan p;
    p.explore = PACE_EXPLORE_MIN + (PACE_EXPLORE_MAX - PACE_EXPLORE_MIN) * scale;
    p.expand = PACE_EXPAND * (1 - p.explore);
    p.verify = (1 - PACE_EXPAND) * (1 - p.explore);
    p.phrasings = PACE_PHRASINGS;
    double whole = total > 0 ? total : PACE_NO_CLOCK;
    p.repeats = saturation || whole >= PACE_LONG ? PACE_REPEATS_LONG : PACE_REPEATS_SHORT;
    return p;
}

struct adaptive_slots adaptive_slots(int64_t width, const struct adaptive_plan *plan)
{
    struct adaptive_slots s = {0};
    if (width < 1)
        return s;
    double rest = plan->expand + plan->verify;
    int64_t messy = (int64_t)number_round_even((double)width * rest);
    if (width >= 2)
        messy = messy < 1 ? 1 : messy > width - 1 ? width - 1 : messy;
    s.explore = width - messy;
    double share = rest > 0 ? plan->verify / rest : 0;
    s.verify = (int64_t)number_round_even((double)messy * share);
    s.verify = s.verify < 0 ? 0 : s.verify > messy ? messy : s.verify;
    if (messy >= 2 && s.verify < 1)
        s.verify = 1;
    s.expand = messy - s.verify;
    return s;
}

struct shape_scale shape_scale(double total)
{
    double clock = total > 0 ? total : PACE_NO_CLOCK;
    double scale = clamp(clock / PACE_UNIT, PACE_SCALE_MIN, PACE_SCALE_MAX);
    double most = number_round_even(PACE_SHAPES * scale);
    double listed = number_round_even(PACE_SHAPES_LISTED * scale);
    return (struct shape_scale){
        .longest = clock < PACE_LONG_SHAPES ? 2 : 3,
        .most = most < PACE_SHAPES ? PACE_SHAPES : (size_t)most,
        .listed = listed < PACE_SHAPES_LISTED_MIN ? PACE_SHAPES_LISTED_MIN : (size_t)listed,
    };
}

void durations_add(struct durations *d, size_t window, double seconds)
{
    if (!d->items) {
        d->size = window;
        d->items = mem_zero(window, sizeof *d->items);
    }
    d->items[d->next] = seconds;
    d->next = (d->next + 1) % d->size;
    d->count += d->count < d->size;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double durations_median(const struct durations *d)
{
    if (!d->count)
        return 0;
    double *sorted = mem_copy(d->items, d->count * sizeof *sorted);
    qsort(sorted, d->count, sizeof *sorted, by_value);
    double median = sorted[d->count / 2];
    free(sorted);
    return median;
}

void durations_free(struct durations *d)
{
    free(d->items);
    memset(d, 0, sizeof *d);
}

bool run_saturated(const int64_t *planned, size_t n_planned, const int64_t *counted,
                   size_t n_counted)
{
    for (size_t i = 0; i < n_planned; i++)
        if (planned[i] < SATURATION_ROWS)
            return false;
    for (size_t i = 0; i < n_counted; i++)
        if (counted[i] < SATURATION_ROWS)
            return false;
    return n_counted > 0;
}

int64_t copies_missing(const int64_t *counts, size_t n)
{
    int64_t missing = n ? 0 : SATURATION_ROWS;
    for (size_t i = 0; i < n; i++)
        if (counts[i] < SATURATION_ROWS)
            missing += SATURATION_ROWS - counts[i];
    return missing;
}

struct forecast forecast_saturation(int64_t rows, int64_t budget, bool saturated, int64_t missing,
                                    int64_t flat, int64_t last)
{
    if (saturated)
        return (struct forecast){rows, 0};
    int64_t rounds = flat < PACE_FLAT_ROUNDS ? PACE_FLAT_ROUNDS - flat : 0;
    int64_t more = rounds * last > missing ? rounds * last : missing;
    if (more > budget - rows)
        more = budget - rows;
    if (more < 0)
        more = 0;
    return (struct forecast){rows + more, more};
}
