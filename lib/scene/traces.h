/* traces.h: what rows that were played before say (rows 19, situations 14): which tools were called
 * and failed, which faults and states were met, which behaviours fail, and what real results look
 * like. `wai-simulate --traces` aims a run by it. */
#ifndef WAI_SCENE_TRACES_H
#define WAI_SCENE_TRACES_H

#include "base/map.h"
#include "row/reader.h"
#include "row/value.h"
#include "scene/drafts.h"
#include "scene/grid.h"

/* Axes that a recipe names, in its order. */
enum { TRACE_AXES = 5 };
extern const enum axis TRACE_AXIS[TRACE_AXES];

struct trace_score {
    struct span name;
    bool failed;
};

struct trace {
    struct span prompt; /* stripped */
    enum row_label label;
    struct span fault; /* empty: none */
    struct span version;
    double ts;
    struct span value[TRACE_AXES]; /* of its dimensions; empty: none */
    struct span *tools;            /* called, in order */
    size_t n_tools;
    struct trace_score *scores; /* 0 or 1 */
    size_t n_scores;
};

struct trace_tool {
    int64_t n, faults;
};

/* `struct traces t = {0}` is empty. */
struct traces {
    struct arena arena;
    struct trace *items;
    size_t count, cap, read; /* rows kept; rows of the file */
    bool dated;              /* some row has `ts` */
    struct map tools;        /* names called, in the order first seen */
    struct trace_tool *tool_counts;
    struct map faults, worlds, signatures;
    int64_t *fault_rows, *world_rows;
    int64_t flaws;          /* rows with a fault or a 0 label */
    struct drafts drafts;   /* of the tools that were called */
    struct node *exemplars; /* tool: up to SCENE_EXEMPLARS real results; NULL: not wanted */
    struct map shapes_seen;
    size_t tools_cap, faults_cap, worlds_cap;
    int64_t opened; /* threads that the agent opened */
};

/* ERROR_INPUT: the file cannot be read, or holds no row with an ask or steps. */
int traces_read(struct traces *t, const char *path, const struct row_options *options,
                struct error *error);
void traces_add(struct traces *t, const struct row *row); /* a canonical one */
void traces_free(struct traces *t);

/* Distinct asks of failed rows, `most` of them, in the arena; *count of them. */
const struct span *traces_failing_asks(struct traces *t, size_t most, size_t *count);

/* Points tool, world_state and tool_condition at what was seen (situations 14.3). narrow: tools that
 * were never called are left out. The axes hold their full values before. */
void traces_aim(const struct traces *t, struct axis_values axes[AXIS_COUNT], bool narrow,
                struct arena *a);

/* Example results for the mock world: the first real object of each tool, or {results: [object]} of
 * the first array of objects; in the arena. */
struct node *traces_result_shapes(struct traces *t);

/* Adds {tool: {n, fault_n}} and {name: rows}. */
struct json_writer;
void traces_write_tools(const struct traces *t, struct json_writer *w);
void traces_write_faults(const struct traces *t, struct json_writer *w);

/* ---- regions: behaviours that were tried, and how they went (situations 14.4, rows 19.5) ------ */

enum region_status {
    REGION_NEW,
    REGION_PERSISTENT,
    REGION_UNCERTAIN,
    REGION_IMPROVING,
    REGION_SOLVED,
    REGION_PASSING
};

struct region_bucket {
    int64_t fails, passes;
};

struct region {
    struct span name;
    const char *kind;
    struct map recipe[TRACE_AXES]; /* values of failed rows */
    int64_t support, graded, fails;
    size_t first, last; /* buckets */
    struct region_bucket *buckets;
    enum region_status status;
    bool targeted;
    double fail_rate, priority, share;
};

struct regions {
    struct arena arena;
    struct region *items; /* by share, the largest first */
    size_t count, cap;
    struct span *buckets;
    size_t n_buckets;
    size_t traces;
    double exploration;
    double gain, tool_weight, condition_weight; /* of a cell's weight (situations 14.4) */
};

/* targeted: names that an earlier run aimed at. */
void regions_build(struct regions *r, const struct traces *t, const struct span *targeted,
                   size_t n_targeted);
void regions_free(struct regions *r);
/* regions, exploration_share, traces, buckets: members of an object. */
void regions_write_members(const struct regions *r, struct json_writer *w);

/* How the same behaviours went in rows made since: an array. */
void regions_write_progress(const struct regions *r, const struct traces *generated,
                            struct json_writer *w);

/* How many times more a cell is wanted. */
double regions_boost(const struct regions *r, const struct cell *cell);

#endif
