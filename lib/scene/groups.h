/* groups.h: a prompt and its rollouts, and when it gets another one (situations 5.1, 8). Inside the
 * room. */
#ifndef WAI_SCENE_GROUPS_H
#define WAI_SCENE_GROUPS_H

#include "row/signature.h"
#include "scene/engine.h"

enum group_state { GROUP_OPEN, GROUP_PROBING, GROUP_MIXED, GROUP_STOPPED, GROUP_COMPLETE };

struct kept_row {
    int64_t index;
    char *line; /* owned */
    size_t len;
};

struct group {
    struct scene_task task;
    size_t number;                     /* in the run */
    enum arm arm;                      /* ARM_COUNT: of a replay */
    enum aim_reason reason;            /* of a varied ask */
    bool written;                      /* by the run itself */
    bool fresh;                        /* the first of its situation */
    bool doubled;                      /* chosen among others, and hardly new */
    int64_t scheduled, landed, queued; /* rollouts; entries in the queue */
    int64_t labels, truncated;
    int64_t rerolled;     /* under the lock of the run's halt, while a round is played */
    struct job *last_job; /* while a round is made ready */
    bool mixed;
    char first_label[ROW_SIGNATURE_LENGTH + 1];
    enum group_state state;
    struct kept_row *kept; /* until the group closes, under the successive policy */
    size_t n_kept, kept_cap;
};

/* How often prompts with n equal labels split at the next one. */
struct succession {
    int64_t k, probe;
    double smoothing; /* pseudo-count */
    int64_t probed, mixed;
    int64_t *seen, *split; /* by labels seen, k + 1 long */
};

void succession_open(struct succession *s, int64_t k, int64_t probe, double smoothing);
void succession_close(struct succession *s);
double succession_rate(const struct succession *s);
double succession_hazard(const struct succession *s, int64_t n);

/* A rollout of g has landed. Returns how many entries g is to have in the queue; sets its state.
 * fresh: a new prompt can be opened. */
int64_t succession_landed(struct succession *s, struct group *g, const char *label, bool truncated,
                          bool fresh);

void group_counts_add(struct group_counts *c, const struct group *g, int64_t k);
bool group_is_cut(const struct group *g, int64_t k);
void group_free(struct group *g);

#endif
