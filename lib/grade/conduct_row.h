/* conduct_row.h: a rollout as the conduct rules and the task checklist read it (grade 10, 11): the
 * ask, the reply, and the steps with what each result says. Inside room `grade`. */
#ifndef WAI_GRADE_CONDUCT_ROW_H
#define WAI_GRADE_CONDUCT_ROW_H

#include "base/arena.h"
#include "row/row.h"

struct conduct_step {
    struct span tool;            /* decoded; len 0: not a call */
    struct json_value arguments; /* text.ptr NULL: none */
    struct json_value result;    /* not null; text.ptr NULL: none */
    struct json_value object;    /* the result as an object; text.ptr NULL: it is none */
    struct span status;          /* of the object, trimmed and lower-cased */
    struct span said, user;      /* decoded; len 0: nothing */
    bool faulted;                /* a call whose result failed (2.6) */
};

/* `struct conduct_row c = {0}` is empty; reuse it from row to row. Borrows the row and the arena. */
struct conduct_row {
    struct span prompt, asked; /* the ask as written, and lower-cased */
    struct span reply;         /* the candidate (2.2) */
    struct conduct_step *steps;
    size_t count, cap;
    size_t calls;         /* steps that have a tool */
    bool planned, faults; /* a fault plan; that, or a call that faulted */
    const struct row *row;
    struct arena arena;
    struct buf scratch;
};

void conduct_row_read(struct conduct_row *c, const struct row *row);
void conduct_row_free(struct conduct_row *c);

/* Copies the bytes of a buffer into the arena. */
struct span conduct_keep(struct conduct_row *c, const struct buf *text);
struct span conduct_lower(struct conduct_row *c, struct span text);

/* The lower-cased PYJSON of a value, appended to out. */
void conduct_add_json(struct conduct_row *c, struct json_value value, struct buf *out);

#endif
