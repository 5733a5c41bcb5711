/* arm_pairs_write.c: counts of pairs as one mergeable JSON line, and such lines read again (measure 12).
 * A line is input like any other: one that cannot be true is refused, not summed. */
#include <stdlib.h>

#include "base/mem.h"
#include "measure/pairs.h"
#include "measure/passat.h"

enum { PARTS = 5 };

#define COUNT_MAX (UINT64_C(1) << 53) /* exact in every JSON reader */

/* ---- writing ------------------------------------------------------------------------------------
 */

enum list { LIST_PAIRS, LIST_ONLY_A, LIST_ONLY_B, LISTS };
static const char *const LIST_NAMES[LISTS] = {"pairs", "only_a", "only_b"};

static enum list list_of(const struct pair_cell *cell)
{
    return cell->na == 0 ? LIST_ONLY_B : cell->nb == 0 ? LIST_ONLY_A : LIST_PAIRS;
}

static void write_cell(struct json_writer *w, const struct pair_cell *cell)
{
    json_write_array(w);
    if (cell->na) {
        json_write_int(w, (int64_t)cell->na);
        json_write_int(w, (int64_t)cell->ca);
    }
    if (cell->nb) {
        json_write_int(w, (int64_t)cell->nb);
        json_write_int(w, (int64_t)cell->cb);
    }
    json_write_int(w, (int64_t)cell->tasks);
    json_write_end_array(w);
}

static void write_metric(struct json_writer *w, const struct pair_metric *m)
{
    json_write_object(w);
    for (enum list list = 0; list < LISTS; list++) {
        json_write_key(w, LIST_NAMES[list]);
        json_write_array(w);
        for (size_t i = 0; i < m->count; i++)
            if (list_of(&m->cells[i]) == list)
                write_cell(w, &m->cells[i]);
        json_write_end_array(w);
    }
    json_write_end_object(w);
}

void arm_pairs_write(struct arm_pairs *p, struct buf *out)
{
    struct json_writer writer, *w = &writer;
    struct buf side = {0};
    size_t *order = arm_pairs_order(p);
    json_write_start(w, out, JSON_STYLE_COMPACT);
    json_write_object(w);
    json_write_key(w, "wai_partial");
    json_write_int(w, 1);
    json_write_key(w, "kind");
    json_write_text(w, "pairs");
    json_write_key(w, "bad_rows");
    json_write_int(w, (int64_t)p->n_bad);
    json_write_key(w, "n_fallback");
    json_write_array(w);
    for (int i = 0; i < SIDES; i++)
        json_write_int(w, (int64_t)p->n_fallback[i]);
    json_write_end_array(w);
    for (int i = 0; i < SIDES; i++) {
        buf_clear(&side);
        passat_partial_write(p->sides[i], &p->keys, &side);
        json_write_key(w, SIDE_NAMES[i]);
        json_write_raw(w, buf_span(&side));
    }
    json_write_key(w, "metrics");
    json_write_object(w);
    for (size_t i = 0; i < p->names.count; i++) {
        if (p->metrics[order[i]].real)
            continue;
        json_write_key_span(w, p->names.keys[order[i]]);
        write_metric(w, &p->metrics[order[i]]);
    }
    json_write_end_object(w);
    json_write_key(w, "left_out");
    json_write_array(w);
    for (size_t i = 0; i < p->names.count; i++)
        if (p->metrics[order[i]].real)
            json_write_span(w, p->names.keys[order[i]]);
    json_write_end_array(w);
    json_write_end_object(w);
    buf_byte(out, '\n');
    buf_free(&side);
    free(order);
}

/* ---- reading ------------------------------------------------------------------------------------
 */

static int wrong(struct error *error, const char *where, const char *what)
{
    return error_set(error, ERROR_INPUT,
                     "the summary's \"%s\" %s; write it again with wai-compare --partial", where,
                     what);
}

static bool whole(struct json_value value, uint64_t most, uint64_t *out)
{
    int64_t count;
    if (value.type != JSON_VALUE_NUMBER || !json_int64(value, &count) || count < 0 ||
        (uint64_t)count > most)
        return false;
    *out = (uint64_t)count;
    return true;
}

/* A list of exactly n counts. */
static bool counts_of(struct json_value list, uint64_t *out, size_t n)
{
    struct json_cursor cursor = json_enter(list);
    struct json_value item;
    size_t count = 0;
    while (json_next_item(&cursor, &item))
        if (count == n || !whole(item, COUNT_MAX, &out[count++]))
            return false;
    return list.type == JSON_VALUE_ARRAY && count == n;
}

static bool possible(uint64_t n, uint64_t c)
{
    return n >= 1 && n <= MEASURE_TRIES_MAX && c <= n;
}

/* Adds the tries of a side; false: more than there are rows. */
static bool add_tries(uint64_t n, uint64_t tasks, uint64_t rows, uint64_t *sum)
{
    uint64_t tries;
    if (__builtin_mul_overflow(n, tasks, &tries) || tries > rows - *sum)
        return false;
    *sum += tries;
    return true;
}

