/* mem.h: allocation that cannot fail. Running out of memory ends the process through one function
 * (exit status 5), so no caller checks for NULL. Release with free(). */
#ifndef WAI_BASE_MEM_H
#define WAI_BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t size);
void *mem_zero(size_t count, size_t size); /* zeroed; count * size is checked for overflow */
void *mem_resize(void *block, size_t size);
void *mem_copy(const void *bytes, size_t size);
char *mem_text(const char *text); /* copy of a NUL-terminated text */

/* Grows an array so that it holds `need` items of `size` bytes: doubles *cap (in items). Use as
 *     v->items = mem_grow(v->items, &v->cap, v->count + 1, sizeof *v->items);                    */
void *mem_grow(void *items, size_t *cap, size_t need, size_t size);

/* A block of megabytes that will be filled from end to end: large pages save most of its page faults. */
void mem_large(void *block, size_t size);

/* Says so on standard error and exits with status 5. */
_Noreturn void mem_out_of_memory(size_t size);

#endif
