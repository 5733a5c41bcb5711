/* compare_options.c: what wai-compare was asked, checked and spelt as reports spell it: names of
 * metrics with or without `marker:`, directions, re-run floors (measure 6). */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "measure/compare.h"
#include "measure/seed.h"
#include "text/term.h"

const char *const SIDE_NAMES[SIDES] = {"before", "after"};
const char *const FAIL_ON_NAMES[FAIL_ONS] = {
    "wrong-way", "no-gain",    "unreplicated", "within-noise", "insufficient",     "unresolved",
    "slipped",   "group-down", "weak-slice",   "ceiling",      "degenerate-guard", "prompt-hash",
};

enum { FLOORS_FILE_MAX = 16 << 20 }; /* bytes of a report that --run-std names */

/* ---- names --------------------------------------------------------------------------------------
 */

static struct span canonical(struct compare_options *o, struct span typed)
{
    struct buf name = {0}, text = {0};
    buf_span_add(&text, typed);
    metric_name(buf_cstr(&text), &name);
    struct span kept = arena_span(&o->arena, buf_span(&name));
    buf_free(&name);
    buf_free(&text);
    return kept;
}

/* Calls take for each part of every A,B of the list. */
typedef int take_name(struct compare_options *o, struct span part, struct error *error);

static int each_name(struct compare_options *o, const char *option, const struct option_list *list,
                     take_name *take, struct error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *text = list->items[i];
        for (struct span part; option_next_piece(&text, &part);) {
            if (part.len == 0)
                return error_set(error, ERROR_USAGE, "--%s has an empty name; write NAME,NAME",
                                 option);
            int code = take(o, part, error);
            if (code < 0)
                return code;
        }
    }
    return 0;
}

static struct span *add_span(struct span *items, size_t *count, struct span item)
{
    for (size_t i = 0; i < *count; i++)
        if (span_equal(items[i], item))
            return items; /* named twice */
    items = mem_resize(items, (*count + 1) * sizeof *items);
    items[(*count)++] = item;
    return items;
}

static int take_guard(struct compare_options *o, struct span part, struct error *error)
{
    (void)error;
    o->guards = add_span(o->guards, &o->n_guards, canonical(o, part));
    return 0;
}

static int take_marker(struct compare_options *o, struct span part, struct error *error)
{
    struct span name = canonical(o, part), prefix = SPAN("marker:");
    if (!span_starts(name, prefix))
        return error_set(error, ERROR_USAGE,
                         "--markers: pass_at_1 is always compared; name markers only");
    o->markers = add_span(o->markers, &o->n_markers, span_slice(name, prefix.len, name.len));
    return 0;
}

static struct named_value *add_value(struct named_value *items, size_t *count, struct span metric,
                                     double value)
{
    for (size_t i = 0; i < *count; i++)
        if (span_equal(items[i].metric, metric)) { /* the last one counts */
            items[i].value = value;
            return items;
        }
    items = mem_resize(items, (*count + 1) * sizeof *items);
    items[(*count)++] = (struct named_value){metric, value};
    return items;
}

static int take_lower(struct compare_options *o, struct span part, struct error *error)
{
    double value = 1.0;
    struct span yes = SPAN("=true"), no = SPAN("=false");
    if (part.len > yes.len && span_equal(span_slice(part, part.len - yes.len, part.len), yes)) {
        part = span_slice(part, 0, part.len - yes.len);
    } else if (part.len > no.len && span_equal(span_slice(part, part.len - no.len, part.len), no)) {
        part = span_slice(part, 0, part.len - no.len);
        value = 0.0;
    } else if (part.len && memchr(part.ptr, '=', part.len)) {
        struct buf shown = {0};
        term_add_head(&shown, part, MEASURE_REASON_MAX);
        error_set(error, ERROR_USAGE, "--lower-is-better %s: write METRIC, or METRIC=true|false",
                  buf_cstr(&shown));
        buf_free(&shown);
        return ERROR_USAGE;
    }
    o->lower = add_value(o->lower, &o->n_lower, canonical(o, part), value);
    return 0;
}

static int take_fail_on(struct compare_options *o, struct span part, struct error *error)
{
    for (size_t i = 0; i < FAIL_ONS; i++)
        if (span_is(part, FAIL_ON_NAMES[i])) {
            o->fail_on |= 1u << i;
            return 0;
        }
    if (span_is(part, "regression")) /* always red: ok is false */
        return 0;
    struct buf shown = {0}, known = {0};
    term_add_head(&shown, part, MEASURE_REASON_MAX);
    for (size_t i = 0; i < FAIL_ONS; i++)
        buf_format(&known, "%s, ", FAIL_ON_NAMES[i]);
    error_set(error, ERROR_USAGE, "--fail-on %s: one or more of %sregression", buf_cstr(&shown),
              buf_cstr(&known));
    buf_free(&shown);
    buf_free(&known);
    return ERROR_USAGE;
}

