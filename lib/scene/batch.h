/* batch.h: which of many candidate texts a round takes (world 18.4-18.6): clusters, half typical
 * members, half what is farthest from everything run before, and a few swaps that cool down. Draws
 * are the Mersenne twister's, so a choice is the reference's. */
#ifndef WAI_SCENE_BATCH_H
#define WAI_SCENE_BATCH_H

#include "model/embed.h"

/* k-means++ (Arthur & Vassilvitskii 2007) and Lloyd's steps. labels[i] of each vector, 0 … k-1.
 * n >= 1, k >= 1. Vectors live in 0 … size-1. */
void batch_cluster(const struct embedding *vectors, size_t n, size_t size, size_t k, int64_t seed,
                   int iterations, size_t *labels);

/* k-centre (Gonzalez 1985): the k vectors that stand farthest apart, in the order taken; all of
 * them, in their own order, when k >= n. picked holds min(k, n) numbers; returns how many. which:
 * the n vectors to choose among, as numbers into vectors; NULL: all. */
size_t batch_spread(const struct embedding *vectors, const size_t *which, size_t n, size_t k,
                    size_t *picked);

enum batch_reason { BATCH_TYPICAL, BATCH_FILL };

struct batch_pick {
    size_t candidate; /* number of its text */
    size_t cluster;
    double novelty;
    enum batch_reason reason;
};

struct batch {
    struct batch_pick *picks;
    size_t count, n_clusters;
    size_t *concentrated, *sparse; /* candidates: the first of the largest and smallest clusters */
    size_t n_concentrated, n_sparse;
    size_t pool; /* distinct candidates */
};

struct batch_wish {
    const struct span *texts; /* candidates; empty ones and repeats are passed over */
    size_t n_texts;
    const struct embedding *vectors; /* of the texts */
    size_t size;                     /* of a vector */
    const struct embedding *archive; /* of everything run before, in the same space */
    size_t n_archive;
    size_t need; /* at least 1 */
    int64_t round, seed;
};

void batch_choose(struct batch *batch, const struct batch_wish *wish);
void batch_free(struct batch *batch);

/* "typical cluster=3 novelty=0.412 embedder=NAME", appended. */
void batch_reason_write(const struct batch_pick *pick, const char *embedder, struct buf *out);

#endif
