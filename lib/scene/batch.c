/* batch.c: see batch.h. */
#include "scene/batch.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "rng/rng.h"
#include "scene/defaults.h"
#include "stat/sum.h"

/* ---- k-means --------------------------------------------------------------------------------- */

struct centres {
    double *values; /* k x size */
    size_t k, size;
    struct exact_sum *sums; /* size long */
};

static double *centre(const struct centres *c, size_t j)
{
    return c->values + j * c->size;
}

static void set_centre(struct centres *c, size_t j, const struct embedding *v)
{
    double *to = centre(c, j);
    memset(to, 0, c->size * sizeof *to);
    for (size_t i = 0; i < v->count; i++)
        to[v->at[i]] = v->value[i];
}

static double exact_distance(const struct centres *c, size_t j, const struct embedding *v)
{
    struct exact_sum sum = {0};
    const double *to = centre(c, j);
    for (size_t i = 0, n = 0; i < c->size; i++) {
        double x = n < v->count && v->at[n] == i ? v->value[n++] : 0;
        sum_add(&sum, (x - to[i]) * (x - to[i]));
    }
    return sum_value(&sum);
}

/* |v - c|^2 = |v|^2 - 2 v.c + |c|^2, a few roundings off. */
static double rough_distance(const struct centres *c, size_t j, double centre_square,
                             const struct embedding *v)
{
    const double *to = centre(c, j);
    double dot = 0;
    for (size_t i = 0; i < v->count; i++)
        dot += v->value[i] * to[v->at[i]];
    return v->norm * v->norm - 2 * dot + centre_square;
}

/* The first nearest centre. Exact sums are taken only where rough ones cannot tell two apart. */
static size_t nearest(const struct centres *c, const double *squares, const struct embedding *v)
{
    double rough[BATCH_CLUSTERS_MAX], least = INFINITY, best_distance = INFINITY;
    size_t best = 0, close = 0;
    for (size_t j = 0; j < c->k; j++) {
        rough[j] = rough_distance(c, j, squares[j], v);
        if (rough[j] < least) {
            least = rough[j];
            best = j;
        }
    }
    double limit = least + BATCH_ROUGH_ERROR * (1 + v->norm * v->norm);
    for (size_t j = 0; j < c->k; j++)
        close += rough[j] <= limit;
    for (size_t j = 0; j < c->k && close > 1; j++) {
        double d = rough[j] <= limit ? exact_distance(c, j, v) : INFINITY;
        if (d < best_distance) {
            best_distance = d;
            best = j;
        }
    }
    return best;
}

static void start_centres(struct centres *c, const struct embedding *vectors, size_t n,
                          struct rng *rng)
{
    double *far = mem_alloc(n * sizeof *far); /* squared distance to the nearest centre */
    set_centre(c, 0, &vectors[rng_below(rng, n)]);
    for (size_t i = 0; i < n; i++)
        far[i] = exact_distance(c, 0, &vectors[i]);
    for (size_t j = 1; j < c->k; j++) {
        double total = sum_exact(far, n), running = 0;
        size_t next = n - 1;
        if (total <= 0) {
            next = j % n;
        } else {
            double pick = rng_random(rng) * total;
            for (size_t i = 0; i < n; i++)
                if ((running += far[i]) >= pick) {
                    next = i;
                    break;
                }
        }
        set_centre(c, j, &vectors[next]);
        for (size_t i = 0; i < n; i++) {
            double d = exact_distance(c, j, &vectors[i]);
            far[i] = d < far[i] ? d : far[i];
        }
    }
    free(far);
}

/* The mean of a cluster's members; an empty one keeps its centre. */
static void move_centre(struct centres *c, size_t j, const struct embedding *vectors, size_t n,
                        const size_t *labels)
{
    size_t members = 0;
    memset(c->sums, 0, c->size * sizeof *c->sums);
    for (size_t i = 0; i < n; i++) {
        if (labels[i] != j)
            continue;
        members++;
        for (size_t x = 0; x < vectors[i].count; x++)
            sum_add(&c->sums[vectors[i].at[x]], vectors[i].value[x]);
    }
    for (size_t x = 0; x < c->size && members; x++)
        centre(c, j)[x] = sum_value(&c->sums[x]) / (double)members;
}

