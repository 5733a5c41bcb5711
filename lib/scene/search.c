/* search.c: see search.h. */
#include "scene/search.h"

#include <math.h>
#include <stdlib.h>

#include "scene/defaults.h"
#include "scene/grow.h"
#include "text/digest.h"
#include "text/number.h"

struct candidate {
    const struct cell *cell;
    uint32_t used;    /* prompts written for it */
    uint32_t variant; /* where the writer goes on */
    bool dry;
    double weight;
    double u, key; /* weighted draw of the pass in hand */
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
    size_t outside;             /* prompts off the grid */
    bool has_side[SIDE_COUNT];  /* some cell of the grid is of it */
    uint8_t *front;             /* by axis value: in front, or its axis has no front */
    int64_t round, slot;
    int64_t *of_region, picks; /* by region: cells picked with a tool of it; all picks */
    uint32_t pass[SIDE_COUNT]; /* prompts that each cell of the side has had */
    size_t last;               /* given last */
};

/* u^(1/W), u from the hash of seed, pass and id: the largest key of a set is a draw with weights W
 * (Efraimidis & Spirakis 2006, "Weighted random sampling with a reservoir"). */
static void set_key(struct candidate *c)
{
    c->key = pow(c->u, 1 / (c->weight > 1e-9 ? c->weight : 1e-9));
}

static void draw_key(const struct search *s, struct candidate *c, uint32_t pass)
{
    struct buf text = {0};
    buf_format(&text, "%lld:%u:%s", (long long)s->setting.seed, (unsigned)pass, c->cell->id);
    c->u = ((double)digest_number(buf_span(&text), 12) + 1) / (281474976710656.0 + 2);
    set_key(c);
    buf_free(&text);
}

static struct candidate *add_candidate(struct search *s, const struct cell *cell)
{
    s->cells = mem_grow(s->cells, &s->cap, s->count + 1, sizeof *s->cells);
    struct candidate *c = &s->cells[s->count++];
    *c = (struct candidate){.cell = cell, .weight = cell->weight};
    draw_key(s, c, s->pass[side_of(cell->tier)]);
    return c;
}

void search_weigh(struct search *s, size_t cell, double weight)
{
    struct candidate *c = &s->cells[cell];
    if (c->weight == weight)
        return;
    c->weight = weight;
    set_key(c);
}

void search_round(struct search *s, int64_t round)
{
    s->round = round;
    s->slot = 0;
}

/* The first half of the values of tool, tool_condition and world_state, at least one. */
static void find_front(struct search *s)
{
    const struct grid *grid = s->setting.grid;
    static const enum axis steered[] = {AXIS_TOOL, AXIS_CONDITION, AXIS_WORLD};
    s->front = mem_alloc(grid->n_values + 1);
    memset(s->front, 1, grid->n_values + 1);
    for (size_t i = 0; i < grid->count; i++)
        for (size_t a = 0; a < sizeof steered / sizeof *steered; a++) {
            const struct axis_values *axis = &grid->axes[steered[a]];
            size_t half = axis->count / 2, at = 0;
            while (at < axis->count &&
                   !span_equal(axis->items[at], grid->cells[i].value[steered[a]]))
                at++;
            s->front[grid->cells[i].pair_value[steered[a]]] = axis->count < 2 || at < half;
        }
}

struct search *search_open(const struct search_setting *setting)
{
    struct search *s = mem_zero(1, sizeof *s);
    const struct grid *grid = setting->grid;
    s->setting = *setting;
    int64_t wanted = setting->situations;
    bool capped = wanted > 0 && (setting->unique || (size_t)wanted <= grid->count);
    s->situations = capped ? (size_t)wanted : SIZE_MAX;
    s->phrasings = capped ? (size_t)setting->phrasings : 0;
    s->prompts_left = wanted > 0 ? wanted * setting->phrasings : INT64_MAX;
    pairs_open(&s->covered, grid->n_values);
    pairs_open(&s->planned, grid->n_values);
    for (size_t i = 0; i < grid->count; i++) {
        pairs_add_cell(&s->planned, &grid->cells[i]);
        add_candidate(s, &grid->cells[i]);
        s->has_side[side_of(grid->cells[i].tier)] = true;
    }
    if (setting->steering > 0)
        find_front(s);
    if (setting->regions)
        s->of_region = mem_zero(setting->regions->count + 1, sizeof *s->of_region);
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
    free(s->front);
    free(s->of_region);
    free(s);
}

