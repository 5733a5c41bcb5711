/* letters.h: messages out of a writer's reply (situations 18.4). The reply is a model's or a
 * program's: whatever it says is read for what can be used, and nothing in it is trusted. */
#ifndef WAI_SCENE_LETTERS_H
#define WAI_SCENE_LETTERS_H

#include "base/arena.h"
#include "base/buf.h"

/* One item of a reply. Spans live in the arena. */
struct letter {
    struct span region; /* the card it answers; empty: not said */
    struct span text;   /* raw; turns are joined by USER_TURN_MARK */
};

struct letters {
    struct letter *items;
    size_t count, cap;
};

/* Reads a reply: a JSON array, an object with `messages` or `situations`, one object, or any of these
 * inside other text. false: there is text, and nothing of it can be read. */
bool letters_read(struct letters *out, struct span reply, struct arena *a);
/* What is in the reply's code fence, else the reply. */
struct span letters_unfence(struct span reply);

void letters_free(struct letters *l);

/* Makes the text into what a person could have sent, in out (cleared): dashes, markup, emojis and
 * notes to a tool taken out. tools: a call in brackets, "(use get_order)", goes too. */
void letter_clean(struct span text, struct buf *out);

enum letter_fault {
    LETTER_FINE,
    LETTER_LENGTH,  /* too short, too long */
    LETTER_VOICE,   /* speaks as the assistant, or about the message */
    LETTER_CAPTION, /* names its own style or a label */
    LETTER_EMPTY,   /* an acknowledgement, a demand for nothing */
    LETTER_TOOL,    /* names a tool */
    LETTER_BRIEF,   /* copies the scene brief */
    LETTER_FAULTS
};
const char *letter_fault_name(enum letter_fault fault);

struct letter_rules {
    const struct span *tools; /* names that may not be in a message */
    size_t n_tools;
    struct span brief; /* the scene brief */
};

/* What is wrong with a clean message. */
enum letter_fault letter_check(struct span text, const struct letter_rules *rules);

#endif