static void measure_centres(const struct centres *c, double *squares)
{
    for (size_t j = 0; j < c->k; j++) {
        squares[j] = 0;
        for (size_t i = 0; i < c->size; i++)
            squares[j] += centre(c, j)[i] * centre(c, j)[i];
    }
}

void batch_cluster(const struct embedding *vectors, size_t n, size_t size, size_t k, int64_t seed,
                   int iterations, size_t *labels)
{
    struct rng rng;
    struct centres c = {.k = k < BATCH_CLUSTERS_MAX ? k : BATCH_CLUSTERS_MAX, .size = size};
    double squares[BATCH_CLUSTERS_MAX];
    c.values = mem_alloc(c.k * size * sizeof *c.values);
    c.sums = mem_alloc(size * sizeof *c.sums);
    rng_seed(&rng, seed);
    start_centres(&c, vectors, n, &rng);
    for (size_t i = 0; i < n; i++)
        labels[i] = 0;
    for (int step = 0; step < iterations; step++) {
        bool moved = step == 0;
        measure_centres(&c, squares);
        for (size_t i = 0; i < n; i++) {
            size_t label = nearest(&c, squares, &vectors[i]);
            moved = moved || label != labels[i];
            labels[i] = label;
        }
        if (!moved)
            break;
        for (size_t j = 0; j < c.k; j++)
            move_centre(&c, j, vectors, n, labels);
    }
    free(c.values);
    free(c.sums);
}

/* ---- k-centre: vectors have length 1, so that the cosine is the inner product ---------------- */

/* The direction of the mean; the sums of one coordinate are exact. */
static struct embedding mean_direction(const struct embedding *vectors, const size_t *which,
                                       size_t n)
{
    struct exact_sum *sums = NULL;
    struct embedding mean = {0};
    size_t cap = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        const struct embedding *v = &vectors[which ? which[i] : i];
        for (size_t x = 0; x < v->count; x++) {
            if (v->at[x] >= size) {
                sums = mem_grow(sums, &cap, v->at[x] + 1, sizeof *sums);
                memset(sums + size, 0, (v->at[x] + 1 - size) * sizeof *sums);
                size = v->at[x] + 1;
            }
            sum_add(&sums[v->at[x]], v->value[x]);
        }
    }
    mean.at = mem_alloc((size + 1) * sizeof *mean.at);
    mean.value = mem_alloc((size + 1) * sizeof *mean.value);
    for (size_t x = 0; x < size; x++) {
        double value = sum_value(&sums[x]) / (double)n;
        if (value == 0)
            continue;
        mean.at[mean.count] = (uint32_t)x;
        mean.value[mean.count++] = value;
    }
    double norm = sqrt(embedding_dot(&mean, &mean));
    for (size_t x = 0; x < mean.count; x++)
        mean.value[x] /= norm;
    mean.norm = sqrt(embedding_dot(&mean, &mean));
    free(sums);
    return mean;
}

enum { TAKEN = -2 }; /* below every 1 - cosine */

size_t batch_spread(const struct embedding *vectors, const size_t *which, size_t n, size_t k,
                    size_t *picked)
{
    if (k >= n) {
        for (size_t i = 0; i < n; i++)
            picked[i] = which ? which[i] : i;
        return n;
    }
    if (k == 0)
        return 0;
    struct embedding mean = mean_direction(vectors, which, n);
    double *far = mem_alloc(n * sizeof *far); /* to the nearest one taken */
    size_t next = 0;
    double least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        double cosine = embedding_dot(&vectors[which ? which[i] : i], &mean);
        far[i] = INFINITY;
        if (cosine < least) {
            least = cosine;
            next = i;
        }
    }
    for (size_t taken = 0; taken < k; taken++) {
        const struct embedding *last = &vectors[which ? which[next] : next];
        size_t best = next;
        picked[taken] = which ? which[next] : next;
        far[next] = TAKEN;
        for (size_t i = 0; i < n; i++) {
            if (far[i] == TAKEN)
                continue;
            double d = 1 - embedding_dot(&vectors[which ? which[i] : i], last);
            far[i] = d < far[i] ? d : far[i];
            if (best == next || far[i] > far[best])
                best = i;
        }
        next = best;
    }
    free(far);
    embedding_free(&mean);
    return k;
}

