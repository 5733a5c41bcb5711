/* search.c: wai-unit's functions of the search: weights of the arms, the pace of a run, saturation and
 * its forecast, what is rare on an axis, the mix of tiers (situations 3.7, 6, 7.2, 9, 10.2, 19, 20.4). */
#include <math.h>
#include <stdlib.h>

#include "scene/arms.h"
#include "scene/learn.h"
#include "scene/pace.h"
#include "scene/search.h"
#include "unit.h"

/* Members of an object by the arms' names; NAN where one is missing. */
static void read_arms(struct json_value object, double out[ARM_COUNT])
{
    for (int a = 0; a < ARM_COUNT; a++) {
        struct json_value v;
        out[a] = json_get(object, span_text(arm_name((enum arm)a)), &v) ? json_number(v) : NAN;
    }
}

/* {weights, yields: a list, one object for each round} -> the weights after each */
static int arms(struct json_value in, struct json_writer *out, struct error *error)
{
    struct json_value start, rounds, item;
    double w[ARM_COUNT], yields[ARM_COUNT];
    if (unit_get(in, "weights", &start, error) < 0 || unit_get(in, "yields", &rounds, error) < 0)
        return ERROR_INPUT;
    read_arms(start, w);
    json_write_array(out);
    for (struct json_cursor c = json_enter(rounds); json_next_item(&c, &item);) {
        read_arms(item, yields);
        arms_update(w, yields);
        json_write_object(out);
        for (int a = 0; a < ARM_COUNT; a++) {
            json_write_key(out, arm_name((enum arm)a));
            json_write_real(out, w[a]);
        }
        json_write_end_object(out);
    }
    json_write_end_array(out);
    return 0;
}

static void key_int(struct json_writer *out, const char *key, int64_t n)
{
    json_write_key(out, key);
    json_write_int(out, n);
}

/* {total, left, saturation, width} -> the plan of mode adaptive, its slots, the scale of shapes */
static int pace(struct json_value in, struct json_writer *out, struct error *error)
{
    double total, left;
    int64_t saturation, width;
    if (unit_real(in, "total", &total, error) < 0 || unit_real(in, "left", &left, error) < 0 ||
        unit_int(in, "saturation", &saturation, error) < 0 ||
        unit_int(in, "width", &width, error) < 0)
        return ERROR_INPUT;
    struct adaptive_plan plan = adaptive_plan(total, left, saturation != 0);
    struct adaptive_slots slots = adaptive_slots(width, &plan);
    struct shape_scale scale = shape_scale(total);
    json_write_object(out);
    json_write_key(out, "explore");
    json_write_real(out, plan.explore);
    json_write_key(out, "expand");
    json_write_real(out, plan.expand);
    json_write_key(out, "verify");
    json_write_real(out, plan.verify);
    key_int(out, "n_req", plan.phrasings);
    key_int(out, "k", plan.repeats);
    json_write_key(out, "slots");
    json_write_array(out);
    json_write_int(out, slots.explore);
    json_write_int(out, slots.expand);
    json_write_int(out, slots.verify);
    json_write_end_array(out);
    json_write_key(out, "scale");
    json_write_array(out);
    json_write_int(out, (int64_t)scale.listed);
    json_write_int(out, (int64_t)scale.most);
    json_write_int(out, (int64_t)scale.longest);
    json_write_end_array(out);
    json_write_end_object(out);
    return 0;
}

static int read_counts(struct json_value in, const char *key, int64_t **out, size_t *n,
                       struct error *error)
{
    double *values;
    int code = unit_reals(in, key, &values, n, error);
    *out = mem_zero(*n + 1, sizeof **out);
    for (size_t i = 0; i < *n && code == 0; i++)
        (*out)[i] = (int64_t)values[i];
    if (code == 0)
        free(values);
    return code;
}

