/* plan.c: see plan.h. */
#include "scene/plan.h"

#include <stdlib.h>

#include "base/map.h"
#include "text/number.h"
#include "json/write.h"

void plan_pairs(const struct grid *grid, struct pairs *planned)
{
    pairs_open(planned, grid->n_values);
    for (size_t i = 0; i < grid->count; i++)
        pairs_add_cell(planned, &grid->cells[i]);
}

void plan_write_cell(const struct cell *cell, struct buf *out)
{
    struct json_writer w;
    struct buf assignment = {0};
    cell_write(cell, &assignment);
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "id");
    json_write_text(&w, cell->id);
    json_write_key(&w, "assignment");
    json_write_raw(&w, buf_span(&assignment));
    json_write_key(&w, "weight");
    json_write_real(&w, cell->weight);
    json_write_key(&w, "risk");
    json_write_real(&w, cell->risk);
    json_write_key(&w, "tier");
    json_write_text(&w, tier_name(cell->tier));
    json_write_end_object(&w);
    buf_free(&assignment);
}

void plan_write_pairwise(const struct pairs *planned, const struct pairs *covered,
                         struct json_writer *w)
{
    json_write_object(w);
    json_write_key(w, "pairs_planned");
    json_write_int(w, (int64_t)planned->count);
    json_write_key(w, "pairs_covered");
    json_write_int(w, (int64_t)covered->count);
    json_write_key(w, "fraction");
    if (planned->count)
        json_write_real(w, number_round((double)covered->count / (double)planned->count, 4));
    else
        json_write_null(w);
    json_write_end_object(w);
}

static void write_topology(const struct topology *t, struct json_writer *w)
{
    json_write_key(w, "topology");
    json_write_object(w);
    json_write_key(w, "mode");
    json_write_text(w, run_mode_name(t->mode));
    json_write_key(w, "repeat_policy");
    json_write_text(w, repeat_policy_name(t->policy));
    json_write_key(w, "n_req");
    json_write_int(w, t->phrasings);
    json_write_key(w, "k");
    json_write_int(w, t->repeats);
    json_write_key(w, "unique_situations");
    json_write_bool(w, t->unique);
    json_write_key(w, "k_immediate");
    json_write_bool(w, t->immediate);
    json_write_key(w, "probe");
    json_write_int(w, t->probe);
    json_write_key(w, "first_batch");
    json_write_int(w, topology_first_batch(t));
    json_write_end_object(w);
}

static void write_dimensions(const struct grid *g, struct json_writer *w)
{
    json_write_key(w, "dimensions");
    json_write_object(w);
    for (int a = 0; a < AXIS_COUNT; a++) {
        json_write_key(w, axis_name((enum axis)a));
        json_write_array(w);
        for (size_t i = 0; i < g->axes[a].count; i++)
            json_write_span(w, g->axes[a].items[i]);
        json_write_end_array(w);
    }
    json_write_end_object(w);
}

static void write_counts(const struct map *names, const int64_t *counts, const char *key,
                         struct json_writer *w)
{
    json_write_key(w, key);
    json_write_object(w);
    for (size_t i = 0; i < names->count; i++) {
        json_write_key_span(w, names->keys[i]);
        json_write_int(w, counts[i]);
    }
    json_write_end_object(w);
}

static struct span condition_of(const struct cell *cell, char *scratch)
{
    (void)scratch;
    return cell->value[AXIS_CONDITION];
}

static struct span tier_text(const struct cell *cell, char *scratch)
{
    (void)scratch;
    return span_text(tier_name(cell->tier));
}

static struct span risk_text(const struct cell *cell, char *scratch)
{
    return span_make(scratch, number_text(cell->risk, scratch));
}

static void count_cells(const struct grid *g, struct span (*text)(const struct cell *, char *),
                        const char *key, struct json_writer *w)
{
    struct map names = {0};
    int64_t *counts = mem_zero(g->count + 1, sizeof *counts);
    char scratch[NUMBER_TEXT_MAX];
    for (size_t i = 0; i < g->count; i++)
        counts[map_add(&names, text(&g->cells[i], scratch), NULL)]++;
    write_counts(&names, counts, key, w);
    map_free(&names);
    free(counts);
}