static const char *read_cell(struct json_value item, enum list list, const uint64_t rows[SIDES],
                             uint64_t tries[SIDES], struct pair_cell *cell)
{
    uint64_t part[PARTS];
    size_t n = list == LIST_PAIRS ? PARTS : PARTS - 2;
    if (!counts_of(item, part, n))
        return "holds something else than lists of counts";
    *cell = (struct pair_cell){.tasks = part[n - 1]};
    if (list != LIST_ONLY_B) {
        cell->na = part[0];
        cell->ca = part[1];
    }
    if (list != LIST_ONLY_A) {
        cell->nb = part[n - 3];
        cell->cb = part[n - 2];
    }
    if (cell->tasks == 0 || (list != LIST_ONLY_B && !possible(cell->na, cell->ca)) ||
        (list != LIST_ONLY_A && !possible(cell->nb, cell->cb)))
        return "holds tasks with more passes than tries, without tries, or with over 2^24";
    if (!add_tries(cell->na, cell->tasks, rows[BEFORE], &tries[BEFORE]) ||
        !add_tries(cell->nb, cell->tasks, rows[AFTER], &tries[AFTER]))
        return "does not add up to the rows";
    return NULL;
}

static int read_metric(struct pair_metric *m, struct json_value object, bool verdicts,
                       struct passat *const sides[SIDES], struct error *error)
{
    uint64_t rows[SIDES], tries[SIDES] = {0};
    for (int i = 0; i < SIDES; i++)
        rows[i] = verdicts ? sides[i]->n_labelled : sides[i]->n_input;
    for (enum list list = 0; list < LISTS; list++) {
        struct json_value cells = {0}, item;
        if (!json_get(object, span_text(LIST_NAMES[list]), &cells) ||
            cells.type != JSON_VALUE_ARRAY)
            return wrong(error, LIST_NAMES[list], "is no list");
        struct json_cursor cursor = json_enter(cells);
        while (json_next_item(&cursor, &item)) {
            struct pair_cell cell;
            const char *what = read_cell(item, list, rows, tries, &cell);
            if (what)
                return wrong(error, LIST_NAMES[list], what);
            pair_metric_add(m, cell);
        }
    }
    if (verdicts && (tries[BEFORE] != rows[BEFORE] || tries[AFTER] != rows[AFTER]))
        return wrong(error, "pass_at_1", "does not add up to the rows with a verdict");
    return pair_metric_settle(m) ? 0 : wrong(error, "metrics", "counts over 2^53 tasks");
}

static bool is_metric(struct span name, bool marker)
{
    struct span prefix = SPAN("marker:");
    return (!marker && span_is(name, "pass_at_1")) ||
           (span_starts(name, prefix) && name.len > prefix.len);
}

static int read_metrics(struct arm_pairs *p, struct json_value object, struct error *error)
{
    struct json_value metrics = {0}, left_out = {0}, item;
    struct json_member member;
    struct buf scratch = {0};
    int code = 0;
    if (!json_get(object, SPAN("metrics"), &metrics) || metrics.type != JSON_VALUE_OBJECT)
        return wrong(error, "metrics", "is no object");
    if (!json_get(object, SPAN("left_out"), &left_out) || left_out.type != JSON_VALUE_ARRAY)
        return wrong(error, "left_out", "is no list");
    struct json_cursor cursor = json_enter(metrics);
    bool fresh = true, verdicts = false;
    while (code == 0 && json_next_member(&cursor, &member)) {
        struct span name = json_key(&member, &scratch);
        bool rate = span_is(name, "pass_at_1");
        verdicts |= rate;
        struct pair_metric *m = is_metric(name, false) ? arm_pairs_metric(p, name, &fresh) : NULL;
        if (!m || !fresh)
            code = wrong(error, "metrics", "names no metric, or one twice");
        else
            code = read_metric(m, member.value, rate, p->sides, error);
    }
    cursor = json_enter(left_out);
    while (code == 0 && json_next_item(&cursor, &item)) {
        struct span name = json_text(item, &scratch);
        if (item.type != JSON_VALUE_STRING || !is_metric(name, true))
            code = wrong(error, "left_out", "names no marker");
        else
            arm_pairs_metric(p, name, &fresh)->real = true;
        if (code == 0 && !fresh)
            code = wrong(error, "left_out", "names a marker twice");
    }
    if (code == 0 && !verdicts)
        code = wrong(error, "metrics", "lacks pass_at_1");
    buf_free(&scratch);
    return code;
}

