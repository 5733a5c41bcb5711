/* passat.c: what is kept of the rows of a run: one pass, sums per task, how the rows were made
 * (measure 4.1 step 1, 4.2, 4.4), and joining what several shards kept (12). */
#include "measure/passat.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "text/fold.h"
#include "text/utf8.h"
#include "json/pyjson.h"

struct passat *passat_new(const struct passat_options *options)
{
    struct passat *p = mem_zero(1, sizeof *p);
    p->shard = options->shard;
    p->reward_least = p->reward_most = NAN;
    p->keep_markers = options->markers;
    for (size_t i = 0; i < options->n_marker_names; i++)
        passat_marker(p, span_text(options->marker_names[i]));
    p->listed_markers = options->marker_names != NULL;
    return p;
}

void passat_free(struct passat *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->marker_names.count; i++)
        marker_cells_free(&p->markers[i]);
    for (size_t i = 0; i < SETTINGS; i++)
        buf_free(&p->settings[i].last);
    free(p->hist);
    free(p->cluster_of);
    map_free(&p->cluster_names);
    free(p->markers);
    free(p->carried);
    free(p->shards);
    cells_free(&p->labels);
    map_free(&p->marker_names);
    map_free(&p->tasks);
    arena_free(&p->arena);
    buf_free(&p->scratch);
    free(p);
}

size_t passat_marker(struct passat *p, struct span name)
{
    bool fresh;
    size_t number = map_add(&p->marker_names, name, &fresh);
    if (fresh) {
        p->markers = mem_grow(p->markers, &p->cap_markers, number + 1, sizeof *p->markers);
        p->markers[number] = (struct marker_cells){.least = NAN, .most = NAN};
    }
    return number;
}

uint64_t passat_rows(const struct passat *p)
{
    return p->n_input;
}

void passat_add_bad(struct passat *p, uint64_t lines)
{
    p->n_bad += lines;
}

/* Place of a shard in the sorted list, or where it belongs. */
static size_t shard_place(const struct passat *p, uint64_t shard)
{
    size_t low = 0, high = p->n_shards;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->shards[middle] < shard)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool passat_shard_has(const struct passat *p, uint64_t shard)
{
    size_t at = shard_place(p, shard);
    return at < p->n_shards && p->shards[at] == shard;
}

bool passat_shard_add(struct passat *p, uint64_t shard)
{
    size_t at = shard_place(p, shard);
    if (at < p->n_shards && p->shards[at] == shard)
        return false;
    p->shards = mem_grow(p->shards, &p->cap_shards, p->n_shards + 1, sizeof *p->shards);
    memmove(p->shards + at + 1, p->shards + at, (p->n_shards - at) * sizeof *p->shards);
    p->shards[at] = shard;
    p->n_shards++;
    return true;
}

/* ---- settings -----------------------------------------------------------------------------------
 */

/* Equality is numeric among numbers and booleans: 1, 1.0 and true are one value (measure 4.2). */
bool setting_equal(const struct setting_value *a, const struct setting_value *b)
{
    if (a->numeric != b->numeric)
        return false;
    if (a->numeric && (a->number == b->number))
        return true;
    return span_equal(a->json, b->json);
}

struct setting_value setting_value_of(struct span json, struct position first)
{
    struct setting_value value = {.json = json, .first = first};
    struct json_value scanned;
    struct json_fault fault;
    if (json_scan(json, &scanned, NULL, &fault) == 0) {
        value.numeric = scanned.type == JSON_VALUE_NUMBER || scanned.type == JSON_VALUE_TRUE ||
                        scanned.type == JSON_VALUE_FALSE;
        value.number = scanned.type == JSON_VALUE_NUMBER ? json_number(scanned)
                                                         : scanned.type == JSON_VALUE_TRUE;
    }
    return value;
}

