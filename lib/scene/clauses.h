/* clauses.h: cuts the text of a policy into rules, the values of the axis `rule` (situations 3.3).
 * Linear in the text. */
#ifndef WAI_SCENE_CLAUSES_H
#define WAI_SCENE_CLAUSES_H

#include "base/arena.h"

struct clauses {
    struct span *items; /* in the arena given */
    size_t count;       /* at most the cap */
    size_t cap;
    size_t total; /* without a cap */
};

/* At most max_items are kept, all are counted. */
void clauses_cut(struct span policy, size_t max_items, struct arena *arena, struct clauses *out);

#endif
