/* defaults.h: numbers of the room `row`, each with its unit and its source. */
#ifndef WAI_ROW_DEFAULTS_H
#define WAI_ROW_DEFAULTS_H

enum {
    /* nested levels of JSON text inside a string that is read as a value: the scanner's bound less the
     * levels of a row above it (row, steps, step, arguments) */
    ROW_PARSE_DEPTH = 500,
    ROW_HASH_HEX = 12,          /* characters of short_hash (rows 2.5) */
    ROW_LENGTH_WORDS = 12,      /* words per length class of a signature (rows 9.4) */
    ROW_LENGTH_CLASSES = 12,    /* the last length class */
    ROW_SCHEMA_GAP = 500,       /* code points between the keys of a dumped tool schema (rows 9.2) */
    ROW_TRUNCATED_CHARS = 200,  /* code points from which an unfinished reply counts as cut (guard 2.3) */
    ROW_TOOL_FILE_MAX = 64 << 20, /* bytes of a tool file */
};

#endif
