/* bench.h: items of a public benchmark (a question, a model's answers, the gold) as rows (rows 13):
 * what `wai-rows bench` does with its input. */
#ifndef WAI_INGEST_BENCH_H
#define WAI_INGEST_BENCH_H

#include "base/map.h"
#include "ingest/csv.h"
#include "row/reader.h"
#include "row/writer.h"

/* Which columns an item's parts come from; NULL: the one present of the usual names, or none. */
struct bench_columns {
    const char *prompt, *completion, *reference, *reward, *markers, *task_id;
};

struct bench {
    struct row_source source;
    struct row_writer *writer; /* borrow */
    enum csv_kind
        table; /* the items are a table of text; CSV_NONE: JSON lines, unless names end otherwise */
    struct bench_columns columns;
    const char *completions;     /* a file beside the items, line i for item i; NULL: none */
    const char *reference_after; /* gold: what follows its last occurrence; NULL: all of it */
    const char *model;           /* model_version; NULL: none */
    const char *ride;            /* other columns: "all", "none", a comma list */
    bool one_each;               /* --long: one completion an item */
};

struct bench_report {
    struct row_counts read;
    uint64_t items, rows;
    uint64_t without_completion; /* items that gave no row */
    uint64_t unjudged;           /* completions whose given reward is null */
    uint64_t without_mark;       /* gold in which reference_after does not occur */
    uint64_t same_ask;           /* items that share a task but not what came before the ask */
    struct map tasks;
    struct buf mapping; /* "prompt: question, completion: completions, …" of the first item */
};

/* Fills *report (zero on entry; free it in any case). 0 or a negative code. ERROR_USAGE: two
 * columns could be meant and none is named. ERROR_INPUT: no item at all, an item that does not fit.
 */
int bench_run(const struct bench *bench, struct bench_report *report, struct error *error);
void bench_report_json(const struct bench_report *report, struct buf *out);
void bench_report_text(const struct bench_report *report, struct buf *out);
void bench_report_free(struct bench_report *report);

#endif
