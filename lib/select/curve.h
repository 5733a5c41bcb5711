/* curve.h: how many rows a test can see (rows 23.3): a learning curve of scores by training size, a form
 * fitted to it, and the size N* after which doubling the rows no longer adds min_gain. */
#ifndef WAI_SELECT_CURVE_H
#define WAI_SELECT_CURVE_H

#include "base/error.h"
#include "json/write.h"

enum curve_form { CURVE_RECTIFIED, CURVE_POWER, CURVE_LOGIT, CURVE_FORMS };

struct curve_options {
    double min_gain;
    size_t draws;
    const char *seed; /* decimal */
    double base;      /* score without training; NaN: the file's, if any */
};

struct curve_report {
    enum curve_form form;
    double params[4];
    size_t n_params;
    double min_gain, n_star; /* INFINITY: beyond the grid */
    const char *verdict;
    double base;                                /* NaN: none */
    double low, high, share;                    /* of N*; NaN: not known */
    double heldout[CURVE_FORMS];                /* NaN: that form does not fit */
    double mde, last_gain, gain_low, gain_high; /* NaN: not known */
    size_t n_sizes;
    double *sizes, *scores; /* in the curve's order; owned */
    bool keep_all;          /* rows beyond N* may still pay */
};

/* ERROR_INPUT names the file. */
int curve_measure(const char *path, const struct curve_options *options,
                  struct curve_report *report, struct error *error);
void curve_write(const struct curve_report *report, struct json_writer *w); /* members */
void curve_text(const struct curve_report *report, struct buf *out);
void curve_free(struct curve_report *report);

#endif
