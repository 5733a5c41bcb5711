/* open.c: where a run's prompts come from: tasks, seeds, and cells of the grid told by a writer. */
#include <stdlib.h>

#include "scene/defaults.h"
#include "scene/run.h"
#include "text/utf8.h"
#include "json/write.h"

struct group *run_new_group(struct run *run, const struct scene_task *task)
{
    struct group *g = mem_zero(1, sizeof *g);
    g->task = *task;
    g->number = run->n_groups;
    g->arm = run->tasks ? ARM_COUNT : arm_of_name(task->arm);
    g->fresh = true;
    if (run->chooser)
        chooser_played(run->chooser, task->prompt);
    if (g->arm < ARM_COUNT) {
        run->arm_opened[g->arm]++;
        run->report->arm_prompts[g->arm]++;
    }
    run->groups = mem_grow(run->groups, &run->groups_cap, run->n_groups + 1, sizeof *run->groups);
    run->groups[run->n_groups++] = g;
    run->report->tiers[task->tier]++;
    return g;
}

/* Is the prompt like one of the traces'? It is counted, and never played. */
bool run_refused(struct run *run, struct span prompt)
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
        return run_new_group(run, &run->tasks->items[run->next_task++]);
    while (!run->tasks && seeds && run->next_seed < run->n_seeds) {
        const struct scene_task *seed = &seeds->items[run->next_seed++];
        if (run_refused(run, seed->prompt))
            continue;
        near_add(&run->near, seed->prompt);
        return run_new_group(run, seed);
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

bool run_claim(struct run *run, struct span prompt)
{
    return !run_refused(run, prompt) && near_add(&run->near, prompt);
}

struct span run_members(struct run *run, enum tier tier, struct span prompt, const char *generator,
                        struct span parent)
{
    struct buf b = {0};
    buf_format(&b, "\"tier\":\"%s\",\"length\":\"%s\"", tier_name(tier),
               message_length_name(message_length_of(prompt)));
    if (generator)
        buf_format(&b, ",\"generator\":\"%s\"", generator);
    if (parent.len) {
        buf_text(&b, ",\"parent_failure_id\":");
        json_quote(&b, utf8_head(parent, SCENE_PARENT_HEAD));
    }
    struct span members = arena_span(&run->arena, buf_span(&b));
    buf_free(&b);
    return members;
}

/* Says which draw the cell came from, for a row that was steered. */
static struct span steered_members(struct run *run, struct span members)
{
    struct buf b = {0};
    struct json_writer w;
    buf_span_add(&b, members);
    buf_text(&b, ",\"steering\":{\"origin\":\"targeted\",\"weight\":");
    json_write_start(&w, &b, JSON_STYLE_COMPACT);
    json_write_real(&w, run->setting->steering);
    buf_byte(&b, '}');
    struct span all = arena_span(&run->arena, buf_span(&b));
    buf_free(&b);
    return all;
}

/* A message for the cell that no other is near, nor any of the traces'. */
static bool write_prompt(struct run *run, const struct search_pick *pick, struct told *told)
{
    for (int tries = 0; tries < SCENE_TRIES; tries++) {
        if (!template_write(run->writer, pick->cell, pick->variant, &run->text, &told->texture))
            return false;
        if (run_claim(run, buf_span(&run->text)))
            return true;
    }
    return false;
}

struct span run_told_members(struct run *run, struct span members, const struct told *told)
{
    struct buf b = {0};
    buf_span_add(&b, members);
    if (told->members.len)
        buf_byte(&b, ',');
    buf_span_add(&b, told->members);
    if (told->texture)
        buf_format(&b, ",\"texture\":\"%s\"", told->texture);
    if (told->tone)
        buf_format(&b, ",\"tone\":\"%s\"", told->tone);
    if (told->chosen.len) {
        buf_byte(&b, ',');
        buf_span_add(&b, told->chosen);
    }
    struct span all = arena_span(&run->arena, buf_span(&b));
    buf_free(&b);
    return all;
}

/* How the person is, for who plays them. */
static const struct node *manner_of(struct run *run, const struct told *told)
{
    struct node *manner = node_object(&run->arena);
    if (told->texture)
        node_add(manner, "texture", node_text(&run->arena, span_text(told->texture)));
    if (told->tone)
        node_add(manner, "tone", node_text(&run->arena, span_text(told->tone)));
    return manner->count ? manner : NULL;
}

struct group *run_open_cell(struct run *run, const struct search_pick *pick, struct span prompt,
                            const char *arm, const struct told *told)
{
    const struct cell *cell = pick->cell;
    struct scene_task task = {
        .arm = span_text(arm),
        .writer_model = told->from.cell ? span_text(run->setting->writer_name) : SPAN("template"),
        .prompt = arena_span(&run->arena, prompt),
        .cell = cell,
        .tier = cell->tier,
        .scenario_id = span_text(cell->id),
        .dimensions = dimensions_of(run, cell),
        .plan = plan_of(run, cell, run->setting->world),
        .manner = manner_of(run, told),
    };
    struct span state = cell->value[AXIS_WORLD];
    if (!span_is(state, "unspecified") && !span_is(state, "unknown"))
        task.world_state = state;
    task.members = run_members(run, cell->tier, task.prompt, NULL, (struct span){NULL, 0});
    task.members = run_told_members(run, task.members, told);
    if (pick->steered)
        task.members = steered_members(run, task.members);
    task_finish(&run->arena, &task);
    struct group *g = run_new_group(run, &task);
    g->fresh = pick->fresh;
    g->doubled = told && told->doubled;
    return g;
}

static struct group *open_cell(struct run *run, enum search_want want)
{
    struct search_pick pick;
    struct told told = {{0}};
    if (run_tells(run))
        return run_open_told(run, want);
    while (search_next(run->search, run->report->tiers, want, &pick)) {
        if (write_prompt(run, &pick, &told))
            return run_open_cell(run, &pick, buf_span(&run->text), "structured", &told);
        search_dry(run->search, pick.cell);
    }
    return NULL;
}

/* Whose turn it is. An arm that leaves the grid waits for a place of the other side while this one
 * has pairs to meet. */
static enum arm turn(const struct run *run, enum search_want want)
{
    enum arm arm = arms_next(run->arm_weights, run->arm_opened, run_tells(run));
    bool waits = want == SEARCH_USED || arm == ARM_STRUCTURED || arm == ARM_GUIDED ||
                 (!run->setting->arm_weights &&
                  search_scarce(run->search, search_side(run->search, run->report->tiers)));
    return waits ? ARM_STRUCTURED : arm;
}

struct group *run_open_written(struct run *run, enum search_want want)
{
    struct group *g = NULL;
    if (!run->search)
        return NULL;
    if (run->setting->written)
        return run_open_from_file(run);
    switch (turn(run, want)) {
    case ARM_OPEN:
        if (!run_tells(run) || !(g = run_open_told_outside(run)))
            g = run_open_probe(run);
        break;
    case ARM_TARGETED: g = run_open_gap(run); break;
    case ARM_MUTATION:
        if (!run_tells(run) || !(g = run_open_told_again(run)))
            g = run_open_mutation(run);
        break;
    default: break;
    }
    if (!g)
        g = open_cell(run, want);
    if (g)
        g->written = true;
    return g;
}

bool run_fresh(const struct run *run)
{
    if (run->tasks)
        return run->next_task < run->tasks->count;
    if (run->closing)
        return false;
    if (run->setting->written)
        return run->next_seed < run->n_seeds ||
               (run->search && run->next_written < run->setting->written->count);
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
