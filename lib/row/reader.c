/* reader.c: rows one by one. With one job a line is scanned when it is asked for; with more,
 * workers scan whole blocks ahead and the rows are handed out in order. See reader.h. */
#include "row/reader.h"

#include <stdlib.h>

#include "base/pool.h"
#include "base/signals.h"
#include "row/defaults.h"
#include "row/line_scan.h"
#include "row/lines.h"

/* A line of a block that a worker has scanned. */
struct scanned {
    struct span line;
    struct json_value value;
    size_t members, n_members; /* in the job's members */
    size_t what, what_len;     /* in the job's what: the line is bad */
    uint64_t number, index;    /* behind the block's beginning: added to the reader's */
};

struct scan_job {
    struct line_block block;
    struct scanned *lines;
    size_t count, cap;
    struct json_members members;
    struct json_members of_line;
    struct buf what;
    struct line_cursor passed; /* what the whole block adds to the reader's cursor */
    struct scan_job *next_free;
};

struct row_reader {
    struct row_source source;
    struct lines *lines;
    struct bad_lines bad;
    struct row_counts counts;
    struct line_cursor cursor;
    const char *last_file; /* of the row given last; NULL: none yet */
    uint64_t last_number;

    /* one job */
    struct line_block block;
    struct json_members members;
    struct buf what;

    /* several */
    struct pool *pool;
    struct scan_job *job; /* being handed out; NULL: none */
    size_t at;            /* its next line */
    struct scan_job *free;
    size_t ahead; /* bytes of the blocks under way */
    bool ended;
    int failed; /* reading broke off: said when the rows before it are out */
    struct error failure;
};

static void scan_block(void *context, int worker, void *work)
{
    struct row_reader *r = context;
    struct scan_job *job = work;
    struct line_cursor c = {0};
    struct span line;
    (void)worker;
    job->count = job->members.count = 0;
    buf_clear(&job->what);
    line_cursor_start(&c, &job->block);
    while (line_next(&c, &line)) {
        job->lines = mem_grow(job->lines, &job->cap, job->count + 1, sizeof *job->lines);
        struct scanned *s = &job->lines[job->count++];
        *s = (struct scanned){.line = line, .number = c.number, .index = c.index};
        struct row row;
        size_t what = job->what.len;
        if (line_scan(line, &r->source, &row, &job->of_line, &job->what) < 0) {
            s->what = what;
            s->what_len = job->what.len - what;
            continue;
        }
        s->value = row.value;
        s->members = members_keep(&job->members, &row.members);
        s->n_members = row.members.count;
    }
    job->passed = c;
}

struct row_reader *row_reader_open(const struct row_source *source, struct error *error)
{
    struct row_reader *r = mem_zero(1, sizeof *r);
    r->source = *source;
    r->lines = lines_open(&r->source, error);
    if (!r->lines || bad_lines_open(&r->bad, &r->source, error) < 0) {
        lines_close(r->lines);
        free(r);
        return NULL;
    }
    if (source->options.jobs > 1) {
        int jobs =
            source->options.jobs < ROW_READ_THREADS ? (int)source->options.jobs : ROW_READ_THREADS;
        r->pool = pool_open_shared(jobs, (size_t)jobs + ROW_BLOCKS_AHEAD, scan_block, r);
    }
    return r;
}

static void job_free(struct scan_job *job)
{
    if (!job)
        return;
    line_block_free(&job->block);
    json_members_free(&job->members);
    json_members_free(&job->of_line);
    buf_free(&job->what);
    free(job->lines);
    free(job);
}

static struct scan_job *job_new(struct row_reader *r)
{
    struct scan_job *job = r->free;
    if (!job)
        return mem_zero(1, sizeof *job);
    r->free = job->next_free;
    return job;
}

static void job_done(struct row_reader *r, struct scan_job *job)
{
    job->next_free = r->free;
    r->free = job;
}

/* Gives a block to the workers. A LINES_ value or a negative code. */
static int submit_one(struct row_reader *r, bool may_wait, struct error *error)
{
    struct scan_job *job = job_new(r);
    int rc = lines_next(r->lines, &job->block, may_wait, error);
    if (rc == LINES_BLOCK) {
        r->ahead += job->block.bytes.len;
        pool_submit(r->pool, job);
    } else {
        job_done(r, job);
        r->ended = rc == LINES_END || rc < 0;
    }
    return rc;
}

/* The next block that workers have scanned. 1, 0 at the end, negative. */
static int next_scanned(struct row_reader *r, struct error *error)
{
    while (!r->ended && !pool_full(r->pool) && r->ahead < ROW_BYTES_AHEAD) {
        int rc = submit_one(r, false, &r->failure);
        if (rc < 0)
            r->failed = rc;
        if (rc != LINES_BLOCK)
            break;
    }
    r->job = pool_take(r->pool, POOL_WAIT);
    if (!r->job && !r->ended) {
        int rc = submit_one(r, true, &r->failure);
        if (rc < 0)
            r->failed = rc;
        r->job = pool_take(r->pool, POOL_WAIT);
    }
    if (!r->job) {
        if (r->failed && error)
            *error = r->failure;
        return r->failed;
    }
    r->ahead -= r->job->block.bytes.len;
    r->at = 0;
    if (r->job->block.starts_file)
        r->cursor.number = 0;
    return 1;
}

