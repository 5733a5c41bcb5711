/* near.h: is a message nearly the same as an earlier one (situations 17.5)? Two messages are near when
 * the sets of their words (runs of a-z; a word with a digit counts as one mark) share nine in ten.
 * Then few words stand in one of them alone, and when all words are dealt into one heap more than
 * that, some heap is the same in both: messages are looked up by their heaps, and no message is
 * compared with all others (Arasu, Ganti and Kaushik 2006, "Efficient exact set-similarity joins").
 * Inside the room. */
#ifndef WAI_SCENE_NEAR_H
#define WAI_SCENE_NEAR_H

#include "base/map.h"

struct near_text {
    uint32_t *words; /* distinct numbers, increasing */
    size_t count;
};

/* A message in the list of those that share a heap. */
struct near_link {
    uint32_t text, next; /* next: number + 1; 0: the last */
};

/* `struct near_index n = {0}` is empty. */
struct near_index {
    struct map words, heaps;
    uint32_t *first; /* by heap: number of a link + 1 */
    struct near_link *links;
    size_t n_links, first_cap, links_cap;
    struct near_text *texts;
    size_t count, cap;
    struct arena arena;
    bool wordless; /* a text without words is there */
};

/* False, and nothing is kept: it is near an earlier one. */
bool near_add(struct near_index *n, struct span text);
void near_free(struct near_index *n);

#endif
