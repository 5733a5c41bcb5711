/* defaults.h: numbers of the room `ingest`, each with its unit and its source. */
#ifndef WAI_INGEST_DEFAULTS_H
#define WAI_INGEST_DEFAULTS_H

#define SPLIT_HOLDOUT 0.2 /* share of the held side (rows 16) */

enum {
    SPLIT_PROMPT_CHARS = 200,    /* code points of a prompt that order its task (rows 16) */
    SPLIT_TASKS_MAX = 256 << 20, /* bytes of a list of task keys */
    BENCH_COLUMN_NAMES = 6,      /* candidate names of a column, at most (rows 13) */
};

#endif
