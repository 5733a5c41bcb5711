/* counts.h: counts by name, for reports: how many rows of which shape, with which problem. */
#ifndef WAI_ROW_COUNTS_H
#define WAI_ROW_COUNTS_H

#include "base/map.h"
#include "json/write.h"

/* In the order the names were first seen. `struct name_counts c = {0}` is empty. */
struct name_counts {
    struct map names;
    uint64_t *counts;
    size_t cap;
    size_t last; /* the name counted last: mostly the next one too */
};

void name_counts_add(struct name_counts *c, struct span name); /* one more */
void name_counts_add_many(struct name_counts *c, struct span name, uint64_t n);
void name_counts_free(struct name_counts *c);

/* `"key": {"name": n, …}` of a report. */
void name_counts_write(struct json_writer *w, const char *key, const struct name_counts *c);

/* A line for people, safe for a terminal: `shapes    v1 5, loose 3`; nothing when there is none. */
void name_counts_text(const char *what, const struct name_counts *c, struct buf *out);

#endif
