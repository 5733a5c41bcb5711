/* defaults.h: numbers of the room `row`, each with its unit and its source. */
#ifndef WAI_ROW_DEFAULTS_H
#define WAI_ROW_DEFAULTS_H

enum {
    /* nested levels of JSON text inside a string that is read as a value: the scanner's bound less
     * the levels of a row above it (row, steps, step, arguments) */
    ROW_PARSE_DEPTH = 500,
    ROW_LENGTH_WORDS = 12,   /* words per length class of a signature (rows 9.4) */
    ROW_LENGTH_CLASSES = 12, /* the last length class */
    ROW_SCHEMA_GAP = 500,    /* code points between the keys of a dumped tool schema (rows 9.2) */
    ROW_TRUNCATED_CHARS =
        200, /* code points from which an unfinished reply counts as cut (guard 2.3) */
    ROW_TOOL_FILE_MAX = 64 << 20, /* bytes of a tool file */
    ROW_CHECK_EXAMPLES = 1000,    /* bad rows that a report of check names (rows 15; ref names 5) */
    ROW_CHECK_SHOWN = 5,          /* bad rows shown to people (rows 15) */
    ROW_CHECK_NAME = 60,          /* code points of a name shown to people */
};

/* Bytes of input taken at once. Measured flat from 64 KiB to 512 KiB: a block stays in a core's second-level
 * cache between reading and scanning, and system calls do not show. */
#define ROW_READ_THREADS 256 /* of a reader, at most */
#define ROW_BLOCK_BYTES  ((size_t)256 << 10)

/* Blocks read ahead of the workers' own: with fewer than four a worker was found waiting on a machine of
 * two processors. The bytes under way at which no more is read bound what a pass holds (rows 25), long
 * lines included. */
#define ROW_BLOCKS_AHEAD 6
#define ROW_BYTES_AHEAD  ((size_t)8 << 20)

/* Rows that one worker takes at once, at most: bounds what is kept of short rows. */
#define ROW_BATCH_MAX 1024

/* Memory of a row's text that the filter loop keeps for the next row in its place, at most. */
#define ROW_TEXT_KEPT ((size_t)64 << 10) /* bytes */

/* Bytes a writer collects before a write(2), and the most it hands to one. */
#define ROW_WRITE_BYTES ((size_t)64 << 10)

/* zstd level of `.zst` outputs: zstd's own default (RFC 8878 leaves it open). */
#define ROW_ZSTD_LEVEL 3

#endif
