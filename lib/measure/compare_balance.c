/* compare_balance.c: as many rows of a task on both sides (measure 6.2): one pass counts the rows,
 * the longer side of each task gives up rows drawn by a stream of its own, and the pass that
 * measures asks here which. A side that is a pipe is kept in a temporary file for the second pass.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "measure/compare.h"

enum { COPY_BLOCK = 1 << 16 }; /* bytes */

struct tally {
    struct map tasks;
    uint64_t *rows; /* by task */
    uint64_t *seen; /* rows asked about so far */
    size_t cap_rows;
    uint8_t **drop; /* a flag per row, or NULL: all stay */
};

struct drops {
    struct tally sides[SIDES];
    struct buf folder, paths[SIDES]; /* paths: of kept pipes */
    const char *operands[SIDES];
};

/* ---- pipes --------------------------------------------------------------------------------------
 */

static int copy(int from, const char *name, int to, const char *path, struct error *error)
{
    char *block = mem_alloc(COPY_BLOCK);
    ssize_t got;
    int code = 0;
    while (code == 0 && (got = read(from, block, COPY_BLOCK)) != 0) {
        if (got < 0 && errno == EINTR)
            code = error_set(error, ERROR_INTERRUPTED, "interrupted while reading %s", name);
        else if (got < 0)
            code = error_errno(error, ERROR_SYSTEM, "%s: cannot be read", name);
        else
            code = file_write_all(to, path, span_make(block, (size_t)got), error);
    }
    free(block);
    return code;
}

static int keep_pipe(struct drops *d, int side, struct error *error)
{
    const char *operand = d->operands[side];
    struct stat status;
    bool standard = strcmp(operand, "-") == 0;
    if (!standard && (stat(operand, &status) < 0 || S_ISREG(status.st_mode)))
        return 0; /* what cannot be opened is named by the reader */
    if (d->folder.len == 0 && scratch_make(&d->folder, error) < 0)
        return error->code;
    struct buf *path = &d->paths[side];
    buf_span_add(path, buf_span(&d->folder));
    buf_format(path, "/%s", SIDE_NAMES[side]);
    int from = standard ? STDIN_FILENO : open(operand, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return error_errno(error, ERROR_INPUT, "%s: cannot be opened", operand);
    int to = open(buf_cstr(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int code = to < 0 ? error_errno(error, ERROR_SYSTEM, "%s: cannot be written", buf_cstr(path))
                      : copy(from, operand, to, buf_cstr(path), error);
    if (to >= 0 && close(to) < 0 && code == 0)
        code = error_errno(error, ERROR_SYSTEM, "%s: cannot be written", buf_cstr(path));
    if (!standard)
        close(from);
    return code;
}

const char *drops_path(const struct drops *d, int side)
{
    return d->paths[side].len ? d->paths[side].data : d->operands[side];
}

/* ---- counting -----------------------------------------------------------------------------------
 */

static int count_rows(struct drops *d, int side, const struct compare_options *options,
                      struct error *error)
{
    struct tally *t = &d->sides[side];
    const char *path = drops_path(d, side);
    struct row_source source = {.paths = &path, .n_paths = 1, .options = options->asked->rows};
    if (strcmp(source.options.on_bad, "stop") != 0)
        source.options.on_bad = "skip"; /* the second pass moves them */
    struct row_reader *reader = row_reader_open(&source, error);
    if (!reader)
        return error->code;
    struct facts_reader *facts = facts_open(&options->facts);
    struct row row;
    struct row_facts read;
    int code;
    while ((code = row_reader_next(reader, &row, error)) > 0) {
        facts_read(facts, &row, &read);
        bool fresh;
        size_t task = map_add(&t->tasks, read.task, &fresh);
        t->rows = mem_grow(t->rows, &t->cap_rows, task + 1, sizeof *t->rows);
        t->rows[task] = fresh ? 1 : t->rows[task] + 1;
    }
    int closed = row_reader_close(reader, code < 0 ? NULL : error);
    facts_close(facts);
    return code < 0 ? code : closed;
}

/* ---- drawing ------------------------------------------------------------------------------------
 */

static uint8_t *draw(const struct compare_options *options, int side, struct span task,
                     uint64_t rows, uint64_t keep)
{
    struct buf seed = {0};
    buf_span_add(&seed, buf_span(&options->seed));
    buf_format(&seed, ":%s:", SIDE_NAMES[side]);
    buf_span_add(&seed, task);
    struct rng rng;
    rng_seed_text(&rng, buf_span(&seed));
    buf_free(&seed);
    uint64_t *order = mem_zero(rows, sizeof *order);
    for (uint64_t i = 0; i < rows; i++)
        order[i] = i;
    rng_shuffle(&rng, order, rows, sizeof *order);
    uint8_t *drop = mem_zero(rows, 1);
    for (uint64_t i = keep; i < rows; i++)
        drop[order[i]] = 1;
    free(order);
    return drop;
}

static void draw_all(struct drops *d, const struct compare_options *options,
                     struct balancing *counts)
{
    struct tally *a = &d->sides[BEFORE], *b = &d->sides[AFTER];
    for (int side = 0; side < SIDES; side++) {
        struct tally *t = &d->sides[side];
        t->drop = mem_zero(t->tasks.count, sizeof *t->drop);
        t->seen = mem_zero(t->tasks.count, sizeof *t->seen);
    }
    for (size_t i = 0; i < a->tasks.count; i++) {
        size_t j = map_find(&b->tasks, a->tasks.keys[i]);
        if (j == MAP_NONE || a->rows[i] == b->rows[j])
            continue;
        int longer = a->rows[i] > b->rows[j] ? BEFORE : AFTER;
        uint64_t rows = longer == BEFORE ? a->rows[i] : b->rows[j];
        uint64_t keep = longer == BEFORE ? b->rows[j] : a->rows[i];
        d->sides[longer].drop[longer == BEFORE ? i : j] =
            draw(options, longer, a->tasks.keys[i], rows, keep);
        counts->dropped[longer] += rows - keep;
        counts->trimmed++;
    }
}

int drops_find(const struct compare_options *options, struct drops **out, struct balancing *counts,
               struct error *error)
{
    struct drops *d = mem_zero(1, sizeof *d);
    *out = d;
    d->operands[BEFORE] = options->asked->before;
    d->operands[AFTER] = options->asked->after;
    for (int side = 0; side < SIDES; side++) {
        int code = keep_pipe(d, side, error);
        if (code == 0)
            code = count_rows(d, side, options, error);
        if (code < 0)
            return code;
    }
    draw_all(d, options, counts);
    return 0;
}

bool drops_row(struct drops *d, int side, struct span task)
{
    struct tally *t = &d->sides[side];
    size_t number = map_find(&t->tasks, task);
    if (number == MAP_NONE || t->seen[number] >= t->rows[number])
        return true; /* the file grew between the passes */
    uint64_t at = t->seen[number]++;
    return !t->drop[number] || !t->drop[number][at];
}

void drops_free(struct drops *d)
{
    if (!d)
        return;
    for (int side = 0; side < SIDES; side++) {
        struct tally *t = &d->sides[side];
        for (size_t i = 0; t->drop && i < t->tasks.count; i++)
            free(t->drop[i]);
        free(t->drop);
        free(t->seen);
        free(t->rows);
        map_free(&t->tasks);
        buf_free(&d->paths[side]);
    }
    if (d->folder.len)
        scratch_remove(buf_cstr(&d->folder));
    buf_free(&d->folder);
    free(d);
}