static void write_aim(const struct plan_view *view, struct json_writer *w)
{
    const struct aim *aim = view->aim;
    json_write_key(w, "strategy");
    json_write_text(w, strategy_name(aim->strategy));
    json_write_key(w, "failing_seeds");
    json_write_array(w);
    for (size_t i = 0; i < aim->n_asks; i++)
        json_write_span(w, aim->asks[i]);
    json_write_end_array(w);
    json_write_key(w, "faults_observed");
    traces_write_faults(&aim->traces, w);
    json_write_key(w, "tools_observed");
    traces_write_tools(&aim->traces, w);
    json_write_key(w, "behavior_state");
    json_write_object(w);
    regions_write_members(&aim->regions, w);
    json_write_end_object(w);
    json_write_key(w, "boosted_cells");
    json_write_int(w, (int64_t)aim_boosted(aim, view->grid));
}

void plan_write_report(const struct plan_view *view, struct buf *out)
{
    const struct grid *g = view->grid;
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "wai_report");
    json_write_text(&w, "wai-simulate plan");
    write_topology(view->topology, &w);
    json_write_key(&w, "budget");
    json_write_int(&w, view->budget);
    json_write_key(&w, "fault_rate");
    json_write_real(&w, view->topology->fault_rate);
    json_write_key(&w, "reproducible");
    json_write_bool(&w, !view->clocked);
    write_dimensions(g, &w);
    json_write_key(&w, "rules_total");
    json_write_int(&w, (int64_t)g->rules_total);
    json_write_key(&w, "cells");
    json_write_int(&w, (int64_t)g->count);
    json_write_key(&w, "pairs_planned");
    json_write_int(&w, (int64_t)view->planned->count);
    count_cells(g, condition_of, "condition_counts", &w);
    count_cells(g, tier_text, "tier_counts", &w);
    count_cells(g, risk_text, "risk_counts", &w);
    json_write_key(&w, "region_ids");
    json_write_array(&w);
    for (size_t i = 0; i < g->count; i++)
        json_write_text(&w, g->cells[i].id);
    json_write_end_array(&w);
    json_write_key(&w, "weights");
    json_write_array(&w);
    for (size_t i = 0; i < g->count; i++)
        json_write_real(&w, g->cells[i].weight);
    json_write_end_array(&w);
    if (view->aim)
        write_aim(view, &w);
    if (view->covered) {
        json_write_key(&w, "pairwise");
        plan_write_pairwise(view->planned, view->covered, &w);
    }
    json_write_end_object(&w);
}

int plan_cover(const struct grid *grid, const struct pairs *planned, const char *path,
               const struct row_options *options, struct pairs *covered, struct error *error)
{
    struct row_source source = {.paths = &path, .n_paths = 1, .options = *options};
    source.options.jobs = 1;
    struct row_reader *reader = row_reader_open(&source, error);
    struct row row;
    int got = reader ? 0 : error->code;
    pairs_open(covered, grid->n_values);
    while (got >= 0 && (got = row_reader_next(reader, &row, error)) > 0) {
        const struct json_value *dimensions = row_get(&row, SPAN("scenario_dimensions"));
        if (dimensions && dimensions->type == JSON_VALUE_OBJECT)
            pairs_add_row(covered, planned, grid, *dimensions);
    }
    int closed = reader ? row_reader_close(reader, got < 0 ? NULL : error) : 0;
    return got < 0 ? got : closed;
}

int plan_print(const struct plan_view *view, bool report, struct row_writer *writer,
               struct error *error)
{
    struct buf out = {0};
    int code = 0;
    if (report) {
        plan_write_report(view, &out);
        code = row_writer_line(writer, buf_span(&out), error);
    }
    for (size_t i = 0; i < view->grid->count && !code && !report; i++) {
        buf_clear(&out);
        plan_write_cell(&view->grid->cells[i], &out);
        code = row_writer_line(writer, buf_span(&out), error);
    }
    buf_free(&out);
    return code;
}
