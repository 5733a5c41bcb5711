/* hygiene.h: what in these rows would mislead a grouped update (guard 15): repeats, asks that are
 * nearly one, cut and uneven replies, a reward that tracks something cheap, tools that never
 * worked. */
#ifndef WAI_GUARD_HYGIENE_H
#define WAI_GUARD_HYGIENE_H

#include "base/map.h"
#include "guard/findings.h"
#include "guard/near.h"
#include "row/conversation.h"
#include "row/tools.h"

/* ---- reply lengths ------------------------------------------------------------------------------
 */

struct length_report {
    size_t n, n_truncated, n_groups_multi, n_wide;
    double median;
    uint64_t max;
    double max_spread;
};

/* lengths and groups: one a row; group numbers under n_groups. Wide: the longest reply of a group
 * of two or more is over max_spread times its median. */
void length_measure(const uint64_t *lengths, const uint32_t *groups, size_t n, size_t n_groups,
                    double max_spread, struct length_report *report);
void length_write(const struct length_report *report, struct json_writer *w);

/* ---- what the reward tracks ---------------------------------------------------------------------
 */

struct correlator; /* labelled rows */

struct correlator *correlator_new(void);
void correlator_add(struct correlator *c, const struct row *row,
                    struct row_conversation *conversation);
void correlator_free(struct correlator *c);

enum { CORRELATIONS_MAX = 32 };

struct correlation_report {
    size_t n_graded, count;
    double threshold;
    struct correlation {
        const char *name; /* static */
        double r;         /* NaN: none */
        bool flagged;
    } items[CORRELATIONS_MAX];
};

/* Pearson's r of the 0/1 label over all rows: it cannot tell a shortcut from difficulty. */
void correlator_measure(const struct correlator *c, double threshold,
                        struct correlation_report *report);
void correlation_write(const struct correlation_report *report, struct json_writer *w);

/* ---- repeats ------------------------------------------------------------------------------------
 */

struct duplicate_report {
    size_t n, n_dropped, groups_affected, conflicting;
};

void duplicate_write(const struct duplicate_report *report, struct json_writer *w);

/* ---- tools and markers (15.1) -------------------------------------------------------------------
 */

struct coverage;

struct coverage *coverage_new(void);
void coverage_add(struct coverage *c, const struct row *row);
/* declared: the tools of a file, or NULL: those that the rows declare. */
void coverage_measure(struct coverage *c, const struct row_tools *declared,
                      struct findings *findings);
void coverage_free(struct coverage *c);

/* ---- all of it ----------------------------------------------------------------------------------
 */

struct hygiene_options {
    double near, max_spread, threshold;
    const char *group_by;                 /* "prompt", "task" or a dotted path */
    const struct row_tools *tools;        /* NULL: the rows' own */
    double max_duplicates, max_truncated; /* shares; NaN: not asked */
};

struct hygiene_report {
    struct duplicate_report duplicates;
    struct near_report near;
    struct length_report lengths;
    struct correlation_report correlations;
    struct findings coverage, findings; /* findings holds the coverage too */
    bool red;
};

struct hygiene;

struct hygiene *hygiene_new(const struct hygiene_options *options); /* borrowed */
bool hygiene_add(struct hygiene *h, const struct row *row);         /* false: a repeat */
void hygiene_measure(struct hygiene *h, struct hygiene_report *report);
void hygiene_write(const struct hygiene *h, const struct hygiene_report *report,
                   struct json_writer *w);
void hygiene_near_write(const struct hygiene *h, const struct hygiene_report *report,
                        struct json_writer *w); /* its near_duplicates alone */
void hygiene_text(const struct hygiene_report *report, struct buf *out);
void hygiene_report_free(struct hygiene_report *report);
void hygiene_free(struct hygiene *h);

#endif
