/* cover.h: the greedy pairwise covering array (situations 3.5): rows over axes so that every pair
 * of values of two axes stands in some row. Inside the room. */
#ifndef WAI_SCENE_COVER_H
#define WAI_SCENE_COVER_H

#include <stddef.h>

#include "base/span.h"

struct cover_axis {
    struct span name;
    const struct span *values;
    size_t count; /* at least 1 */
};

/* Calls emit with the number of each axis's value, row after row. Always takes the smallest pair
 * that is not covered yet (by the four texts, code point order), then for each other axis the value
 * that completes the most such pairs, the earliest on a tie. A bit a pair; time rows x axes x
 * values. */
void cover_pairs(const struct cover_axis *axes, size_t n_axes,
                 void (*emit)(void *data, const size_t *row), void *data);

#endif
