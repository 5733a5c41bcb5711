/* test_trim_order.c: orders of rows by their vectors, and products of vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "select/trim_order.h"
#include "select/vectors.h"

static struct embedding vector(const double *values, size_t n)
{
    struct embedding e = {.at = mem_zero(n, sizeof *e.at), .value = mem_zero(n, sizeof *e.value)};
    for (size_t i = 0; i < n; i++)
        if (values[i] != 0) {
            e.at[e.count] = (uint32_t)i;
            e.value[e.count++] = values[i];
        }
    e.norm = sqrt(embedding_dot_plain(&e, &e));
    return e;
}

static void free_all(struct embedding *vectors, size_t n)
{
    for (size_t i = 0; i < n; i++)
        embedding_free(&vectors[i]);
}

static void products_agree(void **state)
{
    (void)state;
    enum { N = 7, WIDTH = 19 };
    struct embedding all[N];
    struct rng r;
    rng_seed(&r, 1);
    for (int i = 0; i < N; i++) {
        double values[WIDTH];
        for (int k = 0; k < WIDTH; k++)
            values[k] = rng_below(&r, 3) ? rng_random(&r) - 0.5 : 0;
        all[i] = vector(values, WIDTH);
    }
    struct vectors v = {.width = vectors_width(all, N)};
    assert_in_range(v.width, WIDTH, 24);
    for (int i = 0; i < N; i++)
        vectors_add(&v, &all[i]);
    float *x = mem_zero(v.width, sizeof *x), near[VECTORS_STEP];
    for (int i = 0; i < N; i++) {
        vectors_spread(&all[i], x, v.width);
        for (size_t row = 0; row < v.n; row += VECTORS_STEP) {
            vectors_multiplier()(x, v.rows + row * v.width, v.width, near);
            for (size_t k = 0; k < VECTORS_STEP; k++) {
                double want = row + k < N ? embedding_dot_plain(&all[i], &all[row + k]) : 0;
                assert_true(fabs(near[k] - want) < 1e-5);
            }
        }
    }
    free(x);
    vectors_free(&v);
    free_all(all, N);
}

static void repeats_by_words_and_by_vectors(void **state)
{
    (void)state;
    static const double V[][2] = {{1, 0}, {0.99, 0.1}, {0, 1}, {0.5, 0.5}, {0, 0}, {0, 0}};
    static const size_t WORDS[] = {0, 1, 2, 0, 4, 1};
    bool repeats[6];
    struct embedding all[6];
    for (int i = 0; i < 6; i++)
        all[i] = vector(V[i], 2);
    trim_mark_repeats(WORDS, NULL, 6, repeats);
    static const bool BY_WORDS[] = {false, false, false, true, false, true};
    assert_memory_equal(repeats, BY_WORDS, sizeof repeats);
    /* Row 1 repeats row 0 by its vector; its words are then nobody's, so row 5 says something new. */
    trim_mark_repeats(WORDS, all, 6, repeats);
    static const bool BY_BOTH[] = {false, true, false, true, false, false};
    assert_memory_equal(repeats, BY_BOTH, sizeof repeats);
    free_all(all, 6);
}

static void clusters_in_turn(void **state)
{
    (void)state;
    static const double V[][2] = {{1, 0}, {0.9, 0.1}, {0.95, 0.05}, {0, 1}, {0.1, 0.9}};
    static const size_t LENGTHS[] = {5, 9, 7, 1, 2};
    struct embedding all[5];
    struct rng r;
    for (int i = 0; i < 5; i++)
        all[i] = vector(V[i], 2);
    for (int seed = 0; seed < 5; seed++) {
        size_t rows[] = {0, 1, 2, 3, 4}, seen = 0;
        rng_seed(&r, seed);
        trim_order_diverse(all, LENGTHS, &r, rows, 5);
        for (int i = 0; i < 5; i++)
            seen |= (size_t)1 << rows[i];
        assert_int_equal(seen, 31);
        assert_int_equal(rows[0], 1); /* the larger cluster's longest */
        assert_int_equal(rows[1], 4);
        assert_int_equal(rows[2], 2);
    }
    trim_order_diverse(all, LENGTHS, &r, NULL, 0);
    free_all(all, 5);
}

static void nearest_first(void **state)
{
    (void)state;
    static const double V[][2] = {{1, 0}, {0, 1}, {0.6, 0.8}, {0, 0}, {0, -1}},
                        DEV[][2] = {{0, 1}, {0, 2}};
    struct embedding all[5], dev[2];
    size_t rows[] = {0, 1, 2, 3, 4};
    static const size_t WANT[] = {1, 2, 0, 3, 4};
    for (int i = 0; i < 5; i++)
        all[i] = vector(V[i], 2);
    for (int i = 0; i < 2; i++)
        dev[i] = vector(DEV[i], 2);
    trim_order_target(all, dev, 2, rows, 5);
    assert_memory_equal(rows, WANT, sizeof rows);
    free_all(all, 5);
    free_all(dev, 2);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(products_agree),
        cmocka_unit_test(repeats_by_words_and_by_vectors),
        cmocka_unit_test(clusters_in_turn),
        cmocka_unit_test(nearest_first),
    };
    return cmocka_run_group_tests(list, NULL, NULL);
}
