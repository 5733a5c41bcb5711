/* embed.h: vectors of texts (world 18.1-18.3). The hash embedder needs no model: words and pairs of
 * neighbours, counted in 256 buckets. Every sum of products is correctly rounded, because a novelty
 * near zero decides an order. */
#ifndef WAI_MODEL_EMBED_H
#define WAI_MODEL_EMBED_H

#include <stdint.h>

#include "base/buf.h"

#define EMBED_HASH_NAME "hash-word-bigram-v2"
enum { EMBED_HASH_SIZE = 256 }; /* buckets */

/* A sparse vector: what is not named is 0. `struct embedding e = {0}` is the zero vector. */
struct embedding {
    uint32_t *at;  /* increasing */
    double *value; /* none is 0 */
    size_t count;
    double norm; /* square root of the sum of squares */
};

/* The text's hash vector, of length 1, or the zero vector of a text without words. The caller frees
 * it. */
struct embedding embed_hash(struct span text);
void embedding_free(struct embedding *e);

/* Inner product. */
double embedding_dot(const struct embedding *a, const struct embedding *b);

/* The same as a plain loop has it, left to right: where the package's digits are such a loop's, and where no
 * last bit decides. */
double embedding_dot_plain(const struct embedding *a, const struct embedding *b);

/* Inner product over both norms; 0 when one is zero. */
double embedding_cosine(const struct embedding *a, const struct embedding *b);

/* How far v is from all of the archive: the least of max(0, 1 - cosine); 1 for a zero vector and
 * for an empty archive. */
double embedding_novelty(const struct embedding *v, const struct embedding *archive, size_t n);

/* The tokens of a text as the hash embedder counts them: calls each with runs of a-z, and `<num>`
 * for a run of digits, of the lower-cased text. */
void embed_tokens(struct span text, void (*each)(void *data, struct span token), void *data);

#endif
