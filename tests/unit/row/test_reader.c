/* The row reader: lines, blocks, compressed input, pipes, bad lines, the same rows at any number of
 * jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/signals.h"
#include "files.h"
#include "row/defaults.h"
#include "row/reader.h"

static struct error error;

static struct row_source source_of(const char *const *paths, size_t n, int jobs)
{
    struct row_source source = {.paths = paths, .n_paths = n, .options = ROW_OPTIONS_DEFAULT};
    source.options.jobs = jobs;
    return source;
}

/* All rows as "FILE:LINE#INDEX TEXT\n", then "end", or "bad FILE:LINE: …". */
static struct buf transcript(const struct row_source *source, struct row_counts *counts)
{
    struct buf out = {0};
    struct row row;
    int got;
    struct row_reader *reader = row_reader_open(source, &error);
    if (!reader) {
        buf_format(&out, "closed %d %s", error.code, error.text);
        buf_cstr(&out);
        return out;
    }
    while ((got = row_reader_next(reader, &row, &error)) > 0) {
        buf_format(&out, "%s:%llu#%llu ", row.file, (unsigned long long)row.line_number,
                   (unsigned long long)row.index);
        buf_span_add(&out, row.line);
        buf_byte(&out, '\n');
        if (row.value.type == JSON_VALUE_OBJECT)
            assert_int_equal(json_count(row.value), row.members.count);
    }
    if (got == 0)
        buf_text(&out, "end");
    else
        buf_format(&out, "bad %d %s", got, error.text);
    if (counts)
        *counts = row_reader_counts(reader);
    assert_int_equal(row_reader_close(reader, &error), 0);
    buf_cstr(&out);
    return out;
}

/* The transcript is `expected` with 1 and with 3 jobs; begins with it, when it ends in "…" (what
 * the scanner calls a fault is its own to word). */
static void expect(const char *const *paths, size_t n, const char *on_bad, uint64_t max_line,
                   const char *expected)
{
    for (int jobs = 1; jobs <= 3; jobs += 2) {
        struct row_source source = source_of(paths, n, jobs);
        source.options.on_bad = on_bad;
        if (max_line)
            source.options.max_line = max_line;
        struct buf got = transcript(&source, NULL);
        struct span want = span_text(expected);
        if (span_ends(want, SPAN("…"))) {
            want.len -= strlen("…");
            assert_true(got.len > want.len);
            got.data[want.len] = '\0';
            assert_memory_equal(got.data, want.ptr, want.len);
        } else {
            assert_string_equal(got.data, expected);
        }
        buf_free(&got);
    }
}

static void expect_file(struct span bytes, const char *on_bad, uint64_t max_line,
                        const char *expected)
{
    const char *path = "in";
    file_put(path, bytes);
    expect(&path, 1, on_bad, max_line, expected);
}

static void test_lines(void **state)
{
    (void)state;
    expect_file(SPAN(""), "stop", 0, "end");
    expect_file(SPAN("\n\n"), "stop", 0, "end");
    expect_file(SPAN("{}"), "stop", 0, "in:1#0 {}\nend");
    expect_file(SPAN("{\"a\":1}\r\n{\"b\":2}\r\n"), "stop", 0,
                "in:1#0 {\"a\":1}\nin:2#1 {\"b\":2}\nend");
    expect_file(SPAN("\xef\xbb\xbf{\"a\":1}\n"), "stop", 0, "in:1#0 {\"a\":1}\nend");
    expect_file(SPAN("\xef\xbb\xbf"), "stop", 0, "end");
    expect_file(SPAN("\n \t\n{}\n\r\n{}"), "stop", 0, "in:3#0 {}\nin:5#1 {}\nend");
    /* U+0085, U+3000, U+001C are white space; U+200B is not. */
    expect_file(SPAN("\xc2\x85\n\xe3\x80\x80\x1c\n{}\n\xe2\x80\x8b\n"), "stop", 0,
                "in:3#0 {}\nbad -3 in:4: not JSON at byte 1: …");
}

static void test_operands(void **state)
{
    const char *paths[] = {"a", "b", "c"};
    (void)state;
    file_put("a", SPAN("{}\n\n{}"));
    file_put("b", SPAN(""));
    file_put("c", SPAN("\xef\xbb\xbf\n{}\n"));
    expect(paths, 3, "stop", 0, "a:1#0 {}\na:3#1 {}\nc:2#2 {}\nend");
    paths[1] = "missing";
    expect(paths, 3, "stop", 0, "closed -3 missing: cannot be opened: No such file or directory");
    paths[1] = ".";
    expect(paths, 3, "stop", 0, "closed -3 .: is a folder; name the files in it");
}

