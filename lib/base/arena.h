/* arena.h: many small allocations that are released together. Blocks never move, so a pointer into
 * an arena stays good until arena_clear or arena_free. `struct arena a = {0}` is an empty one. Not
 * shared between threads. */
#ifndef WAI_BASE_ARENA_H
#define WAI_BASE_ARENA_H

#include "base/span.h"

struct arena_block;

struct arena {
    struct arena_block *head; /* newest block */
    size_t total;             /* bytes held in all blocks */
};

void *arena_alloc(struct arena *a, size_t size); /* aligned for any type; not zeroed */
void *arena_zero(struct arena *a, size_t size);
struct span arena_span(struct arena *a, struct span s); /* a copy, NUL behind it */
const char *arena_text(struct arena *a, const char *text);
void arena_clear(struct arena *a); /* keeps one block for reuse */
void arena_free(struct arena *a);

#endif
