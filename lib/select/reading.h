/* reading.h: what the reading of one row hands to the facts of all (facts.h). Inside room `select`. */
#ifndef WAI_SELECT_READING_H
#define WAI_SELECT_READING_H

#include "row/signature.h"
#include "select/facts.h"
#include "text/digest.h"

enum reading_text {
    READING_TASK,
    READING_PROMPT,
    READING_FOLDED, /* the prompt folded */
    READING_FAULT,
    READING_QUOTA,
    READING_LEAK_ID, /* of a row that leaked: JSON */
    READING_LEAK_INDEX,
    READING_LEAK_FIELD,
    READING_LEAK_NEEDLE,
    READING_TEXTS,
};

struct select_reading {
    struct select_fact fact; /* its numbers are not given yet */
    char signature[ROW_SIGNATURE_LENGTH + 1];
    uint8_t reply[SHA256_BYTES]; /* digest of the folded final text */
    struct span texts[READING_TEXTS];
};

void select_reading_store(const struct select_reading *reading, struct buf *note);
/* The spans lie in note. */
void select_reading_load(struct select_reading *reading, struct span note);

#endif
