/* line_scan.h: what the reader and the filter loop share: a line to a row, and the policy for lines
 * that are none (--on-bad). */
#ifndef WAI_ROW_LINE_SCAN_H
#define WAI_ROW_LINE_SCAN_H

#include "row/lines.h"
#include "row/reader.h"

/* 0, or -1 with a clause in `what` (appended). Of *row only line, value and members are set. */
int line_scan(struct span line, const struct row_source *source, struct row *row,
              struct json_members *members, struct buf *what);

/* Rows of several lines keep their members one behind the other: appends them and gives their
 * place; and the part of `all` that belongs to one row, borrowed. */
size_t members_keep(struct json_members *all, const struct json_members *members);
struct json_members members_slice(const struct json_members *all, size_t at, size_t count);

/* The clause for a line over max_line. */
void line_too_long(const struct row_source *source, struct buf *what);

/* ERROR_INTERRUPTED, and how far the work came. file NULL: no row was reached. */
int interrupted_behind(const char *file, uint64_t number, struct error *error);

enum bad_mode { BAD_STOP, BAD_SKIP, BAD_FILE };

struct bad_lines {
    enum bad_mode mode;
    struct row_writer *writer; /* BAD_FILE */
    uint64_t count;
    char first[ROW_FIRST_BAD]; /* as row_counts gives it */
};

/* ERROR_USAGE when the file is one of the operands, ERROR_SYSTEM when it cannot be written. */
int bad_lines_open(struct bad_lines *bad, const struct row_source *source, struct error *error);

/* A bad line, raw (its LF in it). 0: go on. Negative: stop, *error is FILE:LINE: what. */
int bad_lines_take(struct bad_lines *bad, struct span raw, const char *file, uint64_t number,
                   struct span what, struct error *error);

/* A block that is a piece of a line over max_line. */
int bad_lines_piece(struct bad_lines *bad, const struct row_source *source,
                    const struct line_block *block, uint64_t number, struct error *error);

int bad_lines_close(struct bad_lines *bad, struct error *error);

#endif
