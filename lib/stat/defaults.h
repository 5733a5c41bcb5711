/* defaults.h: the constants of room `stat`, each with its unit and its source (measure 16). */
#ifndef WAI_STAT_DEFAULTS_H
#define WAI_STAT_DEFAULTS_H

#define STAT_ALPHA 0.05               /* Miller 2024, arXiv:2411.00640 section 5 */
#define STAT_LEVEL (1.0 - STAT_ALPHA) /* coverage of an interval */
#define STAT_Z95   1.96               /* normal quantile at 95 %, as tables print it */
#define STAT_POWER 0.8 /* chance to see an effect that is there; Miller 2024 section 5 */

enum {
    STAT_BOOT_DRAWS = 2000, /* replicates; at least 1000 for an interval, Efron & Tibshirani 1993 */
    STAT_INTERVAL_VALUES = 3, /* values; under it no interval (convention) */
    STAT_EXACT_TASKS = 20, /* differences; over it the flips of signs are too many to go through */
    STAT_EXACT_WORK =
        400000000, /* values resampled; 200,000 tasks at 2000 draws, about 2 s a core */
    STAT_CHECK_VALUES =
        10000,         /* tasks over which the normal approximation stands beside the draws */
    STAT_T_TABLE = 30, /* degrees of freedom that the printed table of Student's t covers */
};

#define STAT_PERMUTATION_SLACK \
    1e-12 /* a replicate this close to the observed mean counts as reaching it */
#define STAT_VARIANCE_ZERO 1e-12 /* a variance that is none */

#endif
