/* search.c: see search.h. */
#include "scene/search.h"

#include <math.h>
#include <stdlib.h>

#include "scene/grow.h"
#include "text/digest.h"
#include "text/number.h"

struct candidate {
    const struct cell *cell;
    uint32_t used;    /* prompts written for it */
    uint32_t variant; /* where the writer goes on */
    bool dry;
    double key; /* weighted draw of the pass in hand */
};

struct search {
    struct search_setting setting;
    struct candidate *cells; /* of the grid, then grown ones */
    size_t count, cap;
    struct grower *grower;
    bool grown_out[SIDE_COUNT];
    struct pairs planned, covered; /* that the grid holds; of them, met */
    size_t situations, phrasings;
    int64_t prompts_left;
    size_t used, grown, reused; /* cells with a prompt; of them grown; prompts beyond the first */
    uint32_t pass[SIDE_COUNT];  /* prompts that each cell of the side has had */
    size_t last;                /* given last */
};

/* u^(1/W), u from the hash of seed, pass and id: the largest key of a set is a draw with weights W
 * (Efraimidis & Spirakis 2006, "Weighted random sampling with a reservoir"). */
static void draw_key(const struct search *s, struct candidate *c, uint32_t pass)
{
    struct buf text = {0};
    buf_format(&text, "%lld:%u:%s", (long long)s->setting.seed, (unsigned)pass, c->cell->id);
    double u = ((double)digest_number(buf_span(&text), 12) + 1) / (281474976710656.0 + 2);
    c->key = pow(u, 1 / (c->cell->weight > 1e-9 ? c->cell->weight : 1e-9));
    buf_free(&text);
}

static struct candidate *add_candidate(struct search *s, const struct cell *cell)
{
    s->cells = mem_grow(s->cells, &s->cap, s->count + 1, sizeof *s->cells);
    struct candidate *c = &s->cells[s->count++];
    *c = (struct candidate){.cell = cell};
    draw_key(s, c, s->pass[side_of(cell->tier)]);
    return c;
}

struct search *search_open(const struct search_setting *setting)
{
    struct search *s = mem_zero(1, sizeof *s);
    const struct grid *grid = setting->grid;
    s->setting = *setting;
    int64_t wanted = setting->situations;
    bool capped = wanted > 0 && (setting->unique || (size_t)wanted <= grid->count);
    s->situations = capped ? (size_t)wanted : setting->unique ? SIZE_MAX : grid->count;
    s->phrasings = capped ? (size_t)setting->phrasings : 0;
    s->prompts_left = wanted > 0 ? wanted * setting->phrasings : INT64_MAX;
    pairs_open(&s->covered, grid->n_values);
    pairs_open(&s->planned, grid->n_values);
    for (size_t i = 0; i < grid->count; i++) {
        pairs_add_cell(&s->planned, &grid->cells[i]);
        add_candidate(s, &grid->cells[i]);
    }
    return s;
}

void search_close(struct search *s)
{
    if (!s)
        return;
    pairs_free(&s->planned);
    pairs_free(&s->covered);
    grower_close(s->grower);
    free(s->cells);
    free(s);
}

/* May cells be used again? In a run of unique situations only when no new one can be made. */
static bool may_reuse(const struct search *s, enum side side)
{
    return !s->setting.unique || s->phrasings > 1 || (s->phrasings == 0 && s->grown_out[side]);
}

static bool may_take(const struct search *s, const struct candidate *c, enum side side)
{
    if (c->dry || side_of(c->cell->tier) != side)
        return false;
    if (c->used == 0)
        return s->used < s->situations;
    return may_reuse(s, side) && (s->phrasings == 0 || c->used < s->phrasings);
}

/* ---- which cell ------------------------------------------------------------------------------ */

static bool better(const struct search *s, size_t a, double score_a, size_t b, double score_b)
{
    const struct candidate *x = &s->cells[a], *y = &s->cells[b];
    if (score_a != score_b)
        return score_a > score_b;
    if (s->covered.count < s->planned.count && x->cell->weight != y->cell->weight)
        return x->cell->weight > y->cell->weight;
    if (x->key != y->key)
        return x->key > y->key;
    return strcmp(x->cell->id, y->cell->id) < 0;
}

/* Of the tiers in the set, the best cell of the pass in hand; s->count: none. */
static size_t best_cell(const struct search *s, enum side side, unsigned tiers)
{
    size_t best = s->count;
    double best_score = 0;
    bool open = s->covered.count < s->planned.count;
    for (size_t i = 0; i < s->count; i++) {
        const struct candidate *c = &s->cells[i];
        if (c->used > s->pass[side] || !(tiers >> c->cell->tier & 1) || !may_take(s, c, side))
            continue;
        double score = open ? (double)pairs_new(&s->covered, c->cell) * c->cell->weight : 0;
        if (best == s->count || better(s, i, score, best, best_score)) {
            best = i;
            best_score = score;
        }
    }
    return best;
}

