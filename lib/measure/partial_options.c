/* partial_options.c: see partial_options.h. */
#include "measure/partial_options.h"

#include <string.h>

int partial_options_read(const struct partial_options *o, const char *needs_tasks,
                         const struct boot_options *boot, struct passat_input *input,
                         struct error *error)
{
    bool hist = strcmp(o->by, "hist") == 0;
    if (hist && !o->whole_tasks)
        return error_set(error, ERROR_USAGE,
                         "--partial-by hist is right only when no task has rows in two summaries; "
                         "say so with --whole-tasks, or count by task");
    if (!hist && o->whole_tasks)
        return error_set(error, ERROR_USAGE, "--whole-tasks needs --partial-by hist");
    if (hist && !o->partial && !o->merge && !o->state)
        return error_set(error, ERROR_USAGE,
                         "--partial-by hist needs --partial, --merge or --state");
    if (hist && needs_tasks)
        return error_set(error, ERROR_USAGE,
                         "%s needs tasks, which --partial-by hist does not keep", needs_tasks);
    if (o->state && o->partial)
        return error_set(error, ERROR_USAGE,
                         "--state keeps the summary in its file and --partial prints one; give one "
                         "of them");
    input->keep.shard = (uint64_t)o->shard;
    input->shard_given = o->shard_given;
    input->merge = o->merge;
    input->repeat_shards = o->repeat_shards;
    input->state = o->state;
    input->by_hist = hist;
    input->histograms = needs_tasks == NULL;
    input->boot = boot;
    input->facts.hash_keys = o->hash_keys;
    return 0;
}
