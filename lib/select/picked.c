/* picked.c: the list of chosen rows. */
#include <stdlib.h>

#include "base/mem.h"
#include "select/select.h"

void select_picked_add(struct select_picked *picked, size_t row)
{
    picked->rows = mem_grow(picked->rows, &picked->cap, picked->count + 1, sizeof *picked->rows);
    picked->rows[picked->count++] = row;
}

void select_picked_free(struct select_picked *picked)
{
    free(picked->rows);
    *picked = (struct select_picked){0};
}
