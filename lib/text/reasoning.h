/* reasoning.h: what a model thought aloud between <think> and </think>, apart from what it said
 * (rows 9.1). Tags in any ASCII case, shortest match; linear time. */
#ifndef WAI_TEXT_REASONING_H
#define WAI_TEXT_REASONING_H

#include "base/buf.h"

struct text_reasoning {
    struct span spoken; /* borrows the text or scratch */
    size_t closed;      /* finished thoughts that are not blank */
    bool unclosed;      /* the text ends inside a thought */
};

/* scratch is cleared; used only when a thought was taken out of the middle. */
struct text_reasoning text_split_reasoning(struct span text, struct buf *scratch);

#endif
