/* run.h: one run in hand, shared by the files of the engine. Inside the room. */
#ifndef WAI_SCENE_RUN_H
#define WAI_SCENE_RUN_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/pool.h"
#include "scene/birth.h"
#include "scene/choose.h"
#include "scene/engine.h"
#include "scene/groups.h"
#include "scene/grow.h"
#include "scene/near.h"
#include "scene/search.h"
#include "scene/template.h"

/* One rollout of a round. */
struct job {
    struct group *group;
    int64_t index;      /* within the group */
    int64_t ordinal;    /* within the run */
    struct job *before; /* the group's earlier job of this round; NULL: the first */
    struct buf line;
    struct born born;
    struct buf error; /* of its first lost attempt */
    int64_t rerolled_by[LOST_COUNT], timed_out;
    bool done;    /* its row is there */
    bool dropped; /* given up because the run is over */
    bool resumed; /* its row is on file */
    bool settled; /* nothing more happens to it; under the run's lock */
    bool timeout; /* its last attempt ran over the limit */
    bool named;   /* as one that takes long */
    double begun; /* seconds, when it was; 0: not yet. Under the run's lock */
    bool graded, graded_failure, judge_failed;
    double reward;           /* graded */
    struct buf cell, shape;  /* see birth */
    struct embedding vector; /* of the prompt, with the first rollout of a written one */
    double seconds, judging;
};

/* A row that failed, or the ask of a trace that did: what is varied. */
struct parent {
    const struct group *group; /* NULL: a trace's */
    size_t number;             /* of the group, or of the ask */
    struct span prompt;
    enum aim_reason reason;
};

struct parents {
    struct parent *items;
    size_t count, cap;
};

/* What one thread keeps. */
struct run_worker {
    void *agent;
    struct rollout rollout;
    struct birth *birth; /* while a row is made */
    struct buf judged;
    struct map tools; /* of landed rows */
    struct tool_count *counts;
    size_t cap;
    struct rollout_counts talk; /* of all attempts */
};

/* A slice of a round's jobs, for one thread. */
struct chunk {
    struct job *jobs;
    size_t count;
};

/* What the threads of a round share. */
struct halt {
    pthread_mutex_t lock;
    pthread_cond_t settled, judge_free;
    atomic_bool stop;        /* play no more */
    bool caught;             /* stop has a reason: */
    enum stop_reason reason; /* … and the sentence that led to it */
    struct error error;
    int code; /* a negative code: judging or writing failed, error says how */
    int64_t strikes;
    bool *judge_taken; /* by judging worker */
    /* Scratch for making rows: as many as ever were made at once, be the threads thousands. */
    struct birth **births;
    size_t n_births, births_cap;
};

struct run {
    const struct engine_setting *setting;
    struct engine_report *report;
    struct birth_run *birth;
    struct arena arena;    /* of the tasks it wrote */
    struct search *search; /* NULL: a replay */
    struct template_writer *writer;
    struct scene_writer *teller; /* NULL: the template writer writes, or a file */
    size_t next_written;         /* of the file */
    struct chooser *chooser;     /* of messages that others write; NULL: none do */
    int64_t chosen_round;        /* the last one that had its choice, + 1 */
    size_t *written_order;       /* of the file's messages: chosen ones first */
    struct told *written_choice; /* by message of the file: why it was chosen */
    int choose_code;             /* the embedder failed: choose_error says how */
    struct error choose_error;
    int64_t pending[TIER_COUNT]; /* cells that are being written for, or wait to be opened */
    struct group **groups;
    size_t n_groups, groups_cap;
    const struct task_list *tasks; /* pinned */
    size_t next_task, next_seed, n_seeds;
    struct group **queue; /* FIFO: one entry, one rollout */
    size_t queue_first, queue_count, queue_cap;
    struct job *jobs;
    size_t n_jobs, jobs_cap;
    int64_t n_taken; /* of the round's, settled and counted */
    struct succession succession;
    bool successive;
    int64_t eval_run;
    int64_t k, landed, scheduled;
    int64_t ordinals;       /* of jobs, given out */
    int64_t utterances;     /* of the landed rows */
    double mean_utterances; /* at the start of the round (world 8.2); NaN: none landed */
    int64_t lost_attempts;
    bool search_spent;
    struct pool *pool;
    struct run_worker *workers;
    struct chunk *chunks;
    size_t n_chunks, chunks_cap;
    struct halt halt;
    int n_workers;
    struct pairs covered, planned, met; /* met: of all values that say something */
    const struct knobs *knobs;
    double arm_weights[ARM_COUNT];
    int64_t arm_opened[ARM_COUNT];
    int64_t round;
    struct near_index near; /* messages so far */
    uint64_t n_probes[SIDE_COUNT];
    uint64_t n_mutations, n_asked;
    struct parents parents, failed; /* of the last round; of this one */
    struct parents retried;         /* that a writer has tried again, or tries */
    struct map changes;             /* parent and change: had, or no use */
    struct shapes shapes;
    struct shape_scale scale;
    struct map shown;     /* calls of a shape that some row has made */
    uint8_t *shape_tries; /* by shape: wordings tried */
    struct durations durations;
    double started, progress_at; /* of the run; when the last progress was told */
    int64_t progress_events;     /* rollouts since then */
    bool closing;
    struct buf text;
};

