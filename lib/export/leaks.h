/* leaks.h: rows whose reply says what only their teacher was told: counted, the first ones kept for
 * the report (select 2.1). The same record for both kinds of file. */
#ifndef WAI_EXPORT_LEAKS_H
#define WAI_EXPORT_LEAKS_H

#include <stdint.h>

#include "grade/leak.h"
#include "json/write.h"

struct export_leaks {
    uint64_t n_rows, n_checked, n_leaked;
    struct buf shown; /* JSON objects with commas between them */
    size_t n_shown;
};

/* found: what leak_find said; needle: its `field`, a NUL, its `needle`. side NULL, or "chosen" … */
void export_leaks_add(struct export_leaks *l, enum leak_result found, struct span needle,
                      const struct row *row, const char *side);

/* The value of the report's privileged_leaks. */
void export_leaks_report(const struct export_leaks *l, struct json_writer *w);
void export_leaks_free(struct export_leaks *l);

#endif