/* May cells be used again? In a run of unique situations only when no new one can be made. */
static bool may_reuse(const struct search *s, enum side side)
{
    return !s->setting.unique || s->setting.even || s->phrasings > 1 ||
           (s->phrasings == 0 && s->grown_out[side]);
}

static bool may_take(const struct search *s, const struct candidate *c, enum side side)
{
    if (c->dry || side_of(c->cell->tier) != side)
        return false;
    if (c->used == 0)
        return s->used + s->outside < s->situations;
    return may_reuse(s, side) && (s->phrasings == 0 || c->used < s->phrasings);
}

/* ---- which cell ------------------------------------------------------------------------------ */

static bool better(const struct search *s, size_t a, double score_a, size_t b, double score_b)
{
    const struct candidate *x = &s->cells[a], *y = &s->cells[b];
    if (score_a != score_b)
        return score_a > score_b;
    if (s->covered.count < s->planned.count && x->weight != y->weight)
        return x->weight > y->weight;
    if (x->key != y->key)
        return x->key > y->key;
    return strcmp(x->cell->id, y->cell->id) < 0;
}

static bool is_front(const struct search *s, const struct cell *cell)
{
    for (int a = 0; a < AXIS_COUNT; a++)
        if (cell->value[a].len && !s->front[cell->pair_value[a]])
            return false;
    return true;
}

/* What a choice is made among. */
struct choice {
    enum side side;
    unsigned tiers; /* a bit each */
    enum search_want want;
    bool front;                  /* only cells in front on every axis */
    const struct region *region; /* only cells with a tool of it; NULL: any */
};

static bool in_region(const struct region *region, const struct cell *cell)
{
    return map_find(&region->recipe[0], cell->value[AXIS_TOOL]) != MAP_NONE;
}

static bool chosen(const struct search *s, const struct candidate *c, const struct choice *of)
{
    if (!(of->tiers >> c->cell->tier & 1) || !may_take(s, c, of->side))
        return false;
    if (of->want == SEARCH_FRESH && c->used)
        return false;
    if (of->want == SEARCH_USED && (!c->used || c->used >= s->setting.wordings))
        return false;
    if (of->want != SEARCH_USED && c->used > s->pass[of->side])
        return false;
    return (!of->front || is_front(s, c->cell)) && (!of->region || in_region(of->region, c->cell));
}

/* The best cell of the pass in hand, or among those in use the least used; s->count: none. */
static size_t best_cell(const struct search *s, const struct choice *of)
{
    size_t best = s->count;
    double best_score = 0;
    bool open = s->covered.count < s->planned.count;
    for (size_t i = 0; i < s->count; i++) {
        const struct candidate *c = &s->cells[i];
        double score = 0;
        if (!chosen(s, c, of))
            continue;
        if (of->want == SEARCH_USED)
            score = -(double)c->used;
        else if (open)
            score = (double)pairs_new(&s->covered, c->cell) * c->weight;
        if (best == s->count || better(s, i, score, best, best_score)) {
            best = i;
            best_score = score;
        }
    }
    return best;
}

