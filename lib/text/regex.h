/* regex.h: regular expressions as Python 3's `re` means them on str, run by PCRE2: Unicode-aware
 * classes, \s, \w, \S, \W, \Z translated where PCRE2 reads them otherwise. Matching is bounded: a
 * pattern that backtracks without end gives REGEX_LIMIT instead of a hang. A compiled pattern may
 * be used by several threads at once. Offsets are bytes. Bytes that are not UTF-8, lone surrogates
 * among them, match nothing. */
#ifndef WAI_TEXT_REGEX_H
#define WAI_TEXT_REGEX_H

#include "base/buf.h"
#include "base/error.h"

enum regex_flag {
    REGEX_IGNORE_CASE = 1, /* (?i) */
    REGEX_MULTILINE = 2,   /* (?m) */
    REGEX_DOT_ALL = 4,     /* (?s) */
    REGEX_VERBOSE = 8,     /* (?x) */
};

enum regex_result {
    REGEX_NONE = 0,
    REGEX_MATCH = 1,
    REGEX_LIMIT = -1, /* gave up after REGEX_MATCH_LIMIT steps */
};

enum { REGEX_MATCH_LIMIT = 10000000, REGEX_DEPTH_LIMIT = 10000 }; /* steps; levels (grade 5.3) */

struct regex;

/* NULL: ERROR_USAGE, "regex at character N: …". Ownership is the caller's. */
struct regex *regex_compile(struct span pattern, int flags, struct error *error);

/* The first match at or after byte `from`. groups[0] is the whole match, groups[1] the first group
 * …; up to n_groups are filled, a group that took no part has ptr NULL. groups may be NULL when
 * n_groups is 0. */
enum regex_result regex_search(const struct regex *r, struct span text, size_t from,
                               struct span *groups, size_t n_groups);

/* Every match that is not empty replaced, in place. A search that gives up leaves the rest as it is. */
void regex_replace(const struct regex *r, struct buf *text, const char *with);

size_t regex_group_count(const struct regex *r);                 /* without the whole match */
int regex_group_number(const struct regex *r, const char *name); /* of (?P<name>…), or -1 */
void regex_free(struct regex *r);

#endif
