/* search.c: see search.h. */
#include "scene/search.h"

#include <math.h>
#include <stdlib.h>

#include "text/digest.h"

struct candidate {
    uint32_t used;    /* prompts written for it */
    uint32_t variant; /* where the writer goes on */
    bool dry;
    double key; /* weighted draw of the pass in hand */
};

struct search {
    const struct grid *grid;
    struct candidate *cells;
    struct pairs covered;
    size_t n_pairs; /* that the grid holds */
    int64_t seed;
    bool unique;
    size_t situations, phrasings;
    int64_t prompts_left;
    size_t used;   /* cells with a prompt */
    uint32_t pass; /* prompts that each cell has had */
};

/* u^(1/W), u from the hash of seed, pass and id: the largest key of a set is a draw with weights W
 * (Efraimidis & Spirakis 2006, "Weighted random sampling with a reservoir"). */
static void draw_keys(struct search *s)
{
    struct buf text = {0};
    for (size_t i = 0; i < s->grid->count; i++) {
        const struct cell *cell = &s->grid->cells[i];
        buf_clear(&text);
        buf_format(&text, "%lld:%u:%s", (long long)s->seed, (unsigned)s->pass, cell->id);
        double u = ((double)digest_number(buf_span(&text), 12) + 1) / (281474976710656.0 + 2);
        s->cells[i].key = pow(u, 1 / (cell->weight > 1e-9 ? cell->weight : 1e-9));
    }
    buf_free(&text);
}

struct search *search_open(const struct grid *grid, int64_t seed, bool unique, int64_t situations,
                           int64_t phrasings)
{
    struct search *s = mem_zero(1, sizeof *s);
    struct pairs all;
    s->grid = grid;
    s->cells = mem_zero(grid->count + 1, sizeof *s->cells);
    s->seed = seed;
    s->unique = unique;
    bool fewer = situations > 0 && (size_t)situations <= grid->count;
    s->situations = fewer ? (size_t)situations : grid->count;
    s->phrasings = fewer ? (size_t)phrasings : 0;
    s->prompts_left = situations > 0 ? situations * phrasings : INT64_MAX;
    pairs_open(&s->covered, grid->n_values);
    pairs_open(&all, grid->n_values);
    for (size_t i = 0; i < grid->count; i++)
        pairs_add_cell(&all, &grid->cells[i]);
    s->n_pairs = all.count;
    pairs_free(&all);
    draw_keys(s);
    return s;
}

void search_close(struct search *s)
{
    if (!s)
        return;
    pairs_free(&s->covered);
    free(s->cells);
    free(s);
}

/* May this cell have one more prompt in the pass in hand? */
static bool offered(const struct search *s, size_t i)
{
    const struct candidate *c = &s->cells[i];
    if (c->dry || c->used > s->pass)
        return false;
    if (c->used == 0)
        return s->used < s->situations;
    return !s->unique && (s->phrasings == 0 || c->used < s->phrasings);
}

static bool better(const struct search *s, size_t a, double score_a, size_t b, double score_b)
{
    const struct cell *x = &s->grid->cells[a], *y = &s->grid->cells[b];
    if (score_a != score_b)
        return score_a > score_b;
    if (s->covered.count < s->n_pairs && x->weight != y->weight)
        return x->weight > y->weight;
    if (s->cells[a].key != s->cells[b].key)
        return s->cells[a].key > s->cells[b].key;
    return strcmp(x->id, y->id) < 0;
}

static size_t best_cell(const struct search *s)
{
    size_t best = s->grid->count;
    double best_score = 0;
    bool open = s->covered.count < s->n_pairs;
    for (size_t i = 0; i < s->grid->count; i++) {
        if (!offered(s, i))
            continue;
        const struct cell *cell = &s->grid->cells[i];
        double score = open ? (double)pairs_new(&s->covered, cell) * cell->weight : 0;
        if (best == s->grid->count || better(s, i, score, best, best_score)) {
            best = i;
            best_score = score;
        }
    }
    return best;
}

const struct cell *search_next(struct search *s, uint32_t **variant)
{
    if (s->prompts_left <= 0)
        return NULL;
    size_t best = best_cell(s);
    while (best == s->grid->count && search_can_open(s)) {
        s->pass++;
        draw_keys(s);
        best = best_cell(s);
    }
    if (best == s->grid->count)
        return NULL;
    struct candidate *c = &s->cells[best];
    s->prompts_left--;
    pairs_add_cell(&s->covered, &s->grid->cells[best]);
    if (c->used++ == 0)
        s->used++;
    *variant = &c->variant;
    return &s->grid->cells[best];
}

bool search_can_open(const struct search *s)
{
    if (s->prompts_left <= 0)
        return false;
    for (size_t i = 0; i < s->grid->count; i++) {
        const struct candidate *c = &s->cells[i];
        if (c->dry)
            continue;
        if (c->used == 0 ? s->used < s->situations
                         : !s->unique && (s->phrasings == 0 || c->used < s->phrasings))
            return true;
    }
    return false;
}

void search_dry(struct search *s, const struct cell *cell)
{
    struct candidate *c = &s->cells[cell - s->grid->cells];
    c->dry = true;
    s->prompts_left++;
    if (--c->used == 0)
        s->used--;
}

bool search_reached(const struct search *s)
{
    return s->prompts_left <= 0;
}

size_t search_situations(const struct search *s)
{
    return s->used;
}

void search_lift(struct search *s)
{
    s->situations = s->grid->count;
    s->prompts_left = INT64_MAX;
}
