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

/* prelude: jq definitions put in front of the program, or NULL. Modules, input, inputs are off; env and
 * $ENV are empty unless with_env. NULL: ERROR_USAGE with jq's own message in one line. */
struct expr_program *expr_compile(const char *program, const char *prelude,
                              const struct expr_binding *bindings, size_t n_bindings, bool with_env,
                              struct error *error);

/* Runs it on one value; $index is bound to `index`. *count is the number of outputs (at most 2 are
 * drawn: 2 means two or more); *out holds the first as JSON text (JSON_STYLE_COMPACT). Returns 0, or -1 when
 * the program raised an error: *error has jq's message. */
int expr_run(struct expr_program *p, struct span json, int64_t index, struct buf *out, int *count,
           struct error *error);

void expr_free(struct expr_program *p);

#endif
