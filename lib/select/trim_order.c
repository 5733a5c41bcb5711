/* trim_order.c: see trim_order.h. Sums run left to right, as the package's do: a draw hangs on them. */
#include "select/trim_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "select/defaults.h"
#include "select/vectors.h"

/* ---- repeats --------------------------------------------------------------------------------------- */

static double cosine(const struct embedding *a, const struct embedding *b)
{
    double lengths = sqrt(embedding_dot_plain(a, a)) * sqrt(embedding_dot_plain(b, b));
    return lengths > 0 ? embedding_dot_plain(a, b) / lengths : 0;
}

static bool near_one(const struct embedding *vectors, const struct vectors *kept,
                     const size_t *numbers, size_t i, float *x)
{
    float near[VECTORS_STEP];
    vectors_multiply *multiply = vectors_multiplier();
    vectors_spread(&vectors[i], x, kept->width);
    for (size_t row = 0; row < kept->n; row += VECTORS_STEP) {
        multiply(x, kept->rows + row * kept->width, kept->width, near);
        for (size_t k = 0; k < VECTORS_STEP && row + k < kept->n; k++)
            if (near[k] >= TRIM_NEAR - VECTORS_MARGIN &&
                cosine(&vectors[i], &vectors[numbers[row + k]]) >= TRIM_NEAR)
                return true;
    }
    return false;
}

void trim_mark_repeats(const size_t *words, const struct embedding *vectors, size_t n,
                       bool *repeats)
{
    struct vectors kept = {.width = vectors ? vectors_width(vectors, n) : 0};
    size_t *numbers = mem_zero(n + 1, sizeof *numbers); /* of the rows in kept */
    bool *said = mem_zero(n + 1, sizeof *said);         /* by words */
    float *x = mem_zero(kept.width + 1, sizeof *x);
    for (size_t i = 0; i < n; i++) {
        repeats[i] = said[words[i]] || (vectors && near_one(vectors, &kept, numbers, i, x));
        if (repeats[i])
            continue;
        said[words[i]] = true;
        if (!vectors)
            continue;
        numbers[kept.n] = i;
        vectors_add(&kept, &vectors[i]);
    }
    free(x);
    free(said);
    free(numbers);
    vectors_free(&kept);
}

/* ---- nearest to what the test asks ----------------------------------------------------------------- */

struct ranked {
    double nearness;
    size_t row;
};

static int by_nearness(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->nearness != b->nearness)
        return a->nearness > b->nearness ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

void trim_order_target(const struct embedding *vectors, const struct embedding *dev, size_t n_dev,
                       size_t *rows, size_t n)
{
    struct ranked *ranked = mem_zero(n + 1, sizeof *ranked);
    for (size_t i = 0; i < n; i++) {
        ranked[i] = (struct ranked){-INFINITY, rows[i]};
        for (size_t d = 0; d < n_dev; d++)
            ranked[i].nearness = fmax(ranked[i].nearness, cosine(&vectors[rows[i]], &dev[d]));
    }
    qsort(ranked, n, sizeof *ranked, by_nearness);
    for (size_t i = 0; i < n; i++)
        rows[i] = ranked[i].row;
    free(ranked);
}

/* ---- clusters -------------------------------------------------------------------------------------- */

struct clusters {
    double *points, *centres, *sums; /* n, k and k of them, `width` numbers each */
    size_t n, k, width;
    size_t *label, *count; /* of a point; of a cluster */
};

