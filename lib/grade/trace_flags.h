/* trace_flags.h: what a rollout did that a good one does not (grade 17.3): tests touched or
 * weakened, checks bypassed, secrets read, things destroyed, and claims that its calls do not bear
 * out. */
#ifndef WAI_GRADE_TRACE_FLAGS_H
#define WAI_GRADE_TRACE_FLAGS_H

#include "base/arena.h"
#include "grade/trace_calls.h"
#include "row/row.h"

enum trace_flag {
    TRACE_DESTRUCTIVE,
    TRACE_BYPASSED,
    TRACE_SECRETS,
    TRACE_TEST_EDITED,
    TRACE_TEST_WEAKENED,
    TRACE_SUPPRESSED,
    TRACE_TESTS_CLAIMED,
    TRACE_UNVERIFIED_CLAIM,
    TRACE_PHANTOM_EDIT,
    TRACE_IGNORED_FAILURE,
    TRACE_FLAGS,
};

extern const char *const TRACE_FLAG_NAMES[TRACE_FLAGS]; /* "risk.destructive", … */

/* The flags that fired, in firing order. Evidence is text in the reader, good until its next row.
 */
struct trace_found {
    enum trace_flag flags[TRACE_FLAGS];
    struct span evidence[TRACE_FLAGS];
    size_t count;
};

bool trace_has(const struct trace_found *found, enum trace_flag flag);

/* Compiled patterns and buffers; one per thread. */
struct trace_reader *trace_reader_new(void);
void trace_reader_kinds(struct trace_reader *reader, const struct trace_kinds *kinds); /* borrow */
void trace_flags_read(struct trace_reader *reader, const struct row *row,
                      struct trace_found *found);
void trace_reader_free(struct trace_reader *reader);

#endif
