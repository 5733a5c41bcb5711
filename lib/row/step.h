/* step.h: what a step is, read in one pass over its members (rows 1.3); and the steps of a row, read
 * once for all who ask about them. */
#ifndef WAI_ROW_STEP_H
#define WAI_ROW_STEP_H

#include "row/row.h"

/* Members that are not there have text.ptr NULL. */
struct row_step {
    struct json_value user, tool, arguments, result, text, truncated;
};

static inline bool step_key(const struct json_member *m, const char *name, size_t len)
{
    if (m->key_escaped)
        return json_key_is(m, span_make(name, len));
    return m->key.len == len && memcmp(m->key.ptr, name, len) == 0;
}

static inline void row_step_read(struct json_value object, struct row_step *step)
{
    *step = (struct row_step){0};
    struct json_cursor c = json_enter(object);
    struct json_member m;
    if (object.type != JSON_VALUE_OBJECT)
        return;
    while (json_next_member(&c, &m)) {
        if (step_key(&m, "tool", 4))
            step->tool = m.value;
        else if (step_key(&m, "arguments", 9))
            step->arguments = m.value;
        else if (step_key(&m, "result", 6))
            step->result = m.value;
        else if (step_key(&m, "text", 4))
            step->text = m.value;
        else if (step_key(&m, "user", 4))
            step->user = m.value;
        else if (step_key(&m, "truncated", 9))
            step->truncated = m.value;
    }
}

/* The steps of a row: {0} is none; reuse it from row to row. Borrows the row. What is no object in
 * `steps` is left out. */
struct row_steps {
    struct row_step *items;
    size_t count, cap;
};

void row_steps_read(struct row_steps *steps, const struct row *row);
void row_steps_free(struct row_steps *steps);

#endif
