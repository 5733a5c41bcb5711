/* runs.h: graded rows as runs of an eval: each operand a run, or one stream split by the run that
 * a row names (measure 9.4, 6.4). A verdict here is the first reward key's alone (1.2): a later key
 * is counted, not read, unless the keys were given. */
#ifndef WAI_MEASURE_RUNS_H
#define WAI_MEASURE_RUNS_H

#include "base/map.h"
#include "measure/measure.h"
#include "row/reader.h"

struct eval_run {
    struct span label; /* borrows the runs */
    struct passat *rows;
};

struct eval_runs {
    struct eval_run *items; /* in the order of operands, or first-seen order */
    size_t count, cap;
    struct map labels;
    uint64_t n_rows, n_bad;
    uint64_t n_without;  /* rows that name no run: in none */
    uint64_t n_fallback; /* rows whose verdict only a later key has */
    uint64_t n_boolean;  /* rows with true or false for a reward, not counted */
};

enum runs_split {
    RUNS_TOGETHER,   /* all rows are one run */
    RUNS_BY_OPERAND, /* each a run, run_1 …, rows or none */
    RUNS_BY_STAMP,   /* the text of lineage.eval_run, else of lineage.scoring_run_id */
    RUNS_BY_KEY,     /* the text of the row's `by`, else of lineage's */
};

struct runs_input {
    struct row_source source;   /* with RUNS_BY_OPERAND paths are given */
    struct facts_options facts; /* reward_keys NULL: the first default key alone counts */
    bool markers;               /* keep their values */
    enum runs_split split;
    const char *by;
};

/* Fills *runs (free it in any case). 0 or a negative code. */
int eval_runs_read(const struct runs_input *input, struct eval_runs *runs, struct error *error);
void eval_runs_free(struct eval_runs *runs);

/* What the rows hold that a verdict was not read from, as warnings with the mend: bad_lines,
 * boolean_rewards, fallback_rewards. */
void eval_runs_warn(const struct eval_runs *runs, struct notes *warnings);

/* lineage[key] when it is there and not null, else NULL; *found holds it. */
const struct json_value *row_lineage(const struct row *row, const char *key,
                                     struct json_value *found);

/* The text of the row's `key`, else of its lineage's; false: none, or an empty one. */
bool row_run_key(const struct row *row, const char *key, struct buf *scratch, struct span *label);

/* The tasks of a run that carry the metric (pass_at_1, marker:NAME), with their means, in
 * first-seen order. The caller frees the array; keys borrow the passat. */
struct task_rate *passat_tasks(const struct passat *p, struct span metric, size_t *count);

/* A metric's name as reports spell it: pass_at_1 as it is, anything else a marker. Appended. */
void metric_name(const char *typed, struct buf *out);

#endif