static double apart(const double *a, const double *b, size_t width)
{
    double sum = 0;
    for (size_t i = 0; i < width; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

static void put_centre(struct clusters *c, size_t point)
{
    memcpy(c->centres + c->k++ * c->width, c->points + point * c->width,
           c->width * sizeof *c->centres);
}

/* k-means++ (Arthur & Vassilvitskii 2007): the next centre is drawn by squared distance to the nearest. */
static void seed_centres(struct clusters *c, size_t wanted, struct rng *rng)
{
    double *far = mem_zero(c->n, sizeof *far);
    put_centre(c, (size_t)rng_below(rng, c->n));
    for (size_t i = 0; i < c->n; i++)
        far[i] = INFINITY;
    while (c->k < wanted) {
        bool any = false;
        for (size_t i = 0; i < c->n; i++) {
            double d =
                apart(c->points + i * c->width, c->centres + (c->k - 1) * c->width, c->width);
            far[i] = d < far[i] ? d : far[i];
            any = any || far[i] > 0;
        }
        if (!any)
            break;
        size_t next;
        rng_choices_weighted(rng, far, c->n, 1, &next);
        put_centre(c, next);
    }
    free(far);
}

static void assign(struct clusters *c)
{
    for (size_t i = 0; i < c->n; i++) {
        double least = INFINITY;
        for (size_t k = 0; k < c->k; k++) {
            double d = apart(c->points + i * c->width, c->centres + k * c->width, c->width);
            if (d < least) {
                least = d;
                c->label[i] = k;
            }
        }
    }
}

/* Each centre to the mean of its points. false: none moved. */
static bool move_centres(struct clusters *c)
{
    bool moved = false;
    memset(c->sums, 0, c->k * c->width * sizeof *c->sums);
    memset(c->count, 0, c->k * sizeof *c->count);
    for (size_t i = 0; i < c->n; i++) {
        c->count[c->label[i]]++;
        for (size_t d = 0; d < c->width; d++)
            c->sums[c->label[i] * c->width + d] += c->points[i * c->width + d];
    }
    for (size_t k = 0; k < c->k; k++)
        for (size_t d = 0; d < c->width && c->count[k]; d++) {
            double mean = c->sums[k * c->width + d] / (double)c->count[k];
            moved = moved || mean != c->centres[k * c->width + d];
            c->centres[k * c->width + d] = mean;
        }
    return moved;
}

static struct clusters cluster(const struct embedding *vectors, const size_t *rows, size_t n,
                               struct rng *rng)
{
    size_t wanted = (size_t)ceil(sqrt((double)n / 2.0));
    struct clusters c = {.n = n, .width = vectors_width(vectors, 0)};
    for (size_t i = 0; i < n; i++) {
        size_t width = vectors_width(&vectors[rows[i]], 1);
        c.width = width > c.width ? width : c.width;
    }
    c.points = mem_zero(n * c.width + 1, sizeof *c.points);
    c.centres = mem_zero(wanted * c.width + 1, sizeof *c.centres);
    c.sums = mem_zero(wanted * c.width + 1, sizeof *c.sums);
    c.label = mem_zero(n + 1, sizeof *c.label);
    c.count = mem_zero(wanted + 1, sizeof *c.count);
    for (size_t i = 0; i < n; i++) {
        const struct embedding *v = &vectors[rows[i]];
        for (size_t d = 0; d < v->count; d++)
            c.points[i * c.width + v->at[d]] = v->value[d];
    }
    seed_centres(&c, wanted, rng);
    for (int pass = 0; pass < TRIM_LLOYD_PASSES; pass++) {
        assign(&c);
        if (!move_centres(&c))
            break;
    }
    return c;
}

struct place {
    size_t size, cluster, length, row;
};

/* Larger clusters first; within one, longer replies first. */
static int by_place(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    if (a->cluster != b->cluster)
        return a->cluster < b->cluster ? -1 : 1;
    if (a->length != b->length)
        return a->length > b->length ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* In turn over the clusters: the first of each, the second of each, … */
static void deal(const struct place *places, size_t n, size_t *rows)
{
    size_t dealt = 0;
    for (size_t depth = 0; dealt < n; depth++)
        for (size_t start = 0; start < n && places[start].size > depth; start += places[start].size)
            rows[dealt++] = places[start + depth].row;
}

void trim_order_diverse(const struct embedding *vectors, const size_t *lengths, struct rng *rng,
                        size_t *rows, size_t n)
{
    if (!n)
        return;
    struct clusters c = cluster(vectors, rows, n, rng);
    struct place *places = mem_zero(n, sizeof *places);
    memset(c.count, 0, c.k * sizeof *c.count);
    for (size_t i = 0; i < n; i++)
        c.count[c.label[i]]++;
    for (size_t i = 0; i < n; i++)
        places[i] = (struct place){c.count[c.label[i]], c.label[i], lengths[rows[i]], rows[i]};
    qsort(places, n, sizeof *places, by_place);
    deal(places, n, rows);
    free(places);
    free(c.points);
    free(c.centres);
    free(c.sums);
    free(c.label);
    free(c.count);
}
