/* key.h: which rows belong together (rows 1.1; text of a key: measure 1.3). */
#ifndef WAI_ROW_KEY_H
#define WAI_ROW_KEY_H

#include "row/row.h"

/* Keys tried in order; the first truthy one is taken. */
struct row_key_list {
    const struct span *names;
    size_t count;
};

extern const struct row_key_list ROW_TASK_KEYS; /* scenario_id, task_id, prompt */

/* Text of the first truthy key, "" when there is none; borrows the row or scratch (which is
 * cleared). */
struct span row_key(const struct row *row, struct row_key_list keys, struct buf *scratch);
struct span row_task_key(const struct row *row, struct buf *scratch);

enum { ROW_SHORT_HASH = 12 }; /* characters */

/* First 12 hex of SHA-256 of the parts joined by '|' (rows 2.5), NUL behind. */
void row_short_hash(const struct span *parts, size_t count, char out[ROW_SHORT_HASH + 1]);

/* The task id of a prompt that brings none: `task_` and its short hash. Appended. */
void row_task_id_of(struct span prompt, struct buf *out);

/* Identity of a row for labels and gold joins: rollout_id, else TASK#INDEX, else a hash (rows 1.1).
 */
void row_identity(const struct row *row, struct buf *out);

#endif
