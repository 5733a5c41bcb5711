/* partial.c: a passat as one mergeable JSON line, and back (measure 12). What a line says is
 * checked as any input is: a summary that cannot be true is refused, not summed. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/passat.h"

#define COUNT_MAX 9007199254740992.0 /* 2^53: counts are exact in every JSON reader */

/* ---- writing ------------------------------------------------------------------------------------
 */

static void write_count(struct json_writer *w, const char *key, uint64_t count)
{
    json_write_key(w, key);
    json_write_int(w, (int64_t)count);
}

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
        write_cells(w, p, &m->cells, false);
        write_count(w, "rows", m->n_rows);
        write_count(w, "at_1", m->n_at_1);
        write_count(w, "at_0", m->n_at_0);
        write_count(w, "n_nonfinite", m->n_nonfinite);
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
    write_count(w, "n", p->n_judged);
    write_count(w, "failed", p->n_judge_failed);
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

static void write_keys(struct json_writer *w, const struct passat_keys *keys)
{
    json_write_key(w, "keys");
    json_write_object(w);
    write_names(w, "reward", keys->reward);
    write_names(w, "task", keys->task);
    if (keys->bool_rewards) {
        json_write_key(w, "bool_rewards");
        json_write_bool(w, true);
    }
    json_write_end_object(w);
}

void passat_partial_write(const struct passat *p, const struct passat_keys *keys, struct buf *out)
{
    struct json_writer writer, *w = &writer;
    json_write_start(w, out, JSON_STYLE_COMPACT);
    json_write_object(w);
    write_count(w, "wai_partial", 1);
    json_write_key(w, "kind");
    json_write_text(w, "passat");
    json_write_key(w, "by");
    json_write_text(w, "task");
    write_keys(w, keys);
    json_write_key(w, "shards");
    json_write_array(w);
    for (size_t i = 0; i < p->n_shards; i++)
        json_write_int(w, (int64_t)p->shards[i]);
    json_write_end_array(w);
    write_count(w, "rows", p->n_input);
    write_count(w, "bad_rows", p->n_bad);
    write_count(w, "n_partial", p->n_partial);
    write_count(w, "n_boolean", p->n_boolean);
    write_count(w, "n_fallback", p->n_fallback);
    write_count(w, "n_graded", p->n_graded);
    json_write_key(w, "reward_min");
    json_write_real(w, p->reward_least);
    json_write_key(w, "reward_max");
    json_write_real(w, p->reward_most);
    write_cells(w, p, &p->labels, true);
    write_judge(w, p);
    json_write_key(w, "finish");
    json_write_object(w);
    write_count(w, "n", p->n_finish);
    write_count(w, "length", p->n_cut);
    json_write_end_object(w);
    json_write_key(w, "replies");
    json_write_object(w);
    write_count(w, "n", p->n_replies);
    write_count(w, "answered", p->n_answered);
    write_count(w, "unclosed", p->n_unclosed);
    json_write_end_object(w);
    write_config(w, p);
    write_markers(w, p);
    json_write_end_object(w);
}

/* ---- reading ------------------------------------------------------------------------------------
 */

bool passat_partial_is(struct json_value value)
{
    struct json_value version;
    return value.type == JSON_VALUE_OBJECT && json_get(value, SPAN("wai_partial"), &version);
}

/* A reader that remembers what was wrong first. */
struct reading {
    struct passat *p;
    const char *where; /* member that is being read, for the message */
    struct error *error;
    bool failed;
};

static void wrong(struct reading *r, const char *what)
{
    if (!r->failed)
        error_set(r->error, ERROR_INPUT,
                  "the partial summary's \"%s\" %s; write it again with --partial", r->where, what);
    r->failed = true;
}

/* The member of an object, of that type; a missing one is null of no text. */
static struct json_value member(struct reading *r, struct json_value object, const char *key,
                                enum json_type type)
{
    struct json_value value = {0};
    r->where = key;
    if (json_get(object, span_text(key), &value) && value.type != type) {
        wrong(r, type == JSON_VALUE_OBJECT  ? "is no object"
                 : type == JSON_VALUE_ARRAY ? "is no list"
                                            : "is of the wrong type");
        value = (struct json_value){0};
    }
    return value;
}

static uint64_t whole(struct reading *r, struct json_value value)
{
    int64_t count;
    if (value.type != JSON_VALUE_NUMBER || !json_int64(value, &count) || count < 0 ||
        (double)count > COUNT_MAX) {
        wrong(r, "holds something else than counts from 0 to 2^53");
        return 0;
    }
    return (uint64_t)count;
}

