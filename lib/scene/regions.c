/* regions.c: behaviours of traces, by marker, fault or first tool: how often they fail, whether that
 * changes from one bucket of rows to the next, and what share of a run they should get. */
#include <math.h>
#include <stdlib.h>

#include "scene/defaults.h"
#include "scene/traces.h"
#include "text/number.h"
#include "json/write.h"

/* By status; rows 19.5. */
static const struct {
    const char *name;
    double weight;
} STATUS[] = {
    [REGION_NEW] = {"new", 1.0},
    [REGION_PERSISTENT] = {"persistent", 0.9},
    [REGION_UNCERTAIN] = {"uncertain", 0.35},
    [REGION_IMPROVING] = {"improving", 0.2},
    [REGION_SOLVED] = {"solved", 0.05},
    [REGION_PASSING] = {"passing", 0.05},
};

struct building {
    struct regions *r;
    const struct traces *traces;
    const struct trace **order; /* by time */
    size_t *bucket;             /* of each, in that order */
    struct map names;
};

static void read_order(struct building *b)
{
    size_t n = b->traces->count;
    b->order = mem_alloc((n + 1) * sizeof *b->order);
    for (size_t i = 0; i < n; i++)
        b->order[i] = &b->traces->items[i];
    if (!b->traces->dated)
        return;
    const struct trace **from = b->order, **to = mem_alloc((n + 1) * sizeof *to);
    for (size_t width = 1; width < n; width *= 2) { /* a merge sort: stable */
        for (size_t start = 0; start < n; start += 2 * width) {
            size_t middle = start + width < n ? start + width : n;
            size_t end = middle + width < n ? middle + width : n;
            size_t x = start, y = middle;
            for (size_t k = start; k < end; k++)
                to[k] =
                    x < middle && (y >= end || from[x]->ts <= from[y]->ts) ? from[x++] : from[y++];
        }
        const struct trace **swap = from;
        from = to;
        to = swap;
    }
    b->order = from;
    free(to);
}

static void make_buckets(struct building *b)
{
    size_t n = b->traces->count;
    struct regions *r = b->r;
    struct map versions = {0};
    for (size_t i = 0; i < n; i++)
        if (b->order[i]->version.len)
            map_add(&versions, b->order[i]->version, NULL);
    bool by_version = versions.count >= 2;
    r->n_buckets = by_version ? versions.count : 2;
    r->buckets = arena_alloc(&r->arena, r->n_buckets * sizeof *r->buckets);
    for (size_t i = 0; i < versions.count && by_version; i++)
        r->buckets[i] = arena_span(&r->arena, versions.keys[i]);
    if (!by_version) {
        r->buckets[0] = SPAN("old");
        r->buckets[1] = SPAN("recent");
    }
    b->bucket = mem_zero(n + 1, sizeof *b->bucket);
    size_t old = n / 2 ? n / 2 : 1;
    for (size_t i = 0; i < n; i++) {
        struct span version = b->order[i]->version;
        if (!by_version)
            b->bucket[i] = i >= old;
        else if (version.len)
            b->bucket[i] = map_find(&versions, version);
    }
    map_free(&versions);
}

static void add_recipe(struct region *region, const struct trace *trace)
{
    for (int i = 0; i < TRACE_AXES; i++)
        if (trace->value[i].len)
            map_add(&region->recipe[i], trace->value[i], NULL);
    for (size_t i = 0; i < trace->n_tools; i++)
        map_add(&region->recipe[0], trace->tools[i], NULL);
}

/* A row shows a behaviour. verdict: 1 failed, 0 passed, -1 unknown. */
typedef void membership(void *data, const struct trace *trace, size_t bucket, struct span name,
                        const char *kind, int verdict);

static void touch(void *data, const struct trace *trace, size_t bucket, struct span name,
                  const char *kind, int verdict)
{
    struct building *b = data;
    struct regions *r = b->r;
    bool fresh;
    size_t at = map_add(&b->names, name, &fresh);
    r->items = mem_grow(r->items, &r->cap, at + 1, sizeof *r->items);
    struct region *region = &r->items[at];
    if (fresh) {
        *region = (struct region){.name = arena_span(&r->arena, name), .kind = kind};
        region->first = region->last = bucket;
        region->buckets = arena_zero(&r->arena, r->n_buckets * sizeof *region->buckets);
        r->count++;
    }
    region->support++;
    region->first = bucket < region->first ? bucket : region->first;
    region->last = bucket > region->last ? bucket : region->last;
    region->graded += verdict >= 0;
    region->fails += verdict == 1;
    region->buckets[bucket].fails += verdict == 1;
    region->buckets[bucket].passes += verdict == 0;
    if (verdict == 1)
        add_recipe(region, trace);
}

