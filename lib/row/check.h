/* check.h: the validation gate over all rows (rows 15): how many rows have which problem, shape and
 * version, and which rows those are. The rows are looked at by worker threads. */
#ifndef WAI_ROW_CHECK_H
#define WAI_ROW_CHECK_H

#include "row/counts.h"
#include "row/reader.h"
#include "row/shape.h"
#include "row/validate.h"
#include "row/writer.h"

struct row_check {
    struct row_source source; /* any_value is set by row_check_run */
    enum row_kind kind;
    bool strict;
    size_t examples;         /* bad rows named in the report, at most */
    struct row_writer *good; /* borrow; rows without problems; NULL: nowhere */
    struct row_writer *bad;  /* borrow; rows with problems; NULL: nowhere */
};

struct row_check_report {
    enum row_kind kind;
    struct row_counts read;
    uint64_t rows, bad_rows;
    struct name_counts problems, shapes, versions;
    struct map tasks;    /* task keys; those without a key are one */
    struct map rollouts; /* strict: what was seen of task and rollout_index; grows with the rows */
    struct buf bad;      /* the bad rows named: members of a JSON array, with commas */
    struct buf first;    /* the first of them as `FILE:LINE: problem, problem` lines */
    size_t named, shown;
};

/* Fills *report (zero on entry; free it in any case). 0 or a negative code. */
int row_check_run(const struct row_check *check, struct row_check_report *report,
                  struct error *error);
void row_check_free(struct row_check_report *report);

/* The report as one JSON object with a line feed, and for people. */
void row_check_json(const struct row_check_report *report, struct buf *out);
void row_check_text(const struct row_check_report *report, struct buf *out);

/* JSON Schema (draft 2020-12) of a kind of row, for other programs. */
void row_schema(enum row_kind kind, struct buf *out);

#endif
