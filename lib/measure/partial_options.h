/* partial_options.h: options of a measurement that is summed up in parts: --partial, --merge, --state
 * (measure 12). */
#ifndef WAI_MEASURE_PARTIAL_OPTIONS_H
#define WAI_MEASURE_PARTIAL_OPTIONS_H

#include "base/options.h"
#include "measure/passat_set.h"

struct partial_options {
    bool partial, merge, repeat_shards, whole_tasks, hash_keys, shard_given;
    int64_t shard;
    const char *by, *state;
};

#define PARTIAL_OPTIONS_DEFAULT \
    {                           \
        .by = "task"            \
    }

/* clang-format off */
#define PARTIAL_OPTIONS(type, field)                                                                  \
    {.kind = OPTION_FLAG, .name = "partial", .offset = offsetof(type, field.partial),                 \
     .help = "print a mergeable summary instead of the report"},                                      \
    {.kind = OPTION_CHOICE, .name = "partial-by", .offset = offsetof(type, field.by), .choices = "task|hist", \
     .help = "what a summary counts: each task, or how many tasks have each result (task)"},          \
    {.kind = OPTION_FLAG, .name = "whole-tasks", .offset = offsetof(type, field.whole_tasks),         \
     .help = "no task has rows in two summaries: what --partial-by hist needs"},                      \
    {.kind = OPTION_FLAG, .name = "hash-keys", .offset = offsetof(type, field.hash_keys),             \
     .help = "name tasks in summaries by a hash of their keys"},                                      \
    {.kind = OPTION_INT, .name = "shard", .offset = offsetof(type, field.shard), .arg = "N", .max = 1e15, \
     .seen = offsetof(type, field.shard_given), .help = "number of this worker's part of the rows (0)"}, \
    {.kind = OPTION_FLAG, .name = "merge", .offset = offsetof(type, field.merge),                     \
     .help = "operands are such summaries, rows among them allowed"},                                 \
    {.kind = OPTION_FLAG, .name = "allow-repeat-shards", .offset = offsetof(type, field.repeat_shards), \
     .help = "two summaries may have the same shard number"},                                         \
    {.kind = OPTION_TEXT, .name = "state", .offset = offsetof(type, field.state), .arg = "FILE", .file = true, \
     .help = "a running total: report on FILE's summary and the new rows, then keep both there"}
/* clang-format on */

/* Into the input of a set; boot draws the sketches. needs_tasks: an option that a summary by hist
 * cannot serve, or NULL. ERROR_USAGE. */
int partial_options_read(const struct partial_options *options, const char *needs_tasks,
                         const struct boot_options *boot, struct passat_input *input,
                         struct error *error);

#endif
