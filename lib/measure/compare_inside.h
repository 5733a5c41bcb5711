/* compare_inside.h: the steps of a comparison's report, in the order of measure 6.1. Inside room
 * `measure`. */
#ifndef WAI_MEASURE_COMPARE_INSIDE_H
#define WAI_MEASURE_COMPARE_INSIDE_H

#include "measure/compare.h"

/* The comparison of two sets of tasks that stream number `offset` resamples. */
void compare_tasks(const struct compare_options *options, uint64_t offset, struct span name,
                   const struct task_rate *a, size_t n_a, const struct task_rate *b, size_t n_b,
                   struct metric_change *out);

void change_judge(struct metric_change *out); /* what delta, interval and p say */
void change_note(const struct change_options *options,
                 struct metric_change *out); /* which tasks it is of */

/* Parts of a report that the report on summaries of pairs has too. */
int compare_directions(struct compare_report *r, struct error *error);
enum compare_word compare_word_of(const struct compare_report *r, const struct compared *m);
void compare_headline_word(struct compare_report *r);
void compare_metric_line(struct buf *out, const struct compare_report *r, const struct compared *m);
void compare_end_lines(struct buf *out, const struct compare_report *r);
void compare_write_notes(struct json_writer *w, const struct notes *notes);
void compare_write_draws(struct json_writer *w, const struct compare_report *r);

enum change_verdict compare_gain(enum change_verdict verdict, bool lower);
const struct compared *compare_find(const struct compare_report *report, struct span name);
double tasks_mean(const struct task_rate *tasks, size_t n); /* of their means; NaN: none */
bool compare_measured(const struct compared *metric);       /* values on both sides */

void compare_floors(struct compare_report *report);   /* 6.4 */
void compare_training(struct compare_report *report); /* 6.6: the arithmetic */
void compare_repeats(struct compare_report *report);  /* 6.8 */
void compare_slices(struct compare_report *report);   /* 6.9 */
void compare_per_task(struct compare_report *report); /* which tasks moved */
void compare_ceiling(struct compare_report *report);  /* 6.10 */
void compare_proxy(struct compare_report *report);
void compare_sizing(struct compare_report *report); /* 6.11 */
void compare_warn(struct compare_report *report);   /* 6.12; settles ok and the causes as it goes */

/* Warnings about how the two sides were made: the rest of 6.12, from judge_version_differs on. */
void compare_warn_config(struct compare_report *report);
void compare_cause(struct compare_report *report, const char *cause, bool fails);

#endif
