/* filter.c: the loop of every filter that works row by row. See filter.h.
 *
 * The calling thread reads blocks of lines, cuts them into jobs of a few rows, hands the jobs to
 * the pool and settles finished ones in order: done, the writer, the bad lines. A worker scans each
 * line and works on its row. With one job the pool runs the work in the calling thread: one path
 * for both. */
#include "row/filter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/signals.h"
#include "row/defaults.h"
#include "row/input.h"
#include "row/line_scan.h"
#include "row/lines.h"

/* A block that jobs of it are still under way of. Counted by the calling thread alone. */
struct shared_block {
    struct line_block lines;
    size_t users;
    struct shared_block *next_free;
};

/* What became of one line. Its texts change hands: the worker writes into them, done is given them, and
 * their memory serves the next line that takes this place. */
struct outcome {
    struct span line;
    struct json_value value;
    size_t members, n_members; /* in the job's members; kept when there is a done */
    uint64_t number, index;
    enum row_fate fate;
    bool is_row;  /* scanned as one; otherwise out is why not */
    bool written; /* the members are those of out */
    struct buf out, note;
    int64_t tally[ROW_TALLIES];
};

struct filter_job {
    struct shared_block *block;
    struct line_cursor from; /* at the job's first line; its end is the job's end */
    struct outcome *outcomes;
    size_t count, cap;
    size_t made; /* outcomes that have been used before: their memory is kept */
    struct json_members members;
    bool stopped; /* a signal was caught: lines behind the outcomes are not done */
    int failed;   /* work failed behind the outcomes */
    struct error failure;
    atomic_bool finished;
    struct filter_job *next_free, *next_under_way;
};

struct worker_state {
    struct json_members members;
    struct row_result result;
};

struct filter_run {
    const struct row_filter *filter;
    struct row_source source; /* the filter's, with before_wait replaced */
    struct lines *lines;
    struct bad_lines bad;
    struct row_counts counts;
    struct pool *pool;
    struct worker_state *workers;
    int jobs;
    int finish_fd; /* becomes readable when a job is finished; -1: the work is quick, wait for the
                      pool */

    struct shared_block *block; /* being cut; NULL: none */
    struct line_cursor cursor;
    struct filter_job *oldest, *newest; /* under way */
    size_t bytes_under_way;
    struct shared_block *free_blocks;
    struct filter_job *free_jobs;

    const char *last_file; /* of the row settled last; NULL: none yet */
    uint64_t last_number;

    bool ended;
    int failed; /* first failure, in the order of the rows */
    struct error failure;
};

/* ---- work, on any thread --------------------------------------------------------------------- */

static void clear_result(struct row_result *result)
{
    result->fate = ROW_DROP;
    buf_clear(&result->out);
    buf_clear(&result->note);
    memset(result->tally, 0, sizeof result->tally);
    result->written.count = 0;
}

/* The texts of an outcome go to a result, and come back. */
static void lend_texts(struct outcome *o, struct row_result *result)
{
    result->out = o->out;
    result->note = o->note;
}

static void take_texts(struct outcome *o, struct row_result *result)
{
    o->out = result->out;
    o->note = result->note;
    result->out = result->note = (struct buf){0};
}

static void keep_for_done(struct filter_job *job, struct outcome *o,
                          const struct json_members *members, const struct row_result *result)
{
    o->written = result->written.count > 0;
    const struct json_members *kept = o->written ? &result->written : members;
    o->members = members_keep(&job->members, kept);
    o->n_members = kept->count;
    memcpy(o->tally, result->tally, sizeof o->tally);
}

/* Works on one line. 0, or the code of a failure that stops the run. */
static int work_line(struct filter_run *run, int worker, struct filter_job *job, struct outcome *o,
                     struct error *error)
{
    struct worker_state *w = &run->workers[worker];
    struct row_result *result = &w->result;
    struct row row;
    int rc = 0;
    lend_texts(o, result);
    clear_result(result);
    o->is_row = line_scan(o->line, &run->source, &row, &w->members, &result->out) == 0;
    if (o->is_row) {
        row.file = job->block->lines.file;
        row.line_number = o->number;
        row.index = o->index;
        rc = run->filter->work(run->filter->context, worker, &row, result, error);
        o->value = row.value;
        o->fate = result->fate;
        if (rc == 0 && run->filter->done)
            keep_for_done(job, o, &row.members, result);
    } else {
        o->fate = ROW_BAD;
    }
    take_texts(o, result);
    return rc;
}

