/* presence.h: the old family of stock markers (grade 17.2): 1 says that the tic is there, which is worse,
 * over the candidate alone, as whole words. Their names begin with "presence:", so that nobody takes them
 * for markers of what is wanted. */
#ifndef WAI_GRADE_PRESENCE_H
#define WAI_GRADE_PRESENCE_H

#include "base/span.h"

enum { PRESENCE_COUNT = 5 };
extern const char *const PRESENCE_NAMES[PRESENCE_COUNT]; /* "presence:boilerplate", … */

struct presence; /* compiled; may be used by several threads at once */
struct presence *presence_new(void);
void presence_free(struct presence *p);

/* Bit k: tic k occurs in the text. */
unsigned presence_found(const struct presence *p, struct span text);

#endif
