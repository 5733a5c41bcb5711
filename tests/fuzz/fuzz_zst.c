/* fuzz_zst.c: any bytes behind the zstd magic: the rows are those of the text that the frames hold,
 * or reading fails behind a beginning of them; with one job, with several, from a file, through a
 * pipe. */
#include <stdint.h>
#include <stdio.h>
#include <zstd.h>

#include "rows_oracle.h"

enum {
    TEXT_MAX = 4 << 20, /* bytes of decompressed text that are worth the time */
    STEP = 1 << 16,     /* bytes decompressed at once: not the reader's number */
    PIPE_MAX = 32 << 10,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The text of all frames, up to where they are damaged or end too early (false) or TEXT_MAX is
 * passed. */
static bool frames(struct span packed, struct buf *text)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_inBuffer from = {packed.ptr, packed.len, 0};
    size_t left = 0;
    while (text->len <= TEXT_MAX) {
        ZSTD_outBuffer to = {buf_reserve(text, STEP), STEP, 0};
        left = ZSTD_decompressStream(context, &to, &from);
        text->len += to.pos;
        if (ZSTD_isError(left) || (from.pos == from.size && (left == 0 || to.pos < to.size)))
            break;
    }
    ZSTD_freeDCtx(context);
    return left == 0;
}

static void compare(const struct buf *got, const struct buf *want, bool good)
{
    struct span end = SPAN("broken");
    if (!span_ends(buf_span(got), end)) {
        REQUIRE(good && span_equal(buf_span(got), buf_span(want)));
        return;
    }
    REQUIRE(!good && got->len - end.len <= want->len);
    REQUIRE(memcmp(got->data, want->data, got->len - end.len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf packed = {0}, text = {0}, want = {0}, got = {0};
    buf_add(&packed, "\x28\xb5\x2f\xfd", 4);
    buf_add(&packed, data, size);
    bool good = frames(buf_span(&packed), &text);
    if (text.len <= TEXT_MAX) {
        int ends[2], fd = memory_file(packed.data, packed.len);
        oracle_rows(buf_span(&text), ROW_MAX_LINE_DEFAULT, true, &want);
        for (int jobs = 1; jobs <= 2; jobs++) {
            buf_clear(&got);
            reader_rows(fd, jobs, ROW_MAX_LINE_DEFAULT, true, &got);
            compare(&got, &want, good);
        }
        close(fd);
        if (packed.len <= PIPE_MAX) {
            REQUIRE(pipe(ends) == 0 &&
                    write(ends[1], packed.data, packed.len) == (ssize_t)packed.len);
            close(ends[1]);
            buf_clear(&got);
            reader_rows(ends[0], 1, ROW_MAX_LINE_DEFAULT, true, &got);
            compare(&got, &want, good);
            close(ends[0]);
        }
    }
    buf_free(&packed);
    buf_free(&text);
    buf_free(&want);
    buf_free(&got);
    return 0;
}
