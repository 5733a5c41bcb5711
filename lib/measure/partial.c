/* partial.c: a mergeable JSON line (measure 12) as a passat again. What a line says is checked as any
 * input is: a summary that cannot be true is refused, not summed. Written by partial_write.c. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/partial_inside.h"

#define COUNT_MAX 9007199254740992.0 /* 2^53: counts are exact in every JSON reader */

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

/* [[n, c, tasks], …] in ascending order. */
static void read_hist(struct reading *r, struct json_value object)
{
    struct passat *p = r->p;
    struct json_cursor cursor = json_enter(member(r, object, "hist", JSON_VALUE_ARRAY));
    struct json_value item, parts[3];
    while (!r->failed && json_next_item(&cursor, &item)) {
        if (!items_of(r, item, parts, 3))
            return;
        struct rate_cell cell = {whole(r, parts[0]), whole(r, parts[1]), whole(r, parts[2])};
        const struct rate_cell *last = p->n_hist ? &p->hist[p->n_hist - 1] : NULL;
        uint64_t rows;
        if (cell.n == 0 || cell.c > cell.n || cell.n > MEASURE_TRIES_MAX || cell.tasks == 0)
            wrong(r, "holds tasks with more passes than tries, without tries, or with over 2^24");
        else if (last && rate_cell_compare(last, &cell) >= 0)
            wrong(r, "is not in ascending order");
        else if (__builtin_mul_overflow(cell.n, cell.tasks, &rows) || rows > p->n_input ||
                 (p->n_labelled += rows) > p->n_input)
            wrong(r, "does not add up to the rows");
        if (!r->failed)
            passat_hist_add(p, &cell);
    }
}

/* A decimal of at most `limit` in size. */
static __int128 wide(struct reading *r, struct json_value value, unsigned __int128 limit)
{
    struct buf scratch = {0};
    struct span text = json_text(value, &scratch);
    bool negative = text.len && text.ptr[0] == '-';
    unsigned __int128 size = 0;
    bool ok =
        value.type == JSON_VALUE_STRING && text.len > (size_t)negative && text.len < PARTIAL_WIDE;
    for (size_t i = negative; ok && i < text.len; i++) {
        ok = text.ptr[i] >= '0' && text.ptr[i] <= '9' && size <= limit / 10;
        size = size * 10 + (unsigned)(text.ptr[i] - '0');
    }
    if (!ok || size > limit)
        wrong(r, "holds something else than sums in decimal");
    buf_free(&scratch);
    return !ok || size > limit ? 0 : negative ? -(__int128)size : (__int128)size;
}

static uint64_t sketch_key(struct reading *r, struct json_value value)
{
    struct buf scratch = {0};
    struct span text = json_text(value, &scratch);
    uint64_t key = 0;
    bool ok = value.type == JSON_VALUE_STRING && text.len == PARTIAL_KEY;
    for (size_t i = 0; ok && i < text.len; i++) {
        const char *digits = "0123456789abcdef", *at = strchr(digits, text.ptr[i]);
        ok = text.ptr[i] && at;
        key = key << 4 | (uint64_t)(ok ? at - digits : 0);
    }
    if (!ok)
        wrong(r, "is not 16 hexadecimal digits");
    buf_free(&scratch);
    return key;
}

static struct boot_sketch *read_sketch(struct reading *r, struct json_value object)
{
    struct json_value value = {0}, item;
    uint64_t draws = count_of(r, object, "b");
    if (draws < 1 || draws > MEASURE_DRAWS_MAX)
        wrong(r, "is no number of replicates");
    struct json_value weights = member(r, object, "w", JSON_VALUE_ARRAY);
    struct json_value sums = member(r, object, "s", JSON_VALUE_ARRAY);
    if (json_count(weights) != draws || json_count(sums) != draws)
        wrong(r, "holds a list of the wrong length");
    if (count_of(r, object, "scale") != BOOT_SKETCH_BITS)
        wrong(r, "is not 40");
    if (r->failed)
        return NULL;
    struct boot_sketch *sketch = mem_zero(1, sizeof *sketch);
    boot_sketch_start(sketch, (int64_t)draws, 0);
    r->where = "seed";
    json_get(object, SPAN("seed"), &value);
    sketch->key = sketch_key(r, value);
    sketch->n = count_of(r, object, "n");
    if (sketch->n > BOOT_SKETCH_COUNT)
        wrong(r, "is over 2^40");
    value = (struct json_value){0};
    r->where = "sum";
    json_get(object, SPAN("sum"), &value);
    sketch->total = wide(r, value, (unsigned __int128)sketch->n << 2 * BOOT_SKETCH_BITS);
    struct json_cursor cursor = json_enter(weights);
    for (size_t i = 0; !r->failed && json_next_item(&cursor, &item); i++)
        if ((sketch->weights[i] = whole(r, item)) > BOOT_SKETCH_COUNT)
            wrong(r, "holds a weight over 2^40");
    cursor = json_enter(sums);
    for (size_t i = 0; !r->failed && json_next_item(&cursor, &item); i++)
        sketch->sums[i] =
            wide(r, item, (unsigned __int128)sketch->weights[i] << 2 * BOOT_SKETCH_BITS);
    return sketch;
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
    if (r->p->by_hist && m.n_rows) {
        m.sketch = read_sketch(r, member(r, value, "sketch", JSON_VALUE_OBJECT));
        rows = m.sketch && m.sketch->n > 0 && m.sketch->n <= m.n_rows ? m.n_rows : 0;
    }
    if (rows != m.n_rows || m.n_at_1 + m.n_at_0 > rows || (rows && !(m.least <= m.most)))
        wrong(r, "does not add up to the marker's rows");
    marker_cells_free(&r->p->markers[number]); /* a name that is there twice: the last one */
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
    r->p->by_hist = span_is(json_text(by, &scratch), "hist");
    if (!r->p->by_hist && !span_is(json_text(by, &scratch), "task"))
        wrong(r, "is neither \"task\" nor \"hist\"");
    if (r->p->by_hist && !keys->histograms && !r->failed) {
        error_set(r->error, ERROR_INPUT,
                  "a summary by hist has no tasks, which this needs; write it with --partial-by "
                  "task");
        r->failed = true;
    }
    struct json_value used = member(r, object, "keys", JSON_VALUE_OBJECT);
    struct json_value flag = {0}, hashed = {0};
    struct json_value reward = member(r, used, "reward", JSON_VALUE_ARRAY);
    struct json_value task = member(r, used, "task", JSON_VALUE_ARRAY);
    json_get(used, SPAN("bool_rewards"), &flag);
    json_get(used, SPAN("hashed"), &hashed);
    if (!r->failed && (!same_names(reward, keys->reward) || !same_names(task, keys->task) ||
                       (flag.type == JSON_VALUE_TRUE) != keys->bool_rewards ||
                       (hashed.type == JSON_VALUE_TRUE) != keys->hashed)) {
        struct buf mine = {0};
        struct json_writer w;
        json_write_start(&w, &mine, JSON_STYLE_COMPACT);
        json_write_object(&w);
        partial_write_keys(&w, keys);
        json_write_end_object(&w);
        error_set(
            r->error, ERROR_INPUT,
            "the summary was counted with the keys %.*s, this run with %.*s; give both the same "
            "--reward-key, --task-key, --bool-rewards and --hash-keys",
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
        (p->n_graded && !(p->reward_least <= p->reward_most)) || (p->n_input && p->n_shards == 0) ||
        (p->by_hist && p->labels.count))
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
        if (r.p->by_hist)
            read_hist(&r, object);
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
