/* test_draw.c: draws in bulk are those of the generator one by one, on every path of the processor.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stat/draw.h"

enum { MOST = 6000 };

static void indices(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {
        1, 2, 3, 7, 8, 100, 255, 256, 257, 70000, 1u << 31, (1u << 31) + 5, UINT32_MAX};
    static uint32_t found[MOST];
    for (int path = 0; path < 2; path++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct rng rng;
            static struct draw draw;
            rng_seed(&rng, (int64_t)s);
            draw_start(&draw, &rng);
            draw.avx2 = draw.avx2 && path == 0;
            for (size_t count = 0; count <= MOST; count = count * 3 + 1) {
                draw_below(&draw, sizes[s], found, count);
                for (size_t i = 0; i < count; i++)
                    assert_int_equal(found[i], rng_below(&rng, sizes[s]));
            }
        }
}

/* Nothing is written behind the last index. */
static void room(void **state)
{
    (void)state;
    struct rng rng;
    static struct draw draw;
    uint32_t found[40];
    rng_seed(&rng, 3);
    draw_start(&draw, &rng);
    for (size_t count = 0; count < 32; count++) {
        for (size_t i = 0; i < 40; i++)
            found[i] = 0xdeadbeefu;
        draw_below(&draw, 5, found, count);
        for (size_t i = count; i < 40; i++)
            assert_int_equal(found[i], 0xdeadbeefu);
    }
}

static void signs(void **state)
{
    (void)state;
    struct rng rng;
    static struct draw draw;
    static uint8_t found[MOST];
    rng_seed(&rng, 4);
    draw_start(&draw, &rng);
    for (size_t count = 0; count <= MOST; count = count * 2 + 1) {
        draw_signs(&draw, found, count);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(found[i], rng_random(&rng) < 0.5 ? 0 : 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices),
        cmocka_unit_test(room),
        cmocka_unit_test(signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
