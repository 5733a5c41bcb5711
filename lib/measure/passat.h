/* passat.h: what a struct passat holds. Inside room `measure`; others see measure.h. */
#ifndef WAI_MEASURE_PASSAT_H
#define WAI_MEASURE_PASSAT_H

#include "base/arena.h"
#include "base/map.h"
#include "measure/cells.h"
#include "measure/measure.h"

/* One distinct value of a setting. */
struct setting_value {
    struct span json; /* canonical JSON text, in the passat's arena */
    double number;    /* of a number or boolean */
    bool numeric;
    struct position first;
};

struct setting_values {
    struct setting_value items[MEASURE_VALUES_MAX]; /* by position */
    size_t count;
    bool more; /* further ones were seen */
    /* The last row's value, so that the same one again costs one comparison. */
    struct buf last;
    enum setting_form last_form;
};

/* Tasks of n tries and c passes. */
struct rate_cell {
    uint64_t n, c, tasks;
};

struct marker_cells {
    struct cells cells;
    struct boot_sketch *sketch; /* of a histogram, in their place */
    uint64_t n_rows, n_at_1, n_at_0, n_nonfinite;
    double least, most;
    uint64_t row;              /* the row that carries it, counted from 1, and its value there */
    struct json_value pending; /* borrows that row */
};

struct passat {
    struct arena arena;
    uint64_t shard;
    uint64_t *shards; /* sorted: those whose rows are in it */
    size_t n_shards, cap_shards;
    struct map tasks; /* every task key that a cell names */
    struct cells labels;
    bool by_hist;           /* counts of tasks in their place: the tasks have no keys */
    struct rate_cell *hist; /* by n, then c */
    size_t n_hist, cap_hist;
    uint64_t n_input, n_bad, n_labelled, n_partial, n_boolean, n_graded, n_fallback;
    double reward_least, reward_most; /* of graded rows; NaN when none */
    uint64_t n_judged, n_judge_failed;
    struct span statuses[MEASURE_STATUSES_MAX]; /* distinct, the first in order of text */
    size_t n_statuses;
    struct span reason; /* the first that a row gives; ptr NULL: none */
    struct position reason_at;
    uint64_t n_finish, n_cut, n_replies, n_answered, n_unclosed;
    struct setting_values settings[SETTINGS];
    bool keep_markers, listed_markers; /* listed: no further names */
    bool used;                         /* rows or a summary are in it: its markers are settled */
    struct map marker_names;
    struct map cluster_names;
    size_t *cluster_of; /* by number of the task: its cluster's number, plus one; 0: none */
    size_t cap_cluster_of;
    uint64_t n_astray;            /* rows that name another cluster than their task's first */
    struct marker_cells *markers; /* by number of the name */
    size_t cap_markers;
    size_t *carried; /* scratch: the markers of a row */
    size_t cap_carried;
    struct buf scratch;
};

int rate_cell_compare(const struct rate_cell *a, const struct rate_cell *b);
void passat_hist_add(struct passat *p, const struct rate_cell *cell);
void marker_cells_free(struct marker_cells *m);
void passat_hist_merge(struct passat *into, const struct passat *from);
/* ERROR_INPUT when sketches were drawn otherwise or do not fit. */
int passat_sketch_merge(struct marker_cells *into, const struct marker_cells *from,
                        struct error *error);

/* Number of a marker's cells, new when fresh. */
size_t passat_marker(struct passat *p, struct span name);

/* Adds a value to a setting's list; json is copied when it is new. */
void setting_add(struct passat *p, enum measure_setting setting, const struct setting_value *value);
bool setting_equal(const struct setting_value *a, const struct setting_value *b);
struct setting_value setting_value_of(struct span json, struct position first);

void passat_status_add(struct passat *p, struct span status);
void passat_reason_add(struct passat *p, struct span reason, struct position at);
bool passat_shard_add(struct passat *p, uint64_t shard); /* false: it was there */
bool passat_shard_has(const struct passat *p, uint64_t shard);

#endif
