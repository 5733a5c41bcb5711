/* hack_rows.h: the graded rows of a hack scan as columns of numbers (guard 10.1, steps 1, 2, 5-7).
 * Inside room `guard`. */
#ifndef WAI_GUARD_HACK_ROWS_H
#define WAI_GUARD_HACK_ROWS_H

#include "base/map.h"
#include "guard/hack_scan.h"

/* A feature's non-zero values, by row, in row order. */
struct hack_column {
    uint32_t *rows;
    double *values;
    size_t count, cap, cap_values;
};

struct hack_rows {
    size_t n_rows, n_nonfinite; /* rows seen; rewards that are no finite number */
    size_t n;                   /* graded rows; the arrays below have an item each */
    double *reward;
    uint32_t *group, *profile;
    size_t cap_reward, cap_group, cap_profile;
    struct map groups, profiles;
    struct map names;            /* of the columns, in order of their first value */
    struct hack_column *columns; /* by number of the name */
    size_t cap_columns;
    struct map tokens; /* words of the replies */
    struct map pairs;  /* of two tokens' numbers */
    uint32_t *terms;   /* per row its distinct tokens and pairs: 2 * token, 2 * pair + 1 */
    size_t n_terms, cap_terms;
    size_t *term_end; /* per row */
    size_t cap_term_end;
    struct buf *said; /* per row, when texts are kept */
    size_t cap_said;
};

/* The name of a term: "word", or "word word". */
void hack_term_name(const struct hack_rows *rows, uint32_t term, struct buf *out);

#endif