/* ---- the batch ------------------------------------------------------------------------------- */

enum { UNKNOWN = -1 };

struct choosing {
    const struct batch_wish *wish;
    size_t *ids;               /* distinct candidates, as numbers of the wish's texts */
    struct embedding *vectors; /* borrowed, of ids */
    size_t n;
    size_t *labels, *size_of;         /* cluster of each; members of each cluster */
    size_t order[BATCH_CLUSTERS_MAX]; /* clusters: largest first, then lower label */
    size_t n_clusters;
    double *novelty; /* UNKNOWN until needed */
    bool *taken;
    size_t *batch; /* numbers among ids */
    size_t n_batch, n_typical;
    bool *typical;
};

static double novelty_of(struct choosing *c, size_t i)
{
    if (c->novelty[i] == UNKNOWN)
        c->novelty[i] = embedding_novelty(&c->vectors[i], c->wish->archive, c->wish->n_archive);
    return c->novelty[i];
}

static void take_distinct(struct choosing *c)
{
    const struct batch_wish *w = c->wish;
    struct map seen = {0};
    c->ids = mem_alloc((w->n_texts + 1) * sizeof *c->ids);
    c->vectors = mem_alloc((w->n_texts + 1) * sizeof *c->vectors);
    for (size_t i = 0; i < w->n_texts; i++) {
        bool fresh = false;
        if (w->texts[i].len)
            map_add(&seen, w->texts[i], &fresh);
        if (!fresh)
            continue;
        c->ids[c->n] = i;
        c->vectors[c->n++] = w->vectors[i];
    }
    map_free(&seen);
}

static void cluster(struct choosing *c)
{
    double root = rint(sqrt((double)c->n));
    size_t k = root < 1 ? 1 : root > BATCH_CLUSTERS_MAX ? BATCH_CLUSTERS_MAX : (size_t)root;
    batch_cluster(c->vectors, c->n, c->wish->size, k, c->wish->seed, BATCH_ITERATIONS, c->labels);
    for (size_t i = 0; i < c->n; i++)
        c->size_of[c->labels[i]]++;
    for (size_t j = 0; j < k; j++) {
        size_t at = c->n_clusters;
        if (!c->size_of[j])
            continue;
        for (; at > 0 && c->size_of[c->order[at - 1]] < c->size_of[j]; at--)
            c->order[at] = c->order[at - 1];
        c->order[at] = j;
        c->n_clusters++;
    }
}

static void take(struct choosing *c, size_t i)
{
    c->taken[i] = true;
    c->batch[c->n_batch++] = i;
}

/* Round the clusters, one member each, drawn. */
static void take_typical(struct choosing *c, size_t typical)
{
    struct rng rng;
    size_t *members = mem_alloc(c->n * sizeof *members);
    bool any = true;
    rng_seed(&rng, c->wish->seed + BATCH_ROUND_STRIDE * c->wish->round);
    while (c->n_batch < typical && any) {
        any = false;
        for (size_t o = 0; o < c->n_clusters && c->n_batch < typical; o++) {
            size_t count = 0;
            for (size_t i = 0; i < c->n; i++)
                if (c->labels[i] == c->order[o] && !c->taken[i])
                    members[count++] = i;
            if (!count)
                continue;
            any = true;
            size_t i = members[rng_below(&rng, count)];
            take(c, i);
            c->typical[i] = true;
        }
    }
    c->n_typical = c->n_batch;
    free(members);
}