/* A count; absent: 0. */
static uint64_t count_of(struct reading *r, struct json_value object, const char *key)
{
    struct json_value value;
    r->where = key;
    return json_get(object, span_text(key), &value) ? whole(r, value) : 0;
}

static double real_of(struct reading *r, struct json_value object, const char *key)
{
    struct json_value value;
    r->where = key;
    if (!json_get(object, span_text(key), &value) || json_value_null(value))
        return NAN;
    double x = value.type == JSON_VALUE_NUMBER ? json_number(value) : NAN;
    if (!isfinite(x))
        wrong(r, "is no finite number");
    return x;
}

/* The items of a list of exactly n. */
static bool items_of(struct reading *r, struct json_value list, struct json_value *items, size_t n)
{
    struct json_cursor cursor = json_enter(list);
    size_t count = 0;
    struct json_value item;
    while (count <= n && json_next_item(&cursor, &item)) {
        if (count < n)
            items[count] = item;
        count++;
    }
    if (list.type == JSON_VALUE_ARRAY && count == n)
        return true;
    wrong(r, "holds a list of the wrong length");
    return false;
}

static struct position position_of(struct reading *r, struct json_value list)
{
    struct json_value items[2];
    if (!items_of(r, list, items, 2))
        return (struct position){0, 0};
    struct position at = {whole(r, items[0]), whole(r, items[1])};
    if (!passat_shard_has(r->p, at.shard))
        wrong(r, "names a shard that \"shards\" does not");
    return at;
}

static void read_label(struct reading *r, struct span key, struct json_value value)
{
    struct json_value items[3];
    if (!items_of(r, value, items, 3))
        return;
    uint64_t n = whole(r, items[0]), c = whole(r, items[1]);
    struct cell cell = {.n = n, .sum = (double)c, .first = position_of(r, items[2])};
    if (n == 0 || c > n || n > MEASURE_TRIES_MAX)
        wrong(r, "holds a task with more passes than tries, without tries, or with over 2^24");
    if (r->failed)
        return;
    bool fresh;
    cell.task = map_add(&r->p->tasks, key, &fresh);
    if (!fresh)
        wrong(r, "names a task twice");
    cells_join(&r->p->labels, &cell, true);
    r->p->n_labelled += n;
}

static void read_marker_piece(struct reading *r, struct cells *cells, size_t task,
                              struct json_value value)
{
    struct json_value items[3];
    if (!items_of(r, value, items, 3))
        return;
    struct cell cell = {.task = task,
                        .sum = json_number(items[0]),
                        .n = whole(r, items[1]),
                        .first = position_of(r, items[2])};
    if (!isfinite(cell.sum) || cell.n == 0)
        wrong(r, "holds a sum that is no finite number, or of no value");
    if (!r->failed)
        cells_join(cells, &cell, false);
}

static void read_marker_task(struct reading *r, struct cells *cells, struct span key,
                             struct json_value value)
{
    struct json_cursor cursor = json_enter(value);
    struct json_value first, piece;
    size_t task = map_add(&r->p->tasks, key, NULL);
    bool pieces = value.type == JSON_VALUE_ARRAY && json_next_item(&cursor, &first) &&
                  first.type == JSON_VALUE_ARRAY;
    if (!pieces) {
        read_marker_piece(r, cells, task, value);
        return;
    }
    cursor = json_enter(value);
    while (!r->failed && json_next_item(&cursor, &piece))
        read_marker_piece(r, cells, task, piece);
}

static void read_marker(struct reading *r, struct span name, struct json_value value)
{
    struct buf scratch = {0};
    size_t number = passat_marker(r->p, name);
    struct marker_cells m = {.n_rows = count_of(r, value, "rows"),
                             .n_at_1 = count_of(r, value, "at_1"),
                             .n_at_0 = count_of(r, value, "at_0"),
                             .n_nonfinite = count_of(r, value, "n_nonfinite"),
                             .least = real_of(r, value, "min"),
                             .most = real_of(r, value, "max")};
    struct json_cursor cursor = json_enter(member(r, value, "tasks", JSON_VALUE_OBJECT));
    struct json_member task;
    while (!r->failed && json_next_member(&cursor, &task))
        read_marker_task(r, &m.cells, json_key(&task, &scratch), task.value);
    uint64_t rows = 0;
    for (size_t i = 0; i < m.cells.count; i++)
        rows += m.cells.items[i].n;
    if (rows != m.n_rows || m.n_at_1 + m.n_at_0 > rows || (rows && !(m.least <= m.most)))
        wrong(r, "does not add up to the marker's rows");
    cells_free(&r->p->markers[number].cells); /* a name that is there twice: the last one */
    r->p->markers[number] = m;
    buf_free(&scratch);
}

