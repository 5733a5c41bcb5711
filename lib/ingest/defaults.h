/* defaults.h: numbers of the room `ingest`, each with its unit and its source. */
#ifndef WAI_INGEST_DEFAULTS_H
#define WAI_INGEST_DEFAULTS_H

#define SPLIT_HOLDOUT 0.2 /* share of the held side (rows 16) */

enum {
    SPLIT_PROMPT_CHARS = 200,    /* code points of a prompt that order its task (rows 16) */
    SPLIT_TASKS_MAX = 256 << 20, /* bytes of a list of task keys */
    CSV_FILE_MAX = 1 << 30,      /* bytes of a table of text, which is read whole */
};

#endif