static void test_read_error(void **state)
{
    const char *path = "/proc/self/mem"; /* its first page is not mapped */
    struct row_source source = source_of(&path, 1, 1);
    (void)state;
    struct buf got = transcript(&source, NULL);
    assert_non_null(strstr(got.data, "bad -5 /proc/self/mem: reading broke off behind byte 0"));
    buf_free(&got);
}

static void test_bad_lines(void **state)
{
    (void)state;
    expect_file(SPAN("{}\n{\"a\": tru}\n{}\n"), "stop", 0,
                "in:1#0 {}\nbad -3 in:2: not JSON at byte 7: …");
    expect_file(SPAN("{}\n[1]\n7\n{}"), "skip", 0, "in:1#0 {}\nin:4#3 {}\nend");
    expect_file(
        SPAN("{}\n[1]\n"), "stop", 0,
        "in:1#0 {}\nbad -3 in:2: an array where a row (a JSON object) is due; mend the line or "
        "pass --on-bad skip");
    /* Moved byte for byte, NUL and CR too; the newline that the last one lacks is added. */
    expect_file(SPAN("x\r\n{}\ny\0z\n[]"), "out", 0, "in:2#1 {}\nend");
    struct buf moved = file_get("out");
    assert_int_equal(moved.len, 10);
    assert_memory_equal(moved.data, "x\r\ny\0z\n[]\n", 10);
    buf_free(&moved);
    expect_file(SPAN("{}\n"), "in", 0,
                "closed -2 --on-bad in is an input too and would be lost; name another file");
    expect_file(
        SPAN("{}\n"), "no/such/folder/out", 0,
        "closed -5 no/such/folder/out: cannot be created (No such file or directory); make its "
        "folder first");
}

static void test_any_value(void **state)
{
    const char *path = "in";
    struct row_source source = source_of(&path, 1, 1);
    struct row_counts counts;
    (void)state;
    file_put(path, SPAN("[1]\n\n\"x\"\nnull\n{\"a\":1}\n"));
    source.any_value = true;
    struct buf got = transcript(&source, &counts);
    assert_string_equal(got.data, "in:1#0 [1]\nin:3#1 \"x\"\nin:4#2 null\nin:5#3 {\"a\":1}\nend");
    assert_int_equal(counts.rows, 4);
    assert_int_equal(counts.blank, 1);
    assert_int_equal(counts.bytes, 22);
    assert_int_equal(counts.bad, 0);
    buf_free(&got);
}

/* A line over max_line, shorter and longer than a block, in the middle and at the end. */
static void test_long_lines(void **state)
{
    struct buf in = {0};
    char expected[200];
    (void)state;
    expect_file(SPAN("{\"a\":\"0123456789\"}\n{}\n"), "skip", 17, "in:2#1 {}\nend");
    expect_file(SPAN("{\"a\":\"012345678\"}\r\n{}\n"), "skip", 17,
                "in:1#0 {\"a\":\"012345678\"}\nin:2#1 {}\nend");
    for (int tail = 0; tail < 3; tail++) {
        buf_clear(&in);
        buf_text(&in, "{}\n\n");
        size_t from = in.len;
        for (size_t i = 0; i < 5 * ROW_BLOCK_BYTES / 2; i++)
            buf_byte(&in, (char)('a' + i % 26));
        if (tail)
            buf_byte(&in, '\n');
        size_t to = in.len;
        if (tail == 2)
            buf_text(&in, "{\"z\":1}\n");
        expect_file(buf_span(&in), "out", 1000,
                    tail == 2 ? "in:1#0 {}\nin:4#2 {\"z\":1}\nend" : "in:1#0 {}\nend");
        struct buf moved = file_get("out");
        assert_int_equal(moved.len, to - from + (tail == 0));
        assert_memory_equal(moved.data, in.data + from, to - from);
        buf_free(&moved);
        snprintf(
            expected, sizeof expected,
            "in:1#0 {}\nbad -3 in:3: the line is longer than 1000 bytes; raise --max-line or pass "
            "--on-bad skip");
        expect_file(buf_span(&in), "stop", 1000, expected);
    }
    /* Within the bound it is a row like any other. */
    buf_clear(&in);
    buf_text(&in, "{\"a\":\"");
    for (size_t i = 0; i < 20 * ROW_BLOCK_BYTES; i++)
        buf_byte(&in, 'x');
    buf_text(&in, "\"}\n{}\n");
    file_put("in", buf_span(&in));
    const char *path = "in";
    for (int jobs = 1; jobs <= 3; jobs++) {
        struct row_source source = source_of(&path, 1, jobs);
        struct row_counts counts;
        struct buf got = transcript(&source, &counts);
        assert_int_equal(counts.rows, 2);
        assert_int_equal(counts.bytes, in.len);
        assert_int_equal(got.len, in.len - 3 + strlen("in:1#0 in:2#1 {}\nend") - 0);
        buf_free(&got);
    }
    buf_free(&in);
}