/* The block in hand is used up: the cursor passes it. */
static void leave_job(struct row_reader *r)
{
    struct scan_job *job = r->job;
    r->cursor.number += job->passed.number;
    r->cursor.index += job->passed.index;
    r->counts.blank += job->passed.blank;
    r->counts.bytes += job->block.size;
    r->job = NULL;
    job_done(r, job);
}

static int ended(struct row_reader *r, int rc, struct error *error)
{
    return rc == ERROR_INTERRUPTED ? interrupted_behind(r->last_file, r->last_number, error) : rc;
}

static int given(struct row_reader *r, const struct row *row)
{
    r->counts.rows++;
    r->last_file = row->file;
    r->last_number = row->line_number;
    return 1;
}

static int next_of_many(struct row_reader *r, struct row *row, struct error *error)
{
    for (;;) {
        int rc;
        if (signals_caught())
            return interrupted_behind(r->last_file, r->last_number, error);
        if (!r->job) {
            if ((rc = next_scanned(r, error)) <= 0)
                return ended(r, rc, error);
            struct line_block *block = &r->job->block;
            if (block->long_piece &&
                (rc = bad_lines_piece(&r->bad, &r->source, block,
                                      r->cursor.number + r->job->passed.number, error)) < 0)
                return rc;
        }
        struct scan_job *job = r->job;
        if (r->at == job->count) {
            leave_job(r);
            continue;
        }
        const struct scanned *s = &job->lines[r->at++];
        uint64_t number = r->cursor.number + s->number;
        if (s->what_len) {
            rc = bad_lines_take(&r->bad, line_raw(s->line), job->block.file, number,
                                span_make(job->what.data + s->what, s->what_len), error);
            if (rc < 0)
                return rc;
            continue;
        }
        *row = (struct row){
            .line = s->line,
            .value = s->value,
            .members = members_slice(&job->members, s->members, s->n_members),
            .file = job->block.file,
            .line_number = number,
            .index = r->cursor.index + s->index - 1,
        };
        return given(r, row);
    }
}

int row_reader_next(struct row_reader *r, struct row *row, struct error *error)
{
    if (r->pool)
        return next_of_many(r, row, error);
    for (;;) {
        struct span line;
        int rc;
        if (signals_caught())
            return interrupted_behind(r->last_file, r->last_number, error);
        if (!line_next(&r->cursor, &line)) {
            if ((rc = lines_next(r->lines, &r->block, true, error)) <= 0)
                return ended(r, rc, error);
            r->counts.bytes += r->block.size;
            line_cursor_start(&r->cursor, &r->block);
            if (r->block.long_piece &&
                (rc = bad_lines_piece(&r->bad, &r->source, &r->block, r->cursor.number, error)) < 0)
                return rc;
            continue;
        }
        buf_clear(&r->what);
        if (line_scan(line, &r->source, row, &r->members, &r->what) < 0) {
            rc = bad_lines_take(&r->bad, line_raw(line), r->block.file, r->cursor.number,
                                buf_span(&r->what), error);
            if (rc < 0)
                return rc;
            continue;
        }
        row->file = r->block.file;
        row->line_number = r->cursor.number;
        row->index = r->cursor.index - 1;
        return given(r, row);
    }
}

int row_reader_reject(struct row_reader *r, const struct row *row, const char *what,
                      struct error *error)
{
    r->counts.rows--;
    return bad_lines_take(&r->bad, line_raw(row->line), row->file, row->line_number,
                          span_text(what), error);
}

struct row_counts row_reader_counts(const struct row_reader *r)
{
    struct row_counts counts = r->counts;
    counts.bad = r->bad.count;
    memcpy(counts.first_bad, r->bad.first, sizeof counts.first_bad);
    counts.blank += r->cursor.blank;
    return counts;
}

int row_reader_close(struct row_reader *r, struct error *error)
{
    if (!r)
        return 0;
    if (r->pool) {
        struct scan_job *job;
        while ((job = pool_take(r->pool, POOL_WAIT)))
            job_free(job);
        pool_close(r->pool);
    }
    job_free(r->job);
    while (r->free) {
        struct scan_job *job = r->free;
        r->free = job->next_free;
        job_free(job);
    }
    int rc = bad_lines_close(&r->bad, error);
    lines_close(r->lines);
    line_block_free(&r->block);
    json_members_free(&r->members);
    buf_free(&r->what);
    free(r);
    return rc;
}
