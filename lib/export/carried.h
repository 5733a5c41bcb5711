/* carried.h: which members of a row ride into a trainer file (select 13.1, 14). Everything else
 * stays behind, the teacher's block first of all. */
#ifndef WAI_EXPORT_CARRIED_H
#define WAI_EXPORT_CARRIED_H

#include "base/arena.h"
#include "row/row.h"
#include "json/write.h"

struct export_carried {
    const struct span *names; /* in the order they are written */
    size_t count;
};

extern const struct export_carried EXPORT_TRAINING_KEYS, EXPORT_PREFERENCE_KEYS;

/* Writes the member when it is there and not null. `row` has been scrubbed (row/wire.h). */
void export_write_carried(const struct row *row, struct span name, struct arena *arena,
                          struct json_writer *w);

/* A copy of the row without the teacher's block at any depth outside arguments and results; the row
 * itself when it holds none. text and members are the copy's. */
struct row export_scrubbed(const struct row *row, struct buf *text, struct json_members *members);

#endif
