/* compare_read.c: the rows of both sides, in one pass by one reader, so that bad lines go to one
 * place: sums per task for the whole side, for each run and each slice (measure 6.4, 6.8, 6.9), and
 * for each file of a training seed (6.6). Memory grows with the tasks, times markers, times runs.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "measure/compare.h"
#include "measure/passat.h"

static const char *const AUTOMATIC_SLICES[SLICE_KEYS_MAX] = {"category", "slice"};

struct reading {
    const struct compare_options *options;
    struct compare_rows *rows;
    struct row_source source;
    size_t operand;       /* the one being read */
    struct passat **seed; /* by operand: a training seed's rows; NULL: of a side */
    struct facts_reader *facts;
    struct passat_keys keys;
    struct drops *drops;                   /* NULL: none */
    struct passat_options whole, headline; /* all markers; the target's alone */
    const char *headline_marker;
    struct buf scratch;
};

/* ---- groups -------------------------------------------------------------------------------------
 */

static void group_add(struct row_groups *groups, struct span name, const struct row_facts *facts,
                      const struct passat_options *keep)
{
    bool fresh;
    size_t number = map_add(&groups->names, name, &fresh);
    if (fresh) {
        groups->rows = mem_grow(groups->rows, &groups->cap, number + 1, sizeof *groups->rows);
        groups->rows[number] = passat_new(keep);
    }
    passat_add(groups->rows[number], facts);
}

static void groups_free(struct row_groups *groups)
{
    for (size_t i = 0; i < groups->names.count; i++)
        passat_free(groups->rows[i]);
    free(groups->rows);
    map_free(&groups->names);
}

static bool slice_of(const struct row *row, const struct row_facts *facts, const char *key,
                     struct buf *scratch, struct span *slice)
{
    struct json_value marker;
    const struct json_value *value = row_get_set(row, span_text(key));
    if (!value && facts->markers && json_get(*facts->markers, span_text(key), &marker) &&
        !json_value_null(marker))
        value = &marker;
    if (!value)
        return false;
    *slice = value_text(*value, scratch);
    return slice->len > 0;
}

