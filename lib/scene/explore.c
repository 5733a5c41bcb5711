/* explore.c: the arms that leave the grid (situations 6, 10, 17.6): probes, requests for action shapes
 * that no row has shown, and the asks of rows that failed in other words. */
#include <stdio.h>
#include <stdlib.h>

#include "scene/defaults.h"
#include "scene/probes.h"
#include "scene/run.h"
#include "text/digest.h"

/* A prompt without a cell; its conditions are told by what happens. */
struct group *run_open_outside(struct run *run, struct span prompt, enum arm arm, enum tier tier,
                               const char *generator, const struct parent *parent)
{
    bool told = arm == ARM_OPEN && run_tells(run);
    struct scene_task task = {.arm = span_text(arm_name(arm)),
                              .writer_model =
                                  told ? span_text(run->setting->writer_name) : SPAN("template"),
                              .tier = tier};
    task.prompt = arena_span(&run->arena, prompt);
    task.scenario_id = probe_id(&run->arena, task.prompt);
    task.members = run_members(run, tier, task.prompt, generator,
                               parent ? parent->prompt : (struct span){NULL, 0});
    task_finish(&run->arena, &task);
    return run_new_group(run, &task);
}

static uint64_t draw(const struct run *run, const char *what, uint64_t ordinal)
{
    struct buf text = {0};
    buf_format(&text, "%lld:%s:%llu", (long long)run->setting->seed, what,
               (unsigned long long)ordinal);
    uint64_t n = digest_number(buf_span(&text), 12);
    buf_free(&text);
    return n;
}

/* ---- probes ---------------------------------------------------------------------------------- */

struct group *run_open_probe(struct run *run)
{
    const struct tool_facts *facts = &run->setting->grid->facts;
    enum side side = search_side(run->search, run->report->tiers);
    for (int tries = 0; tries < SCENE_PROBE_TRIES; tries++) {
        uint64_t number = run->n_probes[side]++;
        struct span reference = {NULL, 0};
        enum tier tier;
        const char *family;
        char generator[32];
        if (facts->n_ids)
            reference = facts->ids[draw(run, "probe-id", number) % facts->n_ids];
        buf_clear(&run->text);
        probe_write(run->setting->seed, number, side, reference, &run->text, &tier, &family);
        if (!run_claim(run, buf_span(&run->text)))
            continue;
        if (!search_take_outside(run->search))
            return NULL;
        snprintf(generator, sizeof generator, "probe_%s", family);
        return run_open_outside(run, buf_span(&run->text), ARM_OPEN, tier, generator, NULL);
    }
    return NULL;
}

/* ---- action shapes --------------------------------------------------------------------------- */

/* The first shape of the side that no row has shown and that has wordings left. */
static struct shape *next_gap(struct run *run, enum side side, size_t *number)
{
    for (uint8_t pass = 0; pass < SCENE_SHAPE_WORDINGS; pass++)
        for (size_t i = 0; i < run->shapes.count; i++) {
            struct shape *s = &run->shapes.items[i];
            if (run->shape_tries[i] == pass && (s->absent ? SIDE_HARD : SIDE_ORDINARY) == side &&
                map_find(&run->shown, s->calls) == MAP_NONE) {
                *number = i;
                return s;
            }
        }
    return NULL;
}

struct group *run_open_gap(struct run *run)
{
    enum side side = search_side(run->search, run->report->tiers);
    struct shape *shape;
    size_t number;
    for (int tries = 0; tries < SCENE_TRIES; tries++) {
        if (!(shape = next_gap(run, side, &number)))
            return NULL;
        uint32_t variant =
            (uint32_t)number + run->shape_tries[number]++ * (uint32_t)SCENE_SHAPE_STRIDE;
        buf_clear(&run->text);
        shape_request(shape, run->setting->tools, &run->setting->grid->facts, variant, &run->text);
        if (!run_claim(run, buf_span(&run->text)))
            continue;
        if (!search_take_outside(run->search))
            return NULL;
        return run_open_outside(run, buf_span(&run->text), ARM_TARGETED,
                                shape->absent ? TIER_AMBIGUOUS : TIER_ORDINARY, "action_shape",
                                NULL);
    }
    return NULL;
}

/* ---- failures -------------------------------------------------------------------------------- */

static const struct parent *parent_at(const struct run *run, size_t i, struct parent *of_trace)
{
    if (i < run->parents.count)
        return &run->parents.items[i];
    i -= run->parents.count;
    *of_trace =
        (struct parent){.number = i, .prompt = run->setting->aim->asks[i], .reason = AIM_OTHER};
    return of_trace;
}

static size_t parents_of(const struct run *run)
{
    return run->parents.count + (run->setting->aim ? run->setting->aim->n_asks : 0);
}

static enum tier tier_of_parent(const struct parent *p)
{
    return p->group ? p->group->task.tier : TIER_ORDINARY;
}

/* Has the change of this parent been had? From now on it has. */
static bool had(struct run *run, const struct parent *p, enum mutation change)
{
    struct buf key = {0};
    bool fresh;
    buf_format(&key, "%c%zu:%d", p->group ? 'g' : 't', p->number, (int)change);
    map_add(&run->changes, buf_span(&key), &fresh);
    buf_free(&key);
    return !fresh;
}

/* The situation stays the parent's: its cell, its faults, its tier. */
static struct group *open_changed(struct run *run, const struct parent *parent,
                                  enum mutation change)
{
    const struct scene_task *of = parent->group ? &parent->group->task : NULL;
    struct group *g;
    if (of && of->cell) {
        struct scene_task task = *of;
        if (!search_take_again(run->search, of->cell))
            return NULL;
        task.arm = span_text(arm_name(ARM_MUTATION));
        task.prompt = arena_span(&run->arena, buf_span(&run->text));
        task.members =
            run_members(run, task.tier, task.prompt, mutation_name(change), parent->prompt);
        g = run_new_group(run, &task);
        g->fresh = false;
    } else {
        if (!search_take_outside(run->search))
            return NULL;
        g = run_open_outside(run, buf_span(&run->text), ARM_MUTATION, tier_of_parent(parent),
                             mutation_name(change), parent);
    }
    g->reason = parent->reason;
    run->report->mutations[change]++;
    return g;
}

struct group *run_open_mutation(struct run *run)
{
    size_t n = parents_of(run);
    enum side side = search_side(run->search, run->report->tiers);
    if (!n || run->setting->keep_failures)
        return NULL;
    uint64_t ordinal = run->n_mutations++, start = draw(run, "mutate", ordinal);
    for (uint64_t i = 0; i < n * MUTATION_COUNT && i < SCENE_MUTATION_TRIES; i++) {
        uint64_t at = (start + i) % (n * MUTATION_COUNT);
        struct parent of_trace, of_other;
        const struct parent *parent = parent_at(run, (size_t)(at % n), &of_trace);
        enum mutation change = (enum mutation)(at / n);
        if (side_of(tier_of_parent(parent)) != side || had(run, parent, change))
            continue;
        const struct parent *other = parent_at(run, (size_t)((at + 1) % n), &of_other);
        struct mutation_wish wish = {
            .change = change,
            .text = parent->prompt,
            .other = other->prompt,
            .draw = draw(run, "change", at + ordinal),
            .turns = run->setting->agent->waits,
        };
        if (mutate(&wish, &run->text) && run_claim(run, buf_span(&run->text)))
            return open_changed(run, parent, change);
    }
    return NULL;
}
