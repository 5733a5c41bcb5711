/* decontam_semantic.c: see decontam_semantic.h. */
#include "select/decontam_semantic.h"

#include <math.h>
#include <stdlib.h>

#include "base/pool.h"
#include "rng/rng.h"
#include "select/defaults.h"
#include "text/number.h"

enum {
    LANES = 8,  /* floats that one step takes */
    ROWS = 4,   /* prompts that one step takes */
    SLICE = 32, /* texts of a job */
    BLOCK_BYTES =
        1 << 17,    /* of prompts that are held against all texts of a job before the next ones */
    BINS = 1 << 18, /* of the histogram of similarities, from -1 to 1 */
};
/* Single precision errs by far less than this on products of vectors of length 1. */
static const double MARGIN = 1e-4;
static const double ALIKE_SHARE = 0.99;

struct decontam_semantic {
    const struct decontam_index *index;
    struct embedder *embedder;
    double similarity;
    int jobs;
    struct embedding *prompts;
    size_t n, width; /* width: numbers of a vector, a multiple of LANES */
    float *matrix;   /* n rounded up to ROWS, by width */
};

/* ---- products -------------------------------------------------------------------------------------- */

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

/* x times ROWS rows that follow each other. A macro, because what is inlined keeps the instructions of where
 * it was written. */
#define TOTAL(v) (((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])))
#define DEFINE_MULTIPLY(name)                                                          \
    static void name(const float *x, const float *rows, size_t width, float out[ROWS]) \
    {                                                                                  \
        lanes v, a = {0}, b = {0}, c = {0}, d = {0}, r;                                \
        for (size_t i = 0; i < width; i += LANES) {                                    \
            memcpy(&v, x + i, sizeof v);                                               \
            memcpy(&r, rows + i, sizeof r);                                            \
            a += v * r;                                                                \
            memcpy(&r, rows + width + i, sizeof r);                                    \
            b += v * r;                                                                \
            memcpy(&r, rows + 2 * width + i, sizeof r);                                \
            c += v * r;                                                                \
            memcpy(&r, rows + 3 * width + i, sizeof r);                                \
            d += v * r;                                                                \
        }                                                                              \
        out[0] = TOTAL(a);                                                             \
        out[1] = TOTAL(b);                                                             \
        out[2] = TOTAL(c);                                                             \
        out[3] = TOTAL(d);                                                             \
    }

DEFINE_MULTIPLY(multiply_plain)

#if defined(__x86_64__)
/* The same sums in the same order, in registers twice as wide. */
__attribute__((target("avx2"))) DEFINE_MULTIPLY(multiply_avx2)
#endif

    typedef void multiplier(const float *x, const float *rows, size_t width, float out[ROWS]);

static multiplier *best_multiplier(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return multiply_avx2;
#endif
    return multiply_plain;
}

/* Left to right, as the plain loop over both vectors; what is 0 in either adds nothing. */
static double product(const struct embedding *a, const struct embedding *b)
{
    double sum = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;)
        if (a->at[i] < b->at[j])
            i++;
        else if (a->at[i] > b->at[j])
            j++;
        else
            sum += a->value[i++] * b->value[j++];
    return sum;
}

static void spread(const struct embedding *e, float *out, size_t width)
{
    memset(out, 0, width * sizeof *out);
    for (size_t i = 0; i < e->count && e->at[i] < width; i++)
        out[e->at[i]] = (float)e->value[i];
}

/* ---- the prompts ----------------------------------------------------------------------------------- */

static void make_matrix(struct decontam_semantic *s)
{
    size_t rows = (s->n + ROWS - 1) / ROWS * ROWS;
    for (size_t i = 0; i < s->n; i++)
        if (s->prompts[i].count && s->prompts[i].at[s->prompts[i].count - 1] >= s->width)
            s->width = s->prompts[i].at[s->prompts[i].count - 1] + 1;
    s->width = (s->width + LANES - 1) / LANES * LANES;
    s->matrix = mem_zero(rows * s->width + LANES, sizeof *s->matrix);
    for (size_t i = 0; i < s->n; i++)
        spread(&s->prompts[i], s->matrix + i * s->width, s->width);
}

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
    make_matrix(s);
    return s;
}

void decontam_semantic_free(struct decontam_semantic *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        embedding_free(&s->prompts[i]);
    free(s->prompts);
    free(s->matrix);
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
static struct decontam_match decide(const struct decontam_semantic *s, multiplier *times,
                                    const struct embedding *vector, const float *x, double best)
{
    struct decontam_match match = {.similarity = -INFINITY};
    if (best < s->similarity - MARGIN)
        return match;
    float near[ROWS];
    for (size_t row = 0; row < s->n; row += ROWS) {
        times(x, s->matrix + row * s->width, s->width, near);
        for (size_t i = 0; i < ROWS && row + i < s->n; i++) {
            if (near[i] < best - 2 * MARGIN)
                continue;
            double exact = product(vector, &s->prompts[row + i]);
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
    multiplier *times = best_multiplier();
    float *x = mem_zero(slice->n * s->width + LANES, sizeof *x), near[ROWS];
    double best[SLICE];
    (void)worker;
    for (size_t t = 0; t < slice->n; t++) {
        if (!embedder_semantic(s->embedder))
            slice->vectors[t] = embed_hash(slice->texts[t]);
        spread(&slice->vectors[t], x + t * s->width, s->width);
        best[t] = -INFINITY;
    }
    size_t block = BLOCK_BYTES / (s->width * sizeof *x + 1) / ROWS * ROWS + ROWS;
    for (size_t from = 0; from < s->n; from += block)
        for (size_t t = 0; t < slice->n; t++)
            for (size_t row = from; row < from + block && row < s->n; row += ROWS) {
                times(x + t * s->width, s->matrix + row * s->width, s->width, near);
                for (size_t i = 0; i < ROWS && row + i < s->n; i++)
                    best[t] = near[i] > best[t] ? near[i] : best[t];
            }
    for (size_t t = 0; t < slice->n; t++) {
        slice->out[t] = decide(s, times, &slice->vectors[t], x + t * s->width, best[t]);
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
    multiplier *times = best_multiplier();
    float near[ROWS];
    size_t loaded = (size_t)-1; /* rows are ascending: neighbours come in one product */
    for (size_t k = from; k < a->n; k++) {
        size_t other = a->rows[k], group = other / ROWS;
        if (decontam_index_prompt_task(s->index, other) == task)
            continue;
        if (group != loaded)
            times(s->matrix + mine * s->width, s->matrix + group * ROWS * s->width, s->width, near);
        loaded = group;
        double share = ((double)near[other % ROWS] + 1) / 2;
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
