/* tree.h: jansson trees, for the few places that need one: documents that change (a mock world's
 * state), YAML and specification files. Object order is kept. An integer beyond 64 bits becomes a
 * real (the nearest double); texts may hold NUL and lone surrogates; NaN and infinities become
 * null. */
#ifndef WAI_JSON_TREE_H
#define WAI_JSON_TREE_H

#include <jansson.h>

#include "base/error.h"
#include "json/scan.h"

json_t *json_tree(struct json_value value);                /* new reference, never NULL */
void json_tree_write(const json_t *tree, struct buf *out); /* compact JSON text, shortest floats */

/* A YAML text (one document, by libyaml) as a tree: the core schema's scalars; anchors and aliases
 * expanded up to a bound; merge keys; duplicate keys refused. `name` is for messages. NULL on
 * failure. */
json_t *json_tree_yaml(struct span text, const char *name, struct error *error);

/* A document file, JSON or (by .yaml/.yml) YAML. NULL: ERROR_INPUT names file and line. */
json_t *json_tree_file(const char *path, struct error *error);

#endif
