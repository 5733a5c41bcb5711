/* filter.h: rows in, rows out, the work on each row spread over threads, the output in input order.
 * One loop for every filter that works row by row: it flushes before it waits for input (a filter
 * can sit inside a co-process) and stops at a signal with whole lines written.
 *
 * work runs on any thread; it fills `result` from `row`. done runs on the calling thread in row
 * order and is where counts are kept and warnings collected. */
#ifndef WAI_ROW_FILTER_H
#define WAI_ROW_FILTER_H

#include "row/reader.h"
#include "row/writer.h"

enum row_fate {
    ROW_DROP,    /* nothing is written */
    ROW_KEEP,    /* the line as it came */
    ROW_CHANGED, /* result->out: one line or several, each ended by '\n' */
    ROW_BAD,     /* result->out: a clause with the mend; on_bad decides */
};

enum { ROW_TALLIES = 16 };

struct row_result {
    enum row_fate fate;         /* ROW_DROP on entry */
    struct buf out;             /* empty on entry */
    int64_t tally[ROW_TALLIES]; /* zero on entry; the filter's own counts of this row, for done */
    struct buf note;            /* empty on entry; text for done */
    /* Empty on entry. The members of out when it is one row and work knows them (their spans lie in
     * it): done is then given that row, without a scan. */
    struct json_members written;
};

struct row_filter {
    struct row_source source;
    struct row_writer *writer; /* borrow; NULL: nothing is written */
    int jobs;                  /* threads; 1: none */
    size_t batch; /* rows a thread takes at once; 0: many. 1 for slow work: a row that is
                   * done is written at once, and input is read while others are under way */
    /* 0, or a negative code that stops the run: the rows before are settled and written, this one
     * is not. worker is 0 … jobs-1. */
    int (*work)(void *context, int worker, const struct row *row, struct row_result *result,
                struct error *error);
    /* May be NULL. Not called for bad rows. row as in work, or as it was written (see above); fate
     * and out may still be changed. */
    int (*done)(void *context, const struct row *row, struct row_result *result,
                struct error *error);
    void *context;
};

/* Returns 0 or a negative code; what was written before is flushed either way. *counts may be NULL.
 * A row that is ROW_BAD counts under bad, not under rows. */
int row_filter_run(const struct row_filter *filter, struct row_counts *counts, struct error *error);

#endif
