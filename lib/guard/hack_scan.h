/* hack_scan.h: what would a grouped update learn from this reward? Features of the replies are
 * ranked by how well they separate the reward within an ask, against a floor of shuffled rewards;
 * the top one should be what the user meant (guard 10).
 *
 *     struct hack_scan *scan = hack_scan_new(&options, error);
 *     hack_scan_add(scan, &row);            for every row
 *     hack_scan_measure(scan, &report);
 *
 * Memory grows with the rows (about 8 bytes a distinct word of each). Results do not depend on the
 * order of asks, only on that of rows. Permutation floor of the maximum: Westfall & Young 1993. */
#ifndef WAI_GUARD_HACK_SCAN_H
#define WAI_GUARD_HACK_SCAN_H

#include "base/arena.h"
#include "base/error.h"
#include "guard/findings.h"
#include "row/row.h"

struct hack_options {
    const char *const *endorsed; /* parts of feature names, any case */
    size_t n_endorsed;
    const char *const *features; /* NAME=EXPR */
    size_t n_features;
    bool automatic; /* words, word pairs, conjunctions */
    size_t top_k, n_perm, min_obs, seeds;
    size_t top_features;  /* that a report lists; SIZE_MAX: all */
    const char *reward;   /* dotted path */
    const char *group_by; /* "prompt", "task" or a dotted path */
    const char *seed;     /* decimal */
    double alpha;
    bool texts; /* keep what was said, for hack_scan_show */
};

/* The defaults of every caller. */
extern const struct hack_options HACK_OPTIONS_DEFAULT;

enum hack_regime {
    HACK_UNKNOWN,
    HACK_DEGENERATE,
    HACK_NO_SIGNAL,
    HACK_REWARD_HACK,
    HACK_POOL_EXHAUSTED,
    HACK_TRAIN,
    HACK_REGIMES,
};
extern const char *const HACK_REGIME_NAMES[HACK_REGIMES];

struct hack_feature {
    struct span name, *aliases;
    size_t n_aliases;
    double rho, pooled; /* within an ask; over all rows */
    size_t n_obs;       /* rows in which it is not zero */
    bool above, endorsed, conjunction;
    struct span parents[2];
    bool parents_agree; /* of a conjunction: both parents are endorsed */
    bool complement;    /* the same, or the opposite, of an endorsed feature within every ask */
    double p;           /* family-wise */
};

struct hack_report {
    enum hack_regime regime;
    bool scanned; /* some row is graded */
    size_t n_rows, n_graded, n_groups, n_groups_multi, rollouts_per_group, effective_rollouts;
    double sat, dead, mixed, capacity;
    double tau, rho_max; /* NaN: none */
    size_t n_perm, n_features, n_above, endorsed_matched;
    struct hack_feature *features; /* all, ranked; owned */
    size_t n_listed;               /* of them a report shows */
    bool has_top;
    int endorsed_on_top;             /* -1: not asked */
    double integrity, integrity_net; /* NaN: not asked */
    bool continuous, degenerate;
    size_t distinct_per_ask;
    struct span *inverted, *collinear; /* names; owned */
    size_t n_inverted, n_collinear;
    const char *const *endorsed; /* the patterns; borrowed from the options */
    size_t n_endorsed;
    struct findings findings;
    struct arena arena;
};

struct hack_scan;

/* NULL: ERROR_USAGE, a feature that is no NAME=EXPR or no jq program. Options are borrowed. */
struct hack_scan *hack_scan_new(const struct hack_options *options, struct error *error);
void hack_scan_add(struct hack_scan *scan, const struct row *row);
void hack_scan_measure(struct hack_scan *scan, struct hack_report *report);
void hack_scan_free(struct hack_scan *scan);
void hack_report_free(struct hack_report *report);

/* The report's keys into an open object; findings among them. */
void hack_report_write(const struct hack_report *report, struct json_writer *w);
void hack_report_text(const struct hack_report *report, struct buf *out);

/* Up to HACK_PAIRS_SHOWN pairs of replies of one ask that differ in the feature and in the reward.
 */
void hack_scan_show(const struct hack_scan *scan, const struct hack_report *report,
                    struct span feature, struct buf *out);

/* ---- before and after training (guard 11) ---- */

struct hack_move {
    struct span name;
    double rho_before, rho_after, shift;
    bool above_before, above_after, endorsed;
};

struct hack_diff {
    struct hack_move *gained, *lost, *moved; /* owned */
    size_t n_gained, n_lost, n_moved;        /* not cut */
    size_t top;
    char *learned; /* one sentence; owned */
    bool red;
    struct findings findings;
};

void hack_diff_make(const struct hack_report *before, const struct hack_report *after, size_t top,
                    struct hack_diff *diff);
void hack_diff_write(const struct hack_diff *diff, const struct hack_report *before,
                     const struct hack_report *after, struct json_writer *w);
void hack_diff_text(const struct hack_diff *diff, const struct hack_report *before,
                    const struct hack_report *after, struct buf *out);
void hack_diff_free(struct hack_diff *diff);

#endif
