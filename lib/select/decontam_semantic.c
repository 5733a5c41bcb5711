/* decontam_semantic.c: see decontam_semantic.h. */
#include "select/decontam_semantic.h"

#include <math.h>
#include <stdlib.h>

#include "base/pool.h"
#include "rng/rng.h"
#include "select/defaults.h"
#include "select/vectors.h"
#include "text/number.h"

enum {
    SLICE = 32, /* texts of a job */
    BLOCK_BYTES =
        1 << 17,    /* of prompts that are held against all texts of a job before the next ones */
    BINS = 1 << 18, /* of the histogram of similarities, from -1 to 1 */
};
static const double ALIKE_SHARE = 0.99;

struct decontam_semantic {
    const struct decontam_index *index;
    struct embedder *embedder;
    double similarity;
    int jobs;
    struct embedding *prompts;
    size_t n;
    struct vectors matrix;
};

/* ---- the prompts ----------------------------------------------------------------------------------- */

struct decontam_semantic *decontam_semantic_open(const struct decontam_index *index,
                                                 struct embedder *embedder, double similarity,
                                                 int jobs, struct error *error)
{
    struct decontam_semantic *s = mem_zero(1, sizeof *s);
    *s = (struct decontam_semantic){.index = index,
                                    .embedder = embedder,
                                    .similarity = similarity,
                                    .jobs = jobs,
                                    .n = decontam_index_prompts(index)};
    s->prompts = mem_zero(s->n, sizeof *s->prompts);
    struct span *texts = mem_zero(s->n, sizeof *texts);
    for (size_t i = 0; i < s->n; i++)
        texts[i] = decontam_index_prompt(index, i);
    int code = embedder_embed(embedder, texts, s->n, s->prompts, error);
    free(texts);
    if (code < 0) {
        s->n = 0;
        decontam_semantic_free(s);
        return NULL;
    }
    s->matrix.width = vectors_width(s->prompts, s->n);
    for (size_t i = 0; i < s->n; i++)
        vectors_add(&s->matrix, &s->prompts[i]);
    return s;
}

void decontam_semantic_free(struct decontam_semantic *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        embedding_free(&s->prompts[i]);
    free(s->prompts);
    vectors_free(&s->matrix);
    free(s);
}

/* ---- texts against prompts ------------------------------------------------------------------------- */

struct slice {
    const struct span *texts;
    struct embedding *vectors;
    struct decontam_match *out;
    size_t n;
};

/* The best prompt of a text whose best product in single precision is `best`. */
static struct decontam_match decide(const struct decontam_semantic *s, vectors_multiply *times,
                                    const struct embedding *vector, const float *x, double best)
{
    struct decontam_match match = {.similarity = -INFINITY};
    if (best < s->similarity - VECTORS_MARGIN)
        return match;
    float near[VECTORS_STEP];
    for (size_t row = 0; row < s->n; row += VECTORS_STEP) {
        times(x, s->matrix.rows + row * s->matrix.width, s->matrix.width, near);
        for (size_t i = 0; i < VECTORS_STEP && row + i < s->n; i++) {
            if (near[i] < best - 2 * VECTORS_MARGIN)
                continue;
            double exact = embedding_dot_plain(vector, &s->prompts[row + i]);
            if (exact > match.similarity)
                match = (struct decontam_match){.similarity = exact, .prompt = row + i};
        }
    }
    match.hit = match.similarity >= s->similarity;
    return match;
}

static void match_slice(void *context, int worker, void *job)
{
    const struct decontam_semantic *s = context;
    const struct slice *slice = job;
    vectors_multiply *times = vectors_multiplier();
    float *x = mem_zero(slice->n * s->matrix.width + 1, sizeof *x), near[VECTORS_STEP];
    double best[SLICE];
    (void)worker;
    for (size_t t = 0; t < slice->n; t++) {
        if (!embedder_semantic(s->embedder))
            slice->vectors[t] = embed_hash(slice->texts[t]);
        vectors_spread(&slice->vectors[t], x + t * s->matrix.width, s->matrix.width);
        best[t] = -INFINITY;
    }
    size_t block = BLOCK_BYTES / (s->matrix.width * sizeof *x + 1) / VECTORS_STEP * VECTORS_STEP +
                   VECTORS_STEP;
    for (size_t from = 0; from < s->n; from += block)
        for (size_t t = 0; t < slice->n; t++)
            for (size_t row = from; row < from + block && row < s->n; row += VECTORS_STEP) {
                times(x + t * s->matrix.width, s->matrix.rows + row * s->matrix.width,
                      s->matrix.width, near);
                for (size_t i = 0; i < VECTORS_STEP && row + i < s->n; i++)
                    best[t] = near[i] > best[t] ? near[i] : best[t];
            }
    for (size_t t = 0; t < slice->n; t++) {
        slice->out[t] = decide(s, times, &slice->vectors[t], x + t * s->matrix.width, best[t]);
        embedding_free(&slice->vectors[t]);
    }
    free(x);
}

