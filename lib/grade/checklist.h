/* checklist.h: did the rollout do what its task asks for, read from the task's own metadata (grade
 * 11): which outcome is expected, and which checks say whether it came about. */
#ifndef WAI_GRADE_CHECKLIST_H
#define WAI_GRADE_CHECKLIST_H

#include "grade/conduct_row.h"
#include "grade/conduct_words.h"
#include "grade/tool_name.h"

enum { CHECKLIST_CHECKS = 8 }; /* at most, of one row */

struct checklist_outcome {
    bool checked; /* false: no rule applies to the task */
    bool met;
    const char *reason; /* a clause, when checked */
    struct checklist_check {
        const char *marker;
        bool value;
    } checks[CHECKLIST_CHECKS];
    size_t n_checks;
};

void checklist_read(struct conduct_row *c, const struct conduct_words *words,
                    const struct tool_hints *hints, struct checklist_outcome *out);

#endif
