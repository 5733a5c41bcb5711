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

void select_say_stand_ins(struct buf *notes, const struct select_facts *facts)
{
    size_t prompts = 0, finals = 0;
    for (size_t i = 0; i < facts->count; i++) {
        prompts += (facts->items[i].flags & SELECT_PROMPT_STANDS) != 0;
        finals += (facts->items[i].flags & SELECT_FINAL_STANDS) != 0;
    }
    if (prompts)
        buf_format(notes, "%zu rows without a prompt: their first user message stands in\n",
                   prompts);
    if (finals)
        buf_format(notes, "%zu rows without a final_text: the assistant's last message stands in\n",
                   finals);
    if (prompts || finals)
        buf_text(notes, "--strict-keys takes such rows as they are\n");
}
