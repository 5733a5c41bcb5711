/* open.c: where a run's prompts come from: tasks, seeds, and cells of the grid told by the template
 * writer. */
#include <stdlib.h>

#include "scene/defaults.h"
#include "scene/run.h"
#include "text/digest.h"
#include "json/write.h"

static struct group *new_group(struct run *run, const struct scene_task *task)
{
    struct group *g = mem_zero(1, sizeof *g);
    g->task = *task;
    run->groups = mem_grow(run->groups, &run->groups_cap, run->n_groups + 1, sizeof *run->groups);
    run->groups[run->n_groups++] = g;
    run->report->tiers[task->tier]++;
    return g;
}

/* Is the prompt like one of the traces'? It is counted, and never played. */
static bool refused(struct run *run, struct span prompt)
{
    double similarity;
    struct engine_report *r = run->report;
    if (!run->setting->aim)
        return false;
    bool leaks = aim_leaks(run->setting->aim, prompt, &similarity);
    r->leaks += leaks;
    if (!leaks && similarity > r->leak_most)
        r->leak_most = similarity;
    return leaks;
}

struct group *run_open_pinned(struct run *run)
{
    const struct task_list *seeds = run->setting->seeds;
    if (run->tasks && run->next_task < run->tasks->count)
        return new_group(run, &run->tasks->items[run->next_task++]);
    while (!run->tasks && seeds && run->next_seed < run->n_seeds) {
        const struct scene_task *seed = &seeds->items[run->next_seed++];
        if (!refused(run, seed->prompt))
            return new_group(run, seed);
    }
    return NULL;
}

static const struct node *plan_of(struct run *run, const struct cell *cell,
                                  const struct world_options *world)
{
    struct arena *a = &run->arena;
    struct span condition = cell->value[AXIS_CONDITION];
    struct span mode =
        span_is(condition, "success") ? (struct span){NULL, 0} : world_mode_of(world, condition);
    if (!mode.len)
        return NULL;
    run->report->fault_cells++;
    if (!scene_keeps_fault(run->setting->seed, span_text(cell->id),
                           run->setting->topology.fault_rate))
        return NULL;
    run->report->fault_plans++;
    struct node *entry = node_object(a), *plan = node_object(a);
    node_add(entry, "mode", node_text(a, mode));
    node_add(entry, "rate", node_real(a, 1));
    node_add(plan, "*", entry);
    return plan;
}

static const struct node *dimensions_of(struct run *run, const struct cell *cell)
{
    struct node *d = node_object(&run->arena);
    for (int i = 0; i < AXIS_COUNT; i++)
        node_add(d, axis_name((enum axis)i), node_borrow(&run->arena, cell->value[i]));
    return d;
}

static struct span text_members(struct run *run, const struct cell *cell,
                                enum message_length length)
{
    buf_clear(&run->text);
    buf_format(&run->text, "\"tier\":\"%s\",\"length\":\"%s\"", tier_name(cell->tier),
               message_length_name(length));
    return arena_span(&run->arena, buf_span(&run->text));
}

/* A message for the cell that no other equals, nor any of the traces'. */
static bool write_prompt(struct run *run, const struct cell *cell, uint32_t *variant,
                         enum message_length *length)
{
    for (int tries = 0; tries < SCENE_TRIES; tries++) {
        if (!template_write(run->writer, cell, variant, &run->text, length))
            return false;
        if (!refused(run, buf_span(&run->text)))
            return true;
    }
    return false;
}

struct group *run_open_written(struct run *run)
{
    uint32_t *variant;
    const struct cell *cell;
    enum message_length length;
    struct scene_task task = {.arm = SPAN("structured"), .writer_model = SPAN("template")};
    if (!run->search)
        return NULL;
    while ((cell = search_next(run->search, run->report->tiers, &variant))) {
        if (!write_prompt(run, cell, variant, &length)) {
            search_dry(run->search, cell);
            continue;
        }
        task.prompt = arena_span(&run->arena, buf_span(&run->text));
        task.cell = cell;
        task.tier = cell->tier;
        task.scenario_id = span_text(cell->id);
        task.dimensions = dimensions_of(run, cell);
        task.plan = plan_of(run, cell, run->setting->world);
        struct span state = cell->value[AXIS_WORLD];
        if (!span_is(state, "unspecified") && !span_is(state, "unknown"))
            task.world_state = state;
        task.members = text_members(run, cell, length);
        task_finish(&run->arena, &task);
        return new_group(run, &task);
    }
    return NULL;
}

bool run_fresh(const struct run *run)
{
    if (run->tasks)
        return run->next_task < run->tasks->count;
    return run->next_seed < run->n_seeds || (run->search && search_can_open(run->search));
}

void run_queue(struct run *run, struct group *group, int64_t entries)
{
    for (; group->queued < entries; group->queued++) {
        if (run->queue_first && run->queue_first + run->queue_count == run->queue_cap) {
            memmove(run->queue, run->queue + run->queue_first,
                    run->queue_count * sizeof *run->queue);
            run->queue_first = 0;
        }
        run->queue = mem_grow(run->queue, &run->queue_cap, run->queue_first + run->queue_count + 1,
                              sizeof *run->queue);
        run->queue[run->queue_first + run->queue_count++] = group;
    }
}
