/* keys.c: see keys.h. */
#include "measure/keys.h"

#include <stdlib.h>

#include "base/mem.h"

static int split(const char *option, const char *text, struct option_list *list,
                 struct arena *names, struct error *error)
{
    for (struct span name; option_next_piece(&text, &name);) {
        if (name.len == 0)
            return error_set(error, ERROR_USAGE, "--%s has an empty name; write KEY,KEY", option);
        list->items = mem_grow(list->items, &list->cap, list->count + 1, sizeof *list->items);
        list->items[list->count++] = arena_span(names, name).ptr;
    }
    return 0;
}

int key_lists_read(const struct key_options *options, struct key_lists *lists,
                   struct facts_options *facts, struct error *error)
{
    int code = split("task-key", options->task, &lists->task, &lists->names, error);
    if (code == 0)
        code = split("reward-key", options->reward, &lists->reward, &lists->names, error);
    facts->task_keys = lists->task.items;
    facts->n_task_keys = lists->task.count;
    facts->reward_keys = lists->reward.items;
    facts->n_reward_keys = lists->reward.count;
    facts->bool_rewards = options->bool_rewards;
    return code;
}

void key_lists_free(struct key_lists *lists)
{
    option_list_free(&lists->task);
    option_list_free(&lists->reward);
    arena_free(&lists->names);
}

int band_read(const char *option, const char *text, double *low, double *high, struct error *error)
{
    return option_read_pair(text, low, high) == 0
               ? 0
               : error_set(error, ERROR_USAGE, "--%s %s: two numbers are wanted, LO,HI", option,
                           text);
}
