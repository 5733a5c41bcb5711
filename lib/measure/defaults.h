/* defaults.h: the constants of room `measure`, each with its unit and its source (measure 16). */
#ifndef WAI_MEASURE_DEFAULTS_H
#define WAI_MEASURE_DEFAULTS_H

enum {
    MEASURE_MIN_K = 4, /* tries; smallest k that tau-bench reports a pass^k on, arXiv:2406.12045 */
    MEASURE_TRIES_PER_TASK = 4, /* tau-bench family */
    MEASURE_MIN_PAIRED = 5,     /* tasks; 2^4 sign patterns cannot reach 0.05 */
    MEASURE_NARROW_TASKS =
        20, /* tasks; under it a percentile interval covers less than it says (13.5) */
    MEASURE_FIXED_POINT = 12, /* steps of detectable_effect */
    MEASURE_REASON_MAX = 120, /* characters of a judge's reason that a note quotes */
    MEASURE_STATUSES_MAX =
        16,                 /* distinct judge statuses that are kept, the first in order of text */
    MEASURE_VALUES_MAX = 4, /* distinct values of a setting that are kept, the first seen */
    MEASURE_ANNOTATIONS = 10,     /* errors, and warnings, that one run may annotate on GitHub */
    MEASURE_DRAWS_MAX = 10000000, /* replicates; 80 MB per statistic */
};

#define MEASURE_BASE_RATE 0.6 /* pass rate, when nothing is known; tau-bench family */
#define MEASURE_BAND_LOW  0.2 /* difficulty band; DAPO, arXiv:2503.14476 */
#define MEASURE_BAND_HIGH 0.8
#define MEASURE_UNPAIRED_MAJORITY                                                               \
    0.5                             /* share of tasks on both sides under which pairing is thin \
                                     */
#define MEASURE_DEGENERATE_DIGITS 9 /* decimals to which a marker's values are compared */
#define MEASURE_SHARE_DIGITS      4 /* decimals of a share */
#define MEASURE_GATE_SLACK        1e-12 /* difference to a limit that counts as reaching it */
#define MEASURE_MARGIN            0.05 /* pass rate; loss that a noninferiority baseline puts up with */
#define MEASURE_TASK_FLOOR        1.0 /* pass rate under which a task fails in JUnit */
#define MEASURE_TRIES_MAX (UINT64_C(1) << 24) /* tries of one task in a partial summary */

#endif
