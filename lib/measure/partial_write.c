/* partial_write.c: a passat as one mergeable JSON line (measure 12): tasks with their counts, or how
 * many tasks have each pair of tries and passes. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/partial_inside.h"

static void write_position(struct json_writer *w, struct position at)
{
    json_write_array(w);
    json_write_int(w, (int64_t)at.shard);
    json_write_int(w, (int64_t)at.row);
    json_write_end_array(w);
}

static void write_names(struct json_writer *w, const char *key, struct facts_keys names)
{
    json_write_key(w, key);
    json_write_array(w);
    for (size_t i = 0; i < names.count; i++)
        json_write_text(w, names.names[i]);
    json_write_end_array(w);
}

static int by_span(const void *left, const void *right, void *context)
{
    const struct span *keys = context;
    return span_compare(keys[*(const size_t *)left], keys[*(const size_t *)right]);
}

/* 0 … n-1 in the order of the keys. */
static size_t *sorted_order(const struct span *keys, size_t n)
{
    size_t *order = mem_zero(n, sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof *order, by_span, (void *)keys);
    return order;
}

static void write_label_cell(struct json_writer *w, const struct cell *cell)
{
    json_write_array(w);
    json_write_int(w, (int64_t)cell->n);
    json_write_int(w, (int64_t)cell->sum);
    write_position(w, cell->first);
    json_write_end_array(w);
}

static void write_marker_cell(struct json_writer *w, const struct cell *cell)
{
    json_write_array(w);
    json_write_real(w, cell->sum);
    json_write_int(w, (int64_t)cell->n);
    write_position(w, cell->first);
    json_write_end_array(w);
}

/* Tasks in the order of their keys; a marker's task that spans shards is a list of its pieces. */
static void write_cells(struct json_writer *w, const struct passat *p, const struct cells *cells,
                        bool labels)
{
    struct cell *pieces = cells_pieces(cells);
    struct span *keys = mem_zero(cells->count, sizeof *keys);
    size_t *starts = mem_zero(cells->count + 1, sizeof *starts);
    size_t n = 0;
    for (size_t i = 0; i < cells->count; i++) {
        if (i && pieces[i].task == pieces[i - 1].task)
            continue;
        keys[n] = p->tasks.keys[pieces[i].task];
        starts[n++] = i;
    }
    starts[n] = cells->count;
    size_t *order = sorted_order(keys, n);
    json_write_key(w, "tasks");
    json_write_object(w);
    for (size_t i = 0; i < n; i++) {
        size_t from = starts[order[i]], to = starts[order[i] + 1];
        json_write_key_span(w, keys[order[i]]);
        if (labels) {
            write_label_cell(w, &pieces[from]);
            continue;
        }
        if (to - from > 1)
            json_write_array(w);
        for (size_t j = from; j < to; j++)
            write_marker_cell(w, &pieces[j]);
        if (to - from > 1)
            json_write_end_array(w);
    }
    json_write_end_object(w);
    free(order);
    free(starts);
    free(keys);
    free(pieces);
}

static void write_hist(struct json_writer *w, const struct passat *p)
{
    json_write_key(w, "hist");
    json_write_array(w);
    for (size_t i = 0; i < p->n_hist; i++) {
        json_write_array(w);
        json_write_int(w, (int64_t)p->hist[i].n);
        json_write_int(w, (int64_t)p->hist[i].c);
        json_write_int(w, (int64_t)p->hist[i].tasks);
        json_write_end_array(w);
    }
    json_write_end_array(w);
}

/* 128 bits are more than a JSON reader keeps: decimal text. */
static void write_wide(struct json_writer *w, __int128 number)
{
    char text[PARTIAL_WIDE + 1], *at = text + PARTIAL_WIDE;
    unsigned __int128 size = number < 0 ? -(unsigned __int128)number : (unsigned __int128)number;
    *at = '\0';
    do {
        *--at = (char)('0' + (int)(size % 10));
        size /= 10;
    } while (size);
    if (number < 0)
        *--at = '-';
    json_write_text(w, at);
}

static void write_sketch(struct json_writer *w, const struct boot_sketch *sketch)
{
    char key[PARTIAL_KEY + 1];
    snprintf(key, sizeof key, "%016llx", (unsigned long long)sketch->key);
    json_write_key(w, "sketch");
    json_write_object(w);
    json_write_count(w, "b", (uint64_t)sketch->draws);
    json_write_key(w, "seed");
    json_write_text(w, key);
    json_write_count(w, "scale", BOOT_SKETCH_BITS);
    json_write_count(w, "n", sketch->n);
    json_write_key(w, "sum");
    write_wide(w, sketch->total);
    json_write_key(w, "w");
    json_write_array(w);
    for (int64_t r = 0; r < sketch->draws; r++)
        json_write_int(w, (int64_t)sketch->weights[r]);
    json_write_end_array(w);
    json_write_key(w, "s");
    json_write_array(w);
    for (int64_t r = 0; r < sketch->draws; r++)
        write_wide(w, sketch->sums[r]);
    json_write_end_array(w);
    json_write_end_object(w);
}

