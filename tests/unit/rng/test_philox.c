/* test_philox.c: the published vectors, and binomial draws against the distribution. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "rng/philox.h"

/* kat_vectors of Random123, philox4x32 10. */
static void published_vectors(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4];
        uint64_t key;
        uint32_t out[4];
    } KNOWN[] = {
        {{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         UINT64_MAX,
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         UINT64_C(0x299f31d0a4093822),
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
        uint32_t out[4];
        philox_block(KNOWN[i].counter, KNOWN[i].key, out);
        assert_memory_equal(out, KNOWN[i].out, sizeof out);
    }
}

static void a_stream_is_its_blocks(void **state)
{
    (void)state;
    struct philox p;
    philox_start(&p, 77, 3, 5, 9);
    for (uint32_t draw = 0; draw < 4; draw++) {
        uint32_t block[4];
        philox_block((const uint32_t[4]){draw, 3, 5, 9}, 77, block);
        for (int i = 0; i < 4; i++)
            assert_int_equal(philox_word(&p), block[i]);
    }
}

/* Draws of the first streams, pinned: inversion, rejection, and the mirror of each. */
static void pinned_binomials(void **state)
{
    (void)state;
    static const struct {
        uint64_t n;
        double chance;
        uint64_t drawn[4];
    } KNOWN[] = {
        {12, 0.3, {6, 1, 6, 4}},
        {1000, 0.4, {422, 387, 424, 402}},
        {1000, 0.995, {992, 999, 992, 995}},
        {UINT64_C(1) << 40,
         0.75,
         {UINT64_C(824633069904), UINT64_C(824634094942), UINT64_C(824633020595),
          UINT64_C(824633671685)}},
    };
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        for (uint32_t replicate = 0; replicate < 4; replicate++) {
            struct philox p;
            philox_start(&p, 1, 0, replicate, 0);
            uint64_t k = philox_binomial(&p, KNOWN[i].n, KNOWN[i].chance);
            assert_int_equal(k, KNOWN[i].drawn[replicate]);
        }
}

static void edges(void **state)
{
    (void)state;
    struct philox p;
    philox_start(&p, 1, 0, 0, 0);
    assert_int_equal(philox_binomial(&p, 0, 0.5), 0);
    assert_int_equal(philox_binomial(&p, 9, 0.0), 0);
    assert_int_equal(philox_binomial(&p, 9, 1.0), 9);
    assert_int_equal(philox_binomial(&p, 1, 1e-300), 0);
    for (int i = 0; i < 20000; i++)
        assert_true(philox_binomial(&p, 3, 0.5) <= 3);
}

/* Pearson's statistic of the draws against the exact distribution, cells under 5 pooled. */
static void check_distribution(uint64_t n, double chance, uint64_t key)
{
    enum { DRAWS = 40000 };
    double *seen = mem_zero(n + 1, sizeof *seen);
    struct philox p;
    for (uint32_t i = 0; i < DRAWS; i++) {
        philox_start(&p, key, 1, i, 2);
        seen[philox_binomial(&p, n, chance)]++;
    }
    double statistic = 0.0, expected = 0.0, had = 0.0;
    int cells = -1;
    for (uint64_t k = 0; k <= n; k++) {
        double log_p = lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) +
                       (double)k * log(chance) + (double)(n - k) * log1p(-chance);
        expected += DRAWS * exp(log_p);
        had += seen[k];
        if (expected >= 5.0) {
            statistic += (had - expected) * (had - expected) / expected;
            expected = had = 0.0;
            cells++;
        }
    }
    free(seen);
    /* Wilson & Hilferty 1931: the cube root is nearly normal. */
    double spread = 2.0 / (9.0 * fmax(cells, 1.0));
    double deviation = (cbrt(statistic / fmax(cells, 1.0)) - (1.0 - spread)) / sqrt(spread);
    if (deviation > 4.0)
        print_error("n %llu, p %g: chi square %g on %d\n", (unsigned long long)n, chance, statistic,
                    cells);
    assert_true(deviation < 4.0);
}

static void binomials_are_binomial(void **state)
{
    (void)state;
    static const double CHANCES[] = {0.02, 0.3, 0.5, 0.81, 0.97};
    static const uint64_t SIZES[] = {1, 5, 19, 40, 200, 3000};
    for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++)
        for (size_t c = 0; c < sizeof CHANCES / sizeof *CHANCES; c++)
            check_distribution(SIZES[s], CHANCES[c], 100 * s + c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors),      cmocka_unit_test(a_stream_is_its_blocks),
        cmocka_unit_test(pinned_binomials),       cmocka_unit_test(edges),
        cmocka_unit_test(binomials_are_binomial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
