/* style_own.h: phrase lists of the user's own (grade 17, --phrases): markers beside the stock ones, or in
 * the place of one of the same name. */
#ifndef WAI_GRADE_STYLE_OWN_H
#define WAI_GRADE_STYLE_OWN_H

#include <stdint.h>

#include "base/error.h"
#include "base/map.h"

struct style_own;

/* A JSON or YAML object from marker to list of phrases. NULL: ERROR_INPUT. */
struct style_own *style_own_read(const char *path, struct error *error);
void style_own_free(struct style_own *own);

const struct map *style_own_names(const struct style_own *own); /* in the order of the file */

/* Bit k: a phrase of marker k occurs in the text, which is lower-cased. */
uint64_t style_own_found(const struct style_own *own, struct span text);

#endif
