/* The row writer: whole lines, files put in place at the end, compressed output, a full disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <sys/socket.h>

#include "files.h"
#include "row/defaults.h"
#include "row/writer.h"

static struct error error;

static void write_some(struct row_writer *w)
{
    assert_int_equal(row_writer_line(w, SPAN("{\"a\":1}"), &error), 0);
    assert_int_equal(row_writer_lines(w, SPAN("{\"b\":1}\n{\"c\":1}\n"), &error), 0);
    assert_int_equal(row_writer_lines(w, SPAN(""), &error), 0);
    assert_int_equal(row_writer_count(w), 3);
}

static void test_file(void **state)
{
    (void)state;
    file_put("out", SPAN("old"));
    struct row_writer *w = row_writer_open("out", &error);
    write_some(w);
    assert_int_equal(row_writer_flush(w, &error), 0);
    struct buf got = file_get("out");
    assert_string_equal(got.data, "old"); /* not in place before it is whole */
    buf_free(&got);
    assert_int_equal(row_writer_close(w, &error), 0);
    got = file_get("out");
    assert_string_equal(got.data, "{\"a\":1}\n{\"b\":1}\n{\"c\":1}\n");
    buf_free(&got);
}

static void test_abandon(void **state)
{
    (void)state;
    file_put("out", SPAN("old"));
    struct row_writer *w = row_writer_open("out", &error);
    write_some(w);
    row_writer_abandon(w);
    struct buf got = file_get("out");
    assert_string_equal(got.data, "old");
    buf_free(&got);
    row_writer_abandon(NULL);
}

static void test_open_fails(void **state)
{
    (void)state;
    assert_null(row_writer_open("no/such/out", &error));
    assert_int_equal(error.code, ERROR_SYSTEM);
    assert_non_null(strstr(error.text, "no/such/out"));
}

static void test_zstd(void **state)
{
    struct buf want = {0}, text = {0};
    (void)state;
    for (int large = 0; large < 2; large++) {
        struct row_writer *w = row_writer_open("out.zst", &error);
        buf_clear(&want);
        for (int i = 0; i < (large ? 200000 : 0); i++) {
            char line[60];
            int len = snprintf(line, sizeof line, "{\"i\":%d}", i * 7919 % 100003);
            assert_int_equal(row_writer_line(w, span_make(line, (size_t)len), &error), 0);
            buf_format(&want, "%s\n", line);
        }
        assert_int_equal(row_writer_close(w, &error), 0);
        struct buf packed = file_get("out.zst");
        assert_memory_equal(packed.data, "\x28\xb5\x2f\xfd", 4);
        buf_clear(&text);
        size_t n = ZSTD_decompress(buf_reserve(&text, want.len + 1), want.len + 1, packed.data,
                                   packed.len);
        assert_false(ZSTD_isError(n));
        assert_int_equal(n, want.len);
        if (n)
            assert_memory_equal(text.data, want.data, n);
        buf_free(&packed);
    }
    buf_free(&want);
    buf_free(&text);
}

/* A write(2) on this socket is one message: at most ROW_WRITE_BYTES, and it ends at a line's end.
 */
static void test_writes_are_whole_lines(void **state)
{
    int kept = dup(1), ends[2], messages = 0, rc = 0;
    char *message = malloc(2 * ROW_WRITE_BYTES);
    struct buf all = {0}, want = {0};
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    fflush(stdout);
    dup2(ends[1], 1);
    close(ends[1]);
    struct row_writer *w = row_writer_open(NULL, &error);
    for (int i = 0; i < 50; i++) {
        char line[4000];
        int len = snprintf(line, sizeof line, "%0*d", i * 70 + 1, i);
        rc |= row_writer_line(w, span_make(line, (size_t)len), &error);
        buf_format(&want, "%s\n", line);
    }
    rc |= row_writer_close(w, &error);
    dup2(kept, 1);
    close(kept);
    assert_int_equal(rc, 0);
    for (ssize_t n; (n = read(ends[0], message, 2 * ROW_WRITE_BYTES)) > 0; messages++) {
        assert_true((size_t)n <= ROW_WRITE_BYTES);
        assert_int_equal(message[n - 1], '\n');
        buf_add(&all, message, (size_t)n);
    }
    assert_int_equal(messages, 2);
    assert_int_equal(all.len, want.len);
    assert_memory_equal(all.data, want.data, want.len);
    close(ends[0]);
    free(message);
    buf_free(&all);
    buf_free(&want);
}

static void test_long_line(void **state)
{
    struct buf line = {0};
    (void)state;
    for (size_t i = 0; i < 10 * ROW_WRITE_BYTES + 1; i++)
        buf_byte(&line, (char)('a' + i % 26));
    struct row_writer *w = row_writer_open("out", &error);
    row_writer_line(w, SPAN("{}"), &error);
    row_writer_line(w, buf_span(&line), &error);
    buf_byte(&line, '\n');
    row_writer_lines(w, buf_span(&line), &error);
    assert_int_equal(row_writer_count(w), 3);
    assert_int_equal(row_writer_close(w, &error), 0);
    struct buf got = file_get("out");
    assert_int_equal(got.len, 3 + 2 * line.len);
    assert_memory_equal(got.data, "{}\n", 3);
    assert_memory_equal(got.data + 3, line.data, line.len);
    assert_memory_equal(got.data + 3 + line.len, line.data, line.len);
    buf_free(&got);
    buf_free(&line);
}

static void test_full_disk(void **state)
{
    (void)state;
    struct row_writer *w = row_writer_open("/dev/full", &error);
    assert_non_null(w);
    assert_int_equal(row_writer_line(w, SPAN("{}"), &error), 0); /* held */
    assert_int_equal(row_writer_flush(w, &error), ERROR_SYSTEM);
    assert_non_null(strstr(error.text, "/dev/full"));
    assert_non_null(strstr(error.text, "No space left on device"));
    /* What was held is gone, so the failure must not be forgotten. */
    assert_int_equal(row_writer_flush(w, NULL), ERROR_SYSTEM);
    memset(&error, 0, sizeof error);
    assert_int_equal(row_writer_close(w, &error), ERROR_SYSTEM);
    assert_non_null(strstr(error.text, "No space left on device"));

    w = row_writer_open("/dev/full", &error);
    row_writer_line(w, SPAN("{}"), &error);
    assert_int_equal(row_writer_close(w, &error), ERROR_SYSTEM);

    int kept = dup(1), full = open("/dev/full", O_WRONLY);
    fflush(stdout);
    dup2(full, 1);
    close(full);
    w = row_writer_open(NULL, &error);
    row_writer_line(w, SPAN("{}"), &error);
    int rc = row_writer_close(w, &error);
    dup2(kept, 1);
    close(kept);
    assert_int_equal(rc, ERROR_SYSTEM);
    assert_non_null(strstr(error.text, "standard output"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_abandon),
        cmocka_unit_test(test_open_fails),
        cmocka_unit_test(test_zstd),
        cmocka_unit_test(test_writes_are_whole_lines),
        cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
