/* judge_payload.h: the record of one row that a judge sees (grade 14.2): a JSON object, never longer
 * than a cap, reduced in steps that keep it whole JSON and say what was left out. Everything of the
 * row stands inside JSON strings, so nothing in it can pass for our own words. */
#ifndef WAI_GRADE_JUDGE_PAYLOAD_H
#define WAI_GRADE_JUDGE_PAYLOAD_H

#include "row/row.h"
#include "row/tools.h"
#include "json/write.h"

struct payload_options {
    const struct row_tools *tools; /* declared; NULL or none: the row's own `tools` */
    struct span policy;            /* the agent's system prompt; len 0: none */
    bool privileged;               /* show the teacher's block under judge_only */
    struct span principle; /* judge_only.principle, whatever the row has; len 0: the row's */
    size_t cap;            /* characters; 0: JUDGE_PAYLOAD_CHARS */
    bool advisory;         /* the members of grade 14.6 */
};

/* Appends the record. Returns whether it was reduced. */
bool payload_write(const struct payload_options *options, const struct row *row, struct buf *out);

/* Appends one line about a fault that was planned or seen: its mode and its tool, as JSON texts.
 * false: there is none. */
bool payload_fault_lead(const struct row *row, struct buf *out);

/* Appends a text's first `limit` characters, and a mark with the count of those left out. */
void payload_cut(struct span text, size_t limit, struct buf *out);

#endif
