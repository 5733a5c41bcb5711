/* writer.h: whole lines to standard output or to a file that is written under a temporary name and
 * renamed by row_writer_close; a path ending in .zst is compressed. Full disk and other failures
 * are ERROR_SYSTEM (exit 5); a closed pipe ends the process quietly by SIGPIPE. */
#ifndef WAI_ROW_WRITER_H
#define WAI_ROW_WRITER_H

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

struct row_writer;

struct row_writer *row_writer_open(const char *path,
                                   struct error *error); /* NULL path: standard output */

/* Adds one line (a newline is added). Buffered. */
int row_writer_line(struct row_writer *w, struct span line, struct error *error);

/* Adds bytes that are whole lines already, newlines in them. */
int row_writer_lines(struct row_writer *w, struct span lines, struct error *error);

/* A write that failed is not forgotten: every later call, row_writer_close too, gives its error
 * again. */
int row_writer_flush(struct row_writer *w, struct error *error);
uint64_t row_writer_count(const struct row_writer *w); /* lines written */

/* Flushes, commits, frees. */
int row_writer_close(struct row_writer *w, struct error *error);

/* Frees without committing; what a file already held under its name stays. */
void row_writer_abandon(struct row_writer *w);

#endif
