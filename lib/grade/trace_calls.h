/* trace_calls.h: the calls of a row as the trace flags read them (grade 17.3): from steps, else
 * from messages, else from tool-call blocks in the final text; what kind each is, and whether it
 * failed. Inside room `grade`. */
#ifndef WAI_GRADE_TRACE_CALLS_H
#define WAI_GRADE_TRACE_CALLS_H

#include "base/arena.h"
#include "row/row.h"

enum call_kind { CALL_NONE, CALL_DELETE, CALL_COMMAND, CALL_WRITE, CALL_READ };

struct trace_call {
    struct span tool;            /* decoded */
    struct json_value arguments; /* an object; text.ptr NULL: none */
    struct json_value result;    /* decoded from JSON text; text.ptr NULL: none */
    bool marked_failed;          /* the step says so itself */
    enum call_kind kind;
    struct span command, path, content; /* decoded; ptr NULL: none */
};

/* `struct trace_calls c = {0}` is empty. Items borrow the row and the arena. */
struct trace_calls {
    struct trace_call *items;
    size_t count, cap;
    struct arena arena;
};

void trace_calls_read(struct trace_calls *calls, const struct row *row);
bool trace_call_failed(const struct trace_call *call);
void trace_calls_free(struct trace_calls *calls);

#endif
