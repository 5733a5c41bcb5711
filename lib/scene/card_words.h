/* card_words.h: the sentences that cards are made of, and the words that show a tag was kept. Inside
 * the room. */
#ifndef WAI_SCENE_CARD_WORDS_H
#define WAI_SCENE_CARD_WORDS_H

#include <stdbool.h>

#include "base/span.h"

enum card_list {
    CARD_STANCE,
    CARD_WORLD,
    CARD_HISTORY,
    CARD_CONDITION,
    CARD_LACK,
    CARD_ASK,
    CARD_PRESSURE,
    CARD_USER,
    CARD_TONE,
    CARD_LENGTH,
    CARD_TEXTURE,
    CARD_LISTS
};

/* What is said of an axis value, or of a tag; NULL: nothing. */
const char *card_word(enum card_list list, struct span value);
const char *card_tag(enum card_list list, const char *tag); /* tag may be NULL */

enum card_saying {
    CARD_SAYS_COURTESY, /* please, thanks */
    CARD_SAYS_TEMPER,   /* fed up, in a hurry */
    CARD_SAYS_PRESSURE, /* an exception, a trick, authority, a threat */
    CARD_SAYINGS
};
bool card_says(enum card_saying what, struct span text);

#endif
