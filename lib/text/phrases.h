/* phrases.h: which of many phrases occur in a text, told by one pass over it, however many there are
 * (Aho & Corasick 1975, "Efficient String Matching", CACM 18). */
#ifndef WAI_TEXT_PHRASES_H
#define WAI_TEXT_PHRASES_H

#include <stdint.h>

#include "base/span.h"

enum {
    PHRASES_SETS = 64, /* sets that a bank can tell apart */
};

struct phrase {
    const char *text; /* not empty */
    unsigned set;     /* below PHRASES_SETS; several phrases may share one */
};

enum phrases_case {
    PHRASES_EXACT, /* byte by byte */
    /* ASCII letters in either case, as a regular expression without regard to case reads them: the
     * long s (U+017F) is an s, the Kelvin sign (U+212A) a k. Phrases are given in lower case. */
    PHRASES_ANY_CASE,
};

struct phrases;

/* The caller frees. A bank may be used by several threads at once. */
struct phrases *phrases_new(const struct phrase *items, size_t count, enum phrases_case how);

/* Bit s of the result: a phrase of set s occurs. */
uint64_t phrases_find(const struct phrases *p, struct span text);

void phrases_free(struct phrases *p);

#endif
