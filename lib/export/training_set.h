/* training_set.h: what training.c and training_report.c share. Not for other rooms. */
#ifndef WAI_EXPORT_TRAINING_SET_H
#define WAI_EXPORT_TRAINING_SET_H

#include "base/map.h"
#include "export/leaks.h"
#include "export/training.h"
#include "row/store.h"

/* What the work on a row tells the loop, in row_result.tally. */
enum export_tally {
    TALLY_SAMPLES,
    TALLY_CALLS,
    TALLY_BAD_CALLS,
    TALLY_BAD_FROM, /* first sample with a bad call, counted from 1; all behind it have it too */
    TALLY_TRAINED,  /* messages that a trainer learns from */
    TALLY_MASKED,
    TALLY_CUT, /* tool results, and characters of them */
    TALLY_CUT_CHARS,
    TALLY_WITH_SYSTEM, /* samples */
    TALLY_ROLES,       /* turns left out */
    TALLY_PARTS,       /* parts of contents left out */
    TALLY_CALL_TEXTS,  /* llamafactory: words beside calls, left out */
    TALLY_FLAGS,
};

enum export_flag {
    FLAG_NO_COMPLETION = 1, /* trl, final: dropped */
    FLAG_CALLS_TOOLS = 2,
    FLAG_SYSTEMS_DIFFER = 4,
    FLAG_LEAK_CHECKED = 8,
    FLAG_LEAKED = 16,
    FLAG_UNGRADED = 32,         /* kto: no reward, so no label: dropped */
    FLAG_HALF = 64,             /* kto: a reward of 0.5 is neither: dropped */
    FLAG_NOT_ALTERNATING = 128, /* llamafactory: dropped */
};

struct export_group {
    uint64_t k, n0, n1, graded;
    double sum, squares; /* of rewards; of their distances from the mean */
};

struct export_sample {
    uint32_t group; /* number + 1; 0: none */
    double reward;  /* NaN: none */
};

struct export_worker;

struct export_training {
    const struct export_training_options *options;
    struct export_worker *workers;
    int n_workers;
    struct row_store *store; /* the samples, as they are written but for the group */
    struct export_sample *samples;
    size_t n_samples, cap_samples;
    struct map keys; /* of groups */
    struct export_group *groups;
    size_t cap_groups;
    bool grouped;                    /* some key has two samples: they carry their groups */
    uint64_t total[TALLY_FLAGS + 1]; /* sums of the tallies */
    uint64_t n_rows, n_dropped;
    uint64_t bad_rows[20]; /* the first samples with a broken call */
    size_t n_bad_rows;
    struct export_leaks leaks;
    uint64_t n_pass, n_fail, n_ungraded;                   /* samples */
    uint64_t n_length, n_calling, n_sha, n_systems_differ; /* rows */
    uint64_t n_unlabelled, n_half;                         /* rows, kto */
    uint64_t n_not_alternating;                            /* rows or samples */
};

#endif