/* The next outcome of a job, whose texts may have memory of an earlier one. */
static struct outcome *new_outcome(struct filter_job *job)
{
    job->outcomes = mem_grow(job->outcomes, &job->cap, job->count + 1, sizeof *job->outcomes);
    struct outcome *o = &job->outcomes[job->count];
    bool used = job->count < job->made;
    struct buf out = used ? o->out : (struct buf){0}, note = used ? o->note : (struct buf){0};
    *o = (struct outcome){.out = out, .note = note};
    if (!used)
        job->made++;
    return o;
}

static void work_job(void *context, int worker, void *work)
{
    struct filter_run *run = context;
    struct filter_job *job = work;
    struct line_cursor c = job->from;
    struct span line;
    while (!job->stopped && !job->failed && line_next(&c, &line)) {
        if (signals_caught()) {
            job->stopped = true;
            break;
        }
        struct outcome *o = new_outcome(job);
        o->line = line;
        o->number = c.number;
        o->index = c.index - 1;
        job->failed = work_line(run, worker, job, o, &job->failure);
        job->count += job->failed == 0;
    }
    atomic_store(&job->finished, true);
    if (run->finish_fd >= 0)
        while (eventfd_write(run->finish_fd, 1) < 0 && errno == EINTR)
            continue;
}

/* ---- settling, on the calling thread --------------------------------------------------------- */

static void fail(struct filter_run *run, int code, const struct error *error)
{
    if (run->failed)
        return;
    run->failed = code;
    run->failure = *error;
}

static void flush(struct filter_run *run)
{
    struct error error;
    struct row_writer *writer = run->filter->writer;
    int rc = writer ? row_writer_flush(writer, &error) : 0;
    if (rc < 0)
        fail(run, rc, &error);
}

static void before_wait(void *data)
{
    struct filter_run *run = data;
    flush(run);
    if (run->filter->source.before_wait)
        run->filter->source.before_wait(run->filter->source.before_wait_data);
}

static int write_row(struct filter_run *run, const struct outcome *o, enum row_fate fate,
                     struct span out, struct error *error)
{
    struct row_writer *writer = run->filter->writer;
    if (!writer || fate == ROW_DROP)
        return 0;
    return fate == ROW_KEEP ? row_writer_line(writer, o->line, error)
                            : row_writer_lines(writer, out, error);
}

/* The row that done is given: the one that was read, or the one in `out`. */
static struct row settled_row(const struct filter_job *job, const struct outcome *o)
{
    struct row row = {
        .line = o->line,
        .value = o->value,
        .members = members_slice(&job->members, o->members, o->n_members),
        .file = job->block->lines.file,
        .line_number = o->number,
        .index = o->index,
    };
    if (o->written) {
        struct span out = buf_span(&o->out);
        row.line = out.len && out.ptr[out.len - 1] == '\n' ? span_slice(out, 0, out.len - 1) : out;
        row.value.text = row.line;
    }
    return row;
}

static int settle(struct filter_run *run, const struct filter_job *job, struct outcome *o,
                  struct error *error)
{
    const char *file = job->block->lines.file;
    if (o->fate == ROW_BAD)
        return bad_lines_take(&run->bad, line_raw(o->line), file, o->number, buf_span(&o->out),
                              error);
    run->counts.rows++;
    if (!run->filter->done)
        return write_row(run, o, o->fate, buf_span(&o->out), error);
    struct row row = settled_row(job, o);
    struct row_result result = {.fate = o->fate};
    lend_texts(o, &result);
    memcpy(result.tally, o->tally, sizeof result.tally);
    int rc = run->filter->done(run->filter->context, &row, &result, error);
    enum row_fate fate = result.fate;
    take_texts(o, &result);
    if (rc < 0)
        return rc;
    if (fate == ROW_BAD) {
        run->counts.rows--;
        return bad_lines_take(&run->bad, line_raw(o->line), file, o->number, buf_span(&o->out),
                              error);
    }
    return write_row(run, o, fate, buf_span(&o->out), error);
}

/* Long texts do not keep their memory: what a pass holds is bounded by the rows under way. */
static void forget_long(struct outcome *o)
{
    if (o->out.cap > ROW_TEXT_KEPT)
        buf_free(&o->out);
    if (o->note.cap > ROW_TEXT_KEPT)
        buf_free(&o->note);
}

static void block_unuse(struct filter_run *run, struct shared_block *block)
{
    if (--block->users)
        return;
    run->bytes_under_way -= block->lines.bytes.len;
    block->next_free = run->free_blocks;
    run->free_blocks = block;
}

