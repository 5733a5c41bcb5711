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

#define DECONTAM_NGRAM           8 /* words; with the next, the rule of Llama 2, arXiv:2307.09288 A.6 */
#define DECONTAM_OVERLAP         0.8 /* share of a text's words */
#define DECONTAM_EXAMPLES        20  /* flagged rows that a report shows */
#define DECONTAM_MATCH_MAX       120 /* characters of a shared n-gram that a report shows */
#define DECONTAM_COVERAGE_DIGITS 3   /* decimals of a coverage in a report */
#define DECONTAM_BUDGET \
    4096 /* evaluation texts looked at one by one for a row, before long lists are put off */

#endif
