/* runs.c: see runs.h. One reader goes over all operands, so that bad lines go to one place. */
#include "measure/runs.h"

#include <stdlib.h>

#include "measure/passat.h"

static const struct span MARKER = {"marker:", sizeof "marker:" - 1};

/* ---- which run a row is of ----------------------------------------------------------------------
 */

const struct json_value *row_lineage(const struct row *row, const char *key,
                                     struct json_value *found)
{
    const struct json_value *lineage = row_get(row, SPAN("lineage"));
    if (!lineage || lineage->type != JSON_VALUE_OBJECT ||
        !json_get(*lineage, span_text(key), found) || json_value_null(*found))
        return NULL;
    return found;
}

bool row_run_key(const struct row *row, const char *key, struct buf *scratch, struct span *label)
{
    struct json_value found;
    const struct json_value *value = row_get_set(row, span_text(key));
    if (!value)
        value = row_lineage(row, key, &found);
    if (!value)
        return false;
    *label = value_text(*value, scratch);
    return label->len > 0;
}

/* The run's text; false: the row is in none. An empty stamp is a run, an empty key is not. */
static bool run_named(const struct row *row, const struct runs_input *input, struct buf *scratch,
                      struct span *label)
{
    struct json_value found;
    const struct json_value *value;
    if (input->split == RUNS_BY_KEY)
        return row_run_key(row, input->by, scratch, label);
    value = row_lineage(row, "eval_run", &found);
    if (!value) {
        value = row_lineage(row, "scoring_run_id", &found);
        if (!value || !json_truthy(*value))
            return false;
    }
    *label = value_text(*value, scratch);
    return true;
}

static struct passat *run_of(struct eval_runs *runs, struct span label,
                             const struct runs_input *input)
{
    bool fresh;
    size_t number = map_add(&runs->labels, label, &fresh);
    if (fresh) {
        struct passat_options keep = {.markers = input->markers};
        runs->items = mem_grow(runs->items, &runs->cap, number + 1, sizeof *runs->items);
        runs->items[number].rows = passat_new(&keep);
        runs->count = number + 1;
    }
    return runs->items[number].rows;
}

/* ---- reading ------------------------------------------------------------------------------------
 */

struct reading {
    const struct runs_input *input;
    struct eval_runs *runs;
    struct facts_reader *facts;
    size_t operand; /* RUNS_BY_OPERAND: the one being read */
    struct buf scratch;
};

/* Runs that are there even when they hold no row. */
static void name_runs(struct reading *r)
{
    if (r->input->split == RUNS_TOGETHER)
        run_of(r->runs, SPAN("rows"), r->input);
    if (r->input->split != RUNS_BY_OPERAND)
        return;
    for (size_t i = 0; i < r->input->source.n_paths; i++) {
        buf_clear(&r->scratch);
        buf_format(&r->scratch, "run_%zu", i + 1);
        run_of(r->runs, buf_span(&r->scratch), r->input);
    }
}

/* A row's file is the pointer that the source has: the same name twice is two operands. */
static struct passat *place(struct reading *r, const struct row *row)
{
    struct span label;
    if (r->input->split == RUNS_TOGETHER)
        return r->runs->items[0].rows;
    if (r->input->split == RUNS_BY_OPERAND) {
        while (r->operand + 1 < r->runs->count && r->input->source.paths[r->operand] != row->file)
            r->operand++;
        return r->runs->items[r->operand].rows;
    }
    if (run_named(row, r->input, &r->scratch, &label))
        return run_of(r->runs, label, r->input);
    r->runs->n_without++;
    return NULL;
}

static int take(struct reading *r, const struct row *row, struct error *error)
{
    struct row_facts facts;
    facts_read(r->facts, row, &facts);
    if (facts.partial_summary || facts.report)
        return error_set(error, ERROR_INPUT, "%s:%llu: %s, not a row; give the rows it is of",
                         row->file, (unsigned long long)row->line_number,
                         facts.report ? "a report" : "a partial summary");
    struct reward_reading *reward = &facts.reward;
    r->runs->n_rows++;
    if (!r->input->facts.reward_keys && reward->label != ROW_LABEL_NONE && reward->label_key > 0) {
        r->runs->n_fallback++;
        reward->label = ROW_LABEL_NONE;
    }
    r->runs->n_boolean += reward->label == ROW_LABEL_NONE && reward->boolean;
    struct passat *rows = place(r, row);
    if (rows)
        passat_add(rows, &facts);
    return 0;
}

int eval_runs_read(const struct runs_input *input, struct eval_runs *runs, struct error *error)
{
    *runs = (struct eval_runs){0};
    struct row_reader *reader = row_reader_open(&input->source, error);
    if (!reader)
        return error->code;
    struct reading r = {.input = input, .runs = runs, .facts = facts_open(&input->facts)};
    name_runs(&r);
    struct row row;
    int code;
    while ((code = row_reader_next(reader, &row, error)) > 0)
        if ((code = take(&r, &row, error)) < 0)
            break;
    runs->n_bad = row_reader_counts(reader).bad;
    int closed = row_reader_close(reader, code < 0 ? NULL : error);
    for (size_t i = 0; i < runs->count; i++)
        runs->items[i].label = runs->labels.keys[i];
    facts_close(r.facts);
    buf_free(&r.scratch);
    return code < 0 ? code : closed;
}

void eval_runs_free(struct eval_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        passat_free(runs->items[i].rows);
    free(runs->items);
    map_free(&runs->labels);
    *runs = (struct eval_runs){0};
}

void eval_runs_warn(const struct eval_runs *runs, struct notes *warnings)
{
    if (runs->n_bad)
        notes_add(warnings, "bad_lines", "%llu bad lines were left out",
                  (unsigned long long)runs->n_bad);
    if (runs->n_boolean)
        notes_add(warnings, "boolean_rewards",
                  "%llu rows have true or false for a reward, which is not counted; --bool-rewards "
                  "reads them as 1 and 0",
                  (unsigned long long)runs->n_boolean);
    if (runs->n_fallback)
        notes_add(warnings, "fallback_rewards",
                  "%llu rows have their verdict in qwen_reward alone, which is not read here; "
                  "--reward-key reward,qwen_reward reads it as wai-passat does",
                  (unsigned long long)runs->n_fallback);
}

/* ---- tasks --------------------------------------------------------------------------------------
 */

struct task_rate *passat_tasks(const struct passat *p, struct span metric, size_t *count)
{
    const struct cells *cells = &p->labels;
    *count = 0;
    if (span_starts(metric, MARKER)) {
        size_t number = map_find(&p->marker_names, span_slice(metric, MARKER.len, metric.len));
        if (number == MAP_NONE)
            return NULL;
        cells = &p->markers[number].cells;
    }
    size_t n_split;
    struct cell *groups = cells_groups(cells, p->tasks.keys, count, &n_split);
    struct task_rate *tasks = mem_zero(*count, sizeof *tasks);
    for (size_t i = 0; i < *count; i++)
        tasks[i] = (struct task_rate){p->tasks.keys[groups[i].task], groups[i].n, groups[i].sum,
                                      groups[i].sum / (double)groups[i].n};
    free(groups);
    return tasks;
}

void metric_name(const char *typed, struct buf *out)
{
    if (strcmp(typed, "pass_at_1") != 0 && !span_starts(span_text(typed), MARKER))
        buf_span_add(out, MARKER);
    buf_text(out, typed);
}
