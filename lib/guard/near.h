/* near.h: pairs of texts whose word sets are nearly the same: Jaccard similarity of the runs of a-z
 * and 0-9, lower-cased. Exact, by an inverted index over the rarest words of each text (prefix
 * filter, Chaudhuri et al. 2006, Bayardo et al. 2007): texts that share no rare word are never
 * compared. */
#ifndef WAI_GUARD_NEAR_H
#define WAI_GUARD_NEAR_H

#include "json/write.h"

enum { NEAR_EXAMPLES = 5 }; /* pairs that a report shows */

struct near_report {
    size_t n_prompts, n_involved;
    uint64_t n_pairs;
    double threshold;
    struct near_pair {
        size_t a, b; /* places in the list of texts, a < b */
        double jaccard;
    } examples[NEAR_EXAMPLES]; /* the first in order of a, then b */
    size_t n_examples;
};

/* Texts without a word in common are no pair, whatever the threshold. */
void near_measure(const struct span *texts, size_t n, double threshold, struct near_report *report);

/* The report's object as a value; texts as above. */
void near_write(const struct near_report *report, const struct span *texts, struct json_writer *w);

#endif
