/* test_rng.c: the generator's published vector, CPython's seeding, and what each draw consumes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/mem.h"
#include "rng/rng.h"

/* init_by_array({0x123, 0x234, 0x345, 0x456}), Matsumoto and Nishimura's mt19937ar.out. */
static void published_vector(void **state)
{
    (void)state;
    static const uint32_t FIRST[] = {1067595299, 955945823, 477289528, 4107218783, 4228976476};
    struct rng r;
    rng_seed_decimal(&r, "87943260406273339520951041130787"); /* 0x456'00000345'00000234'00000123 */
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(rng_word(&r), FIRST[i]);
    for (int i = 5; i < 999; i++)
        rng_word(&r);
    assert_int_equal(rng_word(&r), 3460025646u);
    static const uint32_t KEY[] = {0x123, 0x234, 0x345, 0x456};
    rng_seed_words(&r, KEY, 4);
    assert_int_equal(rng_word(&r), FIRST[0]);
}

static void expect_words(struct rng *r, uint32_t a, uint32_t b, uint32_t c)
{
    assert_int_equal(rng_word(r), a);
    assert_int_equal(rng_word(r), b);
    assert_int_equal(rng_word(r), c);
}

static void integer_seeds(void **state)
{
    (void)state;
    struct rng r;
    rng_seed(&r, 0);
    expect_words(&r, 3626764237u, 1654615998u, 3255389356u);
    rng_seed(&r, 1);
    expect_words(&r, 577090037u, 2444712010u, 3639700191u);
    rng_seed(&r, -1);
    expect_words(&r, 577090037u, 2444712010u, 3639700191u);
    rng_seed(&r, (int64_t)1 << 32);
    expect_words(&r, 485306839u, 1508871100u, 1794561286u);
}

static void same_stream(struct rng *a, struct rng *b)
{
    for (int i = 0; i < 1300; i++)
        assert_int_equal(rng_word(a), rng_word(b));
}

static void decimal_seeds(void **state)
{
    (void)state;
    static const struct {
        const char *digits;
        int64_t value;
    } TABLE[] = {
        {"0", 0},
        {"-0", 0},
        {"+7", 7},
        {"0000000000000000000000000000000007", 7},
        {"", 0},
        {"-4294967296", 4294967296},
        {"9223372036854775807", INT64_MAX},
        {"9223372036854775808", INT64_MIN},
    };
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++) {
        struct rng a, b;
        rng_seed_decimal(&a, TABLE[i].digits);
        rng_seed(&b, TABLE[i].value);
        same_stream(&a, &b);
    }
}

static void text_seeds(void **state)
{
    (void)state;
    struct rng r;
    rng_seed_text(&r, SPAN(""));
    expect_words(&r, 4124137760u, 1951988028u, 2557274880u);
    rng_seed_text(&r, SPAN("a"));
    expect_words(&r, 1168357962u, 2173948116u, 289208638u);
    rng_seed_text(&r, SPAN("Gr\xc3\xbc\xc3\x9f"
                           "e"));
    expect_words(&r, 3039250830u, 4075750885u, 1705119993u);
    /* A text seeds by its bytes, not as the number that it reads as. */
    struct rng n;
    rng_seed_text(&r, SPAN("1"));
    rng_seed(&n, 1);
    assert_int_not_equal(rng_word(&r), rng_word(&n));
}

/* How many words a call took: a second generator is drawn word by word until both agree again. */
static int words_taken(struct rng *drawn, struct rng plain)
{
    for (int n = 0; n < 5000; n++) {
        if (plain.index == drawn->index &&
            memcmp(plain.state, drawn->state, sizeof plain.state) == 0)
            return n;
        rng_word(&plain);
    }
    return -1;
}

/* below(n) takes the bits of n, not of n-1: a power of two, 1 too, rejects half of the words. */
static void below_consumes(void **state)
{
    (void)state;
    struct rng r, before;
    rng_seed(&r, 0);
    before = r;
    for (int i = 0; i < 5; i++)
        assert_int_equal(rng_below(&r, 1), 0);
    int wanted = 0;
    struct rng words = before;
    for (int zeros = 0; zeros < 5; wanted++)
        zeros += rng_word(&words) >> 31 == 0;
    assert_true(wanted > 5);
    assert_int_equal(words_taken(&r, before), wanted);
    assert_int_equal(rng_word(&r), 1739178872u);

    for (int m = 1; m < 32; m++) {
        rng_seed(&r, m);
        before = words = r;
        uint64_t draw = rng_below(&r, (uint64_t)1 << m);
        uint32_t word;
        int taken = 0;
        do {
            word = rng_word(&words) >> (31 - m);
            taken++;
        } while (word >= (uint32_t)1 << m);
        assert_int_equal(draw, word);
        assert_int_equal(words_taken(&r, before), taken);
    }
}

static void draws_consume(void **state)
{
    (void)state;
    struct rng r, before;
    rng_seed(&r, 3);
    before = r;
    rng_random(&r);
    assert_int_equal(words_taken(&r, before), 2);
    before = r;
    rng_bits(&r, 40);
    assert_int_equal(words_taken(&r, before), 2);
    before = r;
    rng_gauss(&r, 0, 1);
    assert_int_equal(words_taken(&r, before), 4);
    before = r;
    rng_gauss(&r, 0, 1); /* the pair's second */
    assert_int_equal(words_taken(&r, before), 0);
    before = r;
    size_t places[3];
    rng_choices(&r, 7, 3, places);
    assert_int_equal(words_taken(&r, before), 6);
    before = r;
    rng_shuffle(&r, places, 1, sizeof *places);
    assert_int_equal(words_taken(&r, before), 0);
    assert_int_equal(rng_below(&r, 0), 0);
    assert_int_equal(words_taken(&r, before), 0);
}