void setting_add(struct passat *p, enum measure_setting setting, const struct setting_value *value)
{
    struct setting_values *values = &p->settings[setting];
    size_t at = 0;
    while (at < values->count && !setting_equal(&values->items[at], value))
        at++;
    struct setting_value item = *value;
    if (at < values->count) { /* seen: the earliest of both is shown */
        if (position_compare(value->first, values->items[at].first) >= 0)
            return;
        memmove(values->items + at, values->items + at + 1,
                (values->count - at - 1) * sizeof *values->items);
        values->count--;
    }
    size_t place = values->count;
    while (place > 0 && position_compare(item.first, values->items[place - 1].first) < 0)
        place--;
    if (values->count == MEASURE_VALUES_MAX) {
        values->more = true;
        if (place == MEASURE_VALUES_MAX)
            return;
        values->count--;
    }
    item.json = arena_span(&p->arena, item.json);
    memmove(values->items + place + 1, values->items + place,
            (values->count - place) * sizeof *values->items);
    values->items[place] = item;
    values->count++;
}

/* The canonical JSON text of a row's value, in scratch; false when it says nothing. */
static bool setting_json(const struct setting_fact *fact, struct buf *scratch, struct buf *json)
{
    struct json_value value = fact->value;
    if (fact->form == SETTING_AS_IS && value.type != JSON_VALUE_STRING) {
        if (value.type == JSON_VALUE_ARRAY || value.type == JSON_VALUE_OBJECT)
            json_pyjson(value, json);
        else if (value.flags & JSON_FLAG_NONFINITE)
            json_quote(json, value.text); /* JSON has no such number: its name */
        else
            buf_span_add(json, value.text);
        return true;
    }
    struct span text = value_text(value, scratch);
    if (fact->form == SETTING_SUFFIX) {
        const char *at = text.len ? memchr(text.ptr, '@', text.len) : NULL;
        if (!at)
            return false;
        text = span_slice(text, (size_t)(at - text.ptr) + 1, text.len);
    }
    json_quote(json, text);
    return true;
}

static void add_setting(struct passat *p, enum measure_setting setting,
                        const struct setting_fact *fact, struct position at)
{
    struct setting_values *values = &p->settings[setting];
    if (fact->form == SETTING_ABSENT)
        return;
    if (fact->form == values->last_form && span_equal(fact->value.text, buf_span(&values->last)))
        return;
    values->last_form = fact->form;
    buf_clear(&values->last);
    buf_span_add(&values->last, fact->value.text);
    struct buf json = {0};
    if (setting_json(fact, &p->scratch, &json)) {
        struct setting_value value = setting_value_of(buf_span(&json), at);
        setting_add(p, setting, &value);
    }
    buf_free(&json);
}

/* ---- judge --------------------------------------------------------------------------------------
 */

void passat_status_add(struct passat *p, struct span status)
{
    size_t at = 0;
    while (at < p->n_statuses && span_compare(p->statuses[at], status) < 0)
        at++;
    if (at == MEASURE_STATUSES_MAX || (at < p->n_statuses && span_equal(p->statuses[at], status)))
        return;
    if (p->n_statuses == MEASURE_STATUSES_MAX)
        p->n_statuses--;
    memmove(p->statuses + at + 1, p->statuses + at, (p->n_statuses - at) * sizeof *p->statuses);
    p->statuses[at] = arena_span(&p->arena, utf8_head(status, MEASURE_REASON_MAX));
    p->n_statuses++;
}

void passat_reason_add(struct passat *p, struct span reason, struct position at)
{
    if (p->reason.ptr && position_compare(p->reason_at, at) <= 0)
        return;
    p->reason = arena_span(&p->arena, utf8_head(text_strip(reason), MEASURE_REASON_MAX));
    p->reason_at = at;
}

