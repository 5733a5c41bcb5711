/* swarm_inside.h: what the files of the swarm share. Inside the room. */
#ifndef WAI_SCENE_SWARM_INSIDE_H
#define WAI_SCENE_SWARM_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/child.h"
#include "rng/rng.h"
#include "scene/swarm.h"

/* One attempt. Its texts live in the problem's arena once it is settled. */
struct attempt {
    struct problem *problem;
    int64_t round, particle;
    struct span message; /* what the model is asked */
    struct buf text, feedback, why;
    bool done; /* it has a text and a fitness */
    bool correct;
    double fitness;
};

struct problem {
    const struct scene_task *task;
    size_t number;
    struct rng rng;
    struct arena arena; /* of messages */
    int64_t round, waiting;
    struct attempt *attempts; /* particles x rounds, those of a round together */
    struct attempt **best;    /* by particle; NULL: none yet */
    int64_t first_right;      /* round, or -1 */
    bool finished;
};

/* Why a run ends before its problems do. */
struct swarm_end {
    pthread_mutex_t lock;
    atomic_bool stop;
    bool caught;
    struct error error;
    int64_t strikes; /* of the host, with no reply between */
};

/* Fitness commands, each for one attempt at a time. */
struct scorers {
    const char *command;
    double seconds;
    pthread_mutex_t lock;
    pthread_cond_t freed;
    struct coproc **idle;
    size_t n_idle, n_open, most, cap;
    int deaths; /* in a row */
};

struct swarm {
    const struct swarm_setting *setting;
    struct swarm_end end;
    struct scorers scorers;
};

/* Asks the model, then the fitness command. On any thread. */
void swarm_attempt(struct swarm *swarm, struct attempt *attempt);

void scorers_open(struct scorers *s, const char *command, double seconds, int64_t jobs);
void scorers_close(struct scorers *s);

/* The message of a later round. */
struct span swarm_message(const struct swarm *swarm, struct problem *problem, int64_t particle,
                          const struct attempt *teammate);

/* One line each. */
void swarm_write_result(const struct swarm *swarm, const struct problem *problem, struct buf *out);
void swarm_write_row(const struct swarm *swarm, const struct attempt *attempt, struct buf *out);
size_t swarm_count_attempts(const struct swarm *swarm, const struct problem *problem);

#endif
