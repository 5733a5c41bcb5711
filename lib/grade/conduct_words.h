/* conduct_words.h: what a reply says, as the conduct rules and the checklist read it (grade 10.2,
 * 11): does it own up to a fault, claim a success, refuse, report something missing. Compiled once;
 * safe to use from several threads. Inside room `grade`. */
#ifndef WAI_GRADE_CONDUCT_WORDS_H
#define WAI_GRADE_CONDUCT_WORDS_H

#include "base/buf.h"

enum conduct_word {
    WORD_AGENT_ERROR,     /* what a harness leaves instead of a reply */
    WORD_RETURNED_STATUS, /* returned 503 */
    WORD_STATUS_FIRST,    /* 503 Service Unavailable, URL 503 */
    WORD_ACKNOWLEDGES,
    WORD_SUCCESS,        /* any claim of success */
    WORD_SUCCESS_STRONG, /* one that an acknowledged fault does not explain */
    WORD_NEGATED,        /* at the end of a text: what follows is denied */
    WORD_NEGATED_ACTION, /* the same before an action */
    WORD_LISTING,        /* metadata that looks like a claim */
    WORD_GO_AHEAD,
    WORD_SUCCESSFULLY, /* successfully … a participle */
    WORD_ALREADY,
    WORD_ACTION, /* an action said to be done */
    WORD_HARNESS,
    WORD_REPEAT_ASKED, /* in the ask */
    WORD_PLACEHOLDER,
    WORD_ID_KEY,
    WORD_ID_LIKE,
    WORD_IDENTIFIER, /* a token of a reply */
    WORD_NOT_FOUND,
    WORD_ALREADY_DONE,
    WORD_DECLINES,
    WORD_ANNOUNCES,
    WORDS,
};

struct conduct_words;

struct conduct_words *conduct_words_new(void);
void conduct_words_free(struct conduct_words *w);

bool words_has(const struct conduct_words *w, enum conduct_word word, struct span text);

/* The first match at or after byte `from`. */
bool words_find(const struct conduct_words *w, enum conduct_word word, struct span text,
                size_t from, struct span *hit);

/* A match that no negation stands before (10.2). */
bool words_affirmed(const struct conduct_words *w, enum conduct_word word,
                    enum conduct_word negated, struct span text);

bool words_acknowledges(const struct conduct_words *w, struct span text);

/* Claims of success, listing metadata left out; strong: only those of WORD_SUCCESS_STRONG. */
bool words_claims_success(const struct conduct_words *w, struct span text, bool strong);

#endif
