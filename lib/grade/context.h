/* context.h: what the agent was told and given, for scorers: --tools, --policy, --system-prompt. */
#ifndef WAI_GRADE_CONTEXT_H
#define WAI_GRADE_CONTEXT_H

#include "grade/scorer.h"
#include "row/tools.h"

/* `struct grade_context c = {0}` is empty. */
struct grade_context {
    struct row_tools tools;
    struct buf json, policy;
};

/* Reads them (each may be NULL) into setup->tools and setup->policy, which borrow c. ERROR_USAGE when
 * policy and system_prompt differ. */
int grade_context_read(struct grade_context *c, const char *tools, const char *policy,
                       const char *system_prompt, struct scorer_setup *setup, struct error *error);
void grade_context_free(struct grade_context *c);

#endif
