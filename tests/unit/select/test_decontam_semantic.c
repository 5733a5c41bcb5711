/* test_decontam_semantic.c: the semantic rule against the plain double loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "rng/rng.h"
#include "select/decontam_semantic.h"

enum { PROMPTS = 150, TEXTS = 300 };

static const char *const WORDS[] = {"refund", "order", "the",    "mugs", "blue", "cancel",
                                    "why",    "7",     "please", "it",   "is",   "late",
                                    "when",   "a",     "to",     "of"};

static void write_text(struct rng *r, struct buf *out)
{
    for (size_t n = rng_below(r, 9); n > 0; n--) {
        buf_text(out, WORDS[rng_below(r, sizeof WORDS / sizeof *WORDS)]);
        buf_byte(out, ' ');
    }
}

static struct decontam_index *make_index(struct rng *r, bool tasks)
{
    struct decontam_index *index = decontam_index_new(8, DECONTAM_ASCII);
    struct json_members members = {0};
    struct row row;
    struct buf line = {0};
    for (int i = 0; i < PROMPTS; i++) {
        buf_clear(&line);
        buf_format(&line, "{\"%s\":\"%d\",\"prompt\":\"", tasks ? "task_id" : "x", i % 40);
        write_text(r, &line);
        buf_text(&line, "\"}");
        row_of_text(buf_span(&line), &row, &members, NULL);
        decontam_index_add(index, &row, NULL);
    }
    decontam_index_seal(index);
    json_members_free(&members);
    buf_free(&line);
    return index;
}

static double product(const struct embedding *a, const struct embedding *b)
{
    double x[EMBED_HASH_SIZE] = {0}, sum = 0;
    for (size_t i = 0; i < a->count; i++)
        x[a->at[i]] = a->value[i];
    for (size_t i = 0; i < b->count; i++)
        sum += x[b->at[i]] * b->value[i];
    return sum;
}

static struct decontam_match directly(const struct decontam_index *index, struct span text,
                                      double similarity)
{
    struct decontam_match best = {.similarity = -INFINITY};
    struct embedding mine = embed_hash(text);
    for (size_t i = 0; i < decontam_index_prompts(index); i++) {
        struct embedding other = embed_hash(decontam_index_prompt(index, i));
        double s = product(&mine, &other);
        if (s > best.similarity)
            best = (struct decontam_match){.similarity = s, .prompt = i};
        embedding_free(&other);
    }
    embedding_free(&mine);
    best.hit = best.similarity >= similarity;
    return best;
}

static struct embedder *hash(void)
{
    struct embedder_settings none = {0};
    struct embedder *e = embedder_open("hash", &none, NULL);
    assert_non_null(e);
    return e;
}

static void as_the_double_loop(void **state)
{
    (void)state;
    static const double LEVELS[] = {0, 0.5, 0.7, 0.85, 1};
    struct rng r;
    struct buf texts[TEXTS] = {{0}};
    struct span spans[TEXTS];
    rng_seed(&r, 4);
    struct decontam_index *index = make_index(&r, true);
    struct embedder *embedder = hash();
    for (int i = 0; i < TEXTS; i++) {
        write_text(&r, &texts[i]);
        spans[i] = buf_span(&texts[i]);
    }
    size_t hits = 0;
    for (size_t level = 0; level < 5; level++) {
        struct decontam_match got[TEXTS];
        struct decontam_semantic *s =
            decontam_semantic_open(index, embedder, LEVELS[level], 1 + (int)level % 3, NULL);
        assert_int_equal(decontam_semantic_match(s, spans, TEXTS, got, NULL), 0);
        for (int i = 0; i < TEXTS; i++) {
            struct decontam_match want = directly(index, spans[i], LEVELS[level]);
            assert_int_equal(got[i].hit, want.hit);
            hits += got[i].hit;
            if (!want.hit)
                continue;
            assert_int_equal(got[i].prompt, want.prompt);
            assert_true(got[i].similarity == want.similarity);
        }
        decontam_semantic_free(s);
    }
    assert_in_range(hits, TEXTS, 4 * TEXTS);
    for (int i = 0; i < TEXTS; i++)
        buf_free(&texts[i]);
    embedder_close(embedder);
    decontam_index_free(index);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void how_alike(void **state)
{
    (void)state;
    struct rng r;
    bool sampled;
    rng_seed(&r, 5);
    struct embedder *embedder = hash();
    struct decontam_index *index = make_index(&r, true);
    size_t n = decontam_index_prompts(index), m = 0;
    double *all = calloc(n * n, sizeof *all);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            struct embedding a = embed_hash(decontam_index_prompt(index, i)),
                             b = embed_hash(decontam_index_prompt(index, j));
            if (decontam_index_prompt_task(index, i) != decontam_index_prompt_task(index, j))
                all[m++] = product(&a, &b);
            embedding_free(&a);
            embedding_free(&b);
        }
    qsort(all, m, sizeof *all, by_value);
    for (int jobs = 1; jobs <= 3; jobs++) {
        struct decontam_semantic *s = decontam_semantic_open(index, embedder, 0.85, jobs, NULL);
        double got = decontam_semantic_alike(s, &sampled);
        assert_true(fabs(got - all[(size_t)nearbyint(0.99 * (double)(m - 1))]) < 1e-5);
        assert_false(sampled);
        decontam_semantic_free(s);
    }
    free(all);
    decontam_index_free(index);
    index = make_index(&r, false); /* nothing says which prompts are of different tasks */
    struct decontam_semantic *s = decontam_semantic_open(index, embedder, 0.85, 1, NULL);
    assert_true(isnan(decontam_semantic_alike(s, &sampled)));
    decontam_semantic_free(s);
    decontam_index_free(index);
    embedder_close(embedder);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(as_the_double_loop),
        cmocka_unit_test(how_alike),
    };
    return cmocka_run_group_tests(list, NULL, NULL);
}
