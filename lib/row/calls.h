/* calls.h: the tool calls of a row or of one message, in both spellings: flat {name, arguments} and
 * the wire's {id, type, function: {name, arguments: "<JSON text>"}} (grade 2.5). */
#ifndef WAI_ROW_CALLS_H
#define WAI_ROW_CALLS_H

#include "base/arena.h"
#include "row/parse.h"
#include "row/row.h"

struct row_call {
    struct span name;            /* decoded; "" when absent */
    struct json_value arguments; /* an object; text.ptr NULL stands for {} */
    struct span id;              /* decoded; "" when absent */
};

/* `struct row_calls c = {0}` is empty. Items borrow the row and the arena. */
struct row_calls {
    struct row_call *items;
    size_t count, cap;
    struct arena arena;
};

/* The calls of the assistant messages; only when they hold none, the objects of steps (else
 * tool_trace) whose tool is truthy. Clears calls first. */
void row_calls_read(struct row_calls *calls, const struct row *row);

/* Appends the calls of one message. */
void row_calls_add_message(struct row_calls *calls, struct json_value message);

void row_calls_clear(struct row_calls *calls);
void row_calls_free(struct row_calls *calls);

#endif
