/* rows_oracle.h: the rows of a text by the shortest road (split at line feeds, scan each line), for
 * the targets that compare the reader with it. */
#ifndef TESTS_FUZZ_ROWS_ORACLE_H
#define TESTS_FUZZ_ROWS_ORACLE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "row/reader.h"
#include "text/fold.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

/* A transcript: "NUMBER#INDEX LINE\n" for each row, then "end", or "bad NUMBER" for the line that
 * stops. */
static inline void oracle_row(struct buf *out, uint64_t number, uint64_t index, struct span line)
{
    buf_format(out, "%llu#%llu ", (unsigned long long)number, (unsigned long long)index);
    buf_span_add(out, line);
    buf_byte(out, '\n');
}

static inline bool oracle_good(struct span line, uint64_t max_line)
{
    struct json_value value;
    struct json_fault fault;
    return line.len <= max_line && json_scan(line, &value, NULL, &fault) == 0 &&
           value.type == JSON_VALUE_OBJECT;
}

static inline void oracle_rows(struct span text, uint64_t max_line, bool skip, struct buf *out)
{
    uint64_t number = 0, index = 0;
    size_t at = span_starts(text, SPAN("\xef\xbb\xbf")) ? 3 : 0;
    while (at < text.len) {
        size_t lf = span_find(text, SPAN("\n"), at);
        struct span line = span_slice(text, at, lf < text.len ? lf : text.len);
        at = lf < text.len ? lf + 1 : text.len;
        number++;
        if (line.len && line.ptr[line.len - 1] == '\r')
            line.len--;
        if (text_blank(line))
            continue;
        index++;
        if (oracle_good(line, max_line)) {
            oracle_row(out, number, index - 1, line);
        } else if (!skip) {
            buf_format(out, "bad %llu", (unsigned long long)number);
            return;
        }
    }
    buf_text(out, "end");
}

/* The reader's transcript of a descriptor. Ends with "broken" when reading itself failed. */
static inline void reader_rows(int fd, int jobs, uint64_t max_line, bool skip, struct buf *out)
{
    char path[40];
    const char *paths[] = {path};
    struct row_source source = {.paths = paths, .n_paths = 1, .options = ROW_OPTIONS_DEFAULT};
    struct error error;
    struct row row;
    int got;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    source.options.max_line = max_line;
    source.options.on_bad = skip ? "skip" : "stop";
    source.options.jobs = jobs;
    struct row_reader *reader = row_reader_open(&source, &error);
    REQUIRE(reader);
    while ((got = row_reader_next(reader, &row, &error)) > 0) {
        REQUIRE(row.value.type == JSON_VALUE_OBJECT && json_count(row.value) == row.members.count);
        oracle_row(out, row.line_number, row.index, row.line);
    }
    struct span where = span_make(path, strlen(path));
    struct span text = span_text(error.text);
    if (got == 0) {
        buf_text(out, "end");
    } else if (span_starts(text, where) && text.ptr[where.len] == ':' &&
               text.ptr[where.len + 1] != ' ') {
        REQUIRE(got == ERROR_INPUT);
        buf_format(out, "bad %d", atoi(text.ptr + where.len + 1));
    } else {
        buf_text(out, "broken");
    }
    REQUIRE(row_reader_close(reader, &error) == 0);
}

static inline int memory_file(const char *bytes, size_t size)
{
    int fd = memfd_create("rows", MFD_CLOEXEC);
    REQUIRE(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    return fd;
}

#endif
