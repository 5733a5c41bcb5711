/* map.h: distinct byte strings to dense numbers 0, 1, 2, … in the order they were first seen. What
 * belongs to a key lives in a plain array that its number indexes, so iteration is in first-seen
 * order and the output never depends on the hash. Keys are copied. The hash is keyed by a random
 * secret per process: hostile keys cannot collide on purpose. `struct map m = {0}` is empty. */
#ifndef WAI_BASE_MAP_H
#define WAI_BASE_MAP_H

#include <stdint.h>

#include "base/arena.h"

#define MAP_NONE ((size_t)-1)

struct map_slot;

struct map {
    struct map_slot *slots; /* open addressing, a power of two */
    size_t n_slots;
    struct span *keys; /* keys[0 .. count-1], borrow */
    size_t count, cap;
    struct arena arena; /* the keys' bytes */
};

size_t map_find(const struct map *m, struct span key);       /* number or MAP_NONE */
size_t map_add(struct map *m, struct span key, bool *fresh); /* fresh may be NULL */
void map_clear(struct map *m);
void map_free(struct map *m);

uint64_t map_hash(struct span key); /* 64 bits, differs from process to process */

/* The same under a key of the caller's: for tables that live in a file. Each half is odd. */
uint64_t map_hash_keyed(struct span key, const uint64_t with[2]);

#endif
