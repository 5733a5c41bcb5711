/* gold.h: the text of a row that is judged, and what it is judged against (grade 2.2, 2.3). */
#ifndef WAI_ROW_GOLD_H
#define WAI_ROW_GOLD_H

#include "row/row.h"

/* The candidate: final_text when truthy, as text; else the last assistant message with truthy
 * content (the text parts of a list, joined by newlines); else "". A row that is a string is its
 * own candidate. Borrows the row or scratch (which is cleared). */
struct span row_candidate(const struct row *row, struct buf *scratch);

/* Text of a message's content: a string itself, null "", the text parts of a list joined by
 * newlines, anything else as value_text. Borrows the value or scratch (which is cleared). */
struct span row_content_text(struct json_value content, struct buf *scratch);

struct row_gold {
    struct json_value
        value;       /* borrows the row; text.ptr NULL: the row has none. Never null otherwise */
    bool privileged; /* it came from `privileged`: it may not be quoted */
};

/* The reference. field: a key or dotted path named by the user, tried alone; empty: the usual
 * places. */
struct row_gold row_gold(const struct row *row, struct span field);

#endif
