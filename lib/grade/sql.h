/* sql.h: SQL queries as answers: which text of a reply is the query, running it on a SQLite database
 * that nothing can write to, and whether two results are the same (grade 8). */
#ifndef WAI_GRADE_SQL_H
#define WAI_GRADE_SQL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

/* ---- reading (sql_text.c) ---------------------------------------------------------------------- */

/* The query of a reply: finished thoughts taken out, the last fenced block (tag `sql` or none), else
 * from the first word select or with on; trimmed, without `;` at its end. len 0: no query. Borrows
 * text or scratch. */
struct span sql_query_of(struct span text, struct buf *scratch);

/* Trimmed, without `;` at its end. */
struct span sql_trim(struct span text);

/* A `;` outside of quotes and comments: more than one statement. */
bool sql_many(struct span query);

/* `order by` outside of parentheses, quotes and comments. */
bool sql_ordered(struct span query);

/* ---- results (sql_same.c) ---------------------------------------------------------------------- */

/* Rows of cells, each cell one text that equal values share ("n", "#1.5", "tabc", "b00ff").
 * `struct sql_result r = {0}` is an empty one. */
struct sql_result {
    size_t rows, columns;
    struct span *cells; /* rows x columns, in order */
    size_t n, cap;
    struct arena arena;
};

void sql_result_clear(struct sql_result *r);
void sql_result_free(struct sql_result *r);

/* Appends a cell: numbers rounded half-even to `digits`, text trimmed, without case, and a number
 * when it is one but for `,` and `$`. */
void sql_cell_null(struct sql_result *r);
void sql_cell_int(struct sql_result *r, long long value, int digits);
void sql_cell_real(struct sql_result *r, double value, int digits);
void sql_cell_text(struct sql_result *r, struct span text, int digits);
void sql_cell_blob(struct sql_result *r, struct span bytes);

/* The same rows: in order, or as a multiset; columns as they are or, when there are at most
 * `permuted` of them, in any one order. */
bool sql_same(const struct sql_result *a, const struct sql_result *b, bool ordered,
              size_t permuted);

/* ---- running (sql_run.c) ----------------------------------------------------------------------- */

struct sql_limits {
    double timeout_s; /* processor seconds of one query */
    size_t max_rows;  /* rows after which a query is stopped */
    int digits;
};

enum sql_end {
    SQL_RAN,
    SQL_TOO_MANY, /* more than max_rows rows */
    SQL_REFUSED,  /* an error of the query; *why says which */
    SQL_TIMED_OUT,
};

struct sql_db; /* one thread at a time */

/* A file, opened so that nothing is written, not even beside it; or a script run on a database in
 * memory. NULL: ERROR_INPUT. */
struct sql_db *sql_open_file(const char *path, struct error *error);
struct sql_db *sql_open_script(struct span script, struct error *error);
void sql_close(struct sql_db *db);

/* Runs one reading statement. Writing, ATTACH, PRAGMA and loading code are refused; steps, time,
 * memory and the size of a value are bounded. */
enum sql_end sql_run(struct sql_db *db, struct span query, const struct sql_limits *limits,
                     struct sql_result *result, struct buf *why);

#endif
