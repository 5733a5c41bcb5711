/* arena.c: see arena.h. A list of blocks that double in size up to a limit. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>

#include "base/mem.h"

enum {
    FIRST_BLOCK = 4096,      /* bytes */
    LARGEST_BLOCK = 1 << 20, /* bytes; a larger request gets a block of its own */
};

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    alignas(max_align_t) char bytes[];
};

void *arena_alloc(struct arena *a, size_t size)
{
    const size_t align = alignof(max_align_t);
    size = (size + align - 1) / align * align;
    struct arena_block *block = a->head;
    if (!block || block->size - block->used < size) {
        size_t room = block ? block->size * 2 : FIRST_BLOCK;
        if (room > LARGEST_BLOCK)
            room = LARGEST_BLOCK;
        if (room < size)
            room = size;
        block = mem_alloc(sizeof *block + room);
        block->next = a->head;
        block->used = 0;
        block->size = room;
        a->head = block;
        a->total += room;
    }
    void *place = block->bytes + block->used;
    block->used += size;
    return place;
}

void *arena_zero(struct arena *a, size_t size)
{
    return memset(arena_alloc(a, size), 0, size);
}

struct span arena_span(struct arena *a, struct span s)
{
    char *copy = arena_alloc(a, s.len + 1);
    if (s.len)
        memcpy(copy, s.ptr, s.len);
    copy[s.len] = '\0';
    return (struct span){copy, s.len};
}

const char *arena_text(struct arena *a, const char *text)
{
    return arena_span(a, span_text(text)).ptr;
}

void arena_clear(struct arena *a)
{
    struct arena_block *keep = a->head;
    if (!keep)
        return;
    for (struct arena_block *block = keep->next, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    keep->next = NULL;
    keep->used = 0;
    a->total = keep->size;
}

void arena_free(struct arena *a)
{
    for (struct arena_block *block = a->head, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    *a = (struct arena){0};
}
