/* label_trust.h: does a judge agree with people (grade 14.9, guard 3): the rows that a person labelled
 * and the judge graded, counted as they pass. */
#ifndef WAI_GUARD_LABEL_TRUST_H
#define WAI_GUARD_LABEL_TRUST_H

#include "base/buf.h"
#include "row/conversation.h"
#include "json/write.h"

struct label_trust;

struct label_trust *label_trust_new(void);
void label_trust_free(struct label_trust *t);

/* Takes a row with gold_kind "human", a gold_reward of 0 or 1, and a reward; passes over any other. */
void label_trust_row(struct label_trust *t, const struct row *row);

struct label_trust_summary {
    uint64_t n_gold;              /* labelled and judged 0 or 1 */
    uint64_t passed_failures;     /* failures by the label that the judge passed */
    double agreement, low, kappa; /* Wilson's lower bound; NaN without rows */
    bool one_class, length_bias;  /* every label is the same; passes go with length */
    double skipped_share;         /* of labelled rows whose reward is a fraction */
    bool ok;
};
struct label_trust_summary label_trust_summary(const struct label_trust *t);

/* {agreement, agreement_low, kappa, n_gold, ok}, or null without labelled rows. */
void label_trust_write(const struct label_trust_summary *s, struct json_writer *w);

/* One sentence for people when it is not ok; false: it is. */
bool label_trust_warning(const struct label_trust_summary *s, struct buf *out);

#endif