static void read_markers(struct reading *r, struct json_value object)
{
    struct buf scratch = {0};
    struct json_value names = {0}, item;
    struct json_member marker;
    struct json_value markers = member(r, object, "markers", JSON_VALUE_OBJECT);
    struct json_cursor cursor = json_enter(markers);
    while (!r->failed && json_next_member(&cursor, &marker)) {
        struct span name = json_key(&marker, &scratch);
        if (marker.value.type == JSON_VALUE_OBJECT)
            read_marker(r, name, marker.value);
        else
            wrong(r, "is no object");
    }
    json_get(object, SPAN("marker_names"), &names);
    r->p->keep_markers = json_count(markers) > 0 || !json_value_null(names);
    r->p->listed_markers = names.type == JSON_VALUE_ARRAY;
    cursor = json_enter(names.type == JSON_VALUE_ARRAY ? names : (struct json_value){0});
    while (json_next_item(&cursor, &item))
        passat_marker(r->p, json_text(item, &scratch));
    buf_free(&scratch);
}

static void read_shards(struct reading *r, struct json_value object)
{
    struct json_cursor cursor = json_enter(member(r, object, "shards", JSON_VALUE_ARRAY));
    struct json_value item;
    while (!r->failed && json_next_item(&cursor, &item)) {
        uint64_t shard = whole(r, item);
        if (r->p->n_shards && shard <= r->p->shards[r->p->n_shards - 1])
            wrong(r, "is not in ascending order");
        else
            passat_shard_add(r->p, shard);
    }
}

static void read_judge(struct reading *r, struct json_value object)
{
    struct json_value judge = member(r, object, "judge", JSON_VALUE_OBJECT), item;
    struct buf scratch = {0};
    r->p->n_judged = count_of(r, judge, "n");
    r->p->n_judge_failed = count_of(r, judge, "failed");
    struct json_cursor cursor = json_enter(member(r, judge, "statuses", JSON_VALUE_ARRAY));
    while (json_next_item(&cursor, &item))
        passat_status_add(r->p, json_text(item, &scratch));
    struct json_value reason = {0}, parts[2];
    r->where = "reason";
    if (json_get(judge, SPAN("reason"), &reason) && !json_value_null(reason) &&
        items_of(r, reason, parts, 2)) {
        struct position at = position_of(r, parts[0]);
        passat_reason_add(r->p, json_text(parts[1], &scratch), at);
    }
    buf_free(&scratch);
}

static void read_setting(struct reading *r, enum measure_setting setting, struct json_value list)
{
    struct json_cursor cursor = json_enter(list);
    struct json_value pair, parts[2];
    struct buf scratch = {0}, json = {0};
    r->where = SETTING_NAMES[setting];
    while (!r->failed && json_next_item(&cursor, &pair)) {
        if (!items_of(r, pair, parts, 2))
            break;
        buf_clear(&json);
        if (parts[0].type == JSON_VALUE_STRING)
            json_quote(&json, json_text(parts[0], &scratch));
        else
            buf_span_add(&json, parts[0].text);
        struct setting_value value = setting_value_of(buf_span(&json), position_of(r, parts[1]));
        setting_add(r->p, setting, &value);
    }
    buf_free(&scratch);
    buf_free(&json);
}

static void read_config(struct reading *r, struct json_value object)
{
    struct json_value config = member(r, object, "config", JSON_VALUE_OBJECT);
    for (size_t i = 0; i < SETTINGS; i++)
        read_setting(r, i, member(r, config, SETTING_NAMES[i], JSON_VALUE_ARRAY));
    struct json_cursor cursor = json_enter(member(r, object, "config_more", JSON_VALUE_ARRAY));
    struct json_value item;
    struct buf scratch = {0};
    while (json_next_item(&cursor, &item)) {
        struct span name = json_text(item, &scratch);
        for (size_t i = 0; i < SETTINGS; i++)
            r->p->settings[i].more |= span_is(name, SETTING_NAMES[i]);
    }
    buf_free(&scratch);
}

static bool same_names(struct json_value list, struct facts_keys names)
{
    struct json_cursor cursor = json_enter(list);
    struct json_value item;
    struct buf scratch = {0};
    size_t count = 0;
    bool same = true;
    for (; same && json_next_item(&cursor, &item); count++)
        same = count < names.count && item.type == JSON_VALUE_STRING &&
               span_is(json_text(item, &scratch), names.names[count]);
    buf_free(&scratch);
    return same && count == names.count;
}

