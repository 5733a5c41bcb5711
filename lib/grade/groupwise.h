/* groupwise.h: passes of one group told apart by a grader that sees all of them (grade 16; after
 * MiMo-V2.6, Xiaomi 2026, technical report, section 4.3): its ranking or factors spread the
 * advantage of the passes anew (`advantage`), or its two scores scale each pass (`reward`). */
#ifndef WAI_GRADE_GROUPWISE_H
#define WAI_GRADE_GROUPWISE_H

#include "json/write.h"

struct groupwise_settings {
    bool synthesis;        /* mode `reward`, else `advantage` */
    double pass_threshold; /* a reward from which a row passes */
    double min_factor;     /* factor of the last of a ranking */
    double cap;            /* of lambda, at least 1 */
    double floor;          /* of a score in mode `reward`, in [0, 1) */
    bool keep_hacks;       /* hacks keep their reward */
};

struct groupwise_member {
    double reward;
    bool passed, hack;
    double factor; /* in (0, 1], or s * b in mode `reward`; NaN: none */
    double shaped, advantage;
};

struct groupwise_stats {
    uint64_t groups, mixed, calls, failures, hacks, capped;
    double *scores; /* factors of passes that are no hack, or s * b; usable answers only */
    size_t n_scores, cap_scores;
};

/* Some pass and some do not: only such a group is worth a question in mode `advantage`. */
bool groupwise_mixed(const struct groupwise_member *m, size_t n);

/* Reads the grader's answer about a group: {"ranking": …} or {"factors": …}, "hacks". false: not
 * usable. */
bool groupwise_read_group(const struct groupwise_settings *s, struct json_value answer,
                          struct groupwise_member *m, size_t n);

/* Reads {"solution": s, "behavior": b} about one pass and shapes it. */
bool groupwise_read_pass(const struct groupwise_settings *s, struct json_value answer,
                         struct groupwise_member *m);

/* shaped and advantage of a group whose factors are read; *capped: lambda was. Sums run in index
 * order. */
void groupwise_redistribute(const struct groupwise_settings *s, struct groupwise_member *m,
                            size_t n, bool *capped);

/* Rewards as they are. */
void groupwise_keep(struct groupwise_member *m, size_t n);

void groupwise_score(struct groupwise_stats *stats, double score);
void groupwise_write_stats(const struct groupwise_stats *stats, bool synthesis,
                           struct json_writer *w);

/* ---- do the scores tell passes apart (16.3) ---- */

struct spread_settings {
    double min_std, band, cluster_share;
};

/* Writes the members of the report into an open object; *ok: they do. */
void spread_write(const double *scores, size_t n, uint64_t groups,
                  const struct spread_settings *settings, struct json_writer *w, bool *ok);

#endif
