/* scorer.h: what puts a verdict on a row: an expression, a command, a verifier. A scorer is opened
 * once, asked from several threads (each with a worker number of its own), and closed. */
#ifndef WAI_GRADE_SCORER_H
#define WAI_GRADE_SCORER_H

#include "base/error.h"
#include "grade/verdict.h"
#include "model/model_options.h"
#include "json/write.h"

struct scorer;

/* A kind of scorer is a table row. */
struct scorer_kind {
    /* The verdict on one row, as the worker's own thread sees it: 0 (v filled), or a negative code
     * that stops the run. */
    int (*verdict)(struct scorer *s, int worker, const struct row *row, struct verdict *v,
                   struct error *error);
    void (*close)(struct scorer *s); /* frees s too */
    /* Adds members to the report's object; may be NULL. */
    void (*report)(struct scorer *s, struct json_writer *w);
};

/* The head of every scorer; a kind puts its own state behind it. */
struct scorer {
    const struct scorer_kind *kind;
    char *name;            /* owned: judge_name when the user gives none */
    const char *meta_kind; /* judge_meta.scorer_kind, or NULL */
    int threads;           /* worker numbers are below this; set by the opener */
    bool slow;             /* a row is worth a hand-over between threads of its own */
    bool children;         /* child processes do the work: when each verdict is an error, exit 4 */
    struct span
        gold_field; /* where the gold is looked up for the net of grade 2.4; empty: usual places */
    bool judge;     /* a model judges: rows cut by the token cap are not for it (3.4) */
    bool floor, criteria; /* it has no rubric; it answers criteria */
    bool advisory;        /* verdicts land as a second opinion (14.6) */
    const char *model;    /* of a model judge, to tell whether it judges itself; NULL: none */
    const char *version;  /* lineage.judge_version when the user gives none; NULL: none */
    const char *warning;  /* one sentence for people, after opening or later; NULL: none */
};

/* What every opener is told. */
struct scorer_setup {
    int jobs;         /* 0: the kind's default */
    double timeout_s; /* per verdict; 0: the kind's default */
    struct verdict_scale scale;
    struct span tools;           /* JSON array for $tools; len 0: none */
    struct model_access *models; /* for model judges; NULL: none can be asked */
    struct span policy;          /* the agent's system prompt for $policy; ptr NULL: none */
    void (*debug)(void *data, struct span json); /* where jq's debug goes; NULL: nowhere */
    void *debug_data;
};

/* ---- openers: NULL with *error (ERROR_USAGE for what the user wrote)
 * ---------------------------------- */

struct scorer_expr_options {
    const char *program;
    const struct scorer_binding {
        const char *name;
        struct span json;
    } * bindings; /* --arg, --argjson */
    size_t n_bindings;
    bool with_env; /* --expr-env */
};
struct scorer *scorer_expr_open(const struct scorer_expr_options *options,
                                const struct scorer_setup *setup, struct error *error);

struct scorer_cmd_options {
    const char *command;
    bool envelope;    /* {"i":N,"row":…} in, {"i":N,"verdict":…} out, in any order */
    int batch;        /* requests under way per process with the envelope; 0: the default */
    const char *kind; /* judge_meta.scorer_kind or NULL */
};
struct scorer *scorer_cmd_open(const struct scorer_cmd_options *options,
                               const struct scorer_setup *setup, struct error *error);

enum verify_compose { VERIFY_ALL, VERIFY_ANY, VERIFY_WEIGHTED };

struct scorer_verify_options {
    const char *const *specs; /* NAME[:ARGS] */
    size_t n_specs;
    enum verify_compose compose;
    const char *weights; /* "2,1" with VERIFY_WEIGHTED */
};
struct scorer *scorer_verify_open(const struct scorer_verify_options *options,
                                  const struct scorer_setup *setup, struct error *error);

/* The conduct rules (grade 10), and conduct times the outcome of the task (11). setup->tools: the
 * declared tools. */
struct scorer *scorer_conduct_open(const struct scorer_setup *setup, struct error *error);
struct scorer *scorer_checklist_open(const struct scorer_setup *setup, struct error *error);

/* A verdict that is on the row already, at a dotted path. */
struct scorer *scorer_field_open(const char *path, const struct scorer_setup *setup,
                                 struct error *error);

/* A scorer in one string (grade 4.3): expr:PROG, cmd:COMMAND, verify:NAME[:ARGS], rubric:FILE,
 * field:PATH, conduct, checklist, a verifier's NAME[:ARGS], or a model spec. */
struct scorer *scorer_open(const char *spec, const struct scorer_setup *setup, struct error *error);

/* ---- use
 * ------------------------------------------------------------------------------------------------
 */

/* The finished verdict: the kind's answer, scorer_kind in judge_meta, the gold kept out. */
int scorer_verdict(struct scorer *s, int worker, const struct row *row, struct verdict *v,
                   struct error *error);
void scorer_close(struct scorer *s);

/* jobs when the user named a number, else the CPUs, at most `most`. */
int scorer_jobs(const struct scorer_setup *setup, int most);

#endif
