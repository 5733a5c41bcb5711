/* The filter loop: order, fates, done, failures, flushing before it waits, at any number of jobs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "base/signals.h"
#include "files.h"
#include "row/defaults.h"
#include "row/filter.h"

static struct error error;

/* What the filter under test does with a row {"i": N, "do": WHAT}. */
struct context {
    int64_t fail_at;       /* work fails at this i; -1: never */
    int64_t kept, changed; /* done's counts */
    int64_t sum;           /* of i, as done sees them */
    int64_t last;          /* i of the row before: done comes in order */
    struct buf notes;
    bool drop_in_done;
};

static int64_t number(const struct row *row, struct span key)
{
    int64_t value = -1;
    const struct json_value *v = row_get(row, key);
    return v && json_int64(*v, &value) ? value : -1;
}

static int work(void *context, int worker, const struct row *row, struct row_result *result,
                struct error *e)
{
    struct context *c = context;
    int64_t i = number(row, SPAN("i"));
    (void)worker;
    assert_int_equal(result->out.len + result->note.len, 0);
    assert_int_equal(result->fate, ROW_DROP);
    for (int t = 0; t < ROW_TALLIES; t++)
        assert_int_equal(result->tally[t], 0);
    if (i == c->fail_at)
        return error_set(e, ERROR_REMOTE, "%s:%llu: the service is down", row->file,
                         (unsigned long long)row->line_number);
    result->tally[0] = i;
    result->tally[ROW_TALLIES - 1] = (int64_t)row->index;
    switch (i % 5) {
    case 0: result->fate = ROW_KEEP; break;
    case 1:
        result->fate = ROW_CHANGED;
        buf_format(&result->out, "{\"changed\":%lld}\n{\"twice\":%lld}\n", (long long)i,
                   (long long)i);
        break;
    case 2: result->fate = ROW_DROP; break;
    case 3:
        result->fate = ROW_KEEP;
        buf_format(&result->note, "[%lld]", (long long)i);
        break;
    default:
        result->fate = ROW_BAD;
        buf_format(&result->out, "i is %lld; count again", (long long)i);
        break;
    }
    return 0;
}

static int done(void *context, const struct row *row, struct row_result *result, struct error *e)
{
    struct context *c = context;
    (void)e;
    assert_int_equal(number(row, SPAN("i")), result->tally[0]);
    assert_int_equal((int64_t)row->index, result->tally[ROW_TALLIES - 1]);
    assert_true(result->tally[0] > c->last);
    c->last = result->tally[0];
    c->kept += result->fate == ROW_KEEP;
    c->changed += result->fate == ROW_CHANGED;
    c->sum += result->tally[0];
    buf_span_add(&c->notes, buf_span(&result->note));
    if (c->drop_in_done)
        result->fate = result->tally[0] % 10 == 0 ? ROW_BAD : ROW_DROP;
    if (result->fate == ROW_BAD)
        buf_text(&result->out, "dropped late");
    return 0;
}

/* Lines {"i": N}, some padded, blank ones and bad ones between them. */
static void make_input(struct buf *in, int rows)
{
    for (int i = 0; i < rows; i++) {
        if (i % 17 == 3)
            buf_text(in, "\n");
        if (i % 31 == 5)
            buf_text(in, "{\"i\":\n");
        buf_format(in, "{\"i\": %d, \"pad\": \"%0*d\"}\n", i, i % 700 + 1, 0);
    }
}

struct run {
    int rc;
    struct buf out, bad;
    struct row_counts counts;
    struct context context;
};

static struct run run(int jobs, size_t batch, const char *on_bad, bool with_done,
                      struct context context)
{
    const char *path = "in";
    struct run r = {.context = context};
    struct row_filter filter = {
        .source = {.paths = &path, .n_paths = 1, .options = ROW_OPTIONS_DEFAULT},
        .writer = row_writer_open("out", &error),
        .jobs = jobs,
        .batch = batch,
        .work = work,
        .done = with_done ? done : NULL,
        .context = &r.context,
    };
    filter.source.options.on_bad = on_bad;
    r.context.last = -1;
    error.text[0] = '\0';
    r.rc = row_filter_run(&filter, &r.counts, &error);
    assert_int_equal(row_writer_close(filter.writer, NULL), 0);
    r.out = file_get("out");
    if (strcmp(on_bad, "bad") == 0)
        r.bad = file_get("bad");
    return r;
}

static void release(struct run *r)
{
    buf_free(&r->out);
    buf_free(&r->bad);
    buf_free(&r->context.notes);
}