/* ---- re-run floors ------------------------------------------------------------------------------
 */

static int take_report(struct compare_options *o, const char *path, struct error *error)
{
    struct buf text = {0};
    struct json_value report, floors, runs;
    struct json_fault fault;
    int code = file_read(path, FLOORS_FILE_MAX, &text, error);
    if (code < 0) {
        buf_free(&text);
        return code;
    }
    if (json_scan(buf_span(&text), &report, NULL, &fault) < 0 || report.type != JSON_VALUE_OBJECT ||
        !json_get(report, SPAN("run_std_by_metric"), &floors) || floors.type != JSON_VALUE_OBJECT) {
        buf_free(&text);
        return error_set(error, ERROR_INPUT,
                         "%s: no report with run_std_by_metric; write it with "
                         "wai-plan eval-variance --json",
                         path);
    }
    struct json_cursor cursor = json_enter(floors);
    struct json_member member;
    struct buf scratch = {0};
    while (code == 0 && json_next_member(&cursor, &member)) {
        double value = json_value_null(member.value) ? NAN : json_number(member.value);
        if (!json_value_null(member.value) &&
            (member.value.type != JSON_VALUE_NUMBER || !(value >= 0 && value < INFINITY)))
            code = error_set(error, ERROR_INPUT, "%s: a run_std is no number of 0 or more", path);
        o->floors =
            add_value(o->floors, &o->n_floors, canonical(o, json_key(&member, &scratch)), value);
    }
    if (json_get(report, SPAN("n_runs"), &runs) && runs.type == JSON_VALUE_NUMBER &&
        json_number(runs) >= 2)
        o->run_std_runs = json_number(runs);
    o->floors_given = true;
    buf_free(&scratch);
    buf_free(&text);
    return code;
}

static int take_run_std(struct compare_options *o, const char *text, struct error *error)
{
    if (*text == '@')
        return take_report(o, text + 1, error);
    const char *equals = strrchr(text, '=');
    const char *number = equals ? equals + 1 : text;
    double value = NAN;
    bool null = equals && strcmp(number, "null") == 0;
    if ((!null && (option_read_real(number, &value) < 0 || value < 0)) || equals == text)
        return error_set(error, ERROR_USAGE,
                         "--run-std %s: write a spread of 0 or more, METRIC=SPREAD, or @REPORT of "
                         "wai-plan eval-variance",
                         text);
    if (!equals) {
        o->run_std = value;
        return 0;
    }
    o->floors = add_value(o->floors, &o->n_floors,
                          canonical(o, span_make(text, (size_t)(equals - text))), value);
    o->floors_given = true;
    return 0;
}

