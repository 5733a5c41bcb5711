/* keys.h: options of the tools that read graded rows: which keys name a task and hold its verdict
 * (measure 1.3), and values with a comma in them. */
#ifndef WAI_MEASURE_KEYS_H
#define WAI_MEASURE_KEYS_H

#include "base/arena.h"
#include "base/options.h"
#include "measure/facts.h"

struct key_options {
    const char *task, *reward;
    bool bool_rewards;
};

/* clang-format off */
#define KEY_OPTIONS(type, field)                                                                      \
    {.kind = OPTION_TEXT, .name = "task-key", .offset = offsetof(type, field.task), .arg = "KEY,KEY", \
     .help = "keys that name a task, the first that says something (scenario_id,task_id,prompt)"},    \
    {.kind = OPTION_TEXT, .name = "reward-key", .offset = offsetof(type, field.reward), .arg = "KEY,KEY", \
     .help = "keys that hold the verdict, the first that is 0 or 1 (reward)"},                        \
    {.kind = OPTION_FLAG, .name = "bool-rewards", .offset = offsetof(type, field.bool_rewards),       \
     .help = "count true and false as 1 and 0"}
/* clang-format on */

/* The lists that facts borrow. `struct key_lists k = {0}` is empty. */
struct key_lists {
    struct option_list task, reward;
    struct arena names;
};

/* Key lists into facts, which borrow `lists` until key_lists_free. ERROR_USAGE at an empty name. */
int key_lists_read(const struct key_options *options, struct key_lists *lists,
                   struct facts_options *facts, struct error *error);
void key_lists_free(struct key_lists *lists);

/* "LO,HI" as two numbers; whether they are in order is the caller's. ERROR_USAGE. */
int band_read(const char *option, const char *text, double *low, double *high, struct error *error);

#endif
