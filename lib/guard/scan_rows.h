/* scan_rows.h: the rows of a scan: read, filtered by --where, and given away one by one; and the
 * end that all reports share. Inside room `guard`. */
#ifndef WAI_GUARD_SCAN_ROWS_H
#define WAI_GUARD_SCAN_ROWS_H

#include "guard/scan_run.h"
#include "row/row.h"

struct scan_counts {
    uint64_t rows, left_out, bad; /* used; not --where; skipped or moved */
};

/* 0, or a negative code that stops. */
typedef int scan_use(void *data, const struct row *row, struct error *error);

int scan_rows(const struct scan_common *common, const char *const *paths, size_t n_paths,
              scan_use *use, void *data, struct scan_counts *counts, struct error *error);

/* Opens the report's object: "wai_report" first, then what was left out. */
void scan_open_report(const char *verb, const struct scan_counts *counts, struct json_writer *w,
                      struct buf *out);

/* CI outputs, then the verdict: 0 or ERROR_CHECK. why: what is red, when red. */
int scan_close_report(const struct scan_common *common, const char *verb,
                      const struct findings *findings, bool red, const char *why,
                      struct error *error);

int scan_check_seed(const char *seed, struct error *error);

#endif
