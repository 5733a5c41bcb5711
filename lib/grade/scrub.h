/* scrub.h: keeps the gold out of what travels into training exports (grade 2.4). Reasons are built
 * without it in the first place; this is the net below. */
#ifndef WAI_GRADE_SCRUB_H
#define WAI_GRADE_SCRUB_H

#include "grade/verdict.h"
#include "row/gold.h"

/* Replaces every spelling of the gold in text by `<reference>`. No spelling, no change. */
void scrub_text(struct json_value gold, struct buf *text);

/* reason and every text of judge_meta, but for our own keys (verifier, scorer_kind), when the gold
 * is privileged. */
void scrub_verdict(struct verdict *v, const struct row_gold *gold);

#endif
