/* style.h: the turns of phrase that a reward may pay for instead of the work (grade 17.1): a table
 * of lists, each with the marker that is 1 when none of its phrases occurs. Phrases match as plain
 * substrings of what the agent said, lower-cased, curly apostrophes made straight. */
#ifndef WAI_GRADE_STYLE_H
#define WAI_GRADE_STYLE_H

#include "base/arena.h"
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

/* All the phrases, found in one pass. The caller frees; may be used by several threads at once. */
struct style_bank;
struct style_bank *style_bank_new(void);
void style_bank_free(struct style_bank *bank);

/* Bit k: a phrase of kind k occurs in what the agent said. The conversation has been read. `text` is
 * memory for what is said, kept from row to row. */
unsigned style_found(const struct style_bank *bank, const struct row *row,
                     struct row_conversation *c, struct buf *text);

/* The phrase with its apostrophes curly, as many replies have them; in the arena. */
const char *style_curly(struct arena *arena, const char *phrase);

#endif
