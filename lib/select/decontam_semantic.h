/* decontam_semantic.h: the semantic rule of decontamination (select 12.2, 12.4): a text whose vector lies
 * near that of an evaluation prompt asks the same in other words.
 *
 * All prompts are embedded once. Products are formed in single precision, in blocks that stay in the
 * processor's cache, and those that decide anything again in double precision, from left to right: the
 * answer is that of the plain double loop. */
#ifndef WAI_SELECT_DECONTAM_SEMANTIC_H
#define WAI_SELECT_DECONTAM_SEMANTIC_H

#include "model/embedder.h"
#include "select/decontam.h"

struct decontam_semantic;

/* embedder and index: borrow, for as long as the result lives. similarity: 0..1. jobs: threads.
 * NULL: the embedder failed. */
struct decontam_semantic *decontam_semantic_open(const struct decontam_index *index,
                                                 struct embedder *embedder, double similarity,
                                                 int jobs, struct error *error);
void decontam_semantic_free(struct decontam_semantic *s);

struct decontam_match {
    bool hit;
    double similarity; /* of a hit: cosine with the prompt that is nearest, the first of equals */
    size_t prompt;     /* which */
};

/* One match for each text, in order. */
int decontam_semantic_match(struct decontam_semantic *s, const struct span *texts, size_t n,
                            struct decontam_match *out, struct error *error);

/* How alike two prompts of different tasks read: the 99th percentile over all such pairs, within 1e-5; over
 * DECONTAM_ALIKE_PROMPTS prompts of a sample of that many, *sampled. NaN: there are not two such pairs. */
double decontam_semantic_alike(struct decontam_semantic *s, bool *sampled);

#endif
