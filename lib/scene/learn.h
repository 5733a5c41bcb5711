/* learn.h: what the rows of a run teach it: how often a cell was played and what was done there, which
 * action shapes were seen, how new the prompts are, and what a cell is worth after that (situations
 * 3.7, 6, 20.4). */
#ifndef WAI_SCENE_LEARN_H
#define WAI_SCENE_LEARN_H

#include "base/map.h"
#include "model/embed.h"
#include "scene/arms.h"
#include "scene/grid.h"
#include "scene/knobs.h"
#include "scene/pace.h"

/* ---- how new a prompt is ----------------------------------------------------------------------- */

enum { NOVELTY_WINDOW = 512 /* prompts looked back at */ };

/* The hash vectors of the last prompts, by bucket. */
struct novelty_window {
    float *columns; /* EMBED_HASH_SIZE x NOVELTY_WINDOW; NULL: none yet */
    size_t count, next;
};

/* 1 less the largest cosine to one of the last prompts; 1 for the first one. It joins them. */
double novelty_add(struct novelty_window *w, const struct embedding *v);
void novelty_free(struct novelty_window *w);

/* ---- cells ------------------------------------------------------------------------------------- */

struct cell_fact {
    int64_t rows, fails, signatures; /* distinct ones */
    double novelty;                  /* of its prompts, smoothed */
    bool measured;
    size_t prompt; /* of its first row, as the caller numbers them */
    bool planned;  /* a cell of the grid or beyond, not what a row off it met */
};

/* Of one round, while it is folded. */
struct round_facts {
    int64_t rows, fresh; /* new signatures, cells and shapes */
    int64_t arm_rows[ARM_COUNT], arm_news[ARM_COUNT];
    double novelty; /* sum over prompts */
    int64_t prompts;
};

/* A point of the coverage curve. */
struct curve_point {
    int64_t rows, prompts, scenarios, signatures, cells, shapes;
    double weights[ARM_COUNT];
    double fresh_rate, novelty; /* NaN: no row */
};

struct learned {
    struct map cells; /* JSON of the dimensions */
    struct cell_fact *facts;
    size_t facts_cap;
    struct map signatures, cell_signatures, shapes, scenarios;
    int64_t *shape_rows, *scenario_rows;
    size_t shape_cap, scenario_cap;
    int64_t *value_rows; /* by the number of an axis value */
    size_t *fact_of;     /* by cell of the grid; MAP_NONE: no row */
    struct novelty_window window;
    struct round_facts round;
    int64_t flat, last_rows; /* flat rounds in a row; rows of the last one */
    struct curve_point *curve;
    size_t n_curve, curve_cap;
    double yields[ARM_COUNT]; /* of the last round; NaN: none */
};

/* What a landed row says. */
struct lesson {
    enum arm arm; /* ARM_COUNT: of a replay */
    struct span cell, scenario, signature, shape;
    size_t prompt;              /* its number */
    const struct cell *planned; /* NULL: off the grid */
    bool failed;
    bool first;     /* of its prompt: novelty counts */
    double novelty; /* of the prompt */
};

void learned_open(struct learned *l, const struct grid *grid);
void learned_free(struct learned *l);
void learned_row(struct learned *l, const struct grid *grid, const struct knobs *knobs,
                 const struct lesson *lesson);
const struct cell_fact *learned_cell(const struct learned *l, struct span cell); /* or NULL */

/* The round is folded: first its yields; then, with the weights that follow from them, a point of the
 * curve. rows and prompts: so far. */
void learned_round(struct learned *l);
void learned_point(struct learned *l, int64_t rows, int64_t prompts,
                   const double weights[ARM_COUNT]);

/* What the cell of this number weighs now. */
double learned_weight(const struct learned *l, const struct grid *grid, const struct knobs *knobs,
                      size_t cell, struct weight_blend blend);

/* How much more a cell is wanted because its values are rare on their axes; counts by the number of
 * a value, for an axis: rows with a value of it. */
double starvation_boost(const struct grid *grid, const int64_t *value_rows,
                        const struct cell *cell);

/* How much a cell's behaviour is worth another look. */
double behavior_value(const struct cell_fact *fact, const struct knobs *knobs);

bool learned_saturated(const struct learned *l, const struct grid *grid);
struct forecast learned_forecast(const struct learned *l, int64_t rows, int64_t budget,
                                 bool saturated);
int64_t learned_least(const struct learned *l); /* rows of the cell with the fewest; 0: none */
int64_t learned_missing(const struct learned *l);

#endif
