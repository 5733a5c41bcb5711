/* grounding.h: does every argument of every call come from what the agent had been told (grade
 * 17.4)? */
#ifndef WAI_GRADE_GROUNDING_H
#define WAI_GRADE_GROUNDING_H

#include "base/options.h"
#include "row/row.h"

struct grounding_options {
    const struct option_list *ignore; /* keys whose values are free text; NULL: none */
    const struct option_list *allow;  /* values that need no source; NULL: none */
};

/* True when every string argument of the row's calls occurs in the context of its call; so too
 * without calls. */
bool arguments_grounded(const struct row *row, const struct grounding_options *options);

#endif
