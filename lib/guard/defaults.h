/* defaults.h: the numbers of the scans, each with its unit and its source. */
#ifndef WAI_GUARD_DEFAULTS_H
#define WAI_GUARD_DEFAULTS_H

/* ---- hack scan: settings of the reference package (guard 10) ---- */
#define HACK_TOP_K         200   /* words and word pairs that become features */
#define HACK_PERMUTATIONS  100   /* shuffles behind the noise floor */
#define HACK_MIN_OBS       20    /* rows in which a feature must not be zero */
#define HACK_SEEDS         12    /* strongest 0/1 features that are joined in pairs */
#define HACK_TOP_FEATURES  20    /* features that a report lists */
#define HACK_TEXT_FEATURES 12    /* features that the text shows */
#define HACK_ALPHA         0.05  /* the floor is the 1 - alpha quantile of the shuffled maxima */
#define HACK_TIED          0.999 /* correlation from which features cannot be told apart */
#define HACK_MIN_DISTINCT  3     /* different rollouts an ask needs to tell features apart */
#define HACK_SATURATED     0.2   /* share of asks that always pass from which the pool is used up */
#define HACK_INTEGRITY     0.8   /* share of the reward's pull that endorsed features should have */
#define HACK_FINE_GROUP    4     /* rollouts an ask under which the floor is coarse */
#define HACK_WANTED_GROUP  8     /* rollouts an ask that a second scan should have */
#define HACK_NAMES_SHOWN   3     /* features that a sentence names */
#define HACK_TIED_SHOWN    4
#define HACK_BROAD         0.5 /* share of all features over which a pattern endorses too much */
#define HACK_DIFF_TOP      10  /* entries of each list of a diff */
#define HACK_PAIRS_SHOWN   3   /* pairs of replies that --show prints */

/* ---- hygiene (guard 15) ---- */
#define HYGIENE_NEAR        0.8  /* Jaccard similarity of two asks' word sets */
#define HYGIENE_MAX_SPREAD  4.0  /* longest reply over the median of its ask */
#define HYGIENE_CORRELATION 0.3  /* |r| from which a reward tracks something cheap */
#define HYGIENE_EXAMPLES    5    /* near-duplicate pairs that a report shows */
#define HYGIENE_ASK_SHOWN   80   /* code points of an ask in an example */
#define HYGIENE_DEAD_TOOL   0.30 /* upper bound of a tool's success under which it is dead */
#define HYGIENE_DEAD_CALLS  3    /* answered calls from which that is said */
#define HYGIENE_SILENT      0.1  /* share of rows without a call that is worth a warning */
#define HYGIENE_SILENT_ROWS 2    /* and so is this number of rows */

/* ---- a judge beside people's labels (guard 3) ---- */
#define GRADED_REASONS 3 /* frequent reasons of failure that a grading run shows */
#define TRUST_MIN_AGREEMENT \
    0.8 /* floor of Wilson's lower bound: what people reach among themselves */
#define TRUST_MIN_KAPPA   0.6   /* floor of kappa */
#define TRUST_MAX_SKIPPED 0.10  /* share of labelled rows with fractional rewards */
#define TRUST_LEAK        0.1   /* share of labelled failures that the judge passes */
#define TRUST_LENGTH_GAP  0.15  /* gap of pass rates between short and long replies */
#define TRUST_LENGTH_P    0.025 /* its p, of two tests */
#define TRUST_LENGTH_ROWS 6     /* rows under a label from which that is looked at */
#define TRUST_Z           1.96  /* of Wilson's interval here: the constant, not the quantile */

#endif
