/* recommend.h: how many rows to make, from the agent's own grid, before anything is spent
 * (situations 23). */
#ifndef WAI_SCENE_RECOMMEND_H
#define WAI_SCENE_RECOMMEND_H

#include "scene/grid.h"

struct recommend_wish {
    const char *mode;  /* `sft` in any case is sft; every other word is sized as rl. NULL: sft */
    int64_t target;    /* rows to end up with; 0: 800 */
    double mixed_rate; /* share of tasks whose rollouts differ; cut to 0.02..1 */
};

struct recommendation {
    bool sft;
    int64_t cells, target, budget;
    int64_t situations; /* rl */
    double mixed_rate;  /* rl */
    double successive;  /* rl: rows to expect when groups that agree stop after the probe */
    bool grid_decides;  /* the grid's cells, not the target, set the size */
};

/* 0, or ERROR_USAGE: a target below 0, or so large that the rows cannot be counted. */
int recommend(const struct grid *grid, const struct recommend_wish *wish,
              struct recommendation *out, struct error *error);
void recommend_json(const struct recommendation *r, struct buf *out); /* one object, no newline */
void recommend_text(const struct recommendation *r, struct buf *out); /* lines for people */

#endif