static void add_groups(struct reading *r, struct compare_side *side, const struct row *row,
                       const struct row_facts *all)
{
    struct row_facts facts = *all; /* how the rows were made is said of the side only */
    for (size_t i = 0; i < SETTINGS; i++)
        facts.settings[i].form = SETTING_ABSENT;
    struct json_value stamp;
    struct span text;
    const struct json_value *run = row_lineage(row, "eval_run", &stamp);
    if (run)
        group_add(&side->runs, value_text(*run, &r->scratch), &facts, &r->headline);
    if (row_run_key(row, "eval_run", &r->scratch, &text))
        group_add(&side->floors, text, &facts, &r->whole);
    for (size_t i = 0; i < r->rows->n_slice_keys; i++)
        if (slice_of(row, all, r->rows->slice_keys[i], &r->scratch, &text))
            group_add(&side->slices[i], text, &facts, &r->headline);
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

/* Without --reward-key the comparison reads the first key alone; what a later one says counts for
 * the report's tasks and k, as in wai-passat (15). */
static void read_binary(struct compare_side *side, struct row_facts *facts,
                        const struct compare_options *options)
{
    struct reward_reading *reward = &facts->reward;
    if (!options->facts.reward_keys && reward->label != ROW_LABEL_NONE && reward->label_key > 0) {
        side->n_fallback++;
        passat_add(side->fallback, facts);
        reward->label = ROW_LABEL_NONE;
    }
    side->n_boolean += reward->label == ROW_LABEL_NONE && reward->boolean;
}

static int take_partial(struct reading *r, struct compare_side *side, const struct row *row,
                        struct error *error)
{
    const struct compare_request *asked = r->options->asked;
    if (asked->balance || asked->by)
        return error_set(
            error, ERROR_INPUT, "%s:%llu: a partial summary has no rows, which %s needs", row->file,
            (unsigned long long)row->line_number, asked->by ? "--by" : "--balance-rollouts");
    struct passat *part = passat_partial_read(row->value, &r->keys, error);
    int code = part ? passat_merge(side->joined, part, false, error) : ERROR_INPUT;
    if (part)
        side->n_fallback += part->n_fallback;
    passat_free(part);
    if (code < 0)
        error_prefix(error, "%s:%llu", row->file, (unsigned long long)row->line_number);
    return code;
}

static int take(struct reading *r, const struct row *row, struct error *error)
{
    while (r->operand + 1 < r->source.n_paths && r->source.paths[r->operand] != row->file)
        r->operand++;
    bool trained = r->operand >= SIDES;
    struct compare_side *side =
        &r->rows
             ->sides[trained ? r->operand >= SIDES + r->rows->sides[BEFORE].n_trained : r->operand];
    struct row_facts facts;
    facts_read(r->facts, row, &facts);
    if (facts.partial_summary && !trained)
        return take_partial(r, side, row, error);
    if (facts.partial_summary || facts.report)
        return error_set(error, ERROR_INPUT, "%s:%llu: %s, not a row; give the rows it is of",
                         row->file, (unsigned long long)row->line_number,
                         facts.report ? "a report" : "a partial summary");
    if (!trained && r->drops && !drops_row(r->drops, (int)r->operand, facts.task))
        return 0;
    if (trained) {
        if (!r->options->facts.reward_keys && facts.reward.label_key > 0)
            facts.reward.label = ROW_LABEL_NONE;
        passat_add(r->seed[r->operand], &facts);
        return 0;
    }
    read_binary(side, &facts, r->options);
    passat_add(side->rows, &facts);
    add_groups(r, side, row, &facts);
    return 0;
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

/* Both operands, then the training seeds before, then those after. */
static const char **list_paths(struct reading *r)
{
    const struct compare_request *asked = r->options->asked;
    size_t n = SIDES;
    for (int i = 0; i < SIDES; i++)
        n += asked->trained[i].count;
    const char **paths = mem_zero(n, sizeof *paths);
    r->seed = mem_zero(n, sizeof *r->seed);
    for (int i = 0; i < SIDES; i++) { /* copies tell a file that is named twice apart from itself */
        const char *operand = i == BEFORE ? asked->before : asked->after;
        paths[i] = arena_text(&r->rows->arena, r->drops ? drops_path(r->drops, i) : operand);
    }
    n = SIDES;
    for (int i = 0; i < SIDES; i++) {
        struct compare_side *side = &r->rows->sides[i];
        side->n_trained = asked->trained[i].count;
        side->trained = mem_zero(side->n_trained, sizeof *side->trained);
        for (size_t j = 0; j < side->n_trained; j++) {
            r->seed[n] = side->trained[j] = passat_new(&r->headline);
            paths[n++] = arena_text(&r->rows->arena, asked->trained[i].items[j]);
        }
    }
    r->source = (struct row_source){.paths = paths, .n_paths = n, .options = asked->rows};
    return paths;
}

static void open_sides(struct reading *r)
{
    const struct compare_options *o = r->options;
    struct span prefix = SPAN("marker:"), headline = o->only.ptr ? o->only : o->target;
    r->whole =
        (struct passat_options){.markers = true, .shard = (uint64_t)r->options->asked->shard};
    r->headline = (struct passat_options){0};
    if (headline.ptr && span_starts(headline, prefix)) {
        r->headline_marker =
            arena_span(&r->rows->arena, span_slice(headline, prefix.len, headline.len)).ptr;
        r->headline.markers = true;
        r->headline.marker_names = &r->headline_marker;
        r->headline.n_marker_names = 1;
    }
    for (int i = 0; i < SIDES; i++) {
        struct compare_side *side = &r->rows->sides[i];
        side->rows = passat_new(&r->whole);
        side->fallback = passat_new(&(struct passat_options){0});
        side->joined = passat_new(&(struct passat_options){0});
    }
    if (o->asked->by)
        r->rows->slice_keys[r->rows->n_slice_keys++] = o->asked->by;
    else
        for (size_t i = 0; !o->asked->no_by && !o->only.ptr && i < SLICE_KEYS_MAX; i++)
            r->rows->slice_keys[r->rows->n_slice_keys++] = AUTOMATIC_SLICES[i];
}

/* Summaries and rows of a side become one. */
static int join(struct compare_side *side, const char *path, struct error *error)
{
    if (passat_rows(side->joined) == 0)
        return 0;
    int code = passat_merge(side->joined, side->rows, false, error);
    if (code < 0)
        return error_prefix(error, "%s: rows beside summaries", path);
    struct passat *rows = side->rows;
    side->rows = side->joined;
    side->joined = rows;
    return 0;
}

static int check_seeds(const struct reading *r, struct error *error)
{
    for (size_t i = SIDES; i < r->source.n_paths; i++)
        if (passat_rows(r->seed[i]) == 0)
            return error_set(error, ERROR_INPUT,
                             "%s: no rows of a training seed; give the seed's graded rows, or "
                             "leave the file out",
                             r->source.paths[i]);
    return 0;
}

static int read_all(struct reading *r, struct error *error)
{
    struct row_reader *reader = row_reader_open(&r->source, error);
    if (!reader)
        return error->code;
    struct row row;
    int code;
    while ((code = row_reader_next(reader, &row, error)) > 0)
        if ((code = take(r, &row, error)) < 0)
            break;
    r->rows->n_bad = row_reader_counts(reader).bad;
    int closed = row_reader_close(reader, code < 0 ? NULL : error);
    code = code < 0 ? code : closed;
    if (code == 0)
        code = check_seeds(r, error);
    for (int i = 0; code == 0 && i < SIDES; i++)
        code = join(&r->rows->sides[i], r->source.paths[i], error);
    return code;
}

int compare_read(const struct compare_options *options, struct compare_rows *rows,
                 struct error *error)
{
    *rows = (struct compare_rows){0};
    const struct compare_request *asked = options->asked;
    struct reading r = {.options = options, .rows = rows};
    if (strcmp(asked->before, "-") == 0 && strcmp(asked->after, "-") == 0)
        return error_set(error, ERROR_USAGE,
                         "both sides are standard input; give a file for one of them");
    open_sides(&r);
    rows->balancing.asked = asked->balance;
    int code = asked->balance ? drops_find(options, &r.drops, &rows->balancing, error) : 0;
    if (code == 0) {
        r.facts = facts_open(&options->facts);
        r.keys = (struct passat_keys){facts_reward_keys(r.facts), facts_task_keys(r.facts),
                                      options->facts.bool_rewards};
        const char **paths = list_paths(&r);
        code = read_all(&r, error);
        facts_close(r.facts);
        free(paths);
    }
    free(r.seed);
    buf_free(&r.scratch);
    drops_free(r.drops);
    return code;
}

void compare_rows_free(struct compare_rows *rows)
{
    for (int i = 0; i < SIDES; i++) {
        struct compare_side *side = &rows->sides[i];
        passat_free(side->rows);
        passat_free(side->fallback);
        passat_free(side->joined);
        groups_free(&side->runs);
        groups_free(&side->floors);
        for (size_t j = 0; j < SLICE_KEYS_MAX; j++)
            groups_free(&side->slices[j]);
        for (size_t j = 0; j < side->n_trained; j++)
            passat_free(side->trained[j]);
        free(side->trained);
    }
    arena_free(&rows->arena);
    *rows = (struct compare_rows){0};
}
