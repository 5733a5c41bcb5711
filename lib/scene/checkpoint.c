/* checkpoint.c: see checkpoint.h. */
#include "scene/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "row/reader.h"
#include "row/store.h"
#include "json/edit.h"

enum { TAIL_BLOCK = 1 << 16 }; /* bytes read at a time, from the end */

struct checkpoint {
    const char *path;
    int fd;
    struct map keys; /* of rollouts; their numbers are the store's */
    bool *taken;
    size_t n_taken;
    struct row_store *store;
    struct buf scratch, key;
};

static struct span key_of(struct checkpoint *c, int64_t eval_run, struct span prompt, int64_t index)
{
    buf_clear(&c->key);
    buf_format(&c->key, "%lld:%lld:", (long long)eval_run, (long long)index);
    buf_span_add(&c->key, prompt);
    return buf_span(&c->key);
}

/* Bytes behind the last line feed, into tail. */
static int read_tail(struct checkpoint *c, off_t size, struct buf *tail, off_t *start,
                     struct error *error)
{
    for (*start = size; *start > 0;) {
        off_t n = *start < TAIL_BLOCK ? *start : TAIL_BLOCK;
        struct buf block = {0};
        char *to = buf_reserve(&block, (size_t)n);
        ssize_t got = pread(c->fd, to, (size_t)n, *start - n);
        if (got != n) {
            buf_free(&block);
            return error_errno(error, ERROR_SYSTEM, "%s", c->path);
        }
        block.len = (size_t)n;
        const char *feed = memrchr(block.data, '\n', block.len);
        size_t from = feed ? (size_t)(feed - block.data) + 1 : 0;
        *start -= (off_t)(block.len - from);
        struct buf joined = {0};
        buf_add(&joined, block.data + from, block.len - from);
        buf_span_add(&joined, buf_span(tail));
        buf_free(tail);
        buf_free(&block);
        *tail = joined;
        if (feed)
            break;
    }
    return 0;
}

/* A kill leaves a last line that is no JSON, or that lacks its line feed only. */
static int mend_tail(struct checkpoint *c, bool *torn, struct error *error)
{
    struct stat st;
    struct buf tail = {0};
    struct json_value value;
    struct json_fault fault;
    off_t start;
    *torn = false;
    if (fstat(c->fd, &st) < 0)
        return error_errno(error, ERROR_SYSTEM, "%s", c->path);
    int code = read_tail(c, st.st_size, &tail, &start, error);
    if (!code && tail.len) {
        *torn = json_scan(buf_span(&tail), &value, NULL, &fault) < 0;
        if (*torn && ftruncate(c->fd, start) < 0)
            code = error_errno(error, ERROR_SYSTEM, "%s", c->path);
        else if (!*torn)
            code = file_write_all(c->fd, c->path, SPAN("\n"), error);
    }
    buf_free(&tail);
    return code;
}

static int keep_row(struct checkpoint *c, const struct row *row, struct error *error)
{
    const struct json_value *prompt = row_get(row, SPAN("prompt"));
    const struct json_value *at = row_get(row, SPAN("rollout_index"));
    const struct json_value *lineage = row_get(row, SPAN("lineage"));
    struct json_value run;
    int64_t index, eval_run = 0;
    size_t number;
    bool fresh;
    if (!prompt || prompt->type != JSON_VALUE_STRING || !at || !json_int64(*at, &index))
        return error_set(error, ERROR_INPUT,
                         "%s:%llu: no prompt or no rollout_index, so it is no row of a run; name "
                         "another file",
                         c->path, (unsigned long long)row->line_number);
    if (lineage && json_get(*lineage, SPAN("eval_run"), &run))
        json_int64(run, &eval_run);
    struct span text = json_text(*prompt, &c->scratch);
    map_add(&c->keys, key_of(c, eval_run, text, index), &fresh);
    return fresh ? row_store_add(c->store, row->line, &number, error) : 0;
}

static int read_rows(struct checkpoint *c, struct error *error)
{
    struct row_source source = {.paths = &c->path, .n_paths = 1, .options = ROW_OPTIONS_DEFAULT};
    struct row_reader *reader = row_reader_open(&source, error);
    struct row row;
    int got = reader ? 0 : error->code;
    while (got >= 0 && (got = row_reader_next(reader, &row, error)) > 0)
        if (keep_row(c, &row, error) < 0)
            got = error->code;
    int closed = reader ? row_reader_close(reader, got < 0 ? NULL : error) : 0;
    c->taken = mem_zero(c->keys.count + 1, sizeof *c->taken);
    return got < 0 ? got : closed;
}

struct checkpoint *checkpoint_open(const char *path, bool *torn, struct error *error)
{
    struct checkpoint *c = mem_zero(1, sizeof *c);
    c->path = path;
    c->store = row_store_new(STORE_MEMORY);
    c->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    int code = c->fd < 0 ? error_errno(error, ERROR_SYSTEM, "%s", path) : 0;
    if (!code && flock(c->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
        code = error_set(error, ERROR_SYSTEM,
                         "%s: another run is writing it; wait for it, or name another file", path);
    if (!code)
        code = mend_tail(c, torn, error);
    if (!code)
        code = read_rows(c, error);
    if (!code)
        return c;
    checkpoint_close(c);
    return NULL;
}

/* "resumed": true, in the row's lineage. */
static void mark(struct checkpoint *c, struct span row, struct buf *out)
{
    struct json_edit edit = {0};
    struct json_members members = {0};
    struct json_value value, lineage;
    struct json_fault fault;
    buf_clear(&c->scratch);
    if (json_scan(row, &value, &members, &fault) == 0 &&
        json_get(value, SPAN("lineage"), &lineage) && lineage.type == JSON_VALUE_OBJECT) {
        buf_add(&c->scratch, lineage.text.ptr, lineage.text.len - 1);
        buf_text(&c->scratch, json_count(lineage) ? ",\"resumed\":true}" : "\"resumed\":true}");
    } else {
        buf_text(&c->scratch, "{\"resumed\":true}");
    }
    json_edit_set(&edit, SPAN("lineage"), buf_span(&c->scratch));
    json_edit_apply(&edit, row, &members, out);
    json_edit_free(&edit);
    json_members_free(&members);
}

int checkpoint_take(struct checkpoint *c, int64_t eval_run, struct span prompt, int64_t index,
                    struct buf *line, bool *found, struct error *error)
{
    size_t number = map_find(&c->keys, key_of(c, eval_run, prompt, index));
    struct buf stored = {0};
    struct span row;
    *found = number != MAP_NONE && !c->taken[number];
    if (!*found)
        return 0;
    c->taken[number] = true;
    c->n_taken++;
    int code = row_store_get(c->store, number, &stored, &row, error);
    if (!code)
        mark(c, row, line);
    buf_free(&stored);
    return code;
}

int checkpoint_add(struct checkpoint *c, struct span line, struct error *error)
{
    buf_clear(&c->scratch);
    buf_span_add(&c->scratch, line);
    buf_byte(&c->scratch, '\n');
    return file_write_all(c->fd, c->path, buf_span(&c->scratch), error);
}

size_t checkpoint_left(const struct checkpoint *c)
{
    return c->keys.count - c->n_taken;
}

const char *checkpoint_path(const struct checkpoint *c)
{
    return c->path;
}

void checkpoint_close(struct checkpoint *c)
{
    if (!c)
        return;
    if (c->fd >= 0)
        close(c->fd);
    map_free(&c->keys);
    free(c->taken);
    row_store_free(c->store);
    buf_free(&c->scratch);
    buf_free(&c->key);
    free(c);
}