/* Up to 2 x need candidates that stand far apart, drawn evenly from the clusters. */
static size_t stratify(struct choosing *c, size_t *ranked)
{
    size_t need = c->wish->need, n = 0;
    size_t share = (2 * need + c->n_clusters - 1) / c->n_clusters;
    size_t *members = mem_alloc(c->n * sizeof *members);
    size_t *wide = mem_alloc(c->n * sizeof *wide);
    bool done[BATCH_CLUSTERS_MAX] = {false};
    for (size_t first = 0; first < c->n; first++) {
        size_t label = c->labels[first], count = 0;
        if (done[label])
            continue;
        done[label] = true;
        for (size_t i = first; i < c->n; i++)
            if (c->labels[i] == label)
                members[count++] = i;
        n += batch_spread(c->vectors, members, count, share, wide + n);
    }
    n = batch_spread(c->vectors, wide, n, 2 * need < n ? 2 * need : n, ranked);
    free(members);
    free(wide);
    return n;
}

/* By how new they are, then by text. */
static bool ranks_before(struct choosing *c, size_t a, size_t b)
{
    if (novelty_of(c, a) != novelty_of(c, b))
        return novelty_of(c, a) > novelty_of(c, b);
    return span_compare(c->wish->texts[c->ids[a]], c->wish->texts[c->ids[b]]) < 0;
}

static void take_fill(struct choosing *c, size_t fill)
{
    size_t *ranked = mem_alloc((c->n + 1) * sizeof *ranked);
    size_t n = stratify(c, ranked), filled = 0;
    for (size_t i = 1; i < n; i++) { /* a few dozen */
        size_t x = ranked[i], at = i;
        for (; at > 0 && ranks_before(c, x, ranked[at - 1]); at--)
            ranked[at] = ranked[at - 1];
        ranked[at] = x;
    }
    for (size_t i = 0; i < n && filled < fill; i++)
        if (!c->taken[ranked[i]]) {
            take(c, ranked[i]);
            filled++;
        }
    for (size_t i = 0; i < c->n && c->n_batch < c->wish->need; i++)
        if (!c->taken[i])
            take(c, i);
    if (c->n_batch > c->wish->need)
        c->n_batch = c->wish->need;
    free(ranked);
}

static double known_novelty(const struct choosing *c, size_t i)
{
    return c->novelty[i] == UNKNOWN ? 0 : c->novelty[i];
}

/* Stable, by novelty: the largest first, or the smallest. */
static void sort_by_novelty(const struct choosing *c, size_t *items, size_t n, bool largest)
{
    for (size_t i = 1; i < n; i++) {
        size_t x = items[i], at = i;
        double v = known_novelty(c, x);
        for (; at > 0 && (largest ? v > known_novelty(c, items[at - 1])
                                  : v < known_novelty(c, items[at - 1]));
             at--)
            items[at] = items[at - 1];
        items[at] = x;
    }
}

/* The members of the batch that are least new make room. */
static void replace(struct choosing *c, const size_t *accepted, size_t n)
{
    size_t *worst = mem_alloc((c->n_batch + 1) * sizeof *worst), kept = 0;
    memcpy(worst, c->batch, c->n_batch * sizeof *worst);
    sort_by_novelty(c, worst, c->n_batch, false);
    for (size_t i = 0; i < n; i++)
        c->taken[worst[i]] = false;
    for (size_t i = 0; i < c->n_batch; i++)
        if (c->taken[c->batch[i]])
            c->batch[kept++] = c->batch[i];
    c->n_batch = kept;
    for (size_t i = 0; i < n; i++)
        take(c, accepted[i]);
    free(worst);
}

