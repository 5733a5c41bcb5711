/* preference.h: pairs (wai-select's, or rows that hold `chosen` and `rejected` rows) into a
 * preference file (select 14). Used as training.h says, with these names. */
#ifndef WAI_EXPORT_PREFERENCE_H
#define WAI_EXPORT_PREFERENCE_H

#include "export/wire.h"
#include "row/filter.h"

struct export_preference_options {
    enum export_format format;
    bool keep_ties;
    bool whole; /* trl: both sides whole behind what they share, for a reward model (select 15) */
    struct export_build build;
    struct span tools; /* a JSON array; len 0: none */
};

struct export_preference;

/* options are borrowed. */
struct export_preference *export_preference_new(const struct export_preference_options *options,
                                                int jobs);
void export_preference_free(struct export_preference *p);

int export_preference_work(void *context, int worker, const struct row *row,
                           struct row_result *result, struct error *error);
int export_preference_done(void *context, const struct row *row, struct row_result *result,
                           struct error *error);

/* A broken call, a leak on either side: ERROR_INPUT. */
int export_preference_check(const struct export_preference *p, struct error *error);

/* How many pairs would be written: with none there is no file to write. */
size_t export_preference_count(const struct export_preference *p);
int export_preference_write(struct export_preference *p, struct row_writer *writer,
                            struct error *error);

void export_preference_report(const struct export_preference *p, const char *path, bool written,
                              struct json_writer *w);
void export_preference_notes(const struct export_preference *p, struct buf *lines);
void export_preference_summary(const struct export_preference *p, struct buf *line);

#endif
