/* verify.h: verifiers: programs that check a candidate against a reference (grade 5-9). A verifier
 * is a row of the table in verify.c: a name, its keys, three functions. */
#ifndef WAI_GRADE_VERIFY_H
#define WAI_GRADE_VERIFY_H

#include "base/error.h"
#include "grade/verdict.h"
#include "row/gold.h"

enum verify_type { VERIFY_BOOL, VERIFY_TEXT, VERIFY_NUMBER, VERIFY_CHOICE, VERIFY_JSON };

struct verify_key {
    const char *name;
    enum verify_type type;
    const char *choices; /* VERIFY_CHOICE: "all|any" */
};

struct verify_arg {
    struct span name;
    struct json_value value; /* text of key=value is a string */
};

struct verifier;

struct verify_input {
    struct span candidate;
    struct row_gold gold; /* gold.value.text.ptr NULL: none */
    const struct row *row;
    int worker;
    struct buf *scratch; /* VERIFY_SCRATCH of them, the worker's own */
};
enum { VERIFY_SCRATCH = 4 };

struct verify_kind {
    const char *name;              /* "exact-match" */
    const char *recorded;          /* "ExactMatch" */
    const struct verify_key *keys; /* ends with {0}; field and name are everybody's */
    bool needs_gold;
    bool slow;                                            /* runs child processes */
    int (*open)(struct verifier *v, struct error *error); /* reads v's arguments; may be NULL */
    /* Fills v with verdict_score, verdict_unjudged or verdict_failed, and a reason. */
    int (*run)(const struct verifier *v, const struct verify_input *in, struct verdict *out,
               struct error *error);
    void (*close)(struct verifier *v); /* may be NULL */
};

struct verifier {
    const struct verify_kind *kind;
    char *name;  /* recorded name, owned */
    char *field; /* owned; "" when not given */
    struct verify_arg *args;
    size_t n_args;
    struct arena arena;  /* of the arguments */
    void *state;         /* the kind's own */
    int jobs;            /* workers */
    double timeout_s;    /* --timeout; 0: not given */
    const char *warning; /* one sentence for people, owned by the kind; or NULL */
};

bool verify_known(const char *spec); /* its name is a verifier's */
bool verify_slow(const char *spec);  /* it is one that runs child processes */
const char *verify_names(void);      /* "exact-match, includes, …" */

/* spec: NAME, NAME:key=value,…, NAME:{JSON}. NULL: ERROR_USAGE. */
struct verifier *verifier_open(const char *spec, int jobs, double timeout_s, struct error *error);
void verifier_close(struct verifier *v);

/* The verdict of one verifier, judge_meta.verifier included; the gold kept out. 0 or a negative
 * code. */
int verifier_run(const struct verifier *v, int worker, const struct row *row, struct buf *scratch,
                 struct verdict *out, struct error *error);

/* ---- arguments, for the kinds
 * ------------------------------------------------------------------------- */

const struct json_value *verify_arg(const struct verifier *v,
                                    const char *name); /* NULL: not given */
bool verify_arg_bool(const struct verifier *v, const char *name, bool otherwise);
double verify_arg_number(const struct verifier *v, const char *name, double otherwise);
/* A text in the verifier's arena, NUL behind it; ptr NULL: not given. */
struct span verify_arg_text(const struct verifier *v, const char *name);
/* Which of the choices was taken, 0 the first. */
int verify_arg_choice(const struct verifier *v, const char *name, int otherwise);

/* ---- references
 * --------------------------------------------------------------------------------------- */

/* Items of a list are alternatives; any other value is one. */
size_t verify_reference_count(struct json_value gold);
/* Text of alternative i: a string itself, a number as spelled, else pyjson. Borrows gold or
 * scratch. */
struct span verify_reference(struct json_value gold, size_t i, struct buf *scratch);

/* Text of a value by that rule. */
struct span verify_text(struct json_value value, struct buf *scratch);

/* The kinds, one file each or a family in one. */
extern const struct verify_kind VERIFY_EXACT, VERIFY_INCLUDES, VERIFY_REGEX, VERIFY_NUMERIC,
    VERIFY_MULTIPLE_CHOICE, VERIFY_JSON_VALID, VERIFY_JSON_FIELD, VERIFY_JSON_SCHEMA, VERIFY_CODE,
    VERIFY_SQL, VERIFY_TOOL_CALL, VERIFY_MATH;

#endif
