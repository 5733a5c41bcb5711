/* measure.h: how good the rows are: pass rates of a run, one metric before and after, sizing
 * (measure 4, 5, 9). Undefined numbers are NaN, undefined intervals INTERVAL_NONE (stat/stat.h). */
#ifndef WAI_MEASURE_MEASURE_H
#define WAI_MEASURE_MEASURE_H

#include "measure/defaults.h"
#include "stat/stat.h"

/* ---- sizing (9.2) -------------------------------------------------------------------------------
 */

/* Smallest paired gain that n_tasks tasks of k tries each can show with that power, from a pass
 * rate of base, rounded to 4 decimals; NaN under 2 tasks. */
double detectable_effect(double n_tasks, double base, double k, double power, double alpha);

#endif
