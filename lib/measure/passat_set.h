/* passat_set.h: rows and partial summaries into one passat for all of them and one per slice. */
#ifndef WAI_MEASURE_PASSAT_SET_H
#define WAI_MEASURE_PASSAT_SET_H

#include "base/map.h"
#include "measure/ci.h"
#include "measure/measure.h"
#include "row/reader.h"

struct passat_input {
    struct facts_options facts;
    struct passat_options keep;
    bool merge;                      /* lines may be partial summaries */
    bool repeat_shards;              /* the same shard may come twice */
    bool histograms;                 /* summaries without tasks are taken too */
    bool by_hist;                    /* the result is to be one; no task has rows in two shards */
    const struct boot_options *boot; /* of the sketches; with histograms */
    const char *state; /* file with the summary of earlier runs, or NULL; it need not exist */
    bool shard_given;  /* else rows beside a state get the next free number */
    bool all_tasks;    /* remember the tasks without a verdict too */
};

struct passat_set {
    struct facts_reader *facts;
    struct passat_keys keys; /* borrow facts */
    struct passat *all;
    struct map slice_names;
    struct passat **slices; /* by number of the name */
    size_t cap_slices;
    struct map tasks; /* every task, when asked for */
};

/* Fills *set (free it in any case). 0 or a negative code. */
int passat_set_read(struct passat_set *set, const struct row_source *source,
                    const struct passat_input *input, struct error *error);
void passat_set_free(struct passat_set *set);

/* One line of a summary, to a file or (path NULL) to standard output. */
int passat_set_save(const struct passat_set *set, const char *path, struct error *error);

/* The reports of the slices, sorted by name; release with passat_slices_free. */
struct passat_slice *passat_set_slices(const struct passat_set *set,
                                       const struct passat_settings *settings, size_t *count);
void passat_slices_free(struct passat_slice *slices, size_t count);

/* The CI outputs that are asked for. 0 or a negative code. */
int passat_ci_write(const struct passat_set *set, const struct passat_view *view,
                    const struct ci_options *options, struct error *error);

#endif
