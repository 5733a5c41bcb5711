/* aim.c: see aim.h. */
#include "scene/aim.h"

#include <stdlib.h>

#include "scene/defaults.h"
#include "text/fold.h"
#include "text/number.h"

static const char *const STRATEGIES[] = {"broad", "trace", "targeted"};

const char *strategy_name(enum strategy strategy)
{
    return STRATEGIES[strategy];
}

static size_t split_names(struct arena *a, const char *list, struct span **names)
{
    size_t n = 1, count = 0;
    for (const char *at = list; *at; at++)
        n += *at == ',';
    *names = arena_alloc(a, n * sizeof **names);
    for (struct span name; option_next_piece(&list, &name);) {
        name = text_strip(name);
        if (name.len)
            (*names)[count++] = arena_span(a, name);
    }
    return count;
}

static void read_sources(struct aim *aim)
{
    struct buf folded = {0};
    bool fresh;
    aim->vectors = mem_alloc((aim->traces.count + 1) * sizeof *aim->vectors);
    for (size_t i = 0; i < aim->traces.count; i++) {
        struct span prompt = aim->traces.items[i].prompt;
        buf_clear(&folded);
        text_fold(prompt, &folded);
        if (!folded.len)
            continue;
        map_add(&aim->sources, buf_span(&folded), &fresh);
        if (fresh)
            aim->vectors[aim->n_vectors++] = embed_hash(prompt);
    }
    buf_free(&folded);
}

int aim_open(struct aim *aim, const struct aim_wish *wish, const struct row_options *options,
             struct error *error)
{
    *aim = (struct aim){.strategy = STRATEGY_TRACE};
    struct span *targeted = NULL;
    size_t n = 0;
    for (int i = 0; wish->strategy && i < 3; i++)
        if (strcmp(wish->strategy, STRATEGIES[i]) == 0)
            aim->strategy = (enum strategy)i;
    int code = traces_read(&aim->traces, wish->path, options, error);
    if (code)
        return code;
    if (wish->targeted)
        n = split_names(&aim->traces.arena, wish->targeted, &targeted);
    regions_build(&aim->regions, &aim->traces, targeted, n);
    aim->regions.gain = wish->knobs->value[KNOB_ALLOCATION_GAIN];
    aim->regions.tool_weight = wish->knobs->value[KNOB_TOOL_WEIGHT];
    aim->regions.condition_weight = wish->knobs->value[KNOB_CONDITION_WEIGHT];
    aim->asks = traces_failing_asks(&aim->traces, (size_t)knob_int(wish->knobs, KNOB_FAILING_SEEDS),
                                    &aim->n_asks);
    read_sources(aim);
    return 0;
}

void aim_free(struct aim *aim)
{
    for (size_t i = 0; i < aim->n_vectors; i++)
        embedding_free(&aim->vectors[i]);
    free(aim->vectors);
    map_free(&aim->sources);
    regions_free(&aim->regions);
    traces_free(&aim->traces);
}

bool aim_leaks(const struct aim *aim, struct span prompt, double *similarity)
{
    struct buf folded = {0};
    text_fold(prompt, &folded);
    bool same = map_find(&aim->sources, buf_span(&folded)) != MAP_NONE;
    double most = same ? 1 : 0;
    struct embedding v = embed_hash(prompt);
    for (size_t i = 0; i < aim->n_vectors && most < 1; i++) {
        double cosine = embedding_dot_plain(&v, &aim->vectors[i]);
        most = cosine > most ? cosine : most;
    }
    embedding_free(&v);
    buf_free(&folded);
    *similarity = most < 1 ? most : 1;
    return most >= SCENE_LEAK;
}

void aim_axes(const struct aim *aim, struct axis_values axes[AXIS_COUNT], struct arena *a)
{
    if (aim->strategy != STRATEGY_BROAD)
        traces_aim(&aim->traces, axes, aim->strategy == STRATEGY_TARGETED, a);
}

void aim_weights(const struct aim *aim, struct cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double factor = regions_boost(&aim->regions, &cells[i]);
        if (factor != 1)
            cells[i].weight = number_round(cells[i].weight * factor, 6);
    }
}

size_t aim_boosted(const struct aim *aim, const struct grid *grid)
{
    size_t n = 0;
    for (size_t i = 0; i < grid->count; i++)
        n += regions_boost(&aim->regions, &grid->cells[i]) != 1;
    return n;
}