static void visit(const struct trace *trace, size_t bucket, membership *each, void *data)
{
    struct buf name = {0};
    int verdict = trace->label == ROW_LABEL_NONE ? -1 : trace->label == ROW_LABEL_FAIL;
    for (size_t i = 0; i < trace->n_scores; i++)
        each(data, trace, bucket, trace->scores[i].name, "marker", trace->scores[i].failed);
    if (trace->fault.len) {
        buf_text(&name, "recover_after_");
        buf_span_add(&name, trace->fault);
        each(data, trace, bucket, buf_span(&name), "fault_response", verdict);
    } else if (!trace->n_scores && verdict >= 0) {
        buf_text(&name, "task:");
        buf_span_add(&name, trace->n_tools ? trace->tools[0] : SPAN("no-tool"));
        each(data, trace, bucket, buf_span(&name), "capability", verdict);
    }
    buf_free(&name);
}

static enum region_status status_of(const struct regions *r, const struct region *region)
{
    const struct region_bucket *last = &region->buckets[r->n_buckets - 1];
    int64_t before_fails = region->fails - last->fails;
    int64_t before_graded = region->graded - last->fails - last->passes;
    if (!before_fails && !last->fails)
        return REGION_PASSING;
    if (!before_graded || !before_fails)
        return REGION_NEW;
    if (last->fails)
        return REGION_PERSISTENT;
    if (last->passes)
        return region->targeted ? REGION_SOLVED : REGION_IMPROVING;
    return REGION_UNCERTAIN;
}

static void weigh(struct regions *r, struct region *region)
{
    double fails = (double)(region->fails < REGION_FAILS_FULL ? region->fails : REGION_FAILS_FULL);
    region->status = status_of(r, region);
    region->fail_rate = (double)(region->fails + 1) / (double)(region->graded + 2);
    double support = 0.5 + 0.5 * fails / REGION_FAILS_FULL;
    double rate = 0.25 + 0.75 * region->fail_rate;
    region->priority =
        number_round(STATUS[region->status].weight * (support < 1 ? support : 1) * rate, 4);
}

static void share(struct regions *r)
{
    double total = 0;
    for (size_t i = 0; i < r->count; i++)
        total += r->items[i].priority;
    for (size_t i = 0; i < r->count; i++)
        r->items[i].share = number_round(
            (1 - REGION_EXPLORATION) * r->items[i].priority / (total > 0 ? total : 1), 4);
    for (size_t i = 1; i < r->count; i++) { /* stable; a handful */
        struct region x = r->items[i];
        size_t at = i;
        for (; at > 0 && r->items[at - 1].share < x.share; at--)
            r->items[at] = r->items[at - 1];
        r->items[at] = x;
    }
    r->gain = REGION_GAIN;
    r->tool_weight = REGION_TOOL_WEIGHT;
    r->condition_weight = REGION_CONDITION_WEIGHT;
    r->exploration = r->traces ? number_round(REGION_EXPLORATION, 4) : 1;
}

void regions_build(struct regions *r, const struct traces *t, const struct span *targeted,
                   size_t n_targeted)
{
    struct building b = {.r = r, .traces = t};
    *r = (struct regions){.traces = t->count};
    read_order(&b);
    make_buckets(&b);
    for (size_t i = 0; i < t->count; i++)
        visit(b.order[i], b.bucket[i], touch, &b);
    for (size_t i = 0; i < r->count; i++) {
        for (size_t k = 0; k < n_targeted; k++)
            r->items[i].targeted |= span_equal(r->items[i].name, targeted[k]);
        weigh(r, &r->items[i]);
    }
    share(r);
    map_free(&b.names);
    free(b.order);
    free(b.bucket);
}

void regions_free(struct regions *r)
{
    for (size_t i = 0; i < r->count; i++)
        for (int a = 0; a < TRACE_AXES; a++)
            map_free(&r->items[i].recipe[a]);
    free(r->items);
    arena_free(&r->arena);
}

/* recipe[0] is the tool, recipe[1] the condition. */
double regions_boost(const struct regions *r, const struct cell *cell)
{
    double sum = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct region *region = &r->items[i];
        bool tool = map_find(&region->recipe[0], cell->value[AXIS_TOOL]) != MAP_NONE;
        bool condition = map_find(&region->recipe[1], cell->value[AXIS_CONDITION]) != MAP_NONE;
        sum += r->gain * region->share *
               ((tool ? r->tool_weight : 0) + (condition ? r->condition_weight : 0));
    }
    return 1 + sum;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_recipe(const struct region *region, struct json_writer *w)
{
    json_write_object(w);
    for (int a = 0; a < TRACE_AXES; a++) {
        if (!region->recipe[a].count)
            continue;
        json_write_key(w, axis_name(TRACE_AXIS[a]));
        json_write_array(w);
        for (size_t i = 0; i < region->recipe[a].count; i++)
            json_write_span(w, region->recipe[a].keys[i]);
        json_write_end_array(w);
    }
    json_write_end_object(w);
}

