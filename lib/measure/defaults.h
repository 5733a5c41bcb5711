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
#define MEASURE_UNPAIRED_MAJORITY \
    0.5                             /* share of tasks on both sides under which pairing is thin \
                                     */
#define MEASURE_DEGENERATE_DIGITS 9 /* decimals to which a marker's values are compared */
#define MEASURE_SHARE_DIGITS      4 /* decimals of a share */
#define MEASURE_GATE_SLACK        1e-12 /* difference to a limit that counts as reaching it */
#define MEASURE_MARGIN            0.05 /* pass rate; loss that a noninferiority baseline puts up with */
#define MEASURE_TASK_FLOOR        1.0 /* pass rate under which a task fails in JUnit */
#define MEASURE_TRIES_MAX         (UINT64_C(1) << 24) /* tries of one task in a partial summary */

/* comparisons (measure 6, 8; values 16) */
enum {
    MEASURE_FAMILY_METRICS = 4, /* metrics from which a chance verdict is likely enough to say so */
    MEASURE_CEILING_TASKS = 20, /* tasks with room left, under which few is said (convention) */
    MEASURE_SEED_SLICES = 100,  /* offsets that keep streams apart */
    MEASURE_SEED_RUNS = 1000,
    COMPARE_SUMMARY_TASKS = 50, /* tasks that moved in a Markdown summary */
    SWEEP_MIN_ASKS = 50,        /* asks under which a sweep says that it is small (convention) */
    SWEEP_LABEL_MAX = 40,       /* characters of an arm's label */
    SWEEP_NAME_MAX = 64,        /* characters of a behaviour's name, the hosted service's bound */
};

#define MEASURE_CEILING_SHARE 0.5  /* share of the shared tasks with room, same use */
#define MEASURE_WEAK_SLICE    0.5  /* pass rate under which a slice is weak */
#define MEASURE_TRUNCATED_GAP 0.05 /* difference of the shares of cut replies worth a word */
#define MEASURE_GRADED_WARN   0.95 /* share of graded rows under which survivors are measured */
#define MEASURE_ANSWERED_GAP \
    0.10 /* difference of the shares of answered rows that bars comparing */
#define MEASURE_ANSWERED_ALPHA 0.01 /* p under which that difference is no chance */

/* sizing, noise, self-check (measure 9) */
enum {
    MEASURE_MIN_HOLDOUT = 2, /* tasks; under it no change has a spread */
    MEASURE_MIN_PAIRED_SD =
        3,                    /* shared tasks; under it a measured spread is refused (convention) */
    MEASURE_MIN_RERUNS = 3,   /* runs; two are a difference, not a distribution (convention) */
    MEASURE_POINT_DIGITS = 2, /* decimals of hundredths */
    SELF_CHECK_TRIALS = 40,   /* per check */
    SELF_CHECK_TRIALS_FULL = 400,
    SELF_CHECK_TRIALS_MAX = 10000000,
    SELF_CHECK_TASKS = 30,             /* of the checks for false alarms */
    MEASURE_FORECAST_MAX = 1000000000, /* runs, tasks, tries of a forecast */
};

#define MEASURE_EFFECT             0.05 /* gain to prove (convention) */
#define MEASURE_CEILING            0.9 /* pass rate from which tasks have no room left (convention) */
#define MEASURE_SETTLED            0.00005 /* half of the last digit of a detectable effect */
#define MEASURE_VERY_STABLE_POINTS 0.35    /* hundredths of run-to-run spread; Olmo 3's bands */
#define MEASURE_STABLE_POINTS      0.7
#define SELF_CHECK_FLAG            3.0 /* standard errors on the bad side */
#define SELF_CHECK_EASY            0.7 /* pass rates that cases are drawn from, uniformly */
#define SELF_CHECK_HARD            0.2
#define SELF_CHECK_RESTATED        0.5  /* share of the cases that restate another */
#define SELF_CHECK_GAIN            0.10 /* planted gains */
#define SELF_CHECK_GAIN_LARGE      0.16

#endif