static void anneal(struct choosing *c)
{
    size_t need = c->wish->need, n = 0, accepted = 0;
    double heat = pow(BATCH_COOLING, (double)c->wish->round);
    heat = heat > BATCH_HEAT_MIN ? heat : BATCH_HEAT_MIN;
    double wanted = rint((double)need * (BATCH_SWAP_BASE + BATCH_SWAP_HEAT * heat));
    size_t slots = wanted < (double)(need / 2) ? (size_t)wanted : need / 2;
    if (slots == 0 || c->n <= need)
        return;
    size_t *outside = mem_alloc(c->n * sizeof *outside), *in = mem_alloc(slots * sizeof *in);
    struct rng rng;
    for (size_t i = 0; i < c->n; i++) {
        bool member = false;
        for (size_t b = 0; b < c->n_batch; b++)
            member = member || c->batch[b] == i;
        c->taken[i] = member;
        if (!member)
            outside[n++] = i;
    }
    sort_by_novelty(c, outside, n, true);
    rng_seed(&rng, c->wish->seed + BATCH_SWAP_STRIDE * c->wish->round + BATCH_SWAP_OFFSET);
    for (size_t i = 0; i < n && accepted < slots; i++) {
        double over = known_novelty(c, outside[i]) - BATCH_NOVEL;
        double chance = heat * (BATCH_ACCEPT + BATCH_ACCEPT_NOVEL * (over > 0 ? over : 0));
        if (rng_random(&rng) < (chance < 1 ? chance : 1))
            in[accepted++] = outside[i];
    }
    replace(c, in, accepted);
    free(outside);
    free(in);
}

/* The first text of each cluster in a third of them. */
static size_t *name_clusters(const struct choosing *c, bool largest, size_t *count)
{
    size_t third = c->n_clusters / 3 ? c->n_clusters / 3 : 1;
    third = third < BATCH_NAMED ? third : BATCH_NAMED;
    size_t *names = mem_alloc(third * sizeof *names);
    *count = 0;
    for (size_t o = 0; o < third && o < c->n_clusters; o++) {
        size_t label = c->order[largest ? o : c->n_clusters - 1 - o], i = 0;
        while (c->labels[i] != label)
            i++;
        names[(*count)++] = c->ids[i];
    }
    return names;
}

static void finish(struct choosing *c, struct batch *batch)
{
    batch->picks = mem_alloc((c->n_batch + 1) * sizeof *batch->picks);
    for (size_t b = 0; b < c->n_batch; b++) {
        size_t i = c->batch[b];
        batch->picks[batch->count++] = (struct batch_pick){
            c->ids[i], c->labels[i], novelty_of(c, i), c->typical[i] ? BATCH_TYPICAL : BATCH_FILL};
    }
    batch->n_clusters = c->n_clusters;
    batch->pool = c->n;
    batch->concentrated = name_clusters(c, true, &batch->n_concentrated);
    batch->sparse = name_clusters(c, false, &batch->n_sparse);
}

void batch_choose(struct batch *batch, const struct batch_wish *wish)
{
    struct choosing c = {.wish = wish};
    *batch = (struct batch){0};
    take_distinct(&c);
    if (c.n) {
        size_t fill = (size_t)((double)wish->need * BATCH_FILL_SHARE);
        fill = fill > 1 ? fill : 1;
        c.labels = mem_alloc(c.n * sizeof *c.labels);
        c.size_of = mem_zero(BATCH_CLUSTERS_MAX, sizeof *c.size_of);
        c.novelty = mem_alloc(c.n * sizeof *c.novelty);
        c.taken = mem_zero(c.n, sizeof *c.taken);
        c.typical = mem_zero(c.n, sizeof *c.typical);
        c.batch = mem_alloc((c.n + 1) * sizeof *c.batch);
        for (size_t i = 0; i < c.n; i++)
            c.novelty[i] = UNKNOWN;
        cluster(&c);
        take_typical(&c, wish->need > fill ? wish->need - fill : 0);
        take_fill(&c, fill);
        anneal(&c);
        finish(&c, batch);
    }
    free(c.ids);
    free(c.vectors);
    free(c.labels);
    free(c.size_of);
    free(c.novelty);
    free(c.taken);
    free(c.typical);
    free(c.batch);
}

void batch_free(struct batch *batch)
{
    free(batch->picks);
    free(batch->concentrated);
    free(batch->sparse);
    *batch = (struct batch){0};
}

void batch_reason_write(const struct batch_pick *pick, const char *embedder, struct buf *out)
{
    buf_format(out, "%s cluster=%zu novelty=%.3f embedder=%s",
               pick->reason == BATCH_TYPICAL ? "typical" : "fill", pick->cluster, pick->novelty,
               embedder);
}
