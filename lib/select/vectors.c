/* vectors.c: see vectors.h. */
#include "select/vectors.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 8 }; /* floats that one step takes */

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

/* x times VECTORS_STEP rows that follow each other. A macro, because what is inlined keeps the instructions of where
 * it was written. */
#define TOTAL(v) (((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])))
#define DEFINE_MULTIPLY(name)                                                                  \
    static void name(const float *x, const float *rows, size_t width, float out[VECTORS_STEP]) \
    {                                                                                          \
        lanes v, a = {0}, b = {0}, c = {0}, d = {0}, r;                                        \
        for (size_t i = 0; i < width; i += LANES) {                                            \
            memcpy(&v, x + i, sizeof v);                                                       \
            memcpy(&r, rows + i, sizeof r);                                                    \
            a += v * r;                                                                        \
            memcpy(&r, rows + width + i, sizeof r);                                            \
            b += v * r;                                                                        \
            memcpy(&r, rows + 2 * width + i, sizeof r);                                        \
            c += v * r;                                                                        \
            memcpy(&r, rows + 3 * width + i, sizeof r);                                        \
            d += v * r;                                                                        \
        }                                                                                      \
        out[0] = TOTAL(a);                                                                     \
        out[1] = TOTAL(b);                                                                     \
        out[2] = TOTAL(c);                                                                     \
        out[3] = TOTAL(d);                                                                     \
    }

/* clang-format off */
DEFINE_MULTIPLY(multiply_plain)

#if defined(__x86_64__)
/* The same sums in the same order, in registers twice as wide. */
__attribute__((target("avx2"))) DEFINE_MULTIPLY(multiply_avx2)
#endif
    /* clang-format on */

    vectors_multiply *vectors_multiplier(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return multiply_avx2;
#endif
    return multiply_plain;
}

void vectors_spread(const struct embedding *e, float *out, size_t width)
{
    memset(out, 0, width * sizeof *out);
    for (size_t i = 0; i < e->count && e->at[i] < width; i++)
        out[e->at[i]] = (float)e->value[i];
}

size_t vectors_width(const struct embedding *vectors, size_t n)
{
    size_t width = 0;
    for (size_t i = 0; i < n; i++) {
        size_t end = vectors[i].count ? (size_t)vectors[i].at[vectors[i].count - 1] + 1 : 0;
        width = end > width ? end : width;
    }
    return (width + LANES - 1) / LANES * LANES;
}

void vectors_add(struct vectors *v, const struct embedding *vector)
{
    size_t padded = (v->n / VECTORS_STEP + 1) * VECTORS_STEP; /* with this row */
    if (v->n % VECTORS_STEP == 0) {
        v->rows = mem_grow(v->rows, &v->cap, padded * v->width + 1, sizeof *v->rows);
        memset(v->rows + v->n * v->width, 0, VECTORS_STEP * v->width * sizeof *v->rows);
    }
    vectors_spread(vector, v->rows + v->n++ * v->width, v->width);
}

void vectors_free(struct vectors *v)
{
    free(v->rows);
    *v = (struct vectors){0};
}
