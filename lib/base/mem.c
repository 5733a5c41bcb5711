/* mem.c: see mem.h. */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"

void mem_out_of_memory(size_t size)
{
    fprintf(stderr, "wai: out of memory: no room for %zu bytes\n", size);
    exit(-ERROR_SYSTEM);
}

void *mem_alloc(size_t size)
{
    void *block = malloc(size ? size : 1);
    if (!block)
        mem_out_of_memory(size);
    return block;
}

void *mem_zero(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size ? size : 1);
    if (!block)
        mem_out_of_memory(count * size);
    return block;
}

void *mem_resize(void *block, size_t size)
{
    void *moved = realloc(block, size ? size : 1);
    if (!moved)
        mem_out_of_memory(size);
    return moved;
}

void *mem_copy(const void *bytes, size_t size)
{
    void *block = mem_alloc(size);
    if (size)
        memcpy(block, bytes, size);
    return block;
}

char *mem_text(const char *text)
{
    return mem_copy(text, strlen(text) + 1);
}

void *mem_grow(void *items, size_t *cap, size_t need, size_t size)
{
    size_t room = *cap;
    if (need <= room)
        return items;
    if (room < 8)
        room = 8;
    while (room < need) {
        if (room > SIZE_MAX / 2)
            mem_out_of_memory(SIZE_MAX);
        room *= 2;
    }
    if (room > SIZE_MAX / size)
        mem_out_of_memory(SIZE_MAX);
    *cap = room;
    return mem_resize(items, room * size);
}

void mem_large(void *block, size_t size)
{
    const uintptr_t page =
        4096; /* bytes; a larger page of the kernel's makes the advice fail, no more */
    uintptr_t start = ((uintptr_t)block + page - 1) & ~(page - 1),
              end = ((uintptr_t)block + size) & ~(page - 1);
    if (start < end)
        madvise((void *)start, end - start,
                MADV_HUGEPAGE); /* advice: what it returns changes nothing */
}
