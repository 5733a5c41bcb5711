/* tally.h: what the rows of a grading run add up to, for its report and warnings (grade 19). Not
 * for other rooms: they use run.h. */
#ifndef WAI_GRADE_TALLY_H
#define WAI_GRADE_TALLY_H

#include "grade/run.h"

struct tally_marker {
    uint64_t n, rows; /* with a number; with the key */
    double sum;
};
struct tally_tool {
    uint64_t n, ok, faults, injected; /* results; of them good, faulty, faulty as planned */
};

struct tally {
    const struct row_tools *declared;
    uint64_t rows, without_call;
    struct map tasks, tasks_without_call; /* task keys */
    struct map repeats;                   /* tasks seen twice or more */
    struct map asks;                      /* of rows without a call, a few */
    struct map rewards;
    uint64_t *reward_counts;
    size_t cap_rewards;
    struct map reasons; /* of failed rows */
    uint64_t *reason_counts;
    size_t cap_reasons;
    struct map classes;
    uint64_t *class_counts;
    size_t cap_classes;
    struct map markers;
    struct tally_marker *marker_counts;
    size_t cap_markers;
    struct map tools; /* names that were called */
    struct tally_tool *tool_counts;
    size_t cap_tools;
};

void tally_open(struct tally *t, const struct row_tools *declared);
void tally_close(struct tally *t);
void tally_reward(struct tally *t, struct span text);
void tally_row(struct tally *t, const struct row *row);
void tally_warnings(const struct tally *t, const struct grade_counts *c,
                    const struct grade_options *options, void (*out)(void *data, const char *text),
                    void *data);
void tally_reasons(const struct tally *t, size_t n, void (*out)(void *data, const char *text),
                   void *data);
void tally_report(const struct tally *t, const struct grade_counts *c,
                  const struct grade_options *options, struct buf *out);

#endif