/* About 3 MB of lines of every length, some blank, some bad, some with CR. */
static void make_input(struct buf *in, unsigned seed)
{
    for (unsigned i = 0; in->len < 3000000; i++) {
        seed = seed * 1103515245u + 12345u;
        unsigned kind = (seed >> 16) % 20, size = (seed >> 8) % 3000;
        if (kind == 0)
            buf_text(in, " \n");
        else if (kind == 1)
            buf_format(in, "{\"broken\": %u\n", i);
        else
            buf_format(in, "{\"i\": %u, \"s\": \"%0*d\"}%s\n", i, (int)size, 7,
                       kind == 2 ? "\r" : "");
    }
}

static void test_jobs_agree(void **state)
{
    const char *paths[] = {"in", "in.zst", "in"};
    struct buf in = {0}, packed = {0};
    (void)state;
    make_input(&in, 1);
    file_put("in", buf_span(&in));
    zstd_add(&packed, buf_span(&in));
    file_put("in.zst", buf_span(&packed));
    struct row_source source = source_of(paths, 3, 1);
    source.options.on_bad = "skip";
    struct row_counts first;
    struct buf one = transcript(&source, &first);
    assert_non_null(strstr(one.data, "in.zst:1#"));
    assert_int_equal(first.bytes, 3 * in.len);
    for (int jobs = 2; jobs <= 5; jobs++) {
        struct row_counts counts;
        source.options.jobs = jobs;
        struct buf many = transcript(&source, &counts);
        assert_int_equal(one.len, many.len);
        assert_memory_equal(one.data, many.data, one.len);
        assert_memory_equal(&first, &counts, sizeof first);
        buf_free(&many);
    }
    /* The first bad line stops, at any number of jobs, with the same rows before it. */
    source.options.on_bad = "stop";
    source.options.jobs = 1;
    struct buf stopped = transcript(&source, NULL);
    source.options.jobs = 4;
    struct buf also = transcript(&source, NULL);
    assert_string_equal(stopped.data, also.data);
    assert_non_null(strstr(stopped.data, "\nbad -3 in:"));
    buf_free(&stopped);
    buf_free(&also);
    buf_free(&one);
    buf_free(&in);
    buf_free(&packed);
}

/* ---- zstd
 * ------------------------------------------------------------------------------------------ */

static void test_zstd_frames(void **state)
{
    struct buf z = {0};
    (void)state;
    buf_add(&z, "\x5e\x2a\x4d\x18\x03\0\0\0abc", 11); /* a skippable frame first */
    zstd_add(&z, SPAN("\xef\xbb\xbf{\"a\":1}\n{\"b\""));
    zstd_add(&z, SPAN("")); /* an empty one */
    zstd_add(&z, SPAN(":2}\n{}"));
    expect_file(buf_span(&z), "stop", 0, "in:1#0 {\"a\":1}\nin:2#1 {\"b\":2}\nin:3#2 {}\nend");
    buf_free(&z);
    /* Bytes that only begin like a frame are text. */
    expect_file(SPAN("\x28\xb5\n{}"), "skip", 0, "in:2#1 {}\nend");
}