static void test_agree(void **state)
{
    struct buf in = {0};
    enum { ROWS = 6000 };
    static const size_t BATCHES[] = {0, 1, 7, 5000};
    (void)state;
    make_input(&in, ROWS);
    file_put("in", buf_span(&in));
    struct run first = run(1, 0, "bad", true, (struct context){.fail_at = -1});
    assert_int_equal(first.rc, 0);
    assert_int_equal(first.counts.rows, ROWS * 4 / 5);
    assert_int_equal(first.counts.bad, ROWS / 5 + (ROWS - 6) / 31 + 1);
    assert_int_equal(first.counts.blank, (ROWS - 4) / 17 + 1);
    assert_int_equal(first.counts.bytes, in.len);
    assert_int_equal(first.context.kept, ROWS * 2 / 5);
    assert_int_equal(first.context.changed, ROWS / 5);
    assert_non_null(strstr(first.context.notes.data, "[3][8][13]"));
    assert_true(span_starts(buf_span(&first.out),
                            SPAN("{\"i\": 0, \"pad\": \"0\"}\n{\"changed\":1}\n{\"twice\":1}\n"
                                 "{\"i\": 3, ")));
    for (int jobs = 1; jobs <= 4; jobs++) {
        for (size_t b = 0; b < sizeof BATCHES / sizeof *BATCHES; b++) {
            struct run other =
                run(jobs, BATCHES[b], "bad", jobs % 2 == 1, (struct context){.fail_at = -1});
            assert_int_equal(other.rc, 0);
            assert_int_equal(other.out.len, first.out.len);
            assert_memory_equal(other.out.data, first.out.data, first.out.len);
            assert_int_equal(other.bad.len, first.bad.len);
            assert_memory_equal(other.bad.data, first.bad.data, first.bad.len);
            assert_memory_equal(&other.counts, &first.counts, sizeof first.counts);
            if (jobs % 2 == 1)
                assert_int_equal(other.context.sum, first.context.sum);
            release(&other);
        }
    }
    release(&first);
    buf_free(&in);
}

static void test_fate_changed_in_done(void **state)
{
    (void)state;
    file_put("in", SPAN("{\"i\":0}\n{\"i\":1}\n{\"i\":2}\n{\"i\":3}\n{\"i\":5}\n{\"i\":10}\n"));
    struct run r = run(2, 1, "bad", true, (struct context){.fail_at = -1, .drop_in_done = true});
    assert_int_equal(r.rc, 0);
    assert_int_equal(r.out.len, 0);
    assert_string_equal(r.bad.data, "{\"i\":0}\n{\"i\":10}\n");
    assert_int_equal(r.counts.rows, 4);
    assert_int_equal(r.counts.bad, 2);
    release(&r);
}

/* The first thing that goes wrong, in the order of the rows, ends the run; the rows before it are
 * out. */
static void test_failures(void **state)
{
    struct buf in = {0};
    (void)state;
    for (int i = 0; i < 4000; i++)
        buf_format(&in, "{\"i\": %d, \"pad\": \"%0*d\"}\n", i * 5, 200, 0);
    size_t rows = in.len;
    for (int jobs = 1; jobs <= 3; jobs++) {
        for (size_t batch = 0; batch <= 1; batch++) {
            in.len = rows;
            file_put("in", buf_span(&in));
            struct run r = run(jobs, batch, "stop", false, (struct context){.fail_at = 2500});
            assert_int_equal(r.rc, ERROR_REMOTE);
            assert_string_equal(error.text, "in:501: the service is down");
            assert_int_equal(r.counts.rows, 500);
            size_t written = span_find(span_make(in.data, rows), SPAN("{\"i\": 2500,"), 0);
            assert_int_equal(r.out.len, written);
            release(&r);

            buf_text(&in, "{\"i\": 4}\n"); /* ROW_BAD */
            file_put("in", buf_span(&in));
            r = run(jobs, batch, "stop", true, (struct context){.fail_at = -1});
            assert_int_equal(r.rc, ERROR_INPUT);
            assert_string_equal(error.text, "in:4001: i is 4; count again");
            assert_int_equal(r.out.len, rows);
            release(&r);

            in.len = rows;
            buf_text(&in, "{\"i\": 5\n"); /* no JSON */
            file_put("in", buf_span(&in));
            r = run(jobs, batch, "stop", true, (struct context){.fail_at = -1});
            assert_int_equal(r.rc, ERROR_INPUT);
            assert_true(span_starts(span_text(error.text), SPAN("in:4001: not JSON at byte ")));
            release(&r);
        }
    }
    buf_free(&in);
}

