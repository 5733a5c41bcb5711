/* expr.h: expressions over a row, by libjq. One compiled program per thread. */
#ifndef WAI_JSON_EXPR_H
#define WAI_JSON_EXPR_H

#include "base/error.h"
#include "json/scan.h"

struct expr_program;

struct expr_binding {
    const char *name; /* without '$' */
    struct span json; /* its value */
};

/* prelude: jq definitions put in front of the program, or NULL; they see the bindings too. $index
 * is bound by expr_run and wins over a binding of that name. Modules, input, inputs are off; env
 * and $ENV are empty unless with_env. Numbers are doubles inside a program: an integer beyond 2^53
 * loses its last digits. A lone surrogate becomes U+FFFD. NULL: ERROR_USAGE with jq's own message
 * in one line. */
struct expr_program *expr_compile(const char *program, const char *prelude,
                                  const struct expr_binding *bindings, size_t n_bindings,
                                  bool with_env, struct error *error);

/* Runs it on one value. *count is the number of outputs (at most 2 are drawn: 2 means two or more);
 * the first is appended to out as compact JSON text: integral numbers up to 2^53 without a
 * fraction, null for NaN and the infinities. Returns 0, or -1 when the program raised an error:
 * *error has jq's message. */
int expr_run(struct expr_program *p, struct span json, int64_t index, struct buf *out, int *count,
             struct error *error);

/* The same on a value that has been validated already. */
int expr_run_value(struct expr_program *p, struct json_value value, int64_t index, struct buf *out,
                   int *count, struct error *error);

/* What the program's `debug` and `stderr` are given goes to this function; NULL (at first):
 * nowhere. */
void expr_on_debug(struct expr_program *p, void (*debug)(void *data, struct span json), void *data);

/* What a prelude calls as `__native("name"; $argument)`: text is the JSON array [name, argument, .]. Appends
 * the JSON result to out and returns 0, or returns a negative code with *error: the program raises it.
 * Runs on the thread of expr_run. */
typedef int expr_native(void *data, struct json_value call, struct buf *out, struct error *error);
void expr_on_native(struct expr_program *p, expr_native *call, void *data);

void expr_free(struct expr_program *p);

#endif
