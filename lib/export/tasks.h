/* tasks.h: graded rows into tasks for an on-policy trainer: one for each prompt, with what its world
 * needs, how hard it measured, and whether it is held out (select 16.1).
 *
 *     t = export_tasks_new(&options)
 *     export_tasks_row(t, row)              each row, in order
 *     export_tasks_close(t, error)          band, split, decontamination
 *     export_tasks_write(t, EXPORT_TRAIN, &lines) */
#ifndef WAI_EXPORT_TASKS_H
#define WAI_EXPORT_TASKS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "row/row.h"
#include "json/write.h"

enum export_split { EXPORT_TRAIN, EXPORT_HOLDOUT };

struct export_tasks_options {
    bool band;           /* graded tasks outside lo..hi are left out */
    double low, high;    /* pass rates, edges inside */
    double holdout;      /* share of the tasks held out, by a hash of the scenario */
    const char *prompts; /* file of the prompts that are held out instead, one a line; NULL: none */
    int64_t ngram;       /* words that overlap between the two sides */
    bool answers;        /* info holds privileged: for a package that stays on the server */
    bool one_phrasing;   /* the first prompt of a scenario alone */
    bool conduct_alone; /* the reward is the checklist: count the tasks it can tell an outcome of */
};

struct export_tasks;

struct export_tasks *export_tasks_new(const struct export_tasks_options *options); /* borrows */
void export_tasks_free(struct export_tasks *t);
void export_tasks_row(struct export_tasks *t, const struct row *row);

/* ERROR_INPUT: no training task is left; the file of prompts cannot be read. */
int export_tasks_close(struct export_tasks *t, struct error *error);

/* The tasks of one side, a line each. */
void export_tasks_write(const struct export_tasks *t, enum export_split split, struct buf *lines);
size_t export_tasks_count(const struct export_tasks *t, enum export_split split);

/* Members of the report, into an open object: counts, band, decontamination. */
void export_tasks_report(const struct export_tasks *t, struct json_writer *w);
void export_tasks_notes(const struct export_tasks *t, struct buf *lines);

#endif
