/* resume.c: see resume.h. The earlier rows stay in their file; memory holds a key and a place each.
 */
#include "grade/resume.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/map.h"
#include "row/reader.h"
#include "row/store.h"

struct resume {
    struct map keys;
    size_t *numbers; /* by number of the key: the row in the store */
    size_t cap;
    struct row_store *store;
    pthread_mutex_t lock; /* of the store */
};

/* Written by grading: what may differ between a row and its graded form. */
static const char *const GRADED[] = {
    "reward",     "reason",        "judge_status", "judge_name",
    "judge_meta", "failure_class", "markers",      "lineage",
};

static bool graded_key(const struct json_member *member)
{
    for (size_t i = 0; i < sizeof GRADED / sizeof *GRADED; i++)
        if (json_key_is(member, span_text(GRADED[i])))
            return true;
    return false;
}

/* rollout_id, else scenario_id and rollout_index, else the row's number; and the members that are
 * not a verdict's, byte by byte, as a hash. */
static void key_of(const struct row *row, struct buf *out)
{
    const struct json_value *id = row_get_set(row, SPAN("rollout_id"));
    const struct json_value *task = row_get_set(row, SPAN("scenario_id"));
    const struct json_value *index = row_get_set(row, SPAN("rollout_index"));
    struct buf members = {0};
    buf_clear(out);
    if (id) {
        buf_byte(out, 'r');
        buf_span_add(out, id->text);
    } else if (task && index) {
        buf_byte(out, 't');
        buf_span_add(out, task->text);
        buf_byte(out, '#');
        buf_span_add(out, index->text);
    } else {
        buf_format(out, "n%llu", (unsigned long long)row->index);
    }
    for (size_t i = 0; i < row->members.count; i++) {
        const struct json_member *m = &row->members.items[i];
        if (graded_key(m))
            continue;
        buf_span_add(&members, m->key);
        buf_byte(&members, ':');
        buf_span_add(&members, m->value.text);
        buf_byte(&members, '\n');
    }
    buf_format(out, "\n%016llx%016zx", (unsigned long long)map_hash(buf_span(&members)),
               members.len);
    buf_free(&members);
}

static int read_rows(struct resume *r, const char *path, struct error *error)
{
    struct row_source source = {.paths = &path, .n_paths = 1, .options = ROW_OPTIONS_DEFAULT};
    source.options.on_bad = "skip"; /* the run was cut short; what it cut is graded again */
    struct row_reader *reader = row_reader_open(&source, error);
    if (!reader)
        return ERROR_INPUT;
    struct row row;
    struct buf key = {0};
    int got;
    while ((got = row_reader_next(reader, &row, error)) > 0) {
        size_t number;
        if (!row_get(&row, SPAN("judge_status")))
            continue; /* not graded yet */
        if ((got = row_store_add(r->store, row.line, &number, error)) < 0)
            break;
        key_of(&row, &key);
        size_t n = map_add(&r->keys, buf_span(&key), NULL);
        r->numbers = mem_grow(r->numbers, &r->cap, n + 1, sizeof *r->numbers);
        r->numbers[n] = number;
    }
    buf_free(&key);
    int closed = row_reader_close(reader, got < 0 ? NULL : error);
    return got < 0 ? got : closed;
}

struct resume *resume_open(const char *path, struct error *error)
{
    struct resume *r = mem_zero(1, sizeof *r);
    r->store = row_store_new(STORE_MEMORY);
    pthread_mutex_init(&r->lock, NULL);
    if (read_rows(r, path, error) < 0) {
        resume_close(r);
        return NULL;
    }
    return r;
}

bool resume_find(struct resume *r, const struct row *row, struct buf *out)
{
    struct buf key = {0}, scratch = {0};
    struct span line;
    struct error error;
    key_of(row, &key);
    size_t n = map_find(&r->keys, buf_span(&key));
    bool found = n != MAP_NONE;
    if (found) {
        pthread_mutex_lock(&r->lock);
        found = row_store_get(r->store, r->numbers[n], &scratch, &line, &error) == 0;
        if (found)
            buf_span_add(out, line);
        pthread_mutex_unlock(&r->lock);
    }
    buf_free(&key);
    buf_free(&scratch);
    return found;
}

void resume_close(struct resume *r)
{
    if (!r)
        return;
    pthread_mutex_destroy(&r->lock);
    row_store_free(r->store);
    map_free(&r->keys);
    free(r->numbers);
    free(r);
}
