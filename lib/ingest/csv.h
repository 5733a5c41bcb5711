/* csv.h: tables of text (RFC 4180; commas or tabs) with a header, a record as a JSON object. A cell
 * is a text; an empty one that is not quoted is null; one that holds a JSON list or object is that.
 */
#ifndef WAI_INGEST_CSV_H
#define WAI_INGEST_CSV_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

enum csv_kind { CSV_NONE, CSV_COMMAS, CSV_TABS };

/* By the name's ending: .csv, .tsv in any case. */
enum csv_kind csv_kind_of(const char *path);

/* `struct csv c = {…}` is opened by csv_open; all texts live until csv_free. */
struct csv {
    const char *path;
    char separator;
    struct buf text;
    size_t at, line; /* next byte, its line from 1 */
    struct span *names;
    size_t n_names;
    struct arena arena, lists; /* names; lists of the record in hand */
    struct buf cell;
};

/* Reads the file ("-": standard input) and its header. 0, ERROR_INPUT or ERROR_SYSTEM. */
int csv_open(struct csv *c, const char *path, enum csv_kind kind, struct error *error);

/* The next record as a JSON object into out (cleared); *line is where it begins. 1; 0 at the end;
 * -1: out is a clause that says what is wrong with it, with the mend. */
int csv_next(struct csv *c, struct buf *out, size_t *line);

void csv_free(struct csv *c);

#endif