static void seeding_forgets(void **state)
{
    (void)state;
    struct rng a, b;
    rng_seed(&a, 5);
    rng_gauss(&a, 0, 1); /* leaves a second value */
    rng_seed(&a, 5);
    rng_seed(&b, 5);
    assert_true(rng_gauss(&a, 1, 2) == rng_gauss(&b, 1, 2));
    same_stream(&a, &b);
}

static void known_draws(void **state)
{
    (void)state;
    struct rng r;
    rng_seed(&r, 0);
    assert_true(rng_gauss(&r, 1, 2) == 2.883430809361329);
    assert_true(rng_gauss(&r, 1, 2) == -1.7931562094022997);
    assert_true(rng_gauss(&r, 1, 2) == -0.35942889615684215);
    static const double WEIGHTS[] = {1, 0, 3, 0.5, 2};
    static const size_t CHOSEN[] = {2, 2, 4, 2, 2, 2, 4, 2};
    static const size_t SAMPLED[] = {4, 2, 1, 9}, MORE[] = {32, 68, 90, 77, 18, 39, 12};
    static const size_t FEW[] = {920, 870, 700};
    size_t got[8];
    rng_choices_weighted(&r, WEIGHTS, 5, 8, got);
    assert_memory_equal(got, CHOSEN, sizeof CHOSEN);
    rng_sample(&r, 10, 4, got);
    assert_memory_equal(got, SAMPLED, sizeof SAMPLED);
    rng_sample(&r, 100, 7, got);
    assert_memory_equal(got, MORE, sizeof MORE);
    assert_true(rng_uniform(&r, 0.2, 0.7) == 0.5649158741300643);
    rng_sample(&r, 1000, 3, got);
    assert_memory_equal(got, FEW, sizeof FEW);
}

static void ranges(void **state)
{
    (void)state;
    struct rng r;
    rng_seed(&r, 1);
    for (int i = 0; i < 1000; i++) {
        int64_t x = rng_range(&r, -3, 4);
        assert_true(x >= -3 && x < 4);
        rng_range(&r, INT64_MIN, INT64_MAX);
        double u = rng_random(&r);
        assert_true(u >= 0 && u < 1);
    }
    assert_int_equal(rng_range(&r, INT64_MAX - 1, INT64_MAX), INT64_MAX - 1);
}

static void samples_hold_no_place_twice(void **state)
{
    (void)state;
    static const size_t SIZES[][2] = {{1, 1},       {21, 21},     {22, 5},
                                      {5000, 1000}, {100000, 50}, {90, 90}};
    struct rng r;
    rng_seed(&r, 2);
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        size_t n = SIZES[i][0], k = SIZES[i][1];
        size_t *places = mem_zero(k, sizeof *places);
        bool *seen = mem_zero(n, sizeof *seen);
        rng_sample(&r, n, k, places);
        for (size_t j = 0; j < k; j++) {
            assert_true(places[j] < n && !seen[places[j]]);
            seen[places[j]] = true;
        }
        free(places);
        free(seen);
    }
}

/* Items of any size move alike. */
static void shuffles_items_of_any_size(void **state)
{
    (void)state;
    enum { N = 50, WIDE = 150 };
    struct rng a, b;
    rng_seed(&a, 9);
    rng_seed(&b, 9);
    uint8_t small[N];
    static uint8_t wide[N][WIDE];
    for (size_t i = 0; i < N; i++) {
        small[i] = (uint8_t)i;
        memset(wide[i], (int)i, WIDE);
    }
    rng_shuffle(&a, small, N, 1);
    rng_shuffle(&b, wide, N, WIDE);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < WIDE; j++)
            assert_int_equal(wide[i][j], small[i]);
}

static void big_bits(void **state)
{
    (void)state;
    struct rng a, b;
    rng_seed(&a, 4);
    rng_seed(&b, 4);
    uint32_t words[3];
    rng_bits_big(&a, 70, words);
    assert_int_equal(words[0], rng_word(&b));
    assert_int_equal(words[1], rng_word(&b));
    assert_int_equal(words[2], rng_word(&b) >> 26);
    rng_bits_big(&a, 64, words);
    assert_true(((uint64_t)words[1] << 32 | words[0]) == rng_bits(&b, 64));
}

/* Words in bulk are the words one by one, from any place in the state. */
static void bulk_words(void **state)
{
    (void)state;
    static const size_t COUNTS[] = {0, 1, 7, 623, 624, 625, 2000, 3, 1248};
    struct rng a, b;
    rng_seed(&a, 6);
    rng_seed(&b, 6);
    uint32_t words[2000];
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        rng_words(&a, words, COUNTS[i]);
        for (size_t j = 0; j < COUNTS[i]; j++)
            assert_int_equal(words[j], rng_word(&b));
    }
    same_stream(&a, &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vector),
        cmocka_unit_test(integer_seeds),
        cmocka_unit_test(decimal_seeds),
        cmocka_unit_test(text_seeds),
        cmocka_unit_test(below_consumes),
        cmocka_unit_test(draws_consume),
        cmocka_unit_test(seeding_forgets),
        cmocka_unit_test(known_draws),
        cmocka_unit_test(ranges),
        cmocka_unit_test(samples_hold_no_place_twice),
        cmocka_unit_test(shuffles_items_of_any_size),
        cmocka_unit_test(big_bits),
        cmocka_unit_test(bulk_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