/* The hard tier with the fewest prompts that has a cell; the ordinary one is a side of its own. */
static size_t best_of_side(const struct search *s, enum side side, const int64_t opened[TIER_COUNT])
{
    static const enum tier hard[] = {TIER_AMBIGUOUS, TIER_BOUNDARY, TIER_ADVERSARIAL};
    unsigned tried = 0;
    if (side == SIDE_ORDINARY)
        return best_cell(s, side, 1u << TIER_ORDINARY);
    for (int round = 0; round < 3; round++) {
        int fewest = -1;
        for (int i = 0; i < 3; i++)
            if (!(tried >> hard[i] & 1) && (fewest < 0 || opened[hard[i]] < opened[hard[fewest]]))
                fewest = i;
        size_t best = best_cell(s, side, 1u << hard[fewest]);
        if (best < s->count)
            return best;
        tried |= 1u << hard[fewest];
    }
    return s->count;
}

static bool grow(struct search *s, enum side side)
{
    if (!s->setting.unique || s->grown_out[side] || s->used >= s->situations)
        return false;
    if (!s->grower)
        s->grower = grower_open(s->setting.grid);
    const struct cell *cell = grower_next(s->grower, side);
    if (!cell) {
        s->grown_out[side] = true;
        return false;
    }
    add_candidate(s, cell);
    return true;
}

static bool side_has(const struct search *s, enum side side)
{
    for (size_t i = 0; i < s->count; i++)
        if (may_take(s, &s->cells[i], side))
            return true;
    return false;
}

/* A cell of the side: an unused one, a grown one, or the least used. */
static size_t cell_of_side(struct search *s, enum side side, const int64_t opened[TIER_COUNT])
{
    size_t best = best_of_side(s, side, opened);
    if (best == s->count && grow(s, side))
        best = s->count - 1;
    while (best == s->count && side_has(s, side)) {
        s->pass[side]++;
        for (size_t i = 0; i < s->count; i++)
            if (side_of(s->cells[i].cell->tier) == side)
                draw_key(s, &s->cells[i], s->pass[side]);
        best = best_of_side(s, side, opened);
    }
    return best;
}

/* Which side is behind: hard cells are h of the prompts, rounded. */
static enum side wanted_side(const struct search *s, const int64_t opened[TIER_COUNT])
{
    int64_t hard = 0, all = 1;
    for (int t = 0; t < TIER_COUNT; t++) {
        all += opened[t];
        hard += side_of((enum tier)t) == SIDE_HARD ? opened[t] : 0;
    }
    double share = number_round_even(s->setting.hard_share * (double)all);
    return (double)hard < share ? SIDE_HARD : SIDE_ORDINARY;
}

const struct cell *search_next(struct search *s, const int64_t opened[TIER_COUNT],
                               uint32_t **variant)
{
    if (s->prompts_left <= 0)
        return NULL;
    enum side side = wanted_side(s, opened);
    size_t best = cell_of_side(s, side, opened);
    if (best == s->count)
        best = cell_of_side(s, side == SIDE_HARD ? SIDE_ORDINARY : SIDE_HARD, opened);
    if (best == s->count)
        return NULL;
    struct candidate *c = &s->cells[best];
    s->last = best;
    s->prompts_left--;
    pairs_add_planned(&s->covered, &s->planned, c->cell);
    if (c->used++ == 0) {
        s->used++;
        s->grown += best >= s->setting.grid->count;
    } else {
        s->reused++;
    }
    *variant = &c->variant;
    return c->cell;
}

bool search_can_open(const struct search *s)
{
    if (s->prompts_left <= 0)
        return false;
    for (int side = 0; side < SIDE_COUNT; side++)
        if (side_has(s, (enum side)side) ||
            (s->setting.unique && !s->grown_out[side] && s->used < s->situations))
            return true;
    return false;
}

void search_dry(struct search *s, const struct cell *cell)
{
    struct candidate *c = &s->cells[s->last];
    if (c->cell != cell)
        return;
    c->dry = true;
    s->prompts_left++;
    if (--c->used == 0) {
        s->used--;
        s->grown -= s->last >= s->setting.grid->count;
    } else {
        s->reused--;
    }
}

bool search_reached(const struct search *s)
{
    return s->prompts_left <= 0;
}

size_t search_situations(const struct search *s)
{
    return s->used;
}

size_t search_grown(const struct search *s)
{
    return s->grown;
}

size_t search_reused(const struct search *s)
{
    return s->reused;
}

void search_lift(struct search *s)
{
    s->situations = s->setting.unique ? SIZE_MAX : s->setting.grid->count;
    s->prompts_left = INT64_MAX;
}
