/* schema.h: JSON Schema, draft 2020-12 and the spellings of draft-07 (grade 5.7): the validation, applicator and
 * unevaluated vocabularies; $ref to pointers, $id and $anchor, and $dynamicRef, inside the document; `format`
 * and the like are annotations, custom vocabularies are not read. References that leave the document and bad
 * patterns are refused when the schema is opened. */
#ifndef WAI_GRADE_SCHEMA_H
#define WAI_GRADE_SCHEMA_H

#include "base/error.h"
#include "json/scan.h"

enum schema_draft { SCHEMA_2020_12, SCHEMA_DRAFT_07 };

struct schema;

/* text is copied. `$schema` in the document wins over draft. NULL: ERROR_USAGE, a clause. */
struct schema *schema_open(struct span text, enum schema_draft draft, struct error *error);

enum schema_result { SCHEMA_VALID = 1, SCHEMA_INVALID = 0, SCHEMA_GAVE_UP = -1 };

/* Safe from several threads. SCHEMA_INVALID: where receives "POINTER: keyword" of the first failure in
 * the schema's order. SCHEMA_GAVE_UP: the work grew beyond SCHEMA_STEPS, or a pattern backtracked without
 * end. */
enum schema_result schema_validate(const struct schema *s, struct json_value instance,
                                   struct buf *where);
void schema_free(struct schema *s);

#endif