/* A line over max_line comes between jobs under way. */
static void test_long_line(void **state)
{
    struct buf in = {0}, want = {0};
    (void)state;
    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < 3000; i++) {
            buf_format(&in, "{\"i\": %d}\n", (part * 3000 + i) * 5);
            buf_format(&want, "{\"i\": %d}\n", (part * 3000 + i) * 5);
        }
        if (part < 2)
            for (size_t i = 0; i < 3 * ROW_BLOCK_BYTES; i++)
                buf_byte(&in, 'x');
        buf_text(&in, part < 2 ? "\n" : "");
    }
    file_put("in", buf_span(&in));
    const char *path = "in";
    for (int jobs = 1; jobs <= 3; jobs++) {
        struct context context = {.fail_at = -1, .last = -1};
        struct row_counts counts;
        struct row_filter filter = {
            .source = {.paths = &path, .n_paths = 1, .options = ROW_OPTIONS_DEFAULT},
            .writer = row_writer_open("out", &error),
            .jobs = jobs,
            .work = work,
            .done = done,
            .context = &context,
        };
        filter.source.options.on_bad = "bad";
        filter.source.options.max_line = 1000;
        assert_int_equal(row_filter_run(&filter, &counts, &error), 0);
        assert_int_equal(row_writer_close(filter.writer, &error), 0);
        struct buf out = file_get("out"), bad = file_get("bad");
        assert_int_equal(counts.rows, 9000);
        assert_int_equal(counts.bad, 2);
        assert_string_equal(out.data, want.data);
        assert_int_equal(bad.len, 2 * (3 * ROW_BLOCK_BYTES + 1));
        buf_free(&out);
        buf_free(&bad);
    }
    buf_free(&in);
    buf_free(&want);
}

/* ---- a filter inside a co-process
 * ------------------------------------------------------------------- */

static int echo(void *context, int worker, const struct row *row, struct row_result *result,
                struct error *e)
{
    (void)context, (void)worker, (void)row, (void)e;
    result->fate = ROW_KEEP;
    return 0;
}

static void *run_echo(void *data)
{
    struct error e;
    struct row_filter *filter = data;
    assert_int_equal(row_filter_run(filter, NULL, &e), 0);
    return NULL;
}

/* One row in, its row out, before the next is sent: it must not sit in a buffer. */
static void test_flush_before_wait(void **state)
{
    (void)state;
    alarm(60);
    for (int jobs = 1; jobs <= 3; jobs++) {
        for (size_t batch = 0; batch <= 1; batch++) {
            int in[2], out[2];
            char in_path[32], out_path[32], answer[100];
            assert_int_equal(pipe(in) | pipe(out), 0);
            snprintf(in_path, sizeof in_path, "/dev/fd/%d", in[0]);
            snprintf(out_path, sizeof out_path, "/dev/fd/%d", out[1]);
            const char *paths[] = {in_path};
            struct row_filter filter = {
                .source = {.paths = paths, .n_paths = 1, .options = ROW_OPTIONS_DEFAULT},
                .writer = row_writer_open(out_path, &error),
                .jobs = jobs,
                .batch = batch,
                .work = echo,
            };
            pthread_t thread;
            pthread_create(&thread, NULL, run_echo, &filter);
            for (int i = 0; i < 200; i++) {
                char line[40];
                int len = snprintf(line, sizeof line, "{\"i\":%d}\n", i);
                assert_int_equal(write(in[1], line, (size_t)len), len);
                assert_int_equal(read(out[0], answer, sizeof answer), len);
                assert_memory_equal(answer, line, (size_t)len);
            }
            close(in[1]);
            pthread_join(thread, NULL);
            row_writer_close(filter.writer, &error);
            close(in[0]);
            close(out[0]);
            close(out[1]);
        }
    }
    alarm(0);
}

/* Slow work: the third row waits for the fourth to arrive, so input must be read meanwhile; and the
 * first two are out although the third is under way. */
struct meeting {
    atomic_int fourth_came;
};

static int meet(void *context, int worker, const struct row *row, struct row_result *result,
                struct error *e)
{
    struct meeting *m = context;
    (void)worker, (void)e;
    if (row->index == 3)
        atomic_store(&m->fourth_came, 1);
    while (row->index == 2 && !atomic_load(&m->fourth_came))
        usleep(1000);
    result->fate = ROW_KEEP;
    return 0;
}

static void test_reads_while_working(void **state)
{
    int in[2], out[2];
    char in_path[32], out_path[32], answer[100];
    struct meeting m = {0};
    (void)state;
    alarm(60);
    assert_int_equal(pipe(in) | pipe(out), 0);
    snprintf(in_path, sizeof in_path, "/dev/fd/%d", in[0]);
    snprintf(out_path, sizeof out_path, "/dev/fd/%d", out[1]);
    const char *paths[] = {in_path};
    struct row_filter filter = {
        .source = {.paths = paths, .n_paths = 1, .options = ROW_OPTIONS_DEFAULT},
        .writer = row_writer_open(out_path, &error),
        .jobs = 2,
        .batch = 1,
        .work = meet,
        .context = &m,
    };
    pthread_t thread;
    pthread_create(&thread, NULL, run_echo, &filter);
    assert_int_equal(write(in[1], "{}\n{}\n{}\n", 9), 9);
    size_t got = 0;
    while (got < 6)
        got += (size_t)read(out[0], answer + got, 6 - got);
    assert_int_equal(write(in[1], "{}\n", 3), 3);
    while (got < 12)
        got += (size_t)read(out[0], answer + got, 12 - got);
    assert_memory_equal(answer, "{}\n{}\n{}\n{}\n", 12);
    close(in[1]);
    pthread_join(thread, NULL);
    row_writer_close(filter.writer, &error);
    close(in[0]);
    close(out[0]);
    close(out[1]);
    alarm(0);
}

