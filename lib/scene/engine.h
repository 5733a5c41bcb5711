/* engine.h: the run (situations 5, 8, 11-13, 19): rounds of rollouts until the budget, the tasks or
 * the grid are used up. What to play next is decided between rounds from what has landed, never
 * from how fast it came, so the rows are the same for any number of threads. */
#ifndef WAI_SCENE_ENGINE_H
#define WAI_SCENE_ENGINE_H

#include "agent/agent.h"
#include "base/map.h"
#include "model/embedder.h"
#include "scene/aim.h"
#include "scene/checkpoint.h"
#include "scene/grid.h"
#include "scene/learn.h"
#include "scene/mutate.h"
#include "scene/task.h"
#include "scene/topology.h"
#include "scene/writer.h"

enum stop_reason {
    STOP_BUDGET,
    STOP_SITUATIONS,
    STOP_TASKS,
    STOP_WRITER,
    STOP_AGENT_FAILED,
    STOP_EMPTY_REPLIES,
    STOP_BAD_REPLIES,
    STOP_INTERRUPTED,
    STOP_AUTH,       /* the agent's key is missing or refused */
    STOP_QUOTA,      /* its quota is spent */
    STOP_HOST,       /* nothing is there */
    STOP_REPLAY,     /* the recording lacks a request */
    STOP_COST,       /* --max-cost is reached */
    STOP_TIME,       /* the time is up */
    STOP_SATURATION, /* every cell has its rows */
    STOP_ASKS,       /* the writer writes nothing new any more */
    STOP_WRITER_FAILED,
    STOP_WRITER_AUTH, /* as of the agent */
    STOP_WRITER_QUOTA,
    STOP_WRITER_HOST,
};
const char *stop_reason_name(enum stop_reason reason);
bool stop_is_failure(enum stop_reason reason); /* exit status 4 when there is no row */
bool stop_at_once(enum stop_reason reason);    /* a run that cannot go on, rows or none */

enum lost_reason { LOST_ERROR, LOST_EMPTY, LOST_MARKUP, LOST_COUNT };

/* How far a run is. */
struct engine_progress {
    int64_t landed, cap, resumed, prompts, rerolled, timed_out, lost;
    int64_t rerolled_by[LOST_COUNT], lost_by[LOST_COUNT];
    int64_t inflight; /* -1: the run is over */
    double elapsed;   /* seconds */
};

/* Called on the engine's own thread. */
struct engine_events {
    int (*row)(void *data, struct span line,
               struct error *error);               /* 0, or a negative code that stops the run */
    int (*flush)(void *data, struct error *error); /* before the engine waits; may be NULL */
    /* Now and then, and when the run is over; may be NULL. */
    void (*progress)(void *data, const struct engine_progress *progress);
    bool (*interrupted)(void); /* may be NULL */
    void *data;
    /* A rollout has been in flight for so long (world 16.2); may be NULL. */
    void (*slow)(void *data, struct span scenario_id, int64_t index, double seconds);
};

/* The grader beside the loop. */
struct engine_judge {
    const char *name;
    int workers; /* worker numbers are below this */
    /* The row with its verdict, appended to out; called on any thread. truncated: the length cap cut
     * the rollout, so it is not judged. *failed: the judge itself failed. 0, or a negative code that
     * stops the run. */
    int (*verdict)(void *data, int worker, struct span line, bool truncated, struct buf *out,
                   bool *failed, struct error *error);
    void *data;
};

struct engine_setting {
    struct agent *agent;
    const struct row_tools *tools;
    const struct world_options *world;
    const struct grid *grid;
    struct topology topology;
    struct span policy; /* as the agent was given it: stripped, with the scaffold */
    const char *model_version;
    struct span sampling; /* JSON object: how an agent samples that does not tell; empty: null */
    int64_t seed, world_seed; /* of the run; of every world, unless a task recorded one */
    bool world_seed_rules;    /* the user named world_seed: over a task's */
    int64_t budget, round, jobs, situations, rerolls, runs;
    bool scrub;
    double hard_share; /* of the prompts that are written: from the hard tiers */
    bool hard_share_given;
    const struct task_list *tasks; /* replay them; NULL: none */
    struct task_list *seeds;       /* opened first; NULL: none */
    size_t seeds_given,
        seeds_wanted;      /* when a writer's model was to add some; wanted 0: it was not */
    const struct aim *aim; /* traces; no prompt like one of theirs is played. NULL: none */
    const struct engine_judge *judge; /* NULL: none */
    bool graded, judged_by_model;     /* for the report: --grade; the judge is a model */
    struct checkpoint *checkpoint;    /* NULL: none */
    const struct agent_talk *talk;    /* how models are asked, for the report; NULL: none is */
    struct budget *spent;             /* of their calls; with priced */
    bool priced;
    const char *strategy; /* as asked for; NULL: not at all */
    bool fault_rate_given, avg_turns_given;
    bool keep_failures;        /* the ask of a row that failed is not varied */
    bool keep_graded_failures; /* a failed verdict is no failure: no variant, no further rollout */
    /* Who writes the messages: a model or a program, else the prompts of a file in their order, else
     * the template writer. */
    const struct writer_setting *writer;
    const struct task_list *written;
    const char *writer_name;     /* writer_model of their rows; NULL: the template writer */
    struct embedder *embedder;   /* that chooses among their messages; NULL: hash vectors */
    bool writer_falls_back;      /* the template writer goes on where that one cannot */
    const struct knobs *knobs;   /* NULL: the defaults */
    const double *arm_weights;   /* pinned, ARM_COUNT of them; NULL: they follow the rows */
    double steering;             /* share of the cells taken from the front of the axes; 0: off */
    bool saturate;               /* until every cell has its rows */
    double time_budget;          /* seconds of one run; 0: no clock */
    double (*clock)(void *data); /* seconds that only grow; NULL: the machine's. On any thread */
    void *clock_data;
    struct engine_events events;
};