static void test_zstd_damaged(void **state)
{
    struct buf z = {0}, in = {0};
    (void)state;
    zstd_add(&z, SPAN("{\"a\":1}\n"));
    size_t whole = z.len;
    zstd_add(&z, SPAN("{\"b\":2}\n"));
    expect_file(span_make(z.data, whole), "stop", 0, "in:1#0 {\"a\":1}\nend");
    char expected[200];
    snprintf(expected, sizeof expected,
             "in:1#0 {\"a\":1}\nbad -3 in: the zstd data ends inside a frame, at byte %zu; the "
             "file is cut "
             "short: fetch or write it again",
             z.len - 1);
    expect_file(span_make(z.data, z.len - 1), "skip", 0, expected);
    /* Every cut of a larger file: an error or, between frames, the end; never a crash or a half
     * row. */
    make_input(&in, 2);
    in.len = 20000;
    buf_clear(&z);
    zstd_add(&z, buf_span(&in));
    const char *path = "cut";
    for (size_t len = 4; len < z.len; len += 97) {
        file_put(path, span_make(z.data, len));
        struct row_source source = source_of(&path, 1, 1);
        source.options.on_bad = "skip";
        struct buf got = transcript(&source, NULL);
        assert_non_null(strstr(got.data, "bad -3 cut: the zstd data ends inside a frame"));
        buf_free(&got);
    }
    /* Rubbish behind a frame. */
    buf_clear(&z);
    zstd_add(&z, SPAN("{}\n"));
    buf_text(&z, "rubbish");
    file_put(path, buf_span(&z));
    struct row_source source = source_of(&path, 1, 1);
    struct buf got = transcript(&source, NULL);
    assert_non_null(strstr(got.data, "bad -3 cut: the zstd data is damaged near byte"));
    buf_free(&got);
    buf_free(&z);
    buf_free(&in);
}

/* ---- pipes
 * ----------------------------------------------------------------------------------------- */

static void count_wait(void *data)
{
    ++*(int *)data;
}

/* A row on a pipe is delivered although the writer keeps the pipe open. A hang fails by SIGALRM. */
static void test_pipe_latency(void **state)
{
    (void)state;
    alarm(60);
    for (int compressed = 0; compressed < 2; compressed++) {
        for (int jobs = 1; jobs <= 3; jobs++) {
            int ends[2], waits = 0;
            char path[32];
            struct row row;
            assert_int_equal(pipe(ends), 0);
            snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
            const char *paths[] = {path};
            struct row_source source = source_of(paths, 1, jobs);
            source.before_wait = count_wait;
            source.before_wait_data = &waits;
            struct row_reader *reader = row_reader_open(&source, &error);
            struct buf z = {0};
            ZSTD_CCtx *c = ZSTD_createCCtx();
            for (int i = 0; i < 20; i++) {
                char line[40];
                int len = snprintf(line, sizeof line, "{\"i\":%d}\n{\"half", i);
                /* The half line of the round before becomes whole. */
                struct buf text = {0};
                buf_text(&text, i ? "\":0}\n" : "");
                buf_add(&text, line, (size_t)len);
                if (compressed) {
                    ZSTD_inBuffer from = {text.data, text.len, 0};
                    ZSTD_outBuffer to = {buf_reserve(&z, 4096), 4096, 0};
                    assert_int_equal(ZSTD_compressStream2(c, &to, &from, ZSTD_e_flush), 0);
                    assert_int_equal(write(ends[1], z.data, to.pos), (ssize_t)to.pos);
                } else {
                    assert_int_equal(write(ends[1], text.data, text.len), (ssize_t)text.len);
                }
                buf_free(&text);
                for (int n = i ? 2 : 1; n > 0; n--)
                    assert_int_equal(row_reader_next(reader, &row, &error), 1);
                int64_t value;
                assert_true(json_int64(row.members.items[0].value, &value));
                assert_int_equal(value, i);
            }
            assert_int_equal(waits, 0); /* what was there never made it wait */
            close(ends[1]);
            assert_true(row_reader_next(reader, &row, &error) <
                        0); /* the half line, or a cut frame */
            assert_int_equal(row_reader_close(reader, &error), 0);
            close(ends[0]);
            ZSTD_freeCCtx(c);
            buf_free(&z);
        }
    }
    alarm(0);
}

struct feeder {
    int fd;
    int *waits;
};

static void feed_when_waiting(void *data)
{
    struct feeder *f = data;
    if (++*f->waits <= 3) {
        char line[40];
        int len = snprintf(line, sizeof line, "{\"wait\":%d}\n", *f->waits);
        if (write(f->fd, line, (size_t)len) != len)
            abort();
    } else {
        close(f->fd);
    }
}

static void test_before_wait(void **state)
{
    (void)state;
    alarm(60);
    for (int jobs = 1; jobs <= 2; jobs++) {
        int ends[2], waits = 0, got, rows = 0;
        char path[32];
        struct row row;
        assert_int_equal(pipe(ends), 0);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        const char *paths[] = {path};
        struct row_source source = source_of(paths, 1, jobs);
        struct feeder feeder = {fcntl(ends[1], F_DUPFD, 100), &waits};
        close(ends[1]);
        source.before_wait = feed_when_waiting;
        source.before_wait_data = &feeder;
        struct row_reader *reader = row_reader_open(&source, &error);
        while ((got = row_reader_next(reader, &row, &error)) > 0)
            rows++;
        assert_int_equal(got, 0);
        assert_int_equal(rows, 3);
        assert_int_equal(waits, 4);
        row_reader_close(reader, &error);
        close(ends[0]);
    }
    alarm(0);
}

