/* hack_measure.h: a hack scan while it is measured. Inside room `guard`. */
#ifndef WAI_GUARD_HACK_MEASURE_H
#define WAI_GUARD_HACK_MEASURE_H

#include "guard/hack_inside.h"

/* One feature while it is measured. */
struct hack_measured {
    struct span name;
    struct span *aliases;
    size_t n_aliases, cap_aliases;
    const uint32_t *rows; /* in row order */
    const double *values; /* NULL: all 1 */
    size_t count;
    bool binary;
    double sd_within, sd_pooled, rho, pooled;
    size_t parents[2]; /* numbers of features; of conjunctions only */
    bool conjunction, endorsed, above, complement;
    double p;
};

struct hack_measuring {
    const struct hack_options *o;
    const struct hack_rows *rows;
    struct hack_report *report;
    struct arena *arena;
    size_t n, n_groups;
    size_t *size, *start; /* per group; rows of group g: members[start[g] .. start[g] + size[g]) */
    uint32_t *members;
    double *mean, *centred;               /* of the reward: per group; per row */
    double within, overall, overall_mean; /* spreads of the reward */
    struct hack_measured *features;
    size_t n_features, cap_features;
    struct hack_measured *small; /* columns under min_obs */
    size_t n_small, cap_small;
    double *best; /* of each shuffle, ascending */
};

/* A feature by how strong it is; the comparison puts the strongest first, equal ones in order. */
struct hack_strength {
    size_t feature;
    double strength;
};
int hack_by_strength(const void *left, const void *right);

static inline double value_at(const struct hack_measured *f, size_t i)
{
    return f->values ? f->values[i] : 1.0;
}

/* All columns that are common enough, measured; the rare ones apart (steps 7 to 9, 11). */
void hack_collect(struct hack_measuring *s);
/* Pairs of the strongest 0/1 features that say more than either (step 12). */
void hack_conjunctions(struct hack_measuring *s);

#endif