struct tool_outcome {
    struct span name;
    int64_t n, ok, faults, injected;
};

/* A rollout that is lost for good. */
struct lost_rollout {
    struct span scenario_id, error;
    int64_t index, eval_run;
    enum lost_reason reason;
    bool timed_out;
};

struct group_counts {
    int64_t groups, mixed, stopped, complete, partial, saved, truncated;
};

struct grader_counts {
    int64_t scored, passes, failures, partials, unjudged, errors;
};

/* Why a row was varied. */
enum aim_reason { AIM_WORLD_FAULT, AIM_GRADED, AIM_OTHER, AIM_COUNT };

struct aim_counts {
    int64_t parents, rows;
};

/* Seconds. */
struct run_timings {
    double opening, playing, judging; /* writing prompts; rounds; verdicts over all threads */
    double first_row, elapsed;        /* NaN: no row */
};

/* What a run was, for the report. */
struct engine_report {
    struct arena arena;
    enum stop_reason stop;
    int64_t rows, requested, resumed, rerolled, lost;
    int64_t rerolled_by[LOST_COUNT], lost_by[LOST_COUNT];
    int64_t timed_out, dropped;     /* attempts over the limit; rollouts given up at the end */
    char *first_error;              /* of the agent; NULL: none */
    struct error stop_error;        /* what ended the run, with a reason that stop_at_once */
    struct lost_rollout *lost_list; /* the first ones */
    size_t n_lost_listed, lost_cap;
    struct rollout_counts talk; /* over all attempts */
    int64_t asked, user_left;   /* rows that end on a question; that the person walked out of */
    int64_t cut_rows, cut_most; /* rows with a prompt that was cut; the most characters left out */
    struct map prompts;         /* of landed rows, in the order they first landed */
    int64_t *prompt_rows;
    size_t prompt_rows_cap;
    struct learned learned;
    struct knobs knobs;
    double arm_start[ARM_COUNT], arm_weights[ARM_COUNT];
    int64_t arm_prompts[ARM_COUNT], arm_rows[ARM_COUNT];
    struct aim_counts aims[AIM_COUNT];
    struct map criteria; /* that verdicts failed, with their counts */
    int64_t *criteria_rows;
    size_t criteria_cap;
    int64_t explored, expanded, verified; /* rollouts: of new situations, new wordings, repeats */
    int64_t mutations[MUTATION_COUNT];    /* prompts by change */
    size_t pairs_all, pairs_all_covered;  /* of all axis values, whether planned or not */
    size_t shapes_listed;                 /* action shapes that nobody has shown, up to a limit */
    int64_t fault_rows;                   /* rows with a plan of faults */
    struct map stances;                   /* of the rows that have one */
    int64_t *stance_rows;
    size_t stance_cap;
    int64_t user_turns, long_rows; /* of the person, in all; rows with three or more */
    int64_t *minutes;              /* rows by the minute they landed in */
    size_t n_minutes, minutes_cap;
    const char *embedder; /* that chose among messages; NULL: nobody had to choose */
    bool semantic, embedder_fell_back;
    int64_t candidates, chosen, doubled_rows; /* messages; rows whose prompt was hardly new */
    bool saturated, closing;
    struct run_timings timings;
    struct span *seeds_dropped;
    size_t n_seeds_dropped;
    size_t tasks_ran; /* of the replay */
    struct tool_outcome *tools;
    size_t n_tools;
    int64_t tiers[TIER_COUNT], row_tiers[TIER_COUNT]; /* of prompts, of rows */
    size_t pairs_planned, pairs_covered;
    size_t unique_cells, grown_cells, reused; /* used; beyond the grid; further prompts of one */
    int64_t fault_cells,
        fault_plans; /* grid prompts on a fault condition; those that kept their plan */
    bool grouped;    /* under the successive policy: */
    struct group_counts groups;
    double mixed_rate;
    double *hazard; /* by labels seen; n_hazard long, NaN where none */
    size_t n_hazard;
    bool lifted, resumed_groups; /* stages */
    struct {
        int64_t rows;
        enum stop_reason stop;
        int64_t tiers[TIER_COUNT]; /* of its rows */
    } * runs;
    size_t n_runs;
    struct writer_counts writing; /* of a writer that is a model or a program */
    enum writer_trouble writer_trouble;
    bool fell_back; /* the template writer went on */
    struct grader_counts grader;
    bool tool_called;        /* some row called one */
    int64_t leaks;           /* prompts refused because they were like a trace's */
    double leak_most;        /* the largest similarity of one that was played */
    struct traces generated; /* with traces: what the rows say, by the same rules */
};

/* Plays. 0, or a negative code: a row could not be written. An agent that is dead is no error here
 * (see stop). */
int engine_run(const struct engine_setting *setting, struct engine_report *report,
               struct error *error);
void engine_report_free(struct engine_report *report);

/* The tasks a run would open for its first rows, one line each, a valid --tasks file
 * (situations 3.10). */
int engine_dry_run(const struct engine_setting *setting, struct error *error);

#endif
