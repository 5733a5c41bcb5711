/* training.h: rows into a training file (select 13). Rows are converted on any thread, kept until
 * the gates have seen all of them, then written with the fields of their groups.
 *
 *     t = export_training_new(&options, jobs)
 *     row_filter_run with .work = export_training_work, .done = export_training_done, .context = t
 *     export_training_check(t, error)         the gates: 0 or ERROR_INPUT
 *     export_training_write(t, writer, error)
 *     export_training_report(t, path, &w); export_training_notes(t, &lines)
 */
#ifndef WAI_EXPORT_TRAINING_H
#define WAI_EXPORT_TRAINING_H

#include "export/wire.h"
#include "row/filter.h"

enum export_mask { EXPORT_MASK_ASSISTANT, EXPORT_MASK_FINAL };

struct export_training_options {
    enum export_format format;
    enum export_mask mask;
    bool unroll; /* a sample for each assistant turn */
    bool
        kto; /* trl, final: prompt, completion, label of graded rows, and nothing else (select 15) */
    struct export_build build;
    struct span tools; /* a JSON array; len 0: none */
    /* openai, trl: markers that become columns reward_NAME, for trainers with several rewards */
    const char *const *markers;
    size_t n_markers;
};

struct export_training;

/* options are borrowed. */
struct export_training *export_training_new(const struct export_training_options *options,
                                            int jobs);
void export_training_free(struct export_training *t);

int export_training_work(void *context, int worker, const struct row *row,
                         struct row_result *result, struct error *error);
int export_training_done(void *context, const struct row *row, struct row_result *result,
                         struct error *error);

/* A call whose arguments no trainer can read, or a reply that quotes its teacher's block:
 * ERROR_INPUT. */
int export_training_check(const struct export_training *t, struct error *error);
int export_training_write(struct export_training *t, struct row_writer *writer,
                          struct error *error);

/* path: where the rows went; NULL: nowhere that has a name. written: whether they did. */
void export_training_report(struct export_training *t, const char *path, bool written,
                            struct json_writer *w);

/* Sentences for people, one a line: what to know before training on the file. */
void export_training_notes(const struct export_training *t, struct buf *lines);

/* One line: how much of what. */
void export_training_summary(const struct export_training *t, struct buf *line);

#endif
