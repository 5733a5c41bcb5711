/* placeholder.h: arguments that repeat the schema instead of a value: "<order id>", "your email",
 * "string" (world 3.5). */
#ifndef WAI_WORLD_PLACEHOLDER_H
#define WAI_WORLD_PLACEHOLDER_H

#include "world/node.h"

bool text_is_placeholder(struct span text);

/* Appends the path of every such leaf (a.b, a[0]) to fields, in argument order. */
void placeholder_fields(struct arena *a, const struct node *arguments, struct node *fields);

#endif
