/* task.h: a prompt that is going to be played: from the grid, from --seeds or from --tasks
 * (situations 11, 12, 16). All spans and trees live in the task list's arena. */
#ifndef WAI_SCENE_TASK_H
#define WAI_SCENE_TASK_H

#include "base/map.h"
#include "row/reader.h"
#include "scene/grid.h"

struct scene_task {
    struct span prompt;
    struct span scenario_id;
    const struct node *dimensions; /* an object, or NULL: off the grid, told by what happens */
    const struct node *plan;       /* object-valued entries, or NULL */
    struct span world_state;       /* as the row says it; empty: none */
    struct span arm, writer_model;
    const struct cell *cell; /* of the run's own grid, or NULL */
    const struct node
        *manner; /* texture and tone of the message, for who plays the person; or NULL */
    enum tier tier;
    int64_t world_seed; /* recorded; with has_world_seed */
    bool has_world_seed;
    struct span
        members; /* further members of its rows: `"key":value,…`, without the commas outside */
    /* The teacher's block (world 15.3). */
    struct span privileged; /* JSON object; empty: none */
    struct span reference, hidden_state;
};

struct task_list {
    struct arena arena;
    struct scene_task *items;
    size_t count, cap;
    struct map prompts;
    size_t *rows; /* by prompt: rollouts the file has of it */
    size_t rows_cap;
    size_t most_rows; /* of any prompt */
    size_t skipped;   /* rows without a prompt */
};

/* Reads --tasks. ERROR_INPUT: a bad row, or no prompt at all. */
int tasks_read(struct task_list *list, const char *path, const struct row_options *options,
               struct error *error);

/* Reads --seeds: a text a line, or JSON texts and objects with `prompt`. */
int seeds_read(struct task_list *list, const char *path, struct error *error);
/* The same from a text in memory; name is for messages. */
int seeds_parse(struct task_list *list, struct span text, const char *name, struct error *error);
void task_list_free(struct task_list *list);

/* The id of a prompt that has no situation: `probe_` and hex digits, in the arena. */
struct span probe_id(struct arena *a, struct span prompt);

/* Fills in the teacher's block from dimensions and plan, unless the task brought one. */
void task_finish(struct arena *a, struct scene_task *task);

#endif