/* Takes the oldest job from the pool, waiting for it, and settles its rows. */
static void settle_oldest(struct filter_run *run)
{
    struct filter_job *job = pool_take(run->pool, POOL_WAIT);
    struct error error;
    run->oldest = job->next_under_way;
    for (size_t i = 0; i < job->count && !run->failed; i++) {
        struct outcome *o = &job->outcomes[i];
        int rc = settle(run, job, o, &error);
        forget_long(o);
        if (rc < 0)
            fail(run, rc, &error);
        run->last_file = job->block->lines.file;
        run->last_number = o->number;
    }
    if (job->failed)
        fail(run, job->failed, &job->failure);
    if (job->stopped) {
        error_set(&error, ERROR_INTERRUPTED, "interrupted");
        fail(run, ERROR_INTERRUPTED, &error);
    }
    block_unuse(run, job->block);
    job->next_free = run->free_jobs;
    run->free_jobs = job;
}

static bool oldest_finished(const struct filter_run *run)
{
    return run->oldest && atomic_load(&run->oldest->finished);
}

/* Slow work is written as soon as it is done: it is not lost when the process is killed. */
static void settle_next(struct filter_run *run)
{
    settle_oldest(run);
    if (run->filter->batch == 1 && !oldest_finished(run))
        flush(run);
}

/* ---- cutting and submitting ------------------------------------------------------------------ */

/* The next block into run->block. A LINES_ value or a negative code. */
static int next_block(struct filter_run *run, bool may_wait, struct error *error)
{
    struct shared_block *block = run->free_blocks;
    if (block)
        run->free_blocks = block->next_free;
    else
        block = mem_zero(1, sizeof *block);
    int rc = lines_next(run->lines, &block->lines, may_wait, error);
    if (rc != LINES_BLOCK) {
        block->next_free = run->free_blocks;
        run->free_blocks = block;
        return rc;
    }
    block->users = 1; /* the cutting */
    run->block = block;
    run->bytes_under_way += block->lines.bytes.len;
    run->counts.bytes += block->lines.size;
    line_cursor_start(&run->cursor, &block->lines);
    return rc;
}

static struct filter_job *new_job(struct filter_run *run)
{
    struct filter_job *job = run->free_jobs;
    if (job)
        run->free_jobs = job->next_free;
    else
        job = mem_zero(1, sizeof *job);
    job->count = job->members.count = 0;
    job->stopped = false;
    job->failed = 0;
    atomic_store(&job->finished, false);
    job->next_under_way = NULL;
    return job;
}

/* Cuts the next job off run->block and submits it; the block is left when it is used up. */
static void submit_job(struct filter_run *run)
{
    size_t most = run->filter->batch && run->filter->batch < ROW_BATCH_MAX ? run->filter->batch
                                                                           : ROW_BATCH_MAX;
    struct line_cursor from = run->cursor;
    struct span line;
    size_t rows = 0;
    while (rows < most && line_next(&run->cursor, &line))
        rows++;
    if (rows) {
        struct filter_job *job = new_job(run);
        job->block = run->block;
        job->from = from;
        job->from.end = run->cursor.at;
        run->block->users++;
        if (run->oldest)
            run->newest->next_under_way = job;
        else
            run->oldest = job;
        run->newest = job;
        pool_submit(run->pool, job);
    }
    if (run->cursor.at == run->cursor.end) {
        block_unuse(run, run->block);
        run->block = NULL;
    }
}

/* A piece of a line over max_line: everything before it is settled first. */
static void settle_piece(struct filter_run *run)
{
    struct error error;
    while (run->oldest && !run->failed)
        settle_next(run);
    int rc = run->failed ? 0
                         : bad_lines_piece(&run->bad, &run->source, &run->block->lines,
                                           run->cursor.number, &error);
    if (rc < 0)
        fail(run, rc, &error);
    block_unuse(run, run->block);
    run->block = NULL;
}

/* The input is over, with rc < 0 for a reason: what is under way is settled first. */
static void end_input(struct filter_run *run, int rc, const struct error *error)
{
    run->ended = true;
    while (run->oldest && !run->failed)
        settle_next(run);
    if (rc < 0)
        fail(run, rc, error);
}

