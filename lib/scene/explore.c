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
struct group *run_open_varied(struct run *run, const struct parent *parent, struct span prompt,
                              const char *generator)
{
    const struct scene_task *of = parent->group ? &parent->group->task : NULL;
    struct group *g;
    if (of && of->cell) {
        struct scene_task task = *of;
        if (!search_take_again(run->search, of->cell))
            return NULL;
        task.arm = span_text(arm_name(ARM_MUTATION));
        task.prompt = arena_span(&run->arena, prompt);
        task.members = run_members(run, task.tier, task.prompt, generator, parent->prompt);
        g = run_new_group(run, &task);
        g->fresh = false;
    } else {
        if (!search_take_outside(run->search))
            return NULL;
        g = run_open_outside(run, prompt, ARM_MUTATION, tier_of_parent(parent), generator, parent);
    }
    g->reason = parent->reason;
    return g;
}

/* A change of one of the parents that nobody has had and that is new, in run->text; *parent of them. */
static bool change_one(struct run *run, const struct parent *parents, size_t n, uint64_t start,
                       enum side side, const struct parent **parent, enum mutation *change)
{
    for (uint64_t i = 0; i < n * MUTATION_COUNT && i < SCENE_MUTATION_TRIES; i++) {
        uint64_t at = (start + i) % (n * MUTATION_COUNT);
        *parent = &parents[at % n];
        *change = (enum mutation)(at / n);
        if (side_of(tier_of_parent(*parent)) != side || had(run, *parent, *change))
            continue;
        struct mutation_wish wish = {
            .change = *change,
            .text = (*parent)->prompt,
            .other = parents[(at + 1) % n].prompt,
            .draw = draw(run, "change", at + start),
            .turns = run->setting->agent->waits,
        };
        if (mutate(&wish, &run->text) && run_claim(run, buf_span(&run->text)))
            return true;
    }
    return false;
}

struct group *run_open_mutation(struct run *run)
{
    const struct parent *parent;
    enum mutation change;
    enum side side = search_side(run->search, run->report->tiers);
    if (!run->parents.count)
        return NULL;
    uint64_t start = draw(run, "mutate", run->n_mutations++);
    if (!change_one(run, run->parents.items, run->parents.count, start, side, &parent, &change))
        return NULL;
    struct group *g = run_open_varied(run, parent, buf_span(&run->text), mutation_name(change));
    run->report->mutations[change] += g != NULL;
    return g;
}

/* ---- probes ---------------------------------------------------------------------------------- */

/* An ask of a trace that failed, in other words: it is never played as it was. */
static struct group *open_ask(struct run *run)
{
    const struct aim *aim = run->setting->aim;
    const struct parent *parent;
    enum mutation change;
    uint64_t start = draw(run, "ask", run->n_asked++);
    if (!aim || run->setting->keep_failures || run->n_asked % 2 == 0 ||
        search_side(run->search, run->report->tiers) != SIDE_ORDINARY)
        return NULL;
    struct parent *parents = mem_zero(aim->n_asks + 1, sizeof *parents);
    for (size_t i = 0; i < aim->n_asks; i++)
        parents[i] = (struct parent){.number = i, .prompt = aim->asks[i], .reason = AIM_OTHER};
    struct group *g = NULL;
    if (change_one(run, parents, aim->n_asks, start, SIDE_ORDINARY, &parent, &change) &&
        search_take_outside(run->search)) {
        g = run_open_outside(run, buf_span(&run->text), ARM_OPEN, TIER_ORDINARY,
                             mutation_name(change), parent);
        g->reason = AIM_OTHER;
        run->report->mutations[change]++;
    }
    free(parents);
    return g;
}

struct group *run_open_probe(struct run *run)
{
    const struct tool_facts *facts = &run->setting->grid->facts;
    enum side side = search_side(run->search, run->report->tiers);
    struct group *asked = open_ask(run);
    if (asked)
        return asked;
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