static void write_markers(struct json_writer *w, const struct passat *p)
{
    size_t n = p->marker_names.count;
    size_t *order = sorted_order(p->marker_names.keys, n);
    if (p->keep_markers) {
        json_write_key(w, "marker_names");
        if (p->listed_markers) {
            json_write_array(w);
            for (size_t i = 0; i < n; i++)
                json_write_span(w, p->marker_names.keys[order[i]]);
            json_write_end_array(w);
        } else {
            json_write_text(w, "all");
        }
    }
    json_write_key(w, "markers");
    json_write_object(w);
    for (size_t i = 0; i < n; i++) {
        const struct marker_cells *m = &p->markers[order[i]];
        json_write_key_span(w, p->marker_names.keys[order[i]]);
        json_write_object(w);
        if (m->sketch)
            write_sketch(w, m->sketch);
        else if (!p->by_hist)
            write_cells(w, p, &m->cells, false);
        json_write_count(w, "rows", m->n_rows);
        json_write_count(w, "at_1", m->n_at_1);
        json_write_count(w, "at_0", m->n_at_0);
        json_write_count(w, "n_nonfinite", m->n_nonfinite);
        json_write_key(w, "min");
        json_write_real(w, m->least);
        json_write_key(w, "max");
        json_write_real(w, m->most);
        json_write_end_object(w);
    }
    json_write_end_object(w);
    free(order);
}

static void write_judge(struct json_writer *w, const struct passat *p)
{
    json_write_key(w, "judge");
    json_write_object(w);
    json_write_count(w, "n", p->n_judged);
    json_write_count(w, "failed", p->n_judge_failed);
    json_write_key(w, "statuses");
    json_write_array(w);
    for (size_t i = 0; i < p->n_statuses; i++)
        json_write_span(w, p->statuses[i]);
    json_write_end_array(w);
    json_write_key(w, "reason");
    if (p->reason.ptr) {
        json_write_array(w);
        write_position(w, p->reason_at);
        json_write_span(w, p->reason);
        json_write_end_array(w);
    } else {
        json_write_null(w);
    }
    json_write_end_object(w);
}

static void write_config(struct json_writer *w, const struct passat *p)
{
    json_write_key(w, "config");
    json_write_object(w);
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting_values *values = &p->settings[i];
        if (values->count == 0)
            continue;
        json_write_key(w, SETTING_NAMES[i]);
        json_write_array(w);
        for (size_t v = 0; v < values->count; v++) {
            json_write_array(w);
            json_write_raw(w, values->items[v].json);
            write_position(w, values->items[v].first);
            json_write_end_array(w);
        }
        json_write_end_array(w);
    }
    json_write_end_object(w);
    json_write_key(w, "config_more");
    json_write_array(w);
    for (size_t i = 0; i < SETTINGS; i++)
        if (p->settings[i].more)
            json_write_text(w, SETTING_NAMES[i]);
    json_write_end_array(w);
}

void partial_write_keys(struct json_writer *w, const struct passat_keys *keys)
{
    json_write_key(w, "keys");
    json_write_object(w);
    write_names(w, "reward", keys->reward);
    write_names(w, "task", keys->task);
    if (keys->bool_rewards) {
        json_write_key(w, "bool_rewards");
        json_write_bool(w, true);
    }
    if (keys->hashed) {
        json_write_key(w, "hashed");
        json_write_bool(w, true);
    }
    json_write_end_object(w);
}

void passat_partial_write(const struct passat *p, const struct passat_keys *keys, struct buf *out)
{
    struct json_writer writer, *w = &writer;
    json_write_start(w, out, JSON_STYLE_COMPACT);
    json_write_object(w);
    json_write_count(w, "wai_partial", 1);
    json_write_key(w, "kind");
    json_write_text(w, "passat");
    json_write_key(w, "by");
    json_write_text(w, p->by_hist ? "hist" : "task");
    partial_write_keys(w, keys);
    json_write_key(w, "shards");
    json_write_array(w);
    for (size_t i = 0; i < p->n_shards; i++)
        json_write_int(w, (int64_t)p->shards[i]);
    json_write_end_array(w);
    json_write_count(w, "rows", p->n_input);
    json_write_count(w, "bad_rows", p->n_bad);
    json_write_count(w, "n_partial", p->n_partial);
    json_write_count(w, "n_boolean", p->n_boolean);
    json_write_count(w, "n_fallback", p->n_fallback);
    json_write_count(w, "n_graded", p->n_graded);
    json_write_key(w, "reward_min");
    json_write_real(w, p->reward_least);
    json_write_key(w, "reward_max");
    json_write_real(w, p->reward_most);
    if (p->by_hist)
        write_hist(w, p);
    else
        write_cells(w, p, &p->labels, true);
    write_judge(w, p);
    json_write_key(w, "finish");
    json_write_object(w);
    json_write_count(w, "n", p->n_finish);
    json_write_count(w, "length", p->n_cut);
    json_write_end_object(w);
    json_write_key(w, "replies");
    json_write_object(w);
    json_write_count(w, "n", p->n_replies);
    json_write_count(w, "answered", p->n_answered);
    json_write_count(w, "unclosed", p->n_unclosed);
    json_write_end_object(w);
    write_config(w, p);
    write_markers(w, p);
    json_write_end_object(w);
}
