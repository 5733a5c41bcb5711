/* store.h: lines kept for a second look, for tools that choose among all rows before they write
 * any. The first STORE_MEMORY bytes stay in memory, the rest goes to an unlinked temporary file
 * ($TMPDIR), so memory does not grow with the input. Lines come back by number, in any order. Not
 * shared between threads. */
#ifndef WAI_ROW_STORE_H
#define WAI_ROW_STORE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

enum { STORE_MEMORY = 64 << 20 }; /* bytes */

struct row_store;

/* memory: bytes kept before the file is used; STORE_MEMORY outside of tests. */
struct row_store *row_store_new(size_t memory);

/* Keeps a copy; *number counts from 0. ERROR_SYSTEM when the temporary file cannot be written. */
int row_store_add(struct row_store *s, struct span line, size_t *number, struct error *error);

/* The line; borrows the store or scratch until either changes. */
int row_store_get(struct row_store *s, size_t number, struct buf *scratch, struct span *line,
                  struct error *error);

size_t row_store_count(const struct row_store *s);
void row_store_free(struct row_store *s);

#endif
