/* swarm.h: several attempts at one problem that see their own best and a neighbour's (world 17): for
 * problems where every plain rollout fails, at the same number of calls. And the question to ask
 * before: does a higher fitness mean more right answers, or is there nothing to climb?
 *
 * A problem takes `rounds` rounds of `particles` attempts. Round 0 is a plain sample. Each later
 * attempt is shown the best of its particle so far and that of a neighbour, the fittest one, drawn
 * among equals by a generator of the problem's own, before any request of the round is sent: what is
 * asked never depends on which reply came first. */
#ifndef WAI_SCENE_SWARM_H
#define WAI_SCENE_SWARM_H

#include "model/chat.h"
#include "row/reader.h"
#include "row/writer.h"
#include "scene/task.h"

enum swarm_topology {
    SWARM_SOLO, /* nobody else's */
    SWARM_RING, /* one of the two beside */
    SWARM_STAR, /* anyone's */
};
const char *swarm_topology_name(enum swarm_topology topology);
bool swarm_topology_of(const char *word, enum swarm_topology *topology);

struct swarm_setting {
    struct model *model;
    const char *version; /* model_version of the rows */
    const char *fitness; /* command: {"id", "text", "prompt"} in, a number or {"fitness", "correct",
                            "feedback"} out */
    enum swarm_topology topology;
    int64_t particles, rounds, seed;
    int64_t jobs;            /* calls in flight */
    double temperature;      /* of the model */
    int64_t reply_tokens;    /* most of one attempt */
    double timeout_s;        /* of a model call; 0: its default */
    double fitness_seconds;  /* of one reply of the command */
    bool stop_on_correct;    /* a problem ends with the round that has a right answer */
    struct span instruction; /* the model's system prompt; empty: the built-in one */
    bool (*interrupted)(void);
};

enum { SWARM_WHY = 300 }; /* bytes of an error that is kept */

struct swarm_counts {
    int64_t problems, rescued; /* finished; of them, with a right answer */
    int64_t attempts, lost;    /* graded; without a text or a fitness */
    char first_error[SWARM_WHY];
};

/* Where results go, called on the calling thread in the order of the problems. Either may be NULL. */
struct swarm_events {
    int (*result)(void *data, struct span line, struct error *error); /* one of a problem */
    int (*row)(void *data, struct span line, struct error *error);    /* one of an attempt */
    void *data;
};

/* Plays all problems. 0, ERROR_REMOTE (the model or the command gave up), ERROR_INTERRUPTED, or
 * what a callback said; problems that were finished before are out. */
int swarm_run(const struct swarm_setting *setting, const struct task_list *problems,
              const struct swarm_events *events, struct swarm_counts *counts, struct error *error);

/* ---- fitness against rightness --------------------------------------------------------------- */

enum { SWARM_BUCKETS = 8 };

struct swarm_calibration {
    int64_t right[SWARM_BUCKETS], all[SWARM_BUCKETS];
    int64_t n;
};

const char *swarm_bucket_name(int bucket);

/* Attempts with `fitness` and `correct`, at top level or under `grade` or `swarm`; one that has
 * neither is bad input, and so is a fitness under 0. */
int swarm_calibrate(struct swarm_calibration *c, const struct row_options *options,
                    struct error *error);

/* Some answer that is right has less than full fitness, so there is a way up. */
bool swarm_partial_signal(const struct swarm_calibration *c);

/* The report's object, and the same for people. */
void swarm_calibration_json(const struct swarm_calibration *c, struct buf *out);
void swarm_calibration_text(const struct swarm_calibration *c, struct buf *out);

#endif
