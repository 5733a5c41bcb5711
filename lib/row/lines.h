/* lines.h: the operands as blocks of whole lines. The reader and the filter loop stand on it;
 * everybody else reads rows. A block holds what has arrived: on a pipe that pauses, one line may be
 * a block.
 *
 *     while ((got = lines_next(lines, &block, true, error)) > 0)
 *         for (line_cursor_start(&cursor, &block, …); line_next(&cursor, &line);)
 *             …                                                                                  */
#ifndef WAI_ROW_LINES_H
#define WAI_ROW_LINES_H

#include "base/buf.h"
#include "row/reader.h"

struct lines;

struct line_block {
    struct buf bytes; /* owned: whole lines, each ended by LF (the last of a file is given one) */
    size_t start;     /* the lines begin here: 3 behind a byte order mark */
    size_t size;      /* bytes of input in it */
    const char *file; /* operand's name, borrowed from the source */
    bool starts_file; /* the first block of that operand */
    /* Instead of lines: a piece of one line that is over max_line. Its last piece ends with LF. */
    bool long_piece, long_begin, long_end;
};

/* NULL: an operand cannot be read (ERROR_INPUT). The source is borrowed until lines_close. */
struct lines *lines_open(const struct row_source *source, struct error *error);

enum { LINES_END = 0, LINES_BLOCK = 1, LINES_WAIT = 2 };

/* The next block, its bytes swapped in (so a block that is passed again lends its memory), or
 * LINES_WAIT when nothing is there and may_wait is false, or LINES_END, or a negative code (reading
 * broke off, ERROR_INTERRUPTED). Before it waits it calls the source's before_wait. */
int lines_next(struct lines *lines, struct line_block *block, bool may_wait, struct error *error);

/* The descriptor that lines_next waits for (after LINES_WAIT). */
int lines_descriptor(const struct lines *lines);

void lines_close(struct lines *lines);
void line_block_free(struct line_block *block);

/* Where a walk over the lines stands. The numbers go on from block to block. */
struct line_cursor {
    const char *at, *end;
    uint64_t
        number; /* lines of this file passed, blank ones too: the number of the last one given */
    uint64_t index; /* lines that are not blank passed, of all files */
    uint64_t blank; /* blank lines passed, of all files */
};

/* Turns the cursor to a block, the next of its input. A piece of a long line is passed at once. */
void line_cursor_start(struct line_cursor *c, const struct line_block *block);

/* The next line that is not blank (rows 2.6), without its LF and CR; the byte behind it in memory
 * is its CR or LF. cursor->index - 1 is its index. */
bool line_next(struct line_cursor *c, struct span *line);

/* The line with its CR, LF and all. */
struct span line_raw(struct span line);

#endif
