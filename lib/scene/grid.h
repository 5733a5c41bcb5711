/* grid.h: which situations exist: six axes, and a pairwise covering array over them, so that every
 * pair of axis values meets in some cell and an edit of one rule moves that rule's cells only
 * (situations 2.3, 3). */
#ifndef WAI_SCENE_GRID_H
#define WAI_SCENE_GRID_H

#include "base/arena.h"
#include "base/error.h"
#include "row/tools.h"
#include "world/world.h"

/* ---- what the grid reads off tools ----------------------------------------------------------- */

enum tool_kind { TOOL_READ, TOOL_OTHER, TOOL_DESTRUCTIVE };

struct tool_fact {
    struct span name;
    struct span *tokens; /* of the name, lower case */
    size_t n_tokens;
    size_t tail; /* the first token behind the last dot, as in shop.Orders.get_order; 0: no dot */
    enum tool_kind kind;
};

struct tool_facts {
    struct arena arena;
    struct tool_fact *items; /* one for each tool, in order */
    size_t count;
    bool records;        /* some tool takes the name of a record */
    bool record_numbers; /* some tool takes an invented reference */
    struct span *ids;    /* known ids, as the descriptions name them */
    size_t n_ids, ids_cap;
    struct span noun; /* what the domain is about */
};

void tool_facts_read(struct tool_facts *facts, const struct row_tools *tools);
void tool_facts_free(struct tool_facts *facts);
const struct tool_fact *tool_facts_find(const struct tool_facts *facts, struct span name);

/* ---- axes ------------------------------------------------------------------------------------ */

enum axis {
    AXIS_TOOL,
    AXIS_RULE,
    AXIS_STANCE,
    AXIS_WORLD,
    AXIS_CONDITION,
    AXIS_HISTORY,
    AXIS_COUNT
};
const char *axis_name(enum axis a);

enum tier { TIER_ORDINARY, TIER_AMBIGUOUS, TIER_BOUNDARY, TIER_ADVERSARIAL, TIER_COUNT };
const char *tier_name(enum tier t);
enum tier tier_of_stance(struct span stance);

struct aim;

struct axis_values {
    struct span *items;
    size_t count;
    bool pinned; /* by the user */
};

/* What a grid is made of; borrowed. */
struct grid_setting {
    const struct row_tools *tools;
    struct span policy;
    const char *const *dimensions; /* values of --dimensions: AXIS=V1,V2 or FILE.json */
    size_t n_dimensions;
    bool prefer_success; /* flip most fault cells to success (situations 3.6) */
    const struct world_options *world;
    const struct aim *aim; /* of traces; NULL: none. Pinned axes are not aimed */
};

enum { CELL_ID_MAX = 16 };

struct cell {
    struct span value[AXIS_COUNT];
    uint32_t pair_value[AXIS_COUNT]; /* dense numbers of (axis, value), for pairs */
    char id[CELL_ID_MAX];
    double risk, weight;
    enum tier tier;
};

struct grid {
    struct arena arena;
    struct axis_values axes[AXIS_COUNT];
    size_t rules_total;
    struct cell *cells;
    size_t count;
    size_t n_values;          /* distinct (axis, value) of all cells */
    enum axis *axis_of_value; /* by their numbers */
    struct tool_facts facts;
    bool flips;            /* most fault cells are turned into successes */
    const struct aim *aim; /* borrowed from the setting */
};

/* 0, or ERROR_USAGE (a dimension that is refused), ERROR_INPUT (its file). Warnings, one line each,
 * are appended to notes. */
int grid_build(struct grid *grid, const struct grid_setting *setting, struct buf *notes,
               struct error *error);
void grid_free(struct grid *grid);

/* A further cell, given its values: the flip by its draw alone, id, tier, risk, weight. false: a value
 * that no cell of the grid has. */
bool grid_complete_cell(const struct grid *grid, struct cell *cell);

/* The cell's assignment as JSON: keys in axis order, compact; or sorted PYJSON, which ids hash. */
void cell_write(const struct cell *cell, struct buf *out);
void cell_pyjson(const struct cell *cell, struct buf *out);

/* Weight of a cell that has `rows` rows (situations 3.7), a share of how much it is wanted. */
struct weight_blend {
    double count, risk, novelty, behavior;
};
extern const struct weight_blend WEIGHT_FIRST; /* the first grid, in every mode */
extern const struct weight_blend WEIGHT_RL;    /* mode rl, from the first update on */
double cell_weight(const struct cell *cell, struct weight_blend blend, size_t rows, double novelty,
                   double behavior);

/* ---- pairs of a set of cells (situations 3.9) ------------------------------------------------ */

/* A bit for each pair of values, by their dense numbers. */
struct pairs {
    uint8_t *bits;
    size_t n_values;
    size_t count; /* set */
};

void pairs_open(struct pairs *p, size_t n_values);
void pairs_free(struct pairs *p);
size_t pairs_add_cell(struct pairs *p, const struct cell *cell); /* how many are new */
/* Of the cell's pairs those that are planned. */
void pairs_add_planned(struct pairs *covered, const struct pairs *planned, const struct cell *cell);
size_t pairs_new(const struct pairs *p, const struct cell *cell); /* how many would be */

/* Of the pairs that the grid plans, those that a row's scenario_dimensions hold. */
void pairs_add_row(struct pairs *covered, const struct pairs *planned, const struct grid *grid,
                   struct json_value dimensions);

#endif
