/* style.h: the turns of phrase that a reward may pay for instead of the work (grade 17.1): a table
 * of lists, each with the marker that is 1 when none of its phrases occurs. Phrases match as plain
 * substrings of what the agent said, lower-cased, curly apostrophes made straight. */
#ifndef WAI_GRADE_STYLE_H
#define WAI_GRADE_STYLE_H

#include "row/conversation.h"

enum style_kind {
    STYLE_BOILERPLATE,
    STYLE_HEDGING,
    STYLE_APOLOGY,
    STYLE_SYCOPHANCY,
    STYLE_REFUSAL,
    STYLE_KINDS,
};

struct style_list {
    const char *marker;         /* "no_boilerplate" */
    const char *tic;            /* "boilerplate" */
    const char *const *phrases; /* ends with NULL */
};

extern const struct style_list STYLE_LISTS[STYLE_KINDS];

/* What the phrases are looked for in; the conversation has been read. out is cleared. */
void style_text(const struct row *row, struct row_conversation *c, struct buf *out);

/* The first phrase of the list that occurs in a style_text, or NULL. */
const char *style_phrase(enum style_kind kind, struct span text);

#endif
