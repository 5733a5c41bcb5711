/* defaults.h: bounds of the json room. */
#ifndef WAI_JSON_DEFAULTS_H
#define WAI_JSON_DEFAULTS_H

#include <stddef.h>

/* Bytes; longest document file (specification, tools, rubric) that json_tree_file takes. A tree
 * needs some ten times as much memory. */
#define JSON_FILE_MAX ((size_t)64 << 20)

/* Values that the aliases of one YAML text may expand to, 64 bytes of text counting as one more: an
 * honest document stays far below, and nested aliases (the "billion laughs") stop before they fill
 * the memory. */
#define YAML_ALIAS_MAX ((size_t)1 << 18)
#define YAML_TEXT_UNIT ((size_t)64)

#endif