/* Opens the next prompt of the tasks, the seeds or the search; NULL: there is none. */
struct group *run_open_pinned(struct run *run);
struct group *run_open_written(struct run *run, enum search_want want);
bool run_fresh(const struct run *run); /* another prompt can be opened */
void run_queue(struct run *run, struct group *group, int64_t entries);

/* Messages of a writer that is no template: see told.c. */
struct group *run_open_told(struct run *run, enum search_want want);
struct group *run_open_told_outside(struct run *run);
struct group *run_open_told_again(struct run *run); /* a failure, in a writer's words */
struct group *run_open_from_file(struct run *run);
void run_told_collect(struct run *run);          /* counts, for the report */
void run_told_ahead(struct run *run);            /* what the next round needs is asked for */
enum stop_reason run_told_stop(struct run *run); /* there is no message left: why */
bool run_tells(const struct run *run);           /* a model or a program writes */

/* What open.c, explore.c and told.c share. */
/* The situation of a row that failed, with another message. */
struct group *run_open_varied(struct run *run, const struct parent *parent, struct span prompt,
                              const char *generator);
/* What is known of how the message was told, behind the members that all have. */
struct span run_told_members(struct run *run, struct span members, const struct told *told);
struct group *run_open_outside(struct run *run, struct span prompt, enum arm arm, enum tier tier,
                               const char *generator, const struct parent *parent);
struct group *run_open_cell(struct run *run, const struct search_pick *pick, struct span prompt,
                            const char *arm, const struct told *told); /* told->from.cell NULL:
                                                                          by the template writer */
struct group *run_new_group(struct run *run, const struct scene_task *task);
bool run_refused(struct run *run, struct span prompt); /* it is a trace's; counted */
bool run_claim(struct run *run, struct span prompt); /* no message so far is near it, no trace's */
struct span run_members(struct run *run, enum tier tier, struct span prompt, const char *generator,
                        struct span parent);

/* A prompt off the grid, or a failed row's in other words; NULL: the arm has nothing to offer. */
struct group *run_open_probe(struct run *run);
struct group *run_open_gap(struct run *run);
struct group *run_open_mutation(struct run *run);

double run_now(const struct run *run);       /* seconds */
double run_time_left(const struct run *run); /* of the run; INFINITY without a clock */

struct adaptive_plan run_plan(const struct run *run); /* of mode adaptive, now */

/* A row has landed; a round is over. */
void run_learn(struct run *run, const struct job *job);
void run_end_round(struct run *run);

/* A rollout has landed, was played again or was lost: tells the progress when it is time. */
void run_tell(struct run *run, bool over);

void run_start_workers(struct run *run);
void run_stop_workers(struct run *run);

/* Plays the round's jobs, re-rolls lost ones, and lands the rows in the order of the jobs as they come. 0, or a
 * negative code. run->halt says whether the run is over. */
int run_play(struct run *run, struct error *error);

/* The row of a job is judged: 0, or a negative code. */
int run_judge(struct run *run, struct run_worker *w, int worker, struct job *job,
              struct error *error);
bool run_marker_failed(const struct run *run, struct json_value marker);
void run_count_verdict(struct run *run, const struct job *job);

/* Rows leave. */
int run_land(struct run *run, struct job *job, struct error *error);
int run_close_groups(struct run *run, struct error *error);

#endif
