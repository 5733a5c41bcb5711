/* mutate.h: the ask of a row that failed, said another way, so that the failure is met again in other
 * words (situations 10.1): fourteen changes of a text. */
#ifndef WAI_SCENE_MUTATE_H
#define WAI_SCENE_MUTATE_H

#include <stdint.h>

#include "base/buf.h"

enum mutation {
    MUTATE_TRUNCATE,   /* the first sentence alone */
    MUTATE_STRIP,      /* codes, amounts and long numbers are left out */
    MUTATE_CROSSOVER,  /* the first half of it, the second half of another one */
    MUTATE_DUPLICATE,  /* the first sentence is said twice */
    MUTATE_CONTRADICT, /* taken back, and wanted all the same */
    MUTATE_REVERSE,    /* the sentences from the last to the first */
    MUTATE_LIST,       /* a numbered list */
    MUTATE_BARE,       /* no marks and no capitals */
    MUTATE_DELETE,     /* words are missing */
    MUTATE_SWAP,       /* neighbours change places */
    MUTATE_TYPO,       /* letters change places */
    MUTATE_QUOTE,      /* forwarded as somebody else's words */
    MUTATE_PAYLOAD,    /* a JSON block */
    MUTATE_CORRECT,    /* a second message that corrects the first */
    MUTATION_COUNT
};
const char *mutation_name(enum mutation m);

struct mutation_wish {
    enum mutation change;
    struct span text;  /* of the parent */
    struct span other; /* another parent's, for the crossover; empty: none */
    uint64_t draw;
    bool turns; /* a second message can be a turn of its own */
};

/* Writes the changed text into out (cleared). False: the change does nothing worth playing: fewer
 * than 12 characters or 4 words are left, or neither three words in five stand somewhere new nor does
 * it ask for something else. */
bool mutate(const struct mutation_wish *wish, struct buf *out);

/* What stands between two messages of one prompt (world 8.1). */
#define USER_TURN_MARK "\n<USER_TURN>\n"

#endif