/* What the line says it is; ERROR_INPUT names both sides when they differ. */
static void read_header(struct reading *r, struct json_value object, const struct passat_keys *keys)
{
    struct buf scratch = {0};
    struct json_value kind = member(r, object, "kind", JSON_VALUE_STRING);
    struct json_value by = member(r, object, "by", JSON_VALUE_STRING);
    if (count_of(r, object, "wai_partial") != 1)
        wrong(r, "is not 1, the version that this program reads");
    r->where = "kind";
    if (!span_is(json_text(kind, &scratch), "passat"))
        wrong(r, "is not \"passat\"");
    r->where = "by";
    if (!span_is(json_text(by, &scratch), "task"))
        wrong(r, "is not \"task\"");
    struct json_value used = member(r, object, "keys", JSON_VALUE_OBJECT), flag = {0};
    struct json_value reward = member(r, used, "reward", JSON_VALUE_ARRAY);
    struct json_value task = member(r, used, "task", JSON_VALUE_ARRAY);
    json_get(used, SPAN("bool_rewards"), &flag);
    if (!r->failed && (!same_names(reward, keys->reward) || !same_names(task, keys->task) ||
                       (flag.type == JSON_VALUE_TRUE) != keys->bool_rewards)) {
        struct buf mine = {0};
        struct json_writer w;
        json_write_start(&w, &mine, JSON_STYLE_COMPACT);
        json_write_object(&w);
        write_keys(&w, keys);
        json_write_end_object(&w);
        error_set(
            r->error, ERROR_INPUT,
            "the summary was counted with the keys %.*s, this run with %.*s; give both the same "
            "--reward-key, --task-key and --bool-rewards",
            (int)(used.text.len < 300 ? used.text.len : 300), used.text.ptr ? used.text.ptr : "",
            (int)(mine.len < 300 ? mine.len : 300), mine.data);
        r->failed = true;
        buf_free(&mine);
    }
    buf_free(&scratch);
}

static void read_counts(struct reading *r, struct json_value object)
{
    struct passat *p = r->p;
    p->n_input = count_of(r, object, "rows");
    p->n_bad = count_of(r, object, "bad_rows");
    p->n_partial = count_of(r, object, "n_partial");
    p->n_boolean = count_of(r, object, "n_boolean");
    p->n_fallback = count_of(r, object, "n_fallback");
    p->n_graded = count_of(r, object, "n_graded");
    p->reward_least = real_of(r, object, "reward_min");
    p->reward_most = real_of(r, object, "reward_max");
    struct json_value finish = member(r, object, "finish", JSON_VALUE_OBJECT);
    p->n_finish = count_of(r, finish, "n");
    p->n_cut = count_of(r, finish, "length");
    struct json_value replies = member(r, object, "replies", JSON_VALUE_OBJECT);
    p->n_replies = count_of(r, replies, "n");
    p->n_answered = count_of(r, replies, "answered");
    p->n_unclosed = count_of(r, replies, "unclosed");
}

static void check_sums(struct reading *r)
{
    const struct passat *p = r->p;
    r->where = "rows";
    if (p->n_labelled + p->n_partial + p->n_boolean > p->n_input || p->n_graded > p->n_input ||
        p->n_fallback > p->n_labelled || p->n_finish > p->n_input || p->n_cut > p->n_finish ||
        p->n_replies > p->n_input || p->n_answered > p->n_replies || p->n_unclosed > p->n_replies ||
        p->n_judged > p->n_input || p->n_judge_failed > p->n_judged ||
        (p->n_graded && !(p->reward_least <= p->reward_most)) || (p->n_input && p->n_shards == 0))
        wrong(r, "and the other counts do not add up");
}

struct passat *passat_partial_read(struct json_value object, const struct passat_keys *keys,
                                   struct error *error)
{
    struct passat_options none = {0};
    struct reading r = {.p = passat_new(&none), .where = "wai_partial", .error = error};
    struct buf scratch = {0};
    read_header(&r, object, keys);
    if (!r.failed) {
        read_shards(&r, object);
        read_counts(&r, object);
        struct json_cursor cursor = json_enter(member(&r, object, "tasks", JSON_VALUE_OBJECT));
        struct json_member task;
        while (!r.failed && json_next_member(&cursor, &task))
            read_label(&r, json_key(&task, &scratch), task.value);
        read_judge(&r, object);
        read_config(&r, object);
        read_markers(&r, object);
        check_sums(&r);
        r.p->used = r.p->n_input > 0;
    }
    buf_free(&scratch);
    if (!r.failed)
        return r.p;
    passat_free(r.p);
    return NULL;
}