int decontam_semantic_match(struct decontam_semantic *s, const struct span *texts, size_t n,
                            struct decontam_match *out, struct error *error)
{
    if (!s->n || !n) {
        memset(out, 0, n * sizeof *out);
        return 0;
    }
    struct embedding *vectors = mem_zero(n, sizeof *vectors);
    /* Hash vectors are made where they are used, by all threads. */
    int code =
        embedder_semantic(s->embedder) ? embedder_embed(s->embedder, texts, n, vectors, error) : 0;
    size_t slices = code == 0 ? (n + SLICE - 1) / SLICE : 0;
    struct slice *work = mem_zero(slices, sizeof *work);
    struct pool *pool = pool_open_shared(s->jobs, slices + 1, match_slice, s);
    for (size_t i = 0; i < slices; i++) {
        size_t from = i * SLICE;
        work[i] = (struct slice){texts + from, vectors + from, out + from,
                                 n - from < SLICE ? n - from : SLICE};
        pool_submit(pool, &work[i]);
    }
    while (pool_take(pool, POOL_WAIT))
        ;
    pool_close(pool);
    free(work);
    free(vectors);
    return code;
}

/* ---- how alike different tasks read ---------------------------------------------------------------- */

struct alike {
    const struct decontam_semantic *s;
    size_t *rows, n; /* prompts that have a task; a sample when they are many */
    uint64_t **bins; /* by worker */
};

/* One row against all later ones. */
static void count_row(void *context, int worker, void *job)
{
    const struct alike *a = context;
    const struct decontam_semantic *s = a->s;
    const size_t *at = job;
    size_t mine = *at, from = (size_t)(at - a->rows) + 1;
    uint32_t task = decontam_index_prompt_task(s->index, mine);
    vectors_multiply *times = vectors_multiplier();
    float near[VECTORS_STEP];
    size_t loaded = (size_t)-1; /* rows are ascending: neighbours come in one product */
    for (size_t k = from; k < a->n; k++) {
        size_t other = a->rows[k], group = other / VECTORS_STEP;
        if (decontam_index_prompt_task(s->index, other) == task)
            continue;
        if (group != loaded)
            times(s->matrix.rows + mine * s->matrix.width,
                  s->matrix.rows + group * VECTORS_STEP * s->matrix.width, s->matrix.width, near);
        loaded = group;
        double share = ((double)near[other % VECTORS_STEP] + 1) / 2;
        size_t bin = share <= 0 ? 0 : (size_t)(share * BINS);
        a->bins[worker][bin < BINS ? bin : BINS - 1]++;
    }
}

static int by_place(const void *left, const void *right)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return (a > b) - (a < b);
}

static bool choose_rows(struct alike *a)
{
    for (size_t i = 0; i < a->s->n; i++)
        if (decontam_index_prompt_task(a->s->index, i))
            a->rows[a->n++] = i;
    if (a->n <= DECONTAM_ALIKE_PROMPTS)
        return false;
    struct rng rng;
    rng_seed(&rng, 0);
    rng_shuffle(&rng, a->rows, a->n, sizeof *a->rows);
    a->n = DECONTAM_ALIKE_PROMPTS;
    qsort(a->rows, a->n, sizeof *a->rows, by_place);
    return true;
}

static double percentile(struct alike *a, int workers)
{
    uint64_t pairs = 0, passed = 0;
    for (int w = 1; w < workers; w++)
        for (size_t i = 0; i < BINS; i++)
            a->bins[0][i] += a->bins[w][i];
    for (size_t i = 0; i < BINS; i++)
        pairs += a->bins[0][i];
    if (pairs < 2)
        return NAN;
    uint64_t wanted = (uint64_t)number_round_even(ALIKE_SHARE * (double)(pairs - 1));
    size_t bin = 0;
    while (passed + a->bins[0][bin] <= wanted)
        passed += a->bins[0][bin++];
    return ((double)bin + 0.5) / BINS * 2 - 1;
}

double decontam_semantic_alike(struct decontam_semantic *s, bool *sampled)
{
    struct alike a = {.s = s, .rows = mem_zero(s->n, sizeof *a.rows)};
    a.bins = mem_zero((size_t)s->jobs, sizeof *a.bins);
    for (int w = 0; w < s->jobs; w++)
        a.bins[w] = mem_zero(BINS, sizeof **a.bins);
    *sampled = choose_rows(&a);
    struct pool *pool = pool_open_shared(s->jobs, 0, count_row, &a);
    for (size_t i = 0; i + 1 < a.n; i++) {
        while (pool_full(pool))
            pool_take(pool, POOL_WAIT);
        pool_submit(pool, &a.rows[i]);
    }
    while (pool_take(pool, POOL_WAIT))
        ;
    pool_close(pool);
    double found = percentile(&a, s->jobs);
    for (int w = 0; w < s->jobs; w++)
        free(a.bins[w]);
    free(a.bins);
    free(a.rows);
    return found;
}
