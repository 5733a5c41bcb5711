/* reader.h: rows from files, standard input and pipes, plain or zstd-compressed (told by the magic
 * bytes, not by the name). Blocks are read ahead; with jobs > 1 they are scanned by worker threads
 * and delivered in order, so a tool's loop stays plain:
 *
 *     while ((got = row_reader_next(reader, &row, error)) > 0)
 *         …
 *     if (got < 0) fail
 *
 * Lines: ended by LF; a CR before it and a byte order mark at a file's start are dropped; blank
 * lines (rows 2.6) are skipped and counted in line numbers; the last line needs no newline; a line
 * over max_line is a bad line. A bad line (not JSON, not UTF-8, too deep, too long, not an object)
 * follows on_bad. Memory: a few blocks, whatever the input's size; one line more when a line is
 * long. */
#ifndef WAI_ROW_READER_H
#define WAI_ROW_READER_H

#include "base/error.h"
#include "base/options.h"
#include "row/row.h"

/* The options every tool that reads rows has; put one in the tool's options struct and its table
 * rows with ROW_OPTIONS(struct my_options, rows). */
struct row_options {
    const char *on_bad; /* "stop", "skip", or a file that receives bad lines as they are */
    uint64_t max_line;  /* bytes */
    int64_t jobs;       /* 0: the tool's default */
    bool quiet;
};

#define ROW_JOBS_MAX         16384 /* --jobs of tools that wait for models; reading itself uses fewer */
#define ROW_MAX_LINE_DEFAULT ((uint64_t)256 << 20) /* bytes (rows 8) */
#define ROW_OPTIONS_DEFAULT                                \
    {                                                      \
        .on_bad = "stop", .max_line = ROW_MAX_LINE_DEFAULT \
    }

/* clang-format off */
#define ROW_OPTIONS(type, field)                                                                     \
    {.kind = OPTION_TEXT, .name = "on-bad", .offset = offsetof(type, field.on_bad), .arg = "stop|skip|FILE", \
     .help = "a bad line stops the tool (default), is skipped and counted, or is moved to FILE"},     \
    {.kind = OPTION_SIZE, .name = "max-line", .offset = offsetof(type, field.max_line), .arg = "SIZE", \
     .help = "longest line taken (256M)"},                                                           \
    {.kind = OPTION_INT, .letter = 'j', .name = "jobs", .offset = offsetof(type, field.jobs), .arg = "N", \
     .help = "worker threads; never changes the output", .min = 1, .max = ROW_JOBS_MAX},             \
    {.kind = OPTION_FLAG, .letter = 'q', .name = "quiet", .offset = offsetof(type, field.quiet),      \
     .help = "no notes and no progress on standard error"}
/* clang-format on */

struct row_source {
    const char *const *paths; /* operands; none means standard input; "-" is standard input */
    size_t n_paths;
    struct row_options options; /* jobs 0 counts as 1 here */
    bool any_value; /* deliver values that are not objects instead of calling them bad */
    /* Called before a read that may block: flush what you have. May be NULL. */
    void (*before_wait)(void *data);
    void *before_wait_data;
};

struct row_reader;

enum { ROW_FIRST_BAD = 256 }; /* bytes */

struct row_counts {
    uint64_t rows; /* delivered and not rejected */
    uint64_t
        bad; /* skipped or moved by on_bad, rejected ones too; rows + bad: the lines not blank */
    uint64_t blank;                /* lines */
    uint64_t bytes;                /* of input, decompressed */
    char first_bad[ROW_FIRST_BAD]; /* "FILE:LINE: what" of the first bad line, without the mend; ""
                                      when none */
};

/* NULL: an operand cannot be opened (ERROR_INPUT), on_bad's file cannot be written (ERROR_SYSTEM).
 * All operands are opened and named before the first row is read. */
struct row_reader *row_reader_open(const struct row_source *source, struct error *error);

/* 1: *row is the next one, borrowed until the next call. 0: end. Negative: *error. A caught signal
 * (signals.h) ends the input early with ERROR_INTERRUPTED. */
int row_reader_next(struct row_reader *reader, struct row *row, struct error *error);

/* The tool found more wrong with this row than its syntax: apply on_bad to it. what: a clause with
 * the mend. Returns 0 (go on with the next row) or a negative code (stop), *error named FILE:LINE.
 */
int row_reader_reject(struct row_reader *reader, const struct row *row, const char *what,
                      struct error *error);

struct row_counts row_reader_counts(const struct row_reader *reader);

/* Closes; the file of bad lines is committed. Returns 0 or a negative code. */
int row_reader_close(struct row_reader *reader, struct error *error);

#endif