static void add_judge(struct passat *p, const struct row_facts *facts, struct position at)
{
    if (facts->judge_status) {
        p->n_judged++;
        struct span status = value_text(*facts->judge_status, &p->scratch);
        if (!span_is(status, "ok")) {
            p->n_judge_failed++;
            passat_status_add(p, status);
        }
    }
    if (facts->reason && !p->reason.ptr)
        passat_reason_add(p, value_text(*facts->reason, &p->scratch), at);
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

static void add_marker(struct marker_cells *m, size_t task, double value, struct position at)
{
    if (!isfinite(value)) { /* it would poison the mean */
        m->n_nonfinite++;
        return;
    }
    m->n_rows++;
    m->n_at_1 += value == 1.0;
    m->n_at_0 += value == 0.0;
    m->least = fmin(m->least, value);
    m->most = fmax(m->most, value);
    cells_add(&m->cells, task, value, at);
}

/* Two steps, because the last member of a name wins: which markers the row has, then their values.
 */
static void add_markers(struct passat *p, const struct row_facts *facts, struct position at)
{
    struct json_cursor cursor = json_enter(*facts->markers);
    struct json_member member;
    size_t n_carried = 0;
    while (json_next_member(&cursor, &member)) {
        struct span name = json_key(&member, &p->scratch);
        size_t number =
            p->listed_markers ? map_find(&p->marker_names, name) : passat_marker(p, name);
        if (number == MAP_NONE)
            continue;
        struct marker_cells *m = &p->markers[number];
        if (m->row != p->n_input) {
            m->row = p->n_input;
            p->carried = mem_grow(p->carried, &p->cap_carried, n_carried + 1, sizeof *p->carried);
            p->carried[n_carried++] = number;
        }
        m->pending = member.value;
    }
    size_t task = MAP_NONE;
    for (size_t i = 0; i < n_carried; i++) {
        struct marker_cells *m = &p->markers[p->carried[i]];
        double value;
        if (!value_float(m->pending, &value))
            continue;
        if (task == MAP_NONE)
            task = map_add(&p->tasks, facts->task, NULL);
        add_marker(m, task, value, at);
    }
}

/* A task is of the cluster that its first row with a verdict names. */
static void add_cluster(struct passat *p, size_t task, struct span name)
{
    bool fresh_task = task >= p->labels.n_slots || !p->labels.slot[task];
    if (name.len == 0 && p->cap_cluster_of == 0)
        return;
    size_t had = p->cap_cluster_of;
    p->cluster_of = mem_grow(p->cluster_of, &p->cap_cluster_of, task + 1, sizeof *p->cluster_of);
    memset(p->cluster_of + had, 0, (p->cap_cluster_of - had) * sizeof *p->cluster_of);
    size_t number = name.len ? map_add(&p->cluster_names, name, NULL) + 1 : 0;
    if (fresh_task)
        p->cluster_of[task] = number;
    else
        p->n_astray += p->cluster_of[task] != number;
}

static void add_reward(struct passat *p, const struct row_facts *facts, struct position at)
{
    const struct reward_reading *reward = &facts->reward;
    if (reward->graded) {
        p->n_graded++;
        p->reward_least = fmin(p->reward_least, reward->value);
        p->reward_most = fmax(p->reward_most, reward->value);
    }
    if (reward->label != ROW_LABEL_NONE) {
        p->n_labelled++;
        p->n_fallback += reward->label_key > 0;
        size_t task = map_add(&p->tasks, facts->task, NULL);
        add_cluster(p, task, facts->cluster);
        cells_add(&p->labels, task, reward->label == ROW_LABEL_PASS, at);
    } else if (reward->partial) {
        p->n_partial++;
    } else if (reward->boolean) {
        p->n_boolean++;
    }
}

void passat_add(struct passat *p, const struct row_facts *facts)
{
    if (p->n_input == 0) {
        p->used = true;
        passat_shard_add(p, p->shard);
    }
    struct position at = {p->shard, p->n_input++};
    add_reward(p, facts, at);
    for (size_t i = 0; i < SETTINGS; i++)
        add_setting(p, i, &facts->settings[i], at);
    p->n_finish += facts->has_finish;
    p->n_cut += facts->cut;
    p->n_replies += facts->has_reply;
    p->n_answered += facts->answered;
    p->n_unclosed += facts->unclosed;
    if (facts->judge_status || facts->reason)
        add_judge(p, facts, at);
    if (p->keep_markers && facts->markers)
        add_markers(p, facts, at);
}

/* ---- joining ------------------------------------------------------------------------------------
 */

static void merge_cells(struct passat *into, struct cells *to, const struct passat *from,
                        const struct cells *cells, bool whole)
{
    to->joined = true;
    for (size_t i = 0; i < cells->count; i++) {
        struct cell piece = cells->items[i];
        piece.task = map_add(&into->tasks, from->tasks.keys[piece.task], NULL);
        cells_join(to, &piece, whole);
    }
}

static int merge_markers(struct passat *into, const struct passat *from, struct error *error)
{
    for (size_t i = 0; i < from->marker_names.count; i++) {
        const struct marker_cells *source = &from->markers[i];
        size_t number = passat_marker(into, from->marker_names.keys[i]);
        struct marker_cells *m = &into->markers[number];
        m->n_rows += source->n_rows;
        m->n_at_1 += source->n_at_1;
        m->n_at_0 += source->n_at_0;
        m->n_nonfinite += source->n_nonfinite;
        m->least = fmin(m->least, source->least);
        m->most = fmax(m->most, source->most);
        merge_cells(into, &m->cells, from, &source->cells, false);
        int code = passat_sketch_merge(m, source, error);
        if (code < 0)
            return code;
    }
    return 0;
}

static void merge_counts(struct passat *into, const struct passat *from)
{
    into->n_input += from->n_input;
    into->n_bad += from->n_bad;
    into->n_labelled += from->n_labelled;
    into->n_partial += from->n_partial;
    into->n_boolean += from->n_boolean;
    into->n_graded += from->n_graded;
    into->n_fallback += from->n_fallback;
    into->n_judged += from->n_judged;
    into->n_judge_failed += from->n_judge_failed;
    into->n_finish += from->n_finish;
    into->n_cut += from->n_cut;
    into->n_replies += from->n_replies;
    into->n_answered += from->n_answered;
    into->n_unclosed += from->n_unclosed;
    into->reward_least = fmin(into->reward_least, from->reward_least);
    into->reward_most = fmax(into->reward_most, from->reward_most);
}

/* Markers that only some shards kept would be measured on some of the rows. */
static int agree_on_markers(struct passat *into, const struct passat *from, struct error *error)
{
    if (!into->used) {
        into->used = true;
        into->keep_markers = from->keep_markers;
        into->listed_markers = from->listed_markers;
        for (size_t i = 0; i < from->marker_names.count; i++)
            passat_marker(into, from->marker_names.keys[i]);
    }
    bool same =
        into->keep_markers == from->keep_markers && into->listed_markers == from->listed_markers;
    if (same && into->listed_markers) {
        same = into->marker_names.count == from->marker_names.count;
        for (size_t i = 0; same && i < from->marker_names.count; i++)
            same = map_find(&into->marker_names, from->marker_names.keys[i]) != MAP_NONE;
    }
    if (same)
        return 0;
    return error_set(
        error, ERROR_INPUT,
        "the summaries kept different markers; write all of them with the same --markers");
}

int passat_merge(struct passat *into, const struct passat *from, bool repeat_shards,
                 struct error *error)
{
    if (!from->used && from->n_bad == 0)
        return 0;
    if (!into->used)
        into->by_hist = from->by_hist;
    if (into->by_hist != from->by_hist)
        return error_set(error, ERROR_INPUT,
                         "a summary by %s does not join one by %s; write all of them with the same "
                         "--partial-by",
                         from->by_hist ? "hist" : "task", into->by_hist ? "hist" : "task");
    int code = agree_on_markers(into, from, error);
    if (code < 0)
        return code;
    for (size_t i = 0; i < from->n_shards; i++)
        if (!passat_shard_add(into, from->shards[i]) && !repeat_shards)
            return error_set(error, ERROR_INPUT,
                             "shard %llu comes twice, so its rows would count twice; give each "
                             "worker its own --shard, or allow it with --allow-repeat-shards",
                             (unsigned long long)from->shards[i]);
    merge_counts(into, from);
    merge_cells(into, &into->labels, from, &from->labels, true);
    for (size_t i = 0; i < SETTINGS; i++) {
        for (size_t v = 0; v < from->settings[i].count; v++)
            setting_add(into, i, &from->settings[i].items[v]);
        into->settings[i].more |= from->settings[i].more;
    }
    for (size_t i = 0; i < from->n_statuses; i++)
        passat_status_add(into, from->statuses[i]);
    if (from->reason.ptr)
        passat_reason_add(into, from->reason, from->reason_at);
    passat_hist_merge(into, from);
    return merge_markers(into, from, error);
}

uint64_t passat_next_shard(const struct passat *p)
{
    return p->n_shards ? p->shards[p->n_shards - 1] + 1 : 0;
}
