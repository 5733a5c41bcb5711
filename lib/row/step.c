/* step.c: see step.h. */
#include "row/step.h"

#include <stdlib.h>

#include "base/mem.h"

void row_steps_read(struct row_steps *steps, const struct row *row)
{
    const struct json_value *list = row_get(row, SPAN("steps"));
    struct json_value object;
    steps->count = 0;
    if (!list || list->type != JSON_VALUE_ARRAY)
        return;
    struct json_cursor c = json_enter(*list);
    while (json_next_item(&c, &object)) {
        if (object.type != JSON_VALUE_OBJECT)
            continue;
        steps->items = mem_grow(steps->items, &steps->cap, steps->count + 1, sizeof *steps->items);
        row_step_read(object, &steps->items[steps->count++]);
    }
}

void row_steps_free(struct row_steps *steps)
{
    free(steps->items);
    *steps = (struct row_steps){0};
}