static int read_side(struct arm_pairs *p, int side, struct json_value object, struct error *error)
{
    struct json_value value = {0};
    if (!json_get(object, span_text(SIDE_NAMES[side]), &value) || !passat_partial_is(value))
        return wrong(error, SIDE_NAMES[side], "is no summary");
    passat_free(p->sides[side]);
    p->sides[side] = passat_partial_read(value, &p->keys, error);
    if (!p->sides[side])
        return ERROR_INPUT;
    const struct passat *read = p->sides[side];
    if (!passat_by_hist(read) || read->keep_markers || read->marker_names.count)
        return wrong(error, SIDE_NAMES[side], "is by task or holds markers");
    return 0;
}

static int read_summary(struct arm_pairs *p, struct json_value object, struct error *error)
{
    struct json_value value = {0};
    struct buf scratch = {0};
    uint64_t version = 0, most = COUNT_MAX;
    int code = 0;
    if (!passat_partial_is(object))
        code = error_set(error, ERROR_INPUT,
                         "no summary of pairs; write one with wai-compare --partial BEFORE AFTER");
    json_get(object, SPAN("wai_partial"), &value);
    if (code == 0 && (!whole(value, most, &version) || version != 1))
        code = wrong(error, "wai_partial", "is not 1, the version that this program reads");
    value = (struct json_value){0};
    json_get(object, SPAN("kind"), &value);
    if (code == 0 &&
        (value.type != JSON_VALUE_STRING || !span_is(json_text(value, &scratch), "pairs")))
        code = wrong(error, "kind", "is not \"pairs\"");
    buf_free(&scratch);
    value = (struct json_value){0};
    json_get(object, SPAN("bad_rows"), &value);
    if (code == 0 && !whole(value, most, &p->n_bad))
        code = wrong(error, "bad_rows", "is no count");
    value = (struct json_value){0};
    json_get(object, SPAN("n_fallback"), &value);
    if (code == 0 && !counts_of(value, p->n_fallback, SIDES))
        code = wrong(error, "n_fallback", "is no pair of counts");
    for (int i = 0; code == 0 && i < SIDES; i++)
        code = read_side(p, i, object, error);
    return code == 0 ? read_metrics(p, object, error) : code;
}

/* ---- adding up ----------------------------------------------------------------------------------
 */

/* Are all sums still what a JSON reader keeps, and this reads again? */
static bool in_range(const struct arm_pairs *p)
{
    bool fits = p->n_bad <= COUNT_MAX;
    for (int i = 0; i < SIDES; i++)
        fits &= p->n_fallback[i] <= COUNT_MAX && p->sides[i]->n_input <= COUNT_MAX &&
                p->sides[i]->n_bad <= COUNT_MAX;
    return fits;
}

static int merge(struct arm_pairs *into, const struct arm_pairs *from, bool repeat_shards,
                 struct error *error)
{
    int code = 0;
    for (int i = 0; code == 0 && i < SIDES; i++) {
        code = passat_merge(into->sides[i], from->sides[i], repeat_shards, error);
        into->n_fallback[i] += from->n_fallback[i];
    }
    into->n_bad += from->n_bad;
    if (code == 0 && !in_range(into))
        code = error_set(error, ERROR_INPUT,
                         "the summaries count over 2^53 rows; they cannot be true");
    for (size_t i = 0; code == 0 && i < from->names.count; i++) {
        struct pair_metric *m = arm_pairs_metric(into, from->names.keys[i], NULL);
        for (size_t j = 0; j < from->metrics[i].count; j++)
            pair_metric_add(m, from->metrics[i].cells[j]);
        m->real |= from->metrics[i].real;
        if (m->real)
            m->count = 0;
        if (!pair_metric_settle(m))
            code = error_set(error, ERROR_INPUT,
                             "the summaries count over 2^53 tasks; they cannot be true");
    }
    return code;
}

int arm_pairs_add(struct arm_pairs *p, struct json_value object, bool repeat_shards,
                  struct error *error)
{
    struct arm_pairs from = {.keys = p->keys};
    int code = read_summary(&from, object, error);
    if (code == 0)
        code = merge(p, &from, repeat_shards, error);
    for (size_t i = 0; i < from.names.count; i++)
        free(from.metrics[i].cells);
    free(from.metrics);
    map_free(&from.names);
    for (int i = 0; i < SIDES; i++)
        passat_free(from.sides[i]);
    return code;
}

int arm_pairs_read(const struct compare_options *o, const char *const *paths, size_t n_paths,
                   struct arm_pairs *p, struct error *error)
{
    struct row_source source = {.paths = paths, .n_paths = n_paths, .options = o->asked->rows};
    struct row_reader *reader = row_reader_open(&source, error);
    if (!reader)
        return error->code;
    struct row row;
    int code;
    while ((code = row_reader_next(reader, &row, error)) > 0) {
        code = arm_pairs_add(p, row.value, o->asked->repeat_shards, error);
        if (code < 0) {
            error_prefix(error, "%s:%llu", row.file, (unsigned long long)row.line_number);
            break;
        }
    }
    p->n_bad += row_reader_counts(reader).bad;
    int closed = row_reader_close(reader, code < 0 ? NULL : error);
    return code < 0 ? code : closed;
}
