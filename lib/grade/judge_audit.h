/* judge_audit.h: the labels of a model read again by a second one (grade 14.7): where they disagree, and
 * whether that follows a reason the first one gives. No row is changed. */
#ifndef WAI_GRADE_JUDGE_AUDIT_H
#define WAI_GRADE_JUDGE_AUDIT_H

#include "grade/judge.h"
#include "row/reader.h"

struct judge_audit;

struct judge_audit_options {
    struct scorer_judge_options judge; /* the auditor */
    int64_t limit;                     /* labels read at most, the first ones; negative: all */
};

/* Reads the rows and asks about each label of 0 or 1. NULL: *error. The auditor is never the grader: of
 * two hosted models the other is taken, else ERROR_USAGE. */
struct judge_audit *judge_audit_run(const struct judge_audit_options *options,
                                    const struct scorer_setup *setup,
                                    const struct row_source *source, struct error *error);
void judge_audit_free(struct judge_audit *audit);

/* Some label was asked about and no answer came at all. */
bool judge_audit_unreachable(const struct judge_audit *audit);

/* The report as one JSON object with its newline, and as text for people. Both are appended. */
void judge_audit_json(const struct judge_audit *audit, struct buf *out);
void judge_audit_text(const struct judge_audit *audit, struct buf *out);

#endif