/* No input is there and jobs are under way: waits for either. */
static void wait_for_either(struct filter_run *run)
{
    struct error error;
    eventfd_t count;
    if (run->finish_fd < 0) { /* quick work */
        settle_next(run);
        return;
    }
    int rc = input_wait(lines_descriptor(run->lines), run->finish_fd, &error);
    if (rc < 0)
        end_input(run, rc, &error);
    else
        eventfd_read(run->finish_fd, &count);
}

/* Brings run->block about, or waits, or finds the end. */
static void more_input(struct filter_run *run)
{
    struct error error;
    int rc = next_block(run, run->oldest == NULL, &error);
    if (rc == LINES_WAIT)
        wait_for_either(run);
    else if (rc != LINES_BLOCK)
        end_input(run, rc, &error);
}

static void loop(struct filter_run *run)
{
    while (!run->failed && !(run->ended && !run->oldest)) {
        if (oldest_finished(run) || (run->oldest && (run->ended || pool_full(run->pool))))
            settle_next(run);
        else if (run->block && run->block->lines.long_piece)
            settle_piece(run);
        else if (run->block)
            submit_job(run);
        else if (run->bytes_under_way >= ROW_BYTES_AHEAD)
            settle_next(run);
        else
            more_input(run);
    }
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void free_job(struct filter_job *job)
{
    json_members_free(&job->members);
    for (size_t i = 0; i < job->made; i++) {
        buf_free(&job->outcomes[i].out);
        buf_free(&job->outcomes[i].note);
    }
    free(job->outcomes);
    free(job);
}

static void free_block(struct shared_block *block)
{
    line_block_free(&block->lines);
    free(block);
}

static void release(struct filter_run *run)
{
    pool_close(run->pool);
    while (run->oldest) { /* a failed run leaves jobs behind */
        struct filter_job *job = run->oldest;
        run->oldest = job->next_under_way;
        block_unuse(run, job->block);
        free_job(job);
    }
    if (run->block)
        block_unuse(run, run->block);
    while (run->free_jobs) {
        struct filter_job *job = run->free_jobs;
        run->free_jobs = job->next_free;
        free_job(job);
    }
    while (run->free_blocks) {
        struct shared_block *block = run->free_blocks;
        run->free_blocks = block->next_free;
        free_block(block);
    }
    for (int i = 0; i < run->jobs; i++) {
        json_members_free(&run->workers[i].members);
        json_members_free(&run->workers[i].result.written);
    }
    if (run->finish_fd >= 0)
        close(run->finish_fd);
    free(run->workers);
    lines_close(run->lines);
}

static int start(struct filter_run *run, struct error *error)
{
    const struct row_filter *filter = run->filter;
    int rc = bad_lines_open(&run->bad, &run->source, error);
    if (rc < 0)
        return rc;
    run->jobs = filter->jobs > 1 ? filter->jobs : 1;
    if (filter->batch == 1 && run->jobs > 1) {
        run->finish_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (run->finish_fd < 0)
            return error_errno(error, ERROR_SYSTEM, "the worker threads cannot be watched");
    }
    run->workers = mem_zero((size_t)run->jobs, sizeof *run->workers);
    /* Slow work leaves this thread free to read, settle and write. */
    run->pool =
        filter->batch == 1
            ? pool_open(run->jobs, 0, work_job, run)
            : pool_open_shared(run->jobs, (size_t)run->jobs + ROW_BLOCKS_AHEAD, work_job, run);
    return 0;
}

int row_filter_run(const struct row_filter *filter, struct row_counts *counts, struct error *error)
{
    struct filter_run run = {.filter = filter, .source = filter->source, .finish_fd = -1};
    run.source.before_wait = before_wait;
    run.source.before_wait_data = &run;
    run.lines = lines_open(&run.source, error);
    if (!run.lines)
        return ERROR_INPUT;
    int rc = start(&run, error);
    if (rc < 0) {
        bad_lines_close(&run.bad, NULL);
        lines_close(run.lines);
        return rc;
    }
    loop(&run);
    flush(&run); /* the rows before a failure are whole and stay */
    struct error closing;
    rc = bad_lines_close(&run.bad, &closing);
    if (rc < 0)
        fail(&run, rc, &closing);
    if (counts) {
        *counts = run.counts;
        counts->bad = run.bad.count;
        memcpy(counts->first_bad, run.bad.first, sizeof counts->first_bad);
        counts->blank = run.cursor.blank;
    }
    if (run.failed && error)
        *error = run.failure;
    if (run.failed == ERROR_INTERRUPTED)
        interrupted_behind(run.last_file, run.last_number, error);
    release(&run);
    return run.failed;
}
