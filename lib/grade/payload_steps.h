/* payload_steps.h: what happened in a row, step by step, as a judge is shown it: from `steps` (or
 * `tool_trace`), else from the row's messages. Inside room `grade`. */
#ifndef WAI_GRADE_PAYLOAD_STEPS_H
#define WAI_GRADE_PAYLOAD_STEPS_H

#include "base/arena.h"
#include "row/row.h"

struct payload_step {
    struct span tool;                    /* decoded; "" when none was called */
    struct json_value arguments, result; /* text.ptr NULL: none */
    bool has_result;                     /* null is a result too */
    struct span text, user;              /* decoded; ptr NULL: none */
};

/* `struct payload_steps s = {0}` is empty. Items borrow the row and the arena. */
struct payload_steps {
    struct payload_step *items;
    size_t count, cap;
    struct span opening; /* the first words of the user, of a row with messages; "" otherwise */
    struct arena arena;
};

void payload_steps_read(struct payload_steps *steps, const struct row *row);
void payload_steps_free(struct payload_steps *steps);

#endif
