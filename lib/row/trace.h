/* trace.h: one row of somebody's log made a row of ours (rows 11.2): steps from steps, tool_trace,
 * trace or messages (11.3), prompt and final_text from their other names, the reward checked.
 * Members that are there stay. `convert` and `load` use it. */
#ifndef WAI_ROW_TRACE_H
#define WAI_ROW_TRACE_H

#include "base/arena.h"
#include "base/map.h"
#include "row/row.h"
#include "json/edit.h"

enum row_trace_fate {
    ROW_TRACE_OK,    /* a row */
    ROW_TRACE_EMPTY, /* neither ask nor steps */
    ROW_TRACE_BAD,   /* *what says why */
};

enum row_trace_source {
    ROW_TRACE_NONE,
    ROW_TRACE_STEPS,
    ROW_TRACE_TOOL_TRACE,
    ROW_TRACE_TRACE,
    ROW_TRACE_MESSAGES,
};

struct trace_step;
struct trace_line;

/* `struct row_tracer t = {0}` is ready; reuse it from row to row. */
struct row_tracer {
    bool binary_rewards; /* in: keep only what coerces to 0 or 1 (the reference's rule) */

    enum row_trace_source source; /* out, of the last row: where its steps came from */
    uint64_t rewards_kept, rewards_removed, orphan_results, bad_arguments; /* out: summed */

    struct arena arena;
    struct json_edit edit;
    struct trace_step *steps;
    size_t n_steps, cap_steps;
    size_t first_open; /* no call before it waits for its result */
    struct map ids, names;
    size_t *step_of_id;       /* by number among the ids */
    struct trace_line *lines; /* by number among the names */
    size_t cap_ids, cap_names;
    struct buf json, scratch;
};

/* Appends the row to out, without a newline, when it is ROW_TRACE_OK. *what is set on
 * ROW_TRACE_BAD. */
enum row_trace_fate row_trace(struct row_tracer *t, const struct row *row, struct buf *out,
                              const char **what);

void row_tracer_free(struct row_tracer *t);

#endif