/* ---- signals
 * ------------------------------------------------------------------------------------------ */

static int stop_at_50(void *context, int worker, const struct row *row, struct row_result *result,
                      struct error *e)
{
    (void)context, (void)worker, (void)e;
    if (row->index == 50)
        kill(getpid(), SIGTERM);
    result->fate = ROW_KEEP;
    return 0;
}

/* Whole lines, a prefix of the rows, ERROR_INTERRUPTED. */
static void test_signal(void **state)
{
    struct buf in = {0};
    (void)state;
    for (int i = 0; i < 100000; i++)
        buf_format(&in, "{\"i\":%d}\n", i);
    file_put("in", buf_span(&in));
    for (int jobs = 1; jobs <= 3; jobs++) {
        for (size_t batch = 0; batch <= 1; batch++) {
            pid_t child = fork();
            if (child == 0) {
                const char *path = "in";
                int fd = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666);
                alarm(30);
                signals_open();
                dup2(fd, 1);
                struct row_filter filter = {
                    .source = {.paths = &path, .n_paths = 1, .options = ROW_OPTIONS_DEFAULT},
                    .writer = row_writer_open(NULL, &error),
                    .jobs = jobs,
                    .batch = batch,
                    .work = stop_at_50,
                };
                int rc = row_filter_run(&filter, NULL, &error);
                row_writer_flush(filter.writer, NULL);
                struct buf want = {0};
                buf_format(&want, "interrupted; done up to in:%llu",
                           (unsigned long long)row_writer_count(filter.writer));
                _exit(rc == ERROR_INTERRUPTED && strcmp(error.text, buf_cstr(&want)) == 0 ? 0 : 1);
            }
            int status;
            waitpid(child, &status, 0);
            assert_true(WIFEXITED(status));
            assert_int_equal(WEXITSTATUS(status), 0);
            struct buf out = file_get("out");
            assert_true(out.len > 0 && out.len < in.len);
            assert_int_equal(out.data[out.len - 1], '\n');
            assert_memory_equal(out.data, in.data, out.len);
            buf_free(&out);
        }
    }
    buf_free(&in);
}

/* The signal comes while the last row that arrived is at work and the input is open: the row is finished
 * and written, and the run was interrupted all the same. */
static int finish_after_signal(void *context, int worker, const struct row *row,
                               struct row_result *result, struct error *e)
{
    (void)context, (void)worker, (void)row, (void)e;
    usleep(20000); /* the main thread waits by now, most of the time */
    kill(getpid(), SIGINT);
    while (!signals_caught())
        usleep(1000);
    result->fate = ROW_KEEP;
    return 0;
}

static void test_signal_while_waiting(void **state)
{
    (void)state;
    for (int jobs = 1; jobs <= 3; jobs++) {
        for (size_t batch = 0; batch <= 1; batch++) {
            pid_t child = fork();
            if (child == 0) {
                int in[2], fd = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666);
                char path[32];
                alarm(30);
                signals_open();
                dup2(fd, 1);
                if (pipe(in) != 0 || write(in[1], "{}\n", 3) != 3)
                    _exit(9);
                snprintf(path, sizeof path, "/dev/fd/%d", in[0]);
                const char *paths[] = {path};
                struct row_filter filter = {
                    .source = {.paths = paths, .n_paths = 1, .options = ROW_OPTIONS_DEFAULT},
                    .writer = row_writer_open(NULL, &error),
                    .jobs = jobs,
                    .batch = batch,
                    .work = finish_after_signal,
                };
                int rc = row_filter_run(&filter, NULL, &error);
                _exit(rc == ERROR_INTERRUPTED ? 0 : 1);
            }
            int status;
            waitpid(child, &status, 0);
            assert_true(WIFEXITED(status));
            assert_int_equal(WEXITSTATUS(status), 0);
            struct buf out = file_get("out");
            assert_string_equal(out.data, "{}\n");
            buf_free(&out);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agree),
        cmocka_unit_test(test_fate_changed_in_done),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_flush_before_wait),
        cmocka_unit_test(test_reads_while_working),
        cmocka_unit_test(test_signal),
        cmocka_unit_test(test_signal_while_waiting),
    };
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