static void test_standard_input(void **state)
{
    int kept = dup(0);
    (void)state;
    for (int named = 0; named < 2; named++) {
        file_put("in", SPAN("{}\n"));
        int fd = open("in", O_RDONLY);
        dup2(fd, 0);
        close(fd);
        const char *dash = "-";
        struct row_source source = source_of(&dash, (size_t)named, 1);
        struct buf got = transcript(&source, NULL);
        assert_string_equal(got.data, "-:1#0 {}\nend");
        buf_free(&got);
    }
    dup2(kept, 0);
    close(kept);
}

/* ---- rejecting, early closing, signals
 * -------------------------------------------------------------- */

static void test_reject(void **state)
{
    const char *path = "in";
    (void)state;
    file_put(path, SPAN("{\"a\":1}\n{\"a\":2}\r\n{\"a\":3}"));
    for (int jobs = 1; jobs <= 2; jobs++) {
        struct row_source source = source_of(&path, 1, jobs);
        struct row row;
        source.options.on_bad = "out";
        struct row_reader *reader = row_reader_open(&source, &error);
        while (row_reader_next(reader, &row, &error) > 0)
            if (row.index > 0)
                assert_int_equal(
                    row_reader_reject(reader, &row, "a is wrong; set it right", &error), 0);
        struct row_counts counts = row_reader_counts(reader);
        assert_int_equal(counts.rows, 1);
        assert_int_equal(counts.bad, 2);
        assert_string_equal(counts.first_bad, "in:2: a is wrong");
        assert_int_equal(row_reader_close(reader, &error), 0);
        struct buf moved = file_get("out");
        assert_string_equal(moved.data, "{\"a\":2}\r\n{\"a\":3}\n");
        buf_free(&moved);

        source.options.on_bad = "stop";
        reader = row_reader_open(&source, &error);
        assert_int_equal(row_reader_next(reader, &row, &error), 1);
        assert_int_equal(row_reader_reject(reader, &row, "a is 1; make it 2", &error), ERROR_INPUT);
        assert_string_equal(error.text, "in:1: a is 1; make it 2");
        row_reader_close(reader, &error);
    }
}

static void test_close_early(void **state)
{
    const char *path = "in";
    struct buf in = {0};
    (void)state;
    make_input(&in, 3);
    file_put(path, buf_span(&in));
    for (int jobs = 1; jobs <= 4; jobs++) {
        struct row_source source = source_of(&path, 1, jobs);
        struct row row;
        source.options.on_bad = "skip";
        struct row_reader *reader = row_reader_open(&source, &error);
        for (int i = 0; i < 100 * jobs; i++)
            assert_int_equal(row_reader_next(reader, &row, &error), 1);
        assert_int_equal(row_reader_close(reader, &error), 0);
    }
    buf_free(&in);
}

static void *interrupt(void *data)
{
    usleep(50000);
    kill(*(pid_t *)data, SIGINT);
    return NULL;
}

/* In a child: the flag of a caught signal stays set. The pipe never brings anything. */
static void test_signal(void **state)
{
    (void)state;
    for (int jobs = 1; jobs <= 2; jobs++) {
        pid_t child = fork();
        if (child == 0) {
            int ends[2];
            char path[32];
            struct row row;
            pid_t self = getpid();
            pthread_t thread;
            alarm(30);
            signals_open();
            if (pipe(ends) != 0)
                _exit(9);
            snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
            const char *paths[] = {path};
            struct row_source source = source_of(paths, 1, jobs);
            struct row_reader *reader = row_reader_open(&source, &error);
            pthread_create(&thread, NULL, interrupt, &self);
            int rc = row_reader_next(reader, &row, &error);
            pthread_join(thread, NULL);
            row_reader_close(reader, NULL);
            _exit(rc == ERROR_INTERRUPTED && signals_exit_status() == 130 ? 0 : 1);
        }
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_read_error),   cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_any_value),    cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_jobs_agree),   cmocka_unit_test(test_zstd_frames),
        cmocka_unit_test(test_zstd_damaged), cmocka_unit_test(test_pipe_latency),
        cmocka_unit_test(test_before_wait),  cmocka_unit_test(test_standard_input),
        cmocka_unit_test(test_reject),       cmocka_unit_test(test_close_early),
        cmocka_unit_test(test_signal),
    };
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