/* The hard tier with the fewest prompts that has a cell; the ordinary one is a side of its own. */
static size_t best_of_side(const struct search *s, struct choice of,
                           const int64_t opened[TIER_COUNT])
{
    static const enum tier hard[] = {TIER_AMBIGUOUS, TIER_BOUNDARY, TIER_ADVERSARIAL};
    unsigned tried = 0;
    of.tiers = 1u << TIER_ORDINARY;
    if (of.side == SIDE_ORDINARY)
        return best_cell(s, &of);
    for (int round = 0; round < 3; round++) {
        int fewest = -1;
        for (int i = 0; i < 3; i++)
            if (!(tried >> hard[i] & 1) && (fewest < 0 || opened[hard[i]] < opened[hard[fewest]]))
                fewest = i;
        of.tiers = 1u << hard[fewest];
        size_t best = best_cell(s, &of);
        if (best < s->count)
            return best;
        tried |= 1u << hard[fewest];
    }
    return s->count;
}

static bool grow(struct search *s, enum side side)
{
    if (!s->setting.unique || s->setting.even || s->grown_out[side] ||
        s->used + s->outside >= s->situations)
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

/* The region that is furthest behind its share of the picks; NULL: none is behind. */
static const struct region *due_region(const struct search *s)
{
    const struct regions *all = s->setting.regions;
    const struct region *due = NULL;
    double most = 0;
    for (size_t i = 0; all && i < all->count; i++) {
        double behind = all->items[i].share * (double)(s->picks + 1) - (double)s->of_region[i];
        if (all->items[i].recipe[0].count && behind > most) {
            most = behind;
            due = &all->items[i];
        }
    }
    return due;
}

static void count_regions(struct search *s, const struct cell *cell)
{
    const struct regions *all = s->setting.regions;
    s->picks++;
    for (size_t i = 0; all && i < all->count; i++)
        s->of_region[i] += in_region(&all->items[i], cell);
}

/* A cell of the side: an unused one, a grown one, or the least used. */
static size_t cell_of_side(struct search *s, enum side side, enum search_want want,
                           const int64_t opened[TIER_COUNT])
{
    struct choice of = {.side = side, .want = want, .region = due_region(s)};
    size_t best = best_of_side(s, of, opened);
    for (int i = 0; i < SCENE_REGION_GROWN && best == s->count && of.region && want != SEARCH_USED;
         i++) { /* its cells are used up: some of the ones beyond the grid are of it */
        if (!grow(s, side))
            break;
        if (in_region(of.region, s->cells[s->count - 1].cell))
            best = s->count - 1;
    }
    if (best == s->count && of.region) {
        of.region = NULL;
        best = best_of_side(s, of, opened);
    }
    if (want == SEARCH_USED)
        return best;
    if (best == s->count && grow(s, side))
        best = s->count - 1;
    while (best == s->count && want == SEARCH_ANY && side_has(s, side)) {
        s->pass[side]++;
        for (size_t i = 0; i < s->count; i++)
            if (side_of(s->cells[i].cell->tier) == side)
                draw_key(s, &s->cells[i], s->pass[side]);
        best = best_of_side(s, of, opened);
    }
    return best;
}

bool search_steers(int64_t seed, int64_t round, int64_t slot, double weight)
{
    struct buf text = {0};
    buf_format(&text, "%lld:%lld:steer:%lld", (long long)seed, (long long)round, (long long)slot);
    double u = ((double)digest_n32(buf_span(&text)) + 1) / (4294967296.0 + 2);
    buf_free(&text);
    return u < weight;
}

/* Is the slot steered, and is a cell of the side in front? Then that one. */
static size_t steer(struct search *s, size_t best, const int64_t opened[TIER_COUNT], bool *steered)
{
    struct choice of = {.side = side_of(s->cells[best].cell->tier), .front = true};
    if (!s->front || !search_steers(s->setting.seed, s->round, s->slot++, s->setting.steering))
        return best;
    size_t front = is_front(s, s->cells[best].cell) ? best : best_of_side(s, of, opened);
    *steered = front < s->count;
    return *steered ? front : best;
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

enum side search_side(const struct search *s, const int64_t opened[TIER_COUNT])
{
    enum side side = wanted_side(s, opened), other = side == SIDE_HARD ? SIDE_ORDINARY : SIDE_HARD;
    return s->has_side[side] || !s->has_side[other] ? side : other;
}

bool search_next(struct search *s, const int64_t opened[TIER_COUNT], enum search_want want,
                 struct search_pick *pick)
{
    if (s->prompts_left <= 0)
        return false;
    *pick = (struct search_pick){0};
    enum side side = wanted_side(s, opened);
    size_t best = cell_of_side(s, side, want, opened);
    if (best == s->count && (want == SEARCH_ANY || !s->has_side[side]))
        best = cell_of_side(s, side == SIDE_HARD ? SIDE_ORDINARY : SIDE_HARD, want, opened);
    if (best == s->count)
        return false;
    best = steer(s, best, opened, &pick->steered);
    struct candidate *c = &s->cells[best];
    s->last = best;
    s->prompts_left--;
    pairs_add_planned(&s->covered, &s->planned, c->cell);
    pick->fresh = c->used++ == 0;
    if (pick->fresh) {
        s->used++;
        s->grown += best >= s->setting.grid->count;
    } else {
        s->reused++;
    }
    count_regions(s, c->cell);
    pick->variant = &c->variant;
    pick->cell = c->cell;
    return true;
}

bool search_scarce(const struct search *s, enum side side)
{
    double share = s->setting.hard_share, left[SIDE_COUNT] = {0};
    if (s->covered.count == s->planned.count || share <= 0 || share >= 1)
        return false;
    for (size_t i = 0; i < s->setting.grid->count; i++)
        if (!s->cells[i].used && pairs_new(&s->covered, s->cells[i].cell))
            left[side_of(s->cells[i].cell->tier)]++;
    double hard = left[SIDE_HARD] / share, ordinary = left[SIDE_ORDINARY] / (1 - share);
    return side == SIDE_HARD ? hard > ordinary : ordinary > hard;
}

bool search_take_outside(struct search *s)
{
    if (s->prompts_left <= 0 || s->phrasings > 1 || s->used + s->outside >= s->situations)
        return false;
    s->outside++;
    s->prompts_left--;
    return true;
}

bool search_take_again(struct search *s, const struct cell *cell)
{
    size_t i = 0;
    while (i < s->count && s->cells[i].cell != cell)
        i++;
    if (s->prompts_left <= 0 || i == s->count || !s->cells[i].used ||
        (s->phrasings && s->cells[i].used >= s->phrasings))
        return false;
    s->cells[i].used++;
    s->reused++;
    s->prompts_left--;
    return true;
}

bool search_can_open(const struct search *s)
{
    if (s->prompts_left <= 0)
        return false;
    for (int side = 0; side < SIDE_COUNT; side++)
        if (side_has(s, (enum side)side) ||
            (s->setting.unique && !s->setting.even && !s->grown_out[side] &&
             s->used + s->outside < s->situations))
            return true;
    return false;
}

/* The number of a cell that was given; most often the last one. */
static size_t number_of(const struct search *s, const struct cell *cell)
{
    size_t at = s->last;
    for (size_t i = 0; i < s->count && s->cells[at].cell != cell; i++)
        at = i;
    return at;
}

uint32_t *search_variant(struct search *s, const struct cell *cell)
{
    return &s->cells[number_of(s, cell)].variant;
}

void search_put_back(struct search *s, const struct cell *cell)
{
    size_t at = number_of(s, cell);
    struct candidate *c = &s->cells[at];
    if (c->cell != cell || !c->used)
        return;
    s->prompts_left++;
    if (--c->used == 0) {
        s->used--;
        s->grown -= at >= s->setting.grid->count;
    } else {
        s->reused--;
    }
}

void search_dry(struct search *s, const struct cell *cell)
{
    struct candidate *c = &s->cells[number_of(s, cell)];
    if (c->cell == cell && c->used)
        c->dry = true;
    search_put_back(s, cell);
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
    s->situations = SIZE_MAX;
    s->prompts_left = INT64_MAX;
}
