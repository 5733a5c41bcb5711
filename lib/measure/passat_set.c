/* passat_set.c: see passat_set.h. */
#include "measure/passat_set.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

/* Sets up the readers and the accumulators. */
static void open_set(struct passat_set *set, const struct passat_input *input)
{
    *set = (struct passat_set){0};
    set->facts = facts_open(&input->facts);
    set->keys =
        (struct passat_keys){facts_reward_keys(set->facts), facts_task_keys(set->facts),
                             input->facts.bool_rewards, input->facts.hash_keys, input->histograms};
}

static struct passat *slice_of(struct passat_set *set, struct span name,
                               const struct passat_options *keep)
{
    bool fresh;
    size_t number = map_add(&set->slice_names, name, &fresh);
    if (fresh) {
        set->slices = mem_grow(set->slices, &set->cap_slices, number + 1, sizeof *set->slices);
        set->slices[number] = passat_new(keep);
    }
    return set->slices[number];
}

/* A partial summary in the place of a row. */
static int take_partial(struct passat_set *set, struct passat *joined, const struct row *row,
                        const struct passat_input *input, struct error *error)
{
    struct passat *part = passat_partial_read(row->value, &set->keys, error);
    int code = part ? passat_merge(joined, part, input->repeat_shards, error) : ERROR_INPUT;
    passat_free(part);
    if (code < 0)
        error_prefix(error, "%s:%llu", row->file, (unsigned long long)row->line_number);
    return code;
}

/* What earlier runs kept: one summary. */
static int read_state(struct passat_set *set, struct passat *joined,
                      const struct passat_input *input, struct error *error)
{
    struct row_source source = {
        .paths = &input->state, .n_paths = 1, .options = ROW_OPTIONS_DEFAULT};
    struct row row;
    struct row_facts facts;
    if (access(input->state, F_OK) != 0 && errno == ENOENT)
        return 0;
    struct row_reader *reader = row_reader_open(&source, error);
    if (!reader)
        return error->code;
    int code = row_reader_next(reader, &row, error), lines = 0;
    for (; code > 0; lines++) {
        facts_read(set->facts, &row, &facts);
        code = facts.partial_summary && lines == 0
                   ? take_partial(set, joined, &row, input, error)
                   : error_set(error, ERROR_INPUT,
                               "%s:%llu: --state keeps one partial summary, and this is something "
                               "else; name another file",
                               row.file, (unsigned long long)row.line_number);
        if (code == 0)
            code = row_reader_next(reader, &row, error);
    }
    if (code == 0 && lines == 0)
        code = error_set(error, ERROR_INPUT,
                         "%s: empty, not a partial summary; remove it to start anew", input->state);
    int closed = row_reader_close(reader, code < 0 ? NULL : error);
    return code < 0 ? code : closed;
}

static int read_rows(struct passat_set *set, struct passat *joined, struct row_reader *reader,
                     const struct passat_input *input, struct error *error)
{
    struct row row;
    struct row_facts facts;
    int got;
    while ((got = row_reader_next(reader, &row, error)) > 0) {
        facts_read(set->facts, &row, &facts);
        if (facts.partial_summary && !input->merge)
            return error_set(error, ERROR_INPUT,
                             "%s:%llu: a partial summary, not a row; read it with --merge",
                             row.file, (unsigned long long)row.line_number);
        if (facts.partial_summary) {
            if ((got = take_partial(set, joined, &row, input, error)) < 0)
                return got;
            continue;
        }
        if (facts.report)
            return error_set(error, ERROR_INPUT,
                             "%s:%llu: a report, not a row; give the rows it is of", row.file,
                             (unsigned long long)row.line_number);
        passat_add(set->all, &facts);
        if (facts.has_slice)
            passat_add(slice_of(set, facts.slice, &input->keep), &facts);
        if (input->all_tasks)
            map_add(&set->tasks, facts.task, NULL);
    }
    return got;
}

/* The rows into what was joined, all by task or all by hist. */
static int join_rows(struct passat_set *set, struct passat *joined,
                     const struct passat_input *input, struct error *error)
{
    int code = 0;
    if (passat_by_hist(joined) && passat_rows(set->all) && !input->by_hist)
        code = error_set(error, ERROR_INPUT,
                         "they cannot join summaries by hist as they are; --partial-by hist "
                         "--whole-tasks says that no task of theirs is counted there");
    else if (passat_by_hist(joined))
        code = passat_to_hist(set->all, input->boot, error);
    if (code == 0)
        code = passat_merge(joined, set->all, input->repeat_shards, error);
    if (code < 0)
        error_prefix(error, "rows beside the summaries");
    return code;
}

static int read_source(struct passat_set *set, struct passat *joined,
                       const struct row_source *source, const struct passat_input *input,
                       struct error *error)
{
    struct row_reader *reader = row_reader_open(source, error);
    if (!reader)
        return error->code;
    int code = read_rows(set, joined, reader, input, error);
    passat_add_bad(set->all, row_reader_counts(reader).bad);
    int closed = row_reader_close(reader, code < 0 ? NULL : error);
    return code < 0 ? code : closed;
}

int passat_set_read(struct passat_set *set, const struct row_source *source,
                    const struct passat_input *input, struct error *error)
{
    open_set(set, input);
    struct passat_options none = {0}, keep = input->keep;
    struct passat *joined = passat_new(&none);
    int code = input->state ? read_state(set, joined, input, error) : 0;
    if (input->state && !input->shard_given)
        keep.shard = passat_next_shard(joined);
    set->all = passat_new(&keep);
    if (code == 0)
        code = read_source(set, joined, source, input, error);
    if (code == 0 && (input->merge || input->state)) {
        code = join_rows(set, joined, input, error);
        struct passat *rows = set->all;
        set->all = joined;
        joined = rows;
    }
    if (code == 0 && input->by_hist)
        code = passat_to_hist(set->all, input->boot, error);
    if (code == 0 && input->boot)
        code = passat_check_sketches(set->all, input->boot, error);
    passat_free(joined);
    return code;
}

int passat_set_save(const struct passat_set *set, const char *path, struct error *error)
{
    struct buf line = {0};
    passat_partial_write(set->all, &set->keys, &line);
    buf_byte(&line, '\n');
    int code = path ? file_save(path, buf_span(&line), error)
                    : file_write_all(STDOUT_FILENO, "standard output", buf_span(&line), error);
    buf_free(&line);
    return code;
}

void passat_set_free(struct passat_set *set)
{
    facts_close(set->facts);
    passat_free(set->all);
    for (size_t i = 0; i < set->slice_names.count; i++)
        passat_free(set->slices[i]);
    free(set->slices);
    map_free(&set->slice_names);
    map_free(&set->tasks);
    *set = (struct passat_set){0};
}

static int by_name(const void *left, const void *right)
{
    const struct passat_slice *a = left, *b = right;
    return span_compare(a->name, b->name);
}

struct passat_slice *passat_set_slices(const struct passat_set *set,
                                       const struct passat_settings *settings, size_t *count)
{
    *count = set->slice_names.count;
    struct passat_slice *slices = mem_zero(*count, sizeof *slices);
    for (size_t i = 0; i < *count; i++) {
        slices[i].name = set->slice_names.keys[i];
        passat_report_make(set->slices[i], settings, &slices[i].report);
    }
    qsort(slices, *count, sizeof *slices, by_name);
    return slices;
}

void passat_slices_free(struct passat_slice *slices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        passat_report_free(&slices[i].report);
    free(slices);
}
