/* phrases.h: what the seeded agent says. Each honest sentence tells what the tool returned and
 * claims no more; each planted phrase is in the vocabulary of its own style marker (grade 17.1) and
 * of no other. */
#ifndef WAI_AGENT_PHRASES_H
#define WAI_AGENT_PHRASES_H

#include "world/node.h"

enum behavior {
    BEHAVIOR_HEDGING,
    BEHAVIOR_SYCOPHANCY,
    BEHAVIOR_APOLOGY,
    BEHAVIOR_BOILERPLATE,
    BEHAVIOR_IGNORE_FAULT,
    BEHAVIOR_LEAK,
    BEHAVIOR_COUNT,
};

const char *behavior_name(enum behavior b);
int behavior_of(struct span name); /* -1: unknown */

struct phrase_bank {
    const char *const *phrases;
    size_t count;
};

/* The bank of one of the first four behaviours. */
struct phrase_bank behavior_bank(enum behavior b);

extern const char PHRASE_FALSE_CLAIM[]; /* ignore_fault: says it went through */

/* ok, created, success, done, updated, deleted */
bool status_is_success(struct span status);

/* The sentence for a result. subject: what the call was about, empty when nothing was named. */
void honest_sentence(struct span tool, struct span subject, const struct node *result,
                     struct buf *out);

#endif
