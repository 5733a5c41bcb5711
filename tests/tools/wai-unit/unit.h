/* unit.h: the table behind wai-unit, the driver that lets tests call library functions:
 *
 *     wai-unit FUNCTION < inputs.jsonl       one JSON value out for each line in
 *
 * Each family of functions is a file with one table, and a row in the table of tables in main.c. */
#ifndef WAI_UNIT_H
#define WAI_UNIT_H

#include "base/error.h"
#include "json/write.h"

struct unit_function {
    const char *name;
    /* Writes one value for the line's value. 0, or a negative code that ends the run. */
    int (*run)(struct json_value in, struct json_writer *out, struct error *error);
};

/* Each ends with {0}. */
extern const struct unit_function UNIT_JSON[];
extern const struct unit_function UNIT_RNG[];
extern const struct unit_function UNIT_TEXT[];
extern const struct unit_function UNIT_MEASURE[];
extern const struct unit_function UNIT_ROW[];
extern const struct unit_function UNIT_MODEL[];
extern const struct unit_function UNIT_SCENE[];
extern const struct unit_function UNIT_AGENT[];
extern const struct unit_function UNIT_SEARCH[];

/* ---- reading a line ------------------------------------------------------------------------------ */

/* Members of `in`; ERROR_INPUT when one is missing or of another type. The text is a copy that the
 * caller frees. */
int unit_real(struct json_value in, const char *key, double *out, struct error *error);
int unit_int(struct json_value in, const char *key, int64_t *out, struct error *error);
int unit_text(struct json_value in, const char *key, struct buf *out, struct error *error);
int unit_get(struct json_value in, const char *key, struct json_value *out, struct error *error);

/* A list of numbers; *out is the caller's to free. */
int unit_reals(struct json_value in, const char *key, double **out, size_t *n, struct error *error);

/* Which of the functions of a family the member "f" names: its place in names[], or a negative code. */
int unit_which(struct json_value in, const char *const *names, size_t n, struct error *error);

#endif
