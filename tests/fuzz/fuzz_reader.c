/* fuzz_reader.c: any bytes, from a file and through a pipe, with one job and with several, are the
 * rows that a plain split gives. The first byte of the input chooses how it is read. */
#include <stdint.h>
#include <stdio.h>

#include "row/defaults.h"
#include "rows_oracle.h"

enum {
    SKIP = 1,     /* bad lines are skipped */
    SHORT = 2,    /* max_line is small */
    REPEATED = 4, /* until it takes several blocks */
    PIPE_MAX = 32 << 10,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct span text, uint64_t max_line, bool skip)
{
    struct buf want = {0}, got = {0};
    oracle_rows(text, max_line, skip, &want);
    int fd = memory_file(text.ptr, text.len);
    for (int jobs = 1; jobs <= 2; jobs++) {
        buf_clear(&got);
        reader_rows(fd, jobs, max_line, skip, &got);
        REQUIRE(span_equal(buf_span(&got), buf_span(&want)));
    }
    close(fd);
    if (text.len <= PIPE_MAX) {
        int ends[2];
        REQUIRE(pipe(ends) == 0);
        REQUIRE(write(ends[1], text.ptr, text.len) == (ssize_t)text.len);
        close(ends[1]);
        buf_clear(&got);
        reader_rows(ends[0], 1 + (int)(text.len % 3), max_line, skip, &got);
        REQUIRE(span_equal(buf_span(&got), buf_span(&want)));
        close(ends[0]);
    }
    buf_free(&want);
    buf_free(&got);
}

static bool zstd_begins(struct span text)
{
    return span_starts(text, SPAN("\x28\xb5\x2f\xfd")) ||
           (text.len >= 4 && (text.ptr[0] & 0xf0) == 0x50 &&
            span_starts(span_slice(text, 1, text.len), SPAN("\x2a\x4d\x18")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct span text = {(const char *)data + 1, size - 1};
    uint64_t max_line = data[0] & SHORT ? 1 + (uint64_t)(data[0] >> 3) : ROW_MAX_LINE_DEFAULT;
    if (zstd_begins(text)) /* fuzz_zst's */
        return 0;
    if (!(data[0] & REPEATED) || text.len < 64) {
        check(text, max_line, data[0] & SKIP);
        return 0;
    }
    struct buf large = {0};
    while (large.len < 2 * ROW_BLOCK_BYTES + 1000)
        buf_span_add(&large, text);
    check(buf_span(&large), max_line, data[0] & SKIP);
    buf_free(&large);
    return 0;
}
