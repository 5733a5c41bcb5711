/* trace_calls.h: the calls of a row as the trace flags read them (grade 17.3): from steps, else
 * from messages, else from tool-call blocks in the final text; what kind each is, and whether it
 * failed. Inside room `grade`. */
#ifndef WAI_GRADE_TRACE_CALLS_H
#define WAI_GRADE_TRACE_CALLS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
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

/* What the user says of tools by name. `struct trace_kinds k = {0}` knows nothing. */
struct trace_kinds {
    struct map names;
    enum call_kind *kinds;
    size_t cap;
};

/* "TOOL=KIND,TOOL=KIND" or a file with a JSON or YAML object: write, read, delete, command, none.
 * ERROR_USAGE, ERROR_INPUT. */
int trace_kinds_read(struct trace_kinds *kinds, const char *text_or_file, struct error *error);
void trace_kinds_free(struct trace_kinds *kinds);

/* `struct trace_calls c = {0}` is empty. Items borrow the row and the arena. */
struct trace_calls {
    struct trace_call *items;
    size_t count, cap;
    struct arena arena;
    const struct trace_kinds *kinds; /* borrow; NULL: none */
};

void trace_calls_read(struct trace_calls *calls, const struct row *row);
bool trace_call_failed(const struct trace_call *call);
void trace_calls_free(struct trace_calls *calls);

#endif
