/* vectors.h: products of many vectors of length 1 with each other, fast, in single precision. What that
 * leaves within VECTORS_MARGIN of a decision is decided by embedding_dot_plain. Inside room `select`. */
#ifndef WAI_SELECT_VECTORS_H
#define WAI_SELECT_VECTORS_H

#include "model/embed.h"

enum { VECTORS_STEP = 4 }; /* rows that one call takes */

/* By how much single precision errs, and more. */
#define VECTORS_MARGIN 1e-4

struct vectors {
    size_t width; /* numbers of a vector, rounded up */
    size_t n, cap;
    float *rows; /* padded with zero rows to VECTORS_STEP */
};

/* The numbers that hold every one of these vectors, rounded up for vectors_multiply. */
size_t vectors_width(const struct embedding *vectors, size_t n);

/* Adds a row; what lies beyond the width is left out. `struct vectors v = {.width = W}` is empty. */
void vectors_add(struct vectors *v, const struct embedding *vector);
void vectors_free(struct vectors *v);

void vectors_spread(const struct embedding *vector, float *out, size_t width);

/* out[i]: the product of x (width numbers) with row + i. row is a multiple of VECTORS_STEP; rows from n on
 * are 0. */
typedef void vectors_multiply(const float *x, const float *rows, size_t width,
                              float out[VECTORS_STEP]);
vectors_multiply *vectors_multiplier(void); /* the fastest that this processor has; all agree */

#endif