static int read_floors(struct compare_options *o, struct error *error)
{
    const struct compare_request *r = o->asked;
    o->run_std = o->run_std_runs = NAN;
    for (size_t i = 0; i < r->run_std.count; i++) {
        int code = take_run_std(o, r->run_std.items[i], error);
        if (code < 0)
            return code;
    }
    if (!isnan(o->run_std) && o->floors_given)
        return error_set(error, ERROR_USAGE,
                         "--run-std: one number for every metric, or a number for each; not both");
    if (r->run_std_runs_given && r->run_std.count == 0)
        return error_set(error, ERROR_USAGE, "--run-std-runs needs --run-std");
    if (r->run_std_runs_given)
        o->run_std_runs = (double)r->run_std_runs;
    return 0;
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

static bool open_unit(double x)
{
    return x > 0.0 && x < 1.0;
}

static int check_numbers(const struct compare_request *r, struct error *error)
{
    if (!open_unit(r->alpha) || 1.0 - r->alpha / 2.0 == 1.0 || !open_unit(r->power))
        return error_set(error, ERROR_USAGE,
                         "--alpha %g, --power %g: each lies between 0 and 1, both left out",
                         r->alpha, r->power);
    if (r->level_given && !open_unit(r->level))
        return error_set(error, ERROR_USAGE, "--level must lie between 0 and 1, both left out");
    if (r->level_given && r->alpha_given)
        return error_set(error, ERROR_USAGE, "--level is 1 less --alpha: give one of them");
    if (r->level_given && !r->metric)
        return error_set(error, ERROR_USAGE,
                         "--level goes with --metric; the report takes --alpha %g", 1.0 - r->level);
    return 0;
}

/* What the comparison of one metric has no use for. */
static int check_one(const struct compare_request *r, struct error *error)
{
    bool more = r->target || r->proxy || r->by || r->guards.count || r->lower.count ||
                r->markers.count || r->run_std.count || r->trained[BEFORE].count ||
                r->trained[AFTER].count || (r->adjust && *r->adjust != 'n');
    if (r->metric && more)
        return error_set(error, ERROR_USAGE,
                         "--metric compares one number; target, guards, directions, floors, slices "
                         "and training seeds belong to the report without it");
    return 0;
}

static int read_names(struct compare_options *o, struct error *error)
{
    const struct compare_request *r = o->asked;
    o->target = r->target ? canonical(o, span_text(r->target)) : (struct span){NULL, 0};
    o->proxy = r->proxy ? canonical(o, span_text(r->proxy)) : (struct span){NULL, 0};
    o->only = r->metric ? canonical(o, span_text(r->metric)) : (struct span){NULL, 0};
    o->markers_given = r->markers.count > 0;
    int code = each_name(o, "must-not-regress", &r->guards, take_guard, error);
    if (code == 0)
        code = each_name(o, "lower-is-better", &r->lower, take_lower, error);
    if (code == 0 && !(r->markers.count == 1 && r->markers.items[0][0] == '\0'))
        code = each_name(o, "markers", &r->markers, take_marker, error);
    if (code == 0)
        code = each_name(o, "fail-on", &r->fail_on, take_fail_on, error);
    unsigned of_one = 1u << FAIL_WRONG_WAY | 1u << FAIL_NO_GAIN | 1u << FAIL_INSUFFICIENT;
    if (code == 0 && r->metric && o->fail_on & ~of_one)
        code = error_set(error, ERROR_USAGE,
                         "--metric knows --fail-on wrong-way, no-gain and insufficient only");
    return code;
}

static int check_gate_names(const struct option_list *list, struct error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        struct span metric;
        double limit;
        int code = gate_read(list->items[i], &metric, &limit, error);
        if (code == 0)
            code = passat_metric_check(metric, false, error);
        if (code < 0)
            return code;
    }
    return 0;
}

int compare_options_read(const struct compare_request *request, struct compare_options *o,
                         struct error *error)
{
    *o = (struct compare_options){.asked = request};
    int code = check_numbers(request, error);
    if (code == 0)
        code = check_one(request, error);
    if (code == 0 && request->by && request->no_by)
        code = error_set(error, ERROR_USAGE, "--by and --no-by are both given");
    if (code == 0)
        code = seed_read(request->seed, &o->seed, error);
    if (code == 0)
        code = read_names(o, error);
    if (code == 0)
        code = read_floors(o, error);
    if (code == 0)
        code = check_gate_names(&request->gates.fail_under, error);
    if (code == 0)
        code = check_gate_names(&request->gates.fail_over, error);
    if (code == 0)
        code = key_lists_read(&request->keys, &o->key_lists, &o->facts, error);
    char interval = request->interval ? *request->interval : 'p';
    o->interval = interval == 't'   ? INTERVAL_T
                  : interval == 'b' ? INTERVAL_BCA
                                    : INTERVAL_PERCENTILE;
    o->scheme = request->scheme ? boot_scheme_named(request->scheme) : BOOT_AUTO;
    o->holm = request->adjust && strcmp(request->adjust, "holm") == 0;
    o->level = request->level_given ? request->level : 1.0 - request->alpha;
    buf_cstr(&o->seed);
    return code;
}

void compare_options_free(struct compare_options *o)
{
    free(o->guards);
    free(o->lower);
    free(o->markers);
    free(o->floors);
    buf_free(&o->seed);
    key_lists_free(&o->key_lists);
    arena_free(&o->arena);
    *o = (struct compare_options){0};
}

void compare_seed(const struct compare_options *o, uint64_t offset, struct span name,
                  struct rng *rng)
{
    if (!o->asked->seed_by_name) {
        seed_start(o->seed.data, offset, rng);
        return;
    }
    struct buf text = {0};
    buf_span_add(&text, buf_span(&o->seed));
    buf_byte(&text, ':');
    buf_span_add(&text, name);
    rng_seed_text(rng, buf_span(&text));
    buf_free(&text);
}
