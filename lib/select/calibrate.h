/* calibrate.h: each labelled row stamped with its task's pass rate (select 7.1). Inside room `select`. */
#ifndef WAI_SELECT_CALIBRATE_H
#define WAI_SELECT_CALIBRATE_H

#include "select/job.h"

struct student {
    bool named;
    struct span name, model, prompt_hash, version; /* ptr NULL: null */
};

struct calibrator {
    struct select_job *job;
    struct student student;
    struct arena arena;
    struct map tasks;
    struct calibrated {
        size_t n, passes;
        double kl, tokens; /* sums */
    } * items;             /* by task */
    size_t cap;
    size_t *of_row, cap_rows, n_rows;
    int8_t *labels;
    size_t cap_labels;
    struct map ref_rows; /* --ref FILE: identities */
    double *refs;
    size_t cap_refs;
    bool has_refs;
    const char *ref_key; /* --ref KEY */
    double kl, tokens;
    size_t n_used;
    struct passat *passat;
    struct facts_reader *facts;
};

/* Student and reference, from the request. ERROR_USAGE, ERROR_INPUT. */
int calibrator_open(struct calibrator *c, struct select_job *job, struct error *error);
void calibrator_add(struct calibrator *c, const struct row *row);
void calibrator_free(struct calibrator *c);

/* The row as it leaves, the number of its line in the store. */
void calibrator_stamp(void *calibrator, const struct row *row, size_t number, struct buf *out);

/* The report's object as a value; n_carried is counted by the caller's pass over the rows. */
bool calibrator_carries(const struct calibrator *c, const struct row *row, size_t number);
void calibrator_write(const struct calibrator *c, size_t n_carried, double low, double high,
                      struct signal_report *signal, struct json_writer *w);

#endif
