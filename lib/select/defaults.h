/* defaults.h: the numbers of selection, each with its unit and its source. */
#ifndef WAI_SELECT_DEFAULTS_H
#define WAI_SELECT_DEFAULTS_H

#define SELECT_TARGET     1000 /* rows, about how many come out */
#define SELECT_MIN_REWARD 1.0  /* reward of a demonstration */
#define SELECT_BAND_LOW   0.2  /* pass rate; difficulty band of DAPO, arXiv:2503.14476 */
#define SELECT_BAND_HIGH  0.8  /* pass rate */
#define SELECT_FIRM_TRIES \
    16 /* rollouts a task from which its pass rate places it in a band firmly */
#define SELECT_WANTED_TRIES \
    10 /* completions a prompt under which rejection sampling has little to pick from */
#define SELECT_WANTED_TRIES_TOP 30
#define SELECT_LONG_REPLY       600 /* code points; a longer reply that does not finish was cut */
#define SELECT_REPEATED         30  /* times one character in a row: a degenerate reply */
#define SELECT_MAX_SPREAD       4.0 /* longest reply over the median of its prompt */
#define SELECT_LEAKS_SHOWN      20  /* leaked rows that a report names */

#define SELECT_RATE_DIGITS      4 /* decimals of rates and intervals in reports */
#define SELECT_PAIRS_PER_PROMPT 1
#define SELECT_MIN_MARGIN       1.0 /* reward by which the chosen reply is better */
#define SELECT_CONFOUND_SHARE \
    0.75 /* of pairs whose chosen reply is longer: length stands for quality */
#define SELECT_CONFOUND_PAIRS 8   /* pairs from which that share is read */
#define SELECT_CONFOUND_ALL   3   /* pairs from which all of them longer is enough */
#define SELECT_TRAINER_PAIRS  8   /* pairs that the hosted DPO trainer needs */
#define SELECT_SOLVED         0.8 /* pass rate over which a task is retired */
#define SELECT_FLOOR          0.2 /* pass rate under which a task is not ready */
#define SELECT_TIERS          3
#define SELECT_MIN_ROLLOUTS   2    /* labels under which a task's rate says nothing */
#define SELECT_MISSES_WARNED  0.10 /* share of right answers an audit found scored 0 */
#define SELECT_NEAR           0.8  /* Jaccard similarity of two asks */
#define SELECT_CORRELATION    0.3  /* |r| from which the reward tracks something cheap */

#define TRIM_DRAWS        200  /* bootstrap draws behind the range of N* */
#define TRIM_FIRST        64   /* rows of the smallest size */
#define TRIM_GROWTH       2.0  /* size over the one before */
#define TRIM_NEAR         0.95 /* cosine from which a row repeats an earlier one */
#define TRIM_LLOYD_PASSES 25
#define TRIM_MIN_GAIN     0.01 /* score that doubling the rows must add to go on */

#define DECONTAM_NGRAM           8 /* words; with the next, the rule of Llama 2, arXiv:2307.09288 A.6 */
#define DECONTAM_OVERLAP         0.8 /* share of a text's words */
#define DECONTAM_EXAMPLES        20  /* flagged rows that a report shows */
#define DECONTAM_MATCH_MAX       120 /* characters of a shared n-gram that a report shows */
#define DECONTAM_COVERAGE_DIGITS 3   /* decimals of a coverage in a report */
#define DECONTAM_BUDGET \
    4096 /* evaluation texts looked at one by one for a row, before long lists are put off */
#define DECONTAM_SIMILARITY        0.85 /* cosine from which two texts ask the same */
#define DECONTAM_SIMILARITY_DIGITS 4
#define DECONTAM_PROMPT_MAX        120 /* characters of an evaluation prompt that a report shows */
#define DECONTAM_ALIKE_PROMPTS \
    20000 /* of the holdout, over which how alike its tasks read is told from a sample */
#define DECONTAM_BATCH       1024               /* texts that are embedded at once */
#define DECONTAM_BATCH_BYTES ((size_t)32 << 20) /* of rows that wait for their vectors */

#endif