/* {planned, counts, rows, budget, flat, last, saturated} -> saturated, missing, forecast */
static int saturation(struct json_value in, struct json_writer *out, struct error *error)
{
    int64_t *planned = NULL, *counts = NULL, rows, budget, flat, last;
    size_t n_planned = 0, n_counts = 0;
    int code = read_counts(in, "planned", &planned, &n_planned, error);
    if (!code)
        code = read_counts(in, "counts", &counts, &n_counts, error);
    if (!code &&
        (unit_int(in, "rows", &rows, error) < 0 || unit_int(in, "budget", &budget, error) < 0 ||
         unit_int(in, "flat", &flat, error) < 0 || unit_int(in, "last", &last, error) < 0))
        code = ERROR_INPUT;
    if (!code) {
        int64_t missing = copies_missing(counts, n_counts);
        struct forecast f = forecast_saturation(rows, budget, false, missing, flat, last);
        json_write_object(out);
        json_write_key(out, "saturated");
        json_write_bool(out, run_saturated(planned, n_planned, counts, n_counts));
        key_int(out, "missing", missing);
        key_int(out, "rows", f.rows);
        key_int(out, "remaining", f.remaining);
        json_write_end_object(out);
    }
    free(planned);
    free(counts);
    return code;
}

/* {assignment, axis_counts: {axis: {value: rows}}} -> the factor */
static int starved(struct json_value in, struct json_writer *out, struct error *error)
{
    static const enum axis axes[] = {AXIS_CONDITION, AXIS_HISTORY, AXIS_WORLD};
    struct json_value assignment, counts, axis, v;
    struct json_member m;
    struct cell cell = {0};
    enum axis of[256];
    int64_t rows[256];
    struct grid grid = {.axis_of_value = of};
    struct buf own = {0}, text = {0};
    if (unit_get(in, "assignment", &assignment, error) < 0 ||
        unit_get(in, "axis_counts", &counts, error) < 0)
        return ERROR_INPUT;
    for (size_t a = 0; a < 3; a++) {
        bool met = false;
        buf_clear(&own);
        if (json_get(assignment, span_text(axis_name(axes[a])), &v))
            json_text_add(v, &own);
        struct json_cursor at = {0};
        if (json_get(counts, span_text(axis_name(axes[a])), &axis))
            at = json_enter(axis);
        while (grid.n_values < 250 && json_next_member(&at, &m)) {
            bool same = span_equal(json_key(&m, &text), buf_span(&own));
            of[grid.n_values] = axes[a];
            rows[grid.n_values] = (int64_t)json_number(m.value);
            if (same)
                cell.pair_value[axes[a]] = (uint32_t)grid.n_values;
            met = met || same;
            grid.n_values++;
        }
        if (!met) {
            of[grid.n_values] = axes[a];
            rows[grid.n_values] = 0;
            cell.pair_value[axes[a]] = (uint32_t)grid.n_values++;
        }
        cell.value[axes[a]] = span_is(buf_span(&own), "unspecified") ? SPAN("unspecified")
                              : own.len                              ? SPAN("told")
                                                                     : (struct span){NULL, 0};
    }
    json_write_real(out, starvation_boost(&grid, rows, &cell));
    buf_free(&own);
    buf_free(&text);
    return 0;
}

/* {seed, round, n, weight} -> which of the slots are steered */
static int steer(struct json_value in, struct json_writer *out, struct error *error)
{
    int64_t seed, round, n;
    double weight;
    if (unit_int(in, "seed", &seed, error) < 0 || unit_int(in, "round", &round, error) < 0 ||
        unit_int(in, "n", &n, error) < 0 || unit_real(in, "weight", &weight, error) < 0)
        return ERROR_INPUT;
    json_write_array(out);
    for (int64_t i = 0; i < n; i++)
        json_write_bool(out, search_steers(seed, round, i, weight));
    json_write_end_array(out);
    return 0;
}

const struct unit_function UNIT_SEARCH[] = {
    {"steer", steer},           {"arms", arms},       {"pace", pace},
    {"saturation", saturation}, {"starved", starved}, {0},
};
