/* run.h: the work of wai-grade between the reader and the writer: which rows are scored, by what,
 * where the verdicts land, what is counted, and the report (grade 1, 3.4-3.6, 19). */
#ifndef WAI_GRADE_RUN_H
#define WAI_GRADE_RUN_H

#include "base/map.h"
#include "grade/eval_set.h"
#include "grade/marks.h"
#include "grade/scorer.h"
#include "row/filter.h"
#include "row/tools.h"

enum grade_regrade { GRADE_ALL, GRADE_UNJUDGED, GRADE_FAILED };

struct grade_options {
    struct scorer *scorer; /* borrow; NULL: rewards stay as they are */
    struct marks *marks;   /* borrow; NULL: none. On every row, whoever gave its reward */
    int threads;           /* of the work: the scorer's, or the user's without one */
    struct verdict_stamp stamp;
    enum grade_regrade regrade;
    int64_t limit;                     /* rows scored at most; negative: all */
    const char *resume;                /* file with rows graded before, or NULL */
    const struct row_tools *tools;     /* declared tools, or NULL; borrow */
    struct eval_set *eval_set;         /* asks to cover, or NULL; borrow */
    struct row_writer *judge_log;      /* what model judges said, a line per row, or NULL; borrow */
    const struct model_access *models; /* what was spent on models; NULL: nothing can have been */
    const char *backend; /* what the report calls the scorer: "expr", "cmd", "verify" */
    /* Every row as it leaves, in order, on the calling thread; may be NULL. */
    void (*left)(void *data, const struct row *row);
    /* Adds members to the report; may be NULL. */
    void (*report)(void *data, struct json_writer *w);
    void *data; /* of both */
};

struct grade_run;

/* NULL: *error (the file of --resume). */
struct grade_run *grade_run_open(const struct grade_options *options, struct error *error);

/* Runs the rows of source through the scorer into writer. 0, or a negative code; ERROR_REMOTE also
 * when each row that was scored came back as an error. Counts stand either way. */
int grade_run_rows(struct grade_run *run, const struct row_source *source,
                   struct row_writer *writer, struct error *error);

struct grade_counts {
    uint64_t rows, bad;      /* read */
    uint64_t scored, graded; /* asked about, with a reward */
    uint64_t skipped, resumed;
    uint64_t skipped_truncated; /* of the skipped: cut by the token cap, so not for a judge */
    uint64_t self_judged;       /* graded by the model that made them */
    uint64_t passes, failures, partials;
    uint64_t statuses[VERDICT_STATUS_COUNT]; /* of the scored rows */
    double sum;                              /* of the rewards */
    double seconds;
};
const struct grade_counts *grade_run_counts(const struct grade_run *run);

/* Share of unjudged rows among the scored ones; 0 without any. */
double grade_unjudged_share(const struct grade_run *run);

/* Sentences for people (grade 19.1), without a newline; out is called once per warning. */
void grade_run_warnings(const struct grade_run *run, void (*out)(void *data, const char *text),
                        void *data);

/* The most frequent reasons of rows that failed, at most n, "7 x reason" each. */
void grade_run_reasons(const struct grade_run *run, size_t n,
                       void (*out)(void *data, const char *text), void *data);

/* Rows that carry a number under that marker, and their sum. */
uint64_t grade_run_marker(const struct grade_run *run, struct span name, double *sum);

/* The report object (grade 19.4), one line without its newline. */
void grade_run_report(const struct grade_run *run, struct buf *out);

void grade_run_close(struct grade_run *run);

#endif
