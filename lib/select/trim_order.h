/* trim_order.h: orders of rows by their vectors (select 9.1, rows 23.1). Inside room `select`. */
#ifndef WAI_SELECT_TRIM_ORDER_H
#define WAI_SELECT_TRIM_ORDER_H

#include "model/embed.h"
#include "rng/rng.h"

/* Marks rows that repeat an earlier row which repeats none: by their words (words[i] is a number under n for
 * each sequence of them), or, when there are vectors, by a cosine of TRIM_NEAR or more (SemDeDup,
 * arXiv:2303.09540). vectors may be NULL. */
void trim_mark_repeats(const size_t *words, const struct embedding *vectors, size_t n,
                       bool *repeats);

/* rows: numbers into vectors and lengths, n of them; the order is written over them.
 *
 * diverse: clusters (k-means++), in turn, the longest reply of each first. lengths: code points of a reply.
 * target: the nearest to any of the dev vectors first. */
void trim_order_diverse(const struct embedding *vectors, const size_t *lengths, struct rng *rng,
                        size_t *rows, size_t n);
void trim_order_target(const struct embedding *vectors, const struct embedding *dev, size_t n_dev,
                       size_t *rows, size_t n);

#endif
