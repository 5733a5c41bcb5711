/* choose.h: which of a writer's messages a round takes when there are more than it needs (situations
 * 7.4): half typical ones of their clusters, half what is farthest from everything played before (see
 * batch.h), in the vectors of one embedder. Inside the room. */
#ifndef WAI_SCENE_CHOOSE_H
#define WAI_SCENE_CHOOSE_H

#include "model/embedder.h"
#include "scene/batch.h"

struct chooser;

/* embedder NULL: hash vectors. */
struct chooser *chooser_open(struct embedder *embedder, int64_t seed);
void chooser_close(struct chooser *c);

/* A prompt is going to be played: later ones are compared with it. */
void chooser_played(struct chooser *c, struct span prompt);

/* `need` of the n texts, as numbers into texts, in the batch's order; the caller frees the batch. More
 * than one choice of a round: each with a number of its own. ERROR_REMOTE, ERROR_INPUT: of the
 * embedder. */
int chooser_choose(struct chooser *c, const struct span *texts, size_t n, size_t need,
                   int64_t round, struct batch *batch, struct error *error);

/* Members of the row: selection_reason, and with a semantic embedder semantic_cluster and
 * semantic_novelty. */
void chooser_members(const struct chooser *c, const struct batch_pick *pick, struct buf *out);

const char *chooser_name(const struct chooser *c);
bool chooser_semantic(const struct chooser *c);
bool chooser_fell_back(const struct chooser *c);

#endif