static void write_history(const struct regions *r, const struct region *region,
                          struct json_writer *w)
{
    json_write_array(w);
    for (size_t b = 0; b < r->n_buckets; b++) {
        int64_t n = region->buckets[b].fails + region->buckets[b].passes;
        if (!n)
            continue;
        json_write_object(w);
        json_write_key(w, "bucket");
        json_write_span(w, r->buckets[b]);
        json_write_key(w, "n");
        json_write_int(w, n);
        json_write_key(w, "fail_rate");
        json_write_real(w, number_round((double)region->buckets[b].fails / (double)n, 3));
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

static void write_flag(struct json_writer *w, const char *key, bool value)
{
    json_write_key(w, key);
    json_write_bool(w, value);
}

static void write_region(const struct regions *r, const struct region *region,
                         struct json_writer *w)
{
    json_write_object(w);
    json_write_key(w, "region");
    json_write_span(w, region->name);
    json_write_key(w, "kind");
    json_write_text(w, region->kind);
    json_write_key(w, "recipe");
    write_recipe(region, w);
    json_write_key(w, "support");
    json_write_int(w, region->support);
    json_write_key(w, "first_bucket");
    json_write_span(w, r->buckets[region->first]);
    json_write_key(w, "last_bucket");
    json_write_span(w, r->buckets[region->last]);
    json_write_key(w, "status");
    json_write_text(w, STATUS[region->status].name);
    json_write_key(w, "n_graded");
    json_write_int(w, region->graded);
    json_write_key(w, "fail_rate");
    json_write_real(w, number_round(region->fail_rate, 4));
    write_flag(w, "low_support", region->graded < REGION_SUPPORT_MIN);
    write_flag(w, "previously_targeted", region->targeted);
    write_flag(w, "rotate_coordinates", region->targeted && region->status == REGION_PERSISTENT);
    json_write_key(w, "history");
    write_history(r, region, w);
    json_write_key(w, "priority");
    json_write_real(w, region->priority);
    json_write_key(w, "budget_share");
    json_write_real(w, region->share);
    json_write_end_object(w);
}

struct tally {
    const struct regions *r;
    int64_t *n, *graded, *fails; /* by region */
};

static void count(void *data, const struct trace *trace, size_t bucket, struct span name,
                  const char *kind, int verdict)
{
    struct tally *t = data;
    (void)trace;
    (void)bucket;
    (void)kind;
    for (size_t i = 0; i < t->r->count; i++)
        if (span_equal(t->r->items[i].name, name)) {
            t->n[i]++;
            t->graded[i] += verdict >= 0;
            t->fails[i] += verdict == 1;
        }
}

static void write_rate(struct json_writer *w, const char *key, int64_t fails, int64_t graded)
{
    json_write_key(w, key);
    if (graded)
        json_write_real(w, number_round((double)fails / (double)graded, 3));
    else
        json_write_null(w);
}

void regions_write_progress(const struct regions *r, const struct traces *generated,
                            struct json_writer *w)
{
    int64_t *counts = mem_zero(3 * r->count + 1, sizeof *counts);
    struct tally t = {r, counts, counts + r->count, counts + 2 * r->count};
    for (size_t i = 0; i < generated->count; i++)
        visit(&generated->items[i], 0, count, &t);
    json_write_array(w);
    for (size_t i = 0; i < r->count; i++) {
        struct region_bucket last = {0};
        for (size_t b = 0; b < r->n_buckets; b++)
            if (r->items[i].buckets[b].fails + r->items[i].buckets[b].passes)
                last = r->items[i].buckets[b];
        json_write_object(w);
        json_write_key(w, "region");
        json_write_span(w, r->items[i].name);
        json_write_key(w, "status");
        json_write_text(w, STATUS[r->items[i].status].name);
        write_rate(w, "trace_fail_rate", last.fails, last.fails + last.passes);
        json_write_key(w, "generated_n");
        json_write_int(w, t.n[i]);
        write_rate(w, "generated_fail_rate", t.fails[i], t.graded[i]);
        json_write_end_object(w);
    }
    json_write_end_array(w);
    free(counts);
}

void regions_write_members(const struct regions *r, struct json_writer *w)
{
    json_write_key(w, "regions");
    json_write_array(w);
    for (size_t i = 0; i < r->count; i++)
        write_region(r, &r->items[i], w);
    json_write_end_array(w);
    json_write_key(w, "exploration_share");
    json_write_real(w, r->exploration);
    json_write_key(w, "traces");
    json_write_int(w, (int64_t)r->traces);
    json_write_key(w, "buckets");
    json_write_array(w);
    for (size_t i = 0; i < r->n_buckets; i++)
        json_write_span(w, r->buckets[i]);
    json_write_end_array(w);
}
